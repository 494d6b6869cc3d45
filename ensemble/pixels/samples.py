"""Pillow, and only Pillow: a format's payload to strips of 8-bit samples and alpha.

Whole-image arrays are avoided: Pillow holds the decoded image once, everything behind it works on strips.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, JpegImagePlugin, PngImagePlugin, WebPImagePlugin, features
from PIL import __version__ as pillow_version

from physgauge.ensemble.pixels import png
from physgauge.ensemble.pixels.container import Container
from physgauge.ensemble.pixels.header import Header
from physgauge.errors import ImageError
from physgauge.types import U8

Strip = tuple[U8, U8 | None]
"""Samples [h, W, C] (C = 1 gray, 3 RGB, 4 CMYK with 0 = no ink) and alpha [h, W, 1] (255 = opaque)."""
Reader = Callable[[int, int], Strip]
"""Rows y0 to y1 of the stored image."""

# Only these classes ever see the data; Image.open, with its other formats, is never called.
_PLUGINS: Final[dict[str, type[ImageFile.ImageFile]]] = {
    "jpeg": JpegImagePlugin.JpegImageFile,
    "png": PngImagePlugin.PngImageFile,
    "webp": WebPImagePlugin.WebPImageFile,
}


@lru_cache(maxsize=1)
def library_versions() -> str:
    """Pillow and the libraries it decodes with."""
    turbo = features.version_feature("libjpeg_turbo")
    # Pillow 11.0 does not know the question.
    ng = features.version_feature("zlib_ng") if "zlib_ng" in features.features else None
    jpeg = f"libjpeg-turbo {turbo}" if turbo else f"libjpeg {features.version_codec('jpg')}"
    return ", ".join((
        f"pillow {pillow_version}",
        jpeg,
        f"zlib-ng {ng}" if ng else f"zlib {features.version_codec('zlib')}",
        f"libwebp {features.version_module('webp')}",
        f"littlecms {features.version_module('littlecms2')}",
    ))  # fmt: skip


def jpeg_reader(header: Header, box: Container) -> tuple[int, Reader]:
    """Channels and reader of a JPEG.

    Raises:
        ImageError: image_truncated, image_corrupt or decode_crashed (out of memory).
    """
    image = _load(header, box.payload)
    if image.mode != "CMYK":
        return len(image.getbands()), lambda y0, y1: (_rows(image, y0, y1), None)
    # Pillow inverts every CMYK JPEG; that is right for Adobe's only.
    flip = np.uint8(0 if box.adobe else 255)
    return 4, lambda y0, y1: (_rows(image, y0, y1) ^ flip, None)


def webp_reader(header: Header, box: Container) -> tuple[int, Reader]:
    """Channels and reader of a WebP's first frame; raises as :func:`jpeg_reader`."""
    return _with_alpha(_load(header, box.payload))


def png_reader(header: Header, box: Container) -> tuple[int, Reader]:
    """Channels and reader of a PNG that has no palette; raises as :func:`jpeg_reader`."""
    if box.depth == 16:
        channels, read = _wide(header, box)
    else:
        image = _load_png(header, box)
        # Mode "1" comes as booleans.
        channels, read = _with_alpha(image.convert("L") if image.mode == "1" else image)
    if box.transparency is None:
        return channels, _narrowed(read) if box.depth == 16 else read
    key = _transparent_colour(box)

    def keyed(y0: int, y1: int) -> Strip:
        samples, _ = read(y0, y1)
        clear = (samples == key).all(axis=2, keepdims=True)
        return samples, np.where(clear, 0, np.iinfo(samples.dtype).max).astype(samples.dtype)

    return channels, _narrowed(keyed) if box.depth == 16 else keyed


def palette_indices(header: Header, box: Container) -> Callable[[int, int], U8]:
    """Reader of palette indices [h, W] of a PNG; raises as :func:`jpeg_reader`."""
    image = _load_png(header, box)
    return lambda y0, y1: _rows(image, y0, y1)[..., 0]


def _load(header: Header, payload: bytes, rawmode: str | None = None) -> Image.Image:
    """Decode with Pillow; `rawmode` says which byte of wide samples it keeps."""
    if ImageFile.LOAD_TRUNCATED_IMAGES:
        raise RuntimeError(
            "expected PIL.ImageFile.LOAD_TRUNCATED_IMAGES off, got on: it hides damage"
        )
    expected = f"expected {header.format.upper()} data of {header.width}×{header.height} px"
    try:
        image = _PLUGINS[header.format](io.BytesIO(payload))
        if image.size == (header.width, header.height):
            if rawmode:
                image.tile = [tile._replace(args=rawmode) for tile in image.tile]
            image.load()
            return image
        code, got = "image_corrupt", "another size inside"
    except MemoryError:
        code, got = "decode_crashed", "no memory left under the worker's limit"
    except Exception as error:
        # Any type: Pillow's readers raise whatever hostile bytes lead them to. The text may hold a heap
        # address, so it is looked at and never passed on.
        truncated = "truncated" in str(error).lower()
        code, got = ("image_truncated", "less") if truncated else ("image_corrupt", "damaged data")
    raise ImageError(code, f"{expected}, got {got}")


def _load_png(header: Header, box: Container, rawmode: str | None = None) -> Image.Image:
    """Decode a PNG and see that no rows are missing: Pillow leaves those it gets no data for at zero."""
    image = _load(header, box.payload, rawmode)
    suspect = box.interlaced or not _rows(image, header.height - 1, header.height).any()
    if suspect and not png.is_complete(box, header.width, header.height):
        raise ImageError(
            "image_truncated",
            f"expected PNG data of {header.width}×{header.height} px, got fewer rows",
        )
    return image


def _rows(image: Image.Image, y0: int, y1: int) -> NDArray[Any]:
    """Rows of a Pillow image, [h, W, C]."""
    strip = np.asarray(image.crop((0, y0, image.width, y1)))
    return strip[..., None] if strip.ndim == 2 else strip


def _with_alpha(image: Image.Image) -> tuple[int, Reader]:
    """Channels and reader of an 8-bit image whose last band may be alpha."""
    bands = len(image.getbands())
    if bands in (1, 3):
        return bands, lambda y0, y1: (_rows(image, y0, y1), None)

    def split(y0: int, y1: int) -> Strip:
        both = _rows(image, y0, y1)
        return both[..., :-1], both[..., -1:]

    return bands - 1, split


def _wide(header: Header, box: Container) -> tuple[int, Callable[[int, int], Any]]:
    """Channels and reader of a 16-bit PNG: uint16 samples and alpha.

    Pillow keeps 16 bits for gray only and cuts the others to the high byte. So two passes fetch the high
    and the low bytes; gray with alpha, for which Pillow has no low-byte pass, is read as RGBA of 8 bits,
    whose pixels are the same four bytes with the same filters.
    """
    if box.colour == 0:
        gray = _load_png(header, box)
        return 1, lambda y0, y1: (_rows(gray, y0, y1), None)
    if box.colour == 4:
        bytes4 = _load_png(header, replace(box, payload=_as_rgba8(box.payload)))

        def gray_alpha(y0: int, y1: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
            four = _rows(bytes4, y0, y1).astype(np.uint16)
            both = (four[..., 0::2] << 8 | four[..., 1::2]).astype(np.uint16)
            return both[..., :1], both[..., 1:]

        return 1, gray_alpha
    mode = "RGB" if box.colour == 2 else "RGBA"
    high = _load_png(header, box, f"{mode};16B")
    low = _load(header, box.payload, f"{mode};16L")

    def colour(y0: int, y1: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16] | None]:
        tops = _rows(high, y0, y1).astype(np.uint16) << 8
        full = (tops | _rows(low, y0, y1)).astype(np.uint16)
        return full[..., :3], full[..., 3:] if mode == "RGBA" else None

    return 3, colour


def _narrowed(read: Callable[[int, int], Any]) -> Reader:
    """16-bit samples and alpha scaled to 8: round(v / 257), which has no ties."""

    def narrow(wide: NDArray[np.uint16] | None) -> Any:
        return None if wide is None else ((wide.astype(np.uint32) + 128) // 257).astype(np.uint8)

    def narrowed(y0: int, y1: int) -> Strip:
        samples, alpha = read(y0, y1)
        return narrow(samples), narrow(alpha)

    return narrowed


def _as_rgba8(payload: bytes) -> bytes:
    """The PNG with bit depth 8 and colour type 6 in its header."""
    fields = payload[12:24] + b"\x08\x06" + payload[26:29]
    return payload[:12] + fields + struct.pack(">I", zlib.crc32(fields)) + payload[33:]


def _transparent_colour(box: Container) -> NDArray[np.uint16]:
    """tRNS of a gray or RGB PNG on the scale of the samples read."""
    key = np.frombuffer(box.transparency or b"", dtype=">u2").astype(np.uint16)
    top = (1 << box.depth) - 1
    # Only the low bits count (PNG 11.3.1.1); Pillow spreads 1, 2 and 4 bits over 0..255.
    return key if box.depth == 16 else ((key & top) * (255 // top)).astype(np.uint16)
