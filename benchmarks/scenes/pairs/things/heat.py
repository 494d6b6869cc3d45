"""What gives heat and what heat changes: flames, logs, candles, bulbs, hobs, ice, puddles, steam, glow.

Meshes with paints about the origin, standing on z = 0, in metres; `arrange.thing` makes things of them.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, rot, tube
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import RGB, glowing, matt, upright
from benchmarks.scenes.pairs.world import Canvas, Effect

Pieces = list[tuple[Mesh, Paint]]

ICE = Paint((0.6, 0.76, 0.86), specular=0.9, shininess=0.9)
WET = Paint((0.34, 0.46, 0.54), specular=0.9, shininess=0.9, alpha=0.6)
IRON = Paint((0.16, 0.16, 0.17), specular=0.3)
HOT: RGB = (0.8, 0.1, 0.03)
SNOW = Paint((0.93, 0.95, 0.98), specular=0.05)


def moved(pieces: Pieces, shift: ArrayLike = (0, 0, 0), linear: ArrayLike | None = None) -> Pieces:
    """Pieces under a map."""
    m = np.eye(3) if linear is None else np.asarray(linear, float)
    return [(mesh.transformed(m, shift), paint) for mesh, paint in pieces]


def flame(height: float, lean: float = 0.0) -> Pieces:
    """A single flame: orange outside, yellow within; `lean` bends its tip along x."""
    profile = ((0.0, 0.05), (0.12, 0.16), (0.3, 0.21), (0.55, 0.15), (0.8, 0.06), (1.0, 0.005))

    def body(scale: float, lift: float) -> Mesh:
        path = [
            (lean * height * z**2 * scale, 0.0, (lift + z * scale) * height) for z, _ in profile
        ]
        return tube(np.array(path), [r * height * scale for _, r in profile], up=(1, 0, 0), n=10)

    outside = Paint((0.95, 0.3, 0.02), specular=0.0, emission=0.5, alpha=0.62)
    return [(body(0.6, 0.03), glowing((1.0, 0.8, 0.25), 0.6)), (body(1.0, 0.0), outside)]


def blaze(rng: Generator, height: float, wide: float) -> Pieces:
    """A fire of several flames over a round of radius `wide`."""
    pieces: Pieces = []
    for k in range(9):
        a = k * 2.4 + float(rng.uniform(-0.4, 0.4))
        r = wide * np.sqrt(k / 9)
        h = height * float(rng.uniform(0.75, 1.05)) * (1.0 - 0.55 * r / wide)
        tall = flame(h, float(rng.uniform(-0.25, 0.25)))
        widened = np.diag([1.25, 1.25, 1.0])
        pieces += moved(tall, (r * np.cos(a), r * np.sin(a), 0), widened)
    return pieces


def logs(rng: Generator, wide: float) -> Pieces:
    """Crossed logs, some stones around."""
    bark, stone = Paint((0.3, 0.2, 0.12), specular=0.0), Paint((0.45, 0.44, 0.43), specular=0.0)
    pieces: Pieces = []
    r = 0.17 * wide
    for k in range(4):
        a = k * np.pi / 4 + float(rng.uniform(-0.15, 0.15))
        d = np.array([np.cos(a), np.sin(a), 0.0]) * wide
        up = np.array([0, 0, r + (k % 2) * 1.6 * r])
        pieces.append((limb(up - d, up + d, r, r * 0.9, n=8), bark))
    for k in range(9):
        a = k * 2 * np.pi / 9
        at = np.array([np.cos(a), np.sin(a), 0.0]) * wide * 1.25
        size = np.array([0.22, 0.2, 0.17]) * wide * float(rng.uniform(0.8, 1.15))
        pieces.append((ellipsoid((at[0], at[1], size[2] * 0.6), size, n=8), stone))
    return pieces


def candle(height: float, radius: float, rgb: RGB, *, lit: bool = True) -> Pieces:
    """A candle on a saucer; its flame's foot is at `height * 1.08`."""
    soot = matt((0.1, 0.08, 0.07))
    wax, plate = Paint(rgb, specular=0.1), Paint((0.72, 0.6, 0.3), specular=0.5)
    pieces: Pieces = [
        (upright([0, 0.012 * height], [radius * 2.1, radius * 2.4]), plate),
        (upright([0.012 * height, height * 0.98, height], [radius, radius, radius * 0.8]), wax),
        (limb((0, 0, height), (0, 0, height * 1.08), radius * 0.1, radius * 0.1, n=6), soot),
    ]  # fmt: skip
    if lit:
        pieces += moved(flame(height * 0.42), (0, 0, height * 1.05))
    return pieces


def bulb(radius: float, *, lit: bool) -> Pieces:
    """A light bulb standing on its screw thread."""
    r = radius
    glass = (
        glowing((0.95, 0.8, 0.45), 0.75)
        if lit
        else Paint((0.86, 0.88, 0.86), specular=0.9, shininess=0.9)
    )
    metal = Paint((0.6, 0.6, 0.58), specular=0.8)
    heights = [1.0, 1.25, 1.6, 2.1, 2.6, 2.9, 3.0]
    radii = [0.42, 0.5, 0.82, 1.0, 0.8, 0.38, 0.02]
    pieces: Pieces = [(upright([z * r for z in heights], [w * r for w in radii]), glass)]
    for k in range(4):
        z = (0.22 + 0.2 * k) * r
        pieces.append(
            (upright([z - 0.1 * r, z, z + 0.1 * r], [0.36 * r, 0.42 * r, 0.36 * r]), metal)
        )
    pieces.append((upright([0, 0.15 * r], [0.12 * r, 0.3 * r]), matt((0.1, 0.1, 0.1))))
    return pieces


def hob(side: float, *, hot: bool) -> Pieces:
    """An electric hot plate: a flat case with a disc on top, whose upper face is at 0.22 * side."""
    case = Paint((0.8, 0.8, 0.8), specular=0.4)
    disc = glowing(HOT, 0.5) if hot else IRON
    s = side
    pieces: Pieces = [
        (box((0, 0, 0.1 * s), (s, s, 0.14 * s)), case),
        (upright([0.16 * s, 0.2 * s, 0.22 * s], [0.43 * s, 0.43 * s, 0.41 * s], n=28), disc),
        (
            limb(
                (0.28 * s, -0.52 * s, 0.1 * s), (0.28 * s, -0.46 * s, 0.1 * s), 0.05 * s, 0.05 * s
            ),
            IRON,
        ),
    ]
    for x in (-1, 1):
        for y in (-1, 1):
            pieces.append(
                (box((x * 0.4 * s, y * 0.4 * s, 0.02 * s), (0.1 * s, 0.1 * s, 0.05 * s)), IRON)
            )
    return pieces


def cubes(rng: Generator, side: float, count: int) -> Pieces:
    """Ice cubes in a heap."""
    pieces: Pieces = []
    spots = [(-0.62, 0.1, 0.5), (0.55, -0.15, 0.5), (0.0, 0.72, 0.5), (0.0, 0.1, 1.5)]
    for x, y, z in spots[:count]:
        turn = rot("z", float(rng.uniform(-25, 25)))
        pieces.append(
            (box((0, 0, 0), (side, side, side)).transformed(turn, np.array([x, y, z]) * side), ICE)
        )
    return pieces


def puddle(rng: Generator, radius: float, paint: Paint = WET, *, lumps: int = 0) -> Pieces:
    """A flat pool of irregular outline, perhaps with rounded remains in it."""
    a = np.arange(40) * 2 * np.pi / 40
    waves = sum(
        float(rng.uniform(0.04, 0.11)) * np.sin(k * a + float(rng.uniform(0, 6.3)))
        for k in (2, 3, 4, 5)
    )
    shape = (1 + waves) * radius
    rings = [
        np.column_stack([np.cos(a) * shape * f, np.sin(a) * shape * f, np.full(40, z * radius)])
        for f, z in ((0.97, 0.0), (1.0, 0.02), (0.93, 0.045), (0.5, 0.055), (0.02, 0.06))
    ]
    pieces: Pieces = []
    for _ in range(lumps):
        spot = rng.uniform(-0.4, 0.4, 2) * radius
        size = np.array([0.24, 0.2, 0.1]) * radius * float(rng.uniform(0.8, 1.2))
        at = (float(spot[0]), float(spot[1]), 0.05 * radius)
        pieces.append((ellipsoid(at, size, n=10), ICE if paint is WET else paint))
    return [*pieces, (loft(np.array(rings)), paint)]


def snowman(height: float, *, melted: float = 0.0) -> Pieces:
    """Three balls, coal, carrot, hat; `melted` 0..1 sinks and spreads it into a pool."""
    h = height
    coal, carrot = matt((0.06, 0.06, 0.07)), matt((0.95, 0.45, 0.1))
    flat = np.diag([1 + 0.35 * melted, 1 + 0.35 * melted, 1 - 0.6 * melted])
    pieces: Pieces = [
        (ellipsoid((0, 0, 0.23 * h), (0.26 * h, 0.26 * h, 0.24 * h)), SNOW),
        (ellipsoid((0, 0, 0.57 * h), (0.19 * h, 0.19 * h, 0.18 * h)), SNOW),
        (ellipsoid((0, 0, 0.83 * h), (0.135 * h, 0.135 * h, 0.13 * h)), SNOW),
        (limb((0, -0.12 * h, 0.83 * h), (0, -0.27 * h, 0.81 * h), 0.028 * h, 0.004 * h), carrot),
        (upright([0.92 * h, 0.94 * h], [0.15 * h, 0.15 * h]), coal),
        (upright([0.94 * h, 1.08 * h], [0.095 * h, 0.1 * h]), coal),
    ]
    for x in (-0.05, 0.05):
        pieces.append((ellipsoid((x * h, -0.115 * h, 0.88 * h), (0.018 * h,) * 3, n=8), coal))
    for z in (0.5, 0.58, 0.66):
        pieces.append((ellipsoid((0, -0.18 * h, z * h), (0.02 * h,) * 3, n=8), coal))
    lean = np.array([[1, 0, 0.22 * melted], [0, 1, -0.1 * melted], [0, 0, 1.0]])
    done = moved(pieces, (0, 0, 0), lean @ flat)
    if melted > 0.3:
        pool = Paint((0.66, 0.76, 0.84), specular=0.8, shininess=0.8, alpha=0.8)
        done += puddle(np.random.default_rng(5), 0.5 * h, pool)
    return done


def table_lamp(height: float, rgb: RGB) -> Pieces:
    """A foot with a socket on a stem and a cord that runs away behind; the bulb's foot is at `height`."""
    h = height
    body, cord = Paint(rgb, specular=0.3), matt((0.08, 0.08, 0.09))
    path = np.array([[0, 0.2, 0.02], [0.25, 0.5, 0.012], [0.9, 0.7, 0.012], [1.7, 1.3, 0.012]]) * h
    return [
        (upright([0, 0.06 * h, 0.1 * h], [0.42 * h, 0.42 * h, 0.12 * h]), body),
        (upright([0.1 * h, 0.85 * h], [0.06 * h, 0.06 * h]), body),
        (upright([0.85 * h, 0.9 * h, 1.1 * h], [0.1 * h, 0.17 * h, 0.17 * h]), IRON),
        (tube(path, [0.022 * h] * 4, n=6), cord),
    ]


def glow(at: ArrayLike, radius: float, rgb: RGB, strength: float) -> Effect:
    """Light in the air around a point: `radius` in scene units, `strength` 0..1 at its middle."""
    point = np.asarray(at, float)

    def shine(canvas: Canvas) -> None:
        middle, span = _round_of(canvas, point, radius)
        y, x = np.mgrid[: canvas.pixels.shape[0], : canvas.pixels.shape[1]] + 0.5
        far = np.sqrt((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / span
        share = strength * np.exp(-2.5 * far**1.3)[..., None]
        light = np.asarray(rgb) * 255.0
        mixed = canvas.pixels + share * (light * 0.55 + canvas.pixels * 0.45)
        canvas.pixels = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)

    return shine


def steam(
    rng: Generator, at: ArrayLike, height: float, width: float, density: float = 0.75
) -> Effect:
    """White vapour rising from a point."""
    point = np.asarray(at, float)
    puffs: list[tuple[float, float, float]] = []
    for k in range(16):
        z = (k + float(rng.uniform(0, 1))) / 16
        sway = (
            np.sin(z * 7 + float(rng.uniform(0, 1.5))) * (0.18 + 0.5 * z)
            + float(rng.normal()) * 0.12
        )
        puffs.append((z, float(sway), 0.28 + 0.42 * z))

    def drift(canvas: Canvas) -> None:
        up = canvas.world.camera.up
        _puff(
            canvas,
            [
                (point + up * z * height, s * width, r * width, density * (1 - 0.75 * z))
                for z, s, r in puffs
            ],
        )

    return drift


def _round_of(canvas: Canvas, point: F64, radius: float) -> tuple[F64, float]:
    ends = canvas.project(np.stack([point, point + canvas.world.camera.right * radius]))
    return ends[0], max(float(np.linalg.norm(ends[1] - ends[0])), 1.0)


def _puff(canvas: Canvas, puffs: list[tuple[F64, float, float, float]]) -> None:
    y, x = np.mgrid[: canvas.pixels.shape[0], : canvas.pixels.shape[1]] + 0.5
    cover = np.zeros(canvas.pixels.shape[:2])
    for point, aside, radius, density in puffs:
        middle, span = _round_of(canvas, point, radius)
        shift = aside / max(radius, 1e-9) * span
        far = ((x - middle[0] - shift) ** 2 + (y - middle[1]) ** 2) / span**2
        cover = 1 - (1 - cover) * (1 - 0.5 * density * np.exp(-2.2 * far))
    mixed = canvas.pixels * (1 - cover[..., None]) + cover[..., None] * 238.0
    canvas.pixels = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)
