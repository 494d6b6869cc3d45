"""Embedded ICC profiles: profiles made by hand, expected colours from their definition."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import ImageCms

from physgauge.ensemble.decode import decode_pixels
from tests.decode import build
from tests.decode.build import GRAY, PALETTE, RGB, RGBA

# Primaries adapted to D50, one column each: Display P3 (as in Apple's profile) and sRGB (IEC 61966-2-1).
P3 = np.array(
    [[0.51512, 0.29198, 0.15710], [0.24120, 0.69225, 0.06657], [-0.00105, 0.04189, 0.78407]]
)
SRGB = np.array(
    [[0.43607, 0.38515, 0.14307], [0.22249, 0.71687, 0.06061], [0.01392, 0.09708, 0.71410]]
)
GAMMA = 563 / 256
P3_PROFILE = build.matrix_profile(P3, GAMMA)
SRGB_PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
COLOURS = [
    (250, 10, 20),
    (20, 240, 30),
    (128, 128, 128),
    (255, 255, 255),
    (190, 120, 90),
    (60, 90, 160),
]


def p3_to_srgb(colours: NDArray[np.uint8]) -> NDArray[np.float64]:
    linear = (colours / 255.0) ** GAMMA @ P3.T @ np.linalg.inv(SRGB).T
    linear = linear.clip(0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(255 * encoded)


def test_png_profile_is_converted() -> None:
    flat = build.blocks(COLOURS, 8)
    image = decode_pixels(build.png(flat, RGB, extra=build.iccp(P3_PROFILE)))
    assert image.warnings == ()
    np.testing.assert_allclose(image.rgb, p3_to_srgb(flat), atol=1.5)
    assert np.abs(image.rgb.astype(int) - flat).max() > 20  # the profile matters here


def test_alpha_is_kept_beside_the_profile() -> None:
    flat = build.blocks(COLOURS, 8)
    alpha = build.noise(flat.shape[0], flat.shape[1], 1)
    data = build.png(np.concatenate([flat, alpha], axis=2), RGBA, extra=build.iccp(P3_PROFILE))
    cover = alpha / 255.0
    expected = p3_to_srgb(flat) * cover + 255 * (1 - cover)
    np.testing.assert_allclose(decode_pixels(data).rgb, expected, atol=2)


def test_palette_profile_is_converted() -> None:
    table = np.array(COLOURS, dtype=np.uint8)
    indices = build.noise(8, 9, 1, 5)
    extra = build.iccp(P3_PROFILE) + build.chunk(b"PLTE", table.tobytes())
    image = decode_pixels(build.png(indices, PALETTE, extra=extra))
    np.testing.assert_allclose(image.rgb, p3_to_srgb(table)[indices[..., 0]], atol=1.5)


def test_16_bit_profile_is_converted() -> None:
    flat = build.blocks(COLOURS, 8)
    wide = flat.astype(np.uint16) * 257
    image = decode_pixels(build.png(wide, RGB, 16, build.iccp(P3_PROFILE)))
    np.testing.assert_allclose(image.rgb, p3_to_srgb(flat), atol=1.5)


def test_jpeg_and_webp_profiles_are_converted() -> None:
    flat = build.blocks(COLOURS)
    plain = build.save(flat, "JPEG", quality=100, subsampling=0)
    webp = build.save(flat, "WEBP", lossless=True, icc_profile=P3_PROFILE)
    for data in (build.with_profile(plain, P3_PROFILE), webp):
        image = decode_pixels(data)
        assert image.warnings == ()
        np.testing.assert_allclose(image.rgb[16, 16::32], p3_to_srgb(flat)[16, 16::32], atol=3)


def test_jpeg_profile_in_parts_out_of_order() -> None:
    plain = build.save(build.blocks(COLOURS), "JPEG", quality=100, subsampling=0)
    long = P3_PROFILE + bytes(70_000)  # padding behind the profile's own size
    in_parts, at_once = build.with_profile(plain, long), build.with_profile(plain, P3_PROFILE)
    assert decode_pixels(in_parts).sha256 == decode_pixels(at_once).sha256
    first_part_missing = build.jpeg(build.segments(in_parts)[:1] + build.segments(plain))
    image = decode_pixels(first_part_missing)
    assert image.warnings == ("icc: expected profile parts 1 to 2, got [2]; sRGB assumed",)
    assert image.sha256 == decode_pixels(plain).sha256


def test_srgb_profile_changes_nothing() -> None:
    pixels = build.noise(64, 64)
    plain = decode_pixels(build.png(pixels, RGB))
    tagged = decode_pixels(build.png(pixels, RGB, extra=build.iccp(SRGB_PROFILE)))
    assert tagged.sha256 == plain.sha256
    assert tagged.warnings == ()


def test_gray_with_an_rgb_profile() -> None:
    gray = np.arange(256, dtype=np.uint8).reshape(16, 16, 1)
    image = decode_pixels(build.png(gray, GRAY, extra=build.iccp(P3_PROFILE)))
    assert image.warnings == ()
    np.testing.assert_allclose(image.rgb, p3_to_srgb(gray.repeat(3, axis=2)), atol=1.5)


def test_cmyk_profile_is_converted() -> None:
    inks = [(0, 0, 0, 0), (0, 0, 0, 255), (255, 0, 0, 0), (0, 255, 255, 0)]
    data = build.save(build.blocks(inks), "JPEG", "CMYK", quality=100, subsampling=0)
    image = decode_pixels(build.with_profile(data, build.cmyk_profile()))
    assert image.warnings == ()
    # L* = 50 is 18.4 % of white: 119 in sRGB. Without the profile the last two would be cyan and red.
    expected = [[255] * 3, [0] * 3, [119] * 3, [119] * 3]
    np.testing.assert_allclose(image.rgb[16, 16::32], expected, atol=4)


@pytest.mark.parametrize(
    ("icc", "says"),
    [
        (b"not a profile", "expected an ICC profile, got something else"),
        (P3_PROFILE[:140], "expected a usable profile, got one that LittleCMS refuses"),
        (b"\0" * 128 + P3_PROFILE[128:], "expected an ICC profile, got something else"),
        (P3_PROFILE[:16] + b"Lab " + P3_PROFILE[20:], "expected a profile for 3 channels, got Lab"),
        (build.cmyk_profile(), "expected a profile for 3 channels, got CMYK"),
        (P3_PROFILE[:12] + b"link" + P3_PROFILE[16:], "got a link or an abstract one"),
    ],
)
def test_broken_profile_is_a_warning(icc: bytes, says: str) -> None:
    pixels = build.noise(8, 8)
    image = decode_pixels(build.png(pixels, RGB, extra=build.iccp(icc)))
    np.testing.assert_array_equal(image.rgb, pixels)
    (warning,) = image.warnings
    assert warning.startswith("icc: ")
    assert says in warning
    assert warning.endswith("; sRGB assumed")


def test_profile_bomb_is_a_warning() -> None:
    pixels = build.noise(8, 8)
    data = build.png(pixels, RGB, extra=build.iccp(bytes(60 * 2**20)))
    decode_pixels(build.png(pixels, RGB))
    tracemalloc.start()
    image = decode_pixels(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * 2**20
    np.testing.assert_array_equal(image.rgb, pixels)
    assert image.warnings == (
        "icc: expected a zlib-packed profile of at most 8,388,608 bytes, got something else; sRGB assumed",
    )
