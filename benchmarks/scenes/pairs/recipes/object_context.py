"""Things and animals where they would never be."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.pairs.guests import BELONGS, GUESTS, Guest, fits_in, group_of, placed, unlike
from benchmarks.scenes.pairs.pick import a
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.world import Thing, World

_LIVING: Final = ("chicken", "duck", "piglet", "lamb", "cow", "rhino", "elephant", "ostrich")
_VEHICLES: Final = ("light aircraft", "car", "boat")
_HOUSEHOLD: Final = ("cooker", "sofa", "bed", "refrigerator", "fireplace")
_OUTSIDE: Final = ("snowman", "rock")


def _alone(world: World, thing: Thing) -> bool:
    """Whether it can go without anything else losing its hold or its sense."""
    if thing.tags & {"hangs", "held", "worn", "floats", "building", "flame", "stacked", "domino"}:
        return False
    if thing.facts.get("holder") is not None or world.resting_on(thing.key):
        return False
    if thing.rests_on is None and thing.low[2] > world.ground + 0.06 * thing.size[2]:
        return False  # in the air
    if "person" in thing.tags and world.tagged("ball"):
        return False  # nobody would have thrown it
    return not any(one.facts.get("holder") == thing.key for one in world.things)


def _options(
    names: tuple[str, ...], world: World, thing: Thing, held_out: bool = False
) -> list[Guest]:
    group = group_of(world, thing)
    return [
        g
        for g in GUESTS
        if group in g.never and g.held_out == held_out and (not names or g.name in names)
    ]


def _spot_fits(names: tuple[str, ...], world: World, thing: Thing, held_out: bool = False) -> bool:
    return _alone(world, thing) and bool(_options(names, world, thing, held_out))


def _stood(
    world: World, guest: Guest, foot: F64, rng: Generator, ignoring: frozenset[str], subject: bool
) -> Thing | None:
    """The guest at a spot, as large as it fits there."""
    made = guest.make(rng, "guest")
    if not unlike(made, world):
        return None
    made = replace(made, remake=None, facts={})
    # Its front is seen: a refrigerator's back could be anything.
    towards = world.camera.pos - foot
    turn = float(np.degrees(np.arctan2(towards[1], towards[0])) + rng.uniform(-55, 55))
    for scale in np.unique([1.0, 0.5 * (1 + guest.shrinks), guest.shrinks])[::-1]:
        for extra in (0.0, -40.0, 40.0):
            one = placed(made, foot, turn + extra, float(scale))
            if fits_in(world, one, ignoring):
                return replace(one, subject=subject)
    return None


def _plant(
    names: tuple[str, ...], world: World, thing: Thing, rng: Generator, held_out: bool = False
) -> Planted | None:
    """A guest in a thing's place or, for asides, on a free spot where its twin has what belongs."""
    options = _options(names, world, thing, held_out)
    group = group_of(world, thing)
    spots = [np.asarray(s, float) for s in world.free]
    if spots and not thing.subject and rng.random() < 0.6:
        spot = spots[int(rng.integers(len(spots)))]
        for k in rng.permutation(len(options))[:3]:
            guest = _stood(world, options[int(k)], spot, rng, frozenset(), False)
            if guest is None:
                continue
            makers = BELONGS[group]
            local = replace(
                makers[int(rng.integers(len(makers)))](rng, "local"), remake=None, facts={}
            )
            local = placed(local, spot, float(rng.uniform(0, 360)), 1.0)
            clean = world.plus(local) if fits_in(world, local) else world
            name = options[int(k)].name
            return Planted(
                world.plus(guest), clean, ("guest",), f"{a(name)} stands where it would never be"
            )
    foot = np.array([thing.centre[0], thing.centre[1], thing.low[2]])
    for k in rng.permutation(len(options))[:4]:
        guest = _stood(world, options[int(k)], foot, rng, frozenset({thing.key}), thing.subject)
        if guest is None:
            continue
        name = options[int(k)].name
        guest = replace(guest, rests_on=thing.rests_on)
        violated = world.without(thing.key).plus(guest)
        return Planted(
            violated, world, ("guest", thing.key), f"{a(name)} stands where it would never be"
        )
    return None


_TWIN: Final = "What belongs there stands in the same spot."


@recipe(
    "object_context",
    "livestock",
    fits=lambda w, t: _spot_fits(_LIVING, w, t),
    planted="A farm or wild animal on a desk, a worktop, in a room, a street, on a runway or in snow.",
    twin=_TWIN,
)
def livestock(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _plant(_LIVING, world, thing, rng)


@recipe(
    "object_context",
    "vehicle_misplaced",
    fits=lambda w, t: _spot_fits(_VEHICLES, w, t),
    planted="An aeroplane, a car or a boat in a room, or where none could have come.",
    twin=_TWIN,
)
def vehicle_misplaced(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _plant(_VEHICLES, world, thing, rng)


@recipe(
    "object_context",
    "household_outdoors",
    fits=lambda w, t: _spot_fits(_HOUSEHOLD, w, t),
    planted="A cooker, sofa, bed, refrigerator or fireplace out of doors.",
    twin=_TWIN,
)
def household_outdoors(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _plant(_HOUSEHOLD, world, thing, rng)


@recipe(
    "object_context",
    "outdoors_inside",
    fits=lambda w, t: _spot_fits(_OUTSIDE, w, t),
    planted="A snowman or a rock on a desk, a worktop or in a room; a snowman on a beach.",
    twin=_TWIN,
)
def outdoors_inside(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _plant(_OUTSIDE, world, thing, rng)


@recipe(
    "object_context",
    "road_or_bathroom",
    fits=lambda w, t: _spot_fits((), w, t, held_out=True),
    planted="A traffic cone, a car wheel, a hydrant or a traffic light far from any road; a bathtub or a "
    "toilet out of doors or on a desk.",
    twin=_TWIN,
    held_out=True,
)
def road_or_bathroom(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _plant((), world, thing, rng, held_out=True)
