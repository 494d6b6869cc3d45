"""A car's cabin: frame, roof, windows, mirrors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.scenes.geometry.mesh import Mesh, loft
from benchmarks.scenes.geometry.solids import ellipsoid, limb, prism
from benchmarks.scenes.geometry.subject import Part, Piece

from .car_ends import slab
from .car_paints import CarPaint
from .car_types import CarType, half_width

Vec = tuple[float, float, float]


def cabin(t: CarType, p: CarPaint) -> list[Part]:
    """Windows, pillars, roof and mirrors on a body-coloured cabin frame."""
    w0, w1 = half_width(t) * 0.985, half_width(t) * 0.80
    zb, zr = t.belt - 0.01, t.height - 0.03
    base = [(t.deck, -w0, zb), (t.cowl, -w0, zb), (t.cowl, w0, zb), (t.deck, w0, zb)]
    head = [
        (t.roof_rear, -w1, zr),
        (t.roof_front, -w1, zr),
        (t.roof_front, w1, zr),
        (t.roof_rear, w1, zr),
    ]
    frame = Part("frame", None, (Piece.make(prism(base, head), p.body),), owner="roof")

    def at(u: float, v: float) -> tuple[float, float, float]:
        """A point on the cabin's left side: u from rear 0 to front 1, v from belt 0 to roof 1."""
        low = np.array([t.deck + (t.cowl - t.deck) * u, w0, zb])
        high = np.array([t.roof_rear + (t.roof_front - t.roof_rear) * u, w1, zr])
        q = low + (high - low) * v
        return (float(q[0]), float(q[1]), float(q[2]))

    parts = [frame]
    roof = loft(
        np.stack(
            [
                slab(t.roof_rear - 0.03, w1 * 0.9, zr - 0.012, zr + 0.014),
                slab(t.roof_rear + 0.06, w1 * 1.0, zr - 0.012, t.height - 0.003),
                slab(t.roof_front - 0.06, w1 * 1.0, zr - 0.012, t.height),
                slab(t.roof_front + 0.03, w1 * 0.9, zr - 0.016, zr + 0.012),
            ]
        )
    )
    parts.append(
        Part(
            "roof",
            "car.roof",
            (Piece.make(roof, p.roof),),
            pivot=((t.roof_front + t.roof_rear) / 2, 0, zr),
        )
    )
    parts.append(
        Part(
            "windshield",
            "car.windshield",
            (Piece.make(_pane(at, 1.0, 0.86), p.glass),),
            place="front",
            pivot=(t.cowl, 0, zb),
        )
    )
    parts.append(Part("rear_window", None, (Piece.make(_pane(at, 0.0, 0.84), p.glass),)))
    spans = _window_spans(t)
    for side, s in (("left", 1.0), ("right", -1.0)):
        for i, (u0, u1) in enumerate(spans):
            quad = [at(u0, 0.1), at(u1, 0.1), at(u1 - 0.012, 0.9), at(u0 + 0.012, 0.9)]
            inner = [(x, s * (y - 0.02), z) for x, y, z in quad]
            outer = [(x, s * (y + 0.008), z) for x, y, z in quad]
            parts.append(
                Part(
                    f"side_window.{side}.{i}",
                    "car.side_window",
                    (Piece.make(prism(inner, outer), p.glass),),
                    side=side,
                    place=("front", "rear", "third")[i],
                    pivot=inner[0],
                )
            )
        mx, my, mz = at(0.93, 0.13)
        stalk = limb((mx, s * my, mz), (mx, s * (my + 0.05), mz + 0.01), 0.012, 0.01, n=6)
        shell = ellipsoid((mx, s * (my + 0.075), mz + 0.025), (0.032, 0.05, 0.036), n=10)
        parts.append(
            Part(
                f"mirror.{side}",
                "car.mirror",
                (Piece.make(stalk, p.trim), Piece.make(shell, p.body)),
                side=side,
                pivot=(mx, s * my, mz),
            )
        )
    return parts


def _window_spans(t: CarType) -> list[tuple[float, float]]:
    """Windows along u, front first."""
    if t.doors == 2:
        return [(0.36, 0.9), (0.1, 0.31)]
    if t.bed:
        return [(0.52, 0.93), (0.08, 0.48)]
    if t.third_window:
        return [(0.66, 0.93), (0.33, 0.63), (0.06, 0.29)]
    return [(0.5, 0.92), (0.1, 0.46)]


def _pane(at: Callable[[float, float], Vec], u: float, high: float) -> Mesh:
    """Front (u = 1) or rear (u = 0) glass across the cabin."""
    x0, y0, z0 = at(u, 0.1)
    x1, y1, z1 = at(u, high + 0.04)
    out = 0.014 if u > 0.5 else -0.014
    quad = [(x0, -y0 * 0.9, z0), (x0, y0 * 0.9, z0), (x1, y1 * 0.9, z1), (x1, -y1 * 0.9, z1)]
    return prism(
        [(x - out, y, z - 0.01) for x, y, z in quad], [(x + out, y, z + 0.008) for x, y, z in quad]
    )
