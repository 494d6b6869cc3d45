"""What stands outdoors: trees, benches, street lamps, fences, hay, cones, splashes, footprints ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import Mesh, loft
from benchmarks.scenes.geometry.solids import box, disc, prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.pairs.world import Tag, Thing, tags
from benchmarks.scenes.surroundings.outdoor import upright

from .edits import placed
from .quick import ball, rod
from .wheels import METAL

Shape = tuple[list[Part], dict[str, Any]]
LIT: Final = Paint((1.0, 0.93, 0.7), specular=0.0, emission=1.0)


def _part(key: str, *made: tuple[Mesh, Paint], at: ArrayLike = (0.0, 0.0, 0.0)) -> Part:
    x, y, z = np.asarray(at, float)
    pieces = tuple(Piece.make(mesh, paint) for mesh, paint in made)
    return Part(key, None, pieces, pivot=(float(x), float(y), float(z)))


def _wood(rng: Generator) -> Paint:
    v = float(rng.uniform(0.6, 1.3))
    return Paint((min(0.58 * v, 1.0), 0.4 * v, 0.25 * v), specular=0.03)


def _maker(kind: str, build: Callable[..., Shape], *names: Tag) -> Callable[..., Thing]:
    def make(
        rng: Generator,
        key: str,
        at: ArrayLike = (0.0, 0.0, 0.0),
        facing_deg: float = 0.0,
        *,
        subject: bool = False,
        rests_on: str | None = None,
        more_tags: Sequence[Tag] = (),
        more_facts: Mapping[str, Any] | None = None,
        casts: bool = True,
        **how: Any,
    ) -> Thing:
        seed = int(rng.integers(2**31))
        facts = dict(more_facts or {})
        base = Thing(key, kind, (), subject, tags(*names, *more_tags), rests_on, facts, casts=casts)

        def again(**now: Any) -> Shape:
            return build(np.random.default_rng(seed), **now)

        return placed(base, again, np.asarray(at, float), facing_deg, how)

    make.__doc__ = (build.__doc__ or "") + " `remake` also takes the fields of `Edits`."
    return make


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
    return [_part("trunk", *trunk), _part("crown", *crown, at=(0, 0, h * 0.5))], {"height": h}


def _bush(rng: Generator, *, flowers: bool = False) -> Shape:
    """A bush. Parts: leaves, flowers."""
    g = float(rng.uniform(0.7, 1.3))
    leaf = Paint((float(0.16 * g * rng.uniform(0.6, 2)), 0.38 * g, 0.13 * g), specular=0.0)
    made = [
        (
            ball(
                rng.normal(size=3) * [0.22, 0.22, 0.06] + [0, 0, 0.26],
                rng.uniform(0.2, 0.32, 3),
                n=10,
            ),
            leaf,
        )
        for _ in range(6)
    ]
    parts = [_part("leaves", *made)]
    bloom = Paint(hue(rng, (0.5, 1), (0.7, 1)), specular=0.0)
    if flowers:
        spots = [m.verts[int(rng.integers(len(m.verts)))] for m, _ in made for _ in range(4)]
        parts.append(
            _part(
                "flowers",
                *((ball(p, (0.035, 0.035, 0.035), n=6), bloom) for p in spots if p[2] > 0.2),
            )
        )
    return parts, {}


def _bench(rng: Generator, *, legs: int = 2, back: str = "behind") -> Shape:
    """A bench whose front is +x; its seat at the fact "seat", "seat_height" above the ground. Parts: seat,
    back, leg.left, leg.right. legs: 0..2; back: behind, none or under."""
    wood, iron = _wood(rng), Paint(grey(rng, 0.12, 0.4), specular=0.3)
    if rng.random() < 0.3:
        wood = Paint(hue(rng, (0.4, 0.9), (0.3, 0.8)), specular=0.1)
    h = float(rng.uniform(0.43, 0.48))
    seat = [(box((x, 0, h - 0.02), (0.11, 1.6, 0.04)), wood) for x in (-0.17, -0.04, 0.09, 0.22)]
    rest = [
        (box((-0.27 - 0.04 * k, 0, h + 0.14 + 0.15 * k), (0.035, 1.6, 0.11)), wood)
        for k in range(3)
    ]
    parts = [_part("seat", *seat)]
    if back != "none":
        made = _part("back", *rest, at=(-0.27, 0, h))
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
            _part(f"leg.{side}", *((rod(a, b, 0.024, 0.022), iron) for a, b in frame), at=(0, y, h))
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
            _part(
                "post",
                (rod((0, 0, 0.05), (0, 0, h), 0.05, 0.035), iron),
                (upright([0, 0.3], [0.11, 0.06], n=12), iron),
            )
        )
    if lantern:
        spot = np.array([0.0, 0.0, h + 0.18])
        parts.append(
            _part(
                "head",
                (upright([h, h + 0.05], [0.05, 0.12], n=8), iron),
                (upright([h + 0.36, h + 0.5], [0.22, 0.02], n=8), iron),
            )
        )
        parts.append(
            _part("bulb", (upright([h + 0.05, h + 0.36], [0.11, 0.19], n=8), glow), at=spot)
        )
    else:
        spot = np.array([0.8, 0.0, h - 0.02])
        if arm:
            parts.append(
                _part("arm", (rod((0, 0, h - 0.25), (0.75, 0, h + 0.05), 0.03, 0.026), iron))
            )
        parts.append(_part("head", (ball((0.8, 0, h + 0.06), (0.28, 0.12, 0.07)), iron)))
        parts.append(_part("bulb", (ball((0.8, 0, h), (0.22, 0.1, 0.07)), glow), at=spot))
    return parts, {"bulb": spot, "lit": lit, "height": h}


def _fence(rng: Generator, *, length: float = 3.0) -> Shape:
    """A fence along y. Parts: rail.N, post.N."""
    wood = _wood(rng) if rng.random() < 0.6 else Paint(grey(rng, 0.8, 0.97), specular=0.0)
    count = max(int(length / 0.75), 2)
    parts = [
        _part(f"rail.{k}", (box((0, 0, z), (0.04, length, 0.09)), wood))
        for k, z in enumerate((0.42, 0.85))
    ]
    parts += [
        _part(f"post.{k}", (box((0, y, 0.52), (0.09, 0.09, 1.04)), wood))
        for k, y in enumerate(np.linspace(-length / 2, length / 2, count))
    ]
    return parts, {}


def _hay(rng: Generator, *, round_: bool | None = None) -> Shape:
    """A bale of hay. Parts: hay, string. round_: a round one lying, or a block."""
    straw = Paint((0.82, float(rng.uniform(0.62, 0.72)), 0.32), specular=0.0)
    twine = Paint((0.45, 0.34, 0.2), specular=0.0)
    drawn = bool(rng.random() < 0.5)
    if drawn if round_ is None else round_:
        r = float(rng.uniform(0.5, 0.65))
        return [
            _part("hay", (disc((0, 0, r), r, 1.1, bevel=0.06, n=22), straw)),
            _part(
                "string", *((disc((0, y, r), r * 1.006, 0.03, n=22), twine) for y in (-0.3, 0, 0.3))
            ),
        ], {}
    w = float(rng.uniform(0.9, 1.2))
    return [
        _part("hay", (box((0, 0, 0.28), (0.62, w, 0.56)), straw)),
        _part(
            "string", *((box((0, y * w, 0.28), (0.63, 0.025, 0.57)), twine) for y in (-0.25, 0.25))
        ),
    ], {}


def _cone(rng: Generator) -> Shape:
    """A traffic cone. Parts: body, band, foot."""
    orange, white = Paint((0.95, 0.36, 0.08), specular=0.1), Paint((0.95, 0.95, 0.93))
    return [
        _part("body", (upright([0.03, 0.7], [0.17, 0.03], n=16), orange)),
        _part("band", (upright([0.3, 0.48], [0.123, 0.082], n=16), white)),
        _part("foot", (box((0, 0, 0.02), (0.42, 0.42, 0.04)), orange)),
    ], {}


def _bin(rng: Generator) -> Shape:
    """A litter bin. Parts: body, lid, post."""
    paint, iron = Paint(hue(rng, (0.3, 0.9), (0.2, 0.7)), specular=0.2), Paint(grey(rng, 0.1, 0.4))
    return [
        _part("body", (upright([0.0, 0.75], [0.24, 0.28], n=16), paint)),
        _part(
            "lid",
            (upright([0.75, 0.79], [0.3, 0.3], n=16), iron),
            (ball((0, 0, 0.79), (0.28, 0.28, 0.1)), iron),
        ),
    ], {}


def _crate(rng: Generator) -> Shape:
    """A wooden crate of fruit. Parts: box, fruit."""
    wood = _wood(rng)
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
    return [_part("box", *made), _part("fruit", *heap)], {"top": np.array([0, 0, 0.28])}


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
    parts = [_part("canopy", *made, at=(0, 0, h))]
    if pole:
        parts.append(_part("pole", (rod((0, 0, 0.02), (0, 0, h + 0.06), 0.022, 0.018), METAL)))
    return parts, {"height": h}


def _bucket(rng: Generator) -> Shape:
    """A toy bucket. Parts: body, handle."""
    paint = Paint(hue(rng, (0.7, 1), (0.6, 0.95)), specular=0.3)
    bow = [
        np.array([0, 0.13 * np.cos(t), 0.24 + 0.13 * np.sin(t)]) for t in np.linspace(0, np.pi, 7)
    ]
    return [
        _part("body", (upright([0, 0.24, 0.24, 0.02], [0.095, 0.135, 0.125, 0.085], n=16), paint)),
        _part(
            "handle",
            *((rod(p, q, 0.008, 0.008, n=6), METAL) for p, q in pairwise(bow)),
        ),
    ], {}


def _castle(rng: Generator) -> Shape:
    """A sand castle. Parts: wall, tower.N."""
    sand = Paint((0.76, 0.64, 0.43), specular=0.0)
    parts = [
        _part(
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
            _part(
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


def _trampoline(
    rng: Generator, *, dent: float = 0.0, dent_at: tuple[float, float] = (0.0, 0.0)
) -> Shape:
    """A round trampoline, its mat at the fact "top". Parts: mat, seam, rim, leg.N. dent: depth of the hollow below
    whoever lands; dent_at: where."""
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
    parts = [_part("mat", (loft(np.array([*low, *rings])), mat))]
    edge = [
        np.array([np.cos(a), np.sin(a), 0]) * (r + 0.05) + [0, 0, h]
        for a in np.linspace(0, 2 * np.pi, 25)
    ]
    parts.append(_part("rim", *((rod(p, q, 0.06, 0.06), rim) for p, q in pairwise(edge))))
    for k in range(5):
        a = 2 * np.pi * (k + 0.5) / 5
        d = np.array([np.cos(a), np.sin(a), 0]) * (r + 0.05)
        up = np.array([0.0, 0.0, 1.0])
        parts.append(_part(f"leg.{k}", (rod(d + up * h, d * 1.02 + up * 0.03, 0.03, 0.03), METAL)))
    return parts, {"top": np.array([0, 0, h]), "radius": r}


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
    return [_part("splash", *made)], {"size": size}


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
    return [_part("wake", *made)], {"length": length}


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
    return [_part("prints", *made)], {"steps": steps}


def _ring(
    rng: Generator, *, radius: float = 0.2, rgb: tuple[float, float, float] = (0.9, 0.94, 0.96)
) -> Shape:
    """A ring on water, sand or snow round what stands in it."""
    paint = Paint(rgb, specular=0.1)
    edge = [np.array([np.cos(a), np.sin(a), 0]) * radius for a in np.linspace(0, 2 * np.pi, 19)]
    return [
        _part(
            "ring",
            *((rod(p, q, radius * 0.1, radius * 0.1, n=6), paint) for p, q in pairwise(edge)),
        )
    ], {"radius": radius}


def _plinth(rng: Generator) -> Shape:
    """A stone block that a statue stands on. Parts: block."""
    stone = Paint(grey(rng, 0.45, 0.75), specular=0.05)
    h = float(rng.uniform(0.5, 0.9))
    return [
        _part(
            "block",
            (box((0, 0, h / 2), (0.7, 0.7, h)), stone),
            (box((0, 0, 0.06), (0.9, 0.9, 0.12)), stone),
        )
    ], {"top": np.array([0, 0, h])}


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
    return [_part("cloth", (box((0, 0, 0.009), (w, d, 0.018)), a)), _part("stripe", *bands)], {
        "top": np.array([0, 0, 0.02])
    }


def _basket(rng: Generator) -> Shape:
    """A picnic basket. Parts: body, lid, handle."""
    straw = _wood(rng)
    dark = Paint(tuple(v * 0.65 for v in straw.rgb), specular=0.0)  # type: ignore[arg-type]
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
        _part("body", (body, straw), *bands),
        _part("lid", (box((0.14, 0, 0.255), (0.28, 0.41, 0.03)), dark)),
        _part(
            "handle",
            *((rod(p, q, 0.014, 0.014, n=6), dark) for p, q in pairwise(bow)),
        ),
    ], {}


def _rock(rng: Generator) -> Shape:
    """A boulder. Parts: rock."""
    r = rng.uniform([0.3, 0.25, 0.22], [0.6, 0.45, 0.4])
    grey_ = Paint(grey(rng, 0.3, 0.6), specular=0.0)
    return [
        _part(
            "rock", (ball((0, 0, r[2] * 0.6), r, rot("z", float(rng.uniform(0, 180))), n=8), grey_)
        )
    ], {}


def _cactus(rng: Generator) -> Shape:
    """A cactus. Parts: trunk, arm.left, arm.right."""
    green = Paint((0.16, float(rng.uniform(0.36, 0.5)), 0.2), specular=0.02)
    h = float(rng.uniform(1.5, 2.3))
    parts = [
        _part(
            "trunk",
            (upright([0.0, h - 0.1], [0.15, 0.12], n=12), green),
            (ball((0, 0, h - 0.1), (0.12, 0.12, 0.12)), green),
        )
    ]
    for side, s, z in (("left", 1, 0.42), ("right", -1, 0.55)):
        e = np.array([0, s * 0.38, h * z + 0.06])
        parts.append(
            _part(
                f"arm.{side}",
                (rod((0, 0, h * z), e, 0.09, 0.09), green),
                (rod(e, e + np.array([0, 0, h * 0.28]), 0.09, 0.075), green),
            )
        )
    return parts, {"height": h}


tree = _maker("tree", _tree, "plant", "stands", "large")
bush = _maker("bush", _bush, "plant", "stands")
bench = _maker("bench", _bench, "furniture", "rigid", "stands")
street_lamp = _maker("street lamp", _street_lamp, "lamp", "rigid", "stands")
fence = _maker("fence", _fence, "rigid", "stands")
hay = _maker("bale of hay", _hay, "stands", "rigid")
cone = _maker("traffic cone", _cone, "rigid", "stands", "small")
litter_bin = _maker("litter bin", _bin, "rigid", "stands", "vessel")
crate = _maker("crate of fruit", _crate, "rigid", "stands")
parasol = _maker("parasol", _parasol, "stands")
bucket = _maker("bucket", _bucket, "vessel", "rigid", "stands", "small")
sand_castle = _maker("sand castle", _castle, "stands", "small")
trampoline = _maker("trampoline", _trampoline, "soft", "stands", "large")
splash = _maker("splash", _splash, "soft", "moves")
wake = _maker("wake", _wake, "floats", "soft")
footprints = _maker("footprints", _footprints, "soft")
ring = _maker("ring", _ring, "soft")
plinth = _maker("plinth", _plinth, "rigid", "stands")
blanket = _maker("blanket", _blanket, "soft")
basket = _maker("basket", _basket, "rigid", "stands", "vessel")
rock = _maker("rock", _rock, "rigid", "stands")
cactus = _maker("cactus", _cactus, "plant", "stands")
