"""Scenes with no aircraft, car or animal in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.camera import Camera, aim
from benchmarks.scenes.geometry.subject import Part

from .indoor import ball, block, bottle, tangle
from .outdoor import boat, bush, fence, house, mountain, post, rock, tree
from .props import INDOOR, Maker, place

SCENES: Final[dict[str, tuple[Sequence[Maker], tuple[int, int], str]]] = {
    "room": (INDOOR, (3, 8), "a room with furniture"),
    "blocks": ((block, ball), (2, 12), "blocks and balls on a floor"),
    "landscape": (
        (tree, tree, bush, rock, mountain),
        (3, 12),
        "a landscape with trees",
    ),
    "street": (
        (house, house, post, tree, fence),
        (3, 9),
        "an empty street with houses",
    ),
    "boat": ((boat,), (1, 3), "a boat"),
    "bottles": ((bottle,), (1, 8), "bottles on a table"),
    "tangle": ((tangle, block), (1, 4), "an abstract sculpture"),
    "empty": ((), (0, 0), "an empty background"),
}


def arrange(rng: Generator) -> tuple[str, str, list[Part], Camera]:
    """A scene's name, caption, parts (floor at z = 0) and camera."""
    name = str(rng.choice(list(SCENES)))
    makers, (low, high), text = SCENES[name]
    count = int(rng.integers(low, high + 1)) if makers else 0
    spread = 0.5 + 0.28 * count
    parts = []
    for i in range(count):
        at = np.array([rng.uniform(-1, 1) * spread, rng.uniform(-1, 1) * spread, 0.0])
        scale = float(rng.uniform(0.7, 1.4))
        maker = makers[int(rng.integers(len(makers)))]
        if maker is mountain:
            at[:2] += rng.choice([-1, 1], 2) * 9
        parts.append(place(f"thing.{i}", maker, rng, at, scale))
    near = [p.verts() for p in parts if np.linalg.norm(p.centre[:2]) < 8]
    verts = np.concatenate(near) if near else rng.normal(size=(8, 3)) + np.array([0, 0, 1.2])
    camera = aim(
        verts,
        float(rng.uniform(0, 360)),
        float(rng.uniform(4, 50)),
        float(rng.uniform(22, 60)),
        float(rng.normal() * 2),
        float(rng.uniform(0.6, 1.3)),
        (float(rng.uniform(-1, 1)), float(rng.uniform(-1, 1))),
    )
    return name, text, parts, camera
