"""Things without class, put into a scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part, Piece

from .indoor import ball, bed, bottle, chair, moved, shelf, table
from .outdoor import bush, fence, house, post, rock, tree

Maker = Callable[[Generator], list[Piece]]

OUTDOOR: Final[tuple[Maker, ...]] = (tree, tree, bush, house, rock, post, fence)

INDOOR: Final[tuple[Maker, ...]] = (table, chair, shelf, bed, bottle, ball)


def place(key: str, maker: Maker, rng: Generator, at: F64, scale: float = 1.0) -> Part:
    """A prop put at a point, turned about z by chance."""
    turn = rot("z", float(rng.uniform(0, 360))) * scale
    return Part(key, None, tuple(moved(maker(rng), turn, at)))


def scatter(
    rng: Generator, camera: Camera, floor: float, count: int, makers: tuple[Maker, ...] = OUTDOOR
) -> list[Part]:
    """Props behind the subject as the camera sees it."""
    a = np.deg2rad(camera.azimuth)
    back, side = -np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
    parts = []
    for i in range(count):
        depth = float(rng.uniform(3.8, 12))
        at = (
            back * depth
            + side * float(rng.uniform(-1, 1)) * (1.5 + depth * 0.6)
            + np.array([0, 0, floor])
        )
        parts.append(
            place(
                f"prop.{i}",
                makers[rng.integers(len(makers))],
                rng,
                at,
                float(rng.uniform(0.7, 1.4)),
            )
        )
    return parts
