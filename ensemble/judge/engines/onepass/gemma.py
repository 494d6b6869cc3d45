"""Gemma 3: an image's tokens see each other both ways, and some layers see a window only.

A probe packed behind another would need both rules redone around it, so it runs by the strategy
`cache`, where transformers makes the masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image

from physgauge.ensemble.judge.engines.onepass.architectures import Common, Features
from physgauge.ensemble.judge.engines.onepass.pixels import Normaliser, Picture, resized
from physgauge.ensemble.judge.engines.onepass.prompts import ImageMark
from physgauge.errors import ConfigError
from physgauge.types import I64, U8


class Gemma3(Common):
    """Gemma 3 with one square picture, without pan and scan."""

    axes = 1

    def __init__(self, model: Any, tokenizer: Any, processor: Any, where: str) -> None:
        config = model.config
        super().__init__(model, config.image_token_id)
        if processor.do_pan_and_scan:
            raise ConfigError(
                f"{where}: model: image processor: expected do_pan_and_scan off, got it on"
            )
        first, last = (
            tokenizer.convert_ids_to_tokens(i) for i in (config.boi_token_id, config.eoi_token_id)
        )
        self.mark = ImageMark(first, "\n\n", f"{last}\n\n")
        self._ids = [config.boi_token_id] + [self.image_id] * config.mm_tokens_per_image
        self._size = (int(processor.size["width"]), int(processor.size["height"]))
        self._resample = int(processor.resample)
        self._normalise = Normaliser(processor)

    def prepare(self, image: U8) -> Picture:
        """[H, W, 3] uint8 RGB."""
        picture = resized(Image.fromarray(image), *self._size, self._resample)
        channels = np.ascontiguousarray(np.asarray(picture)[None].transpose(0, 3, 1, 2))
        return Picture(self._normalise(channels), 1, 1)

    def image_ids(self, picture: Picture) -> list[int]:
        return self._ids

    def positions(self, ids: Sequence[int], pictures: Sequence[Picture]) -> tuple[I64, int]:
        return np.arange(len(ids))[None], len(ids)

    def features(self, pictures: Sequence[Picture]) -> Features:
        made = self.model.model.get_image_features(self.pixels(pictures)).pooler_output
        return Features(made.flatten(0, 1))

    def hidden(
        self, ids: torch.Tensor, positions: torch.Tensor, features: Features | None, **more: Any
    ) -> torch.Tensor:
        if features is not None:
            # Which tokens are one image, for the mask.
            more["token_type_ids"] = (ids == self.image_id).long()
        states: torch.Tensor = self.model.model(
            inputs_embeds=self.embedded(ids, features), position_ids=positions[0], **more
        ).last_hidden_state
        return states
