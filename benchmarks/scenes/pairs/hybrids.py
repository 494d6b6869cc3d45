"""Creatures put together from several: parts of one animal, or of an animal and a person, on another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, unit
from benchmarks.scenes.geometry.solids import prism, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.subjects.animal_extras import feathered_wing

from .beasts import Stand, donor, family, lacking, stand, with_parts
from .world import Thing

RGB = tuple[float, float, float]


def feathered(
    how: Stand, rgb: RGB, lift: float, size: float, root: tuple[float, float]
) -> list[Part]:
    """Spread bird's wings at a trunk; `size` in its lengths, `root`: place along it and up."""
    paint = Paint(rgb, specular=0.05)
    dark = Paint((rgb[0] * 0.6, rgb[1] * 0.6, rgb[2] * 0.6), specular=0.05)
    parts = []
    for side, s in (("left", 1.0), ("right", -1.0)):
        wing = feathered_wing(
            f"wing.{side}", np.zeros(3), s, size * how.length, True, paint, dark, lift
        )
        parts.append(wing.transformed(how.axes, how.at(root[0], s * 0.6, root[1])))
    return parts


def leathery(
    how: Stand, rgb: RGB, lift: float, size: float, root: tuple[float, float]
) -> list[Part]:
    """A dragon's or bat's wings: fingers with skin between them."""
    paint = Paint(rgb, specular=0.15)
    bone = Paint((rgb[0] * 0.55, rgb[1] * 0.55, rgb[2] * 0.55), specular=0.1)
    span = size * how.length
    a = np.deg2rad(lift)
    parts = []
    for side, s in (("left", 1.0), ("right", -1.0)):
        out = np.array([0.0, s * np.cos(a), np.sin(a)])
        joint = out * span * 0.5 + np.array([0.12, 0, 0.08]) * span
        tips = [
            joint + (out * f + np.array([b, 0, 0])) * span
            for f, b in ((0.62, 0.05), (0.5, -0.35), (0.2, -0.6))
        ]
        hind = np.array([-0.55, 0, 0]) * span * 0.6
        outline = [np.zeros(3), joint, tips[0]]
        for one, other in zip(tips, [*tips[1:], hind], strict=True):
            outline += [(one + other) / 2 * 0.8 + joint * 0.2, other]
        parts.append(
            Part(
                f"wing.{side}",
                None,
                (*_skin(outline, paint, span), *_bones(joint, tips, bone, span)),
            ).transformed(how.axes, how.at(root[0], s * 0.6, root[1]))
        )
    return parts


def _skin(outline: list[F64], paint: Paint, span: float) -> tuple[Piece, ...]:
    """A sheet fanned out from its first two corners, two-sided."""
    p = np.stack(outline)
    middle = p[:2].mean(0)
    pieces = []
    for i in range(1, len(p) - 1):
        corners = np.stack([middle, p[i], p[i + 1]])
        n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        n = unit(n) * span * 0.006
        pieces.append(Piece.make(prism(list(corners - n), list(corners + n)), paint))
    closing = np.stack([middle, p[-1], p[0]])
    n = unit(np.cross(closing[1] - closing[0], closing[2] - closing[0])) * span * 0.006
    pieces.append(Piece.make(prism(list(closing - n), list(closing + n)), paint))
    return tuple(pieces)


def _bones(joint: F64, tips: list[F64], paint: Paint, span: float) -> tuple[Piece, ...]:
    path = [(np.zeros(3), joint)] + [(joint, tip) for tip in tips]
    return tuple(
        Piece.make(tube([a, b], np.array([0.03, 0.014]) * span, n=7, up=(1.0, 0.2, 0.1)), paint)
        for a, b in path
    )


def spike(at: F64, way: F64, length: float, rgb: RGB) -> Part:
    """A straight horn with turns round it, as a unicorn has."""
    t = np.linspace(0, 1, 9)
    radii = length * (0.11 - 0.1 * t) * (1 + 0.12 * (np.arange(9) % 2))
    up = (0.0, 1.0, 0.0) if abs(way[1]) < 0.8 else (0.0, 0.0, 1.0)
    mesh = tube(at + np.outer(t * length, way), radii, n=10, up=up)
    return Part("spike", None, (Piece.make(mesh, Paint(rgb, specular=0.4)),))


def fish_tail(how: Stand, length: float, rgb: RGB, floor: float) -> Part:
    """A fish's rear end: from the middle of a trunk down to the ground behind, its fluke turned up."""
    t = np.linspace(0, 1, 9)
    low = floor - float(how.at(0.05, 0, 0)[2]) + 0.3 * how.depth
    ends = np.array([0.0, 0.4 * low, 1.45 * low, 0.6 * low + 0.2 * length])
    way = np.array([0.0, 0.45, 0.75, 1.0]) * length
    terms = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], 1)
    x, z = -terms @ way, terms @ ends
    path = np.stack([x, 0 * t, z], 1)
    taper = np.array([1.0, 1.0, 0.95, 0.85, 0.7, 0.54, 0.4, 0.28, 0.18])
    radii = np.stack([taper * how.width, taper * how.depth], 1)
    body = tube(path, radii, n=14, up=(0.0, 0.0, 1.0))
    paint, dark = (
        Paint(rgb, specular=0.6, shininess=0.7),
        Paint((rgb[0] * 0.6, rgb[1] * 0.6, rgb[2] * 0.6), specular=0.4),
    )
    end, way = path[-1], unit(path[-1] - path[-2])
    lift = np.array([-way[2], 0, way[0]])
    fin = 0.34 * length
    pieces = [Piece.make(body, paint)]
    for s in (1.0, -1.0):
        flat = np.stack(
            [
                end - way * 0.08 * fin,
                end + (way * 0.8 + lift * s * 0.95) * fin,
                end + way * 0.45 * fin,
            ]
        )
        off = np.array([0, 0.03, 0]) * fin
        pieces.append(Piece.make(prism(list(flat - off), list(flat + off)), dark))
    ridge = np.stack(
        [
            path[2] + [0, 0, how.depth * 0.8],
            path[3] + [0, 0, how.depth * 1.7],
            path[5] + [0, 0, how.depth * 0.4],
        ]
    )
    off = np.array([0, 0.02, 0]) * length
    pieces.append(Piece.make(prism(list(ridge - off), list(ridge + off)), dark))
    return Part("fish", None, tuple(pieces)).transformed(how.axes, how.at(0.05, 0, 0))


def scaled_tail(width: float, rgb: RGB, path: F64) -> Part:
    """A mermaid's tail along a path [m, 3] from the hips on, with a fluke at its end."""
    n = len(path)
    radii = width * np.linspace(1.0, 0.32, n) ** 0.9
    paint = Paint(rgb, specular=0.6, shininess=0.7)
    dark = Paint((rgb[0] * 0.6, rgb[1] * 0.6, rgb[2] * 0.6), specular=0.4)
    side = unit(np.cross(path[-1] - path[0], [0.0, 0.0, 1.0]) + 1e-6)
    body = tube(path, radii, n=14, up=side)
    way = unit(path[-1] - path[-2])
    pieces = [Piece.make(body, paint)]
    for s in (1.0, -1.0):
        end = path[-1]
        flat = np.stack([end - way * width * 0.4, end + (way * 1.6 + side * s * 2.0) * width,
                         end + way * width * 1.0])  # fmt: skip
        off = unit(np.cross(way, side)) * width * 0.08
        pieces.append(Piece.make(prism(list(flat - off), list(flat + off)), dark))
    return Part("tail", None, tuple(pieces))


def other_head(thing: Thing, kind: str, rng: Generator) -> Thing:
    """Another animal's head and neck on this one's trunk."""
    how = stand(thing)
    giver, _ = donor(kind, how, rng)
    bare = lacking(thing, family(thing, "head", "neck"))
    # The neck's foot is where the trunk's upper front end is, for both.
    return with_parts(bare, family(giver, "neck", "head"), ".other")


def other_rear(thing: Thing, kind: str, rng: Generator) -> Thing:
    """Another animal's rear half: belly, tail and rear legs, or a bird's legs and tail."""
    how = stand(thing)
    giver, own = donor(kind, how, rng)
    floor = float(thing.low[2])
    rear = [
        p
        for p in thing.parts
        if p.key in ("belly", "tail") or (p.key.startswith("leg") and p.place != "front")
    ]
    bare = lacking(thing, rear)
    parts = [
        p
        for p in giver.parts
        if p.key in ("belly", "tail") or (p.key.startswith("leg") and p.place != "front")
    ]
    # As thick as this one where they meet.
    k = how.axes @ np.diag([1.0, how.width / own.width, how.depth / own.depth]) @ how.axes.T
    parts = [p.about(k, how.middle) for p in parts]
    done = [_to_floor(p, floor) if p.key.startswith("leg") else p for p in parts]
    return with_parts(bare, done, ".other")


def _to_floor(leg: Part, floor: float) -> Part:
    """A leg as long as its hip is high."""
    low = float(leg.verts()[:, 2].min())
    stretch = (leg.pivot[2] - floor) / max(leg.pivot[2] - low, 1e-6)
    return leg.about(np.diag([1.0, 1.0, stretch]), leg.pivot)


def head_on(kind: str, centre: F64, axes: F64, radius: float, rng: Generator) -> list[Part]:
    """An animal's head (no neck) of a size at a place; `axes` [3, 3]: ahead, left, up."""
    unit_stand = Stand(np.eye(3), np.zeros(3), 1.0, 0.3, 0.25, 0.15, False)
    giver, own = donor(kind, unit_stand, rng)
    parts = family(giver, "head")
    skull = next(p for p in parts if p.key == "head").pieces[0].mesh.verts
    middle = (skull.min(0) + skull.max(0)) / 2
    k = radius / max(own.skull, 1e-6)
    moved = [p.about(axes * k, middle, centre - middle) for p in parts]
    return [replace(p, key=f"beast.{p.key}") for p in moved]
