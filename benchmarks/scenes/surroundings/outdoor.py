"""Things outdoors: trees, houses, rocks, posts, fences, boats, mountains."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh, loft
from benchmarks.scenes.geometry.solids import box, ellipsoid, lathe, limb, prism, rot
from benchmarks.scenes.geometry.subject import Paint, Piece
from benchmarks.scenes.paints import grey, hue

_UP = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Turns the lathe's x axis to z."""


def _green(rng: Generator) -> Paint:
    g = rng.uniform(0.6, 1.3)
    return Paint(
        (float(0.16 * g * rng.uniform(0.6, 1.8)), float(0.36 * g), float(0.12 * g)), specular=0.0
    )


def upright(heights: list[float], radii: list[float], n: int = 14) -> Mesh:
    """A solid of revolution about z, from the ground up."""
    return lathe(heights, radii, n=n).transformed(_UP, (0, 0, 0))


def tree(rng: Generator) -> list[Piece]:
    """A conifer or a leafy tree, about 2 high."""
    bark, leaf = Paint((0.3, 0.2, 0.12), specular=0.0), _green(rng)
    pieces = [Piece.make(limb((0, 0, 0), (0, 0, 1.0), 0.09, 0.06, n=7), bark)]
    if rng.random() < 0.5:
        for k in range(3):
            pieces.append(
                Piece.make(
                    upright([0.5 + 0.42 * k, 1.2 + 0.42 * k], [0.62 - 0.14 * k, 0.02], n=9), leaf
                )
            )
    else:
        for _ in range(5):
            c = rng.normal(size=3) * [0.26, 0.26, 0.18] + [0, 0, 1.5]
            pieces.append(Piece.make(ellipsoid(c, rng.uniform(0.3, 0.5, 3), n=9), leaf))
    return pieces


def bush(rng: Generator) -> list[Piece]:
    """A bush, about 0.8 wide."""
    leaf = _green(rng)
    return [
        Piece.make(
            ellipsoid(
                rng.normal(size=3) * [0.2, 0.2, 0.08] + [0, 0, 0.3], rng.uniform(0.18, 0.34, 3), n=9
            ),
            leaf,
        )
        for _ in range(6)
    ]


def house(rng: Generator) -> list[Piece]:
    """A house with a roof, door and windows, about 2 wide."""
    w, d, h = rng.uniform(1.4, 2.6), rng.uniform(1.2, 2), rng.uniform(0.9, 2.4)
    wall, roof = (
        Paint(hue(rng, (0.05, 0.5), (0.5, 0.95)), specular=0.0),
        Paint(hue(rng, (0.3, 0.7), (0.25, 0.6)), specular=0.0),
    )
    dark = Paint((0.12, 0.14, 0.2), specular=0.5)
    pieces = [Piece.make(box((0, 0, h / 2), (w, d, h)), wall)]
    if rng.random() < 0.7:
        e = 0.12
        pieces.append(
            Piece.make(
                prism(
                    [
                        (-w / 2 - e, -d / 2 - e, h),
                        (-w / 2 - e, d / 2 + e, h),
                        (-w / 2 - e, 0, h + d * 0.45),
                    ],
                    [
                        (w / 2 + e, -d / 2 - e, h),
                        (w / 2 + e, d / 2 + e, h),
                        (w / 2 + e, 0, h + d * 0.45),
                    ],
                ),
                roof,
            )
        )
    for k in range(int(w / 0.5)):
        for z in np.arange(0.5, h - 0.2, 0.6):
            for s in (1, -1):
                pieces.append(
                    Piece.make(
                        box((-w / 2 + 0.35 + 0.5 * k, s * d / 2, z), (0.24, 0.03, 0.32)), dark
                    )
                )
    return pieces


def rock(rng: Generator) -> list[Piece]:
    """A boulder."""
    return [
        Piece.make(
            ellipsoid(
                (0, 0, 0.15), rng.uniform(0.2, 0.6, 3), rot("z", float(rng.uniform(0, 180))), n=7
            ),
            Paint(grey(rng, 0.3, 0.6), specular=0.0),
        )
    ]


def post(rng: Generator) -> list[Piece]:
    """A lamp post or a traffic sign."""
    metal = Paint(grey(rng, 0.25, 0.7))
    h = float(rng.uniform(1.3, 2.4))
    pieces = [Piece.make(limb((0, 0, 0), (0, 0, h), 0.035, 0.03, n=7), metal)]
    if rng.random() < 0.5:
        pieces.append(Piece.make(limb((0, 0, h), (0.35, 0, h + 0.1), 0.03, 0.05, n=7), metal))
    else:
        plate = upright([0, 0.02], [0.2, 0.2], n=int(rng.choice([3, 4, 8, 16]))).transformed(
            rot("x", 90), (0, 0.05, h)
        )
        pieces.append(Piece.make(plate, Paint(hue(rng, (0.6, 1), (0.5, 0.9)))))
    return pieces


def fence(rng: Generator) -> list[Piece]:
    """A fence, 3 long."""
    wood = Paint(hue(rng, (0.1, 0.5), (0.4, 0.9)), specular=0.0)
    pieces = [Piece.make(box((0, 0, z), (3, 0.03, 0.08)), wood) for z in (0.3, 0.62)]
    pieces += [
        Piece.make(box((x, 0, 0.4), (0.07, 0.05, 0.8)), wood) for x in np.linspace(-1.5, 1.5, 7)
    ]
    return pieces


def boat(rng: Generator) -> list[Piece]:
    """A boat with a hull, cabin and sometimes a sail."""
    hull, deck = Paint(hue(rng)), Paint(grey(rng, 0.7, 0.95))
    rows = []
    for x, w, z in (
        (-1.0, 0.28, 0.28),
        (-0.4, 0.34, 0.25),
        (0.3, 0.3, 0.27),
        (0.75, 0.16, 0.32),
        (1.05, 0.02, 0.4),
    ):
        rows.append([(x, -w * 0.4, 0), (x, w * 0.4, 0), (x, w, z), (x, -w, z)])
    pieces = [Piece.make(loft(np.array(rows), flat=True), hull)]
    if rng.random() < 0.5:
        pieces.append(Piece.make(box((-0.25, 0, 0.4), (0.6, 0.36, 0.28)), deck))
    else:
        pieces.append(Piece.make(limb((0, 0, 0.2), (0, 0, 1.8), 0.025, 0.02, n=6), deck))
        pieces.append(
            Piece.make(
                prism(
                    [(-0.05, 0.01, 0.4), (-0.85, 0.01, 0.45), (-0.05, 0.01, 1.7)],
                    [(-0.05, 0.03, 0.4), (-0.85, 0.03, 0.45), (-0.05, 0.03, 1.7)],
                ),
                Paint((0.94, 0.93, 0.9)),
            )
        )
    return pieces


def mountain(rng: Generator) -> list[Piece]:
    """A mountain with a snowy top."""
    h, r = float(rng.uniform(3, 7)), float(rng.uniform(3, 7))
    rockp = Paint(hue(rng, (0.05, 0.35), (0.25, 0.6)), specular=0.0)
    return [
        Piece.make(upright([0, h * 0.7], [r, r * 0.3], n=7), rockp),
        Piece.make(
            upright([h * 0.7, h], [r * 0.3, 0.02], n=7), Paint((0.92, 0.94, 0.97), specular=0.0)
        ),
    ]
