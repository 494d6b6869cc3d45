"""Animals of `subjects.animal` in a world: how they stand, and edits of their parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, unit
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part

from .pick import shown, towards_camera, words_of
from .registry import Planted
from .things.edits import individual, plain
from .world import Thing, World

UP: Final = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class Stand:
    """How an animal stands and how large it is."""

    axes: F64
    """[3, 3] columns: ahead, left, up."""
    middle: F64
    """Of its trunk."""
    length: float
    """Of its trunk."""
    depth: float
    """Half the trunk's height."""
    width: float
    """Half the trunk's width."""
    skull: float
    """Half the head's width."""
    bird: bool

    def at(self, x: float, y: float, z: float) -> F64:
        """A point: x in half lengths, y in half widths, z in half heights of the trunk."""
        local = np.array([x * self.length / 2, y * self.width, z * self.depth])
        point: F64 = self.middle + self.axes @ local
        return point

    def turn(self, axis: str, degrees: float) -> F64:
        """A rotation about one of its own axes."""
        return self.axes @ rot(axis, degrees) @ self.axes.T


def is_beast(world: World, thing: Thing) -> bool:
    """An animal whose parts have the names that `subjects.animal` gives them."""
    names = {p.key.split(".")[0] for p in thing.parts}
    if not thing.tags & {"animal", "bird"} or not {"head", "chest", "belly", "leg"} <= names:
        return False
    return shown(world, thing, 55)


def stand(thing: Thing) -> Stand:
    """Measures an animal for which `is_beast` holds."""
    legs = [p for p in thing.parts if p.key.startswith("leg")]
    left, right = (
        np.mean([p.pivot for p in legs if p.side == side], axis=0) for side in ("left", "right")
    )
    y = left - right
    y[2] = 0
    y = unit(y)
    axes = np.stack([np.cross(y, UP), y, UP], 1)
    verts = np.concatenate([p.verts() for p in thing.parts if p.key in ("chest", "belly")])
    local = verts @ axes
    low, high = local.min(0), local.max(0)
    half = (high - low) / 2
    head = next(p for p in thing.parts if p.key == "head").pieces[0].mesh.verts @ axes[:, 1]
    bird = any(p.key.startswith("wing") for p in thing.parts)
    return Stand(
        axes, axes @ (low + high) / 2, 2 * half[0], half[2], half[1], float(np.ptp(head)) / 2, bird
    )


def part_of(thing: Thing, key: str) -> Part:
    """The part of that key."""
    return next(p for p in thing.parts if p.key == key)


def family(thing: Thing, *keys: str) -> list[Part]:
    """Parts and what hangs on them."""
    found = [p for p in thing.parts if p.key in keys]
    more = [p.key for p in thing.parts if p.owner in keys and p.key not in keys]
    return found + (family(thing, *more) if more else [])


def lacking(thing: Thing, parts: Iterable[Part]) -> Thing:
    """Without some of its parts."""
    gone = {p.key for p in parts}
    return replace(thing, parts=tuple(p for p in thing.parts if p.key not in gone))


def with_parts(thing: Thing, parts: Iterable[Part], suffix: str = ".more") -> Thing:
    """With further parts; their keys get the suffix."""
    more = tuple(replace(p, key=p.key + suffix, owner=p.owner and p.owner + suffix) for p in parts)
    return replace(thing, parts=(*thing.parts, *more))


def turned(
    thing: Thing, parts: Iterable[Part], linear: F64, origin: F64, shift: F64 | None = None
) -> Thing:
    """With some of its parts transformed about a point, then shifted."""
    keys, step = {p.key for p in parts}, np.zeros(3) if shift is None else shift
    new = (p.about(linear, origin, step) if p.key in keys else p for p in thing.parts)
    return replace(thing, parts=tuple(new))


def near_sign(world: World, thing: Thing, how: Stand) -> float:
    """+1 when its left side is seen, -1 when its right is."""
    return 1.0 if float(how.axes[:, 1] @ towards_camera(world, thing)) >= 0 else -1.0


def from_side(world: World, thing: Thing, how: Stand) -> float:
    """0 from straight ahead or behind, 1 from its side."""
    return abs(float(how.axes[:, 1] @ towards_camera(world, thing)))


def from_front(world: World, thing: Thing, how: Stand) -> float:
    """1 from straight ahead, -1 from behind."""
    return float(how.axes[:, 0] @ towards_camera(world, thing))


def planted(world: World, new: Thing, detail: str) -> Planted:
    """The world with the animal changed."""
    return Planted(world.changed(new), world, (new.key,), f"the {words_of(new)} {detail}")


def more_legs(world: World, thing: Thing, rng: Generator) -> Planted | None:
    """Two legs more, between the others or, seen from the front, beside them."""
    how = stand(thing)
    place = {p.place for p in thing.parts if p.key.startswith("leg")}
    front = [p for p in thing.parts if p.key.startswith("leg") and p.place == max(place)]
    if how.bird:
        front = [p for p in thing.parts if p.key.startswith("leg")]
    step = how.axes[:, 0] * how.length * float(rng.uniform(0.42, 0.52))
    spin = how.turn("y", float(rng.uniform(-14, 14)))
    if from_side(world, thing, how) < 0.45:
        return None
    sign = 1.0 if "rear" in place and max(place) == "rear" else -1.0
    if how.bird:
        sign = 0.6
    new = with_parts(thing, [p.about(spin, p.pivot, sign * step) for p in front])
    return planted(world, _level(thing, new), f"has {4 if how.bird else 6} legs")


def _level(old: Thing, new: Thing) -> Thing:
    """Feet that reach below the ground are drawn up: those parts are shortened, not the animal moved."""
    floor = float(old.low[2])
    parts = []
    for part in new.parts:
        low = float(part.verts()[:, 2].min())
        if low < floor - 1e-4 and part.pivot[2] > floor:
            k = (part.pivot[2] - floor) / (part.pivot[2] - low)
            parts.append(part.about(np.diag([1.0, 1.0, k]), part.pivot))
        else:
            parts.append(part)
    return replace(new, parts=tuple(parts))


def leg_missing(world: World, thing: Thing, rng: Generator) -> Planted | None:
    """One leg of the near side is not there."""
    how = stand(thing)
    if from_side(world, thing, how) < 0.5 or how.bird:
        return None
    side = "left" if near_sign(world, thing, how) > 0 else "right"
    near = [p for p in thing.parts if p.key.startswith("leg") and p.side == side]
    gone = near[int(rng.integers(len(near)))]
    return planted(world, lacking(thing, [gone]), "lacks a leg")


def bent_legs(world: World, thing: Thing, rng: Generator) -> Planted | None:
    """The near legs bent at the knee to where they do not bend: front ones ahead, rear ones back."""
    how = stand(thing)
    if from_side(world, thing, how) < 0.5:
        return None
    side = "left" if near_sign(world, thing, how) > 0 else "right"
    parts = []
    for part in thing.parts:
        if not part.key.startswith("leg") or part.side != side:
            parts.append(part)
            continue
        ahead = part.place == "front" or how.bird
        knee = part.pieces[1].mesh.verts
        top = knee[knee[:, 2].argmax()]
        turn = how.turn("y", (-1 if ahead else 1) * float(rng.uniform(75, 105)))
        shift = top - turn @ top
        lower = [replace(q, mesh=q.mesh.transformed(turn, shift)) for q in part.pieces[1:]]
        parts.append(replace(part, pieces=(part.pieces[0], *lower)))
    return planted(world, replace(thing, parts=tuple(parts)), "has legs bent the wrong way")


def two_headed(world: World, thing: Thing, rng: Generator) -> Planted | None:
    """A second head and neck beside the first, or above it where that is plainer."""
    how = stand(thing)
    head = family(thing, "neck", "head")
    neck = [p for p in head if p.key == "neck"]
    front = how.at(0.85, 0, 0.3)
    if from_front(world, thing, how) < -0.6:
        return None
    if from_side(world, thing, how) > 0.7:
        a, b = how.turn("y", -34.0), how.turn("y", 30.0)
    else:
        a, b = how.turn("z", 36.0), how.turn("z", -36.0)
    if not neck:
        return None
    first = turned(thing, head, a, front)
    return planted(world, with_parts(first, [p.about(b, front) for p in head]), "has two heads")


def backwards_head(world: World, thing: Thing, rng: Generator) -> Planted | None:
    """The head turned right round; birds can do that."""
    how = stand(thing)
    if how.bird:
        return None
    head = family(thing, "head")
    pivot = np.asarray(part_of(thing, "head").pivot)
    middle = part_of(thing, "head").pieces[0].mesh.verts.mean(0)
    pivot = pivot * 0.4 + middle * 0.6
    turn = how.turn("z", 180.0)
    return planted(world, turned(thing, head, turn, pivot), "wears its head backwards")


def third_eyes(world: World, thing: Thing, rng: Generator) -> Planted | None:
    """Large eyes on the side that is seen."""
    how = stand(thing)
    eyes = [p for p in thing.parts if p.key.startswith("eye")]
    if not eyes or from_side(world, thing, how) < 0.4:
        return None
    sign = near_sign(world, thing, how)
    eye = next((p for p in eyes if (p.side == "left") == (sign > 0)), eyes[0])
    size = 0.55 * how.depth / max(float(np.ptp(eye.verts(), axis=0).max()), 1e-6)
    more = []
    for k, (x, z) in enumerate(((0.45, 0.25), (-0.1, 0.4), (-0.5, 0.1))[: int(rng.integers(1, 4))]):
        spot = how.at(x, sign * 0.9, z)
        more.append(
            replace(eye.about(np.eye(3) * size, eye.centre, spot - eye.centre), key=f"eye.side.{k}")
        )
    return planted(world, with_parts(thing, more), "has eyes on its flank")


def donor(kind: str, like: Stand, rng: Generator) -> tuple[Thing, Stand]:
    """An animal of a kind with plain colours that stands as the other does, its trunk as long.

    Its trunk's middle lies at the other's.
    """
    made = plain(individual(rng, "animal", kind, "donor"))
    thing = Thing("donor", kind, made.parts)
    own = stand(thing)
    k = like.length / own.length
    turn = like.axes @ own.axes.T * k
    thing = thing.about(turn, own.middle, like.middle - own.middle)
    return thing, stand(thing)
