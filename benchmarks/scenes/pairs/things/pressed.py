"""Cushions that weights press on, tanks that are tipped."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft
from benchmarks.scenes.geometry.solids import box, limb, prism, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import Spot
from benchmarks.scenes.pairs.things.heat import Pieces
from benchmarks.scenes.pairs.world import Thing


def cushion_mesh(side: float, high: float, dent: float, wide: float) -> Mesh:
    """A square cushion; `dent` is pressed into its top over a round of radius `wide`."""
    n = 26
    t = np.linspace(-1, 1, n)

    def edge(x: F64, y: F64) -> F64:
        rim: F64 = (1 - np.abs(x) ** 5) ** 0.5 * (1 - np.abs(y) ** 5) ** 0.5
        return rim

    rings = []
    for x in t:
        up = high * (0.5 + 0.5 * edge(np.full(n, x), t))
        r2 = ((x * side / 2) ** 2 + (t * side / 2) ** 2) / wide**2
        up = np.maximum(up - dent * np.exp(-1.3 * r2), 0.06 * high)
        low = high * (0.5 - 0.5 * edge(np.full(n, x), t))
        top = np.column_stack([np.full(n, x * side / 2), t * side / 2, up])
        bottom = np.column_stack([np.full(n, x * side / 2), t[::-1] * side / 2, low[::-1]])
        rings.append(np.concatenate([top, bottom]))
    return loft(np.array(rings))


def tipped_tank(spot: Spot, tilt: float, level: float, water: Paint) -> list[Thing]:
    """A glass tank tipped by `tilt` degrees with water whose surface is tipped by `level` degrees."""
    w, d, h, r = 0.42, 0.24, 0.3, 0.008
    tip = rot("y", tilt)
    corner = np.array([np.sign(tilt) * w / 2, 0, 0])
    frame = Paint((0.2, 0.22, 0.25), specular=0.6)
    bars: Pieces = []
    for x in (-w / 2, w / 2):
        for y in (-d / 2, d / 2):
            bars.append((limb((x, y, 0), (x, y, h), r, r, n=6), frame))
    for z in (0.0, h):
        for y in (-d / 2, d / 2):
            bars.append((limb((-w / 2, y, z), (w / 2, y, z), r, r, n=6), frame))
        for x in (-w / 2, w / 2):
            bars.append((limb((x, -d / 2, z), (x, d / 2, z), r, r, n=6), frame))
    bars.append((box((0, 0, 0.004), (w, d, 0.008)), frame))
    # Heights of the water at both ends in the tank's own axes; the amount is the same.
    slope = np.tan(np.radians(tilt - level))
    x0, x1 = -w / 2 + r, w / 2 - r
    ends = [0.5 * h + slope * x for x in (x0, x1)]
    body = prism(
        [
            (x0, -d / 2 + r, 0.01),
            (x1, -d / 2 + r, 0.01),
            (x1, -d / 2 + r, ends[1]),
            (x0, -d / 2 + r, ends[0]),
        ],
        [
            (x0, d / 2 - r, 0.01),
            (x1, d / 2 - r, 0.01),
            (x1, d / 2 - r, ends[1]),
            (x0, d / 2 - r, ends[0]),
        ],
    )
    wedge = prism(
        [
            (-w / 2, -0.06, 0),
            (w / 2, -0.06, 0),
            (-np.sign(tilt) * w / 2, -0.06, w * np.tan(np.radians(abs(tilt)))),
        ],
        [
            (-w / 2, 0.06, 0),
            (w / 2, 0.06, 0),
            (-np.sign(tilt) * w / 2, 0.06, w * np.tan(np.radians(abs(tilt)))),
        ],
    )

    def tipped(pieces: Pieces) -> Pieces:
        return [(m.transformed(tip, corner - tip @ corner), p) for m, p in pieces]

    return [
        spot.put(
            "wedge", "wedge", [(wedge, Paint((0.62, 0.44, 0.26), specular=0.1))], has=("rigid",)
        ),
        spot.put("tank", "glass tank", tipped(bars), has=("rigid", "vessel"), shift=(0, 0, r)),
        spot.put("water", "water", tipped([(body, water)]), shift=(0, 0, r), casts=False),
    ]
