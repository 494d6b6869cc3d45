"""Four-legged animals; birds are in `bird.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from . import bird
from .animal_parts import ear, horn_pair, leg, nose_horn, trunk, vec
from .animal_types import TYPES, AnimalType, Bird, Quadruped
from .coats import Coat, coat
from .mesh import F64, ellipsoid, limb, loft, rot, tube
from .subject import Part, Piece, Subject


def build(rng: Generator, subtype: str | None = None) -> Subject:
    """An animal of a type (drawn when None), standing on z = 0, facing +x."""
    t: AnimalType = TYPES[rng.integers(len(TYPES))] if subtype is None else next(a for a in TYPES if a.subtype == subtype)
    subject = bird.build(rng, t) if isinstance(t, Bird) else _quadruped(rng, t)
    low = float(subject.verts()[:, 2].min())
    parts = tuple(p.transformed(np.eye(3), (0, 0, -low)) for p in subject.parts)
    anchors = {k: (x, y, z - low) for k, (x, y, z) in subject.anchors.items()}
    return replace(subject, parts=parts, anchors=anchors)


def _vary(t: Quadruped, rng: Generator) -> Quadruped:
    def u(v: float, s: float = 0.1) -> float:
        return float(v * rng.uniform(1 - s, 1 + s))

    return replace(
        t, chest=u(t.chest), belly=u(t.belly), leg=u(t.leg), neck=u(t.neck), neck_angle=t.neck_angle + float(rng.uniform(-8, 10)),
        skull=u(t.skull, 0.07), muzzle=u(t.muzzle), ear_size=u(t.ear_size), tail_length=u(t.tail_length, 0.15),
        tail_angle=t.tail_angle + float(rng.uniform(-12, 12)), head_pitch=t.head_pitch + float(rng.uniform(-10, 10)), length=u(t.length, 0.06),
    )  # fmt: skip


def _quadruped(rng: Generator, t: Quadruped) -> Subject:
    t = _vary(t, rng)
    c = coat(rng, t.coats, t.patches, rough=2.0 if t.wool else 1.0)
    parts = _torso(t, c)
    parts += _head(t, c, rng)
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
    facts = {"bird": 0.0, "length": t.length, "leg": t.leg, "depth": top, "skull": t.skull, "legs": 4.0}
    return Subject("animal", t.subtype, tuple(parts), anchors, facts, c.textures)


def _torso(t: Quadruped, c: Coat) -> list[Part]:
    h = t.length / 2
    xs = np.array([-h - 0.02, -h * 0.96, -h * 0.8, -h * 0.45, 0.0, h * 0.08, h * 0.5, h * 0.8, h * 0.97, h + 0.03])
    ease = np.clip((xs / h + 0.6) / 1.2, 0, 1)
    depth = t.belly + (t.chest - t.belly) * ease
    taper = np.array([0.25, 0.6, 0.9, 1.0, 1.0, 1.0, 1.0, 0.88, 0.62, 0.3])
    ring = np.arange(16) * 2 * np.pi / 16
    rings = np.stack([
        np.column_stack([np.full(16, x), np.cos(ring) * d * k * t.wide, np.sin(ring) * d * k])
        for x, d, k in zip(xs, depth, taper, strict=True)
    ])  # fmt: skip
    belly = [Piece.make(loft(rings[:6]), c.body)]
    chest = [Piece.make(loft(rings[5:]), c.body)]
    return [
        Part("belly", "animal.belly", tuple(belly), place="rear", pivot=(0.0, 0.0, 0.0)),
        Part("chest", "animal.chest", tuple(chest), place="front", pivot=(0.0, 0.0, 0.0)),
    ]


def _head(t: Quadruped, c: Coat, rng: Generator) -> list[Part]:
    h = t.length / 2
    a = np.deg2rad(t.neck_angle)
    base = np.array([h * 0.72, 0.0, t.chest * 0.42])
    end = base + np.array([np.cos(a), 0.0, np.sin(a)]) * (t.neck + t.chest * 0.3)
    neck = Piece.make(limb(base, end, t.neck_radius * 1.25, t.neck_radius, n=12), c.body)
    pieces = [neck]
    if t.mane:
        path = np.array([base + np.array([-0.06, 0, t.neck_radius]), (base + end) / 2 + np.array([-t.neck_radius, 0, t.neck_radius * 0.8]), end + np.array([-0.06, 0, t.skull * 0.9])])
        pieces.append(Piece.make(tube(path, np.array([[0.03, 0.05], [0.035, 0.07], [0.03, 0.05]]), up=(1.0, 0, 0.3), round_ends=True), c.tail))
    parts = [Part("neck", None, tuple(pieces))]
    turn = rot("z", float(rng.uniform(-14, 14))) @ rot("y", t.head_pitch)
    centre = end + np.array([t.skull * 0.45, 0, t.skull * 0.15])

    def at(x: float, y: float, z: float) -> F64:
        return centre + turn @ np.array([x, y, z])

    s = t.skull
    tip = s * 0.75 + t.muzzle
    head = [Piece.make(ellipsoid(centre, (s * 1.1, s * 0.85, s * 0.95), turn), c.head)]
    if t.trunk:
        head.append(Piece.make(ellipsoid(at(s * 0.35, 0, -s * 0.45), (s * 0.6, s * 0.6, s * 0.6), turn), c.head))
        for k in (1, -1):
            head.append(Piece.make(limb(at(s * 0.7, k * s * 0.4, -s * 0.6), at(s * 1.9, k * s * 0.5, -s * 1.05), 0.032, 0.012, n=8), c.white))
    else:
        snout = limb(at(s * 0.4, 0, -s * 0.25), at(tip - t.muzzle_radius, 0, -s * 0.3), t.muzzle_radius * 1.3, t.muzzle_radius)
        head.append(Piece.make(snout, c.head))
    parts.append(Part("head", "animal.head", tuple(head), pivot=vec(end)))
    for side, k in (("left", 1.0), ("right", -1.0)):
        big = 0.15 if not t.trunk else 0.085
        spot = at(s * 0.62, k * s * 0.6, s * 0.28)
        eye = [Piece.make(ellipsoid(spot, np.full(3, s * big * 1.5), n=10), c.sclera), Piece.make(ellipsoid(spot + turn @ np.array([0.45, k * 0.75, 0.05]) * s * big * 0.75, np.full(3, s * big * 1.1), n=10), c.eye)]
        parts.append(Part(f"eye.{side}", "animal.eye", tuple(eye), owner="head", joins="head", side=side, pivot=vec(spot)))
        ear_at = {"pointed": at(-s * 0.25, k * s * 0.5, s * 0.75), "floppy": at(-s * 0.15, k * s * 0.72, s * 0.55), "side": at(-s * 0.3, k * s * 0.7, s * 0.5), "fan": at(-s * 0.25, k * s * 0.75, s * 0.4)}[t.ear]
        parts.append(ear(f"ear.{side}", ear_at, k, t.ear, t.ear_size, c.ear, c.beak if t.subtype == "pig" else c.ear, "head"))
        if t.horn in ("cow", "goat"):
            parts.append(horn_pair(f"horn.{side}", at(-s * 0.1, k * s * 0.35, s * 0.85), k, t.horn, 0.2 if t.horn == "cow" else 0.24, c.horn, "head"))
    if t.horn == "nose":
        parts.append(nose_horn("horn.nose", at(tip * 0.86, 0, -s * 0.3 + t.muzzle_radius * 0.85), 0.3, c.horn, "head"))
    if t.trunk:
        parts.append(trunk("trunk", at(s * 0.75, 0, -s * 0.4), t.leg * 1.25 + 0.2, float(rng.uniform(-30, 60)), c.head, "head", float(rng.uniform(-0.1, 0.1))))
    else:
        r = t.muzzle_radius
        wide = 0.85 if t.hoof or t.horn else 0.62
        nose = ellipsoid(at(tip - r * 0.25, 0, -s * 0.3 + r * (0.1 if t.hoof else 0.35)), (r * 0.8, r * wide, r * (0.7 if t.hoof else 0.5)), turn, n=12)
        parts.append(Part("nose", "animal.nose", (Piece.make(nose, c.dark),), owner="head", joins="head", pivot=vec(at(tip, 0, -s * 0.3))))
    return parts


def _legs(t: Quadruped, c: Coat, rng: Generator) -> list[Part]:
    h = t.length / 2
    phase = float(rng.uniform(0, 2 * np.pi))
    swing = float(rng.uniform(12, 24))
    parts = []
    for side, k in (("left", 1.0), ("right", -1.0)):
        for place, x, depth in (("front", h * 0.62, t.chest), ("rear", -h * 0.7, t.belly)):
            offset = {("left", "front"): 0.0, ("right", "front"): np.pi, ("left", "rear"): np.pi * 0.8, ("right", "rear"): -np.pi * 0.2}[(side, place)]
            a = np.deg2rad(swing * np.sin(phase + offset))
            bend = np.deg2rad(10 + 14 * max(0.0, np.cos(phase + offset)))
            hip = np.array([x, k * depth * t.wide * 0.62, -depth * 0.25])
            upper, lower = t.leg * 0.52, t.leg * 0.52
            b = a + (bend if place == "front" else -bend) * 0.5
            knee = hip + np.array([np.sin(b), 0.0, -np.cos(b)]) * upper
            b2 = a - (bend if place == "front" else -bend) * 0.8
            foot = knee + np.array([np.sin(b2), 0.0, -np.cos(b2)]) * lower
            foot[2] = -depth * 0.25 - t.leg * 1.0 + 0.03 * max(0.0, np.cos(phase + offset))
            parts.append(leg(f"leg.{side}.{place}", hip, knee, foot, (t.thigh, t.shin), c.leg, c.foot, k, place, t.hoof))
    return parts


def _tail(t: Quadruped, c: Coat, rng: Generator) -> Part:
    h = t.length / 2
    root = np.array([-h * 0.97, 0.0, t.belly * 0.55])
    n = 7
    s = np.linspace(0, 1, n)
    a0 = np.deg2rad(t.tail_angle)
    curve = np.deg2rad(float(rng.uniform(-25, 35))) if t.tail not in ("tuft", "hair") else np.deg2rad(-8.0)
    if t.tail == "curl":
        curve = np.deg2rad(330.0)
    angle = a0 + curve * s
    step = t.tail_length / (n - 1)
    path = root + np.stack([
        -np.concatenate([[0], np.cumsum(np.cos(angle[:-1]) * step)]),
        np.sin(s * 2.0) * float(rng.uniform(-0.06, 0.06)) + (0.05 * s if t.tail == "curl" else 0),
        np.concatenate([[0], np.cumsum(np.sin(angle[:-1]) * step)]),
    ], 1)  # fmt: skip
    thick = {"plain": (0.036, 0.02), "bushy": (0.05, 0.08), "tuft": (0.026, 0.016), "stub": (0.05, 0.035), "curl": (0.022, 0.014), "hair": (0.045, 0.07)}[t.tail]
    pieces = [Piece.make(tube(path, np.linspace(*thick, n), n=8, up=(0.0, 1.0, 0.0), round_ends=True), c.tail)]
    if t.tail == "tuft":
        pieces.append(Piece.make(ellipsoid(path[-1], (0.03, 0.03, 0.065), n=10), c.dark))
    return Part("tail", "animal.tail", tuple(pieces), place="rear", pivot=vec(root))
