"""What people put up outdoors: benches, street lamps, fences, bins, parasols, trampolines."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh, loft
from benchmarks.scenes.geometry.solids import box, prism
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.surroundings.outdoor import upright

from .outdoor_kit import LIT, Shape, maker, part_of, wooden
from .quick import ball, rod
from .wheels import METAL


def _bench(rng: Generator, *, legs: int = 2, back: str = "behind") -> Shape:
    """A bench whose front is +x; its seat at the fact "seat", "seat_height" high. Parts: seat, back,
    leg.left, leg.right. legs: 0..2; back: behind, none or under."""
    wood, iron = wooden(rng), Paint(grey(rng, 0.12, 0.4), specular=0.3)
    if rng.random() < 0.3:
        wood = Paint(hue(rng, (0.4, 0.9), (0.3, 0.8)), specular=0.1)
    h = float(rng.uniform(0.43, 0.48))
    seat = [(box((x, 0, h - 0.02), (0.11, 1.6, 0.04)), wood) for x in (-0.17, -0.04, 0.09, 0.22)]
    rest = [
        (box((-0.27 - 0.04 * k, 0, h + 0.14 + 0.15 * k), (0.035, 1.6, 0.11)), wood)
        for k in range(3)
    ]
    parts = [part_of("seat", *seat)]
    if back != "none":
        made = part_of("back", *rest, at=(-0.27, 0, h))
        parts.append(made if back == "behind" else made.transformed(np.eye(3), (0.2, 0, -0.5)))
    for side, s in (("left", 1), ("right", -1))[:legs]:
        y = s * 0.62
        frame = [
            ((0.22, y, 0.02), (0.2, y, h - 0.02)),
            ((-0.26, y, 0.02), (-0.2, y, h - 0.02)),
            ((-0.2, y, h - 0.04), (0.22, y, h - 0.04)),
            ((-0.22, y, h), (-0.36, y, h + 0.48)),
        ]
        parts.append(
            part_of(
                f"leg.{side}", *((rod(a, b, 0.024, 0.022), iron) for a, b in frame), at=(0, y, h)
            )
        )
    return parts, {"seat": np.array([0.05, 0.0, h]), "seat_height": h}


def _street_lamp(
    rng: Generator,
    *,
    lit: bool = False,
    post: bool = True,
    arm: bool = True,
    height: float | None = None,
) -> Shape:
    """A street lamp; its arm, if any, points to +x. Parts: post, arm, head, bulb. lit; post; arm: whether
    they are there. Facts: bulb (point), lit."""
    iron = Paint(grey(rng, 0.1, 0.5), specular=0.4)
    drawn = float(rng.uniform(2.7, 3.6))
    h, lantern = height or drawn, bool(rng.random() < 0.5)
    glow = LIT if lit else Paint((0.75, 0.76, 0.74), specular=0.6)
    parts = []
    if post:
        parts.append(
            part_of(
                "post",
                (rod((0, 0, 0.05), (0, 0, h), 0.05, 0.035), iron),
                (upright([0, 0.3], [0.11, 0.06], n=12), iron),
            )
        )
    if lantern:
        spot = np.array([0.0, 0.0, h + 0.18])
        parts.append(
            part_of(
                "head",
                (upright([h, h + 0.05], [0.05, 0.12], n=8), iron),
                (upright([h + 0.36, h + 0.5], [0.22, 0.02], n=8), iron),
            )
        )
        parts.append(
            part_of("bulb", (upright([h + 0.05, h + 0.36], [0.11, 0.19], n=8), glow), at=spot)
        )
    else:
        spot = np.array([0.8, 0.0, h - 0.02])
        if arm:
            parts.append(
                part_of("arm", (rod((0, 0, h - 0.25), (0.75, 0, h + 0.05), 0.03, 0.026), iron))
            )
        parts.append(part_of("head", (ball((0.8, 0, h + 0.06), (0.28, 0.12, 0.07)), iron)))
        parts.append(part_of("bulb", (ball((0.8, 0, h), (0.22, 0.1, 0.07)), glow), at=spot))
    return parts, {"bulb": spot, "lit": lit, "height": h}


def _fence(rng: Generator, *, length: float = 3.0) -> Shape:
    """A fence along y. Parts: rail.N, post.N."""
    wood = wooden(rng) if rng.random() < 0.6 else Paint(grey(rng, 0.8, 0.97), specular=0.0)
    count = max(int(length / 0.75), 2)
    parts = [
        part_of(f"rail.{k}", (box((0, 0, z), (0.04, length, 0.09)), wood))
        for k, z in enumerate((0.42, 0.85))
    ]
    parts += [
        part_of(f"post.{k}", (box((0, y, 0.52), (0.09, 0.09, 1.04)), wood))
        for k, y in enumerate(np.linspace(-length / 2, length / 2, count))
    ]
    return parts, {}


def _cone(rng: Generator) -> Shape:
    """A traffic cone. Parts: body, band, foot."""
    orange, white = Paint((0.95, 0.36, 0.08), specular=0.1), Paint((0.95, 0.95, 0.93))
    return [
        part_of("body", (upright([0.03, 0.7], [0.17, 0.03], n=16), orange)),
        part_of("band", (upright([0.3, 0.48], [0.123, 0.082], n=16), white)),
        part_of("foot", (box((0, 0, 0.02), (0.42, 0.42, 0.04)), orange)),
    ], {}


def _bin(rng: Generator) -> Shape:
    """A litter bin. Parts: body, lid, post."""
    paint, iron = Paint(hue(rng, (0.3, 0.9), (0.2, 0.7)), specular=0.2), Paint(grey(rng, 0.1, 0.4))
    return [
        part_of("body", (upright([0.0, 0.75], [0.24, 0.28], n=16), paint)),
        part_of(
            "lid",
            (upright([0.75, 0.79], [0.3, 0.3], n=16), iron),
            (ball((0, 0, 0.79), (0.28, 0.28, 0.1)), iron),
        ),
    ], {}


def _parasol(rng: Generator, *, pole: bool = True) -> Shape:
    """A parasol stuck into the ground. Parts: pole, canopy."""
    a, b = (
        Paint(hue(rng, (0.5, 1), (0.6, 1)), specular=0.0),
        Paint((0.96, 0.95, 0.92), specular=0.0),
    )
    h, r = float(rng.uniform(1.95, 2.25)), float(rng.uniform(0.95, 1.2))
    made: list[tuple[Mesh, Paint]] = []
    for k in range(12):
        u, v = (2 * np.pi * i / 12 for i in (k, k + 1))
        p, q = ([r * np.cos(x), r * np.sin(x), h - 0.34] for x in (u, v))
        low = [[0, 0, h - 0.02], p, q]
        made.append((prism([np.array(x) - [0, 0, 0.02] for x in low], low), a if k % 2 else b))
    parts = [part_of("canopy", *made, at=(0, 0, h))]
    if pole:
        parts.append(part_of("pole", (rod((0, 0, 0.02), (0, 0, h + 0.06), 0.022, 0.018), METAL)))
    return parts, {"height": h}


def _plinth(rng: Generator) -> Shape:
    """A stone block that a statue stands on. Parts: block."""
    stone = Paint(grey(rng, 0.45, 0.75), specular=0.05)
    h = float(rng.uniform(0.5, 0.9))
    return [
        part_of(
            "block",
            (box((0, 0, h / 2), (0.7, 0.7, h)), stone),
            (box((0, 0, 0.06), (0.9, 0.9, 0.12)), stone),
        )
    ], {"top": np.array([0, 0, h])}


def _trampoline(
    rng: Generator, *, dent: float = 0.0, dent_at: tuple[float, float] = (0.0, 0.0)
) -> Shape:
    """A round trampoline, its mat at the fact "top". Parts: mat, seam, rim, leg.N. dent: depth of the
    hollow below whoever lands; dent_at: where."""
    r, h = float(rng.uniform(0.72, 0.9)), float(rng.uniform(0.42, 0.52))
    mat, rim = (
        Paint((0.3, 0.32, 0.38), specular=0.1),
        Paint(hue(rng, (0.6, 1), (0.4, 0.9)), specular=0.1),
    )
    rings = []
    for t in (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.12, 0.02):
        a = np.arange(28) * 2 * np.pi / 28
        cx, cy = np.array(dent_at) * (1 - t)
        rings.append(
            np.column_stack(
                [
                    cx + np.cos(a) * r * t,
                    cy + np.sin(a) * r * t,
                    np.full(28, h - dent * (1 - t**1.4)),
                ]
            )
        )
    low = [ring - [0, 0, 0.03] for ring in rings[::-1]]
    parts = [part_of("mat", (loft(np.array([*low, *rings])), mat))]
    edge = [
        np.array([np.cos(a), np.sin(a), 0]) * (r + 0.05) + [0, 0, h]
        for a in np.linspace(0, 2 * np.pi, 25)
    ]
    parts.append(part_of("rim", *((rod(p, q, 0.06, 0.06), rim) for p, q in pairwise(edge))))
    for k in range(5):
        turn = 2 * np.pi * (k + 0.5) / 5
        d = np.array([np.cos(turn), np.sin(turn), 0]) * (r + 0.05)
        up = np.array([0.0, 0.0, 1.0])
        parts.append(
            part_of(f"leg.{k}", (rod(d + up * h, d * 1.02 + up * 0.03, 0.03, 0.03), METAL))
        )
    return parts, {"top": np.array([0, 0, h]), "radius": r}


bench = maker("bench", _bench, "furniture", "rigid", "stands")
street_lamp = maker("street lamp", _street_lamp, "lamp", "rigid", "stands")
fence = maker("fence", _fence, "rigid", "stands")
cone = maker("traffic cone", _cone, "rigid", "stands", "small")
litter_bin = maker("litter bin", _bin, "rigid", "stands", "vessel")
parasol = maker("parasol", _parasol, "stands")
plinth = maker("plinth", _plinth, "rigid", "stands")
trampoline = maker("trampoline", _trampoline, "soft", "stands", "large")
