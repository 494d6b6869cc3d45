"""Tanks, basins and sandboxes, and small things that float in them."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import Spot, matt, pick, upright
from benchmarks.scenes.pairs.things.heat import Pieces
from benchmarks.scenes.pairs.world import Thing

BRIGHT = (
    (0.85, 0.2, 0.15),
    (0.95, 0.8, 0.15),
    (0.2, 0.45, 0.75),
    (0.9, 0.9, 0.88),
    (0.25, 0.6, 0.35),
)


def _duck(size: float, rgb: tuple[float, float, float]) -> Pieces:
    """A bath duck, looking along x, on z = 0."""
    s, body = size, Paint(rgb, specular=0.4)
    beak, eye = matt((0.95, 0.45, 0.1)), matt((0.05, 0.05, 0.05))
    return [
        (ellipsoid((0, 0, 0.5 * s), (0.8 * s, 0.58 * s, 0.5 * s)), body),
        (ellipsoid((-0.75 * s, 0, 0.75 * s), (0.3 * s, 0.25 * s, 0.16 * s), rot("y", 35)), body),
        (ellipsoid((0.5 * s, 0, 1.2 * s), (0.4 * s,) * 3), body),
        (ellipsoid((0.95 * s, 0, 1.14 * s), (0.25 * s, 0.18 * s, 0.08 * s)), beak),
        (ellipsoid((0.72 * s, 0.28 * s, 1.33 * s), (0.07 * s,) * 3, n=8), eye),
        (ellipsoid((0.72 * s, -0.28 * s, 1.33 * s), (0.07 * s,) * 3, n=8), eye),
    ]


def _boat(size: float, rgb: tuple[float, float, float]) -> Pieces:
    """A toy boat with a cabin and a funnel, bow along x, keel on z = 0."""
    s = size
    rows = [
        [
            (x * s, -w * 0.5 * s, 0),
            (x * s, w * 0.5 * s, 0),
            (x * s, w * s, z * s),
            (x * s, -w * s, z * s),
        ]
        for x, w, z in ((-1.1, 0.42, 0.62), (-0.3, 0.5, 0.6), (0.5, 0.4, 0.64), (1.2, 0.02, 0.78))
    ]
    white = Paint((0.93, 0.92, 0.9), specular=0.2)
    return [
        (loft(np.array(rows), flat=True), Paint(rgb, specular=0.3)),
        (box((-0.3 * s, 0, 0.8 * s), (0.8 * s, 0.6 * s, 0.45 * s)), white),
        (
            upright([0.95 * s, 1.5 * s], [0.14 * s, 0.14 * s]).transformed(
                np.eye(3), (-0.4 * s, 0, 0)
            ),
            matt((0.8, 0.2, 0.15)),
        ),
    ]


def floater(rng: Generator, size: float, *, balls: bool = True) -> tuple[str, Pieces, float, float]:
    """Something that floats: its name, pieces, height and how deep it is in."""
    way, rgb = int(rng.integers(4 if balls else 3)), pick(rng, BRIGHT)
    if way == 0:
        return "bath duck", _duck(size, rgb), 1.6 * size, 0.4 * size
    if way == 1:
        return "toy boat", _boat(size, rgb), 1.5 * size, 0.34 * size
    if way == 2:
        wood = Paint((0.68, 0.48, 0.28), specular=0.1)
        cut = [(box((0, 0, 0.45 * size), (1.7 * size, 0.9 * size, 0.9 * size)), wood)]
        # Wood of 0.55 of the water's density.
        return "block of wood", cut, 0.9 * size, 0.5 * size
    ball: Pieces = [
        (ellipsoid((0, 0, 0.8 * size), (0.8 * size,) * 3, n=20), Paint(rgb, specular=0.4)),
        (
            ellipsoid((0, 0, 0.8 * size), (0.805 * size, 0.805 * size, 0.25 * size), n=20),
            Paint((0.95, 0.95, 0.95)),
        ),
    ]
    return "beach ball", ball, 1.6 * size, 0.16 * size


def glass_tank(spot: Spot, water: Paint, turn: F64) -> list[Thing]:
    """A tank 0.5 wide and 0.4 high, filled to 0.3."""
    w, d, h, r = 0.5, 0.3, 0.4, 0.007
    frame, glass = (
        Paint((0.2, 0.22, 0.25), specular=0.6),
        Paint((0.8, 0.9, 0.92), specular=0.6, alpha=0.12),
    )
    bars: Pieces = [(box((0, 0, 0.006), (w, d, 0.012)), Paint((0.75, 0.72, 0.6)))]
    for x in (-w / 2, w / 2):
        for y in (-d / 2, d / 2):
            bars.append((limb((x, y, 0), (x, y, h), r, r, n=6), frame))
    for z in (0.006, h):
        for y in (-d / 2, d / 2):
            bars.append((limb((-w / 2, y, z), (w / 2, y, z), r, r, n=6), frame))
        for x in (-w / 2, w / 2):
            bars.append((limb((x, -d / 2, z), (x, d / 2, z), r, r, n=6), frame))
    bars.append((box((0, -d / 2, h / 2), (w, 0.004, h)), glass))
    fill = [(box((0, 0, 0.156), (w - 2 * r, d - 2 * r, 0.288)), water)]
    return [
        spot.put("tank", "glass tank", bars, turn=turn, has=("rigid", "vessel", "stands")),
        spot.put("water", "water", fill, turn=turn, casts=False, has=("transparent",)),
    ]


def water_basin(spot: Spot, rgb: tuple[float, float, float], water: Paint) -> list[Thing]:
    """A round tub of radius 0.28, filled to 0.12."""
    wall = upright([0, 0.02, 0.15, 0.15, 0.02], [0.2, 0.23, 0.29, 0.275, 0.2], n=36)
    surface = upright([0.115, 0.12], [0.262, 0.264], n=36)
    return [
        spot.put(
            "basin", "basin", [(wall, Paint(rgb, specular=0.3))], has=("vessel", "rigid", "stands")
        ),
        spot.put("water", "water", [(surface, water)], casts=False),
    ]


def sand_surface(rng: Generator, dent: float, wide: float) -> Mesh:
    """The sand of a box 0.6 wide: its surface at 0.12, with a crater and its rim."""
    n, side = 40, 0.56
    t = np.linspace(-side / 2, side / 2, n)
    phase = rng.uniform(0, 6.3, 4)
    rings = []
    for x in t:
        r = np.hypot(x, t) / wide
        wavy = 0.004 * (
            np.sin(x * 23 + phase[0]) + np.sin(t * 31 + phase[1]) + np.sin((x + t) * 17 + phase[2])
        )
        up = 0.12 + wavy - dent * np.exp(-1.2 * r**4) + 0.35 * dent * np.exp(-8 * (r - 1.5) ** 2)
        top = np.column_stack([np.full(n, x), t, up])
        low = np.column_stack([np.full(n, x), t[::-1], np.zeros(n)])
        rings.append(np.concatenate([top, low]))
    return loft(np.array(rings))
