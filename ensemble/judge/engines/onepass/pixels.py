"""From a decoded image to what a model's vision tower takes.

The same values as from the model's own processor, without its detours: one table look-up in place of
float64 arithmetic on every pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from physgauge.types import F32, U8


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, ready for the vision tower."""

    values: F32
    """Qwen3-VL: [patches, 3, p, p], in the processor's order, one frame; Idefics3: [tiles, 3, s, s]."""
    rows: int
    columns: int
    """Qwen3-VL: patches along the sides; Idefics3: tiles, 0 x 0 where there is only the whole."""


class Normaliser:
    """Rescale and normalise, per channel, by table.

    Args:
        processor: an image processor of transformers.
    """

    def __init__(self, processor: Any) -> None:
        # The steps and the precision of transformers' PIL backend.
        values = np.arange(256, dtype=np.uint8)[:, None].repeat(3, 1)
        table = values.astype(np.float32)
        if processor.do_rescale:
            table = (values.astype(np.float64) * processor.rescale_factor).astype(np.float32)
        if processor.do_normalize:
            mean, std = (
                np.array(v, np.float32) for v in (processor.image_mean, processor.image_std)
            )
            table = (table - mean) / std
        self._table: F32 = np.ascontiguousarray(table.T)
        self._same = bool((self._table == self._table[:1]).all())

    def __call__(self, channels: U8) -> F32:
        """[N, 3, h, w] uint8 to float32 of that shape."""
        if self._same:
            return np.take(self._table[0], channels)
        return np.stack([np.take(self._table[c], channels[:, c]) for c in range(3)], axis=1)


def resized(image: Image.Image, width: int, height: int, resample: int) -> Image.Image:
    """A picture of another size; the same one where it has that size already."""
    if image.size == (width, height):
        return image
    return image.resize((width, height), Image.Resampling(resample))


class QwenPixels:
    """Patches of `patch` px in groups of `merge` x `merge`, the sides multiples of both.

    Args:
        processor: Qwen2VLImageProcessor.
        image_tokens: most tokens of one image; None: as the processor has it.
    """

    def __init__(self, processor: Any, image_tokens: int | None) -> None:
        self.patch, self.merge = int(processor.patch_size), int(processor.merge_size)
        self._processor = processor
        self._normalise = Normaliser(processor)
        self._least, self._most = processor.size["shortest_edge"], processor.size["longest_edge"]
        if image_tokens is not None:
            self._most = image_tokens * (self.patch * self.merge) ** 2
            self._least = min(self._least, self._most)

    def __call__(self, image: U8) -> Picture:
        """[H, W, 3] uint8 RGB, sides at most 200:1."""
        p, m = self.patch, self.merge
        height, width = image.shape[:2]
        if self._processor.do_resize:
            height, width = fit(height, width, p * m, self._least, self._most)
        picture = resized(Image.fromarray(image), width, height, int(self._processor.resample))
        rows, columns = height // p, width // p
        cut = np.asarray(picture).reshape(rows // m, m, p, columns // m, m, p, 3)
        patches = cut.transpose(0, 3, 1, 4, 6, 2, 5).reshape(rows * columns, 3, p, p)
        return Picture(self._normalise(patches), rows, columns)


def fit(height: int, width: int, factor: int, least: int, most: int) -> tuple[int, int]:
    """Qwen's rule for sizes: multiples of `factor`, `least` to `most` pixels, the shape nearly kept.

    Returns:
        height, width.
    """
    rows, columns = round(height / factor) * factor, round(width / factor) * factor
    if rows * columns > most:
        by = math.sqrt(height * width / most)
        rows = max(factor, math.floor(height / by / factor) * factor)
        columns = max(factor, math.floor(width / by / factor) * factor)
    elif rows * columns < least:
        by = math.sqrt(least / (height * width))
        rows = math.ceil(height * by / factor) * factor
        columns = math.ceil(width * by / factor) * factor
    return rows, columns


class IdeficsPixels:
    """Square tiles and the whole picture scaled to one of them.

    Args:
        processor: Idefics3ImageProcessor or SmolVLM's.
        tile_tokens: image tokens of a tile.
        image_tokens: most tokens of one image; None: as the processor has it.
    """

    def __init__(self, processor: Any, tile_tokens: int, image_tokens: int | None) -> None:
        self._processor = processor
        self._normalise = Normaliser(processor)
        self.tile = int(processor.max_image_size["longest_edge"])
        self._longest, self._split = (
            int(processor.size["longest_edge"]),
            processor.do_image_splitting,
        )
        if image_tokens is not None and self._split:
            side = math.isqrt(max(0, image_tokens // tile_tokens - 1))
            self._split = side > 0
            self._longest = min(self._longest, max(side, 1) * self.tile)

    def __call__(self, image: U8) -> Picture:
        """[H, W, 3] uint8 RGB."""
        resample, tile = int(self._processor.resample), self.tile
        picture = Image.fromarray(image)
        if self._processor.do_resize:
            picture = resized(picture, *longest(*picture.size, self._longest), resample)
        if not self._split:
            return self._of([resized(picture, tile, tile, resample)], 0, 0)
        picture = resized(picture, *whole_tiles(*picture.size, tile), resample)
        columns, rows = picture.size[0] // tile, picture.size[1] // tile
        if rows == columns == 1:
            return self._of([picture], 0, 0)
        pixels = np.asarray(picture).reshape(rows, tile, columns, tile, 3)
        tiles = pixels.transpose(0, 2, 1, 3, 4).reshape(-1, tile, tile, 3)
        return self._of([*tiles, resized(picture, tile, tile, resample)], rows, columns)

    def _of(self, tiles: list[Any], rows: int, columns: int) -> Picture:
        stacked = np.stack([np.asarray(t) for t in tiles]).transpose(0, 3, 1, 2)
        return Picture(self._normalise(np.ascontiguousarray(stacked)), rows, columns)


def longest(width: int, height: int, side: int) -> tuple[int, int]:
    """Idefics3's first scaling: the longer side becomes `side` px, the other an even number.

    Returns:
        width, height.
    """
    shape = width / height
    if width >= height:
        width, height = side, int(side / shape)
        height += height % 2
    else:
        width, height = int(side * shape), side
        width += width % 2
    return min(max(width, 1), 4096), min(max(height, 1), 4096)


def whole_tiles(width: int, height: int, tile: int) -> tuple[int, int]:
    """Idefics3's second scaling: both sides to multiples of a tile.

    Returns:
        width, height.
    """
    shape = width / height

    def up(value: float) -> int:
        return math.ceil(value / tile) * tile

    if width >= height:
        width = up(width)
        return width, up(int(width / shape))
    height = up(height)
    return up(int(height * shape)), height
