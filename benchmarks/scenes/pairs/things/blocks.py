"""Plain bodies: blocks, cylinders, balls, dominoes, boxes, books; ice, butter and snow."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part

from .kit import (
    BLACK,
    WHITE,
    Made,
    box,
    colour,
    face,
    maker,
    own_textures,
    part,
    point,
    smooth,
    tint,
    turned,
    wooden,
)
from .lettering import TITLES, board, colours
from .quick import ball as ellipsoid
from .quick import rod as limb

ICE: Final = Paint((0.8, 0.91, 0.97), specular=1.0, shininess=0.9, emission=0.05)
SNOW: Final = Paint((0.94, 0.96, 0.99), specular=0.05)


@maker("block", "rigid", "stands")
def block(
    rng: Generator,
    *,
    size: tuple[float, float, float] | None = None,
    texture: str | None = None,
    paint: Paint | None = None,
) -> Made:
    """A box-shaped block. size along x, y, z; texture or paint of its surface."""
    s = rng.uniform(0.05, 0.12, 3)
    own = colour(rng) if rng.random() < 0.6 else wooden(rng)
    if texture is not None:
        own = Paint((1, 1, 1), texture, "xz", (5.0, 5.0), specular=0.1)
    sx, sy, sz = size or (float(s[0]), float(s[1]), float(s[2]))
    body = box((0, 0, sz / 2), (sx, sy, sz))
    return Made(
        [part("body", (body, paint or own))],
        {"size": point(sx, sy, sz), "shape": "box", "dims": (sx, sy, sz)},
    )


@maker("cylinder", "rigid", "stands")
def cylinder(rng: Generator, *, radius: float | None = None, height: float | None = None) -> Made:
    """An upright cylinder of a toy set. radius; height."""
    r, h, paint = float(rng.uniform(0.025, 0.05)), float(rng.uniform(0.05, 0.12)), colour(rng)
    r, h = radius or r, height or h
    return Made(
        [part("body", (turned([(r, 0), (r, h)], 20), paint))],
        {"shape": "cylinder", "dims": (r, h), "radius": r},
    )


@maker("ball", "rigid", "ball")
def ball(rng: Generator, *, radius: float | None = None, pattern: str | None = None) -> Made:
    """A ball resting on z = 0. radius; pattern: None (drawn by chance), plain, or bands."""
    r, paint, band = (
        float(rng.uniform(0.03, 0.11)),
        colour(rng, (0.5, 0.95), (0.5, 0.95)),
        colour(rng),
    )
    drawn = "bands" if rng.random() < 0.5 else "plain"
    turn = rot("x", float(rng.uniform(0, 90))) @ rot("z", float(rng.uniform(0, 90)))
    r = radius or r
    parts = [part("body", (ellipsoid((0, 0, r), (r, r, r), turn, n=18), paint))]
    if (pattern or drawn) == "bands":
        t = np.linspace(1.2, 1.95, 5)
        ring = smooth([(1.02 * r * np.sin(a), -1.02 * r * np.cos(a)) for a in t], 20)
        parts.append(part("band", (ring.transformed(turn, (0, 0, r)), band)))
    return Made(parts, {"radius": r, "shape": "sphere", "dims": (r,)})


@maker("domino", "rigid", "stands", "domino")
def domino(
    rng: Generator,
    *,
    fallen: float = 0.0,
    size: tuple[float, float, float] = (0.012, 0.03, 0.06),
    paint: Paint | None = None,
) -> Made:
    """A domino that would fall along +x. fallen: degrees it has turned about its lower front edge;
    size; paint."""
    own = colour(rng)
    sx, sy, sz = size
    turn, edge = rot("y", fallen), np.array([sx / 2, 0, 0])
    body = box((0, 0, sz / 2), size).transformed(turn, edge - turn @ edge)
    stripe = box((-sx / 2 - 0.0004, 0, sz / 2), (0.001, sy * 0.86, 0.003)).transformed(
        turn, edge - turn @ edge
    )
    dots = []
    for i in range(int(rng.integers(1, 4))):
        z = sz * (0.25 if i % 2 else 0.75)
        dots.append(
            box((-sx / 2 - 0.0004, (i - 1) * sy * 0.25, z), (0.001, 0.005, 0.005)).transformed(
                turn, edge - turn @ edge
            )
        )
    ink = WHITE if sum((paint or own).rgb) < 1.6 else BLACK
    return Made(
        [part("body", (body, paint or own)), part("dots", ([stripe, *dots], ink))],
        {"fallen": fallen, "edge": point(sx / 2, 0, 0), "shape": "box", "dims": size},
    )


@maker("cardboard box", "rigid", "stands")
def carton(
    rng: Generator, *, open_: bool = False, size: tuple[float, float, float] | None = None
) -> Made:
    """A cardboard box or a parcel. open_: flaps up; size along x, y, z."""
    s = rng.uniform(0.12, 0.3, 3)
    card, tape = (
        Paint(tint((0.68, 0.5, 0.32), rng, 0.15), specular=0.02),
        Paint(tint((0.8, 0.72, 0.5), rng), specular=0.5),
    )
    sx, sy, sz = size or (float(s[0]), float(s[1]), float(s[2]))
    parts = [part("body", (box((0, 0, sz / 2), (sx, sy, sz)), card))]
    if open_:
        flap = [
            box((0, s_ * (sy / 2 + 0.03), sz + 0.02), (sx * 0.98, 0.004, sy * 0.4)).transformed(
                np.eye(3), (0, 0, 0)
            )
            for s_ in (-1, 1)
        ]
        tilted = [
            m.transformed(rot("x", -s_ * 35), (0, 0, 0)).transformed(np.eye(3), (0, 0, 0))
            for m, s_ in zip(flap, (-1, 1), strict=True)
        ]
        low = [
            m.transformed(
                np.eye(3),
                (
                    0,
                    s_ * sy / 2 - (m.verts[:, 1].max() if s_ < 0 else m.verts[:, 1].min()),
                    sz - m.verts[:, 2].min(),
                ),
            )
            for m, s_ in zip(tilted, (-1, 1), strict=True)
        ]
        inside = box((0, 0, sz + 0.0005), (sx * 0.94, sy * 0.94, 0.001))
        parts.append(part("flaps", (low, card), (inside, Paint((0.25, 0.18, 0.1), specular=0.0))))
    else:
        parts.append(part("tape", (box((0, 0, sz + 0.0005), (sx, 0.04, 0.001)), tape)))
    return Made(parts, {"shape": "box", "dims": (sx, sy, sz)})


@maker("book", "rigid", "stands")
def book(
    rng: Generator,
    *,
    upright: bool = False,
    title: str | None = None,
    lettered: bool = False,
    garbled: bool = False,
    size: tuple[float, float, float] | None = None,
    texture: str | None = None,
) -> Made:
    """A book, lying flat with its cover up or (upright) standing with its spine to +x. lettered: a
    title on its
    cover (a texture of its own); title; garbled: pseudo-letters in its place; size: cover height, width,
    thickness; texture: of the world, for the cover."""
    s = (
        float(rng.uniform(0.19, 0.27)),
        float(rng.uniform(0.13, 0.19)),
        float(rng.uniform(0.018, 0.05)),
    )
    cover, ink_seed = colour(rng, (0.3, 0.9), (0.25, 0.8)), int(rng.integers(2**31))
    style, ink, paper = int(rng.integers(6)), *colours(rng)
    drawn = str(rng.choice(TITLES))
    h, w, t = size or s
    if lettered:
        cover = Paint(paper, specular=0.2)
    elif texture is not None:
        cover = Paint((1, 1, 1), texture, "xy", (6.0, 6.0), specular=0.1)
    pages = Paint((0.92, 0.9, 0.83), specular=0.0)
    # Lying: x from the reader's near edge (+) to the far one (-), y across, spine at -y ... cover up.
    boards = [
        box((0, 0, 0.0015), (h, w, 0.003)),
        box((0, 0, t - 0.0015), (h, w, 0.003)),
        box((0, -w / 2 + 0.002, t / 2), (h, 0.004, t)),
    ]
    block_ = box((0, 0.002, t / 2), (h * 0.95, w * 0.94, t - 0.006))
    parts = [part("cover", (boards, cover)), part("pages", (block_, pages))]
    facts: dict[str, object] = {"dims": (h, w, t), "shape": "box", "top": point(0, 0, t)}
    if lettered:
        words = tuple((title or drawn).split())
        broken = np.random.default_rng(ink_seed) if garbled else None
        facts["textures"] = own_textures(
            face=board(words, w / h, ink, paper, style, broken=broken, margin=0.12)
        )
        facts["words"] = " ".join(words)
        e = t + 0.0006
        sheet = face(
            [(-h / 2, -w / 2, e), (-h / 2, w / 2, e), (h / 2, w / 2, e), (h / 2, -w / 2, e)],
            "@face",
        )
        parts.append(Part("lettering", None, (sheet,)))
    if upright:
        turn = rot("z", 90) @ rot("x", 90)
        raised = []
        for p in parts:
            q = p.transformed(rot("y", 90), (0, 0, 0))  # stands on its lower edge: x -> -z
            raised.append(q.transformed(rot("z", 0), (0, 0, h / 2)))
        del turn
        # The cover faces +x now; turned so that the spine does.
        parts = [p.transformed(rot("z", 90), (0, t / 2 * -1, 0)) for p in raised]
        facts |= {"dims": (w, t, h), "top": point(0, 0, h)}
    return Made(parts, facts, ("sign",) if lettered else ())


@maker("ice cube", "rigid", "cold", "ice", "stands")
def ice(rng: Generator, *, melted: bool = False, count: int = 1, size: float | None = None) -> Made:
    """Ice cubes. melted: a puddle in their place; count: cubes in the heap, 1..4; size: of a cube."""
    a = float(rng.uniform(0.028, 0.04))
    a = size or a
    turns, spread = rng.uniform(0, 90, 4), rng.uniform(0.9, 1.1, (4, 3))
    if melted:
        t = np.linspace(0, 2 * np.pi, 12, endpoint=False)
        r = (
            a
            * (1.1 + 0.35 * count)
            * (1 + 0.18 * np.sin(2 * t + turns[0]) + 0.1 * np.sin(3 * t + turns[1]))
        )
        rim = np.stack([np.cos(t) * r, np.sin(t) * r, 0 * t], 1)
        from benchmarks.scenes.geometry.mesh import loft

        pool = loft(np.stack([rim, rim * 0.93 + [0, 0, 0.002]]))
        drops = [
            ellipsoid((a * 1.9 * np.cos(k), a * 1.9 * np.sin(k), 0.001), (0.006, 0.006, 0.003))
            for k in (1.0, 3.4)
        ]
        water = Paint((0.62, 0.74, 0.82), specular=1.0, shininess=0.95)
        return Made([part("puddle", ([pool, *drops], water))], {"size": a}, (), ("ice", "rigid"))
    cubes = []
    spots = [(0, 0, 0), (1.45, 0.3, 0), (0.5, 1.42, 0), (0.55, 0.5, 1.0)]
    mid = np.mean(np.array(spots[:count]), 0) * a
    for i in range(count):
        s = a * spread[i]
        s[2] = a
        at = np.array(spots[i]) * a - [mid[0], mid[1], 0] + [0, 0, a / 2]
        turn = rot("z", float(turns[i]) if count == 1 else float(turns[i]) / 9)
        cubes.append(_bevelled(s).transformed(turn, at))
    return Made([part("ice", (cubes, ICE))], {"size": a})


def _bevelled(size: np.ndarray) -> Mesh:
    """A box with rounded shading."""
    x, y, z = np.asarray(size, float) / 2
    rows = []
    for s, h in ((0.8, -1.0), (1.0, -0.8), (1.0, 0.8), (0.8, 1.0)):
        rows.append(
            [
                (a * s * x, b * s * y, h * z)
                for a, b in (
                    (1, 0.75),
                    (0.75, 1),
                    (-0.75, 1),
                    (-1, 0.75),
                    (-1, -0.75),
                    (-0.75, -1),
                    (0.75, -1),
                    (1, -0.75),
                )
            ]
        )
    from benchmarks.scenes.geometry.mesh import loft

    return loft(np.array(rows), flat=True, convex=True)


@maker("butter", "rigid", "cold", "stands", "food")
def butter(rng: Generator, *, melted: bool = False) -> Made:
    """A piece of butter. melted: a yellow puddle."""
    s = rng.uniform(0.9, 1.2, 3) * np.array([0.05, 0.035, 0.025])
    fat = Paint(tint((0.96, 0.86, 0.45), rng, 0.05), specular=0.3, shininess=0.4)
    if melted:
        pool = turned([(s[0] * 1.25, 0), (s[0] * 1.15, 0.004)], 16)
        return Made([part("puddle", (pool, fat))], {}, (), ("rigid", "cold"))
    return Made(
        [part("body", (box((0, 0, s[2] / 2), s), fat))], {"dims": tuple(float(v) for v in s)}
    )


@maker("snowman", "rigid", "cold", "ice", "stands")
def snowman(rng: Generator, *, melted: bool = False, balls: int = 3) -> Made:
    """A snowman 0.3 high (scale it up outdoors). melted: slumped to a wet heap; balls: number."""
    r = float(rng.uniform(0.065, 0.08))
    hat = colour(rng)
    carrot = Paint((0.95, 0.48, 0.12), specular=0.1)
    if melted:
        heap = smooth([(r * 2.2, 0), (r * 1.9, r * 0.12), (r * 0.8, r * 0.3), (0.01, r * 0.4)])
        nose = limb((r * 1.2, 0.02, 0.02), (r * 1.9, 0.06, 0.015), 0.01, 0.003)
        return Made(
            [part("heap", (heap, SNOW)), part("nose", (nose, carrot))],
            {"radius": r},
            (),
            ("ice", "rigid"),
        )
    parts, z = [], 0.0
    sizes = (1.0, 0.72, 0.5)[:balls]
    for i, s in enumerate(sizes):
        z += r * s * (0.95 if i else 0.93)
        parts.append(part(f"ball.{i}", (ellipsoid((0, 0, z), (r * s,) * 3, n=16), SNOW)))
        z += r * s * 0.75
    top = r * sizes[-1]
    face_z = z - 0.55 * top
    eyes = [
        ellipsoid((top * 0.9, s * top * 0.35, face_z + top * 0.15), (0.006,) * 3, n=8)
        for s in (-1, 1)
    ]
    parts += [
        part("eyes", (eyes, BLACK)),
        part(
            "nose",
            (
                limb(
                    (top * 0.8, 0, face_z - 0.1 * top),
                    (top * 1.8, 0, face_z - 0.15 * top),
                    0.009,
                    0.002,
                ),
                carrot,
            ),
        ),
    ]
    brim = [
        turned([(top * 0.95, z - top * 0.05), (top * 0.95, z + 0.004)], 16),
        turned([(top * 0.6, z), (top * 0.55, z + top * 0.8)], 16),
    ]
    parts.append(part("hat", (brim, hat)))
    return Made(parts, {"radius": r, "head": point(0, 0, face_z)})
