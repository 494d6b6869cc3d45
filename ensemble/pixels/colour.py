"""Embedded ICC profiles to sRGB, with LittleCMS as Pillow carries it."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from PIL import Image, ImageCms

from physgauge.ensemble.pixels.container import MAX_ICC_BYTES
from physgauge.types import U8

ToRgb = Callable[[U8], U8]
"""Samples [h, w, C] to sRGB [h, w, 3] or gray [h, w, 1]; C = 1 gray, 3 RGB, 4 CMYK (0 = no ink)."""

_SPACES: Final = {b"GRAY": 1, b"RGB ": 3, b"CMYK": 4}
_MODES: Final = {1: "L", 3: "RGB", 4: "CMYK"}
_LINK_CLASSES: Final = frozenset({b"link", b"abst", b"nmcl"})  # no device to convert from


class Broken(Exception):
    """The profile cannot be used; the text says why."""


class _Known(NamedTuple):
    """A parsed profile, or why it can't be used."""

    convert: ToRgb | None
    broken: str | None


def to_srgb(channels: int, icc: bytes | None, warnings: list[str]) -> ToRgb:
    """The conversion of samples with `channels` channels to sRGB.

    Args:
        channels: 1 (gray), 3 (RGB) or 4 (CMYK, 0 = no ink).
        icc: the embedded profile, or None: gray and RGB are then sRGB already, and CMYK is
            R = 255 (1 - C) (1 - K), likewise G and B.
        warnings: gets a line where the profile cannot be used.
    """
    if icc is not None:
        known = _known(icc, channels)
        if known.convert is not None:
            return known.convert
        warnings.append(f"icc: {known.broken}; sRGB assumed")
    return _naive_cmyk if channels == 4 else _as_is


def _as_is(samples: U8) -> U8:
    return samples


def _naive_cmyk(samples: U8) -> U8:
    paper = 255 - samples.astype(np.uint16)
    rgb = (paper[..., :3] * paper[..., 3:] + 127) // 255
    return rgb.astype(np.uint8)


@lru_cache(maxsize=16)
def _known(icc: bytes, channels: int) -> _Known:
    try:
        return _Known(_build(icc, channels), None)
    except Broken as error:
        return _Known(None, str(error))
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return _Known(None, "expected a usable profile, got one that LittleCMS refuses")


def _build(icc: bytes, channels: int) -> ToRgb:
    if len(icc) > MAX_ICC_BYTES:
        raise Broken(f"expected a profile of at most {MAX_ICC_BYTES:,} bytes, got {len(icc):,}")
    if len(icc) < 128 or icc[36:40] != b"acsp":
        raise Broken("expected an ICC profile, got something else")
    if icc[12:16] in _LINK_CLASSES:
        raise Broken("expected the profile of a device, got a link or an abstract one")
    space = _SPACES.get(icc[16:20])
    if space is None or (space != channels and (space, channels) != (3, 1)):
        raise Broken(f"expected a profile for {channels} channels, got {_printable(icc[16:20])}")
    profile = ImageCms.ImageCmsProfile(io.BytesIO(icc))
    srgb = ImageCms.createProfile("sRGB")
    transform = ImageCms.buildTransform(
        profile, srgb, _MODES[space], "RGB", ImageCms.Intent.PERCEPTUAL
    )

    def convert(samples: U8) -> U8:
        wide = np.repeat(samples, 3, axis=2) if space != channels else samples
        mode, size = _MODES[space], (samples.shape[1], samples.shape[0])
        image = Image.frombuffer(mode, size, np.ascontiguousarray(wide), "raw", mode, 0, 1)
        return np.asarray(ImageCms.applyTransform(image, transform))

    return _as_is if channels != 4 and _is_identity(convert, channels) else convert


def _is_identity(convert: ToRgb, channels: int) -> bool:
    """Whether the profile is sRGB under any of its names: nothing moves by more than one level.

    Skipping it saves time and keeps "no profile" and "sRGB profile" pixels equal."""
    steps = np.arange(0, 256, 15, dtype=np.uint8)
    if channels == 1:
        grid = np.arange(256, dtype=np.uint8).reshape(1, 256, 1)
    else:
        grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(1, -1, 3)
    moved = np.abs(convert(grid).astype(np.int16) - grid.astype(np.int16))
    return bool(moved.max() <= 1)


def _printable(tag: bytes) -> str:
    text = tag.decode("latin-1").strip()
    return text if text.isascii() and text.isalnum() else tag.hex(" ")
