"""Surfaces as 256 x 256 textures: wood, brick, stone, metal, cloth, fur patterns, grass, tiles ..."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import TEX, U8, hue, to_u8

_Y, _X = np.mgrid[0:TEX, 0:TEX].astype(float)


def _mix(a: F64, b: F64, f: F64) -> F64:
    return a * (1 - f[:, :, None]) + b * f[:, :, None]


def wood(rng: Generator) -> F64:
    """Boards with a grain along x."""
    warp = field01(rng, 2.0) * rng.uniform(14, 34)
    fine = field01(rng, 1.0)
    rings = 0.5 + 0.5 * np.sin((_Y + warp) * 2 * np.pi * int(rng.integers(5, 11)) / TEX * 2)
    base = np.array([0.66, 0.46, 0.28]) * rng.uniform(0.6, 1.25)
    rgb: F64 = _mix(base, base * np.array([0.62, 0.55, 0.48]), rings * 0.32 + fine * 0.4)
    boards = int(rng.choice([2, 4]))
    rgb[(_Y % (TEX / boards)) < 2.5] *= 0.45
    return rgb


def brick(rng: Generator) -> F64:
    """Bricks in running bond with mortar."""
    rows = int(rng.choice([6, 8]))
    h = TEX / rows
    w = h * 2
    row = (_Y // h).astype(int)
    shifted = (_X + (row % 2) * w / 2) % TEX
    col = (shifted // w).astype(int)
    shade = 0.8 + 0.4 * ((row * 7919 + col * 104729) % 17 / 17)
    base = np.array([0.64, 0.27, 0.19]) * rng.uniform(0.75, 1.2)
    rgb: F64 = base * shade[:, :, None] * (0.8 + 0.4 * field01(rng, 0.6)[:, :, None])
    mortar = (_Y % h < 4) | (shifted % w < 4)
    rgb[mortar] = np.array([0.76, 0.73, 0.68])
    return rgb


def stone(rng: Generator) -> F64:
    """Rough grey or brown stone."""
    v = 0.45 * field01(rng, 1.5) + 0.55 * field01(rng, 0.6)
    base = np.array([0.56, 0.54, 0.5]) * rng.uniform(0.75, 1.2)
    rgb = base * (0.5 + 0.8 * v)[:, :, None]
    cracks = np.abs(field01(rng, 2.0) - 0.5) < 0.012
    rgb[cracks] *= 0.45
    return rgb


def marble(rng: Generator) -> F64:
    """Light marble with dark veins."""
    f = field01(rng, 2.0)
    veins = np.clip(1 - np.abs(f - 0.5) * 28, 0, 1) + 0.5 * np.clip(
        1 - np.abs(field01(rng, 1.5) - 0.5) * 30, 0, 1
    )
    base, dark = np.array([0.9, 0.89, 0.87]), np.array([0.38, 0.38, 0.42])
    return _mix(
        base * (0.9 + 0.1 * field01(rng, 2.6))[:, :, None], dark, np.clip(veins * 0.75, 0, 1)
    )


def metal(rng: Generator) -> F64:
    """Brushed metal."""
    lines = rng.random((TEX, 1)) * 0.25 + 0.12 * field01(rng, 1.0)
    rgb: F64 = np.array([0.72, 0.74, 0.77]) * (0.75 + lines)[:, :, None]
    return rgb


def rust(rng: Generator) -> F64:
    """Corroded iron."""
    f = np.clip((field01(rng, 1.5) - 0.35) * 3, 0, 1)
    rusty = _mix(np.array([0.55, 0.24, 0.08]), np.array([0.32, 0.13, 0.05]), field01(rng, 0.6))
    return _mix(np.array([0.42, 0.4, 0.39]), np.array([0.0]), f) + rusty * f[:, :, None]


def cloth(rng: Generator) -> F64:
    """Woven cloth: plain, striped or checked."""
    base, second = (
        np.array(hue(rng, (0.2, 0.8), (0.4, 0.95))),
        np.array(hue(rng, (0.1, 0.7), (0.4, 1.0))),
    )
    style, n = int(rng.integers(3)), int(rng.choice([4, 8]))
    stripe_x, stripe_y = (_X * n // TEX) % 2, (_Y * n // TEX) % 2
    f = (np.zeros_like(_X), stripe_x, (stripe_x + stripe_y) / 2)[style]
    weave = 0.86 + 0.14 * ((_X // 2 + _Y // 2) % 2)
    rgb: F64 = _mix(base, second, f) * (weave * (0.85 + 0.3 * field01(rng, 1.0)))[:, :, None]
    return rgb


def knit(rng: Generator) -> F64:
    """Knitted wool: columns of V-shaped stitches."""
    base = np.array(hue(rng, (0.25, 0.8), (0.45, 0.9)))
    x, y = _X % 16, _Y
    v = np.abs(x - 8)
    stitch = 0.5 + 0.5 * np.cos((y - v * 0.9) * 2 * np.pi / 12.8)
    shade = 0.45 + 0.6 * stitch * np.clip(1 - np.abs(v - 4) / 6, 0.2, 1)
    rgb: F64 = base * (shade * (0.9 + 0.2 * field01(rng, 1.0)))[:, :, None]
    return rgb


def leopard(rng: Generator) -> F64:
    """Leopard's spots: dark rings on tawny fur."""
    n = int(rng.integers(5, 8))
    cell = TEX / n
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    jitter = rng.uniform(0.25, 0.75, (2, n, n))
    cx, cy = ((j + jitter[0]) * cell).ravel(), ((i + jitter[1]) * cell).ravel()
    rgb: F64 = np.array([0.82, 0.6, 0.3]) * (0.85 + 0.25 * field01(rng, 1.0))[:, :, None]
    bend = (field01(rng, 1.5) - 0.5) * 14
    for x, y in zip(cx, cy, strict=True):
        dx = np.abs(_X - x)
        dy = np.abs(_Y - y)
        d = np.hypot(np.minimum(dx, TEX - dx), np.minimum(dy, TEX - dy)) + bend
        r = cell * rng.uniform(0.26, 0.36)
        rgb[d < r] = np.array([0.14, 0.09, 0.06])
        rgb[d < r * 0.52] = np.array([0.6, 0.38, 0.17])
    return rgb


def grass(rng: Generator) -> F64:
    """Grass blades from above."""
    f = field01(rng, 0.6)
    streaks = np.roll(f, 1, 0) * 0.5 + np.roll(f, 2, 0) * 0.5
    base = np.array([0.26, 0.5, 0.14]) * rng.uniform(0.8, 1.25)
    rgb: F64 = base * (0.4 + 0.9 * (0.5 * f + 0.5 * streaks) + 0.3 * field01(rng, 2.0))[:, :, None]
    return rgb


def tiles(rng: Generator) -> F64:
    """Glazed tiles with grout."""
    n = int(rng.choice([4, 6, 8]))
    c = TEX / n
    row, col = (_Y // c).astype(int), (_X // c).astype(int)
    base = np.array(hue(rng, (0.0, 0.45), (0.6, 0.97)))
    rgb: F64 = base * (0.94 + 0.06 * ((row * 31 + col * 17) % 7 / 7))[:, :, None]
    if rng.random() < 0.4:
        rgb[(row + col) % 2 == 0] *= rng.uniform(0.5, 0.85)
    grout = np.array([0.72, 0.71, 0.69]) * rng.uniform(0.6, 1.1)
    rgb[(_Y % c < 3) | (_X % c < 3)] = grout
    return rgb


def plaster(rng: Generator) -> F64:
    """A painted wall, nearly even."""
    base = np.array(hue(rng, (0.0, 0.4), (0.55, 0.95)))
    rgb: F64 = base * (0.93 + 0.07 * field01(rng, 1.0) + 0.05 * field01(rng, 2.6))[:, :, None]
    return rgb


def wallpaper(rng: Generator) -> F64:
    """Wallpaper with stripes or dots."""
    base, second = (
        np.array(hue(rng, (0.0, 0.4), (0.6, 0.95))),
        np.array(hue(rng, (0.1, 0.5), (0.5, 0.9))),
    )
    n = int(rng.choice([4, 8, 16]))
    if rng.random() < 0.5:
        f = ((_X * n * 2 // TEX) % 2) * 0.6
    else:
        c = TEX / n
        f = (np.hypot(_X % c - c / 2, _Y % c - c / 2) < c * 0.22) * 0.8
    return _mix(base, second, f) * (0.94 + 0.08 * field01(rng, 1.0))[:, :, None]


def carpet(rng: Generator) -> F64:
    """A carpet with pile and bands."""
    base, second = (
        np.array(hue(rng, (0.2, 0.7), (0.3, 0.7))),
        np.array(hue(rng, (0.2, 0.7), (0.3, 0.8))),
    )
    n = int(rng.choice([2, 4, 8]))
    d = np.maximum(np.abs(_X - 128), np.abs(_Y - 128))
    f = (d * n // 128) % 2
    return _mix(base, second, f * 0.8) * (0.8 + 0.3 * field01(rng, 0.6))[:, :, None]


def planks(rng: Generator) -> F64:
    """A floor of planks."""
    n = int(rng.choice([4, 8]))
    h = TEX / n
    row = (_Y // h).astype(int)
    base = np.array([0.62, 0.44, 0.28]) * rng.uniform(0.6, 1.2)
    shade = 0.8 + 0.35 * ((row * 37) % 11 / 11)
    grain = 0.8 + 0.35 * np.roll(field01(rng, 1.0), 0)[:, ::-1]
    rgb: F64 = base * (shade * (0.5 + 0.5 * grain))[:, :, None]
    rgb[_Y % h < 2] *= 0.4
    rgb[(np.abs((_X + row * 97) % TEX) < 2)] *= 0.5
    return rgb


def skin(rng: Generator) -> F64:
    """Reptile scales."""
    base = np.array(hue(rng, (0.2, 0.6), (0.3, 0.7)))
    row = (_Y // 16).astype(int)
    x = (_X + (row % 2) * 10) % 20 - 10
    d = np.hypot(x / 10, (_Y % 16 - 8) / 9)
    rgb: F64 = base * (1.25 - 0.8 * np.clip(d, 0, 1))[:, :, None]
    return rgb


MATERIALS: Final[dict[str, Callable[[Generator], F64]]] = {
    f.__name__: f
    for f in (
        wood,
        brick,
        stone,
        marble,
        metal,
        rust,
        cloth,
        knit,
        leopard,
        grass,
        tiles,
        plaster,
        wallpaper,
        carpet,
        planks,
        skin,
    )
}
"""By name; `texture` makes their pixels."""


_VARIANTS: Final = 10
"""Of each material; made once a process, from a constant seed."""


@cache
def _variant(name: str, k: int) -> U8:
    return to_u8(MATERIALS[name](np.random.default_rng([*name.encode(), k])))


def texture(name: str, rng: Generator) -> U8:
    """The pixels [256, 256, 3] of a material: one of ten, shifted and tinted. Its rows wrap round.

    Raises:
        KeyError: no such material.
    """
    pixels = np.roll(_variant(name, int(rng.integers(_VARIANTS))), int(rng.integers(TEX)), 1)
    tint = rng.uniform(0.9, 1.1, 3) * rng.uniform(0.82, 1.12)
    table = np.clip(np.arange(256)[:, None] * tint + 0.5, 0, 255).astype(np.uint8)
    return np.stack([table[:, c][pixels[..., c]] for c in range(3)], -1)
