"""Head and neck of a four-legged animal."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import ellipsoid, limb, rot, tube
from benchmarks.scenes.geometry.subject import Part, Piece

from .animal_extras import horn_pair, nose_horn, trunk
from .animal_parts import ear, vec
from .animal_types import Quadruped
from .coats import Coat


def head(t: Quadruped, c: Coat, rng: Generator) -> list[Part]:
    h = t.length / 2
    a = np.deg2rad(t.neck_angle)
    base = np.array([h * 0.72, 0.0, t.chest * 0.42])
    end = base + np.array([np.cos(a), 0.0, np.sin(a)]) * (t.neck + t.chest * 0.3)
    neck = Piece.make(limb(base, end, t.neck_radius * 1.25, t.neck_radius, n=12), c.body)
    pieces = [neck]
    if t.mane:
        path = np.array(
            [
                base + np.array([-0.06, 0, t.neck_radius]),
                (base + end) / 2 + np.array([-t.neck_radius, 0, t.neck_radius * 0.8]),
                end + np.array([-0.06, 0, t.skull * 0.9]),
            ]
        )
        pieces.append(
            Piece.make(
                tube(
                    path,
                    np.array([[0.03, 0.05], [0.035, 0.07], [0.03, 0.05]]),
                    up=(1.0, 0, 0.3),
                    round_ends=True,
                ),
                c.tail,
            )
        )
    parts = [Part("neck", None, tuple(pieces))]
    turn = rot("z", float(rng.uniform(-14, 14))) @ rot("y", t.head_pitch)
    centre = end + np.array([t.skull * 0.45, 0, t.skull * 0.15])

    def at(x: float, y: float, z: float) -> F64:
        point: F64 = centre + turn @ np.array([x, y, z])
        return point

    s = t.skull
    tip = s * 0.75 + t.muzzle
    head = [Piece.make(ellipsoid(centre, (s * 1.1, s * 0.85, s * 0.95), turn), c.head)]
    if t.trunk:
        head.append(
            Piece.make(
                ellipsoid(at(s * 0.35, 0, -s * 0.45), (s * 0.6, s * 0.6, s * 0.6), turn), c.head
            )
        )
        for k in (1.0, -1.0):
            head.append(
                Piece.make(
                    limb(
                        at(s * 0.7, k * s * 0.4, -s * 0.6),
                        at(s * 1.9, k * s * 0.5, -s * 1.05),
                        0.032,
                        0.012,
                        n=8,
                    ),
                    c.white,
                )
            )
    else:
        snout = limb(
            at(s * 0.4, 0, -s * 0.25),
            at(tip - t.muzzle_radius, 0, -s * 0.3),
            t.muzzle_radius * 1.3,
            t.muzzle_radius,
        )
        head.append(Piece.make(snout, c.head))
    parts.append(Part("head", "animal.head", tuple(head), pivot=vec(end)))
    for side, k in (("left", 1.0), ("right", -1.0)):
        eye_size = 0.15 if not t.trunk else 0.085
        spot = at(s * 0.62, k * s * 0.6, s * 0.28)
        eye = [
            Piece.make(ellipsoid(spot, np.full(3, s * eye_size * 1.5), n=10), c.sclera),
            Piece.make(
                ellipsoid(
                    spot + turn @ np.array([0.45, k * 0.75, 0.05]) * s * eye_size * 0.75,
                    np.full(3, s * eye_size * 1.1),
                    n=10,
                ),
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
        ear_at = {
            "pointed": at(-s * 0.25, k * s * 0.5, s * 0.75),
            "floppy": at(-s * 0.15, k * s * 0.72, s * 0.55),
            "side": at(-s * 0.3, k * s * 0.7, s * 0.5),
            "fan": at(-s * 0.25, k * s * 0.75, s * 0.4),
        }[t.ear]
        parts.append(
            ear(
                f"ear.{side}",
                ear_at,
                k,
                t.ear,
                t.ear_size,
                c.ear,
                c.beak if t.subtype == "pig" else c.ear,
                "head",
            )
        )
        if t.horn in ("cow", "goat"):
            parts.append(
                horn_pair(
                    f"horn.{side}",
                    at(-s * 0.1, k * s * 0.35, s * 0.85),
                    k,
                    t.horn,
                    0.2 if t.horn == "cow" else 0.24,
                    c.horn,
                    "head",
                )
            )
    if t.horn == "nose":
        parts.append(
            nose_horn(
                "horn.nose",
                at(tip * 0.86, 0, -s * 0.3 + t.muzzle_radius * 0.85),
                0.3,
                c.horn,
                "head",
            )
        )
    if t.trunk:
        parts.append(
            trunk(
                "trunk",
                at(s * 0.75, 0, -s * 0.4),
                t.leg * 1.25 + 0.2,
                float(rng.uniform(-30, 60)),
                c.head,
                "head",
                float(rng.uniform(-0.1, 0.1)),
            )
        )
    else:
        r = t.muzzle_radius
        wide = 0.85 if t.hoof or t.horn else 0.62
        nose = ellipsoid(
            at(tip - r * 0.25, 0, -s * 0.3 + r * (0.1 if t.hoof else 0.35)),
            (r * 0.8, r * wide, r * (0.7 if t.hoof else 0.5)),
            turn,
            n=12,
        )
        parts.append(
            Part(
                "nose",
                "animal.nose",
                (Piece.make(nose, c.dark),),
                owner="head",
                joins="head",
                pivot=vec(at(tip, 0, -s * 0.3)),
            )
        )
    return parts
