"""Heavy things that nothing holds; whether they would stay is asked of the dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import box, limb, rot
from benchmarks.scenes.pairs.arrange import matt, pick, placeable, spot_for, thing
from benchmarks.scenes.pairs.bodies import PAINTS, box_body, draw_paints, shown
from benchmarks.scenes.pairs.physics import body_of, stands
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer, facing, foot, grounded, has_room, in_sight
from benchmarks.scenes.pairs.world import Thing, World


def _raisable(world: World, target: Thing) -> bool:
    if target.tags & {"hangs", "held", "worn", "flame", "floats", "aircraft", "building", "plant"}:
        return False
    if target.tags & {"living", "transparent"} or world.place in ("air", "water"):
        return False
    return bool(target.tags & {"stands", "rigid", "vehicle", "furniture", "ball"}) and in_sight(
        world, target, 28
    )


def _lift(world: World, target: Thing, by: float) -> World:
    """The thing and all that stands on it, raised."""
    up = (0.0, 0.0, by)
    return world.changed(target.moved(up), *(t.moved(up) for t in world.resting_on(target.key)))


@recipe(
    "support_stability",
    "raised",
    fits=_raisable,
    planted="A thing and what stands on it hang in the air by a quarter to nine tenths "
    "of its height; its "
    "shadow is apart.",
    twin="It rests where it belongs; or it is as high, on a pedestal, or on a cord from above.",
)
def raised(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    high = float(target.size[2])
    by = float(np.clip(rng.uniform(0.35, 0.9) * high, 0.2 * float(target.size.max()), 1.6))
    violated = _lift(world, target, by)
    raised_one = violated.thing(target.key)
    held = {t.key for t in world.resting_on(target.key)} | {target.key, target.rests_on or ""}
    if not in_sight(world, raised_one, 28, 0.97) or not has_room(world, raised_one, held):
        return None
    clean, way = world, float(rng.random())
    if way < 0.3:
        clean = violated.plus(_pedestal(world, target, by, rng))
    elif way < 0.5 and not world.resting_on(target.key):
        clean = violated.plus(_cord(world, raised_one))
    return closer(
        Planted(violated, clean, (target.key,), f"The {target.kind} hangs in the air."), rng
    )


def _pedestal(world: World, target: Thing, high: float, rng: Generator) -> Thing:
    wide = float(max(target.size[0], target.size[1])) * 1.06
    mesh = box((0, 0, high / 2), (wide, wide, high)).transformed(facing(world), (0, 0, 0))
    paint = matt(pick(rng, PAINTS))
    return thing("pedestal", "pedestal", [(mesh, paint)], at=foot(target), like=target)


def _cord(world: World, target: Thing) -> Thing:
    top = np.array([target.centre[0], target.centre[1], target.high[2]])
    r = 0.012 * float(target.size.max())
    up = np.array([0.0, 0.0, 12 * float(target.size.max()) + 2.0])
    mesh = limb(top - np.array([0, 0, 4 * r]), top + up, r, r, n=8)
    return thing("cord", "cord", [(mesh, matt((0.12, 0.1, 0.09)))], like=target, casts=False)


@recipe(
    "support_stability",
    "stack_without_middle",
    fits=placeable(0.6, 6.0),
    planted="From a stack of blocks one in the middle is gone and all above it stay "
    "where they are.",
    twin="The whole stack stands; or the stack is as much lower.",
)
def stack_without_middle(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.6, rng, 6.0, grow=2.4)
    if spot is None:
        return None
    count = int(rng.integers(4, 7))
    bodies, z = [], 0.0
    gone = int(rng.integers(1, count - 1))
    for k in range(count):
        h = float(rng.uniform(0.09, 0.13)) * (1.25 if k == gone else 1.0)
        size = (float(rng.uniform(0.2, 0.27)), float(rng.uniform(0.16, 0.22)), h)
        at = (*rng.uniform(-0.012, 0.012, 2), z + h / 2)
        bodies.append(box_body(f"block.{k}", size, at, float(rng.uniform(-14, 14))))
        z += h
    paints = draw_paints(rng, count)
    things = shown(spot, bodies, paints, "block")
    left = [t for k, t in enumerate(things) if k != gone]
    if not stands(bodies) or stands([b for k, b in enumerate(bodies) if k != gone]):
        return None
    if not spot.fair(*things, least=50):
        return None
    clean = things
    if rng.random() < 0.5:
        drop = np.array([0.0, 0.0, bodies[gone].size[2] * spot.scale])
        clean = [t.moved(-drop * (k > gone)) for k, t in enumerate(things) if k != gone]
        lower = [b for k, b in enumerate(bodies) if k != gone]
        fall = [0.0, 0.0, bodies[gone].size[2]]
        low = [replace(b, at=b.at - fall) if k >= gone else b for k, b in enumerate(lower)]
        if not stands(low):
            return None
    where = tuple(f"block.{k}" for k in range(gone + 1, count))
    return closer(
        Planted(
            spot.world.plus(*left),
            spot.world.plus(*clean),
            where,
            "The upper blocks of a stack hang in the air.",
        ),
        rng,
    )


@recipe(
    "support_stability",
    "overhang",
    fits=placeable(0.8, 8.0),
    planted="A beam lies on a block far off its balance, with a weight on its free end, "
    "and does not tip.",
    twin="The beam lies on the block at its middle, or with a second block under its free end.",
)
def overhang(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.8, rng, 8.0, grow=2.4)
    if spot is None:
        return None
    side = 1.0 if rng.random() < 0.5 else -1.0
    high, wide = float(rng.uniform(0.2, 0.32)), float(rng.uniform(0.12, 0.2))
    long, thick, weight = float(rng.uniform(0.6, 0.8)), 0.05, float(rng.uniform(0.14, 0.19))
    turn = float(rng.uniform(-18, 18))
    t = rot("z", turn)

    def at(x: float, z: float) -> Sequence[float]:
        return [float(v) for v in t @ np.array([side * x, 0.0, z])]

    foot_of = box_body("block.foot", (wide, wide, high), at(0, high / 2), turn)
    off = long / 2 - wide * 0.4
    beam = box_body("block.beam", (long, wide * 0.9, thick), at(off, high + thick / 2), turn)
    load = box_body(
        "block.load",
        (weight, weight, weight),
        at(long - weight * 0.9, high + thick + weight / 2),
        turn,
    )
    bodies = [foot_of, beam, load]
    paints = draw_paints(rng, 4)
    if rng.random() < 0.5:
        prop = box_body("block.prop", (wide, wide, high), at(long - weight * 0.9, high / 2), turn)
        right = [*bodies, prop]
    else:
        middle = replace(beam, at=np.asarray(at(0.0, high + thick / 2)))
        right = [foot_of, middle, replace(load, at=np.asarray(at(0.0, high + thick + weight / 2)))]
    if stands(bodies) or not stands(right):
        return None
    wrong_things = shown(spot, bodies, paints[:3], "block")
    right_things = shown(spot, right, paints[: len(right)], "block")
    if not spot.fair(*wrong_things, least=50) or not spot.fair(*right_things, least=50):
        return None
    return closer(
        Planted(
            spot.world.plus(*wrong_things),
            spot.world.plus(*right_things),
            ("block.beam", "block.load"),
            "A loaded beam reaches far over its only support and does not tip.",
        ),
        rng,
    )


def _tall(world: World, target: Thing) -> bool:
    if not _raisable(world, target) or target.tags & {"vehicle", "ball"}:
        return False
    return not world.resting_on(target.key)


@recipe(
    "support_stability",
    "leans_on_nothing",
    fits=_tall,
    planted="A thing leans by 25 to 45 degrees on its lower edge, with nothing beside it "
    "to hold it.",
    twin="It leans by as much against a block that stands there; or it stands upright.",
)
def leans_on_nothing(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    side = 1.0 if rng.random() < 0.5 else -1.0
    angle = float(rng.uniform(25, 45))
    across = facing(world)
    right = across[:, 0] * side
    local = (target.verts() - foot(target)) @ across
    # About the lower edge on the side it leans to.
    low = local[local[:, 2] < 0.12 * float(target.size[2])]
    edge = foot(target) + across[:, 0] * float((low[:, 0] * side).max()) * side
    m = across @ rot("y", angle * side) @ across.T
    leaning = target.about(m, edge)
    leaning = leaning.moved((0, 0, float(target.low[2] - leaning.low[2])))
    body = body_of(target)
    tipped = replace(body, at=edge + m @ (body.at - edge), turn=m, key="tipped")
    if stands([tipped], ground=float(target.low[2])):
        return None
    under = {target.rests_on or "", target.key}
    if not in_sight(world, leaning, 34, 0.97) or not has_room(world, leaning, under):
        return None
    violated = world.changed(leaning)
    clean = world
    if rng.random() < 0.5:
        held = _holder(world, leaning, right, rng)
        if held is None or not in_sight(world, held, 14, 0.97) or not grounded(world, held):
            return None
        if not has_room(world, held, under):
            return None
        clean = violated.plus(held)
    return closer(
        Planted(
            violated,
            clean,
            (target.key,),
            f"The {target.kind} leans far over with nothing to hold it.",
        ),
        rng,
    )


def _holder(world: World, leaning: Thing, side: F64, rng: Generator) -> Thing | None:
    """A block beside the leaning thing, as far from it as lets it touch at two thirds of its height."""
    verts = leaning.verts()
    low = float(leaning.low[2])
    high = 0.66 * float(leaning.high[2]) + 0.34 * low
    below = verts[verts[:, 2] <= high + 0.08 * float(leaning.size[2])]
    near = float((below @ side).max())
    # The lower side of a straight lean, where there are no corners at that height.
    base, top = (
        verts[verts[:, 2] < low + 0.1 * float(leaning.size[2])],
        verts[verts[:, 2] > low + 0.8 * float(leaning.size[2])],
    )
    line = float((base @ side).max()) + 0.66 * (
        float((top @ side).max()) - float((base @ side).max())
    )
    start = max(near, line)
    wide = 0.35 * float(leaning.size[2])
    mesh = box((0, 0, (high - low) / 2), (wide, wide * 1.6, high - low))
    spot = foot(leaning)
    at = spot + side * (start - float(spot @ side) + wide / 2)
    at[2] = low
    paint = matt(pick(rng, PAINTS))
    turned = mesh.transformed(facing(world), (0, 0, 0))
    return thing("holder", "block", [(turned, paint)], at=at, like=leaning)
