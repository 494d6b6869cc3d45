"""A tower of blocks on a table, and a row of dominoes: both as gravity leaves them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.physics import Body, body_of, domino_row, settle
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, kitchen, props, signs
from benchmarks.scenes.pairs.things.kit import Options, colour
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.room import Textures, floor, surface, wall
from benchmarks.scenes.pairs.world import Thing, World

_ASIDES: Options = (
    (blocks.ball, {"radius": 0.04}),
    (blocks.block, {}),
    (blocks.cylinder, {}),
    (props.toy_car, {}),
    (props.teddy, {"turn": 20.0}),
    (blocks.book, {}),
    (kitchen.mug, {}),
    (kitchen.apple, {}),
    (signs.jar, {"turn": 0.0}),
    (props.pencil_pot, {}),
    (kitchen.cup, {}),
    (blocks.carton, {"scale": 0.6}),
    (props.potted_plant, {}),
    (signs.bottle, {}),
)


def _stage(rng: Generator, textures: Textures, back: float) -> list[Part]:
    top = surface(rng, textures, "top", ("wood", "cloth", "carpet", "planks", "marble"), "xy", 0.9)
    behind = surface(rng, textures, "wall", ("plaster", "wallpaper", "brick", "planks"), "yz", 1.2)
    return [floor(0.0, top, 8.0), wall(-back, behind, low=-0.2)]


def _stack(rng: Generator, bodies: int, slack: float) -> list[Thing]:
    """Blocks upon each other, each a little aside of the one below."""
    things: list[Thing] = []
    x = y = z = 0.0
    wide = float(rng.uniform(0.075, 0.11))
    for i in range(bodies):
        round_ = i > 0 and rng.random() < 0.25
        w, d, h = (
            float(v) for v in rng.uniform(0.7, 1.15, 3) * np.array([wide, wide, wide * 0.62])
        )
        turn = float(rng.uniform(-25, 25))
        on = things[-1].key if things else None
        how: dict[str, Any] = {
            "at": (x, y, z),
            "turn": turn,
            "subject": True,
            "rests_on": on,
            "extra": ("stacked",),
        }
        if round_:
            one = blocks.cylinder(rng, f"block.{i}", radius=w * 0.42, height=h, **how)
        else:
            one = blocks.block(rng, f"block.{i}", size=(d, w, h), **how)
        things.append(one)
        z += h
        x += float(rng.uniform(-1, 1)) * slack * wide
        y += float(rng.uniform(-1, 1)) * slack * wide
        wide *= float(rng.uniform(0.88, 1.0))
    return things


def _body(one: Thing) -> Body:
    """The body of a block that is turned about z only."""
    dims = one.facts["dims"]
    box = one.facts["shape"] == "box"
    edge = one.parts[0].pieces[0].mesh.verts
    turn = np.eye(3)
    if box:  # the direction of its own x axis, from its first face's corners
        normal = one.parts[0].pieces[0].mesh.normals[4]
        turn = np.stack([normal, np.cross([0, 0, 1.0], normal), [0, 0, 1.0]], 1)
    return Body(
        one.key, "box" if box else "cylinder", tuple(dims), (edge.min(0) + edge.max(0)) / 2, turn
    )


def _settled(rng: Generator) -> list[Thing]:
    """A tower that stays as it is under gravity."""
    for slack in (0.2, 0.12, 0.05, 0.0):
        things = _stack(rng, int(rng.integers(3, 7)), slack)
        result = settle([_body(one) for one in things], seconds=0.7)
        if all(pose.tilt < 1.5 and pose.moved < 0.006 for pose in result.poses.values()):
            return things
    return things


@base(
    "block_tower",
    "Tower of toy blocks on a table, at rest under gravity; toys, cups and books around it",
)
@furnished
def block_tower(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    back = float(rng.uniform(0.4, 1.2))
    stage = _stage(rng, textures, back)
    tower = _settled(rng)
    verts = np.concatenate([one.verts() for one in tower])
    camera = view(rng, verts, fill=(0.42, 0.66), high=(8, 30), turn=40, drop=(-0.3, 0.5))
    plan = Layout(rng, camera, (-back, 2.0, -2.0, 2.0), wall=-back, textures=textures)
    for one in tower:
        plan.add(one)
    plan.keep(int(rng.integers(1, 3)), 0.09)
    if rng.random() < 0.4:
        plan.hang(signs.wall_sign, "sign", low=0.15)
    if rng.random() < 0.5:
        _pile(rng, plan)
    plan.several(_ASIDES, int(rng.integers(3, 7)))
    return plan.world("block_tower", stage, daylight(rng, camera), free=2, size=0.08)


def _pile(rng: Generator, plan: Layout) -> None:
    """A small block with another on it, aside."""
    under = plan.put(
        blocks.block, "low_block", size=(0.07, 0.09, 0.04), turn=float(rng.uniform(-30, 30))
    )
    if under is None:
        return
    at = (*under.centre[:2], float(under.high[2]))
    upper = (blocks.block, blocks.cylinder)[int(rng.integers(2))]
    how: dict[str, Any] = (
        {"size": (0.05, 0.06, 0.045)}
        if upper is blocks.block
        else {"radius": 0.026, "height": 0.05}
    )
    one = upper(
        rng,
        "upper_block",
        at=at,
        turn=float(rng.uniform(0, 90)),
        rests_on=under.key,
        extra=("stacked",),
        **how,
    )
    plan.add(one)


@base(
    "domino_row",
    "Row of dominoes on a table: all standing, falling in order, or all fallen, as dynamics has it",
)
@furnished
def dominoes(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    back = float(rng.uniform(0.35, 0.9))
    stage = _stage(rng, textures, back)
    count = int(rng.integers(6, 11))
    size = (
        float(rng.uniform(0.009, 0.014)),
        float(rng.uniform(0.026, 0.036)),
        float(rng.uniform(0.055, 0.075)),
    )
    row = domino_row(count, size, float(rng.uniform(0.3, 0.5)) * size[2])
    state = float(rng.random())
    seconds = 0.0 if state < 0.25 else float(rng.uniform(0.15, 0.5)) if state < 0.65 else 2.5
    poses = settle(row, seconds=seconds).poses if seconds else None
    one_colour = colour(rng, (0.4, 0.95), (0.3, 0.95))
    mixed = rng.random() < 0.6
    swing = rot("z", float(rng.choice([90.0, -90.0]) + rng.uniform(-35, 35)))
    things: list[Thing] = []
    for body in row:
        foot = (float(body.at[0]), 0.0, 0.0)
        paint = None if mixed else one_colour
        one = blocks.domino(
            rng, f"domino.{body.key}", at=foot, size=size, paint=paint, subject=True
        )
        if poses is not None:
            one = poses[body.key].place(one)
            one = one.moved([0, 0, max(-float(one.low[2]), 0.0)])
            one = replace(one, facts={**one.facts, "fallen": poses[body.key].tilt})
        things.append(one.about(swing, (float(row[-1].at[0]) / 2, 0, 0)))
    middle = np.mean([one.centre for one in things], 0)
    things = [one.moved([-middle[0], -middle[1], 0.0]) for one in things]
    verts = np.concatenate([one.verts() for one in things])
    camera = view(rng, verts, fill=(0.62, 0.8), high=(14, 36), turn=25, drop=(-0.5, 0.5))
    plan = Layout(rng, camera, (-back, 1.5, -1.5, 1.5), wall=-back, textures=textures)
    for one in things:
        plan.add(one)
    plan.keep(1, 0.07)
    plan.several(_ASIDES, int(rng.integers(3, 6)))
    return plan.world("domino_row", stage, daylight(rng, camera), free=2, size=0.06)


__all__ = ["block_tower", "body_of", "dominoes"]
