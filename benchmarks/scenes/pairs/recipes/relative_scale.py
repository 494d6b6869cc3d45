"""Relative scale: one thing far too large or too small for its kind beside its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.pairs.order import frame_of
from benchmarks.scenes.pairs.pick import a, words_of
from benchmarks.scenes.pairs.proportion import (
    LEAST,
    LOOSE,
    SEEN,
    being,
    free,
    judgeable,
    known,
    lifeless,
    neighbours,
    roomy,
)
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import nearer, rightwards
from benchmarks.scenes.pairs.things import devices, furniture, kitchen
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.vehicles import car
from benchmarks.scenes.pairs.world import Thing, World


def _resized(
    world: World, one: Thing, by: float, rng: Generator, tries: int = 7
) -> tuple[World, World] | None:
    """The worlds with a thing in its natural size, moved aside where it must be, and in the wrong one."""
    step = float(one.size[:2].max()) * max(by, 1.0)
    for k in range(tries):
        shift = np.zeros(3)
        if k:
            side, back = rng.uniform(-1.0, 1.0) * step, rng.uniform(-0.4, 0.9) * step
            shift = rightwards(world) * side - nearer(world) * back
        natural = one.moved(shift)
        wrong = natural.scaled(by)
        clean, violated = world.changed(natural), world.changed(wrong)
        if roomy(clean, natural) and roomy(violated, wrong) and _judged(violated, wrong):
            return clean, violated
    return None


def _judged(world: World, one: Thing) -> bool:
    """Whether it is beside a neighbour, neither before all of it nor far behind."""
    return bool(neighbours(world, one))


def _planted(world: World, one: Thing, by: float, rng: Generator) -> Planted | None:
    got = _resized(world, one, by, rng)
    if got is None:
        return None
    clean, violated = got
    other = neighbours(violated, violated.thing(one.key))[0]
    size = "large" if by > 1 else "small"
    detail = f"The {words_of(one)} is far too {size} beside the {words_of(other)}."
    return Planted(violated, clean, (one.key,), detail)


@recipe(
    "relative_scale",
    "giant_being",
    fits=being,
    planted="a person or animal 2 to 3.2 times its natural size among things of natural size",
    twin="it has its natural size",
)
def giant_being(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Someone as high as a house."""
    return _largest(world, at, (3.2, 2.6, 2.0), rng)


def _largest(world: World, at: Thing, factors: Sequence[float], rng: Generator) -> Planted | None:
    """The first factor for which there is room."""
    for by in factors:
        got = _planted(world, at, by * float(rng.uniform(0.95, 1.05)), rng)
        if got is not None:
            return got
    return None


@recipe(
    "relative_scale",
    "dwarf_being",
    fits=being,
    planted="a person or animal at 0.22 to 0.42 of its natural size among things of natural size",
    twin="it has its natural size",
)
def dwarf_being(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Someone as small as a shoe."""
    return _smallest(world, at, rng)


def _smallest(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A factor below 1 that leaves something to be seen."""
    x0, y0, x1, y1 = frame_of(world, at)
    by = float(max(rng.uniform(0.22, 0.36), SEEN / max(x1 - x0, y1 - y0)))
    return _planted(world, at, by, rng) if by <= LEAST else None


@recipe(
    "relative_scale",
    "giant_object",
    fits=lifeless,
    planted="a mug, a chair, a car ... 2.1 to 3.4 times its natural size beside others of natural size",
    twin="it has its natural size",
)
def giant_object(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A mug larger than the lamp beside it."""
    return _largest(world, at, (3.4, 2.7, 2.1), rng)


@recipe(
    "relative_scale",
    "dwarf_object",
    fits=lifeless,
    planted="a car, a chair, a kettle ... at 0.22 to 0.42 of its size beside others of natural size",
    twin="it has its natural size",
)
def dwarf_object(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A car as small as a shoe."""
    return _smallest(world, at, rng)


def _other_size(world: World, one: Thing) -> list[Thing]:
    """Neighbours that are half as large or twice as large."""

    def good(other: Thing) -> bool:
        ratio = float(other.size.max() / one.size.max())
        alone = free(world, other) and not other.tags & LOOSE
        return alone and (ratio < 0.55 or ratio > 1.8) and 0.15 < ratio < 6.5

    return [other for other in neighbours(world, one) if good(other)]


@recipe(
    "relative_scale",
    "sizes_exchanged",
    fits=lambda world, one: (
        free(world, one) and judgeable(world, one) and bool(_other_size(world, one))
    ),
    planted="of two neighbours of different size, each has the size of the other",
    twin="each has its own",
    held_out=True,
)
def exchanged(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A dog as large as its owner, who is as small as a dog."""
    others = _other_size(world, at)
    for k in rng.permutation(len(others)):
        other = others[k]
        ratio = float(other.size.max() / at.size.max())
        by = float(np.clip(ratio, 1 / 3.2, 3.2))
        got = _resized(world.without(other.key), at, by, rng)
        if got is None:
            continue
        mate = other.scaled(1 / by)
        clean, violated = got[0].plus(other), got[1].plus(mate)
        if not (
            roomy(violated, mate) and roomy(clean, other) and roomy(clean, clean.thing(at.key))
        ):
            continue
        detail = f"The {words_of(at)} and the {words_of(other)} have each other's size."
        return Planted(violated, clean, (at.key, other.key), detail)
    return None


_NEWCOMERS: Final = {
    "table": ("mug", "apple", "phone", "laptop", "chair", "teapot"),
    "ground": ("chair", "car", "cow", "dog", "horse", "elephant", "mug", "apple", "chicken"),
}


def _newcomer(rng: Generator, kind: str, subject: bool) -> Thing:
    """A thing of natural size at the origin."""
    turn = float(rng.uniform(0, 360))
    makers = {
        "mug": kitchen.mug, "apple": kitchen.apple, "teapot": kitchen.teapot, "phone": devices.phone,
        "laptop": devices.laptop, "chair": furniture.chair,
    }  # fmt: skip
    if kind in makers:
        return makers[kind](rng, "newcomer", turn=turn, subject=subject)
    if kind == "car":
        return car(rng, "newcomer", "sedan", facing_deg=turn, subject=subject)
    return animal(rng, "newcomer", kind, facing_deg=turn, subject=subject, textured=False)


@recipe(
    "relative_scale",
    "newcomer_misfit",
    fits=lambda world, one: not one.subject and bool(world.free) and known(one),
    planted="one more thing, several times too large or too small: an apple as large as a chair",
    twin="it stands there in its natural size",
    held_out=True,
)
def newcomer(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A further thing of a wrong size."""
    for k in rng.permutation(len(world.free)):
        spot = np.asarray(world.free[k], float)
        under = _under(world, spot)
        for kind in rng.permutation(_NEWCOMERS["table" if under else "ground"])[:4]:
            one = replace(_newcomer(rng, str(kind), False), rests_on=under)
            if len(set(world.textures) | set(one.facts.get("textures", {}))) > 8:
                continue
            clean = world.plus(one.moved(spot)).with_textures(one.facts.get("textures", {}))
            natural = clean.thing(one.key)
            for by in (float(rng.uniform(2.4, 5.0)), float(rng.uniform(0.14, 0.36))):
                wrong = natural.scaled(by)
                violated = clean.changed(wrong)
                fair = roomy(clean, natural) and roomy(violated, wrong)
                if fair and _judged(violated, wrong) and _large_enough(violated, wrong):
                    size = "large" if by > 1 else "small"
                    detail = f"There is {a(one.kind)} that is far too {size}."
                    return Planted(violated, clean, (one.key,), detail)
    return None


def _large_enough(world: World, one: Thing) -> bool:
    x0, y0, x1, y1 = frame_of(world, one)
    return max(x1 - x0, y1 - y0) > 0.07


def _under(world: World, at: np.ndarray) -> str | None:
    """What a free spot is on, if not the ground."""
    if abs(at[2] - world.ground) < 0.02:
        return None
    for one in world.things:
        on = abs(float(one.high[2] - at[2])) < 0.03 * max(1.0, float(at[2]))
        if on and bool(((one.low[:2] < at[:2]) & (at[:2] < one.high[:2])).all()):
            return one.key
    return None
