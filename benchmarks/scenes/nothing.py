"""Scenes with no aircraft, car or animal in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.random import Generator

from . import props
from .camera import Camera, aim
from .props import Maker, place
from .subject import Part

SCENES: Final[dict[str, tuple[Sequence[Maker], tuple[int, int], str]]] = {
    "room": (props.INDOOR, (3, 8), "a room with furniture"),
    "blocks": ((props.block, props.ball), (2, 12), "blocks and balls on a floor"),
    "landscape": ((props.tree, props.tree, props.bush, props.rock, props.mountain), (3, 12), "a landscape with trees"),
    "street": ((props.house, props.house, props.post, props.tree, props.fence), (3, 9), "an empty street with houses"),
    "boat": ((props.boat,), (1, 3), "a boat"),
    "bottles": ((props.bottle,), (1, 8), "bottles on a table"),
    "tangle": ((props.tangle, props.block), (1, 4), "an abstract sculpture"),
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
        maker = makers[rng.integers(len(makers))]
        if maker is props.mountain:
            at[:2] += rng.choice([-1, 1], 2) * 9
        parts.append(place(f"thing.{i}", maker, rng, at, scale))
    near = [p.verts() for p in parts if np.linalg.norm(p.centre[:2]) < 8]
    verts = np.concatenate(near) if near else rng.normal(size=(8, 3)) + [0, 0, 1.2]
    camera = aim(verts, float(rng.uniform(0, 360)), float(rng.uniform(4, 50)), float(rng.uniform(22, 60)), float(rng.normal() * 2),
                 float(rng.uniform(0.6, 1.3)), (float(rng.uniform(-1, 1)), float(rng.uniform(-1, 1))))  # fmt: skip
    return name, text, parts, camera
