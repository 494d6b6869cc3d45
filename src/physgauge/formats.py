"""The format of an encoded image by its first bytes. Nothing heavy: the gateway asks this, too."""

from __future__ import annotations

from typing import Final

from physgauge.errors import ImageError

PNG_MAGIC: Final = b"\x89PNG\r\n\x1a\n"
NPY_MAGIC: Final = b"\x93NUMPY"

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
    if data.startswith(NPY_MAGIC):
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
