"""Plainly heavy things: a bowling ball, an iron weight with a handle, an anvil."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, prism, tube
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import matt, pick, upright
from benchmarks.scenes.pairs.things.heat import IRON, Pieces


def weight(rng: Generator, size: float) -> tuple[str, Pieces, float]:
    """Something plainly heavy, standing on z = 0, and the radius of its base."""
    way = int(rng.integers(3))
    if way == 0:
        ball = Paint(
            pick(rng, ((0.1, 0.1, 0.12), (0.25, 0.08, 0.12), (0.1, 0.15, 0.3))),
            specular=0.8,
            shininess=0.8,
        )
        holes: Pieces = [
            (
                ellipsoid(np.array([x, -0.48, 1.68]) * size, (0.11 * size,) * 3, n=8),
                matt((0.02, 0.02, 0.02)),
            )
            for x in (-0.16, 0.16)
        ]
        return (
            "bowling ball",
            [(ellipsoid((0, 0, size), (size,) * 3, n=20), ball), *holes],
            size * 0.85,
        )
    if way == 1:
        s = size
        iron: Pieces = [
            (upright([0, 0.1 * s, 1.1 * s, 1.25 * s], [0.9 * s, s, s, 0.8 * s], n=20), IRON),
            (upright([1.25 * s, 1.4 * s], [0.3 * s, 0.3 * s]), IRON),
            (tube(_arch(0.5 * s, 1.35 * s), [0.12 * s] * 7, n=8, up=(0, 1, 0)), IRON),
        ]
        return "iron weight", iron, s
    s = size
    low = [(x * s, y * s, 0.0) for x, y in ((-0.9, -0.5), (0.9, -0.5), (0.9, 0.5), (-0.9, 0.5))]
    top = [(x * 0.56, y * 0.6, 0.4 * s) for x, y, _ in low]
    anvil: Pieces = [
        (prism(low, top), IRON),
        (box((0, 0, 0.6 * s), (0.8 * s, 0.5 * s, 0.5 * s)), IRON),
        (box((0, 0, 1.0 * s), (1.6 * s, 0.75 * s, 0.4 * s)), IRON),
        (limb((0.7 * s, 0, 1.02 * s), (1.6 * s, 0, 1.12 * s), 0.24 * s, 0.05 * s), IRON),
    ]
    return "anvil", anvil, s


def _arch(radius: float, base: float) -> F64:
    a = np.linspace(0, np.pi, 7)
    return np.stack([radius * np.cos(a), np.zeros(7), base + radius * np.sin(a)], 1)
