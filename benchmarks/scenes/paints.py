"""Colours and texture sizes that all paint sets share."""

from __future__ import annotations

import colorsys

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

U8 = NDArray[np.uint8]

TEX = 256
"""Textures are TEX × TEX."""


def hue(
    rng: Generator, sat: tuple[float, float] = (0.3, 0.95), val: tuple[float, float] = (0.25, 0.95)
) -> tuple[float, float, float]:
    """A random colour."""
    return colorsys.hsv_to_rgb(
        float(rng.random()), float(rng.uniform(*sat)), float(rng.uniform(*val))
    )


def grey(rng: Generator, low: float, high: float) -> tuple[float, float, float]:
    """A random grey with a slight tint."""
    v = float(rng.uniform(low, high))
    t = rng.uniform(-0.02, 0.02, 3)
    return (
        float(np.clip(v + t[0], 0, 1)),
        float(np.clip(v + t[1], 0, 1)),
        float(np.clip(v + t[2], 0, 1)),
    )


def to_u8(rgb: NDArray[np.float64]) -> U8:
    """0..1 floats to bytes."""
    return (np.clip(rgb, 0, 1) * 255 + 0.5).astype(np.uint8)
