"""What microscopic pictures share: stains, the look through a lens, round outlines, places apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageFilter

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8, to_u8

from .pen import Point, Rgb, Sheet, rgb


@dataclass(frozen=True, slots=True)
class Stain:
    """Colours under a microscope."""

    ground: Rgb
    body: Rgb
    core: Rgb
    glows: bool


def stain(rng: Generator) -> Stain:
    """Stained on a light ground, glowing on a dark one, phase contrast or grey."""
    style = rng.random()
    h = float(rng.random())
    if style < 0.4:
        h = float(rng.choice([0.78, 0.85, 0.92, 0.62, 0.45]))
        ground = rgb(h, float(rng.uniform(0.02, 0.25)), float(rng.uniform(0.85, 1.0)))
        return Stain(
            ground, rgb(h, float(rng.uniform(0.25, 0.6)), 0.85), rgb(h - 0.1, 0.75, 0.5), False
        )
    if style < 0.7:
        ground = rgb(h, 0.8, float(rng.uniform(0.0, 0.1)))
        return Stain(
            ground, rgb(h, 0.85, 0.75), rgb(h + float(rng.uniform(0.2, 0.6)), 0.7, 0.95), True
        )
    if style < 0.85:
        return Stain(rgb(0.1, 0.05, 0.6), rgb(0.1, 0.06, 0.78), rgb(0.1, 0.08, 0.35), False)
    v = float(rng.uniform(0.05, 0.35))
    return Stain(rgb(h, 0.05, v), rgb(h, 0.05, v + 0.4), rgb(h, 0.05, v + 0.6), True)


def seen(rng: Generator, pixels: U8) -> U8:
    """Through the lens: soft, grained, unevenly lit, perhaps a round field."""
    size = pixels.shape[0]
    soft = Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, 1.6))))
    x = np.asarray(soft, float) / 255
    y, u = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    at = rng.uniform(-0.4, 0.4, 2)
    far = np.hypot(u - at[0], y - at[1])[:, :, None]
    x = x * (1 - float(rng.uniform(0, 0.25)) * far**2)
    x += rng.normal(size=x.shape[:2])[:, :, None] * float(rng.uniform(0, 0.04))
    if rng.random() < 0.2:
        x = np.where(np.hypot(u, y)[:, :, None] < float(rng.uniform(0.85, 0.98)), x, 0.0)
    if rng.random() < 0.25:
        side = size // 5
        x[size - 14 : size - 11, size - side - 10 : size - 10] = 1.0 if x.mean() < 0.5 else 0.0
    return to_u8(x)


def ground(rng: Generator, size: int, s: Stain) -> Sheet:
    """A ground that is cloudy."""
    f = field01(rng, 2.0)[:, :, None] * float(rng.uniform(0.05, 0.3))
    return Sheet(size, (np.array(s.ground) * (1 - f) + np.array(s.body) * f).astype(np.uint8))


def blob(
    rng: Generator, x: float, y: float, r: float, rough: float, long: float = 1.0
) -> list[Point]:
    """A round outline with low bumps."""
    a = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    bumps = sum(
        (rng.normal() * rough / k * np.cos(k * a + rng.uniform(0, 6.3)) for k in range(2, 6)),
        np.zeros(40),
    )
    turn, wide = float(rng.uniform(0, np.pi)), r * (1 + bumps)
    u, v = wide * np.cos(a) * long, wide * np.sin(a)
    c, d = np.cos(turn), np.sin(turn)
    return [(float(x + c * p - d * q), float(y + d * p + c * q)) for p, q in zip(u, v, strict=True)]


def scattered(rng: Generator, count: int, apart: float) -> list[Point]:
    """Places that keep a distance."""
    found: list[Point] = []
    for _ in range(count * 4):
        x, y = (float(v) for v in rng.uniform(-4, 104, 2))
        if all(np.hypot(x - a, y - b) > apart for a, b in found):
            found.append((x, y))
        if len(found) == count:
            break
    return found
