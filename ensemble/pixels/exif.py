"""The EXIF orientation, and nothing else of EXIF (CIPA DC-008; TIFF 6.0 section 2)."""

from __future__ import annotations

import struct
from typing import Final

from physgauge.types import U8

_ORIENTATION: Final = 0x0112
_CODES: Final = {1: "B", 3: "H", 4: "I"}  # TIFF types BYTE, SHORT, LONG


def orientation(exif: bytes | None) -> tuple[int, str | None]:
    """Orientation 1..8 (1 where there is none) and a warning where EXIF is broken."""
    if not exif:
        return 1, None
    try:
        value = _read(exif)
    except (struct.error, ValueError):
        return (
            1,
            "exif: expected a TIFF header and directory, got something else; orientation 1 used",
        )
    if value in (None, 0):  # many tools write 0 for "not known"
        return 1, None
    if 1 <= value <= 8:
        return value, None
    return 1, f"exif: expected orientation 1 to 8, got {value}; orientation 1 used"


def _read(exif: bytes) -> int | None:
    order = {b"II*\x00": "<", b"MM\x00*": ">"}.get(exif[:4])
    if order is None:
        raise ValueError
    (start,) = struct.unpack_from(f"{order}I", exif, 4)
    (entries,) = struct.unpack_from(f"{order}H", exif, start)
    for at in range(start + 2, start + 2 + 12 * entries, 12):
        tag, kind, count = struct.unpack_from(f"{order}HHI", exif, at)
        if tag == _ORIENTATION:
            if kind not in _CODES or count != 1:
                raise ValueError
            (value,) = struct.unpack_from(f"{order}{_CODES[kind]}", exif, at + 8)
            return int(value)
    return None


def upright_size(width: int, height: int, value: int) -> tuple[int, int]:
    """Width and height after orientation."""
    return (height, width) if value >= 5 else (width, height)


def stored_view(upright: U8, value: int) -> U8:
    """The upright image indexed as it was stored: writing pixel [y, x] here puts it where it belongs.

    Args:
        upright: [H, W, 3] the image as it is to be seen.
        value: EXIF orientation 1..8.
    """
    turned = upright.transpose(1, 0, 2) if value >= 5 else upright
    rows = slice(None, None, -1 if value in (3, 4, 6, 7) else 1)
    columns = slice(None, None, -1 if value in (2, 3, 7, 8) else 1)
    return turned[rows, columns]
