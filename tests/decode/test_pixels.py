"""The pixel policy: expected pixels are worked out here, with numpy or by hand."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray

from physgauge.ensemble.decode import decode_pixels, pixel_sha256
from tests.decode import build
from tests.decode.build import GRAY, GRAY_ALPHA, PALETTE, RGB, RGBA


def over_white(colour: NDArray[np.uint8], alpha: NDArray[np.uint8]) -> NDArray[np.uint8]:
    cover = alpha.astype(np.float64) / 255
    mixed = np.rint(colour * cover + 255 * (1 - cover))
    return np.asarray(mixed, dtype=np.uint8)


def narrow(wide: NDArray[np.uint16]) -> NDArray[np.uint8]:
    return np.asarray(np.rint(wide.astype(np.float64) * 255 / 65535), dtype=np.uint8)


def same(data: bytes, expected: NDArray[np.uint8]) -> None:
    image = decode_pixels(data)
    assert image.warnings == ()
    np.testing.assert_array_equal(image.rgb, np.broadcast_to(expected, image.rgb.shape))
    assert image.rgb.shape[:2] == expected.shape[:2]


def test_record() -> None:
    pixels = build.noise(9, 17)
    image = decode_pixels(build.png(pixels, RGB))
    assert (image.width, image.height, image.format, image.warnings) == (17, 9, "png", ())
    assert image.rgb.dtype == np.uint8
    assert image.rgb.flags.c_contiguous
    assert not image.rgb.flags.writeable
    assert image.sha256 == hashlib.sha256(b"uint8[9,17,3]\n" + pixels.tobytes()).hexdigest()
    assert image.sha256 == pixel_sha256(image.rgb)
    assert "pillow" in image.decoder


def test_hash_knows_the_shape() -> None:
    pixels = build.noise(8, 16)
    wide = decode_pixels(build.png(pixels, RGB))
    tall = decode_pixels(build.png(pixels.reshape(16, 8, 3), RGB))
    assert wide.rgb.tobytes() == tall.rgb.tobytes()
    assert wide.sha256 != tall.sha256


def test_lossless_formats_agree() -> None:
    pixels = build.noise(33, 70)
    files = {
        "png": build.save(pixels, "PNG"),
        "webp": build.save(pixels, "WEBP", lossless=True),
        "npy": build.npy(pixels),
    }
    for kind, data in files.items():
        image = decode_pixels(data)
        assert image.format == kind
        np.testing.assert_array_equal(image.rgb, pixels)


def test_strips_meet() -> None:
    pixels = build.noise(400, 701)  # more than one strip, the last one shorter
    same(build.png(pixels, RGB), pixels)


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_lossy_formats_keep_flat_colours(kind: str) -> None:
    colours = [(255, 255, 255), (0, 0, 0), (200, 30, 40), (20, 90, 220)]
    image = decode_pixels(build.save(build.blocks(colours), kind, quality=95))
    np.testing.assert_allclose(image.rgb[16, 16::32].astype(int), colours, atol=4)


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_gray_of_few_bits_is_spread(depth: int) -> None:
    top = 2**depth - 1
    samples = build.noise(9, 13, 1, top)
    same(build.png(samples, GRAY, depth), (samples.astype(int) * 255 // top).astype(np.uint8))


@pytest.mark.parametrize(("colour", "channels"), [(GRAY, 1), (RGB, 3), (GRAY_ALPHA, 2), (RGBA, 4)])
def test_16_bits_are_scaled_not_clipped_or_cut(colour: int, channels: int) -> None:
    wide = build.noise(40, 50, channels, 65535)
    wide[0, :6, 0] = [0, 128, 129, 255, 65406, 65535]  # around the first and last rounding steps
    eight = narrow(wide)
    expected = eight
    if colour in (GRAY_ALPHA, RGBA):
        expected = over_white(eight[..., :-1], eight[..., -1:])
    same(build.png(wide, colour, 16), expected)


@pytest.mark.parametrize("depth", [8, 16])
def test_gray_equals_its_rgb_copy(depth: int) -> None:
    gray = build.noise(20, 30, 1, 2**depth - 1)
    one = decode_pixels(build.png(gray, GRAY, depth))
    three = decode_pixels(build.png(gray.repeat(3, axis=2), RGB, depth))
    assert one.sha256 == three.sha256


def test_gray_jpeg_has_equal_channels() -> None:
    image = decode_pixels(build.save(build.noise(16, 24, 1), "JPEG"))
    assert image.rgb.shape == (16, 24, 3)
    assert (image.rgb == image.rgb[..., :1]).all()


def test_alpha_hides_colour_on_white() -> None:
    every = np.stack(np.meshgrid(np.arange(256), np.arange(256), indexing="ij"), -1).astype(
        np.uint8
    )
    expected = over_white(every[..., :1], every[..., 1:])
    same(build.png(every, GRAY_ALPHA), expected)
    rgba = np.concatenate([every[..., :1].repeat(3, axis=2), every[..., 1:]], axis=2)
    same(build.png(rgba, RGBA), expected)
    same(build.save(rgba, "WEBP", lossless=True, exact=True), expected)


def test_palette_with_transparency() -> None:
    palette = build.noise(1, 5, seed=1)[0]
    alpha = np.array([[0], [128], [255], [255], [255]], dtype=np.uint8)
    indices = build.noise(10, 12, 1, 4)
    extra = build.chunk(b"PLTE", palette.tobytes()) + build.chunk(b"tRNS", b"\x00\x80")
    for depth in (4, 8):
        same(build.png(indices, PALETTE, depth, extra), over_white(palette, alpha)[indices[..., 0]])


def test_palette_index_without_entry_is_black() -> None:
    indices = np.full((8, 8, 1), 3, dtype=np.uint8)
    same(
        build.png(indices, PALETTE, 2, build.chunk(b"PLTE", bytes([9, 9, 9]))),
        np.zeros((8, 8, 3), dtype=np.uint8),
    )


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16])
def test_transparent_gray(depth: int) -> None:
    samples = build.noise(16, 16, 1, 2**depth - 1)
    key = int(samples[3, 4, 0])
    samples[5, 6] = key
    eight = np.rint(samples.astype(np.float64) * 255 / (2**depth - 1)).astype(np.uint8)
    extra = build.chunk(b"tRNS", key.to_bytes(2, "big"))
    same(
        build.png(samples, GRAY, depth, extra),
        np.where(samples == key, 255, eight).astype(np.uint8),
    )


@pytest.mark.parametrize("depth", [8, 16])
def test_transparent_colour_is_matched_in_full(depth: int) -> None:
    samples = build.noise(16, 16, 3, 2**depth - 1)
    samples[2, 2] = samples[9, 9]
    samples[3, 3] = samples[9, 9] ^ np.array(
        [0, 0, 1], dtype=samples.dtype
    )  # off by the lowest bit
    eight = narrow(samples) if depth == 16 else samples
    clear = (samples == samples[9, 9]).all(axis=2, keepdims=True)
    assert clear.sum() == 2
    extra = build.chunk(b"tRNS", samples[9, 9].astype(">u2").tobytes())
    same(build.png(samples, RGB, depth, extra), np.where(clear, 255, eight).astype(np.uint8))


CMYK = [
    (0, 0, 0, 0),
    (255, 0, 0, 0),
    (0, 255, 0, 0),
    (0, 0, 255, 0),
    (0, 0, 0, 255),
    (60, 200, 10, 90),
]


@pytest.mark.parametrize("adobe", [True, False])
def test_cmyk(adobe: bool) -> None:
    """Adobe stores CMYK inverted; Pillow writes that way. Without its marker 0 means no ink."""
    stored = build.blocks(CMYK)
    data = build.save(stored, "JPEG", "CMYK", quality=100, subsampling=0)
    ink = np.array(CMYK, dtype=float)
    if not adobe:
        parts = [part for part in build.segments(data) if part[0] != 0xEE]
        assert len(parts) == len(build.segments(data)) - 1
        data, ink = build.jpeg(parts), 255 - ink
    expected = (255 - ink[:, :3]) * (255 - ink[:, 3:]) / 255
    image = decode_pixels(data)
    np.testing.assert_allclose(image.rgb[16, 16::32], expected, atol=3)


def test_interlaced_png_equals_plain() -> None:
    # Adam7 by hand: 8x8 pixels, passes of 1x1, 1x1, 2x1, 2x2, 4x2, 4x4, 8x4.
    pixels = build.noise(8, 8, 3, 65535)
    raw = b""
    for x, y, dx, dy in (
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ):  # fmt: skip
        raw += b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels[y::dy, x::dx])
    import zlib

    header = b"\0\0\0\x08\0\0\0\x08\x10\x02\0\0\x01"
    data = build.PNG_MAGIC + build.chunk(b"IHDR", header)
    data += build.chunk(b"IDAT", zlib.compress(raw)) + build.chunk(b"IEND", b"")
    same(data, narrow(pixels))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(version: tuple[int, int], order: str) -> None:
    pixels = build.noise(11, 23)
    array = np.asfortranarray(pixels) if order == "F" else pixels
    image = decode_pixels(build.npy(array, version))
    np.testing.assert_array_equal(image.rgb, pixels)
    assert image.rgb.flags.c_contiguous
    assert not image.rgb.flags.writeable
    assert image.sha256 == decode_pixels(build.png(pixels, RGB)).sha256
