"""Bad, odd and hostile files: each gives its typed error or a warning, in words of our own."""

from __future__ import annotations

import re
import struct

import numpy as np
import pytest
from PIL import ImageFile

from physgauge.config import DecodeLimits
from physgauge.ensemble.decode import decode_pixels
from physgauge.errors import ERROR_CODES, ImageError
from tests.decode import build
from tests.decode.build import RGB

PIXELS = build.noise(16, 24)
PNG = build.png(PIXELS, RGB)
JPEG = build.save(PIXELS, "JPEG")
WEBP = build.save(PIXELS, "WEBP", lossless=True)
NPY = build.npy(PIXELS)
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(x) print\n"


def sized_png(width: int, height: int) -> bytes:
    """A PNG that says it has this size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return build.PNG_MAGIC + build.chunk(b"IHDR", header) + PNG[33:]


def sized_jpeg(width: int, height: int) -> bytes:
    """A JPEG that says it has this size."""
    at = JPEG.index(b"\xff\xc0") + 5
    return JPEG[:at] + struct.pack(">HH", height, width) + JPEG[at + 4 :]


def error_of(data: bytes, limits: DecodeLimits | None = None) -> ImageError:
    with pytest.raises(ImageError) as caught:
        decode_pixels(data, limits)
    error = caught.value
    assert error.code in ERROR_CODES
    assert re.match(r"^expected .+, got .+", error.message)
    assert not re.search(r"0x|object at|Traceback|\n", error.message)
    return error


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", "image_empty", "expected an image, got no bytes"),
        (b"hello, I am a photo\n" * 9, "image_format", "by the first bytes, got text"),
        (EPS, "image_format", "got PostScript"),
        (b"\xc5\xd0\xd3\xc6" + bytes(40), "image_format", "got PostScript"),
        (b"  <svg xmlns='x'>", "image_format", "got SVG"),
        (b"GIF89a" + bytes(40), "image_format", "got GIF"),
        (b"\0\0\0\x1cftypavif" + bytes(40), "image_format", "an ISO media file"),
        (b"\x01\x02\x03\x04" * 8, "image_format", "got bytes 01 02 03 04 01 02 03 04"),
        (build.png(build.noise(1, 1), RGB), "image_too_small", "at least 8 px a side, got 1×1 px"),
        (sized_png(60_000, 40), "image_side", "at most 16384 px a side, got 60000×40 px"),
        (sized_jpeg(60_000, 40), "image_side", "got 60000×40 px"),
        (sized_png(16_000, 40), "image_aspect", "at most 200:1, got 16000×40 px"),
        (sized_png(9_000, 9_000), "image_too_many_pixels", "at most 64,000,000 pixels, got 9000×9000"),
        (sized_png(2**31, 2**31), "image_side", "got 2147483648×2147483648 px"),
        (bytes(32 * 2**20 + 1), "image_format", "got bytes 00 00 00 00"),
        (PNG + bytes(32 * 2**20), "image_too_large", "at most 33,554,432 bytes of png, got 33,5"),
        (PNG[:20], "image_truncated", "a PNG header of 33 bytes, got 20"),
        (PNG[:19] + b"\x19" + PNG[20:], "image_corrupt", "a matching checksum of IHDR at 8"),
        (PNG[:50] + b"\xff" + PNG[51:], "image_corrupt", "a matching checksum of IDAT at 33"),
        (PNG[:-12], "image_truncated", "a PNG chunk at"),
        (PNG[:33] + PNG[-12:], "image_corrupt", "a PNG with IDAT, got none"),
        (PNG[:33] + build.chunk(b"XyZW", b"") + PNG[33:], "image_corrupt", "chunks of the standard, got XyZW"),
        (build.PNG_MAGIC + build.chunk(b"CgBI", bytes(4)) + PNG[8:], "image_corrupt", "IHDR of 13 bytes"),
        (sized_png(24, 17), "image_truncated", "PNG data of 24×17 px, got fewer rows"),
        (build.png(PIXELS[..., :1], 3), "image_corrupt", "a palette in a PNG of colour type 3"),
        (JPEG[:3], "image_truncated", "a JPEG scan, got the end of data at 3"),
        (JPEG[:-2], "image_truncated", "a JPEG end marker behind the scans, got none"),
        (JPEG[:-40] + b"\xff\xd9" * 2, "image_corrupt", ""),
        (b"\xff\xd8\xff\xd9", "image_corrupt", "a JPEG scan, got the end marker"),
        (b"\xff\xd8" + b"\xff\xfe\0\2" * 5000, "image_corrupt", "within 4096 markers"),
        (JPEG.replace(b"\xff\xc0\x00\x11\x08", b"\xff\xc0\x00\x11\x0c"), "image_format", "8-bit samples, got 12-bit"),
        (WEBP[:-1], "image_truncated", "bytes of WebP, got"),
        (WEBP[:20], "image_truncated", "bytes of WebP, got 20"),
        (build.riff((b"VP8 ", bytes(40))), "image_corrupt", "a VP8, VP8L or VP8X chunk first"),
        (NPY[:-1], "image_truncated", "expected 1,152 bytes of pixels, got 1,151"),
        (NPY + b"\0", "image_corrupt", "expected 1,152 bytes after the .npy header, got 1,153"),
        (NPY[:40], "image_truncated", "a .npy header of"),
        (build.npy(PIXELS.astype(np.float32)), "image_format", "uint8 (H, W, 3), got <f4 (16, 24, 3)"),
        (build.npy(PIXELS[..., 0]), "image_format", "uint8 (H, W, 3), got |u1 (16, 24)"),
        (build.npy(np.zeros((8, 8, 4), np.uint8)), "image_format", "got |u1 (8, 8, 4)"),
        (build.npy(np.array([{}, {}], dtype=object)), "image_format", "got |O (2,)"),
        (NPY[:6] + b"\x09" + NPY[7:], "image_corrupt", ".npy version 1, 2 or 3, got 9"),
        (NPY.replace(b"'descr'", b"__imp__"), "image_corrupt", "descr, fortran_order and shape"),
    ],
)  # fmt: skip
def test_bad_file(data: bytes, code: str, message: str) -> None:
    if code == "image_corrupt" and message == "":
        # Lost data before the end marker: libjpeg fills it up and says nothing (see the policy's text).
        assert decode_pixels(data).rgb.shape == PIXELS.shape
        return
    error = error_of(data)
    assert error.code == code
    assert message in error.message


def test_limits_are_configurable() -> None:
    assert error_of(PNG, DecodeLimits(max_encoded_bytes=100)).code == "image_too_large"
    assert error_of(NPY, DecodeLimits(max_npy_bytes=100)).code == "image_too_large"
    assert decode_pixels(NPY, DecodeLimits(max_encoded_bytes=100)).format == "npy"
    assert error_of(PNG, DecodeLimits(max_pixels=16 * 24 - 1)).code == "image_too_many_pixels"
    assert error_of(PNG, DecodeLimits(max_side_px=23)).code == "image_side"
    assert error_of(PNG, DecodeLimits(min_side_px=17)).code == "image_too_small"
    assert error_of(PNG, DecodeLimits(max_aspect=1.49)).code == "image_aspect"
    exact = DecodeLimits(
        max_encoded_bytes=len(PNG), max_pixels=384, max_side_px=24, min_side_px=16, max_aspect=1.5
    )
    assert decode_pixels(PNG, exact).width == 24


@pytest.mark.parametrize("data", [PNG, JPEG, WEBP, NPY], ids=["png", "jpeg", "webp", "npy"])
def test_every_beginning_of_a_file_is_an_error(data: bytes) -> None:
    codes = {error_of(data[:end]).code for end in range(len(data))}
    assert codes <= {"image_empty", "image_format", "image_truncated", "image_corrupt"}
    assert "image_truncated" in codes


@pytest.mark.parametrize("data", [PNG, WEBP], ids=["png", "webp"])
def test_bytes_behind_the_image_are_ignored(data: bytes) -> None:
    np.testing.assert_array_equal(decode_pixels(data + b"trailing").rgb, PIXELS)


def test_format_is_the_content_not_the_claim() -> None:
    """EPS bytes never reach Ghostscript, whatever the file is called: there is no name here at all."""
    assert error_of(EPS + PNG).code == "image_format"


def test_text_chunks_cost_nothing() -> None:
    """Pillow refuses a PNG with 1 MiB of text, as image generators write; we never read it."""
    import zlib

    text = build.chunk(b"tEXt", b"workflow\0" + b"x" * 3 * 2**20)
    bomb = build.chunk(b"zTXt", b"bomb\0\0" + zlib.compress(bytes(4 * 2**20)))
    image = decode_pixels(build.png(PIXELS, RGB, extra=text + bomb * 20))
    np.testing.assert_array_equal(image.rgb, PIXELS)
    assert image.warnings == ()


# Where row 0 and column 0 of the stored image lie to the eye (TIFF 6.0, Orientation).
SIDES = {
    1: ("top", "left"), 2: ("top", "right"), 3: ("bottom", "right"), 4: ("bottom", "left"),
    5: ("left", "top"), 6: ("right", "top"), 7: ("right", "bottom"), 8: ("left", "bottom"),
}  # fmt: skip
OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["png", "webp", "jpeg"])
@pytest.mark.parametrize("value", SIDES)
def test_exif_orientation(value: int, kind: str, order: str) -> None:
    corners = np.full((16, 40, 3), 128, dtype=np.uint8)
    marks = {(0, 0): (255, 0, 0), (0, 1): (0, 255, 0), (1, 0): (0, 0, 255), (1, 1): (0, 0, 0)}
    for (bottom, right), colour in marks.items():
        corners[8 * bottom : 8 * bottom + 8, 32 * right : 32 * right + 8] = colour
    block = build.exif(value, order)
    data = {
        "png": lambda: build.png(corners, RGB, extra=build.chunk(b"eXIf", block)),
        "webp": lambda: build.save(corners, "WEBP", lossless=True, exif=block),
        "jpeg": lambda: build.save(
            corners, "JPEG", quality=95, subsampling=0, exif=b"Exif\0\0" + block
        ),
    }[kind]()
    image = decode_pixels(data)
    assert image.warnings == ()
    row0, column0 = SIDES[value]
    upright = row0 in ("top", "bottom")
    assert (image.width, image.height) == ((40, 16) if upright else (16, 40))
    for (bottom, right), colour in marks.items():
        sides = {OPPOSITE[row0] if bottom else row0, OPPOSITE[column0] if right else column0}
        y = 2 if "top" in sides else image.height - 3
        x = 2 if "left" in sides else image.width - 3
        np.testing.assert_allclose(image.rgb[y, x].astype(int), colour, atol=12)


@pytest.mark.parametrize(
    ("block", "warning"),
    [
        (build.exif(0), None),
        (build.exif(9), "exif: expected orientation 1 to 8, got 9; orientation 1 used"),
        (build.exif(6)[:20], "exif: expected a TIFF header and directory, got something else"),
        (b"garbage garbage", "exif: expected a TIFF header"),
        (b"II*\0\xff\xff\xff\xff", "exif: expected a TIFF header"),
    ],
)
def test_broken_exif_is_a_warning(block: bytes, warning: str | None) -> None:
    image = decode_pixels(build.png(PIXELS, RGB, extra=build.chunk(b"eXIf", block)))
    np.testing.assert_array_equal(image.rgb, PIXELS)
    assert len(image.warnings) == (warning is not None)
    assert (warning or "") in "".join(image.warnings)


def test_animated_png_gives_the_default_image() -> None:
    frames = build.save(PIXELS, "PNG")
    control = build.chunk(b"acTL", struct.pack(">II", 7, 0))
    frame = struct.pack(">IIIIIHHBB", 0, 24, 16, 0, 0, 1, 10, 0, 0)
    animated = frames[:33] + control + build.chunk(b"fcTL", frame) + frames[33:]
    image = decode_pixels(animated)
    np.testing.assert_array_equal(image.rgb, PIXELS)
    assert image.warnings == ("animated: 7 frames, the default image is used",)


@pytest.mark.parametrize("alpha", [0, 0x10], ids=["opaque", "alpha"])
def test_animated_webp_gives_the_first_frame_on_white(alpha: int) -> None:
    def frame(pixels: np.ndarray, x: int, y: int) -> tuple[bytes, bytes]:
        height, width = pixels.shape[:2]
        head = b"".join(
            n.to_bytes(3, "little") for n in (x // 2, y // 2, width - 1, height - 1, 100)
        )
        ((kind, body),) = build.webp_chunks(build.save(pixels, "WEBP", lossless=True))
        return b"ANMF", head + b"\x02" + kind + struct.pack("<I", len(body)) + body + bytes(
            len(body) % 2
        )

    canvas = (
        struct.pack("<I", 0x02 | alpha) + (39).to_bytes(3, "little") + (29).to_bytes(3, "little")
    )
    data = build.riff(
        (b"VP8X", canvas),
        (b"ANIM", b"\0\0\xff\xff\0\0"),  # red, opaque background: players ignore it too
        frame(PIXELS, 4, 6),
        frame(255 - PIXELS, 0, 0),
    )
    expected = np.full((30, 40, 3), 255, dtype=np.uint8)
    expected[6:22, 4:28] = PIXELS
    image = decode_pixels(data)
    np.testing.assert_array_equal(image.rgb, expected)
    assert image.warnings == ("animated: 2 frames, the first is used",)


def test_two_frame_headers_are_refused() -> None:
    """A small size first and a huge one behind it would pass the limits and then be decoded."""
    parts = build.segments(JPEG)
    frame = next(part for part in parts if part[0] == 0xC0)
    at = parts.index(frame)
    assert error_of(build.jpeg([*parts[:at], frame, *parts[at:]])).message == (
        "expected one JPEG frame header, got 2"
    )


def test_refuses_to_work_where_damage_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(RuntimeError, match="LOAD_TRUNCATED_IMAGES off, got on"):
        decode_pixels(PNG)
