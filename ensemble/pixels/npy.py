"""NumPy ``.npy`` files of uint8 [H, W, 3], read without pickle and without evaluating the header.

Format: numpy.lib.format (versions 1, 2 and 3).
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from physgauge.ensemble.pixels.record import Decoded, pixel_sha256
from physgauge.errors import ImageError
from physgauge.types import U8

_MAX_HEADER: Final = 10_000  # what numpy itself accepts without being told to trust the file
_UINT8: Final = frozenset({"|u1", "u1", "<u1", ">u1", "=u1"})
_STRING: Final = r"(?:'[^'\\]*'|\"[^\"\\]*\")"
_PAIR: Final = rf"\s*{_STRING}\s*:\s*(?:{_STRING}|True|False|\([\d\s,L]*\))\s*"
_DICT: Final = re.compile(rf"\s*\{{{_PAIR}(?:,{_PAIR}){{0,9}},?\s*\}}\s*")
_DESCR: Final = re.compile(r"['\"]descr['\"]\s*:\s*['\"]([^'\"\\]*)['\"]")
_ORDER: Final = re.compile(r"['\"]fortran_order['\"]\s*:\s*(True|False)")
_SHAPE: Final = re.compile(r"['\"]shape['\"]\s*:\s*\(([\d\s,L]*)\)")


@dataclass(frozen=True, slots=True)
class NpyHeader:
    """Where the pixels lie in a ``.npy``."""

    height: int
    width: int
    order: Literal["C", "F"]
    offset: int
    """Bytes before the pixels."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.width, self.height


def read(data: bytes) -> NpyHeader:
    """Read the header and check that the data behind it is exactly H*W*3 bytes.

    Raises:
        ImageError: image_truncated, image_corrupt, or image_format for any other type or shape.
    """
    text, offset = _header_text(data)
    if not _DICT.fullmatch(text):
        raise ImageError(
            "image_corrupt",
            "expected a .npy header of descr, fortran_order and shape, got another text",
        )
    found = [pattern.findall(text) for pattern in (_DESCR, _ORDER, _SHAPE)]
    if any(len(values) != 1 for values in found):
        raise ImageError(
            "image_corrupt",
            "expected descr, fortran_order and shape once each in a .npy header, got another number",
        )
    (descr,), (order,), (shape_text,) = found
    numbers = re.findall(r"\d+", shape_text)
    if any(len(number) > 9 for number in numbers):
        raise ImageError(
            "image_corrupt",
            "expected a .npy shape of numbers below 1,000,000,000, got a larger one",
        )
    shape = tuple(int(number) for number in numbers)
    if descr not in _UINT8 or len(shape) != 3 or shape[2] != 3:
        dtype = re.sub(r"[^\w<>|=]", "?", descr[:16])
        raise ImageError(
            "image_format",
            f"expected a .npy of uint8 (H, W, 3), got {dtype} {shape[:6]}",
        )
    height, width, _ = shape
    expected, got = height * width * 3, len(data) - offset
    if got < expected:
        raise ImageError("image_truncated", f"expected {expected:,} bytes of pixels, got {got:,}")
    if got > expected:
        raise ImageError(
            "image_corrupt", f"expected {expected:,} bytes after the .npy header, got {got:,}"
        )
    return NpyHeader(height, width, "F" if order == "True" else "C", offset)


def decode(data: bytes) -> Decoded:
    """The image of a ``.npy``; in C order its pixels are a view of `data`, not a copy.

    There is no foreign decoder in this, so it needs no sandbox.

    Raises:
        ImageError: as :func:`read`.
    """
    header = read(data)
    pixels: U8 = np.ndarray(
        (header.height, header.width, 3),
        dtype=np.uint8,
        buffer=data,
        offset=header.offset,
        order=header.order,
    )
    rgb = np.ascontiguousarray(pixels)
    rgb.flags.writeable = False
    return Decoded(rgb, pixel_sha256(rgb), "npy", (), "physgauge-npy 1")


def _header_text(data: bytes) -> tuple[str, int]:
    """The header's text and the offset of the data behind it."""
    if len(data) < 12:
        raise ImageError("image_truncated", f"expected a .npy header, got {len(data)} bytes")
    version = data[6]
    if version == 1:
        start, (length,) = 10, struct.unpack_from("<H", data, 8)
    elif version in (2, 3):
        start, (length,) = 12, struct.unpack_from("<I", data, 8)
    else:
        raise ImageError("image_corrupt", f"expected .npy version 1, 2 or 3, got {version}")
    if length > _MAX_HEADER:
        raise ImageError(
            "image_corrupt", f"expected a .npy header of at most {_MAX_HEADER} bytes, got {length}"
        )
    if len(data) < start + length:
        raise ImageError(
            "image_truncated",
            f"expected a .npy header of {length} bytes, got {len(data) - start}",
        )
    text = data[start : start + length].decode("latin-1")
    # Runs of blanks (numpy pads with them) would make the patterns above quadratic.
    return re.sub(r"\s+", " ", text), start + length
