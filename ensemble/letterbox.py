"""Fit an image into the detector's square input, and boxes back into the image.

Bilinear with antialiasing (Pillow; the plain mean for whole factors), an even number of pixels per side
and the padding split evenly, so that the mirror image of an input is the input of the mirror image, byte
for byte. An image that already has the square's size is passed through unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physgauge.types import F32, U8

GREY = 114
"""Value of all three channels of the padding."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an image of `width` x `height` px lies in the square."""

    width: int
    height: int
    x: int
    """First column of the image in the square."""
    y: int
    inner_width: int
    """Columns that the image fills."""
    inner_height: int


def place(width: int, height: int, size: int) -> Placement:
    """Placement of a `width` x `height` px image in a square of `size` px (an even number)."""
    scale = min(size / width, size / height)
    inner_width = min(size, max(2, 2 * round(width * scale / 2)))
    inner_height = min(size, max(2, 2 * round(height * scale / 2)))
    return Placement(
        width,
        height,
        (size - inner_width) // 2,
        (size - inner_height) // 2,
        inner_width,
        inner_height,
    )


def letterbox(image: U8, size: int, out: U8 | None = None) -> tuple[U8, Placement]:
    """Draw an image [H, W, 3] uint8 RGB into a grey square [size, size, 3].

    Args:
        image: any sides of at least 1 px.
        size: side of the square, px, even.
        out: where to write; a new array by default.
    """
    height, width = image.shape[:2]
    square: U8 = np.empty((size, size, 3), np.uint8) if out is None else out
    p = place(width, height, size)
    if (p.inner_width, p.inner_height) != (size, size):
        square.fill(GREY)
    if (p.inner_width, p.inner_height) == (width, height):
        inner: NDArray[np.uint8] = image
    else:
        inner = _resized(image, p)
    square[p.y : p.y + p.inner_height, p.x : p.x + p.inner_width] = inner
    return square, p


def _resized(image: U8, p: Placement) -> NDArray[np.uint8]:
    """Whole factors average their px, so that a picture enlarged by repeating px gives itself again."""
    from PIL import Image

    drawn = Image.fromarray(np.ascontiguousarray(image))
    if p.width % p.inner_width == 0 and p.height % p.inner_height == 0:
        return np.asarray(drawn.reduce((p.width // p.inner_width, p.height // p.inner_height)))
    return np.asarray(drawn.resize((p.inner_width, p.inner_height), Image.Resampling.BILINEAR))


def to_image(xyxy: F32, p: Placement) -> F32:
    """Boxes [N, 4] in px of the square to px of the image, clipped to it (they may become empty)."""
    scale = np.array([p.width / p.inner_width, p.height / p.inner_height] * 2)
    start = np.array([p.x, p.y] * 2)
    limit = np.array([p.width, p.height] * 2)
    moved = (xyxy.astype(np.float64) - start) * scale
    clipped: F32 = np.clip(moved, 0.0, limit).astype(np.float32)
    return clipped


def to_square(xyxy: F32, p: Placement) -> F32:
    """Boxes [N, 4] in px of the image to px of the square."""
    scale = np.array([p.inner_width / p.width, p.inner_height / p.height] * 2)
    start = np.array([p.x, p.y] * 2)
    moved: F32 = (xyxy.astype(np.float64) * scale + start).astype(np.float32)
    return moved
