"""WebP chunks (RFC 9649): size, profile, EXIF, animation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from physgauge.ensemble.pixels.container import Container
from physgauge.errors import ImageError

_FIRST_CHUNK: Final = 12
_NOTES: Final = frozenset({b"ICCP", b"EXIF", b"XMP "})
_ALPHA: Final = 0x10
_VP8X_CLEARED: Final = 0x20 | 0x08 | 0x04  # profile, EXIF and XMP are taken out of the payload


def size(data: bytes) -> tuple[int, int]:
    """Width and height of the canvas, px.

    Raises:
        ImageError: image_truncated or image_corrupt.
    """
    end = _riff_end(data)
    kind, head = data[12:16], data[20:30]
    if end < 30 and not (kind == b"VP8L" and end >= 25):
        raise ImageError("image_truncated", f"expected a WebP header of 30 bytes, got {end}")
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[4:7], "little"), 1 + int.from_bytes(head[7:10], "little")
    if kind == b"VP8 " and head[3:6] == b"\x9d\x01\x2a":
        return int.from_bytes(head[6:8], "little") & 0x3FFF, int.from_bytes(
            head[8:10], "little"
        ) & 0x3FFF
    if kind == b"VP8L" and head[:1] == b"\x2f":
        bits = int.from_bytes(head[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    raise ImageError(
        "image_corrupt", "expected a VP8, VP8L or VP8X chunk first in WebP, got something else"
    )


def read(data: bytes) -> Container:
    """Take a WebP apart.

    Raises:
        ImageError: image_truncated or image_corrupt.
    """
    box = Container(b"")
    pieces: list[bytes] = []
    frames = 0
    for kind, start, end in _chunks(data):
        if kind == b"ICCP" and box.icc is None:
            box.icc = data[start:end]
        elif kind == b"EXIF" and box.exif is None:
            # Some writers keep JPEG's prefix.
            box.exif = data[start:end].removeprefix(b"Exif\0\0")
        frames += kind == b"ANMF"
        if kind not in _NOTES:
            pieces.append(data[start - 8 : end + (end - start) % 2])
    if frames > 1:
        box.warnings.append(f"animated: {frames} frames, the first is used")
    if pieces and pieces[0].startswith(b"VP8X"):
        head = bytearray(pieces[0])
        head[8] &= 0xFF ^ _VP8X_CLEARED
        if frames:
            # A frame may leave canvas uncovered though no frame has alpha: that part is transparent.
            head[8] |= _ALPHA
        pieces[0] = bytes(head)
    body = b"WEBP" + b"".join(pieces)
    box.payload = b"RIFF" + len(body).to_bytes(4, "little") + body
    return box


def _riff_end(data: bytes) -> int:
    """Where the RIFF container ends; bytes behind it are ignored."""
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data):
        raise ImageError("image_truncated", f"expected {end:,} bytes of WebP, got {len(data):,}")
    return end


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Type, start and end of the body of each chunk."""
    at, stop = _FIRST_CHUNK, _riff_end(data)
    while at + 8 <= stop:
        kind, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        start, end = at + 8, at + 8 + length
        if end > stop:
            raise ImageError(
                "image_truncated",
                f"expected {length:,} bytes of WebP chunk at {at}, got {stop - start:,}",
            )
        yield kind, start, end
        at = end + length % 2
