"""Things without class: trees, bushes, houses, rocks, posts, fences, furniture, bottles, boats ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.random import Generator

from .camera import Camera
from .mesh import F64, Mesh, box, ellipsoid, lathe, limb, loft, prism, rot
from .paints import grey, hue
from .subject import Paint, Part, Piece

_UP = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Turns the lathe's x axis to z."""


def _green(rng: Generator) -> Paint:
    g = rng.uniform(0.6, 1.3)
    return Paint((float(0.16 * g * rng.uniform(0.6, 1.8)), float(0.36 * g), float(0.12 * g)), specular=0.0)


def upright(heights: list[float], radii: list[float], n: int = 14) -> Mesh:
    """A solid of revolution about z, from the ground up."""
    return lathe(heights, radii, n=n).transformed(_UP, (0, 0, 0))


def tree(rng: Generator) -> list[Piece]:
    """A conifer or a leafy tree, about 2 high."""
    bark, leaf = Paint((0.3, 0.2, 0.12), specular=0.0), _green(rng)
    pieces = [Piece.make(limb((0, 0, 0), (0, 0, 1.0), 0.09, 0.06, n=7), bark)]
    if rng.random() < 0.5:
        for k in range(3):
            pieces.append(Piece.make(upright([0.5 + 0.42 * k, 1.2 + 0.42 * k], [0.62 - 0.14 * k, 0.02], n=9), leaf))
    else:
        for _ in range(5):
            c = rng.normal(size=3) * [0.26, 0.26, 0.18] + [0, 0, 1.5]
            pieces.append(Piece.make(ellipsoid(c, rng.uniform(0.3, 0.5, 3), n=9), leaf))
    return pieces


def bush(rng: Generator) -> list[Piece]:
    """A bush, about 0.8 wide."""
    leaf = _green(rng)
    return [
        Piece.make(ellipsoid(rng.normal(size=3) * [0.2, 0.2, 0.08] + [0, 0, 0.3], rng.uniform(0.18, 0.34, 3), n=9), leaf)
        for _ in range(6)
    ]


def house(rng: Generator) -> list[Piece]:
    """A house with a roof, door and windows, about 2 wide."""
    w, d, h = rng.uniform(1.4, 2.6), rng.uniform(1.2, 2), rng.uniform(0.9, 2.4)
    wall, roof = Paint(hue(rng, (0.05, 0.5), (0.5, 0.95)), specular=0.0), Paint(hue(rng, (0.3, 0.7), (0.25, 0.6)), specular=0.0)
    dark = Paint((0.12, 0.14, 0.2), specular=0.5)
    pieces = [Piece.make(box((0, 0, h / 2), (w, d, h)), wall)]
    if rng.random() < 0.7:
        e = 0.12
        pieces.append(Piece.make(prism([(-w / 2 - e, -d / 2 - e, h), (-w / 2 - e, d / 2 + e, h), (-w / 2 - e, 0, h + d * 0.45)],
                                       [(w / 2 + e, -d / 2 - e, h), (w / 2 + e, d / 2 + e, h), (w / 2 + e, 0, h + d * 0.45)]), roof))  # fmt: skip
    for k in range(int(w / 0.5)):
        for z in np.arange(0.5, h - 0.2, 0.6):
            for s in (1, -1):
                pieces.append(Piece.make(box((-w / 2 + 0.35 + 0.5 * k, s * d / 2, z), (0.24, 0.03, 0.32)), dark))
    return pieces


def rock(rng: Generator) -> list[Piece]:
    """A boulder."""
    return [Piece.make(ellipsoid((0, 0, 0.15), rng.uniform(0.2, 0.6, 3), rot("z", float(rng.uniform(0, 180))), n=7), Paint(grey(rng, 0.3, 0.6), specular=0.0))]


def post(rng: Generator) -> list[Piece]:
    """A lamp post or a traffic sign."""
    metal = Paint(grey(rng, 0.25, 0.7))
    h = float(rng.uniform(1.3, 2.4))
    pieces = [Piece.make(limb((0, 0, 0), (0, 0, h), 0.035, 0.03, n=7), metal)]
    if rng.random() < 0.5:
        pieces.append(Piece.make(limb((0, 0, h), (0.35, 0, h + 0.1), 0.03, 0.05, n=7), metal))
    else:
        plate = upright([0, 0.02], [0.2, 0.2], n=int(rng.choice([3, 4, 8, 16]))).transformed(rot("x", 90), (0, 0.05, h))
        pieces.append(Piece.make(plate, Paint(hue(rng, (0.6, 1), (0.5, 0.9)))))
    return pieces


def fence(rng: Generator) -> list[Piece]:
    """A fence, 3 long."""
    wood = Paint(hue(rng, (0.1, 0.5), (0.4, 0.9)), specular=0.0)
    pieces = [Piece.make(box((0, 0, z), (3, 0.03, 0.08)), wood) for z in (0.3, 0.62)]
    pieces += [Piece.make(box((x, 0, 0.4), (0.07, 0.05, 0.8)), wood) for x in np.linspace(-1.5, 1.5, 7)]
    return pieces


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
        pieces += _moved(bottle(rng), np.eye(3) * 0.5, at)
    return pieces


def chair(rng: Generator) -> list[Piece]:
    """A chair."""
    p = Paint(hue(rng, (0.1, 0.8), (0.25, 0.9)))
    pieces = [Piece.make(box((0, 0, 0.42), (0.44, 0.44, 0.05)), p), Piece.make(box((-0.2, 0, 0.75), (0.04, 0.42, 0.4)), p)]
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
            pieces.append(Piece.make(box((x + w / 2, 0.02, z + h / 2 + 0.02), (w * 0.9, 0.2, h)), Paint(hue(rng))))
            x += w + (float(rng.uniform(0, 0.2)) if rng.random() < 0.2 else 0.0)
    return pieces


def bed(rng: Generator) -> list[Piece]:
    """A bed or a sofa."""
    cloth, frame = Paint(hue(rng, (0.1, 0.7), (0.4, 0.95)), specular=0.0), Paint(hue(rng, (0.2, 0.5), (0.2, 0.6)))
    pieces = [Piece.make(box((0, 0, 0.2), (1.9, 1.0, 0.3)), frame), Piece.make(box((0, 0, 0.4), (1.8, 0.95, 0.2)), cloth)]
    pieces.append(Piece.make(box((-0.95, 0, 0.5), (0.1, 1.0, 0.8)), frame))
    pieces.append(Piece.make(ellipsoid((-0.65, 0, 0.52), (0.2, 0.35, 0.1), n=10), Paint((0.93, 0.92, 0.9), specular=0.0)))
    return pieces


def bottle(rng: Generator) -> list[Piece]:
    """A bottle, vase, jar or mug."""
    p = Paint(hue(rng, (0.2, 0.95), (0.2, 0.95)), specular=0.7, shininess=0.8)
    r, h = float(rng.uniform(0.1, 0.24)), float(rng.uniform(0.4, 1.0))
    k = rng.uniform(0.25, 1.2, 6)
    k[0], k[1] = 0.9, 1.0
    return [Piece.make(upright([0, h * 0.1, h * 0.45, h * 0.6, h * 0.85, h], [float(r * x) for x in k], n=16), p)]


def ball(rng: Generator) -> list[Piece]:
    """A ball or an egg-shaped blob."""
    r = rng.uniform(0.15, 0.5) * rng.uniform(0.6, 1.3, 3)
    return [Piece.make(ellipsoid((0, 0, r[2]), r, rot("z", float(rng.uniform(0, 180)))), Paint(hue(rng), specular=float(rng.random())))]


def block(rng: Generator) -> list[Piece]:
    """A box, wedge, cylinder or cone."""
    p = Paint(hue(rng), specular=float(rng.uniform(0, 0.5)))
    s = rng.uniform(0.2, 0.9, 3)
    kind = rng.integers(4)
    if kind == 0:
        return [Piece.make(box((0, 0, s[2] / 2), s), p)]
    if kind == 1:
        return [Piece.make(prism([(-s[0] / 2, -s[1] / 2, 0), (-s[0] / 2, s[1] / 2, 0), (-s[0] / 2, 0, s[2])],
                                 [(s[0] / 2, -s[1] / 2, 0), (s[0] / 2, s[1] / 2, 0), (s[0] / 2, 0, s[2])]), p)]  # fmt: skip
    top = s[0] * 0.5 if kind == 2 else 0.01
    return [Piece.make(upright([0, float(s[2])], [float(s[0] * 0.5), float(top)], n=int(rng.choice([5, 8, 18]))), p)]


def boat(rng: Generator) -> list[Piece]:
    """A boat with a hull, cabin and sometimes a sail."""
    hull, deck = Paint(hue(rng)), Paint(grey(rng, 0.7, 0.95))
    rows = []
    for x, w, z in ((-1.0, 0.28, 0.28), (-0.4, 0.34, 0.25), (0.3, 0.3, 0.27), (0.75, 0.16, 0.32), (1.05, 0.02, 0.4)):
        rows.append([(x, -w * 0.4, 0), (x, w * 0.4, 0), (x, w, z), (x, -w, z)])
    pieces = [Piece.make(loft(np.array(rows), flat=True), hull)]
    if rng.random() < 0.5:
        pieces.append(Piece.make(box((-0.25, 0, 0.4), (0.6, 0.36, 0.28)), deck))
    else:
        pieces.append(Piece.make(limb((0, 0, 0.2), (0, 0, 1.8), 0.025, 0.02, n=6), deck))
        pieces.append(Piece.make(prism([(-0.05, 0.01, 0.4), (-0.85, 0.01, 0.45), (-0.05, 0.01, 1.7)], [(-0.05, 0.03, 0.4), (-0.85, 0.03, 0.45), (-0.05, 0.03, 1.7)]), Paint((0.94, 0.93, 0.9))))
    return pieces


def mountain(rng: Generator) -> list[Piece]:
    """A mountain with a snowy top."""
    h, r = float(rng.uniform(3, 7)), float(rng.uniform(3, 7))
    rockp = Paint(hue(rng, (0.05, 0.35), (0.25, 0.6)), specular=0.0)
    return [Piece.make(upright([0, h * 0.7], [r, r * 0.3], n=7), rockp), Piece.make(upright([h * 0.7, h], [r * 0.3, 0.02], n=7), Paint((0.92, 0.94, 0.97), specular=0.0))]


def tangle(rng: Generator) -> list[Piece]:
    """Random limbs and blobs that resemble no animal: many or one-sided, of any colour."""
    paints = [Paint(hue(rng)) for _ in range(3)]
    pieces = []
    for _ in range(int(rng.integers(3, 9))):
        a = rng.normal(size=3) * 0.35 + [0, 0, 0.6]
        b = a + rng.normal(size=3) * 0.4
        a[2], b[2] = max(a[2], 0.1), max(b[2], 0.1)
        r = rng.uniform(0.03, 0.16, 2)
        pieces.append(Piece.make(limb(a, b, float(r[0]), float(r[1]), n=8), paints[rng.integers(3)]))
    return pieces


Maker = Callable[[Generator], list[Piece]]
OUTDOOR: Final[tuple[Maker, ...]] = (tree, tree, bush, house, rock, post, fence)
INDOOR: Final[tuple[Maker, ...]] = (table, chair, shelf, bed, bottle, ball)


def _moved(pieces: list[Piece], linear: F64, shift: F64) -> list[Piece]:
    return [Piece(p.mesh.transformed(linear, shift), p.paint, p.uv) for p in pieces]


def place(key: str, maker: Maker, rng: Generator, at: F64, scale: float = 1.0) -> Part:
    """A prop put at a point, turned about z by chance."""
    turn = rot("z", float(rng.uniform(0, 360))) * scale
    return Part(key, None, tuple(_moved(maker(rng), turn, at)))


def scatter(rng: Generator, camera: Camera, floor: float, count: int, makers: tuple[Maker, ...] = OUTDOOR) -> list[Part]:
    """Props behind the subject as the camera sees it."""
    a = np.deg2rad(camera.azimuth)
    back, side = -np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
    parts = []
    for i in range(count):
        depth = float(rng.uniform(3.8, 12))
        at = back * depth + side * float(rng.uniform(-1, 1)) * (1.5 + depth * 0.6) + np.array([0, 0, floor])
        parts.append(place(f"prop.{i}", makers[rng.integers(len(makers))], rng, at, float(rng.uniform(0.7, 1.4))))
    return parts
