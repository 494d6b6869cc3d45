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

PNG_MAGIC: Final = b"\x89PNG\r\n\x1a\n"
_IHDR_END: Final = 33

# Only to say what was sent instead; none of these is ever opened.
_OTHER_KINDS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"%!PS", "PostScript"),
    (b"\xc5\xd0\xd3\xc6", "PostScript"),
    (b"%PDF", "PDF"),
    (b"GIF8", "GIF"),
    (b"BM", "BMP"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"<svg", "SVG"),
    (b"<?xml", "XML"),
    (b"<!DOCTYPE", "HTML"),
    (b"<html", "HTML"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"8BPS", "PSD"),
    (b"\x00\x00\x01\x00", "ICO"),
    (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
    (b"\xff\x0a", "JPEG XL"),
    (b"\x00\x00\x00\x0cJXL ", "JPEG XL"),
)


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


def sniff(data: bytes) -> str:
    """The format by magic bytes: "jpeg", "png", "webp" or "npy".

    Raises:
        ImageError: image_empty or image_format; the message names the kind it looks like instead.
    """
    if not data:
        raise ImageError("image_empty", "expected an image, got no bytes")
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith(PNG_MAGIC):
        return "png"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "webp"
    if data.startswith(npy.MAGIC):
        return "npy"
    raise ImageError(
        "image_format",
        f"expected JPEG, PNG, WebP or .npy by the first bytes, got {_describe(data)}",
    )


def _describe(data: bytes) -> str:
    head = data[:64].lstrip()
    for magic, name in _OTHER_KINDS:
        if head.startswith(magic) or data.startswith(magic):
            return name
    if data[4:8] == b"ftyp":
        return "an ISO media file (AVIF, HEIC or video)"
    if all(32 <= byte < 127 or byte in b"\t\n\r" for byte in data[:64]):
        return "text"
    return f"bytes {data[:8].hex(' ')}"


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
