"""The decoded image, and the hash that names its pixels."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from physgauge.types import U8

FORMATS: Final = ("jpeg", "png", "webp", "npy")


@dataclass(frozen=True, slots=True)
class Decoded:
    """One decoded image: the pixels every model sees."""

    rgb: U8
    """[H, W, 3] sRGB 0..255, C-contiguous, read-only; EXIF orientation applied.

    From the sandbox it may lie in memory shared with the decode worker: it stays valid as long as any
    array over it lives, but not in a child forked later (copy it first)."""
    sha256: str
    """Hex digest of the shape and the pixels; see :func:`pixel_sha256`."""
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


def pixel_sha256(rgb: U8) -> str:
    """SHA-256 over the ASCII bytes ``uint8[H,W,3]`` + newline, then the H*W*3 pixel bytes, row by row.

    Args:
        rgb: uint8 [H, W, 3], C-contiguous. The shape is part of the hash: 2x8 and 8x2 images of the same
            bytes differ.
    """
    digest = hashlib.sha256(f"uint8[{rgb.shape[0]},{rgb.shape[1]},3]\n".encode("ascii"))
    digest.update(rgb.data)
    return digest.hexdigest()
