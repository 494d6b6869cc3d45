"""The decoded image, and the hash that names its pixels."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import numpy as np

from physgauge.types import U8

FORMATS: Final = ("jpeg", "png", "webp", "npy")


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """One decoded image: the pixels every model sees."""

    rgb: U8
    """[H, W, 3] sRGB 0..255, C-contiguous, read-only; EXIF orientation applied."""
    sha256: str
    """Hex digest of the shape and the pixels; see :class:`PixelHash`."""
    format: str
    """One of FORMATS, from the magic bytes."""
    warnings: tuple[str, ...]
    """What was odd yet harmless, each as ``slug: sentence`` (slugs: animated, icc, exif)."""
    decoder: str
    """The libraries and their versions that made the pixels."""

    @property
    def width(self) -> int:
        """Pixels in a row, after orientation."""
        return int(self.rgb.shape[1])

    @property
    def height(self) -> int:
        """Rows, after orientation."""
        return int(self.rgb.shape[0])


class PixelHash:
    """SHA-256 over the ASCII bytes ``uint8[H,W,3]`` + newline, then the H*W*3 pixel bytes, row by row.

    The shape is part of it: images of 8x16 and 16x8 px made of the same bytes differ.
    """

    def __init__(self, height: int, width: int) -> None:
        self._digest = hashlib.sha256(f"uint8[{height},{width},3]\n".encode("ascii"))

    def update(self, rows: U8) -> None:
        """Take in the next rows: uint8 [h, W, 3], C-contiguous."""
        self._digest.update(rows.data)

    def hex(self) -> str:
        """The digest, 64 hex digits."""
        return self._digest.hexdigest()


def pixel_sha256(rgb: U8) -> str:
    """The :class:`PixelHash` of a whole image, uint8 [H, W, 3]."""
    digest = PixelHash(rgb.shape[0], rgb.shape[1])
    digest.update(np.ascontiguousarray(rgb))
    return digest.hex()
