"""A light aircraft and boats, in their own axes: x ahead, y left, z up; a boat's water is z = 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import loft
from benchmarks.scenes.geometry.solids import box, prism, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.subjects.wings import foil

from .quick import ball
from .wheels import METAL, TYRE, rods, solid

Shape = tuple[list[Part], dict[str, Any]]


def _p(*xyz: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(xyz, float)


def _lacquer(rng: Generator) -> Paint:
    return Paint(hue(rng, (0.5, 0.95), (0.35, 0.9)), specular=0.5, shininess=0.6)


def _wood(rng: Generator) -> Paint:
    v = float(rng.uniform(0.75, 1.25))
    return Paint((min(0.55 * v, 1), 0.38 * v, 0.22 * v), specular=0.05)


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
    """A boat whose z = 0 is its waterline. Parts: hull, rim, and thwart, oar.left, oar.right (row),
    mast, sail (sail), or cabin, window, funnel (motor). Facts: bow, stern, top, draught."""
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
