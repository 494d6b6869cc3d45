"""Street and bathroom fittings, a boulder: things that no base scene of their own needs."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import box, disc, ellipsoid, limb, rot
from benchmarks.scenes.geometry.subject import Paint, Part

from .things.kit import cup_of, part, turned
from .warp import grounded
from .world import Tag, Thing, tags


def _thing(key: str, kind: str, parts: list[Part], *names: Tag) -> Thing:
    return Thing(key, kind, tuple(parts), tags=tags("rigid", "stands", *names))


def cone(rng: Generator, key: str) -> Thing:
    """A traffic cone, 0.3 or 0.5 high."""
    h = float(rng.choice([0.28, 0.45]))
    orange, white = Paint((0.95, 0.36, 0.06), specular=0.2), Paint((0.94, 0.94, 0.92))

    def ring(a: float, b: float) -> Mesh:
        radius = [h * (0.26 - 0.22 * t) for t in (a, b)]
        return turned([(radius[0], h * (0.06 + 0.94 * a)), (radius[1], h * (0.06 + 0.94 * b))])

    body = part(
        "body",
        ([ring(0, 0.3), ring(0.5, 0.65), ring(0.82, 1.0)], orange),
        ([ring(0.3, 0.5), ring(0.65, 0.82)], white),
    )
    foot = part("foot", (box((0, 0, h * 0.03), (h * 0.72, h * 0.72, h * 0.06)), orange))
    return _thing(key, "traffic cone", [body, foot])


def tyre(rng: Generator, key: str) -> Thing:
    """A car's wheel, standing against nothing: on its side."""
    r = 0.3
    rubber, rim = Paint((0.05, 0.05, 0.055)), Paint((0.7, 0.7, 0.72), specular=0.7)
    turn = rot("x", 90)
    pieces = [
        (disc((0, 0, 0), r, 0.19, bevel=0.12, n=26), rubber),
        (disc((0, 0, 0), r * 0.62, 0.195, n=20), rim),
    ]
    for k in range(5):
        a = 2 * np.pi * k / 5
        pieces.append(
            (disc((np.cos(a) * r * 0.38, 0, np.sin(a) * r * 0.38), r * 0.13, 0.2, n=8), rubber)
        )
    parts = [
        part(f"p{i}", (m.transformed(turn, (0, 0, 0.1)), p)) for i, (m, p) in enumerate(pieces)
    ]
    return grounded(_thing(key, "car wheel", parts), 0.0)


def hydrant(rng: Generator, key: str) -> Thing:
    """A fire hydrant, 0.7 high."""
    red = Paint((0.8, 0.08, 0.06), specular=0.4)
    body = turned(
        [
            (0.16, 0),
            (0.16, 0.05),
            (0.11, 0.05),
            (0.11, 0.5),
            (0.14, 0.5),
            (0.14, 0.54),
            (0.1, 0.62),
            (0.03, 0.7),
        ]
    )
    arms = [
        limb((0, -0.2, 0.38), (0, 0.2, 0.38), 0.05, 0.05),
        limb((0, 0, 0.36), (0.2, 0, 0.36), 0.065, 0.065),
    ]
    return _thing(key, "fire hydrant", [part("body", ([body, *arms], red))])


def traffic_light(rng: Generator, key: str) -> Thing:
    """A traffic light on its pole, 2.5 high."""
    grey, black = Paint((0.35, 0.36, 0.38)), Paint((0.06, 0.06, 0.07))
    parts = [
        part(
            "pole",
            (limb((0, 0, 0.05), (0, 0, 1.8), 0.045, 0.045), grey),
            (box((0, 0, 0.02), (0.3, 0.3, 0.04)), grey),
        ),
        part("case", (box((0, 0, 2.1), (0.24, 0.26, 0.8)), black)),
    ]
    for k, rgb in enumerate(((0.15, 0.7, 0.25), (0.9, 0.65, 0.1), (0.9, 0.1, 0.08))):
        lamp = Paint(rgb, specular=0.2, emission=0.5 if k == 2 else 0.1)
        parts.append(
            part(f"lamp.{k}", (ellipsoid((0.12, 0, 1.85 + 0.25 * k), (0.03, 0.09, 0.09)), lamp))
        )
    return _thing(key, "traffic light", parts)


def bathtub(rng: Generator, key: str) -> Thing:
    """A bathtub, 1.7 long."""
    white, steel = (
        Paint((0.94, 0.94, 0.95), specular=0.7, shininess=0.8),
        Paint((0.7, 0.7, 0.72), specular=0.9),
    )
    shape = np.diag([1.0, 0.46, 1.0])
    tub = cup_of(0.62, 0.85, 0.56, 0.07, 26).transformed(shape, (0, 0, 0.06))
    feet = [
        ellipsoid((x, y, 0.05), (0.06, 0.06, 0.06)) for x in (-0.45, 0.45) for y in (-0.18, 0.18)
    ]
    tap = [
        limb((0.76, 0, 0.6), (0.76, 0, 0.85), 0.025, 0.025),
        limb((0.76, 0, 0.84), (0.6, 0, 0.8), 0.022, 0.022),
    ]
    return _thing(
        key,
        "bathtub",
        [part("tub", (tub, white)), part("feet", (feet, steel)), part("tap", (tap, steel))],
    )


def toilet(rng: Generator, key: str) -> Thing:
    """A lavatory bowl with its cistern."""
    white, lid = (
        Paint((0.94, 0.94, 0.95), specular=0.7, shininess=0.8),
        Paint((0.85, 0.85, 0.87), specular=0.4),
    )
    bowl = turned(
        [(0.13, 0), (0.12, 0.12), (0.2, 0.36), (0.22, 0.4), (0.17, 0.4), (0.08, 0.2)][:5]
    ).transformed(np.diag([1.25, 0.9, 1]), (0.08, 0, 0))
    seat = turned([(0.23, 0.4), (0.23, 0.43)]).transformed(np.diag([1.22, 0.88, 1]), (0.08, 0, 0))
    cistern = box((-0.24, 0, 0.6), (0.18, 0.42, 0.38))
    cover = box((-0.14, 0, 0.62), (0.03, 0.36, 0.4))
    return _thing(
        key, "toilet", [part("bowl", ([bowl, cistern], white)), part("seat", ([seat, cover], lid))]
    )


def fridge(rng: Generator, key: str) -> Thing:
    """A refrigerator, 1.7 high."""
    paint = Paint(
        ((0.93, 0.93, 0.94), (0.75, 0.76, 0.78), (0.8, 0.25, 0.2))[int(rng.integers(3))],
        specular=0.5,
    )
    dark = Paint((0.3, 0.3, 0.32), specular=0.6)
    return _thing(
        key,
        "refrigerator",
        [
            part("body", (box((0, 0, 0.86), (0.6, 0.62, 1.68)), paint)),
            part("gap", (box((0.301, 0, 1.15), (0.004, 0.6, 0.02)), dark)),
            part(
                "handles",
                (
                    [
                        box((0.325, 0.25, 1.35), (0.03, 0.03, 0.3)),
                        box((0.325, 0.25, 0.85), (0.03, 0.03, 0.45)),
                    ],
                    dark,
                ),
            ),
            part("foot", (box((0, 0, 0.01), (0.56, 0.58, 0.02)), dark)),
        ],
        "large",
    )


def boulder(rng: Generator, key: str) -> Thing:
    """A boulder of the size of a loaf."""
    grey = Paint((0.5, 0.49, 0.46), specular=0.0)
    blob = ellipsoid(
        (0, 0, 0.1), rng.uniform(0.09, 0.16, 3), rot("z", float(rng.uniform(0, 180))), n=8
    )
    return grounded(_thing(key, "rock", [part("body", (blob, grey))]), 0.0)
