"""Heavy bodies that balance on an edge, a tip or a ball."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.arrange import Spot, placeable, spot_for
from benchmarks.scenes.pairs.bodies import box_body, draw_paints, mesh_of, shown
from benchmarks.scenes.pairs.physics import Body, stands
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer
from benchmarks.scenes.pairs.world import Thing, World


@recipe(
    "support_stability",
    "on_its_tip",
    fits=placeable(0.6, 6.0),
    planted="A heavy block balances on its edge or corner, a cone on its tip, or a slab on a ball.",
    twin="The same bodies lie flat, or beside each other.",
    held_out=True,
)
def on_its_tip(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.6, rng, 6.0, grow=2.4)
    if spot is None:
        return None
    ways = (_on_corner, _on_cone, _on_ball)
    wrong, right = ways[int(rng.integers(3))](spot, rng)
    if not spot.fair(*wrong, least=44) or not spot.fair(*right, least=44):
        return None
    return closer(
        Planted(
            spot.world.plus(*wrong),
            spot.world.plus(*right),
            tuple(t.key for t in wrong),
            "A heavy body balances on an edge, a tip or a ball.",
        ),
        rng,
    )


def _on_corner(spot: Spot, rng: Generator) -> tuple[list[Thing], list[Thing]]:
    size = (
        float(rng.uniform(0.3, 0.42)),
        float(rng.uniform(0.24, 0.34)),
        float(rng.uniform(0.26, 0.4)),
    )
    flat = box_body("block.0", size, (0, 0, size[2] / 2), float(rng.uniform(-30, 30)))
    tip = rot("y", float(rng.uniform(32, 52)))
    if rng.random() < 0.5:
        tip = rot("x", float(rng.uniform(30, 42))) @ tip
    turned = replace(flat, turn=tip)
    lowest = float(mesh_of(turned).verts[:, 2].min())
    turned = replace(turned, at=turned.at - [0, 0, lowest])
    if stands([turned]):
        return [], []
    paints = draw_paints(rng, 1)
    return shown(spot, [turned], paints, "block"), shown(spot, [flat], paints, "block")


def _on_cone(spot: Spot, rng: Generator) -> tuple[list[Thing], list[Thing]]:
    high, radius = float(rng.uniform(0.42, 0.55)), float(rng.uniform(0.16, 0.24))
    from benchmarks.scenes.pairs.arrange import upright

    cone = upright([0, high], [radius, 0.004], n=24)
    paint = draw_paints(rng, 1)[0]
    over = cone.transformed(rot("x", 180), (0, 0, high))
    return (
        [spot.put("cone", "cone", [(over, paint)], has=("rigid",))],
        [spot.put("cone", "cone", [(cone, paint)], has=("rigid",))],
    )


def _on_ball(spot: Spot, rng: Generator) -> tuple[list[Thing], list[Thing]]:
    r = float(rng.uniform(0.09, 0.13))
    size = (
        float(rng.uniform(0.4, 0.5)),
        float(rng.uniform(0.25, 0.35)),
        float(rng.uniform(0.08, 0.12)),
    )
    ball = Body("ball", "sphere", (r,), np.array([0, 0, r]))
    slab = box_body("slab", size, (0.03, 0, 2 * r + size[2] / 2), float(rng.uniform(-15, 15)))
    load = box_body("load", (0.16, 0.16, 0.16), (0.08, 0, 2 * r + size[2] + 0.08))
    paints = draw_paints(rng, 3)
    flat = [
        replace(ball, at=np.array([-size[0] / 2 - r * 1.2, -0.1, r])),
        replace(slab, at=np.array([0.0, 0.0, size[2] / 2])),
        replace(load, at=np.array([0.06, 0.0, size[2] + 0.08])),
    ]
    if stands([ball, slab, load]) or not stands(flat[1:]):
        return [], []
    return shown(spot, [ball, slab, load], paints, "block"), shown(spot, flat, paints, "block")
