"""What recipes share that put arrangements of their own at a thing's place: spots, axes, room, makers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64, Mesh
from benchmarks.scenes.geometry.solids import lathe
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.sight import (
    ADDED,
    boxes_cross,
    covered,
    facing,
    foot,
    grounded,
    has_room,
    seen,
)
from benchmarks.scenes.pairs.world import Tag, Thing, World, tags

RGB = tuple[float, float, float]

_UP = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Turns the lathe's x axis to z."""


def upright(heights: Sequence[float], radii: Sequence[float], n: int = 16) -> Mesh:
    """A solid of revolution about z through the origin."""
    return lathe(list(heights), list(radii), n=n).transformed(_UP, (0, 0, 0))


def matt(rgb: RGB) -> Paint:
    """A surface without highlight."""
    return Paint(rgb, specular=0.02)


def glowing(rgb: RGB, strength: float = 1.0) -> Paint:
    """A surface that gives light."""
    return Paint(rgb, specular=0.0, emission=strength)


def thing(
    key: str,
    kind: str,
    pieces: Iterable[tuple[Mesh, Paint]],
    *,
    at: ArrayLike = (0.0, 0.0, 0.0),
    scale: float = 1.0,
    like: Thing | None = None,
    has: Sequence[Tag] = (),
    casts: bool = True,
) -> Thing:
    """A thing made about the origin, scaled and put at `at`; subject and support are those of `like`.

    Its key is "added KEY": the base may have a thing of that name.
    """
    made = tuple(Piece.make(mesh, paint) for mesh, paint in pieces)
    part = Part("body", None, made).transformed(np.eye(3) * scale, np.asarray(at, float))
    subject, under = (like.subject, like.rests_on) if like else (False, None)
    return Thing(
        f"{ADDED}{key}",
        kind,
        (part,),
        subject=subject,
        tags=tags(*has),
        rests_on=under,
        casts=casts,
    )


def replaceable(world: World, one: Thing, least: float, most: float) -> bool:
    """Whether an arrangement of a natural size may stand in its place: no being, nothing on it."""
    if one.tags & {"living", "vehicle", "building", "hangs", "held", "worn", "floats", "large"}:
        return False
    if world.resting_on(one.key) or any(t.facts.get("holder") == one.key for t in world.things):
        return False
    if one.facts.get("detail") or ("stands" not in one.tags and one.rests_on is None):
        return False
    return least <= float(one.size.max()) <= most


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an arrangement may be put."""

    world: World
    """Without what has to make room."""
    at: F64
    """Its foot [3]."""
    scale: float
    """Its size over its natural size."""
    like: Thing
    """What it takes subject and support from."""

    def put(
        self,
        key: str,
        kind: str,
        pieces: Iterable[tuple[Mesh, Paint]],
        *,
        shift: ArrayLike = (0.0, 0.0, 0.0),
        turn: ArrayLike | None = None,
        has: Sequence[Tag] = (),
        casts: bool = True,
    ) -> Thing:
        """A thing of the arrangement: x runs to the right in the picture, y away from the camera.

        `shift` and the pieces are in natural metres.
        """
        m = facing(self.world) @ (np.eye(3) if turn is None else np.asarray(turn, float))
        turned = [(mesh.transformed(m, (0, 0, 0)), paint) for mesh, paint in pieces]
        at = self.point(shift)
        return thing(
            key, kind, turned, at=at, scale=self.scale, like=self.like, has=has, casts=casts
        )

    def point(self, natural: ArrayLike) -> F64:
        """World coordinates of a point of the arrangement."""
        p: F64 = self.at + facing(self.world) @ (np.asarray(natural, float) * self.scale)
        return p

    def fair(self, *things: Thing, least: float = 34.0) -> bool:
        """Whether the things together can be seen well and stand in nothing's way."""
        if not things:
            return False
        ignoring = [one.key for one in things]
        whole = np.concatenate([one.verts() for one in things])
        x0, y0, x1, y1 = seen(self.world, whole)
        shown = max(min(x1, 318) - max(x0, 2), 0) * max(min(y1, 318) - max(y0, 2), 0)
        area = max(x1 - x0, 1e-6) * max(y1 - y0, 1e-6)
        if max(x1 - x0, y1 - y0) < least or shown < 0.85 * area:
            return False
        under = self.like.rests_on or ""
        if not all(has_room(self.world, one, [*ignoring, under]) for one in things):
            return False
        lowest = min(things, key=lambda one: float(one.low[2]))
        if abs(float(lowest.low[2] - self.at[2])) < 0.02 and not grounded(self.world, lowest):
            return False
        return covered(self.world, whole, [*ignoring, under]) < 0.25


def cleared(world: World, at: F64, radius: float, high: float) -> World:
    """Without the asides that stand within a square round a spot, and what belongs to them."""
    low = at - np.array([radius, radius, 0.0])
    return _without(world, low, at + np.array([radius, radius, high]), set())


def with_room(world: World, one: Thing, keep: Iterable[str]) -> World:
    """Without the asides that are in a new thing's way; `keep` stay."""
    return _without(world, one.low, one.high, {one.key, *keep})


def _without(world: World, low: F64, high: F64, keep: set[str]) -> World:
    gone: set[str] = set()
    for one in world.things:
        if one.subject or "large" in one.tags or one.key in keep:
            continue
        if boxes_cross(low, high, one.low, one.high):
            gone |= {one.key, *(t.key for t in world.resting_on(one.key))}
    gone |= {t.key for t in world.things if t.facts.get("of") in gone}
    if gone & keep or any(world.thing(key).subject for key in gone):
        return world
    return world.without(*gone)


def _free(world: World, target: Thing) -> bool:
    return bool(world.free) and not target.facts.get("detail")


def placeable(natural: float, within: float = 2.6) -> Callable[[World, Thing], bool]:
    """A recipe's `fits` for an arrangement `natural` metres large: in place of things of about its
    size, or wherever the world has a free spot."""

    def fits(world: World, target: Thing) -> bool:
        return replaceable(world, target, natural / within, natural * within) or _free(
            world, target
        )

    return fits


def spot_for(
    world: World,
    target: Thing,
    natural: float,
    rng: Generator,
    within: float = 2.6,
    grow: float = 1.3,
) -> Spot | None:
    """A place for an arrangement: the target's, or a free spot, where what is far is up to `grow` times
    its natural size."""
    if replaceable(world, target, natural / within, natural * within):
        most, size = within**0.6, float(target.size.max())
        scale = float(np.clip(size / natural * rng.uniform(1.1, 1.6), 1 / most, most))
        room = cleared(world.without(target.key), foot(target), 0.5 * natural * scale, natural)
        return Spot(room, foot(target), scale, target)
    if not _free(world, target):
        return None
    at = np.asarray(world.free[int(rng.integers(len(world.free)))], float)
    x0, y0, x1, y1 = seen(world, at + np.array([[0.0, 0.0, 0.0], [0.0, 0.0, natural]]))
    scale = float(np.clip(85.0 / max(x1 - x0, y1 - y0, 1e-6), 0.8, grow) * rng.uniform(0.85, 1.0))
    aside = replace(target, rests_on=_under(world, at))
    return Spot(cleared(world, at, 0.5 * natural * scale, natural), at, scale, aside)


def _under(world: World, at: F64) -> str | None:
    for one in world.things:
        low, high = one.low, one.high
        if abs(float(high[2] - at[2])) < 0.02 and bool(
            np.all((low < at + 1e-3)[:2] & (at < high)[:2])
        ):
            return one.key
    return None


def pick(rng: Generator, colours: Sequence[RGB], spread: float = 0.08) -> RGB:
    """One of the colours, varied a little."""
    c = np.asarray(colours[int(rng.integers(len(colours)))], float)
    v = np.clip(c * float(rng.uniform(1 - spread, 1 + spread)) + rng.uniform(-0.02, 0.02, 3), 0, 1)
    return float(v[0]), float(v[1]), float(v[2])
