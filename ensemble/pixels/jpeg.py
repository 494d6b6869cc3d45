"""JPEG markers up to the first scan (ITU-T T.81 annex B): size, ICC profile, EXIF, Adobe marker."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from physgauge.ensemble.pixels.container import Container
from physgauge.errors import ImageError

_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE: Final = frozenset({0x01, _SOI, *range(0xD0, 0xD8)})  # markers without a length
# APP0 (JFIF) and APP14 (Adobe) tell the decoder the colour space; no other APPn or comment does.
_KEPT_APPS: Final = frozenset({0xE0, 0xEE})
_MAX_MARKERS: Final = 4096
_FILL: Final = re.compile(rb"\xff+")


class Segment(NamedTuple):
    """One marker with its parameters: data[start:end] starts at 0xFF, the body at `body`."""

    marker: int
    start: int
    body: int
    end: int


def size(data: bytes) -> tuple[int, int]:
    """Width and height of the frame, px.

    Raises:
        ImageError: image_truncated, image_corrupt, or image_format for samples of other than 8 bits.
    """
    for segment in _segments(data):
        if segment.marker in _FRAMES:
            return _frame(data, segment)
    raise ImageError(
        "image_corrupt", "expected a JPEG frame header before the first scan, got none"
    )


def read(data: bytes) -> Container:
    """Take a JPEG apart.

    Raises:
        ImageError: image_truncated (also where the end marker is missing) or image_corrupt.
    """
    box = Container(b"")
    icc: list[bytes] = []
    pieces, kept_to, frames, scan = [], 0, 0, 0
    for segment in _segments(data):
        body = data[segment.body : segment.end]
        if segment.marker in _FRAMES:
            frames += 1
        elif segment.marker == 0xE1 and body.startswith(b"Exif\0\0") and box.exif is None:
            box.exif = body[6:]
        elif segment.marker == 0xE2 and body.startswith(b"ICC_PROFILE\0"):
            icc.append(body[12:])
        elif segment.marker == 0xEE and body.startswith(b"Adobe"):
            box.adobe = True
        if _is_note(segment.marker):
            pieces.append(data[kept_to : segment.start])
            kept_to = segment.end
        scan = segment.end
    if frames != 1:
        raise ImageError("image_corrupt", f"expected one JPEG frame header, got {frames}")
    if data.rfind(b"\xff\xd9", scan) < 0:
        raise ImageError("image_truncated", "expected a JPEG end marker behind the scans, got none")
    box.payload = b"".join([*pieces, data[kept_to:]])
    box.icc = _join_icc(icc, box.warnings)
    return box


def _is_note(marker: int) -> bool:
    """Whether the segment is a comment or application data that makes no pixels."""
    return marker == 0xFE or (0xE0 <= marker <= 0xEF and marker not in _KEPT_APPS)


def _segments(data: bytes) -> Iterator[Segment]:
    """Segments from behind SOI up to and including the first SOS."""
    at = 2
    for _ in range(_MAX_MARKERS):
        start = data.find(b"\xff", at)
        if start < 0:
            break
        fill = _FILL.match(data, start)
        code_at = fill.end() if fill else start + 1
        if code_at >= len(data):
            break
        marker = data[code_at]
        at = code_at + 1
        if marker == 0 or marker in _BARE:
            continue
        if marker == _EOI:
            raise ImageError("image_corrupt", "expected a JPEG scan, got the end marker before any")
        if at + 2 > len(data):
            break
        (length,) = struct.unpack_from(">H", data, at)
        end = at + length
        if length < 2:
            raise ImageError(
                "image_corrupt",
                f"expected a JPEG segment of 2 bytes or more, got {length} at {start}",
            )
        if end > len(data):
            break
        yield Segment(marker, start, at + 2, end)
        if marker == _SOS:
            return
        at = end
    else:
        raise ImageError(
            "image_corrupt", f"expected a JPEG scan within {_MAX_MARKERS} markers, got none"
        )
    raise ImageError("image_truncated", f"expected a JPEG scan, got the end of data at {len(data)}")


def _frame(data: bytes, segment: Segment) -> tuple[int, int]:
    if segment.end - segment.body < 6:
        raise ImageError(
            "image_corrupt", "expected a JPEG frame header of 6 bytes or more, got less"
        )
    precision, height, width, components = struct.unpack_from(">BHHB", data, segment.body)
    if precision != 8:
        raise ImageError("image_format", f"expected a JPEG of 8-bit samples, got {precision}-bit")
    if components not in (1, 3, 4):
        raise ImageError(
            "image_format", f"expected a JPEG of 1, 3 or 4 components, got {components}"
        )
    return width, height


def _join_icc(parts: list[bytes], warnings: list[str]) -> bytes | None:
    """Put the profile's numbered parts together (ICC.1 annex B.4); None where parts are missing."""
    if not parts:
        return None
    numbered = {part[0]: part for part in parts if len(part) > 2}
    total = max((part[1] for part in numbered.values()), default=0)
    if len(numbered) != len(parts) or sorted(numbered) != list(range(1, total + 1)):
        warnings.append(
            f"icc: expected profile parts 1 to {total}, got {sorted(numbered)[:8]}; sRGB assumed"
        )
        return None
    return b"".join(numbered[number][2:] for number in sorted(numbered))
