"""Vehicles on wheels or runners, in their own axes: x ahead, y left, z up, ground at z = 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import loft
from benchmarks.scenes.geometry.solids import box, disc, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import hue

from .quick import ball
from .wheels import METAL, TYRE, rods, solid, spoked

Shape = tuple[list[Part], dict[str, Any]]


def _p(*xyz: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(xyz, float)


def _lacquer(rng: Generator) -> Paint:
    return Paint(hue(rng, (0.5, 0.95), (0.35, 0.9)), specular=0.5, shininess=0.6)


def _wood(rng: Generator) -> Paint:
    v = float(rng.uniform(0.75, 1.25))
    return Paint((min(0.55 * v, 1), 0.38 * v, 0.22 * v), specular=0.05)


def squared(part: Part) -> Part:
    """A wheel that is square, of the same paints."""
    v = part.verts()
    low, high = v.min(0), v.max(0)
    side = (high - low) * np.array([0.88, 1.0, 0.88])
    mid = (low + high) / 2 - np.array([0.0, 0.0, (high - low)[2] * 0.06])
    paints = list(dict.fromkeys(p.paint for p in part.pieces))
    pieces = [Piece.make(box(mid, side), paints[0])]
    if len(paints) > 1:
        pieces.append(Piece.make(box(mid, side * np.array([0.5, 1.05, 0.5])), paints[1]))
    return replace(part, pieces=tuple(pieces))


def bicycle(rng: Generator, *, handlebar: str = "front", saddle: str = "top") -> Shape:
    """A bicycle on its stand. Parts: frame, wheel.front, wheel.rear, fork, handlebar, saddle, crank.

    `handlebar`: front, rear or under; `saddle`: top or under. Facts: wheel.*, saddle, handlebar.
    """
    paint, r = _lacquer(rng), float(rng.uniform(0.32, 0.36))
    rear, front = _p(-0.5, 0, r), _p(0.56, 0, r)
    crank, seat, head = _p(-0.06, 0, 0.29), _p(-0.2, 0, 0.82), _p(0.4, 0, 0.86)
    head_low = _p(0.45, 0, 0.68)
    frame = rods(
        [
            (crank, seat),
            (seat - _p(0, 0, 0.08), head),
            (crank, head_low),
            (head, head_low),
            (rear, crank),
            (rear, seat - _p(0, 0, 0.12)),
        ],
        0.021,
        paint,
    )
    bars = [
        (_p(0.39, 0, 0.86), _p(0.38, 0, 1.0)),
        (_p(0.38, -0.27, 1.02), _p(0.38, 0.27, 1.02)),
        (_p(0.38, 0.27, 1.02), _p(0.27, 0.29, 1.0)),
        (_p(0.38, -0.27, 1.02), _p(0.27, -0.29, 1.0)),
    ]
    handle = Part("handlebar", None, tuple(rods(bars, 0.016, METAL)), pivot=(0.39, 0.0, 0.9))
    sat = Part(
        "saddle",
        None,
        (
            Piece.make(ball(seat + _p(-0.02, 0, 0.1), (0.15, 0.075, 0.045)), TYRE),
            *rods([(seat, seat + _p(0, 0, 0.09))], 0.014, METAL),
        ),
        pivot=(-0.2, 0.0, 0.82),
    )
    if handlebar != "front":
        handle = handle.transformed(
            np.eye(3), (-0.95, 0, -0.1) if handlebar == "rear" else (-0.2, 0, -0.62)
        )
    if saddle == "under":
        sat = sat.about(np.diag([1.0, 1.0, -1.0]), (-0.2, 0, 0.82), (0.1, 0, -0.42))
    pedals = [
        Piece.make(box(crank + _p(x, y, z), (0.1, 0.07, 0.025)), TYRE)
        for x, y, z in ((0.12, 0.13, 0.1), (-0.12, -0.13, -0.1))
    ]
    pedals += rods(
        [
            (crank + _p(0, 0.07, 0), crank + _p(0.12, 0.1, 0.1)),
            (crank - _p(0, 0.07, 0), crank + _p(-0.12, -0.1, -0.1)),
        ],
        0.012,
        METAL,
    )
    pedals.append(Piece.make(disc(crank - _p(0, 0.04, 0), 0.09, 0.012, n=16), METAL))
    parts = [
        Part("frame", None, tuple(frame)),
        spoked("wheel.front", front, r, 0.022, 10, TYRE, METAL),
        spoked("wheel.rear", rear, r, 0.022, 10, TYRE, METAL),
        Part(
            "fork",
            None,
            tuple(
                rods(
                    [(head_low, front + _p(0, 0.05, 0)), (head_low, front - _p(0, 0.05, 0))],
                    0.015,
                    METAL,
                )
            ),
        ),
        handle,
        sat,
        Part("crank", None, tuple(pedals), pivot=(-0.06, 0.0, 0.29)),
        Part(
            "stand", None, tuple(rods([(_p(-0.3, 0.03, 0.3), _p(-0.34, 0.2, 0.012))], 0.012, METAL))
        ),
    ]
    return parts, {"saddle": seat + _p(0, 0, 0.12), "handlebar": _p(0.38, 0, 1.02), "wheels": 2}


def tricycle(rng: Generator) -> Shape:
    """A child's tricycle. Parts: frame, wheel.front, wheel.left.rear ..., handlebar, saddle."""
    paint, rim = _lacquer(rng), _lacquer(rng)
    frame = rods(
        [
            (_p(0.3, 0, 0.45), _p(0.33, 0, 0.2)),
            (_p(0.3, 0, 0.4), _p(-0.25, 0, 0.2)),
            (_p(-0.28, -0.22, 0.13), _p(-0.28, 0.22, 0.13)),
            (_p(-0.25, 0, 0.2), _p(-0.28, 0, 0.13)),
        ],
        0.024,
        paint,
    )
    bars = rods(
        [(_p(0.29, -0.2, 0.58), _p(0.29, 0.2, 0.58)), (_p(0.29, 0, 0.58), _p(0.3, 0, 0.42))],
        0.018,
        METAL,
    )
    parts = [
        Part("frame", None, tuple(frame)),
        solid("wheel.front", (0.34, 0, 0.2), 0.2, 0.06, rim),
        solid("wheel.left.rear", (-0.28, 0.23, 0.13), 0.13, 0.06, rim),
        solid("wheel.right.rear", (-0.28, -0.23, 0.13), 0.13, 0.06, rim),
        Part("handlebar", None, tuple(bars), pivot=(0.3, 0, 0.45)),
        Part(
            "saddle",
            None,
            (Piece.make(ball((-0.06, 0, 0.36), (0.14, 0.11, 0.05)), rim),),
            pivot=(-0.06, 0, 0.3),
        ),
    ]
    return parts, {"saddle": _p(-0.06, 0, 0.4), "handlebar": _p(0.29, 0, 0.58), "wheels": 3}


def skateboard(rng: Generator) -> Shape:
    """A skateboard. Parts: deck, wheel.left.front and so on."""
    paint, rim = _lacquer(rng), _lacquer(rng)
    xs = np.linspace(-0.42, 0.42, 8)
    rise = 0.05 * np.clip(np.abs(xs) - 0.26, 0, 1) / 0.16
    rows = [
        [(x, -w, 0.11 + z), (x, w, 0.11 + z), (x, w, 0.125 + z), (x, -w, 0.125 + z)]
        for x, z, w in zip(
            xs, rise, [0.05, 0.095, 0.11, 0.11, 0.11, 0.11, 0.095, 0.05], strict=True
        )
    ]
    parts = [Part("deck", None, (Piece.make(loft(np.array(rows), flat=True), paint),))]
    for place, x in (("front", 0.25), ("rear", -0.25)):
        axle = rods(
            [(_p(x, -0.09, 0.045), _p(x, 0.09, 0.045)), (_p(x, 0, 0.045), _p(x, 0, 0.11))],
            0.016,
            METAL,
        )
        parts.append(Part(f"axle.{place}", None, tuple(axle)))
        for side, s in (("left", 1), ("right", -1)):
            parts.append(
                solid(f"wheel.{side}.{place}", (x, s * 0.095, 0.045), 0.045, 0.05, METAL, rim)
            )
    return parts, {"deck": _p(0, 0, 0.125), "wheels": 4}


def cart(rng: Generator, *, load: bool = True) -> Shape:
    """A wooden farm cart. Parts: bed, wheel.left.front ... (spoked), shaft, load."""
    wood, rim = _wood(rng), _wood(rng)
    dark = replace(wood, rgb=(wood.rgb[0] * 0.6, wood.rgb[1] * 0.6, wood.rgb[2] * 0.6))
    r = float(rng.uniform(0.38, 0.5))
    z = r + 0.12
    bed = [Piece.make(box((0, 0, z), (1.9, 1.0, 0.07)), wood)]
    for y in (-0.5, 0.5):
        for k in range(2):
            bed.append(Piece.make(box((0, y * 1.02, z + 0.14 + 0.2 * k), (1.9, 0.04, 0.15)), wood))
        for x in (-0.85, 0.0, 0.85):
            bed.append(Piece.make(box((x, y * 1.07, z + 0.2), (0.07, 0.05, 0.5)), dark))
    for x in (-0.95, 0.95):
        bed.append(Piece.make(box((x, 0, z + 0.2), (0.04, 1.0, 0.34)), wood))
    parts = [Part("bed", None, tuple(bed))]
    for place, x in (("front", 0.62), ("rear", -0.62)):
        axle = rods([(_p(x, -0.62, r), _p(x, 0.62, r)), (_p(x, 0, r), _p(x, 0, z))], 0.035, dark)
        parts.append(Part(f"axle.{place}", None, tuple(axle)))
        for side, s in (("left", 1), ("right", -1)):
            parts.append(spoked(f"wheel.{side}.{place}", (x, s * 0.62, r), r, 0.04, 10, dark, rim))
    parts.append(
        Part(
            "shaft",
            None,
            tuple(
                rods(
                    [(_p(0.95, s * 0.2, z - 0.05), _p(2.0, s * 0.08, 0.04)) for s in (1, -1)],
                    0.03,
                    wood,
                )
            ),
        )
    )
    hay = Paint((0.8, 0.66, 0.28), specular=0.0)
    heap = [
        ball((x, y, z + 0.32 + h), (0.5, 0.36, 0.3), n=10)
        for x, y, h in ((-0.45, 0.1, 0), (0.4, -0.08, 0.02), (0, 0.05, 0.16))
    ]
    if load and rng.random() < 0.6:
        parts.append(Part("load", None, tuple(Piece.make(m, hay) for m in heap)))
    return parts, {"bed": _p(0, 0, z + 0.035), "wheels": 4}


def sledge(rng: Generator) -> Shape:
    """A wooden sledge. Parts: runner.left, runner.right, seat."""
    wood, paint = _wood(rng), _lacquer(rng)
    parts = []
    for side, s in (("left", 1), ("right", -1)):
        path = [
            (-0.5, s * 0.2, 0.02),
            (0.0, s * 0.2, 0.02),
            (0.38, s * 0.2, 0.02),
            (0.52, s * 0.2, 0.1),
            (0.55, s * 0.2, 0.24),
            (0.48, s * 0.2, 0.3),
        ]
        pieces = [Piece.make(tube(path, np.full(6, 0.02), n=7, up=(0, 1, 0)), paint)]
        pieces += rods(
            [(_p(x, s * 0.2, 0.02), _p(x, s * 0.17, 0.24)) for x in (-0.35, 0.0, 0.3)], 0.018, wood
        )
        parts.append(Part(f"runner.{side}", None, tuple(pieces), pivot=(0.0, s * 0.2, 0.02)))
    slats = [
        Piece.make(box((-0.03, y, 0.255), (0.9, 0.09, 0.025)), wood)
        for y in (-0.16, -0.05, 0.06, 0.17)
    ]
    parts.append(Part("seat", None, tuple(slats)))
    return parts, {"seat": _p(0, 0, 0.27)}
