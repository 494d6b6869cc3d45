"""An image as the bytes that are sent: encoded bytes as they are, arrays as ``.npy``."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physgauge.clients.files import read_image
from physgauge.clients.remote.pil import is_pil, read_pil
from physgauge.errors import ImageError


def encode(image: object, most_bytes: int) -> bytes:
    """The bytes to send. Reads files; may take its time.

    Args:
        image: encoded bytes, a path, uint8 [H, W, 3], or a PIL image.
        most_bytes: a larger file is not read.

    Raises:
        ImageError: what it is that cannot be sent, and why.
    """
    if isinstance(image, bytes):
        return image
    if isinstance(image, bytearray | memoryview):
        return bytes(image)
    if isinstance(image, str | os.PathLike):
        return read_image(Path(os.fsdecode(image)), most_bytes)
    if isinstance(image, np.ndarray):
        return npy(image)
    if is_pil(image):
        pixels = read_pil(image)
        return pixels if isinstance(pixels, bytes) else npy(pixels)
    raise ImageError(
        "image_format",
        "expected bytes, a path, a NumPy array or a PIL image, "
        f"got {type(image).__module__}.{type(image).__qualname__}"[:300],
    )


def npy(array: NDArray[Any]) -> bytes:
    """The array as a ``.npy``.

    Raises:
        ImageError: it is not uint8 [H, W, 3].
    """
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3 or not array.size:
        shape = ", ".join(map(str, array.shape[:6]))
        raise ImageError(
            "image_format",
            f"expected an array of uint8 [H, W, 3], got {array.dtype!s:.40} [{shape}]",
        )
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array), allow_pickle=False)
    return out.getvalue()
