"""What the camera of a world sees of a thing, and what is in whose way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.pairs.registry import Planted
from benchmarks.scenes.pairs.world import Thing, World

ADDED = "added "
"""Keys of what recipes put into a world start with it."""


def foot(one: Thing) -> F64:
    """The middle of where it stands."""
    return np.array([one.centre[0], one.centre[1], one.low[2]])


def rightwards(world: World) -> F64:
    """The horizontal direction [3] that runs to the right in the picture."""
    flat = world.camera.right * [1.0, 1.0, 0.0]
    unit: F64 = flat / np.linalg.norm(flat)
    return unit


def nearer(world: World) -> F64:
    """The horizontal direction [3] towards the camera, square to `rightwards`."""
    r = rightwards(world)
    # From straight above, what is lower in the picture counts as nearer.
    toward = -world.camera.forward - 0.1 * world.camera.up
    across = np.array([r[1], -r[0], 0.0])
    return across if float(across @ toward) > 0 else -across


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


def boxes_cross(low: F64, high: F64, other_low: F64, other_high: F64) -> bool:
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
    return not any(boxes_cross(one.low, one.high, low, high) for low, high in boxes)


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


def closer(
    planted: Planted, rng: Generator, keys: Sequence[str] = (), fill: float = 0.62
) -> Planted:
    """Both twins seen closer (a part of the same view), where the subject's violation would be small.

    `keys` are to be seen (they may lack the "added " of an arrangement's things), or the violation's
    things and those of the same arrangement ("block.1" brings "block.2"); asides stay as they are.
    """
    there = {t.key for w in (planted.violated, planted.clean) for t in w.things}

    def full(key: str) -> str:
        return f"{ADDED}{key}" if f"{ADDED}{key}" in there else key

    planted = replace(planted, where=tuple(full(key) for key in planted.where))
    keys = [full(key) for key in keys]
    wanted = set(keys) or set(planted.where)
    groups = {key.split(".")[0] for key in wanted if "." in key}
    both = [t for w in (planted.violated, planted.clean) for t in w.things]
    whole = [t for t in both if t.key in wanted or t.key.split(".")[0] in groups]
    if not any(t.subject for t in whole):
        return planted
    seen_at = [t.verts() for t in whole if t.subject or t.key in keys]
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
