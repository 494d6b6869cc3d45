"""What differs between architectures: image tokens, positions, the way into the layers.

Those here can be packed: Qwen3-VL, Idefics3, SmolVLM. Their language models attend causally everywhere,
so a tail can stand anywhere in a sequence as long as it sees the right tokens and is rotated by the
right positions. `gemma.py` has one that can't.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import torch

from physgauge.ensemble.judge.engines.onepass.pixels import IdeficsPixels, Picture, QwenPixels
from physgauge.ensemble.judge.engines.onepass.prompts import ImageMark
from physgauge.types import I64, U8


@dataclass(frozen=True, slots=True)
class Features:
    """What a vision tower says about several images."""

    tokens: torch.Tensor
    """[image tokens of all, hidden]."""
    deep: tuple[torch.Tensor, ...] = ()
    """Added to the image tokens' states behind the first layers (Qwen3-VL), each as `tokens`."""


class Architecture(Protocol):
    """One architecture's ways."""

    mark: ImageMark
    image_id: int
    """The token that stands for a piece of an image."""
    axes: int
    """Of positions."""

    def prepare(self, image: U8) -> Picture:
        """[H, W, 3] uint8 RGB to what the vision tower takes."""
        ...

    def image_ids(self, picture: Picture) -> list[int]:
        """The tokens that take the place of the image's mark."""
        ...

    def positions(self, ids: Sequence[int], pictures: Sequence[Picture]) -> tuple[I64, int]:
        """Of a prefix with its pictures' tokens: [axes, tokens], and where the text behind it goes on."""
        ...

    def features(self, pictures: Sequence[Picture]) -> Features:
        """The vision tower over several images."""
        ...

    def hidden(
        self, ids: torch.Tensor, positions: torch.Tensor, features: Features | None, **more: Any
    ) -> torch.Tensor:
        """The language model: ids [B, T], positions [axes, B, T] to states [B, T, hidden].

        `features` take the places of the image's tokens, in order; `more` is what attention needs: a
        `plan`, or transformers' `cache` and `attention_mask`.
        """
        ...


class Common:
    """What architectures share.

    Args:
        model: of transformers.
        image_id: the token that stands for a piece of an image.
    """

    def __init__(self, model: Any, image_id: int) -> None:
        self.model, self.image_id = model, image_id
        self._embed = model.get_input_embeddings()
        self.device, self.dtype = self._embed.weight.device, self._embed.weight.dtype

    def embedded(self, ids: torch.Tensor, features: Features | None) -> torch.Tensor:
        """[B, T] to [B, T, hidden], images put in."""
        states: torch.Tensor = self._embed(ids)
        if features is None:
            return states
        rows = (ids.flatten() == self.image_id).nonzero()[:, 0]
        flat = states.flatten(0, 1).index_copy(0, rows, features.tokens.to(states.dtype))
        return flat.reshape(states.shape)

    def pixels(self, pictures: Sequence[Picture]) -> torch.Tensor:
        """Values of several pictures, one behind another."""
        return torch.cat([torch.from_numpy(p.values).to(self.device, self.dtype) for p in pictures])


class Qwen3VL(Common):
    """Qwen3-VL: one token per 2 x 2 patches, positions along three axes."""

    axes = 3

    def __init__(
        self, model: Any, tokenizer: Any, processor: Any, image_tokens: int | None
    ) -> None:
        super().__init__(model, model.config.image_token_id)
        self.mark = ImageMark(tokenizer.convert_ids_to_tokens(self.image_id))
        self.prepare = QwenPixels(processor, image_tokens)
        self._merge = self.prepare.merge
        _flatten_patches(model.model.visual.patch_embed)

    def image_ids(self, picture: Picture) -> list[int]:
        return [self.image_id] * (picture.rows * picture.columns // self._merge**2)

    def positions(self, ids: Sequence[int], pictures: Sequence[Picture]) -> tuple[I64, int]:
        parts, at, place = list[I64](), 0, 0
        for picture in pictures:
            text = ids.index(self.image_id, at) - at
            parts.append(np.tile(np.arange(place, place + text), (3, 1)))
            rows, columns = picture.rows // self._merge, picture.columns // self._merge
            grid = np.indices((rows, columns)).reshape(2, -1)
            time = np.zeros((1, grid.shape[1]), np.int64)
            parts.append(place + text + np.concatenate([time, grid]))
            at, place = at + text + grid.shape[1], place + text + max(rows, columns)
        rest = len(ids) - at
        parts.append(np.tile(np.arange(place, place + rest), (3, 1)))
        return np.concatenate(parts, axis=1), place + rest

    def features(self, pictures: Sequence[Picture]) -> Features:
        grid = torch.tensor([[1, p.rows, p.columns] for p in pictures], device=self.device)
        made = self.model.model.get_image_features(self.pixels(pictures).flatten(1), grid)
        deep = tuple(torch.cat(list(layer)) for layer in made.deepstack_features)
        return Features(torch.cat(list(made.pooler_output)), deep)

    def hidden(
        self, ids: torch.Tensor, positions: torch.Tensor, features: Features | None, **more: Any
    ) -> torch.Tensor:
        if features is not None and features.deep:
            more["visual_pos_masks"] = ids == self.image_id
            more["deepstack_visual_embeds"] = list(features.deep)
        states: torch.Tensor = self.model.model.language_model(
            inputs_embeds=self.embedded(ids, features), position_ids=positions, **more
        ).last_hidden_state
        return states


def _flatten_patches(embed: Any) -> None:
    """Let patches enter as [N, 3 p²] of one frame.

    The convolution over whole patches is a matrix product, and a still image's two equal frames are the
    sum of the kernel's two halves. (As a convolution in bfloat16 it took 80 times as long on a CPU.)
    """
    kernel = embed.proj.weight
    weight = kernel.sum(2).flatten(1) if kernel.shape[2] > 1 else kernel.flatten(1)
    bias = embed.proj.bias

    def forward(patches: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(patches.to(weight.dtype), weight, bias)

    embed.forward = forward


class Idefics3(Common):
    """Idefics3 and SmolVLM: square tiles of a fixed number of tokens, positions in a row."""

    axes = 1

    def __init__(
        self, model: Any, tokenizer: Any, processor: Any, image_tokens: int | None
    ) -> None:
        config = model.config
        super().__init__(model, config.image_token_id)
        self._tokenizer = tokenizer
        self.mark = ImageMark(tokenizer.convert_ids_to_tokens(self.image_id))
        side = config.vision_config.image_size // config.vision_config.patch_size
        self._tile_tokens = side**2 // config.scale_factor**2
        self.prepare = IdeficsPixels(processor, self._tile_tokens, image_tokens)
        self._ids: dict[tuple[int, int], list[int]] = {}

    def image_ids(self, picture: Picture) -> list[int]:
        shape = (picture.rows, picture.columns)
        if shape not in self._ids:
            # Its ends are special tokens, so it can be made into tokens by itself.
            text = self._written(*shape)
            self._ids[shape] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return self._ids[shape]

    def _written(self, rows: int, columns: int) -> str:
        fake, tile = "<fake_token_around_image>", self.mark.token * self._tile_tokens
        parts = []
        for r in range(rows):
            parts += [f"{fake}<row_{r + 1}_col_{c + 1}>{tile}" for c in range(columns)] + ["\n"]
        return "".join([*parts, *(["\n"] if rows else []), f"{fake}<global-img>{tile}{fake}"])

    def positions(self, ids: Sequence[int], pictures: Sequence[Picture]) -> tuple[I64, int]:
        return np.arange(len(ids))[None], len(ids)

    def features(self, pictures: Sequence[Picture]) -> Features:
        made = self.model.model.get_image_features(self.pixels(pictures)[None])
        return Features(torch.cat(list(made.pooler_output)))

    def hidden(
        self, ids: torch.Tensor, positions: torch.Tensor, features: Features | None, **more: Any
    ) -> torch.Tensor:
        states: torch.Tensor = self.model.model.text_model(
            inputs_embeds=self.embedded(ids, features), position_ids=positions[0], **more
        ).last_hidden_state
        return states


PACKED: Final[dict[str, Callable[[Any, Any, Any, int | None], Architecture]]] = {
    "qwen3_vl": Qwen3VL,
    "idefics3": Idefics3,
    "smolvlm": Idefics3,
}
"""Model type to what packs it."""
