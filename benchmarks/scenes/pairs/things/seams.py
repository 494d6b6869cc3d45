"""Straight edges that belong where they are: a wall of two colours, panelling, a painted band."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Part

from .kit import RGB, box, colour, part, tint

_THICK = 0.004
_HIGH = 7.0


def _other(rng: Generator) -> RGB:
    """A colour for a painted area: pale, or full now and then."""
    if rng.random() < 0.3:
        return colour(rng, (0.3, 0.8), (0.3, 0.8)).rgb
    grey = float(rng.uniform(0.45, 0.95))
    return tint((grey, grey, grey), rng, 0.1)


def seams(rng: Generator, x: float, z: float, half: float = 10.0) -> list[Part]:
    """An edge on the wall at x that stands on z, so that an edge in itself is nothing wrong."""
    paint, kind = Paint(_other(rng), specular=0.05), float(rng.random())
    y = float(rng.uniform(-0.7, 0.7))
    if kind < 0.4:
        high = float(rng.uniform(0.7, 1.15))
        rail = Paint(tint(np.array(paint.rgb) * 0.8, rng, 0.05), specular=0.1)
        return [
            part("backdrop.panel", (box((x, 0, z + high / 2), (_THICK, 2 * half, high)), paint)),
            part("backdrop.rail", (box((x, 0, z + high), (0.012, 2 * half, 0.03)), rail)),
        ]
    wide = half if kind < 0.8 else float(rng.uniform(0.12, 0.4))
    side = float(rng.choice([-1.0, 1.0]))
    middle = (x, y + side * wide / 2, z + _HIGH / 2)
    return [part("backdrop.painted", (box(middle, (_THICK, wide, _HIGH)), paint))]
