"""What grows or lies about outdoors: trees, bushes, cactuses, rocks, hay."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh, loft
from benchmarks.scenes.geometry.solids import box, disc, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.surroundings.outdoor import upright

from .outdoor_kit import Shape, maker, part_of
from .quick import ball, rod


def _tree(rng: Generator, *, style: str | None = None, height: float | None = None) -> Shape:
    """A tree. Parts: trunk, crown. style: leafy, conifer, palm or bare; height."""
    drawn, tall = str(rng.choice(["leafy", "conifer"])), float(rng.uniform(2.6, 4.2))
    style, h = style or drawn, height or tall
    bark = Paint((0.32 * float(rng.uniform(0.7, 1.3)), 0.22, 0.14), specular=0.0)
    g = float(rng.uniform(0.7, 1.3))
    leaf = Paint((float(0.15 * g * rng.uniform(0.6, 2.2)), 0.36 * g, 0.12 * g), specular=0.0)
    trunk = [(upright([0.0, h * 0.62], [0.05 * h**0.8, 0.03 * h**0.8], n=9), bark)]
    crown: list[tuple[Mesh, Paint]] = []
    if style == "conifer":
        for k in range(3):
            z = h * (0.22 + 0.24 * k)
            crown.append((upright([z, z + h * 0.36], [h * (0.25 - 0.06 * k), 0.02], n=10), leaf))
    elif style == "palm":
        for a in np.linspace(0, 2 * np.pi, 9)[:-1]:
            out = np.array([np.cos(a), np.sin(a), 0.0])
            top, tip = np.array([0, 0, h * 0.98]), out * h * 0.3 + np.array([0, 0, h * 0.9])
            mid = (top + tip) / 2 + np.array([0, 0, 0.08 * h])
            side = np.cross(out, [0, 0, 1]) * h * 0.045
            ring = [
                [top, top + np.array([0, 0, 0.02]), top + np.array([0, 0.01, 0])],
                [mid - side, mid + np.array([0, 0, 0.03]), mid + side],
                [tip, tip + np.array([0, 0, 0.015]), tip + np.array([0, 0.01, 0])],
            ]
            crown.append((loft(np.array(ring)), leaf))
        trunk = [(upright([0.0, h], [0.035 * h**0.8, 0.024 * h**0.8], n=9), bark)]
    elif style == "bare":
        for _ in range(7):
            a, z = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.4, 0.62)) * h
            tip = np.array([np.cos(a) * 0.25, np.sin(a) * 0.25, 0.3]) * h + [0, 0, z]
            crown.append((rod((0, 0, z), tip, 0.02 * h**0.8, 0.006 * h**0.8, n=6), bark))
        crown.append((rod((0, 0, h * 0.6), (0.03 * h, 0, h), 0.03 * h**0.8, 0.006, n=6), bark))
    else:
        for _ in range(6):
            c = rng.normal(size=3) * [0.13, 0.13, 0.09] * h + [0, 0, 0.7 * h]
            crown.append((ball(c, rng.uniform(0.15, 0.24, 3) * h, n=12), leaf))
    return [part_of("trunk", *trunk), part_of("crown", *crown, at=(0, 0, h * 0.5))], {"height": h}


def _bush(rng: Generator, *, flowers: bool = False) -> Shape:
    """A bush. Parts: leaves, flowers."""
    g = float(rng.uniform(0.7, 1.3))
    leaf = Paint((float(0.16 * g * rng.uniform(0.6, 2)), 0.38 * g, 0.13 * g), specular=0.0)
    made = [
        (
            ball(
                rng.normal(size=3) * [0.22, 0.22, 0.02] + [0, 0, 0.26],
                rng.uniform((0.2, 0.2, 0.18), (0.32, 0.32, 0.3)),
                n=10,
            ),
            leaf,
        )
        for _ in range(6)
    ]
    parts = [part_of("leaves", *made)]
    bloom = Paint(hue(rng, (0.5, 1), (0.7, 1)), specular=0.0)
    if flowers:
        spots = [m.verts[int(rng.integers(len(m.verts)))] for m, _ in made for _ in range(4)]
        parts.append(
            part_of(
                "flowers",
                *((ball(p, (0.035, 0.035, 0.035), n=6), bloom) for p in spots if p[2] > 0.2),
            )
        )
    return parts, {}


def _cactus(rng: Generator) -> Shape:
    """A cactus. Parts: trunk, arm.left, arm.right."""
    green = Paint((0.16, float(rng.uniform(0.36, 0.5)), 0.2), specular=0.02)
    h = float(rng.uniform(1.5, 2.3))
    parts = [
        part_of(
            "trunk",
            (upright([0.0, h - 0.1], [0.15, 0.12], n=12), green),
            (ball((0, 0, h - 0.1), (0.12, 0.12, 0.12)), green),
        )
    ]
    for side, s, z in (("left", 1, 0.42), ("right", -1, 0.55)):
        e = np.array([0, s * 0.38, h * z + 0.06])
        parts.append(
            part_of(
                f"arm.{side}",
                (rod((0, 0, h * z), e, 0.09, 0.09), green),
                (rod(e, e + np.array([0, 0, h * 0.28]), 0.09, 0.075), green),
            )
        )
    return parts, {"height": h}


def _rock(rng: Generator) -> Shape:
    """A boulder. Parts: rock."""
    r = rng.uniform([0.3, 0.25, 0.22], [0.6, 0.45, 0.4])
    grey_ = Paint(grey(rng, 0.3, 0.6), specular=0.0)
    return [
        part_of(
            "rock", (ball((0, 0, r[2] * 0.6), r, rot("z", float(rng.uniform(0, 180))), n=8), grey_)
        )
    ], {}


def _hay(rng: Generator, *, round_: bool | None = None) -> Shape:
    """A bale of hay. Parts: hay, string. round_: a round one lying, or a block."""
    straw = Paint((0.82, float(rng.uniform(0.62, 0.72)), 0.32), specular=0.0)
    twine = Paint((0.45, 0.34, 0.2), specular=0.0)
    drawn = bool(rng.random() < 0.5)
    if drawn if round_ is None else round_:
        r = float(rng.uniform(0.5, 0.65))
        return [
            part_of("hay", (disc((0, 0, r), r, 1.1, bevel=0.06, n=22), straw)),
            part_of(
                "string", *((disc((0, y, r), r * 1.006, 0.03, n=22), twine) for y in (-0.3, 0, 0.3))
            ),
        ], {}
    w = float(rng.uniform(0.9, 1.2))
    return [
        part_of("hay", (box((0, 0, 0.28), (0.62, w, 0.56)), straw)),
        part_of(
            "string", *((box((0, y * w, 0.28), (0.63, 0.025, 0.57)), twine) for y in (-0.25, 0.25))
        ),
    ], {}


tree = maker("tree", _tree, "plant", "stands", "large")
bush = maker("bush", _bush, "plant", "stands")
cactus = maker("cactus", _cactus, "plant", "stands")
rock = maker("rock", _rock, "rigid", "stands")
hay = maker("bale of hay", _hay, "stands", "rigid")
