"""A model proves, on this machine, that one pass says what separate prompts say."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch

from physgauge.ensemble.judge.engines.onepass.architectures import Architecture
from physgauge.ensemble.judge.engines.onepass.prompts import Prompts
from physgauge.ensemble.judge.engines.onepass.running import Runner
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.types import F64

QUESTIONS: Final = (
    "Does anything float?",
    "Is the picture dark, or bright, or neither of the two in most of its parts?",
    "Is it red?",
)
BOUNDS: Final = {torch.float32: 1e-3, torch.bfloat16: 0.5}
"""Most that log-odds may differ; beyond 1 they may differ in proportion."""


class Check:
    """Asks a runner about a small picture.

    Args:
        runner: the strategy with its model.
        prompts: of the model.
        ways: of its architecture.
    """

    def __init__(self, runner: Runner, prompts: Prompts, ways: Architecture) -> None:
        self._runner = runner
        image = np.random.default_rng(5).integers(0, 256, (96, 160, 3), np.uint8)
        self._picture = ways.prepare(image)
        self._prefix = prompts.prefix("", True)
        self._tails = [prompts.tail("", True, q, "yes_no") for q in QUESTIONS]

    def together(self) -> F64:
        """Log-odds in one pass."""
        opened = self._runner.open(self._prefix, self._picture)
        return self._runner.answer([(opened, self._tails)])[0]

    def apart(self) -> F64:
        """Log-odds from one plain prompt each, by other arithmetic where there is some."""
        return np.concatenate(
            [self._runner.alone(self._prefix, self._picture, tail) for tail in self._tails]
        )

    def alive(self) -> None:
        """Raises where the model no longer answers."""
        self.together()

    def exact(self, dtype: torch.dtype, where: str) -> None:
        """Compare.

        Raises:
            ConfigError: one pass is not what separate prompts are, or nothing is a number.
            EnvironmentProblem: this machine can't run it.
        """
        try:
            one, many = self.together(), self.apart()
        except RuntimeError as error:
            first = str(error).splitlines()[0]
            raise EnvironmentProblem(
                f'{where}: the model does not run here: {first:.300} (attention = "math" may)'
            ) from error
        bound = BOUNDS.get(dtype, 0.5) * np.maximum(1.0, np.abs(many))
        if not (np.abs(one - many) <= bound).all():
            raise ConfigError(
                f"{where}: model: expected the answers of separate prompts from one pass on this "
                f"machine, within {BOUNDS.get(dtype, 0.5):g} of log-odds; got {_rounded(one)} for "
                f"{_rounded(many)}"
            )


def _rounded(odds: F64) -> str:
    return ", ".join(f"{o:.4g}" for o in odds)
