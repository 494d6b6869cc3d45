"""Small vehicles from solids, in their own axes: x ahead, y left, z up; the ground is z = 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import loft
from benchmarks.scenes.geometry.solids import box, disc, prism, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.subjects.wings import foil

from .quick import ball
from .wheels import METAL, TYRE, rods, solid, spoked

Shape = tuple[list[Part], dict[str, Any]]


def _p(*xyz: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(xyz, float)


def _lacquer(rng: Generator) -> Paint:
    return Paint(hue(rng, (0.5, 0.95), (0.35, 0.9)), specular=0.5, shininess=0.6)


def _wood(rng: Generator) -> Paint:
    v = float(rng.uniform(0.75, 1.25))
    return Paint((min(0.55 * v, 1), 0.38 * v, 0.22 * v), specular=0.05)


def squared(part: Part) -> Part:
    """A wheel that is square, of the same paints."""
    v = part.verts()
    low, high = v.min(0), v.max(0)
    side = (high - low) * np.array([0.88, 1.0, 0.88])
    mid = (low + high) / 2 - np.array([0.0, 0.0, (high - low)[2] * 0.06])
    paints = list(dict.fromkeys(p.paint for p in part.pieces))
    pieces = [Piece.make(box(mid, side), paints[0])]
    if len(paints) > 1:
        pieces.append(Piece.make(box(mid, side * np.array([0.5, 1.05, 0.5])), paints[1]))
    return replace(part, pieces=tuple(pieces))


def bicycle(rng: Generator, *, handlebar: str = "front", saddle: str = "top") -> Shape:
    """A bicycle on its stand. Parts: frame, wheel.front, wheel.rear, fork, handlebar, saddle, crank, stand.

    `handlebar`: front, rear or under; `saddle`: top or under. Facts: wheel.*, ground.*, saddle, handlebar.
    """
    paint, r = _lacquer(rng), float(rng.uniform(0.32, 0.36))
    rear, front = _p(-0.5, 0, r), _p(0.56, 0, r)
    crank, seat, head = _p(-0.06, 0, 0.29), _p(-0.2, 0, 0.82), _p(0.4, 0, 0.86)
    head_low = _p(0.45, 0, 0.68)
    frame = rods(
        [
            (crank, seat),
            (seat - _p(0, 0, 0.08), head),
            (crank, head_low),
            (head, head_low),
            (rear, crank),
            (rear, seat - _p(0, 0, 0.12)),
        ],
        0.021,
        paint,
    )
    bars = [
        (_p(0.39, 0, 0.86), _p(0.38, 0, 1.0)),
        (_p(0.38, -0.27, 1.02), _p(0.38, 0.27, 1.02)),
        (_p(0.38, 0.27, 1.02), _p(0.27, 0.29, 1.0)),
        (_p(0.38, -0.27, 1.02), _p(0.27, -0.29, 1.0)),
    ]
    handle = Part("handlebar", None, tuple(rods(bars, 0.016, METAL)), pivot=(0.39, 0.0, 0.9))
    sat = Part(
        "saddle",
        None,
        (
            Piece.make(ball(seat + _p(-0.02, 0, 0.1), (0.15, 0.075, 0.045)), TYRE),
            *rods([(seat, seat + _p(0, 0, 0.09))], 0.014, METAL),
        ),
        pivot=(-0.2, 0.0, 0.82),
    )
    if handlebar != "front":
        handle = handle.transformed(
            np.eye(3), (-0.95, 0, -0.1) if handlebar == "rear" else (-0.2, 0, -0.62)
        )
    if saddle == "under":
        sat = sat.about(np.diag([1.0, 1.0, -1.0]), (-0.2, 0, 0.82), (0.1, 0, -0.42))
    pedals = [
        Piece.make(box(crank + _p(x, y, z), (0.1, 0.07, 0.025)), TYRE)
        for x, y, z in ((0.12, 0.13, 0.1), (-0.12, -0.13, -0.1))
    ]
    pedals += rods(
        [
            (crank + _p(0, 0.07, 0), crank + _p(0.12, 0.1, 0.1)),
            (crank - _p(0, 0.07, 0), crank + _p(-0.12, -0.1, -0.1)),
        ],
        0.012,
        METAL,
    )
    pedals.append(Piece.make(disc(crank - _p(0, 0.04, 0), 0.09, 0.012, n=16), METAL))
    parts = [
        Part("frame", None, tuple(frame)),
        spoked("wheel.front", front, r, 0.022, 10, TYRE, METAL),
        spoked("wheel.rear", rear, r, 0.022, 10, TYRE, METAL),
        Part(
            "fork",
            None,
            tuple(
                rods(
                    [(head_low, front + _p(0, 0.05, 0)), (head_low, front - _p(0, 0.05, 0))],
                    0.015,
                    METAL,
                )
            ),
        ),
        handle,
        sat,
        Part("crank", None, tuple(pedals), pivot=(-0.06, 0.0, 0.29)),
        Part(
            "stand", None, tuple(rods([(_p(-0.3, 0.03, 0.3), _p(-0.34, 0.2, 0.012))], 0.012, METAL))
        ),
    ]
    return parts, {"saddle": seat + _p(0, 0, 0.12), "handlebar": _p(0.38, 0, 1.02), "wheels": 2}


def tricycle(rng: Generator) -> Shape:
    """A child's tricycle. Parts: frame, wheel.front, wheel.left.rear, wheel.right.rear, handlebar, saddle."""
    paint, rim = _lacquer(rng), _lacquer(rng)
    frame = rods(
        [
            (_p(0.3, 0, 0.45), _p(0.33, 0, 0.2)),
            (_p(0.3, 0, 0.4), _p(-0.25, 0, 0.2)),
            (_p(-0.28, -0.22, 0.13), _p(-0.28, 0.22, 0.13)),
            (_p(-0.25, 0, 0.2), _p(-0.28, 0, 0.13)),
        ],
        0.024,
        paint,
    )
    bars = rods(
        [(_p(0.29, -0.2, 0.58), _p(0.29, 0.2, 0.58)), (_p(0.29, 0, 0.58), _p(0.3, 0, 0.42))],
        0.018,
        METAL,
    )
    parts = [
        Part("frame", None, tuple(frame)),
        solid("wheel.front", (0.34, 0, 0.2), 0.2, 0.06, rim),
        solid("wheel.left.rear", (-0.28, 0.23, 0.13), 0.13, 0.06, rim),
        solid("wheel.right.rear", (-0.28, -0.23, 0.13), 0.13, 0.06, rim),
        Part("handlebar", None, tuple(bars), pivot=(0.3, 0, 0.45)),
        Part(
            "saddle",
            None,
            (Piece.make(ball((-0.06, 0, 0.36), (0.14, 0.11, 0.05)), rim),),
            pivot=(-0.06, 0, 0.3),
        ),
    ]
    return parts, {"saddle": _p(-0.06, 0, 0.4), "handlebar": _p(0.29, 0, 0.58), "wheels": 3}


def skateboard(rng: Generator) -> Shape:
    """A skateboard. Parts: deck, wheel.left.front and so on."""
    paint, rim = _lacquer(rng), _lacquer(rng)
    xs = np.linspace(-0.42, 0.42, 8)
    rise = 0.05 * np.clip(np.abs(xs) - 0.26, 0, 1) / 0.16
    rows = [
        [(x, -w, 0.11 + z), (x, w, 0.11 + z), (x, w, 0.125 + z), (x, -w, 0.125 + z)]
        for x, z, w in zip(
            xs, rise, [0.05, 0.095, 0.11, 0.11, 0.11, 0.11, 0.095, 0.05], strict=True
        )
    ]
    parts = [Part("deck", None, (Piece.make(loft(np.array(rows), flat=True), paint),))]
    for place, x in (("front", 0.25), ("rear", -0.25)):
        axle = rods(
            [(_p(x, -0.09, 0.045), _p(x, 0.09, 0.045)), (_p(x, 0, 0.045), _p(x, 0, 0.11))],
            0.016,
            METAL,
        )
        parts.append(Part(f"axle.{place}", None, tuple(axle)))
        for side, s in (("left", 1), ("right", -1)):
            parts.append(
                solid(f"wheel.{side}.{place}", (x, s * 0.095, 0.045), 0.045, 0.05, METAL, rim)
            )
    return parts, {"deck": _p(0, 0, 0.125), "wheels": 4}


def cart(rng: Generator, *, load: bool = True) -> Shape:
    """A wooden farm cart. Parts: bed, wheel.left.front ... (spoked), shaft, load."""
    wood, rim = _wood(rng), _wood(rng)
    dark = replace(wood, rgb=(wood.rgb[0] * 0.6, wood.rgb[1] * 0.6, wood.rgb[2] * 0.6))
    r = float(rng.uniform(0.38, 0.5))
    z = r + 0.12
    bed = [Piece.make(box((0, 0, z), (1.9, 1.0, 0.07)), wood)]
    for y in (-0.5, 0.5):
        for k in range(2):
            bed.append(Piece.make(box((0, y * 1.02, z + 0.14 + 0.2 * k), (1.9, 0.04, 0.15)), wood))
        for x in (-0.85, 0.0, 0.85):
            bed.append(Piece.make(box((x, y * 1.07, z + 0.2), (0.07, 0.05, 0.5)), dark))
    for x in (-0.95, 0.95):
        bed.append(Piece.make(box((x, 0, z + 0.2), (0.04, 1.0, 0.34)), wood))
    parts = [Part("bed", None, tuple(bed))]
    for place, x in (("front", 0.62), ("rear", -0.62)):
        axle = rods([(_p(x, -0.62, r), _p(x, 0.62, r)), (_p(x, 0, r), _p(x, 0, z))], 0.035, dark)
        parts.append(Part(f"axle.{place}", None, tuple(axle)))
        for side, s in (("left", 1), ("right", -1)):
            parts.append(spoked(f"wheel.{side}.{place}", (x, s * 0.62, r), r, 0.04, 10, dark, rim))
    parts.append(
        Part(
            "shaft",
            None,
            tuple(
                rods(
                    [(_p(0.95, s * 0.2, z - 0.05), _p(2.0, s * 0.08, 0.04)) for s in (1, -1)],
                    0.03,
                    wood,
                )
            ),
        )
    )
    hay = Paint((0.8, 0.66, 0.28), specular=0.0)
    heap = [
        ball((x, y, z + 0.32 + h), (0.5, 0.36, 0.3), n=10)
        for x, y, h in ((-0.45, 0.1, 0), (0.4, -0.08, 0.02), (0, 0.05, 0.16))
    ]
    if load and rng.random() < 0.6:
        parts.append(Part("load", None, tuple(Piece.make(m, hay) for m in heap)))
    return parts, {"bed": _p(0, 0, z + 0.035), "wheels": 4}


def sledge(rng: Generator) -> Shape:
    """A wooden sledge. Parts: runner.left, runner.right, seat."""
    wood, paint = _wood(rng), _lacquer(rng)
    parts = []
    for side, s in (("left", 1), ("right", -1)):
        path = [
            (-0.5, s * 0.2, 0.02),
            (0.0, s * 0.2, 0.02),
            (0.38, s * 0.2, 0.02),
            (0.52, s * 0.2, 0.1),
            (0.55, s * 0.2, 0.24),
            (0.48, s * 0.2, 0.3),
        ]
        pieces = [Piece.make(tube(path, np.full(6, 0.02), n=7, up=(0, 1, 0)), paint)]
        pieces += rods(
            [(_p(x, s * 0.2, 0.02), _p(x, s * 0.17, 0.24)) for x in (-0.35, 0.0, 0.3)], 0.018, wood
        )
        parts.append(Part(f"runner.{side}", None, tuple(pieces), pivot=(0.0, s * 0.2, 0.02)))
    slats = [
        Piece.make(box((-0.03, y, 0.255), (0.9, 0.09, 0.025)), wood)
        for y in (-0.16, -0.05, 0.06, 0.17)
    ]
    parts.append(Part("seat", None, tuple(slats)))
    return parts, {"seat": _p(0, 0, 0.27)}


def light_plane(rng: Generator) -> Shape:
    """A small aeroplane on its wheels. Parts: hull, glass, wing.left, wing.right, strut.*, tail (fin),
    tail_wing.left, tail_wing.right, propeller, wheel.front, wheel.left, wheel.right, leg.*."""
    paint, accent = Paint(grey(rng, 0.75, 0.97), specular=0.5), _lacquer(rng)
    if rng.random() < 0.4:
        paint, accent = accent, paint
    wide, high_wing = 0.56, bool(rng.random() < 0.6)
    rows = [
        (-3.7, 0.08, 1.45, 0.1),
        (-2.4, 0.26, 1.35, 0.28),
        (-0.9, 0.5, 1.25, 0.58),
        (0.3, wide, 1.2, 0.66),
        (1.1, wide, 1.1, 0.52),
        (2.0, 0.47, 1.08, 0.42),
        (2.45, 0.3, 1.08, 0.28),
    ]
    a = np.arange(16) * 2 * np.pi / 16
    rings = [
        np.column_stack([np.full(16, x), np.cos(a) * w, z + np.sin(a) * h]) for x, w, z, h in rows
    ]
    hull = [
        Piece.make(loft(np.array(rings)), paint),
        Piece.make(tube([(-2.6, 0, 1.12), (1.9, 0, 0.86)], [[0.2, 0.1], [0.48, 0.16]]), accent),
    ]
    glass = Paint((0.1, 0.13, 0.18), specular=0.9, shininess=0.8)
    pane = loft(
        np.array(
            [
                [(x, -w, z0), (x, w, z0), (x, w * 0.78, z1), (x, -w * 0.78, z1)]
                for x, w, z0, z1 in (
                    (-0.7, 0.44, 1.5, 1.72),
                    (0.2, 0.575, 1.45, 1.88),
                    (0.7, 0.575, 1.4, 1.86),
                    (1.25, 0.5, 1.36, 1.5),
                )
            ]
        ),
        flat=True,
    )
    parts = [Part("hull", None, tuple(hull)), Part("glass", None, (Piece.make(pane, glass),))]
    zw = 1.86 if high_wing else 0.82
    for side, s in (("left", 1.0), ("right", -1.0)):
        root, tip = _p(0.35, s * 0.1, zw), _p(0.3, s * 4.9, zw + 0.25)
        wing = Piece.make(foil(root, tip, (1.5, 1.15), 0.13, _p(0, 0, 1)), paint)
        end = Piece.make(
            foil(
                _p(0.3, s * 4.4, zw + 0.222),
                tip + _p(0, s * 0.03, 0.004),
                (1.22, 1.17),
                0.15,
                _p(0, 0, 1),
            ),
            accent,
        )
        parts.append(Part(f"wing.{side}", None, (wing, end), pivot=(0.35, s * 0.3, zw)))
        if high_wing:
            strut = rods([(_p(0.4, s * 0.5, 0.85), _p(0.4, s * 2.3, zw + 0.08))], 0.045, accent)
            parts.append(Part(f"strut.{side}", None, tuple(strut)))
        stab = foil(_p(-3.3, s * 0.05, 1.5), _p(-3.5, s * 1.6, 1.55), (0.95, 0.6), 0.1, _p(0, 0, 1))
        parts.append(
            Part(f"tail_wing.{side}", None, (Piece.make(stab, paint),), pivot=(-3.3, s * 0.1, 1.5))
        )
        leg = rods([(_p(0.1, s * 0.35, 0.8), _p(-0.05, s * 1.15, 0.26))], 0.05, paint)
        parts += [
            Part(f"leg.{side}", None, tuple(leg)),
            solid(f"wheel.{side}", (-0.05, s * 1.2, 0.26), 0.26, 0.18, METAL),
        ]
    fin = foil(_p(-3.25, 0, 1.5), _p(-3.7, 0, 2.75), (1.1, 0.6), 0.1, _p(0, 1, 0))
    parts.append(Part("tail", None, (Piece.make(fin, accent),), pivot=(-3.25, 0, 1.5)))
    nose = rods([(_p(1.9, 0, 0.8), _p(2.0, 0, 0.23))], 0.05, METAL)
    parts += [
        Part("leg.front", None, tuple(nose)),
        solid("wheel.front", (2.0, 0, 0.23), 0.23, 0.16, METAL),
    ]
    turn = float(rng.uniform(0, np.pi))
    blades = [Piece.make(ball((2.5, 0, 1.08), (0.22, 0.17, 0.17)), METAL)]
    for k in (0, 1):
        d = _p(0, np.cos(turn + k * np.pi), np.sin(turn + k * np.pi))
        side_ = _p(0, -d[2], d[1])
        blades.append(
            Piece.make(
                prism(
                    [
                        _p(2.5, 0, 1.08) + side_ * w + _p(x, 0, 0)
                        for w, x in ((-0.1, 0.02), (0.1, -0.02), (0.1, 0.0), (-0.1, 0.04))
                    ],
                    [
                        _p(2.5, 0, 1.08) + d * 0.95 + side_ * w + _p(x, 0, 0)
                        for w, x in ((-0.05, 0.0), (0.05, -0.01), (0.05, 0.0), (-0.05, 0.01))
                    ],
                ),
                TYRE,
            )
        )
    parts.append(Part("propeller", None, tuple(blades), pivot=(2.5, 0, 1.08)))
    return parts, {"nose": _p(2.7, 0, 1.08), "tail": _p(-3.4, 0, 2.0), "wheels": 3}


def boat(rng: Generator, *, style: str | None = None) -> Shape:
    """A boat whose z = 0 is its waterline. Parts: hull, rim, and thwart, oar.left, oar.right (rowing boat),
    mast, sail (sailing boat), or cabin, window, funnel (motor boat). Facts: bow, stern, top, draught."""
    drawn = ("row", "sail", "motor")[rng.integers(3)]
    style = style or drawn
    hull, stripe = _lacquer(rng), Paint(grey(rng, 0.6, 0.97), specular=0.3)
    inside = _wood(rng)
    long = {"row": 1.7, "sail": 2.3, "motor": 2.6}[style] * float(rng.uniform(0.9, 1.15))
    wide, high, deep = long * 0.3, 0.28 * long / 1.8, 0.2 * long / 1.8
    rows, band, well = [], [], []
    for x, w, up in (
        (-1.0, 0.62, 0.06),
        (-0.6, 0.92, 0.0),
        (0.0, 1.0, 0.0),
        (0.5, 0.8, 0.08),
        (0.85, 0.36, 0.22),
        (1.06, 0.03, 0.34),
    ):
        keel = -deep * (1.0 if x < 0.8 else 0.3)
        y, top = w * wide, high * (1 + up)
        rows.append(
            [
                (x * long, 0.0, keel),
                (x * long, y * 0.7, -deep * 0.35),
                (x * long, y, top),
                (x * long, -y, top),
                (x * long, -y * 0.7, -deep * 0.35),
            ]
        )
        band.append(
            [
                (x * long * 1.01, y * 1.04 + 0.01, top - 0.05),
                (x * long * 1.01, y * 1.04 + 0.01, top + 0.025),
                (x * long * 1.01, -y * 1.04 - 0.01, top + 0.025),
                (x * long * 1.01, -y * 1.04 - 0.01, top - 0.05),
            ]
        )
        well.append(
            [
                (x * long * 0.93, y * 0.84, top + 0.027),
                (x * long * 0.93, -y * 0.84, top + 0.027),
                (x * long * 0.93, -y * 0.84, top + 0.02),
                (x * long * 0.93, y * 0.84, top + 0.02),
            ]
        )
    parts = [
        Part("hull", None, (Piece.make(loft(np.array(rows), flat=True), hull),)),
        Part(
            "rim",
            None,
            (
                Piece.make(loft(np.array(band), flat=True), stripe),
                Piece.make(loft(np.array(well), flat=True), inside),
            ),
        ),
    ]
    facts: dict[str, Any] = {
        "bow": _p(1.06 * long, 0, high),
        "stern": _p(-long, 0, high * 0.6),
        "draught": deep,
        "style": style,
    }
    deck = high + 0.03
    if style == "row":
        seats = [
            Piece.make(box((x * long, 0, deck + 0.02), (0.2, wide * 1.7, 0.04)), stripe)
            for x in (-0.45, 0.1)
        ]
        parts.append(Part("thwart", None, tuple(seats)))
        for side, s in (("left", 1), ("right", -1)):
            a, b = _p(0.0, s * wide * 0.4, deck + 0.2), _p(-0.25, s * (wide + 0.75), 0.03)
            oar = rods([(a, b)], 0.022, inside)
            oar.append(Piece.make(ball(b, (0.07, 0.2, 0.03), n=8), inside))
            parts.append(Part(f"oar.{side}", None, tuple(oar), pivot=(0.0, s * wide, deck)))
    elif style == "sail":
        top = deck + long * 1.5
        parts.append(
            Part(
                "mast",
                None,
                tuple(
                    rods(
                        [
                            (_p(0.15, 0, deck - 0.05), _p(0.15, 0, top)),
                            (_p(0.15, 0, deck + 0.3), _p(-long * 0.75, 0, deck + 0.34)),
                        ],
                        0.035,
                        inside,
                    )
                ),
            )
        )
        cloth = Paint(grey(rng, 0.85, 0.98) if rng.random() < 0.6 else hue(rng), specular=0.0)
        sail = prism(
            [(0.1, 0.02, deck + 0.4), (-long * 0.74, 0.14, deck + 0.42), (0.1, 0.0, top - 0.05)],
            [(0.1, 0.05, deck + 0.4), (-long * 0.74, 0.17, deck + 0.42), (0.1, 0.03, top - 0.05)],
        )
        jib = prism(
            [(0.25, 0.02, top - 0.4), (long * 0.9, 0.0, deck + 0.12), (0.3, 0.1, deck + 0.35)],
            [(0.25, 0.04, top - 0.4), (long * 0.9, 0.02, deck + 0.12), (0.3, 0.13, deck + 0.35)],
        )
        parts.append(
            Part(
                "sail",
                None,
                (Piece.make(sail, cloth), Piece.make(jib, cloth)),
                pivot=(0.15, 0, deck + 0.4),
            )
        )
        facts["mast"] = _p(0.15, 0, top)
    else:
        parts.append(
            Part(
                "cabin",
                None,
                (
                    Piece.make(box((-0.1, 0, deck + 0.35), (long * 0.75, wide * 1.2, 0.7)), stripe),
                    Piece.make(box((-0.1, 0, deck + 0.72), (long * 0.85, wide * 1.35, 0.06)), hull),
                ),
            )
        )
        glass = Paint((0.1, 0.14, 0.2), specular=0.8)
        panes = [box((x, 0, deck + 0.45), (0.3, wide * 1.22, 0.28)) for x in (-0.65, -0.2, 0.25)]
        panes.append(box((long * 0.375 - 0.1, 0, deck + 0.45), (0.02, wide * 0.9, 0.28)))
        parts.append(Part("window", None, tuple(Piece.make(m, glass) for m in panes)))
        parts.append(
            Part(
                "funnel",
                None,
                tuple(rods([(_p(-0.5, 0, deck + 0.7), _p(-0.55, 0, deck + 1.25))], 0.11, hull)),
            )
        )
    return parts, facts
