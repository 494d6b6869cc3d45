"""Pixels as a data URL, encoded once an image."""

from __future__ import annotations

import base64
import io
from typing import Literal

import numpy as np
from PIL import Image

from physgauge.types import U8


def encode(image: U8, kind: Literal["png", "jpeg"], quality: int) -> bytes:
    """An image file.

    Args:
        image: [H, W, 3] uint8 RGB.
        kind: `png` keeps every pixel; `jpeg` (4:4:4) changes them.
        quality: of JPEG.
    """
    picture = Image.fromarray(np.ascontiguousarray(image))
    out = io.BytesIO()
    if kind == "png":
        # Level 1: a third of the default's time for a tenth more bytes; each is sent many times, but
        # to a server that is near.
        picture.save(out, "PNG", compress_level=1)
    else:
        picture.save(out, "JPEG", quality=quality, subsampling=0)
    return out.getvalue()


def data_url(encoded: bytes, kind: Literal["png", "jpeg"]) -> bytes:
    """The same as the text of a data URL (ASCII)."""
    return f"data:image/{kind};base64,".encode() + base64.b64encode(encoded)
