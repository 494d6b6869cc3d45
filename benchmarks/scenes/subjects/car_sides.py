"""A car's sides: fenders, doors, rear quarters."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import box, prism
from benchmarks.scenes.geometry.subject import Part, Piece

from .car_paints import CarPaint
from .car_types import SKIN, CarType, half_width


def _panel(
    side: float, w: float, corners: list[tuple[float, float]], out: float = SKIN, lean: float = 0.0
) -> Mesh:
    """A body side panel: corners (x, z) of a polygon, `out` thick, standing at y = ±w."""
    inner = [(x, side * (w - out), z) for x, z in corners]
    outer = [(x, side * (w - lean), z) for x, z in corners]
    return prism(inner, outer)


def sides(t: CarType, p: CarPaint) -> list[Part]:
    parts = []
    w = half_width(t)
    z0, zb = t.clearance + 0.035, t.belt
    # Door edges along x: from behind the front wheel to before the rear wheel.
    a0, a1 = t.front_axle - t.wheel * 1.22, t.rear_axle + t.wheel * 1.22
    if t.bed:
        a1 = t.deck + 0.02
    n = t.doors // 2
    if n == 1:
        a1 = a1 + (a0 - a1) * 0.22
    cuts = np.linspace(min(a0, t.cowl + 0.06), a1, n + 1)
    for side, s in (("left", 1.0), ("right", -1.0)):
        zf = t.hood - 0.01
        fender = [
            _panel(
                s,
                w,
                [
                    (cuts[0] + 0.006, z0),
                    (t.front_axle - t.wheel * 0.6, z0 + t.wheel),
                    (t.cowl, zb),
                    (cuts[0] + 0.006, zb),
                ],
            ),
            _panel(
                s,
                w,
                [
                    (t.front_axle - t.wheel * 1.15, z0 + t.wheel * 0.8),
                    (0.86, z0 + t.wheel * 0.8),
                    (0.86, zf),
                    (t.cowl, zb),
                ],
            ),
            _panel(
                s,
                w,
                [
                    (t.front_axle + t.wheel * 1.0, z0 + 0.03),
                    (0.9, z0 + 0.05),
                    (0.86, zf),
                    (t.front_axle + t.wheel * 1.0, zf),
                ],
            ),
        ]
        parts.append(
            Part(
                f"fender.{side}",
                "car.fender",
                tuple(Piece.make(m, p.body) for m in fender),
                side=side,
                place="front",
                pivot=(t.front_axle, s * w, zb),
            )
        )
        for i in range(n):
            x1, x0 = cuts[i] - 0.006, cuts[i + 1] + 0.006
            m = _panel(s, w, [(x0, z0), (x1, z0), (x1, zb), (x0, zb)], lean=0.0)
            handle = box((x0 + 0.07, s * (w + 0.006), zb - 0.06), (0.08, 0.014, 0.016))
            place = "front" if i == 0 else "rear"
            parts.append(
                Part(
                    f"door.{side}.{place}",
                    "car.door",
                    (Piece.make(m, p.body), Piece.make(handle, p.chrome)),
                    side=side,
                    place=place,
                    pivot=(float(x1), s * w, zb),
                )
            )
        end = float(cuts[-1]) - 0.006
        if t.bed:
            continue
        zt = t.tail - 0.01
        quarter = [
            _panel(
                s,
                w,
                [
                    (end, z0),
                    (t.rear_axle + t.wheel * 0.5, z0 + t.wheel),
                    (min(t.deck, t.rear_axle), zb),
                    (end, zb),
                ],
            ),
            _panel(
                s,
                w,
                [
                    (-0.93, z0 + t.wheel * 0.7),
                    (t.rear_axle + t.wheel, z0 + t.wheel * 0.7),
                    (t.rear_axle + t.wheel, zb),
                    (-0.93, min(zt, zb)),
                ],
            ),
            _panel(
                s,
                w,
                [
                    (-0.95, z0 + 0.06),
                    (t.rear_axle - t.wheel, z0 + 0.03),
                    (t.rear_axle - t.wheel, zb - 0.02),
                    (-0.95, zt),
                ],
            ),
        ]
        corner = prism(
            _face_y(-0.93, s, w, z0 + 0.06, zt), _face_y(-0.972, s, w * 0.97, z0 + 0.06, zt - 0.02)
        )
        parts.append(
            Part(f"quarter.{side}", None, tuple(Piece.make(m, p.body) for m in (*quarter, corner)))
        )
    return parts


def _face_y(x: float, s: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(x, s * w * 0.7, z0), (x, s * w, z0), (x, s * w, z1), (x, s * w * 0.7, z1)]
