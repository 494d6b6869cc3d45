"""Rigid bodies of an arrangement as things of a world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import box, disc, ellipsoid, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import Spot, pick
from benchmarks.scenes.pairs.physics import Body
from benchmarks.scenes.pairs.world import Thing

PAINTS = (
    (0.75, 0.25, 0.2), (0.2, 0.4, 0.65), (0.85, 0.65, 0.2), (0.3, 0.55, 0.3), (0.6, 0.42, 0.25),
    (0.5, 0.5, 0.52), (0.85, 0.82, 0.75), (0.5, 0.3, 0.5),
)  # fmt: skip


def mesh_of(body: Body) -> Mesh:
    """What a body looks like where it is."""
    if body.shape == "sphere":
        made = ellipsoid((0, 0, 0), (body.size[0],) * 3, n=16)
    elif body.shape == "cylinder":
        made = disc((0, 0, 0), body.size[0], body.size[1], n=24).transformed(
            rot("x", 90), (0, 0, 0)
        )
    else:
        made = box((0, 0, 0), body.size)
    return made.transformed(body.turn, body.at)


def shown(spot: Spot, bodies: Sequence[Body], paints: Sequence[Paint], kind: str) -> list[Thing]:
    """Bodies of an arrangement as things of the world, keys as theirs."""
    return [
        spot.put(b.key, kind, [(mesh_of(b), p)], has=("rigid", "stacked"))
        for b, p in zip(bodies, paints, strict=True)
    ]


def draw_paints(rng: Generator, count: int) -> list[Paint]:
    return [Paint(pick(rng, PAINTS), specular=float(rng.uniform(0.02, 0.3))) for _ in range(count)]


def box_body(
    key: str, size: tuple[float, float, float], at: Sequence[float], turn: float = 0.0
) -> Body:
    return Body(key, "box", size, np.asarray(at, float), rot("z", turn))
