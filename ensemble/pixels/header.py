"""Format and size of an encoded image from its first bytes, checked against the limits.

Pure Python over bytes: safe in the parent of the sandbox, and done before any decoder sees the data.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from physgauge.config import DecodeLimits
from physgauge.ensemble.pixels import jpeg, npy, webp
from physgauge.errors import ImageError
from physgauge.formats import sniff

_IHDR_END: Final = 33


@dataclass(frozen=True, slots=True)
class Header:
    """What the first bytes say; width and height in px before EXIF orientation."""

    format: str
    width: int
    height: int

    @property
    def megapixels(self) -> float:
        """Millions of pixels."""
        return self.width * self.height / 1e6


def read_header(data: bytes, limits: DecodeLimits) -> Header:
    """Identify `data` by magic bytes, read its size and check both against `limits`.

    Raises:
        ImageError: image_empty, image_format, image_truncated, image_corrupt, image_too_large,
            image_too_small, image_side, image_aspect or image_too_many_pixels.
    """
    kind = sniff(data)
    allowed = limits.max_npy_bytes if kind == "npy" else limits.max_encoded_bytes
    if len(data) > allowed:
        raise ImageError(
            "image_too_large", f"expected at most {allowed:,} bytes of {kind}, got {len(data):,}"
        )
    if kind == "jpeg":
        width, height = jpeg.size(data)
    elif kind == "png":
        width, height = _png_size(data)
    elif kind == "webp":
        width, height = webp.size(data)
    else:
        width, height = npy.read(data).size
    _check_size(width, height, limits)
    return Header(kind, width, height)


def _png_size(data: bytes) -> tuple[int, int]:
    if len(data) < _IHDR_END:
        raise ImageError(
            "image_truncated", f"expected a PNG header of {_IHDR_END} bytes, got {len(data)}"
        )
    if data[8:16] != b"\x00\x00\x00\x0dIHDR":
        raise ImageError(
            "image_corrupt", "expected IHDR of 13 bytes as the first PNG chunk, got something else"
        )
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _check_size(width: int, height: int, limits: DecodeLimits) -> None:
    got = f"got {width}×{height} px"
    short, long = min(width, height), max(width, height)
    if short < limits.min_side_px:
        raise ImageError(
            "image_too_small", f"expected at least {limits.min_side_px} px a side, {got}"
        )
    if long > limits.max_side_px:
        raise ImageError("image_side", f"expected at most {limits.max_side_px} px a side, {got}")
    if long > limits.max_aspect * short:
        raise ImageError(
            "image_aspect", f"expected sides of at most {limits.max_aspect:g}:1, {got}"
        )
    if width * height > limits.max_pixels:
        raise ImageError(
            "image_too_many_pixels", f"expected at most {limits.max_pixels:,} pixels, {got}"
        )
