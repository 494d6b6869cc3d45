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
from benchmarks.scenes.pairs.registry import Planted
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
    """A thing made about the origin, scaled and put at `at`; subject and support are those of `like`."""
    made = tuple(Piece.make(mesh, paint) for mesh, paint in pieces)
    part = Part("body", None, made).transformed(np.eye(3) * scale, np.asarray(at, float))
    subject, under = (like.subject, like.rests_on) if like else (False, None)
    return Thing(key, kind, (part,), subject=subject, tags=tags(*has), rests_on=under, casts=casts)


def foot(one: Thing) -> F64:
    """The middle of where it stands."""
    return np.array([one.centre[0], one.centre[1], one.low[2]])


def rightwards(world: World) -> F64:
    """The horizontal direction [3] that runs to the right in the picture."""
    flat = world.camera.right * [1.0, 1.0, 0.0]
    unit: F64 = flat / np.linalg.norm(flat)
    return unit


def nearer(world: World) -> F64:
    """The horizontal direction [3] towards the camera."""
    flat = -world.camera.forward * [1.0, 1.0, 0.0]
    if np.linalg.norm(flat) < 1e-6:  # straight from above
        flat = -world.camera.up * [1.0, 1.0, 0.0]
    unit: F64 = flat / np.linalg.norm(flat)
    return unit


def facing(world: World) -> F64:
    """Rotation [3, 3] about z that turns x to the picture's right and y away from the camera."""
    r = rightwards(world)
    return np.array([[r[0], -r[1], 0.0], [r[1], r[0], 0.0], [0.0, 0.0, 1.0]])


def reach(one: Thing, direction: F64) -> tuple[float, float]:
    """Its least and greatest extent along a direction."""
    along = one.verts() @ direction
    return float(along.min()), float(along.max())


def seen(world: World, points: F64, size: int = 320) -> tuple[float, float, float, float]:
    """Bounding box (x0, y0, x1, y1) of points in a picture of that size, px."""
    p = world.camera.project(points, size, size)
    lo, hi = p.min(0), p.max(0)
    return float(lo[0]), float(lo[1]), float(hi[0]), float(hi[1])


def in_sight(world: World, one: Thing, least: float = 22.0, inside: float = 0.75) -> bool:
    """Whether its box is at least `least` px wide or high at 320 px and mostly inside the frame."""
    x0, y0, x1, y1 = seen(world, one.verts())
    w, h = max(x1 - x0, 1e-6), max(y1 - y0, 1e-6)
    shown = max(min(x1, 320) - max(x0, 0), 0) * max(min(y1, 320) - max(y0, 0), 0)
    return max(w, h) >= least and shown >= inside * w * h


def _cross(low: F64, high: F64, other_low: F64, other_high: F64) -> bool:
    slack = 0.02 * np.minimum(high - low, other_high - other_low) + 1e-4
    return bool(np.all(low + slack < other_high) and np.all(other_low + slack < high))


def has_room(world: World, one: Thing, ignoring: Iterable[str] = ()) -> bool:
    """Whether its box meets no box of another thing, nor of a piece of the stage."""
    skip = {one.key, *ignoring}
    boxes = [(o.low, o.high) for o in world.things if o.key not in skip]
    for part in world.stage:
        if part.key.startswith("backdrop"):
            continue
        for piece in part.pieces:
            v = piece.mesh.verts
            boxes.append((v.min(0), v.max(0)))
    return not any(_cross(one.low, one.high, low, high) for low, high in boxes)


def replaceable(world: World, one: Thing, least: float, most: float) -> bool:
    """Whether an arrangement of a natural size may stand in its place: no being, nothing on it."""
    if one.tags & {"living", "vehicle", "building", "hangs", "held", "worn", "floats", "large"}:
        return False
    if world.resting_on(one.key) or any(t.facts.get("holder") == one.key for t in world.things):
        return False
    if one.facts.get("detail") or ("stands" not in one.tags and one.rests_on is None):
        return False
    return least <= float(one.size.max()) <= most


def in_place(world: World, gone: Thing, *things: Thing) -> World:
    """The world with an arrangement instead of a thing."""
    return world.without(gone.key).plus(*things)


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


def grounded(world: World, one: Thing) -> bool:
    """Whether there is something under the whole of a thing that stands at its lowest point."""
    z, low, high = float(one.low[2]), one.low, one.high
    if abs(z - world.ground) < 0.03 and one.rests_on is None:
        return True
    tops = [(t.low, t.high) for t in world.things if t.key != one.key]
    for part in world.stage:
        for piece in part.pieces:
            v = piece.mesh.verts
            tops.append((v.min(0), v.max(0)))
    tops = [(a, b) for a, b in tops if abs(float(b[2]) - z) < 0.02 + 0.02 * float(one.size[2])]
    inset = 0.15 * (high - low)
    corners = [
        (x, y)
        for x in (low[0] + inset[0], high[0] - inset[0])
        for y in (low[1] + inset[1], high[1] - inset[1])
    ]
    return all(any(a[0] <= x <= b[0] and a[1] <= y <= b[1] for a, b in tops) for x, y in corners)


def covered(world: World, verts: F64, ignoring: Iterable[str]) -> float:
    """Share of a shape's box in the picture that boxes of nearer things cover, at most (0..1)."""
    x0, y0, x1, y1 = seen(world, verts)
    eye, way = world.camera.pos, world.camera.forward
    middle = float(((verts.min(0) + verts.max(0)) / 2 - eye) @ way)
    most, skip = 0.0, set(ignoring)
    for one in world.things:
        if one.key in skip or float((one.centre - eye) @ way) > middle:
            continue
        a0, b0, a1, b1 = seen(world, one.verts())
        both = max(min(x1, a1) - max(x0, a0), 0) * max(min(y1, b1) - max(y0, b0), 0)
        most = max(most, both / max((x1 - x0) * (y1 - y0), 1e-6))
    return most


def cleared(world: World, at: F64, radius: float, high: float) -> World:
    """Without the asides that stand within a square round a spot, and what belongs to them."""
    low = at - np.array([radius, radius, 0.0])
    top = at + np.array([radius, radius, high])
    gone: set[str] = set()
    for one in world.things:
        if one.subject or "large" in one.tags or not _cross(low, top, one.low, one.high):
            continue
        gone |= {one.key, *(t.key for t in world.resting_on(one.key))}
    gone |= {t.key for t in world.things if t.facts.get("of") in gone}
    if any(world.thing(key).subject for key in gone):
        return world
    return world.without(*gone)


def closer(
    planted: Planted, rng: Generator, keys: Iterable[str] = (), fill: float = 0.62
) -> Planted:
    """Both twins seen closer (a part of the same view), where the subject's violation would be small.

    `keys` are to be seen, or the violation's things and those of the same arrangement ("block.1" brings
    "block.2"); asides stay as they are.
    """
    wanted = set(keys) or set(planted.where)
    groups = {key.split(".")[0] for key in wanted if "." in key}
    seen_at = [
        t.verts()
        for w in (planted.violated, planted.clean)
        for t in w.things
        if t.subject and (t.key in wanted or t.key.split(".")[0] in groups)
    ]
    if not seen_at:
        return planted
    old = planted.clean.camera
    p = old.project(np.concatenate(seen_at), 2, 2)
    lo, hi = np.maximum(p.min(0), 0), np.minimum(p.max(0), 2)
    span = float((hi - lo).max()) / 2
    if span >= fill or span <= 0:
        return planted
    zoom = max(span / float(rng.uniform(fill, min(fill + 0.15, 0.95))), 0.3)
    # The middle of the closer view, in half heights from the middle of the old one.
    loose = 0.8 * (zoom - (hi - lo) / 2)
    middle = (lo + hi) / 2 - 1 + loose * rng.uniform(-1, 1, 2)
    middle = np.clip(middle, zoom - 1, 1 - zoom)
    shift = ((old.shift[0] + middle[0]) / zoom, (old.shift[1] - middle[1]) / zoom)
    camera = replace(old, tan=old.tan * zoom, shift=(float(shift[0]), float(shift[1])))
    return replace(
        planted,
        violated=replace(planted.violated, camera=camera),
        clean=replace(planted.clean, camera=camera),
    )


def _free(world: World, target: Thing) -> bool:
    return bool(world.free) and not target.facts.get("detail")


def placeable(natural: float, within: float = 2.6) -> Callable[[World, Thing], bool]:
    """A recipe's `fits` for an arrangement `natural` metres large: in place of things of about its size, or
    wherever the world has a free spot."""

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
