"""Parts made on their own, to be attached where they do not belong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import disc, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.subjects.animal_extras import (
    beak,
    feathered_wing,
    horn_pair,
    nose_horn,
    trunk,
)
from benchmarks.scenes.subjects.animal_parts import ear, leg, vec
from benchmarks.scenes.subjects.engines import jet
from benchmarks.scenes.subjects.livery import livery
from benchmarks.scenes.subjects.wings import foil


def _skin(rng: Generator) -> Paint:
    base = np.array(
        [[0.45, 0.3, 0.18], [0.72, 0.56, 0.38], [0.45, 0.44, 0.43], [0.88, 0.62, 0.58]]
    )[rng.integers(4)]
    c = np.clip(base * rng.uniform(0.8, 1.2), 0, 1)
    return Paint((float(c[0]), float(c[1]), float(c[2])), specular=0.05)


def _horn_paint(rng: Generator) -> Paint:
    return Paint((0.75, 0.69, 0.55) if rng.random() < 0.6 else (0.3, 0.27, 0.23), specular=0.3)


def ears(at: F64, apart: float, size: float, kind: str, rng: Generator) -> list[Part]:
    """Two ears at ±apart from a point."""
    skin = _skin(rng)
    return [
        ear(f"graft.ear.{side}", at + np.array([0, s * apart, 0]), s, kind, size, skin, skin, None)
        for side, s in (("left", 1.0), ("right", -1.0))
    ]


def horns(at: F64, apart: float, size: float, rng: Generator) -> list[Part]:
    """Two horns at ±apart from a point."""
    paint, kind = _horn_paint(rng), str(rng.choice(["cow", "goat"]))
    return [
        horn_pair(
            f"graft.horn.{side}", at + np.array([0, s * apart, 0]), s, kind, size, paint, None
        )
        for side, s in (("left", 1.0), ("right", -1.0))
    ]


def horn_at(at: F64, size: float, rng: Generator, owner: str | None = None) -> Part:
    """A single horn."""
    return nose_horn("graft.horn", at, size, _horn_paint(rng), owner)


def beak_at(at: F64, size: float, rng: Generator, owner: str | None = None) -> Part:
    """A beak pointing forward; it belongs to no head."""
    paint = Paint((0.9, float(rng.uniform(0.5, 0.75)), 0.1), specular=0.3)
    p = beak("graft.beak", at, str(rng.choice(["cone", "flat", "hook"])), size, paint, owner)
    return Part(p.key, p.cls, p.pieces, owner=owner, pivot=p.pivot)


def trunk_at(at: F64, size: float, rng: Generator, owner: str | None = None) -> Part:
    """An elephant's trunk."""
    return trunk(
        "graft.trunk",
        at,
        size,
        float(rng.uniform(-20, 60)),
        Paint(grey(rng, 0.4, 0.55), specular=0.05),
        owner,
    )


def leg_at(key: str, hip: F64, length: float, rng: Generator) -> Part:
    """An animal's leg hanging from `hip`."""
    a = float(rng.uniform(-0.3, 0.3))
    knee = hip + np.array([a * 0.5, 0, -0.52]) * length
    foot = knee + np.array([-a * 0.4, 0, -0.48]) * length
    return leg(
        key,
        hip,
        knee,
        foot,
        (length * 0.17, length * 0.1),
        _skin(rng),
        Paint((0.15, 0.12, 0.1)),
        1.0 if hip[1] >= 0 else -1.0,
        "graft",
        bool(rng.random() < 0.5),
    )


def wheels(spots: Sequence[tuple[float, float]], z: float, radius: float) -> list[Part]:
    """Car wheels at (x, y) spots with their axles at height z."""
    tyre, rim = Paint((0.05, 0.05, 0.055)), Paint((0.68, 0.68, 0.7), specular=0.5)
    parts = []
    for i, (x, y) in enumerate(spots):
        w = radius * 0.5
        s = 1.0 if y >= 0 else -1.0
        pieces = (
            Piece.make(disc((x, y + s * w / 2, z), radius, w, bevel=0.08, n=22), tyre),
            Piece.make(disc((x, y + s * w * 1.0, z), radius * 0.62, 0.012, n=18), rim),
        )
        parts.append(
            Part(
                f"graft.wheel.{i}",
                "car.wheel",
                pieces,
                side="left" if s > 0 else "right",
                pivot=(x, y, z),
            )
        )
    return parts


def plane_wings(at: F64, apart: float, span: float, chord: float, rng: Generator) -> list[Part]:
    """A pair of swept aircraft wings."""
    paint = Paint(grey(rng, 0.6, 0.9) if rng.random() < 0.6 else hue(rng), specular=0.3)
    parts = []
    for side, s in (("left", 1.0), ("right", -1.0)):
        root = at + np.array([0, s * apart, 0])
        tip = root + np.array([-0.5 * span, s * span, 0.08 * span])
        mesh = foil(root, tip, (chord, chord * 0.35), 0.12, np.array([0, 0, 1.0]))
        parts.append(
            Part(
                f"graft.wing.{side}",
                "aircraft.wing",
                (Piece.make(mesh, paint),),
                side=side,
                pivot=vec(root),
            )
        )
    return parts


def plane_fin(at: F64, height: float, rng: Generator) -> Part:
    """A vertical aircraft fin."""
    mesh = foil(
        at,
        at + np.array([-0.55 * height, 0, height]),
        (height * 0.85, height * 0.4),
        0.1,
        np.array([0, 1.0, 0]),
    )
    return Part(
        "graft.tail",
        "aircraft.tail",
        (Piece.make(mesh, Paint(hue(rng), specular=0.3)),),
        pivot=vec(at),
    )


def plane_engine(at: F64, radius: float, side: str, rng: Generator) -> Part:
    """A jet engine."""
    part = jet("graft.engine", side, at, radius, radius * 3.4, livery(rng, 0.1), None)[0]
    white = Paint(grey(rng, 0.75, 0.95), specular=0.4)
    pieces = tuple(
        p if p.paint.texture is None else Piece(p.mesh, white, p.uv) for p in part.pieces
    )
    return Part(part.key, part.cls, pieces, side=side, pivot=part.pivot)


def bird_wings(at_left: F64, at_right: F64, size: float, rng: Generator) -> list[Part]:
    """A pair of spread feathered wings."""
    paint, tip = _skin(rng), _skin(rng)
    if rng.random() < 0.4:
        paint = tip = Paint((0.93, 0.92, 0.9), specular=0.05)
    lift = float(rng.uniform(30, 60))
    return [
        feathered_wing("graft.wing.left", at_left, 1.0, size, True, paint, tip, lift),
        feathered_wing("graft.wing.right", at_right, -1.0, size, True, paint, tip, lift),
    ]


def turned(part: Part, axis: str, degrees: float) -> Part:
    """The part turned about its attachment."""
    return part.about(rot(axis, degrees), part.pivot)
