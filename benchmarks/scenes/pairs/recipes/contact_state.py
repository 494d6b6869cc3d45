"""Solid things that run through each other."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import box, limb, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import matt, pick, thing, with_room
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import (
    closer,
    facing,
    foot,
    grounded,
    has_room,
    in_sight,
    nearer,
    reach,
    rightwards,
)
from benchmarks.scenes.pairs.world import Thing, World

_WOODS = ((0.6, 0.42, 0.24), (0.42, 0.28, 0.16), (0.75, 0.6, 0.4))
_WALLS = ((0.8, 0.78, 0.72), (0.55, 0.62, 0.66), (0.66, 0.4, 0.34), (0.5, 0.55, 0.42))


def _solid(world: World, target: Thing) -> bool:
    """Hard, standing, and nothing that is held or afloat."""
    if target.tags & {
        "living",
        "soft",
        "hangs",
        "held",
        "worn",
        "flame",
        "floats",
        "plant",
        "aircraft",
    }:
        return False
    stands = bool(target.tags & {"stands", "rigid", "vehicle", "furniture", "vessel", "ball"})
    return stands and not world.resting_on(target.key)


def _solid_or_living(world: World, target: Thing) -> bool:
    on_foot = bool(target.tags & {"person", "animal"}) and target.rests_on is None
    return _solid(world, target) or (on_foot and "stands" in target.tags)


def _beside(world: World, target: Thing, other: Thing, direction: F64, overlap: float) -> Thing:
    """The target moved so that it runs into the other by `overlap` of the smaller width (0: touches)."""
    _, end = reach(other, direction)
    start, stop = reach(target, direction)
    width = min(stop - start, reach(other, direction)[1] - reach(other, direction)[0])
    along = end - start - overlap * width
    across = nearer(world)
    aside = float((other.centre - target.centre) @ across)
    # A little nearer than the other, so that neither covers the place where they meet.
    room = 0.12 * min(float(np.ptp(target.verts() @ across)), float(np.ptp(other.verts() @ across)))
    return target.moved(direction * along + across * (aside + room))


def _neighbours(world: World, target: Thing) -> list[Thing]:
    def good(other: Thing) -> bool:
        ratio = float(other.size.max() / target.size.max())
        return (
            other.key != target.key
            and other.rests_on == target.rests_on
            and _solid(world, other)
            and abs(float(other.low[2] - target.low[2])) < 0.1 * float(target.size[2])
            and 0.35 < ratio < 2.8
            and in_sight(world, other, 24)
        )

    return [one for one in world.things if good(one)]


def _crate(world: World, target: Thing, rng: Generator, key: str) -> Thing:
    """A wooden crate of the target's size, on the same ground."""
    side = float(np.clip(target.size.max() * rng.uniform(0.55, 0.9), 0.05, 1.4))
    high = side * float(rng.uniform(0.6, 1.0))
    wood = Paint(pick(rng, _WOODS), specular=0.05)
    dark = Paint((wood.rgb[0] * 0.7, wood.rgb[1] * 0.7, wood.rgb[2] * 0.7), specular=0.05)
    pieces = [(box((0, 0, high / 2), (side, side, high)), wood)]
    for x in (-1, 1):
        pieces += [
            (box((x * side * 0.43, -side / 2, high / 2), (side * 0.12, side * 0.05, high)), dark),
            (box((0, -side / 2, high * (0.5 + 0.43 * x)), (side, side * 0.05, high * 0.12)), dark),
        ]
    turned = [(m.transformed(facing(world) @ rot("z", 8), (0, 0, 0)), p) for m, p in pieces]
    return thing(key, "crate", turned, at=foot(target), like=target, has=("rigid", "stands"))


@recipe(
    "contact_state",
    "through_neighbour",
    fits=_solid_or_living,
    planted="A hard thing (or a walker) is moved into another hard thing, or into a "
    "crate, by a third to six "
    "tenths of the smaller width; both surfaces run through each other.",
    twin="The same two stand side by side and touch.",
)
def through_neighbour(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    near = _neighbours(world, target)
    direction = rightwards(world) * (1.0 if rng.random() < 0.5 else -1.0)
    base = world
    if near and rng.random() < 0.7:
        other = near[int(rng.integers(len(near)))]
    else:
        other = _crate(world, target, rng, "crate.added")
        if "living" in target.tags:
            other = other.scaled(float(rng.uniform(0.55, 0.75)))
        start, stop = reach(target, direction)
        lo, hi = reach(other, direction)
        shift = start - hi - 0.02 * (stop - start)
        other = other.moved(direction * (shift - 0.0 * lo))
        world = with_room(world, other, {target.key, target.rests_on or ""})
        if not has_room(world, other):
            return None
        base = world.plus(other)
    touching = _beside(world, target, other, direction, 0.0)
    inside = _beside(world, target, other, direction, float(rng.uniform(0.35, 0.6)))
    under = {other.key, target.rests_on or ""}
    if not has_room(base, touching, under) or not in_sight(base, touching, 32):
        return None
    if not grounded(world, other) or not grounded(base, touching):
        return None
    return closer(
        Planted(
            base.changed(inside),
            base.changed(touching),
            (target.key, other.key),
            f"The {target.kind} runs through the {other.kind}.",
        ),
        rng,
    )


def _sinks(world: World, target: Thing) -> bool:
    soft = world.place in ("snow", "sand", "water", "nature", "air") and target.rests_on is None
    return _solid_or_living(world, target) and not soft


@recipe(
    "contact_state",
    "sunk_in_support",
    fits=_sinks,
    planted="A hard thing is sunk into the hard floor, road or table top that it stands "
    "on, upright or aslant, "
    "by a quarter to half of its height.",
    twin="It stands on top.",
)
def sunk_in_support(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    height = float(target.size[2])
    depth = height * float(rng.uniform(0.28, 0.5))
    sunk = target
    if "living" not in target.tags and rng.random() < 0.5:
        turn = rot("y", float(rng.uniform(12, 26)) * (1 if rng.random() < 0.5 else -1))
        across = facing(world)
        sunk = sunk.about(across @ turn @ across.T, foot(target))
    sunk = sunk.moved((0, 0, -depth))
    if height < 0.02 or not in_sight(world, target, 26):
        return None
    under = "the ground" if target.rests_on is None else f"the {world.thing(target.rests_on).kind}"
    return closer(
        Planted(
            world.changed(sunk), world, (target.key,), f"The {target.kind} is sunk into {under}."
        ),
        rng,
    )


@recipe(
    "contact_state",
    "through_panel",
    fits=_solid_or_living,
    planted="An upright panel (partition, board, slab) stands across the thing, which "
    "sticks out of both faces.",
    twin="The same panel stands right behind or beside the thing.",
)
def through_panel(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    size = target.size
    across = facing(world)
    wide, high = float(rng.uniform(0.6, 1.0)), float(rng.uniform(0.5, 0.72))
    span = float(np.ptp(target.verts() @ rightwards(world)))
    deep = float(np.ptp(target.verts() @ nearer(world)))
    thick = 0.06 * span
    # Seen edge-on by some degrees: one half of the thing in front of the panel, the other behind it.
    turn = rot("z", float(rng.uniform(38, 60)) * (1 if rng.random() < 0.5 else -1))
    length = max(span, deep) * (1.0 + wide)
    panel = box((0, 0, size[2] * high / 2), (length, thick, size[2] * high))
    paint = Paint(pick(rng, _WALLS), specular=0.05)
    spot = foot(target)
    board = thing(
        "panel.added",
        "panel",
        [(panel.transformed(across @ turn, (0, 0, 0)), paint)],
        at=spot,
        like=target,
        has=("rigid", "stands"),
    )
    normal = across @ turn @ np.array([0.0, 1.0, 0.0])
    normal = normal if normal @ nearer(world) < 0 else -normal
    _, far = reach(target, normal)
    behind = board.moved(normal * (far - float(spot @ normal) + thick * 0.6))
    under = {target.rests_on or "", target.key}
    world = with_room(world, behind, under)
    if not grounded(world, behind) or not has_room(world, behind, under):
        return None
    if not in_sight(world, target, 30):
        return None
    return closer(
        Planted(
            world.plus(board),
            world.plus(behind),
            (target.key, board.key),
            f"The {target.kind} runs through a panel.",
        ),
        rng,
    )


@recipe(
    "contact_state",
    "rod_through",
    fits=_solid,
    planted="A pole, pipe or plank runs through the hard thing and comes out on both sides.",
    twin="The same pole lies or leans in front of the thing.",
    held_out=True,
)
def rod_through(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    right, near = rightwards(world), nearer(world)
    left_end, right_end = reach(target, right)
    width, height = right_end - left_end, float(target.size[2])
    radius = float(np.clip(0.07 * max(width, height), 0.006, 0.12))
    along = float(rng.uniform(0.75, 1.0)) * width
    tilt = float(rng.uniform(-0.12, 0.12)) * height
    spot = foot(target)
    aim = np.array([0, 0, height * float(rng.uniform(0.4, 0.6))])
    # Entering near the front on one side: both ends and the places of entry are in sight.
    skew = near * 0.18 * width
    a = spot + aim - right * along + skew + [0, 0, tilt]
    b = spot + aim + right * along + skew * 0.2 - [0, 0, tilt]
    colour = pick(rng, (*_WOODS, (0.6, 0.62, 0.65), (0.75, 0.2, 0.15)))
    rod = thing("rod.added", "pole", [(limb(a, b, radius, radius), matt(colour))], like=target)
    front = reach(target, near)[1] - float(spot @ near)
    down = np.array([0, 0, radius * 1.02 - aim[2]])
    c = spot + aim - right * along * 0.9 + near * (front + radius * 2.5) + down
    d = spot + aim + right * along + near * (front + radius * 2.5) + down
    lying = thing("rod.added", "pole", [(limb(c, d, radius, radius), matt(colour))], like=target)
    under = {target.rests_on or "", target.key}
    world = with_room(with_room(world, lying, under), rod, under)
    if not grounded(world, lying) or not has_room(world, lying, under):
        return None
    if not has_room(world, rod, under):
        return None
    if not in_sight(world, target, 30):
        return None
    return closer(
        Planted(
            world.plus(rod),
            world.plus(lying),
            (rod.key, target.key),
            f"A pole runs through the {target.kind}.",
        ),
        rng,
    )
