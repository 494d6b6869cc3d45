"""What may be handed in, and what is sent for it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps

from physgauge.clients.remote.address import Tls, addresses
from physgauge.clients.remote.encode import encode
from physgauge.clients.remote.inputs import Input, as_input
from physgauge.contract import Options
from physgauge.ensemble.decode import decode_pixels
from physgauge.errors import CaptionError, ConfigError, ImageError, RequestError

MOST = 1_000_000
RNG = np.random.default_rng(4)
RGB = RNG.integers(0, 256, (24, 31, 3), np.uint8)


def pixels(image: object) -> Any:
    return decode_pixels(encode(image, MOST)).rgb


def test_arrays_arrive_as_they_are() -> None:
    for array in (RGB, RGB[::-1, ::2], np.asfortranarray(RGB), RGB[:, :, ::-1]):
        np.testing.assert_array_equal(pixels(array), array)
    writable = RGB.copy()
    data = encode(writable, MOST)
    writable[:] = 0
    np.testing.assert_array_equal(decode_pixels(data).rgb, RGB)


@pytest.mark.parametrize(
    ("array", "got"),
    [
        (RGB.astype(np.float32), r"float32 \[24, 31, 3\]"),
        (RGB[:, :, 0], r"uint8 \[24, 31\]"),
        (RGB[None], r"uint8 \[1, 24, 31, 3\]"),
        (np.zeros((4, 4, 4), np.uint8), r"uint8 \[4, 4, 4\]"),
        (np.zeros((0, 4, 3), np.uint8), r"uint8 \[0, 4, 3\]"),
        (np.array([object()]), r"object \[1\]"),
    ],
)
def test_arrays_that_are_no_image(array: Any, got: str) -> None:
    with pytest.raises(ImageError, match=f"expected an array of uint8 .* got {got}") as caught:
        encode(array, MOST)
    assert caught.value.code == "image_format"


def exif(orientation: int) -> Image.Exif:
    made = Image.Exif()
    made[0x0112] = orientation
    return made


def turned(orientation: int) -> Image.Image:
    out = io.BytesIO()
    Image.fromarray(RGB).save(out, "PNG", exif=exif(orientation))
    return Image.open(io.BytesIO(out.getvalue()))


@pytest.mark.parametrize("mode", ["RGB", "L", "1", "P", "LA", "RGBA"])
def test_pil_images_arrive_as_the_pixel_policy_has_them(mode: str) -> None:
    alpha = RNG.integers(0, 256, RGB.shape[:2], np.uint8)
    image = Image.fromarray(RGB)
    if mode.endswith("A"):
        image.putalpha(Image.fromarray(alpha))
    image = image.convert(mode)
    seen = np.asarray(image.convert("RGB")).astype(int)
    if mode.endswith("A"):
        cover = alpha[:, :, None].astype(int)
        seen = (seen * cover + 255 * (255 - cover) + 127) // 255
    np.testing.assert_array_equal(pixels(image), seen)


def test_pil_images_with_more_to_them() -> None:
    for orientation in range(1, 9):
        image = turned(orientation)
        upright = np.asarray(ImageOps.exif_transpose(image))
        np.testing.assert_array_equal(pixels(image), upright)
    deep = RNG.integers(0, 65536, (24, 31), np.uint16)
    scaled = np.round(deep / 257).astype(int)[:, :, None].repeat(3, 2)
    np.testing.assert_array_equal(pixels(Image.fromarray(deep)), scaled)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    coloured = Image.fromarray(RGB)
    coloured.info["icc_profile"] = profile
    assert encode(coloured, MOST).startswith(b"\x89PNG")
    assert b"iCCP" in encode(coloured, MOST)
    clear = Image.fromarray(RGB)
    clear.info["transparency"] = tuple(int(v) for v in RGB[0, 0])
    assert pixels(clear)[0, 0].tolist() == [255, 255, 255]
    assert pixels(clear)[5, 5].tolist() == RGB[5, 5].tolist()


@pytest.mark.parametrize("mode", ["CMYK", "F", "I", "YCbCr", "LAB", "HSV"])
def test_pil_modes_that_cannot_be_sent_faithfully(mode: str) -> None:
    with pytest.raises(ImageError, match=rf"got '{mode}': convert it first"):
        encode(Image.new(mode, (9, 9)), MOST)


def test_a_pil_image_that_does_not_load() -> None:
    out = io.BytesIO()
    Image.fromarray(RGB.repeat(9, 0).repeat(9, 1)).save(out, "JPEG")
    with pytest.raises(ImageError, match="expected a PIL image that loads") as caught:
        encode(Image.open(io.BytesIO(out.getvalue()[:4000])), MOST)
    assert caught.value.code == "image_corrupt"
    assert "0x" not in caught.value.message


def test_bytes_and_files(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"abc\0\0")
    images: list[object] = [
        b"abc\0\0",
        bytearray(b"abc\0\0"),
        memoryview(b"abc\0\0"),
        path,
        str(path),
    ]
    for image in images:
        assert encode(image, 5) == b"abc\0\0"
    for wrong, words in {
        str(path): "expected at most 4 bytes, got 5",
        tmp_path: "expected a regular file",
        "no\0name": "expected a path that a file can have",
        "\ud800": "expected a path that a file can have",
        "/nowhere": r"cannot be read \(No such file",
    }.items():
        with pytest.raises(ImageError, match=words):
            encode(wrong, 4)


def test_pil_is_not_imported_for_anything_else() -> None:
    code = (
        "import sys, numpy as np\n"
        "from physgauge.clients.remote.encode import encode\n"
        "import physgauge.clients.remote.client\n"
        "encode(np.zeros((9, 9, 3), np.uint8), 9)\n"
        "print(sorted({'PIL', 'numba', 'onnxruntime', 'pyarrow', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_records() -> None:
    def short(thing: Any) -> tuple[Any, ...]:
        one = as_input(thing, 7)
        assert one.error is None, one.error
        return one.image_id, one.caption, one.source, dict(one.extra), one.domain, one.timeout_s

    assert short(b"x") == ("7", None, "", {}, "auto", None)
    assert short("a/b.jpg") == ("a/b.jpg", None, "a/b.jpg", {}, "auto", None)
    assert short(Path("a/b.jpg"))[0] == "a/b.jpg"
    assert short(Path(os.fsdecode(b"caf\xe9.jpg")))[0] == "caf\\xe9.jpg"
    assert short(("id", b"x"))[0] == "id"
    assert short(("", b"x"))[0] == "7"
    assert short(Input(b"x", "", request_id="r"))[0] == "r"
    assert short(("id", b"x", "")) == ("id", None, "", {}, "auto", None)
    assert short((None, "p.jpg", "a car"))[:3] == ("p.jpg", "a car", "p.jpg")
    options = {"source": "s", "extra": {"a": "b"}, "domain": "car", "timeout_ms": 1500}
    assert short(("id", b"x", None, options)) == ("id", None, "s", {"a": "b"}, "car", 1.5)
    assert short(("id", b"x", None, Options(domain="car")))[4] == "car"
    assert short((None, b"x", None, {"image_id": "of options"}))[0] == "of options"
    assert short(Input(b"x", "id", domain="car"))[4] == "car"
    assert short(Input("p.jpg", "id"))[2] == "p.jpg"


class Odd(os.PathLike[str]):
    def __fspath__(self) -> str:
        raise OSError("no")


@pytest.mark.parametrize(
    ("thing", "kind", "words"),
    [
        (Odd(), RequestError, "expected an input that can be looked at, got OSError"),
        (("id",), RequestError, "got 1 parts"),
        (("a", b"x", None, {}, 5), RequestError, "got 5 parts"),
        (("a", b"x", None, {"colour": "red"}), RequestError, "unknown field `colour`"),
        (("a", b"x", None, {"timeout_ms": 0}), RequestError, "timeout_ms"),
        (("a", b"x", None, "car"), RequestError, "options: "),
        ((5, b"x"), RequestError, "image_id: expected text or None, got 5"),
        (("a", b"x", b"c"), CaptionError, "expected text or None, got bytes"),
        (("a", b"x", "\ud800"), CaptionError, "half of a surrogate pair"),
        (Input(b"x", extra={"a": 1}), RequestError, "extra: expected a mapping"),  # type: ignore[dict-item]
        (Input(b"x", timeout_s=float("nan")), RequestError, "timeout_s: expected 0.001 to 3600"),
        (Input(b"x", timeout_s=0), RequestError, "timeout_s"),
        (Input(b"x", domain=None), RequestError, "domain: expected text"),  # type: ignore[arg-type]
    ],
)
def test_records_that_are_wrong(thing: Any, kind: type[Exception], words: str) -> None:
    one = as_input(thing, 3)
    assert isinstance(one.error, kind)
    assert words in str(one.error)
    assert one.image_id is not None


ANY_TEXT = st.lists(st.sampled_from("a/\0é\ud800\udc80\udfff")).map("".join)  # surrogates too


@given(st.tuples(ANY_TEXT, st.binary(), ANY_TEXT | st.none()) | ANY_TEXT | st.binary())
def test_every_record_fits_in_a_row(thing: Any) -> None:
    one = as_input(thing, 0)
    for text in (one.image_id, one.source, one.caption):
        (text or "").encode()


def test_addresses() -> None:
    assert addresses("a:1, b.example:65535") == ["a:1", "b.example:65535"]
    assert addresses(["[::1]:8001", "127.0.0.1:1"]) == ["[::1]:8001", "127.0.0.1:1"]
    for wrong in ("", "a", "a:", ":1", "a:0", "a:65536", "http://a:1", "::1:80", "a:1,", "a b:1"):
        with pytest.raises(ConfigError, match="expected HOST:PORT"):
            addresses(wrong)
    with pytest.raises(ConfigError, match="each address once, got a:1 again"):
        addresses("a:1,a:1")
    with pytest.raises(ConfigError, match="expected 1 to 256 addresses, got 0"):
        addresses([])


def test_tls_files(tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("hello")
    for tls, words in {
        Tls(ca=tmp_path / "gone"): "cannot be read",
        Tls(ca=tmp_path / "no.pem"): "expected PEM",
        Tls(certificate=tmp_path / "no.pem"): "expected a certificate with its key",
    }.items():
        with pytest.raises(ConfigError, match=words):
            tls.read()
    assert Tls().read() == (None, None, None)
