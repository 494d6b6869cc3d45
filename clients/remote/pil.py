"""PIL images, recognised and read without importing PIL: who has one has imported it."""

from __future__ import annotations

import io
import sys
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from physgauge.errors import ImageError

_PLAIN: Final = ("RGB", "L")
_PNG: Final = ("RGB", "RGBA", "L", "LA", "P", "1", "I;16")
_ORIENTATION: Final = 0x0112


def is_pil(image: object) -> bool:
    """Whether this is a PIL image."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(image, module.Image)


def read_pil(image: Any) -> NDArray[np.uint8] | bytes:
    """Its pixels, uint8 [H, W, 3], if they are all there is to it. Otherwise (palette, alpha, 16 bits, a
    colour profile, an orientation) a PNG without loss, from which the server makes the pixels as it does
    from any file: that is done in one place.

    Raises:
        ImageError: the image does not load, or has a mode that PNG does not hold.
    """
    mode = str(image.mode)
    if mode not in _PNG:
        raise ImageError(
            "image_format",
            f"expected a PIL image of mode {', '.join(_PNG)}, got {mode!r:.20}: convert it first",
        )
    try:
        image.load()
        exif = image.getexif()
        icc = image.info.get("icc_profile")
        plain = mode in _PLAIN and not icc and "transparency" not in image.info
        if plain and exif.get(_ORIENTATION, 1) == 1:
            pixels: NDArray[np.uint8] = np.asarray(image)
            return pixels if mode == "RGB" else np.repeat(pixels[:, :, None], 3, axis=2)
        out = io.BytesIO()
        image.save(out, "PNG", compress_level=1, icc_profile=icc, exif=exif)
    except (OSError, ValueError, SyntaxError) as error:  # what PIL raises; its words hold addresses
        raise ImageError(
            "image_corrupt", f"expected a PIL image that loads, got {type(error).__name__}"
        ) from None
    return out.getvalue()
