"""Slender upright things that recipes put before another: posts, pillars, lamps, trunks, boards."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import box, ellipsoid
from benchmarks.scenes.geometry.subject import Paint

from .arrange import RGB, pick, thing, upright
from .order import depths, frame_of
from .sight import has_room, in_sight, nearer, rightwards
from .world import Thing, World

_WOOD: Final[tuple[RGB, ...]] = ((0.55, 0.38, 0.22), (0.4, 0.28, 0.17), (0.74, 0.6, 0.42))
_METAL: Final[tuple[RGB, ...]] = (
    (0.35, 0.37, 0.4),
    (0.6, 0.62, 0.64),
    (0.15, 0.22, 0.18),
    (0.7, 0.2, 0.16),
)
_STONE: Final[tuple[RGB, ...]] = ((0.75, 0.72, 0.66), (0.6, 0.6, 0.6), (0.86, 0.83, 0.78))
_OUT: Final = ("post", "lamp post", "trunk", "pillar")
_IN: Final = ("pillar", "stand", "board", "post")
_ON: Final = ("candlestick", "board", "stand")

Pieces = list[tuple[Mesh, Paint]]


def _post(kind: str, r: float, h: float, rng: Generator) -> Pieces:
    """An upright of radius r and height h about the origin."""
    if kind == "pillar":
        paint = Paint(pick(rng, _STONE), specular=0.05)
        shaft = upright([0, h], [r, r * 0.9])
        return [
            (shaft, paint),
            (box((0, 0, 0.03 * h), (2.8 * r, 2.8 * r, 0.06 * h)), paint),
            (box((0, 0, 0.97 * h), (2.6 * r, 2.6 * r, 0.06 * h)), paint),
        ]
    if kind == "trunk":
        bark = Paint(pick(rng, _WOOD), specular=0.02)
        leaf = Paint(
            pick(rng, ((0.2, 0.4, 0.15), (0.35, 0.45, 0.15), (0.5, 0.4, 0.15))), specular=0.02
        )
        crown = [
            (
                ellipsoid(rng.normal(size=3) * r * 1.2 + [0, 0, h], rng.uniform(2.2, 3.2, 3) * r),
                leaf,
            )
            for _ in range(4)
        ]
        return [(upright([0, 0.1 * h, h], [1.35 * r, r, 0.8 * r]), bark), *crown]
    if kind == "board":
        paint = Paint(pick(rng, _WOOD), specular=0.05)
        return [(box((0, 0, h / 2), (2 * r, 0.5 * r, h)), paint)]
    paint = Paint(pick(rng, _WOOD if kind == "post" else _METAL), specular=0.25)
    pieces: Pieces = [(upright([0, h], [r, r * 0.85]), paint)]
    if kind != "post":
        pieces.append((upright([0, 0.03 * h, 0.05 * h], [2.4 * r, 2.2 * r, r]), paint))
    if kind == "lamp post":
        shade = Paint((0.95, 0.93, 0.82), specular=0.1)
        pieces.append((ellipsoid((0, 0, h), (2.2 * r, 2.2 * r, 2.6 * r)), shade))
    elif kind != "post":
        pieces.append((ellipsoid((0, 0, h), (1.5 * r, 1.5 * r, 1.2 * r)), paint))
    return pieces


def post_before(world: World, at: Thing, rng: Generator) -> tuple[World, Thing] | None:
    """The world with a post that stands before a thing and hides a strip of it, and the post."""
    x0, y0, x1, y1 = frame_of(world, at)
    depth = depths(world, at)[0]
    middle = float((at.centre - world.camera.pos) @ world.camera.forward)
    unit = 2 * world.camera.tan * depth
    kinds = _ON if at.rests_on else _OUT if world.place != "indoor" else _IN
    for _ in range(6):
        wide = float(np.clip((x1 - x0) * rng.uniform(0.14, 0.24), 0.02, 0.09)) * unit
        high = (y1 - y0) * float(rng.uniform(0.95, 1.3)) * unit
        x = x0 + (x1 - x0) * float(rng.uniform(0.35, 0.65))
        kind = str(rng.choice(kinds))
        spot = at.centre + nearer(world) * (middle - depth + wide * float(rng.uniform(1.0, 2.5)))
        seen_at = float(world.camera.project(spot[None], 1, 1)[0, 0])
        spot = spot + rightwards(world) * (x - seen_at) * unit
        foot = np.array([spot[0], spot[1], at.low[2]])
        post = thing(
            "post", kind, _post(kind, wide / 2, high, rng), at=foot, has=("rigid", "stands")
        )
        found = world.plus(post)
        fair = in_sight(found, post, 30, 0.7) and depths(found, post)[1] < depths(found, at)[0]
        if (
            fair
            and has_room(found, post, [at.rests_on or ""])
            and _supported(found, post, at.rests_on)
        ):
            return found, post
    return None


def _supported(world: World, post: Thing, under: str | None) -> bool:
    if under is None:
        return True
    one = world.thing(under)
    return bool((post.low[:2] > one.low[:2]).all() and (post.high[:2] < one.high[:2]).all())
