"""Pictures for skies, backgrounds and grounds."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import TEX, U8, grey, hue, to_u8


def gradient(top: F64, bottom: F64) -> F64:
    """A vertical gradient [256, 256, 3]; row 0 is the top."""
    t = np.linspace(0, 1, TEX)[:, None, None]
    return np.broadcast_to(top * (1 - t) + bottom * t, (TEX, TEX, 3)).copy()


def sky(rng: Generator) -> U8:
    """A sky: blue, grey, dusk or night, with or without clouds."""
    style = rng.integers(5)
    if style <= 1:
        top, bottom = np.array([0.2, 0.42, 0.8]), np.array([0.72, 0.84, 0.95])
    elif style == 2:
        top, bottom = np.array(grey(rng, 0.55, 0.8)), np.array(grey(rng, 0.75, 0.95))
    elif style == 3:
        top, bottom = np.array([0.22, 0.24, 0.45]), np.array([0.95, 0.6, 0.35])
    else:
        top, bottom = (
            np.array(hue(rng, (0.1, 0.6), (0.3, 0.9))),
            np.array(hue(rng, (0.05, 0.4), (0.6, 1.0))),
        )
    rgb = gradient(top * rng.uniform(0.8, 1.1), bottom * rng.uniform(0.85, 1.05))
    if rng.random() < 0.65:
        cover = np.clip(
            (field01(rng, float(rng.choice([1.5, 2.0, 2.6]))) - rng.uniform(0.3, 0.7))
            * rng.uniform(0.8, 2.5),
            0,
            1,
        )[:, :, None]
        rgb = rgb * (1 - cover) + np.array(grey(rng, 0.8, 1.0)) * cover
    return to_u8(rgb)


def picture(rng: Generator) -> U8:
    """A random picture: 1/f noise in colours, blurred blobs, or a plain gradient."""
    style = rng.integers(4)
    if style == 0:
        rgb = np.stack([field01(rng, 1.5) for _ in range(3)], -1) * rng.uniform(
            0.3, 0.9
        ) + rng.uniform(0, 0.3)
    elif style == 1:
        f, g = field01(rng, 2.0)[:, :, None], field01(rng, 2.6)[:, :, None]
        rgb = np.array(hue(rng)) * f + np.array(hue(rng)) * (1 - f)
        rgb = rgb * (1 - g * 0.6) + np.array(hue(rng)) * g * 0.6
    elif style == 2:
        rgb = gradient(np.array(hue(rng, (0, 0.6))), np.array(hue(rng, (0, 0.6))))
        if rng.random() < 0.5:
            rgb = rgb.transpose(1, 0, 2)
    else:
        f = np.floor(field01(rng, 2.6) * rng.integers(3, 7)) / 5
        rgb = np.array(hue(rng, (0.1, 0.6))) * f[:, :, None] + np.array(hue(rng, (0.1, 0.6))) * (
            1 - f[:, :, None]
        )
    if rng.random() < 0.5:
        rgb = rgb * (0.85 + 0.3 * field01(rng, 0.6)[:, :, None])
    return to_u8(rgb)


def ground_texture(rng: Generator, road: bool) -> U8:
    """Grass, asphalt, sand, tiles, planks or checks; a road has lines along x."""
    style = 1 if road else int(rng.integers(6))
    noise = field01(rng, float(rng.choice([0.6, 1.0, 1.5])))[:, :, None]
    if style == 0:
        base = np.array([0.25, 0.42, 0.16]) * rng.uniform(0.7, 1.3)
    elif style == 1:
        base = np.array(grey(rng, 0.25, 0.55))
    elif style == 2:
        base = np.array([0.76, 0.66, 0.48]) * rng.uniform(0.75, 1.15)
    else:
        base = np.array(hue(rng, (0.05, 0.5), (0.3, 0.85)))
    rgb = base * (0.75 + rng.uniform(0.1, 0.5) * noise)
    y = np.arange(TEX)
    if road:
        if rng.random() < 0.75:
            mark = (
                np.array([0.92, 0.92, 0.88]) if rng.random() < 0.7 else np.array([0.85, 0.7, 0.1])
            )
            rgb[(y > 18) & (y < 25)] = mark
            if rng.random() < 0.6:
                dash = np.arange(TEX) % 128 < 70
                rgb[np.ix_((y > 140) & (y < 147), dash)] = mark
    elif style == 3:
        cell = int(rng.choice([32, 64]))
        checks = ((y[:, None] // cell + y[None] // cell) % 2).astype(bool)
        rgb[checks] *= rng.uniform(0.6, 0.9)
    elif style == 4:
        cell = int(rng.choice([32, 64]))
        rgb[y % cell < 2] *= 0.6
        rgb[:, y % cell < 2] *= 0.6
    elif style == 5:
        rgb[y % 32 < 2] *= 0.55
        rgb *= (0.85 + 0.3 * ((y // 32 * 7919) % 13 / 13))[:, None, None]
    return to_u8(rgb)
