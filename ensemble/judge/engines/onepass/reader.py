"""A model that is read and not asked: its states at the ends of all questions, in one forward pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from physgauge.ensemble.judge.engines.onepass.packed import Packed
from physgauge.ensemble.judge.engines.onepass.pixels import Picture
from physgauge.ensemble.judge.engines.onepass.prompts import Prompts
from physgauge.types import F32, U8


@dataclass(frozen=True, slots=True)
class Reader:
    """Made by `build.reader`; to be used from one thread."""

    runner: Packed
    prompts: Prompts
    prepare: Callable[[U8], Picture]
    models: Mapping[str, str]
    """Name to the hash of the model's folder."""

    def read(self, images: Sequence[U8], preamble: str, questions: Sequence[str]) -> F32:
        """What the model holds at the end of each question about each image.

        Args:
            images: B, each [H, W, 3] uint8 RGB.
            preamble: in front of every question.
            questions: Q.

        Returns:
            [B, Q, hidden].
        """
        prefix = self.prompts.prefix(preamble, True)
        tails = [self.prompts.tail(preamble, True, text, "yes_no") for text in questions]
        batch = [(self.runner.open(prefix, self.prepare(image)), tails) for image in images]
        states: F32 = np.stack([one.numpy() for one in self.runner.states(batch)])
        return states
