"""A car's front and rear: bonnet, grille, lamps, bumpers, boot or bed."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes.geometry.mesh import Mesh, loft
from benchmarks.scenes.geometry.solids import box, ellipsoid, prism, tube
from benchmarks.scenes.geometry.subject import Part, Piece

from .car_paints import CarPaint
from .car_types import CarType, half_width


def front(t: CarType, p: CarPaint) -> list[Part]:
    w = half_width(t)
    zb = t.belt + 0.004
    hood = loft(
        np.stack(
            [
                slab(t.cowl - 0.05, w * 0.93, zb - 0.03, zb + 0.012),
                slab(
                    (t.cowl + 0.95) / 2,
                    w * 0.95,
                    (zb + t.hood) / 2 - 0.02,
                    (zb + t.hood) / 2 + 0.028,
                ),
                slab(0.92, w * 0.84, t.hood - 0.04, t.hood + 0.008),
                slab(0.975, w * 0.78, t.hood - 0.07, t.hood - 0.045),
            ]
        )
    )
    parts = [
        Part(
            "bonnet",
            "car.bonnet",
            (Piece.make(hood, p.body),),
            place="front",
            pivot=(t.cowl, 0, zb),
        )
    ]
    zg1, zg0 = t.hood - 0.05, t.clearance + 0.105
    mid = (zg0 + zg1) / 2
    grille = [
        Piece.make(
            prism(
                _face(0.94, w * 0.46, zg0 + 0.015, zg1),
                _face(0.99, w * 0.44, zg0 + 0.015, zg1 - 0.005),
            ),
            p.trim,
        )
    ]
    for k in range(4):
        z = zg0 + 0.03 + (zg1 - zg0 - 0.04) * k / 3
        grille.append(Piece.make(box((0.99, 0, z), (0.012, w * 0.84, 0.008)), p.chrome))
    parts.append(Part("grille", "car.grille", tuple(grille), place="front", pivot=(0.97, 0, mid)))
    parts.append(
        Part(
            "bumper.front",
            "car.bumper",
            (Piece.make(_bumper(t, 1.0), p.lower),),
            place="front",
            pivot=(0.98, 0, zg0),
        )
    )
    for side, s in (("left", 1.0), ("right", -1.0)):
        lamp = ellipsoid(
            (0.925, s * w * 0.7, mid + 0.012), (0.075, w * 0.2, (zg1 - zg0) * 0.43), n=12
        )
        inner = ellipsoid(
            (0.97, s * w * 0.66, mid + 0.012), (0.04, w * 0.09, (zg1 - zg0) * 0.26), n=10
        )
        parts.append(
            Part(
                f"headlight.{side}",
                "car.headlight",
                (Piece.make(lamp, p.lamp), Piece.make(inner, p.chrome)),
                side=side,
                place="front",
                pivot=(0.925, s * w * 0.7, mid),
            )
        )
        # Body-coloured wing tips around the lamps.
        nose = prism(
            [
                (0.95, s * w * 0.47, zg0),
                (0.8, s * w * 0.98, zg0),
                (0.8, s * w * 0.98, t.hood - 0.02),
                (0.95, s * w * 0.47, t.hood - 0.035),
            ],
            [
                (0.965, s * w * 0.47, zg0),
                (0.86, s * w * 1.0, zg0),
                (0.86, s * w * 0.985, t.hood - 0.03),
                (0.965, s * w * 0.47, t.hood - 0.04),
            ],
        )
        parts.append(Part(f"nose.{side}", None, (Piece.make(nose, p.body),)))
    return parts


def slab(x: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [
        (x, -w, z0),
        (x, w, z0),
        (x, w, z1 - 0.012),
        (x, w * 0.9, z1),
        (x, -w * 0.9, z1),
        (x, -w, z1 - 0.012),
    ]


def _face(x: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(x, -w, z0), (x, w, z0), (x, w, z1), (x, -w, z1)]


def _bumper(t: CarType, sign: float) -> Mesh:
    w = half_width(t)
    z = t.clearance + 0.06
    path = [
        (sign * 0.82, -w * 1.0, z),
        (sign * 0.93, -w * 0.92, z),
        (sign * 0.985, -w * 0.5, z),
        (sign * 0.995, 0, z),
        (sign * 0.985, w * 0.5, z),
        (sign * 0.93, w * 0.92, z),
        (sign * 0.82, w * 1.0, z),
    ]
    return tube(path, np.tile([0.032, 0.055], (7, 1)), n=10)


def rear(t: CarType, p: CarPaint) -> list[Part]:
    w = half_width(t)
    z0 = t.clearance + 0.105
    parts = [
        Part(
            "bumper.rear",
            "car.bumper",
            (Piece.make(_bumper(t, -1.0), p.lower),),
            place="rear",
            pivot=(-0.98, 0, z0),
        )
    ]
    back = prism(
        _face(-0.955, w * 0.72, z0, t.tail - 0.02), _face(-0.985, w * 0.7, z0, t.tail - 0.03)
    )
    plate = Piece.make(box((-0.988, 0, z0 + (t.tail - z0) * 0.3), (0.01, 0.2, 0.05)), p.chrome)
    if t.bed:
        floor_z = t.belt - 0.14
        bed = [Piece.make(back, p.body), plate]
        for s in (1.0, -1.0):
            bed.append(
                Piece.make(
                    box(
                        ((t.deck - 0.97) / 2, s * (w - 0.03), (z0 + t.tail) / 2 + 0.02),
                        (0.97 + t.deck - 0.02, 0.04, t.tail - z0 + 0.06),
                    ),
                    p.body,
                )
            )
        bed.append(
            Piece.make(
                box(
                    (-0.965, 0, (z0 + t.tail) / 2 + 0.02), (0.03, 2 * w - 0.06, t.tail - z0 + 0.06)
                ),
                p.body,
            )
        )
        bed.append(
            Piece.make(
                box(((t.deck - 0.97) / 2, 0, floor_z), (0.9 + t.deck, 2 * w - 0.08, 0.02)), p.trim
            )
        )
        parts.append(Part("trunk", "car.trunk", tuple(bed), place="rear", pivot=(-0.9, 0, t.tail)))
    elif t.notch:
        lid = loft(
            np.stack(
                [
                    slab(t.deck + 0.04, w * 0.86, t.belt - 0.03, t.belt + 0.014),
                    slab(-0.93, w * 0.84, t.tail - 0.04, t.tail + 0.01),
                    slab(-0.985, w * 0.8, t.tail - 0.075, t.tail - 0.03),
                ]
            )
        )
        parts.append(
            Part(
                "trunk",
                "car.trunk",
                (Piece.make(lid, p.body), Piece.make(back, p.body), plate),
                place="rear",
                pivot=(t.deck, 0, t.belt),
            )
        )
    else:
        parts.append(
            Part(
                "trunk",
                "car.trunk",
                (Piece.make(back, p.body), plate),
                place="rear",
                pivot=(-0.95, 0, t.belt),
            )
        )
    top = t.tail - 0.035
    tall = not t.notch and not t.bed
    zc, rz = (
        ((z0 + top) / 2 + 0.02, (top - z0) * 0.46)
        if not tall
        else ((z0 + top) / 2 + 0.04, (top - z0) * 0.55)
    )
    for side, s in (("left", 1.0), ("right", -1.0)):
        lamp = ellipsoid((-0.935, s * w * 0.84, zc), (0.065, w * 0.15, rz), n=12)
        parts.append(
            Part(
                f"taillight.{side}",
                "car.taillight",
                (Piece.make(lamp, p.rear_lamp),),
                side=side,
                place="rear",
                pivot=(-0.935, s * w * 0.84, zc),
            )
        )
    return parts
