"""PNG chunks (W3C PNG, third edition): what makes pixels, the profile, EXIF, transparency."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from physgauge.ensemble.pixels.container import MAX_ICC_BYTES, Container
from physgauge.errors import ImageError

_SIGNATURE_BYTES: Final = 8
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_SAMPLES: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_ADAM7: Final = (
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
)  # fmt: skip
"""First column, first row and steps of each pass."""
_FEED_BYTES, _MOST_BYTES = 65_536, 2**20  # of one step, packed and inflated
_PIXEL_CHUNKS: Final = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS"})
_NOTE_CHUNKS: Final = frozenset({b"iCCP", b"eXIf", b"acTL"})
_KEPT: Final = frozenset({b"IHDR", b"IDAT", b"IEND"})


def read(data: bytes) -> Container:
    """Take a PNG apart: only IHDR, IDAT and IEND reach the decoder, so text chunks cost nothing.

    Checksums of the chunks used are verified here (Pillow skips those of IDAT).

    Raises:
        ImageError: image_truncated (also where IEND is missing) or image_corrupt.
    """
    box = Container(b"")
    pieces = [data[:_SIGNATURE_BYTES]]
    at, kind = _SIGNATURE_BYTES, b""
    while kind != b"IEND":
        kind, body, end = _chunk(data, at)
        if kind in _PIXEL_CHUNKS or not kind[0] & 0x20:
            _pixel_chunk(box, kind, body, first=at == _SIGNATURE_BYTES)
            if zlib.crc32(memoryview(data)[at + 4 : end - 4]) != int.from_bytes(
                data[end - 4 : end], "big"
            ):
                raise ImageError(
                    "image_corrupt",
                    f"expected a matching checksum of {_name(kind)} at {at}, got another",
                )
        elif kind in _NOTE_CHUNKS:
            _note_chunk(box, kind, body)
        if kind in _KEPT:
            pieces.append(data[at:end])
        at = end
    if len(pieces) < 4:
        raise ImageError("image_corrupt", "expected a PNG with IDAT, got none")
    if box.colour == 3 and not box.palette:
        raise ImageError("image_corrupt", "expected a palette in a PNG of colour type 3, got none")
    box.payload = b"".join(pieces)
    return box


def is_complete(box: Container, width: int, height: int) -> bool:
    """Whether IDAT inflates to all rows of all passes; takes about as long as decoding.

    Args:
        box: what :func:`read` made.
        width, height: px.
    """
    bits = box.depth * _SAMPLES[box.colour]
    missing = 0
    for x, y, dx, dy in _ADAM7 if box.interlaced else ((0, 0, 1, 1),):
        columns, rows = -(-(width - x) // dx), -(-(height - y) // dy)
        if columns > 0 and rows > 0:
            missing += rows * (1 + -(-columns * bits // 8))
    try:
        return missing <= _inflated_bytes(box.payload, missing)
    except zlib.error:
        return False


def _inflated_bytes(payload: bytes, enough: int) -> int:
    """How much the IDAT chunks inflate to, counted up to about `enough`, in little memory."""
    stream = zlib.decompressobj()
    got, at, kind = 0, _SIGNATURE_BYTES, b""
    while kind != b"IEND":
        kind, body, at = _chunk(payload, at)
        for start in range(0, len(body) if kind == b"IDAT" else 0, _FEED_BYTES):
            feed: bytes | memoryview = body[start : start + _FEED_BYTES]
            while feed and not stream.eof:
                got += len(stream.decompress(feed, _MOST_BYTES))
                if got >= enough:
                    return got
                feed = stream.unconsumed_tail
    return got + len(stream.flush())


def _chunk(data: bytes, at: int) -> tuple[bytes, memoryview, int]:
    """Type, body and end of the chunk at `at`."""
    if at + 12 > len(data):
        raise ImageError("image_truncated", f"expected a PNG chunk at {at}, got the end of data")
    length = int.from_bytes(data[at : at + 4], "big")
    kind, end = data[at + 4 : at + 8], at + 12 + length
    if not kind.isalpha():
        raise ImageError(
            "image_corrupt", f"expected a PNG chunk type at {at + 4}, got {kind.hex(' ')}"
        )
    if end > len(data):
        raise ImageError(
            "image_truncated",
            f"expected {length:,} bytes of {_name(kind)} at {at}, got {len(data) - at - 8:,}",
        )
    return kind, memoryview(data)[at + 8 : end - 4], end


def _pixel_chunk(box: Container, kind: bytes, body: memoryview, first: bool) -> None:
    if (kind == b"IHDR") != first:
        got = "it again" if kind == b"IHDR" else _name(kind)
        raise ImageError("image_corrupt", f"expected IHDR once, as the first PNG chunk, got {got}")
    if kind == b"IHDR":
        depth, colour, packing, filtering, interlace = struct.unpack_from(">5B", body, 8)
        if depth not in _DEPTHS.get(colour, ()) or packing or filtering or interlace > 1:
            raise ImageError(
                "image_corrupt",
                f"expected a PNG header that the standard allows, got depth {depth}, "
                f"colour type {colour}, compression {packing}, filter {filtering}, "
                f"interlace {interlace}",
            )
        box.depth, box.colour, box.interlaced = depth, colour, bool(interlace)
    elif kind == b"PLTE":
        if not body or len(body) % 3 or len(body) > 768 or box.palette:
            raise ImageError(
                "image_corrupt", f"expected one palette of 1 to 256 entries, got {len(body)} bytes"
            )
        box.palette = bytes(body)
    elif kind == b"tRNS":
        _transparency(box, body)
    elif kind not in _PIXEL_CHUNKS:
        raise ImageError(
            "image_corrupt", f"expected critical PNG chunks of the standard, got {_name(kind)}"
        )


def _transparency(box: Container, body: memoryview) -> None:
    if box.colour in (4, 6):  # these have alpha already; libpng ignores it too
        return
    fits = 1 <= len(body) <= 256 if box.colour == 3 else len(body) == {0: 2, 2: 6}[box.colour]
    if not fits or box.transparency is not None:
        raise ImageError(
            "image_corrupt",
            f"expected one tRNS that fits colour type {box.colour}, got {len(body)} bytes",
        )
    box.transparency = bytes(body)


def _note_chunk(box: Container, kind: bytes, body: memoryview) -> None:
    if kind == b"eXIf":
        box.exif = bytes(body[:65536])  # the tag wanted lies in the first directory
    elif kind == b"iCCP":
        box.icc = _inflate_profile(bytes(body), box.warnings)
    elif len(body) >= 8:
        frames = int.from_bytes(body[:4], "big")
        if frames > 1:
            box.warnings.append(f"animated: {frames} frames, the default image is used")


def _inflate_profile(body: bytes, warnings: list[str]) -> bytes | None:
    """The profile of an iCCP chunk: name, NUL, method 0, zlib stream (bounded: it may be a bomb)."""
    name, _, packed = body.partition(b"\0")
    try:
        if not 1 <= len(name) <= 79 or packed[:1] != b"\0":
            raise zlib.error
        stream = zlib.decompressobj()
        profile = stream.decompress(packed[1:], MAX_ICC_BYTES + 1)
        if not stream.eof or len(profile) > MAX_ICC_BYTES:
            raise zlib.error
    except zlib.error:
        warnings.append(
            f"icc: expected a zlib-packed profile of at most {MAX_ICC_BYTES:,} bytes, "
            "got something else; sRGB assumed"
        )
        return None
    return profile


def _name(kind: bytes) -> str:
    return kind.decode("ascii")
