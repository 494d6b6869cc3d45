"""Birds: two legs, two wings, a beak."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, loft
from benchmarks.scenes.geometry.solids import ellipsoid, limb, rot
from benchmarks.scenes.geometry.subject import Part, Piece, Subject

from .animal_extras import beak, feathered_wing
from .animal_parts import leaf, vec
from .animal_types import Bird
from .coats import Coat, coat


def build(rng: Generator, t: Bird) -> Subject:
    """A bird facing +x; the caller puts it on the ground."""

    def u(v: float, s: float = 0.1) -> float:
        return float(v * rng.uniform(1 - s, 1 + s))

    t = replace(
        t,
        neck=u(t.neck),
        leg=u(t.leg),
        wing=u(t.wing),
        pitch=t.pitch + float(rng.uniform(-6, 6)),
        neck_angle=t.neck_angle + float(rng.uniform(-8, 8)),
    )
    head = t.heads[rng.integers(len(t.heads))] if t.heads else None
    c = coat(rng, t.coats, 0.25, head, t.beak_rgb)
    turn = rot("y", -t.pitch)
    parts = _torso(t, c, turn)
    parts += _head(t, c, turn, rng)
    parts += _wings(t, c, turn, rng)
    parts += _legs(t, c, turn, rng)
    parts.append(_tail(t, c, turn))
    a, b, d = t.body

    def at(x: float, y: float, z: float) -> tuple[float, float, float]:
        return vec(turn @ np.array([x, y, z]))

    anchors = {
        "back": at(-0.1 * a, 0, d),
        "belly": at(-0.1 * a, 0, -d),
        "rump": at(-a, 0, 0),
        "flank.left": at(-0.2 * a, b, 0),
        "flank.right": at(-0.2 * a, -b, 0),
        "shoulder.left": at(0.6 * a, b * 0.8, 0.4 * d),
        "shoulder.right": at(0.6 * a, -b * 0.8, 0.4 * d),
    }
    facts = {"bird": 1.0, "length": 2 * a, "leg": t.leg, "depth": d, "skull": t.skull, "legs": 2.0}
    return Subject("animal", t.subtype, tuple(parts), anchors, facts, c.textures)


def _torso(t: Bird, c: Coat, turn: F64) -> list[Part]:
    a, b, d = t.body
    s = np.array([-1.0, -0.94, -0.78, -0.5, -0.15, 0.12, 0.42, 0.72, 0.92, 1.0])
    k = np.sqrt(np.clip(1 - s**2, 0.004, 1)) * np.where(s < 0, 1 + 0.25 * s, 1.0)
    ring = np.arange(14) * 2 * np.pi / 14
    rings = (
        np.stack(
            [
                np.column_stack([np.full(14, x * a), np.cos(ring) * r * b, np.sin(ring) * r * d])
                for x, r in zip(s, k, strict=True)
            ]
        )
        @ turn.T
    )
    return [
        Part("belly", "animal.belly", (Piece.make(loft(rings[:6]), c.body),), place="rear"),
        Part("chest", "animal.chest", (Piece.make(loft(rings[5:]), c.body),), place="front"),
    ]


def _head(t: Bird, c: Coat, turn: F64, rng: Generator) -> list[Part]:
    a, _, d = t.body
    base = turn @ np.array([a * 0.72, 0.0, d * 0.35])
    ang = np.deg2rad(t.neck_angle)
    end = base + np.array([np.cos(ang), 0.0, np.sin(ang)]) * (t.neck + 0.06)
    neck_paint = c.head if t.heads else c.body
    parts = [
        Part(
            "neck",
            None,
            (Piece.make(limb(base, end, t.neck_radius * 1.35, t.neck_radius), neck_paint),),
        )
    ]
    s = t.skull
    yaw = rot("z", float(rng.uniform(-14, 14)))
    centre = end + np.array([s * 0.3, 0, s * 0.25])

    def at(x: float, y: float, z: float) -> F64:
        point: F64 = centre + yaw @ np.array([x, y, z]) * s
        return point

    head = [Piece.make(ellipsoid(centre, (s * 1.15, s * 0.9, s * 0.95), yaw), c.head)]
    parts.append(Part("head", "animal.head", tuple(head), pivot=vec(end)))
    if t.comb:
        comb = [
            Piece.make(ellipsoid(at(x, 0, 0.95), (s * 0.26, s * 0.1, s * 0.34), n=8), c.red)
            for x in (-0.45, 0.0, 0.45)
        ]
        comb.append(
            Piece.make(ellipsoid(at(0.85, 0, -0.85), (s * 0.18, s * 0.14, s * 0.4), n=8), c.red)
        )
        parts.append(Part("comb", None, tuple(comb), owner="head"))
    for side, k in (("left", 1.0), ("right", -1.0)):
        spot = at(0.42, k * 0.74, 0.22)
        eye = [
            Piece.make(ellipsoid(spot, np.full(3, s * 0.23), n=10), c.sclera),
            Piece.make(
                ellipsoid(spot + np.array([0.03, k * 0.08, 0.01]) * s, np.full(3, s * 0.18), n=10),
                c.eye,
            ),
        ]
        parts.append(
            Part(
                f"eye.{side}",
                "animal.eye",
                tuple(eye),
                owner="head",
                joins="head",
                side=side,
                pivot=vec(spot),
            )
        )
    parts.append(beak("beak", at(0.9, 0, -0.05), t.beak, t.beak_length * 1.15, c.beak, "head"))
    return parts


def _wings(t: Bird, c: Coat, turn: F64, rng: Generator) -> list[Part]:
    a, b, d = t.body
    spread = bool(rng.random() < t.spread)
    lift = float(rng.uniform(15, 50))
    return [
        feathered_wing(
            f"wing.{side}",
            turn
            @ np.array(
                [a * 0.25, s * b * (0.9 if spread else 0.97), d * (0.5 if spread else 0.22)]
            ),
            s,
            t.wing,
            spread,
            c.body,
            c.tail,
            lift,
        )
        for side, s in (("left", 1.0), ("right", -1.0))
    ]


def _legs(t: Bird, c: Coat, turn: F64, rng: Generator) -> list[Part]:
    a, b, d = t.body
    parts = []
    stride = float(rng.uniform(0.25, 0.5)) * float(rng.choice([-1, 1]))
    for side, s in (("left", 1.0), ("right", -1.0)):
        hip = turn @ np.array([-a * 0.12, s * b * 0.45, -d * 0.72])
        lean = stride * s * 0.6
        knee = hip + np.array([lean * 0.4 - 0.12, 0.0, -0.5]) * t.leg
        foot = knee + np.array([lean * 0.6 + 0.12, 0.0, -0.55]) * t.leg
        foot[2] = -d * 0.72 - t.leg
        r = t.shin
        pieces = [
            Piece.make(limb(hip, knee, r * 2.2, r * 1.1, n=8), c.body),
            Piece.make(limb(knee, foot, r, r * 0.9, n=8), c.beak),
        ]
        for toe in (-32, 0, 32, 180):
            way = rot("z", toe) @ np.array([1.0, 0, 0]) * (4.2 if toe != 180 else 2.5) * r
            pieces.append(
                Piece.make(
                    limb(
                        foot + np.array([0, 0, r * 0.2]),
                        foot + way - np.array([0, 0, r * 0.2]),
                        r * 0.75,
                        r * 0.4,
                        n=6,
                    ),
                    c.beak,
                )
            )
        parts.append(
            Part(
                f"leg.{side}",
                "animal.leg",
                tuple(pieces),
                side=side,
                place="middle",
                pivot=vec(hip),
            )
        )
    return parts


def _tail(t: Bird, c: Coat, turn: F64) -> Part:
    a, _, d = t.body
    root = turn @ np.array([-a * 0.86, 0.0, d * 0.12])
    ang = np.deg2rad(t.tail_angle)
    pieces = []
    for i in range(5):
        yaw = np.deg2rad((i - 2) * 13)
        way = np.array([-np.cos(ang) * np.cos(yaw), np.sin(yaw), np.sin(ang)]) * t.tail_length
        pieces.append(
            Piece.make(
                leaf(
                    root,
                    root + way,
                    t.tail_length * 0.34,
                    np.array([np.sin(ang), 0, np.cos(ang)]),
                    0.03,
                    0.65,
                ),
                c.tail,
            )
        )
    return Part("tail", "animal.tail", tuple(pieces), place="rear", pivot=vec(root))
