"""Encoded bytes to the one RGB array that every model sees: the pixel policy, step by step.

1. Format by magic bytes; size, checked against the limits, from the header (`header.py`).
2. The container is taken apart (`jpeg.py`, `png.py`, `webp.py`); the decoder gets pixels only.
3. Samples of 16 bits are scaled to 8 by round(v / 257); CMYK is brought to 0 = no ink (`samples.py`).
4. An embedded ICC profile is converted to sRGB (`colour.py`); PNG's gAMA, cHRM and cICP are ignored.
5. Alpha, palette transparency and transparent colours are composited on white, in sRGB.
6. EXIF orientation is applied (`exif.py`); gray becomes three equal channels.

Animations give their first frame. Truncated or corrupt data is an error, as far as the decoder can tell:
damage inside a JPEG's entropy-coded data has no checksum and may pass as odd pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from physgauge.config import DecodeLimits
from physgauge.ensemble.pixels import exif, jpeg, npy, png, samples, webp
from physgauge.ensemble.pixels.colour import to_srgb
from physgauge.ensemble.pixels.container import Container
from physgauge.ensemble.pixels.header import Header, read_header
from physgauge.ensemble.pixels.record import Decoded, PixelHash
from physgauge.types import U8

POLICY_VERSION: Final = 1
"""Counts up whenever the same file would give other pixels."""

Allocate = Callable[[int, int], U8]
"""Height and width to a writable C-contiguous uint8 [H, W, 3]."""

_STRIP_PIXELS: Final = 65_536  # a strip's temporaries stay in the core's cache
_TURNED_ROWS: Final = 64  # a strip that becomes columns: runs of pixels that are worth writing
_CONTAINERS: Final = {"jpeg": jpeg.read, "png": png.read, "webp": webp.read}
_READERS: Final = {
    "jpeg": samples.jpeg_reader,
    "png": samples.png_reader,
    "webp": samples.webp_reader,
}


def decode_pixels(
    data: bytes, limits: DecodeLimits | None = None, allocate: Allocate | None = None
) -> Decoded:
    """Decode one image in this process. It cannot be interrupted: strangers' files go to the sandbox.

    Args:
        data: the encoded image.
        limits: sizes accepted; None for the defaults.
        allocate: makes the array to write to; None for a fresh one. Not asked for ``.npy``.

    Raises:
        ImageError: with the code that says what is wrong.
    """
    header = read_header(data, limits or DecodeLimits())
    if header.format == "npy":
        return npy.decode(data)
    box = _CONTAINERS[header.format](data)
    turn, broken = exif.orientation(box.exif)
    if broken:
        box.warnings.append(broken)
    read = _reader(header, box)
    width, height = exif.upright_size(header.width, header.height, turn)
    rgb = (allocate or _fresh)(height, width)
    digest = PixelHash(height, width)
    if turn == 1:
        for y, stop in _strips(header, 1):
            rgb[y:stop] = read(y, stop)
            digest.update(rgb[y:stop])  # while the strip is in the cache
    else:
        # Whole pixels move as items of 3 bytes: numpy copies those twice as fast as its 3-element rows.
        stored = exif.stored_view(rgb, turn).view("V3")[..., 0]
        for y, stop in _strips(header, _TURNED_ROWS):
            strip = np.broadcast_to(read(y, stop), (stop - y, header.width, 3))
            stored[y:stop] = np.ascontiguousarray(strip).view("V3")[..., 0]
        digest.update(rgb)
    rgb.flags.writeable = False
    return Decoded(rgb, digest.hex(), header.format, tuple(box.warnings), decoder_version())


def decoder_version() -> str:
    """This policy's version and the libraries that make the pixels, with theirs."""
    return f"physgauge-pixels {POLICY_VERSION}, {samples.library_versions()}"


def _strips(header: Header, least_rows: int) -> Iterator[tuple[int, int]]:
    """First row and end of each strip of the stored image."""
    rows = max(least_rows, _STRIP_PIXELS // header.width)
    for y in range(0, header.height, rows):
        yield y, min(y + rows, header.height)


def _fresh(height: int, width: int) -> U8:
    return np.empty((height, width, 3), dtype=np.uint8)


def _reader(header: Header, box: Container) -> Callable[[int, int], U8]:
    """Reader of the stored image's rows y0 to y1 on white: sRGB [h, W, 3] or gray [h, W, 1]."""
    if box.colour == 3:
        return _palette_reader(header, box)
    channels, read = _READERS[header.format](header, box)
    convert = to_srgb(channels, box.icc, box.warnings)

    def finished(y0: int, y1: int) -> U8:
        raw, alpha = read(y0, y1)
        return _on_white(convert(raw), alpha)

    return finished


def _palette_reader(header: Header, box: Container) -> Callable[[int, int], U8]:
    """Colour and transparency are worked out once per palette entry; entries beyond it are black."""
    entries = np.zeros((1, 256, 3), dtype=np.uint8)
    entries[0, : len(box.palette) // 3] = np.frombuffer(box.palette, dtype=np.uint8).reshape(-1, 3)
    alpha = np.full((1, 256, 1), 255, dtype=np.uint8)
    clear = box.transparency or b""
    alpha[0, : len(clear), 0] = np.frombuffer(clear, dtype=np.uint8)
    table = _on_white(to_srgb(3, box.icc, box.warnings)(entries), alpha)[0]
    indices = samples.palette_indices(header, box)
    return lambda y0, y1: table[indices(y0, y1)]


def _on_white(rgb: U8, alpha: U8 | None) -> U8:
    """(c a + 255 (255 - a)) / 255, rounded: the layer over white."""
    if alpha is None:
        return rgb
    cover = alpha.astype(np.uint16)
    mixed = rgb.astype(np.uint16)
    mixed *= cover
    mixed += 255 * (255 - cover)
    mixed += 127  # 65,152 at most: no overflow; 255 is odd, so there are no ties
    mixed //= 255
    return mixed.astype(np.uint8)
