"""Small things outdoors, and what moving leaves: splashes, wakes, footprints, ripples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import box, prism, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.surroundings.outdoor import upright

from .outdoor_kit import Shape, maker, part_of, wooden
from .quick import ball, rod
from .wheels import METAL


def _crate(rng: Generator) -> Shape:
    """A wooden crate of fruit. Parts: box, fruit."""
    wood = wooden(rng)
    fruits = (
        (0.8, 0.12, 0.1),
        (0.95, 0.55, 0.08),
        (0.92, 0.82, 0.2),
        (0.5, 0.7, 0.2),
        (0.85, 0.35, 0.25),
    )
    fruit = Paint(fruits[rng.integers(len(fruits))], specular=0.3)
    made = [(box((0, 0, 0.02), (0.5, 0.4, 0.04)), wood)]
    for z in (0.09, 0.22):
        made += [(box((x, 0, z), (0.025, 0.4, 0.1)), wood) for x in (-0.25, 0.25)]
        made += [(box((0, y, z), (0.5, 0.025, 0.1)), wood) for y in (-0.2, 0.2)]
    made += [
        (box((x, y, 0.14), (0.04, 0.04, 0.28)), wood) for x in (-0.24, 0.24) for y in (-0.19, 0.19)
    ]
    heap = [
        (ball((x, y, 0.22 + 0.03 * float(rng.random())), (0.055, 0.055, 0.052), n=9), fruit)
        for x in (-0.17, -0.06, 0.06, 0.17)
        for y in (-0.12, 0.0, 0.12)
    ]
    return [part_of("box", *made), part_of("fruit", *heap)], {"top": np.array([0, 0, 0.28])}


def _bucket(rng: Generator) -> Shape:
    """A toy bucket. Parts: body, handle."""
    paint = Paint(hue(rng, (0.7, 1), (0.6, 0.95)), specular=0.3)
    bow = [
        np.array([0, 0.13 * np.cos(t), 0.24 + 0.13 * np.sin(t)]) for t in np.linspace(0, np.pi, 7)
    ]
    return [
        part_of(
            "body", (upright([0, 0.24, 0.24, 0.02], [0.095, 0.135, 0.125, 0.085], n=16), paint)
        ),
        part_of(
            "handle",
            *((rod(p, q, 0.008, 0.008, n=6), METAL) for p, q in pairwise(bow)),
        ),
    ], {}


def _castle(rng: Generator) -> Shape:
    """A sand castle. Parts: wall, tower.N."""
    sand = Paint((0.76, 0.64, 0.43), specular=0.0)
    parts = [
        part_of(
            "wall",
            (
                prism(
                    [(-0.45, -0.45, 0), (0.45, -0.45, 0), (0.45, 0.45, 0), (-0.45, 0.45, 0)],
                    [
                        (-0.36, -0.36, 0.2),
                        (0.36, -0.36, 0.2),
                        (0.36, 0.36, 0.2),
                        (-0.36, 0.36, 0.2),
                    ],
                ),
                sand,
            ),
        )
    ]
    for k, (x, y) in enumerate(
        ((-0.34, -0.34), (0.34, -0.34), (0.34, 0.34), (-0.34, 0.34), (0, 0))
    ):
        h = 0.34 + (0.16 if k == 4 else 0.0)
        parts.append(
            part_of(
                f"tower.{k}",
                (
                    upright([0, h, h, h + 0.14], [0.13, 0.1, 0.13, 0.01], n=10).transformed(
                        np.eye(3), (x, y, 0)
                    ),
                    sand,
                ),
            )
        )
    return parts, {}


def _blanket(rng: Generator) -> Shape:
    """A blanket on the ground with stripes. Parts: cloth, stripe."""
    a, b = (
        Paint(hue(rng, (0.5, 0.95), (0.5, 0.9)), specular=0.0),
        Paint(grey(rng, 0.85, 0.97), specular=0.0),
    )
    w, d = float(rng.uniform(1.5, 1.9)), float(rng.uniform(1.3, 1.6))
    bands = [
        (box((x, 0, 0.013), (w * 0.07, d, 0.014)), b) for x in np.linspace(-w * 0.4, w * 0.4, 5)
    ]
    return [part_of("cloth", (box((0, 0, 0.009), (w, d, 0.018)), a)), part_of("stripe", *bands)], {
        "top": np.array([0, 0, 0.02])
    }


def _basket(rng: Generator) -> Shape:
    """A picnic basket. Parts: body, lid, handle."""
    straw = wooden(rng)
    r, g, b = straw.rgb
    dark = Paint((0.65 * r, 0.65 * g, 0.65 * b), specular=0.0)
    bow = [
        np.array([0.0, 0.2 * np.cos(t), 0.24 + 0.2 * np.sin(t)]) for t in np.linspace(0, np.pi, 8)
    ]
    body = prism(
        [(-0.24, -0.16, 0), (0.24, -0.16, 0), (0.24, 0.16, 0), (-0.24, 0.16, 0)],
        [(-0.28, -0.2, 0.24), (0.28, -0.2, 0.24), (0.28, 0.2, 0.24), (-0.28, 0.2, 0.24)],
    )
    bands = [
        (box((0, 0, z), (0.51 + 0.16 * z, 0.35 + 0.16 * z, 0.02)), dark) for z in (0.05, 0.12, 0.19)
    ]
    return [
        part_of("body", (body, straw), *bands),
        part_of("lid", (box((0.14, 0, 0.255), (0.28, 0.41, 0.03)), dark)),
        part_of(
            "handle",
            *((rod(p, q, 0.014, 0.014, n=6), dark) for p, q in pairwise(bow)),
        ),
    ], {}


def _splash(rng: Generator, *, size: float = 0.4, flow: float = 0.0) -> Shape:
    """Water thrown up round the origin. size: height; flow: how far it is blown to -x."""
    blue = Paint((0.78, 0.86, 0.92), specular=0.8, shininess=0.8, emission=0.08)
    made: list[tuple[Mesh, Paint]] = []
    for k in range(13):
        a, h = (
            2 * np.pi * k / 13 + float(rng.uniform(-0.2, 0.2)),
            size * float(rng.uniform(0.5, 1.0)),
        )
        out = np.array([np.cos(a), np.sin(a), 0.0])
        tip = out * size * float(rng.uniform(0.55, 0.85)) + [-flow * h, 0, h]
        made.append((rod(out * size * 0.3, tip, 0.1 * size, 0.03 * size, n=6), blue))
        drop = tip + out * size * 0.16 + [-flow * 0.1, 0, size * float(rng.uniform(-0.1, 0.28))]
        made.append((ball(drop, np.full(3, size * float(rng.uniform(0.025, 0.06))), n=6), blue))
    foam = [
        np.array([np.cos(a), np.sin(a), 0.0]) * size * 0.42 for a in np.linspace(0, 2 * np.pi, 15)
    ]
    made += [(rod(p, q, size * 0.09, size * 0.09, n=6), blue) for p, q in pairwise(foam)]
    return [part_of("splash", *made)], {"size": size}


def _wake(
    rng: Generator, *, length: float = 4.0, width: float = 1.0, spread: float = 14.0
) -> Shape:
    """The foam behind and beside a boat at the origin that moves to +x."""
    foam = Paint((0.9, 0.94, 0.96), specular=0.3, emission=0.1)
    made: list[tuple[Mesh, Paint]] = []
    for s in (1, -1):
        for lane, (start, long) in enumerate(((0.0, 1.0), (-0.5, 0.8))):
            n = 9
            for k in range(n):
                t = k / n * long
                x = start - length * t
                y = s * (width * (0.5 + 0.1 * lane) + np.tan(np.deg2rad(spread)) * length * t)
                r = 0.1 * (1 - 0.7 * t) * float(rng.uniform(0.7, 1.2))
                made.append(
                    (
                        ball(
                            (x, y, 0.012),
                            (length / n * 0.62, r * 1.5, 0.03),
                            rot("z", -s * spread),
                            n=8,
                        ),
                        foam,
                    )
                )
    for k in range(10):
        x = -length * (0.05 + 0.085 * k)
        made.append(
            (
                ball((x, float(rng.uniform(-1, 1)) * width * 0.4, 0.01), (0.16, 0.11, 0.025), n=7),
                foam,
            )
        )
    return [part_of("wake", *made)], {"length": length}


def _footprints(
    rng: Generator,
    *,
    steps: int = 6,
    stride: float = 0.62,
    spread: float = 0.11,
    rgb: tuple[float, float, float] = (0.62, 0.66, 0.75),
) -> Shape:
    """Prints of shoes that end at the origin, made while going to +x; flat, a little sunk."""
    dark = Paint(rgb, specular=0.0)
    rim = Paint((min(rgb[0] * 1.28, 1), min(rgb[1] * 1.27, 1), min(rgb[2] * 1.24, 1)), specular=0.0)
    made: list[tuple[Mesh, Paint]] = []
    for k in range(steps):
        s = 1 if k % 2 else -1
        c = np.array([-stride * k / 2 - float(rng.uniform(0.0, 0.05)), s * spread, 0.0])
        made.append((ball(c, (0.185, 0.085, 0.006), n=12), rim))
        made.append((ball(c + np.array([0.045, 0, 0.003]), (0.105, 0.058, 0.006), n=10), dark))
        made.append((ball(c - [0.095, 0, -0.003], (0.06, 0.046, 0.006), n=10), dark))
    return [part_of("prints", *made)], {"steps": steps}


def _ring(
    rng: Generator, *, radius: float = 0.2, rgb: tuple[float, float, float] = (0.9, 0.94, 0.96)
) -> Shape:
    """A ring on water, sand or snow round what stands in it."""
    paint = Paint(rgb, specular=0.1)
    edge = [np.array([np.cos(a), np.sin(a), 0]) * radius for a in np.linspace(0, 2 * np.pi, 19)]
    return [
        part_of(
            "ring",
            *((rod(p, q, radius * 0.1, radius * 0.1, n=6), paint) for p, q in pairwise(edge)),
        )
    ], {"radius": radius}


crate = maker("crate of fruit", _crate, "rigid", "stands")
bucket = maker("bucket", _bucket, "vessel", "rigid", "stands", "small")
sand_castle = maker("sand castle", _castle, "stands", "small")
blanket = maker("blanket", _blanket, "soft")
basket = maker("basket", _basket, "rigid", "stands", "vessel")
splash = maker("splash", _splash, "soft", "moves")
wake = maker("wake", _wake, "floats", "soft")
footprints = maker("footprints", _footprints, "soft")
ring = maker("ring", _ring, "soft")
