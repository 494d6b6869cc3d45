"""Pans and stoves, hot and cold, and the frost on them."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box, ellipsoid, limb
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import glowing as lit
from benchmarks.scenes.pairs.arrange import upright
from benchmarks.scenes.pairs.things.heat import HOT, IRON, SNOW, Pieces, flame, moved


def pan_of(radius: float, *, hot: bool) -> Pieces:
    """A pan with a handle; its inner floor is at 0.12 * radius."""
    r = radius
    steel = Paint((0.25, 0.25, 0.27), specular=0.4)
    floor = lit(HOT, 0.5) if hot else IRON
    wall = upright([0, 0.3 * r, 0.3 * r, 0.1 * r], [0.85 * r, r, 0.95 * r, 0.82 * r], n=28)
    return [
        (wall, steel),
        (upright([0.1 * r, 0.12 * r], [0.84 * r, 0.84 * r], n=28), floor),
        (limb((0.95 * r, 0, 0.26 * r), (1.9 * r, 0.1 * r, 0.36 * r), 0.07 * r, 0.09 * r), IRON),
    ]


def gas_stove(rng: Generator, radius: float, *, burning: bool) -> Pieces:
    """A gas ring on a low stand, whose grate is at 0.5 * radius."""
    r = radius
    pieces: Pieces = [
        (
            upright([0, 0.08 * r], [0.9 * r, 0.85 * r], n=24),
            Paint((0.75, 0.75, 0.76), specular=0.5),
        ),
        (upright([0.08 * r, 0.25 * r], [0.4 * r, 0.35 * r]), IRON),
    ]
    for k in range(4):
        a = np.pi / 4 + k * np.pi / 2
        d = np.array([np.cos(a), np.sin(a), 0.0]) * r
        pieces.append((limb(d * 0.8, d * 0.8 + [0, 0, 0.46 * r], 0.04 * r, 0.04 * r, n=6), IRON))
        pieces.append(
            (
                limb(
                    d * 0.8 + [0, 0, 0.46 * r], d * 0.2 + [0, 0, 0.46 * r], 0.04 * r, 0.04 * r, n=6
                ),
                IRON,
            )
        )
    if burning:
        for k in range(10):
            a = k * 2 * np.pi / 10
            tongue = flame(0.36 * r * float(rng.uniform(0.85, 1.1)))
            pieces += moved(tongue, (0.52 * r * np.cos(a), 0.52 * r * np.sin(a), 0.18 * r))
    return pieces


def iron_stove(height: float, *, hot: bool) -> Pieces:
    """A cast-iron stove with a pipe; its top plate is at 0.62 * height."""
    h = height
    fire = lit((0.95, 0.4, 0.05), 0.7) if hot else Paint((0.05, 0.05, 0.05))
    plate = lit(HOT, 0.5) if hot else IRON
    pieces: Pieces = [
        (box((0, 0, 0.36 * h), (0.62 * h, 0.5 * h, 0.5 * h)), IRON),
        (box((0, 0, 0.62 * h), (0.72 * h, 0.6 * h, 0.035 * h)), plate),
        (box((0, -0.25 * h, 0.36 * h), (0.36 * h, 0.02 * h, 0.26 * h)), fire),
        (
            limb((0.2 * h, 0.16 * h, 0.62 * h), (0.2 * h, 0.16 * h, 1.0 * h), 0.06 * h, 0.06 * h),
            IRON,
        ),
    ]
    for x in (-0.12, 0.0, 0.12):
        pieces.append((box((x * h, -0.265 * h, 0.36 * h), (0.02 * h, 0.02 * h, 0.28 * h)), IRON))
    for x in (-0.25, 0.25):
        for y in (-0.19, 0.19):
            pieces.append((box((x * h, y * h, 0.06 * h), (0.06 * h, 0.06 * h, 0.12 * h)), IRON))
    return pieces


def frost_on_stove(rng: Generator, height: float) -> Pieces:
    """A cap of snow with icicles along the front edge of the stove's top plate."""
    h, icicle = height, Paint((0.8, 0.9, 0.97), specular=0.8, shininess=0.8)
    pieces: Pieces = []
    for k in range(6):
        x = (-0.27 + 0.108 * k) * h
        size = np.array([0.12, 0.24, 0.07]) * h * float(rng.uniform(0.85, 1.1))
        pieces.append((ellipsoid((x, -0.04 * h, 0.64 * h), size, n=12), SNOW))
    for k in range(8):
        x = (-0.33 + 0.094 * k) * h
        long = float(rng.uniform(0.1, 0.22)) * h
        tip = (x, -0.31 * h, 0.63 * h - long)
        pieces.append((limb((x, -0.31 * h, 0.63 * h), tip, 0.022 * h, 0.003 * h, n=7), icicle))
    return pieces
