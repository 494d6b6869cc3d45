"""Whatever the bytes are, decoding ends in pixels or in an ImageError that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from physgauge.config import DecodeLimits
from physgauge.ensemble.decode import Decoder
from physgauge.ensemble.pixels.exif import orientation
from physgauge.errors import ImageError
from tests.decode import build
from tests.decode.build import GRAY, GRAY_ALPHA, PALETTE, RGB, RGBA

# Small sizes: a changed header must not turn the test into one of large images.
LIMITS = DecodeLimits(max_pixels=40_000, max_side_px=2000)
PIXELS = build.noise(12, 17)
P3_LIKE = build.matrix_profile(np.diag([0.9642, 1.0, 0.8249]) * 0.9 + 0.03, 2.0)

SEEDS = [
    build.png(PIXELS, RGB),
    build.png(build.noise(9, 11, 4, 65535), RGBA, 16, build.iccp(P3_LIKE)),
    build.png(build.noise(9, 11, 2, 65535), GRAY_ALPHA, 16),
    build.png(build.noise(9, 11, 1, 3), GRAY, 2, build.chunk(b"tRNS", b"\0\2")),
    build.png(
        build.noise(9, 11, 1, 3), PALETTE, 2, build.chunk(b"PLTE", bytes(range(12))) + build.chunk(b"tRNS", b"\x07")
    ),
    build.save(PIXELS, "PNG", exif=b"Exif\0\0" + build.exif(6)),
    build.save(PIXELS, "JPEG", exif=b"Exif\0\0" + build.exif(5, ">"), icc_profile=P3_LIKE),
    build.save(PIXELS, "JPEG", progressive=True),
    build.save(build.noise(12, 17, 4), "JPEG", "CMYK", icc_profile=build.cmyk_profile()),
    build.save(build.noise(12, 17, 1), "JPEG"),
    build.save(PIXELS, "WEBP", lossless=True, exif=build.exif(3), icc_profile=P3_LIKE),
    build.save(build.noise(12, 17, 4), "WEBP", quality=60),
    build.npy(PIXELS),
    build.npy(np.asfortranarray(PIXELS), (2, 0)),
]  # fmt: skip
MAGICS = [b"", b"\xff\xd8\xff", build.PNG_MAGIC, b"RIFF\x40\0\0\0WEBPVP8 ", b"RIFF\x40\0\0\0WEBPVP8X",
          b"\x93NUMPY\x01\0", build.PNG_MAGIC + b"\0\0\0\x0dIHDR\0\0\0\x09\0\0\0\x09"]  # fmt: skip


@pytest.fixture(scope="module")
def decoder() -> Iterator[Decoder]:
    with Decoder(LIMITS, workers=1) as shared:
        yield shared


def check(decoder: Decoder, data: bytes) -> None:
    future = decoder.submit(data)
    error = future.exception()
    if error is not None:
        assert isinstance(error, ImageError)
        assert error.code.startswith("image_"), error  # no crash, no timeout, no fault of ours
        assert re.match(r"^expected .+, got .+", error.message)
        assert error.message.isprintable()
        assert "0x" not in error.message
        return
    image = future.result()
    assert image.rgb.shape == (image.height, image.width, 3)
    assert all(re.match(r"^(animated|icc|exif): ", text) for text in image.warnings)
    assert "".join(image.warnings).isprintable()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file with bytes changed, cut out, doubled or cut off."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1))
        how = draw(st.sampled_from(["change", "change", "change", "cut", "double", "end"]))
        if how == "change":
            data[at] = draw(st.integers(0, 255))
        elif how == "cut":
            del data[at : at + draw(st.integers(1, 40))]
        elif how == "double":
            data[at:at] = data[at : at + draw(st.integers(1, 40))]
        else:
            del data[at:]
        if not data:
            break
    return bytes(data)


def with_good_checksums(data: bytes) -> bytes:
    """The PNG with its checksums made right, so that damage gets past them."""
    out, at = data[:8], 8
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        out += build.chunk(data[at + 4 : at + 8], data[at + 8 : at + 8 + size])
        at += 12 + size
    return out


def test_seeds_are_good_files(decoder: Decoder) -> None:
    for data in SEEDS:
        image = decoder.decode(data)
        assert image.warnings == ()


relaxed = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@relaxed
@given(data=damaged())
def test_damaged_files(decoder: Decoder, data: bytes) -> None:
    check(decoder, data)


@relaxed
@given(data=damaged())
def test_damaged_png_with_good_checksums(decoder: Decoder, data: bytes) -> None:
    check(decoder, with_good_checksums(data))


@relaxed
@given(magic=st.sampled_from(MAGICS), rest=st.binary(max_size=200))
def test_noise_behind_magic_bytes(decoder: Decoder, magic: bytes, rest: bytes) -> None:
    check(decoder, magic + rest)


@relaxed
@given(text=st.text("(){}[]':,| \nLdescrfortan_ohpTuFals1030123456789", max_size=80))
def test_noise_in_npy_headers(decoder: Decoder, text: str) -> None:
    body = text.encode()
    check(decoder, b"\x93NUMPY\x01\0" + len(body).to_bytes(2, "little") + body + bytes(300))


@given(
    block=st.one_of(
        st.binary(max_size=60), st.binary(max_size=60).map(lambda b: b"II*\0\x08\0\0\0" + b)
    )
)
def test_noise_as_exif(block: bytes) -> None:
    value, warning = orientation(block)
    assert 1 <= value <= 8
    assert warning is None or value == 1
