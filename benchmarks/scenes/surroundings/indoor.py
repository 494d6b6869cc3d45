"""Things indoors: furniture, bottles, balls, blocks."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, prism, rot
from benchmarks.scenes.geometry.subject import Paint, Piece
from benchmarks.scenes.paints import hue

from .outdoor import upright


def table(rng: Generator) -> list[Piece]:
    """A table, 1.2 wide."""
    wood = Paint(hue(rng, (0.1, 0.6), (0.3, 0.85)))
    h = float(rng.uniform(0.5, 0.8))
    pieces = [Piece.make(box((0, 0, h), (1.3, 0.8, 0.05)), wood)]
    for x in (-0.58, 0.58):
        for y in (-0.33, 0.33):
            pieces.append(Piece.make(box((x, y, h / 2), (0.06, 0.06, h)), wood))
    for _ in range(int(rng.integers(0, 4))):
        at = np.array([rng.uniform(-0.5, 0.5), rng.uniform(-0.3, 0.3), h + 0.025])
        pieces += moved(bottle(rng), np.eye(3) * 0.5, at)
    return pieces


def chair(rng: Generator) -> list[Piece]:
    """A chair."""
    p = Paint(hue(rng, (0.1, 0.8), (0.25, 0.9)))
    pieces = [
        Piece.make(box((0, 0, 0.42), (0.44, 0.44, 0.05)), p),
        Piece.make(box((-0.2, 0, 0.75), (0.04, 0.42, 0.4)), p),
    ]
    for x in (-0.19, 0.19):
        for y in (-0.19, 0.19):
            pieces.append(Piece.make(limb((x, y, 0), (x, y, 0.42), 0.022, 0.022, n=6), p))
    return pieces


def shelf(rng: Generator) -> list[Piece]:
    """A shelf with books."""
    wood = Paint(hue(rng, (0.1, 0.5), (0.3, 0.8)))
    pieces = [Piece.make(box((x, 0, 0.9), (0.04, 0.3, 1.8)), wood) for x in (-0.6, 0.6)]
    for z in (0.05, 0.6, 1.15, 1.75):
        pieces.append(Piece.make(box((0, 0, z), (1.2, 0.3, 0.04)), wood))
        x = -0.55
        while x < 0.45 and z < 1.7:
            w, h = float(rng.uniform(0.04, 0.09)), float(rng.uniform(0.25, 0.42))
            pieces.append(
                Piece.make(
                    box((x + w / 2, 0.02, z + h / 2 + 0.02), (w * 0.9, 0.2, h)), Paint(hue(rng))
                )
            )
            x += w + (float(rng.uniform(0, 0.2)) if rng.random() < 0.2 else 0.0)
    return pieces


def bed(rng: Generator) -> list[Piece]:
    """A bed or a sofa."""
    cloth, frame = (
        Paint(hue(rng, (0.1, 0.7), (0.4, 0.95)), specular=0.0),
        Paint(hue(rng, (0.2, 0.5), (0.2, 0.6))),
    )
    pieces = [
        Piece.make(box((0, 0, 0.2), (1.9, 1.0, 0.3)), frame),
        Piece.make(box((0, 0, 0.4), (1.8, 0.95, 0.2)), cloth),
    ]
    pieces.append(Piece.make(box((-0.95, 0, 0.5), (0.1, 1.0, 0.8)), frame))
    pieces.append(
        Piece.make(
            ellipsoid((-0.65, 0, 0.52), (0.2, 0.35, 0.1), n=10),
            Paint((0.93, 0.92, 0.9), specular=0.0),
        )
    )
    return pieces


def bottle(rng: Generator) -> list[Piece]:
    """A bottle, vase, jar or mug."""
    p = Paint(hue(rng, (0.2, 0.95), (0.2, 0.95)), specular=0.7, shininess=0.8)
    r, h = float(rng.uniform(0.1, 0.24)), float(rng.uniform(0.4, 1.0))
    k = rng.uniform(0.25, 1.2, 6)
    k[0], k[1] = 0.9, 1.0
    return [
        Piece.make(
            upright([0, h * 0.1, h * 0.45, h * 0.6, h * 0.85, h], [float(r * x) for x in k], n=16),
            p,
        )
    ]


def ball(rng: Generator) -> list[Piece]:
    """A ball or an egg-shaped blob."""
    r = rng.uniform(0.15, 0.5) * rng.uniform(0.6, 1.3, 3)
    return [
        Piece.make(
            ellipsoid((0, 0, r[2]), r, rot("z", float(rng.uniform(0, 180)))),
            Paint(hue(rng), specular=float(rng.random())),
        )
    ]


def block(rng: Generator) -> list[Piece]:
    """A box, wedge, cylinder or cone."""
    p = Paint(hue(rng), specular=float(rng.uniform(0, 0.5)))
    s = rng.uniform(0.2, 0.9, 3)
    kind = rng.integers(4)
    if kind == 0:
        return [Piece.make(box((0, 0, s[2] / 2), s), p)]
    if kind == 1:
        return [
            Piece.make(
                prism(
                    [(-s[0] / 2, -s[1] / 2, 0), (-s[0] / 2, s[1] / 2, 0), (-s[0] / 2, 0, s[2])],
                    [(s[0] / 2, -s[1] / 2, 0), (s[0] / 2, s[1] / 2, 0), (s[0] / 2, 0, s[2])],
                ),
                p,
            )
        ]
    top = s[0] * 0.5 if kind == 2 else 0.01
    return [
        Piece.make(
            upright(
                [0, float(s[2])], [float(s[0] * 0.5), float(top)], n=int(rng.choice([5, 8, 18]))
            ),
            p,
        )
    ]


def tangle(rng: Generator) -> list[Piece]:
    """Random limbs and blobs that resemble no animal: many or one-sided, of any colour."""
    paints = [Paint(hue(rng)) for _ in range(3)]
    pieces = []
    for _ in range(int(rng.integers(3, 9))):
        a = rng.normal(size=3) * 0.35 + [0, 0, 0.6]
        b = a + rng.normal(size=3) * 0.4
        a[2], b[2] = max(a[2], 0.1), max(b[2], 0.1)
        r = rng.uniform(0.03, 0.16, 2)
        pieces.append(
            Piece.make(limb(a, b, float(r[0]), float(r[1]), n=8), paints[rng.integers(3)])
        )
    return pieces


def moved(pieces: list[Piece], linear: F64, shift: F64) -> list[Piece]:
    return [Piece(p.mesh.transformed(linear, shift), p.paint, p.uv) for p in pieces]
