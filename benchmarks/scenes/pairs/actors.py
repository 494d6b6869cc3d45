"""People of a world who can be posed anew, and people put into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.arrange import cleared
from benchmarks.scenes.pairs.sight import (
    ADDED,
    covered,
    has_room,
    in_sight,
    nearer,
    rightwards,
    seen,
)
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.world import Thing, World

Posed = Callable[..., Thing]


@dataclass(frozen=True, slots=True)
class Actor:
    """Someone who can be posed anew at their place."""

    world: World
    """Without them."""
    pose: Posed
    """Takes what a person's `remake` takes."""
    at: F64
    """Where they stand [3]."""
    key: str


def free_hands(world: World, one: Thing) -> bool:
    """Nobody holds or wears anything, sits on something, or is held."""
    busy = [t for t in world.things if t.tags & {"held", "worn"} and _near(t, one)]
    if set(one.facts) & {"ball", "prints", "splash", "in_water", "rings"}:
        return False
    riding = one.rests_on is not None or one.facts.get("pose") in ("sit", "lie")
    return not busy and not riding


def _near(a: Thing, b: Thing) -> bool:
    return bool(np.all(a.low - 0.15 < b.high) and np.all(b.low - 0.15 < a.high))


def can_act(world: World, target: Thing) -> bool:
    if "person" in target.tags and target.remake is not None:
        return free_hands(world, target) and in_sight(world, target, 60, 0.9)
    if target.facts.get("detail") or world.place in ("air", "kitchen"):
        return False
    return any(abs(z - world.ground) < 0.05 for _, _, z in world.free)


def actor_at(world: World, target: Thing, rng: Generator) -> Actor | None:
    """The target if it is a person; else somebody new at a free spot, where people fit into the view."""
    if "person" in target.tags and target.remake is not None and free_hands(world, target):
        at = target.facts["how"].at
        return Actor(world.without(target.key), target.remake, np.asarray(at, float), target.key)
    at = np.asarray(world.free[int(rng.integers(len(world.free)))], float)
    if abs(float(at[2]) - world.ground) > 0.05:
        return None
    world = cleared(world, at, 0.4, 1.8)
    new = person(rng, f"{ADDED}somebody", at, subject=target.subject)
    x0, y0, x1, y1 = seen(world, new.verts())
    if not (
        (45 if target.subject else 75) < y1 - y0 < 290 and min(x0, y0) > 3 and max(x1, y1) < 317
    ):
        return None
    if new.remake is None or not has_room(world, new):
        return None
    return Actor(world, new.remake, at, new.key)


def side_on(world: World, rng: Generator, spread: float = 28.0) -> tuple[float, F64]:
    """A facing across the view, turned a little to the camera: degrees and direction [3]."""
    d = rightwards(world) * (1 if rng.random() < 0.5 else -1)
    turn = float(rng.uniform(0, spread))
    sign = 1.0 if float(np.cross(d, nearer(world))[2]) > 0 else -1.0
    d = rot("z", turn * sign) @ d
    return float(np.degrees(np.arctan2(d[1], d[0]))), d


def looking_aside(
    head: F64, ahead: F64, world: World, rng: Generator, event: F64 | None = None
) -> dict[str, Any]:
    """Where somebody looks who looks away from `event` [3]: over the shoulder that is farther from it, or
    the one towards the camera."""
    side = np.cross([0.0, 0.0, 1.0], ahead)
    side = side if float(side @ nearer(world)) > 0 else -side
    if rng.random() < 0.3:
        side = -side
    if event is not None:
        to = (event - head) * [1, 1, 0]
        if abs(float(to @ side)) > 0.2 * float(np.linalg.norm(to)):
            side = -side * np.sign(float(to @ side))
    at = head + side * 3.0 - ahead * 2.2 + np.array([0, 0, float(rng.uniform(-0.3, 0.9))])
    return {"look_at": as_point(at)}


def whole_in_view(world: World, *things: Thing) -> bool:
    """Whether all of it is in the frame and nearer things cover little of it."""
    verts = np.concatenate([t.verts() for t in things])
    x0, y0, x1, y1 = seen(world, verts)
    framed = min(x0, y0) > 2 and max(x1, y1) < 318
    return framed and covered(world, verts, [t.key for t in things]) < 0.3


def as_point(p: F64) -> tuple[float, float, float]:
    return float(p[0]), float(p[1]), float(p[2])
