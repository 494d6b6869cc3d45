"""After the render: exposure, contrast, blur, noise, file format. The only user of Pillow's encoders."""

from __future__ import annotations

import io

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from .paints import U8


def exposure(rng: Generator, pixels: U8, subject: NDArray[np.bool_]) -> U8 | None:
    """The tone curve [256] that lifts a subject too dark to be made out; None where it isn't."""
    if not subject.any():
        return None
    mean = float(pixels[subject].mean()) / 255
    wanted = float(rng.uniform(0.2, 0.32))
    if mean >= wanted:
        return None
    gamma = max(0.45, np.log(wanted) / np.log(max(mean, 1e-3)))
    curve: U8 = (255 * (np.arange(256) / 255) ** gamma + 0.5).astype(np.uint8)
    return curve


def expose(rng: Generator, pixels: U8, subject: NDArray[np.bool_]) -> U8:
    """Lifts the picture by a gamma when the subject is too dark to be made out."""
    curve = exposure(rng, pixels, subject)
    return pixels if curve is None else curve[pixels]


def develop(rng: Generator, pixels: U8) -> U8:
    """Brightness, contrast, saturation, a slight blur and sensor noise, all by chance."""
    x = pixels.astype(np.float32) / 255
    if rng.random() < 0.7:
        x = x ** float(rng.uniform(0.78, 1.25))
        x = (x - 0.5) * float(rng.uniform(0.85, 1.2)) + 0.5 + float(rng.uniform(-0.06, 0.06))
    if rng.random() < 0.25:
        mean = x.mean(-1, keepdims=True)
        x = mean + (x - mean) * float(rng.uniform(0.0, 1.4))
    blur = float(rng.uniform(0.3, 1.1)) if rng.random() < 0.35 else 0.0
    if blur:
        image = Image.fromarray((np.clip(x, 0, 1) * 255).astype(np.uint8))
        x = np.asarray(image.filter(ImageFilter.GaussianBlur(blur)), np.float32) / 255
    if rng.random() < 0.5:
        x = x + rng.standard_normal(x.shape, dtype=np.float32) * float(rng.uniform(0.004, 0.03))
    return (np.clip(x, 0, 1) * 255 + 0.5).astype(np.uint8)


def encode(rng: Generator, pixels: U8, form: str) -> bytes:
    """JPEG (quality 60–95, by chance) or PNG bytes."""
    quality = int(rng.integers(60, 96))
    out = io.BytesIO()
    if form == "png":
        Image.fromarray(pixels).save(out, "PNG", compress_level=3)
    else:
        Image.fromarray(pixels).save(out, "JPEG", quality=quality)
    return out.getvalue()
