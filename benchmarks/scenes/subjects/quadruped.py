"""Four-legged animals: torso, legs, tail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import loft
from benchmarks.scenes.geometry.solids import ellipsoid, tube
from benchmarks.scenes.geometry.subject import Part, Piece, Subject

from .animal_parts import leg, vec
from .animal_types import Quadruped
from .coats import Coat, coat
from .quadruped_head import head


def _vary(t: Quadruped, rng: Generator) -> Quadruped:
    def u(v: float, s: float = 0.1) -> float:
        return float(v * rng.uniform(1 - s, 1 + s))

    return replace(
        t,
        chest=u(t.chest),
        belly=u(t.belly),
        leg=u(t.leg),
        neck=u(t.neck),
        neck_angle=t.neck_angle + float(rng.uniform(-8, 10)),
        skull=u(t.skull, 0.07),
        muzzle=u(t.muzzle),
        ear_size=u(t.ear_size),
        tail_length=u(t.tail_length, 0.15),
        tail_angle=t.tail_angle + float(rng.uniform(-12, 12)),
        head_pitch=t.head_pitch + float(rng.uniform(-10, 10)),
        length=u(t.length, 0.06),
    )


def quadruped(rng: Generator, t: Quadruped) -> Subject:
    t = _vary(t, rng)
    c = coat(rng, t.coats, t.patches, rough=2.0 if t.wool else 1.0)
    parts = _torso(t, c)
    parts += head(t, c, rng)
    parts += _legs(t, c, rng)
    parts.append(_tail(t, c, rng))
    top, half = max(t.chest, t.belly), t.length / 2
    y = t.belly * t.wide
    anchors = {
        "back": (-0.05, 0.0, top * 0.95),
        "belly": (-0.1, 0.0, -t.belly),
        "rump": (-half, 0.0, t.belly * 0.3),
        "flank.left": (-0.12, y, 0.0),
        "flank.right": (-0.12, -y, 0.0),
        "shoulder.left": (half * 0.5, t.chest * t.wide, t.chest * 0.5),
        "shoulder.right": (half * 0.5, -t.chest * t.wide, t.chest * 0.5),
    }
    facts = {
        "bird": 0.0,
        "length": t.length,
        "leg": t.leg,
        "depth": top,
        "skull": t.skull,
        "legs": 4.0,
    }
    return Subject("animal", t.subtype, tuple(parts), anchors, facts, c.textures)


def _torso(t: Quadruped, c: Coat) -> list[Part]:
    h = t.length / 2
    xs = np.array(
        [
            -h - 0.02,
            -h * 0.96,
            -h * 0.8,
            -h * 0.45,
            0.0,
            h * 0.08,
            h * 0.5,
            h * 0.8,
            h * 0.97,
            h + 0.03,
        ]
    )
    ease = np.clip((xs / h + 0.6) / 1.2, 0, 1)
    depth = t.belly + (t.chest - t.belly) * ease
    taper = np.array([0.25, 0.6, 0.9, 1.0, 1.0, 1.0, 1.0, 0.88, 0.62, 0.3])
    ring = np.arange(16) * 2 * np.pi / 16
    rings = np.stack(
        [
            np.column_stack([np.full(16, x), np.cos(ring) * d * k * t.wide, np.sin(ring) * d * k])
            for x, d, k in zip(xs, depth, taper, strict=True)
        ]
    )
    belly = [Piece.make(loft(rings[:6]), c.body)]
    chest = [Piece.make(loft(rings[5:]), c.body)]
    return [
        Part("belly", "animal.belly", tuple(belly), place="rear", pivot=(0.0, 0.0, 0.0)),
        Part("chest", "animal.chest", tuple(chest), place="front", pivot=(0.0, 0.0, 0.0)),
    ]


def _legs(t: Quadruped, c: Coat, rng: Generator) -> list[Part]:
    h = t.length / 2
    phase = float(rng.uniform(0, 2 * np.pi))
    swing = float(rng.uniform(12, 24))
    parts = []
    for side, k in (("left", 1.0), ("right", -1.0)):
        for place, x, depth in (("front", h * 0.62, t.chest), ("rear", -h * 0.7, t.belly)):
            offset = {
                ("left", "front"): 0.0,
                ("right", "front"): np.pi,
                ("left", "rear"): np.pi * 0.8,
                ("right", "rear"): -np.pi * 0.2,
            }[(side, place)]
            a = np.deg2rad(swing * np.sin(phase + offset))
            bend = np.deg2rad(10 + 14 * max(0.0, np.cos(phase + offset)))
            hip = np.array([x, k * depth * t.wide * 0.62, -depth * 0.25])
            upper, lower = t.leg * 0.52, t.leg * 0.52
            b = a + (bend if place == "front" else -bend) * 0.5
            knee = hip + np.array([np.sin(b), 0.0, -np.cos(b)]) * upper
            b2 = a - (bend if place == "front" else -bend) * 0.8
            foot = knee + np.array([np.sin(b2), 0.0, -np.cos(b2)]) * lower
            foot[2] = -depth * 0.25 - t.leg * 1.0 + 0.03 * max(0.0, np.cos(phase + offset))
            parts.append(
                leg(
                    f"leg.{side}.{place}",
                    hip,
                    knee,
                    foot,
                    (t.thigh, t.shin),
                    c.leg,
                    c.foot,
                    k,
                    place,
                    t.hoof,
                )
            )
    return parts


def _tail(t: Quadruped, c: Coat, rng: Generator) -> Part:
    h = t.length / 2
    root = np.array([-h * 0.97, 0.0, t.belly * 0.55])
    n = 7
    s = np.linspace(0, 1, n)
    a0 = np.deg2rad(t.tail_angle)
    curve = (
        np.deg2rad(float(rng.uniform(-25, 35)))
        if t.tail not in ("tuft", "hair")
        else np.deg2rad(-8.0)
    )
    if t.tail == "curl":
        curve = np.deg2rad(330.0)
    angle = a0 + curve * s
    step = t.tail_length / (n - 1)
    path = root + np.stack(
        [
            -np.concatenate([[0], np.cumsum(np.cos(angle[:-1]) * step)]),
            np.sin(s * 2.0) * float(rng.uniform(-0.06, 0.06))
            + (0.05 * s if t.tail == "curl" else 0),
            np.concatenate([[0], np.cumsum(np.sin(angle[:-1]) * step)]),
        ],
        1,
    )
    thick = {
        "plain": (0.036, 0.02),
        "bushy": (0.05, 0.08),
        "tuft": (0.026, 0.016),
        "stub": (0.05, 0.035),
        "curl": (0.022, 0.014),
        "hair": (0.045, 0.07),
    }[t.tail]
    pieces = [
        Piece.make(
            tube(path, np.linspace(*thick, n), n=8, up=(0.0, 1.0, 0.0), round_ends=True), c.tail
        )
    ]
    if t.tail == "tuft":
        pieces.append(Piece.make(ellipsoid(path[-1], (0.03, 0.03, 0.065), n=10), c.dark))
    return Part("tail", "animal.tail", tuple(pieces), place="rear", pivot=vec(root))
