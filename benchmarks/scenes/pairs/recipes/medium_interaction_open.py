"""Things that sit wrongly in open water, on snow or on sand, or leave wrong traces there."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer, foot, has_room, in_sight, seen
from benchmarks.scenes.pairs.world import Thing, World


def _inside(polygon: tuple[tuple[float, float], ...], p: F64) -> bool:
    corners = np.asarray(polygon, float)
    edge, to = np.roll(corners, -1, 0) - corners, p[:2] - corners
    return bool(np.all(edge[:, 0] * to[:, 1] - edge[:, 1] * to[:, 0] > 0))


def _wades(world: World, target: Thing) -> bool:
    if world.water is None or target.tags & {
        "floats",
        "boat",
        "bird",
        "hangs",
        "held",
        "worn",
        "flame",
        "building",
        "plant",
        "aircraft",
    }:
        return False
    if target.rests_on is not None or target.facts.get("pose") in ("sit", "lie"):
        return False
    return (
        bool(target.tags & {"stands", "living", "rigid", "vehicle"})
        and float(target.size[2]) > 0.15
    )


def _water_spot(world: World, target: Thing, rng: Generator) -> F64 | None:
    """Somewhere on the water where the thing would be in plain sight."""
    assert world.water is not None
    corners = np.asarray(world.water.polygon, float)
    start = foot(target)
    for _ in range(60):
        share = rng.dirichlet(np.ones(len(corners)))
        p = np.array([*(share @ corners), world.water.level])
        there = target.moved(p - start)
        footing = all(_inside(world.water.polygon, c) for c in _corners(there))
        x0, y0, x1, y1 = seen(world, there.verts())
        framed = min(x0, y0) > 4 and max(x1, y1) < 316 and max(x1 - x0, y1 - y0) > 44
        if footing and framed and has_room(world, there, (target.key,)):
            return p
    return None


def _corners(one: Thing) -> list[F64]:
    low, high = one.low, one.high
    return [np.array([x, y, low[2]]) for x in (low[0], high[0]) for y in (low[1], high[1])]


@recipe(
    "medium_interaction",
    "stands_on_water",
    fits=_wades,
    planted="A person, animal, vehicle, stone or other heavy thing stands dry-shod on "
    "the surface of deep water.",
    twin="At the same place it stands in the water, up to a third or half of its height.",
)
def stands_on_water(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = _water_spot(world, target, rng)
    if spot is None:
        return None
    dry = target.moved(spot - foot(target))
    wet = dry.moved((0, 0, -float(rng.uniform(0.3, 0.5)) * float(target.size[2])))
    return closer(
        Planted(
            world.changed(dry),
            world.changed(wet),
            (target.key,),
            f"The {target.kind} stands on the water.",
        ),
        rng,
    )


def _afloat(world: World, target: Thing) -> bool:
    if world.water is None or not target.tags & {"floats", "boat"} or "hangs" in target.tags:
        return False
    level = world.water.level
    return bool(target.low[2] < level < target.high[2]) and in_sight(world, target, 34)


@recipe(
    "medium_interaction",
    "floats_at_wrong_line",
    fits=_afloat,
    planted="What floats is too high: its whole hull or body stands on top of the water; "
    "or far too deep for "
    "what it is.",
    twin="It lies in the water as deep as before.",
)
def floats_at_wrong_line(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    assert world.water is not None
    level, tall = world.water.level, float(target.size[2])
    draught = level - float(target.low[2])
    if draught < 0.05 * tall:
        return None
    rise = draught + float(rng.uniform(0.0, 0.03)) * tall
    up = (0.0, 0.0, rise)
    riders = [t.moved(up) for t in world.resting_on(target.key)]
    return closer(
        Planted(
            world.changed(target.moved(up), *riders),
            world,
            (target.key,),
            f"The {target.kind} stands on top of the water instead of in it.",
        ),
        rng,
    )


def _leaves(world: World, target: Thing, what: str) -> Thing | None:
    """The wake or the prints of a thing, where the world has them."""
    return next((t for t in world.things if t.key == target.facts.get(what)), None)


@recipe(
    "medium_interaction",
    "wake_wrong_way",
    fits=lambda world, target: _leaves(world, target, "wake") is not None,
    planted="The foam of a running boat opens in front of it or to its side instead of behind.",
    twin="It opens behind the boat, along its way.",
)
def wake_wrong_way(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    foam = _leaves(world, target, "wake")
    if foam is None or world.water is None:
        return None
    side = float(rng.uniform(75, 110)) * (1 if rng.random() < 0.5 else -1)
    turn = 180.0 if rng.random() < 0.6 else side
    middle = np.array([*target.centre[:2], float(foam.low[2])])
    wrong = foam.about(rot("z", turn), middle)
    if not in_sight(world, wrong, 40, 0.5):
        return None
    what = f"The wake of the {target.kind} runs the wrong way."
    return Planted(world.changed(wrong), world, (foam.key,), what)


@recipe(
    "medium_interaction",
    "prints_missing",
    fits=lambda world, target: _leaves(world, target, "prints") is not None,
    planted="Someone walks over soft snow or sand and leaves no prints; or the prints "
    "lead away beside the way "
    "that was walked.",
    twin="A line of prints ends at the feet.",
)
def prints_missing(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    prints = _leaves(world, target, "prints")
    if prints is None or not in_sight(world, target, 60):
        return None
    what = f"The {target.kind} walks over soft ground and leaves no prints behind."
    if rng.random() < 0.5:
        return Planted(world.without(prints.key), world, (prints.key,), what)
    ahead = np.asarray(target.facts["facing"], float)
    turn = rot("z", float(rng.uniform(70, 110)) * (1 if rng.random() < 0.5 else -1))
    aside = turn @ ahead * float(rng.uniform(0.7, 1.1))
    wrong = prints.moved(aside)
    if not in_sight(world, wrong, 40, 0.6):
        return None
    return Planted(world.changed(wrong), world, (prints.key,), what)
