"""What every outdoor base shares: sky, ground, sun, far backgrounds, and a camera that shows it all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import TEX, U8, grey, to_u8
from benchmarks.scenes.pairs.world import Thing
from benchmarks.scenes.render import Light
from benchmarks.scenes.surroundings.backdrop import ground as floor
from benchmarks.scenes.surroundings.outdoor import house, mountain, tree
from benchmarks.scenes.surroundings.textures import gradient

from .quick import put

_SKIES: Final = {
    "clear": ((0.2, 0.42, 0.8), (0.72, 0.84, 0.95)),
    "pale": ((0.42, 0.6, 0.86), (0.85, 0.9, 0.95)),
    "grey": ((0.56, 0.6, 0.66), (0.82, 0.84, 0.87)),
    "evening": ((0.3, 0.36, 0.6), (0.97, 0.72, 0.48)),
    "dusk": ((0.05, 0.07, 0.17), (0.36, 0.25, 0.32)),
}
_GROUNDS: Final[Mapping[str, tuple[tuple[float, float, float], float, float]]] = {
    "grass": ((0.26, 0.43, 0.17), 0.45, 0.6),
    "meadow": ((0.42, 0.5, 0.2), 0.5, 0.6),
    "asphalt": ((0.36, 0.36, 0.38), 0.22, 0.6),
    "paving": ((0.62, 0.6, 0.57), 0.16, 1.0),
    "gravel": ((0.58, 0.54, 0.48), 0.6, 0.6),
    "sand": ((0.82, 0.71, 0.5), 0.2, 1.0),
    "dunes": ((0.85, 0.64, 0.4), 0.22, 1.5),
    "snow": ((0.8, 0.82, 0.86), 0.1, 1.5),
    "mud": ((0.42, 0.33, 0.23), 0.4, 1.0),
    "court": ((0.62, 0.3, 0.22), 0.1, 1.0),
    "concrete": ((0.6, 0.6, 0.58), 0.14, 1.0),
}


def sky(rng: Generator, kinds: Sequence[str] = ("clear", "clear", "pale", "grey", "evening")) -> U8:
    """A sky of one of the kinds of `_SKIES`, mostly with clouds."""
    kind = str(rng.choice(list(kinds)))
    top, low = (np.array(c) * rng.uniform(0.88, 1.08) for c in _SKIES[kind])
    rgb = gradient(top, low)
    if rng.random() < 0.7:
        soft = field01(rng, float(rng.choice([1.5, 2.0, 2.6])))
        cover = np.clip((soft - rng.uniform(0.35, 0.65)) * rng.uniform(0.8, 2.2), 0, 0.9)[
            :, :, None
        ]
        cloud = np.array(grey(rng, 0.85, 1.0)) * (0.35 if kind == "dusk" else 1.0)
        rgb = rgb * (1 - cover) + cloud * cover
    return to_u8(rgb)


def ground_texture(rng: Generator, kind: str) -> U8:
    """A ground of one of the kinds of `_GROUNDS`."""
    base, rough, exponent = _GROUNDS[kind]
    rgb = np.array(base) * rng.uniform(0.82, 1.12) * (1 + rng.uniform(-0.05, 0.05, 3))
    tex = np.tile(rgb, (TEX, TEX, 1)) * (1 + rough * (field01(rng, exponent)[:, :, None] - 0.5))
    if kind in ("grass", "meadow") and rng.random() < 0.5:
        patch = np.clip((field01(rng, 2.0) - 0.5) * 1.6, 0, 0.6)[:, :, None]
        tex = tex * (1 - patch) + np.array([0.5, 0.45, 0.25]) * patch
    if kind == "paving":
        cell = int(rng.choice([32, 64]))
        n = np.arange(TEX) % cell < 2
        tex[n] *= 0.75
        tex[:, n] *= 0.75
    return to_u8(tex)


def sun(rng: Generator, camera_deg: float, kind: str = "day") -> tuple[Light, tuple[Light, ...]]:
    """The sun (or what is left of it) and a sky light; `kind`: day, low or dusk."""
    away = np.deg2rad(camera_deg + float(rng.uniform(25, 120)) * float(rng.choice([-1, 1])))
    low, high = {"day": (34, 66), "low": (20, 34), "dusk": (28, 55)}[kind]
    rise = np.deg2rad(float(rng.uniform(low, high)))
    way = -np.array([np.cos(rise) * np.cos(away), np.cos(rise) * np.sin(away), np.sin(rise)])
    strength, ambient = float(rng.uniform(0.55, 0.8)), float(rng.uniform(0.36, 0.52))
    if kind == "dusk":
        strength, ambient = float(rng.uniform(0.22, 0.34)), float(rng.uniform(0.34, 0.44))
    warm = np.array([1, 0.2, -1]) * float(rng.uniform(-0.04, 0.12 if kind == "day" else 0.2))
    warm = -np.abs(warm) * [1, 0.6, -1] if kind == "dusk" else warm
    d = np.clip(strength * (1 + warm), 0, 1)
    a = np.clip(ambient * (1 + np.array([-1, 0, 1]) * float(rng.uniform(-0.04, 0.1))), 0, 1)
    fill = np.array([-np.cos(away + 2.2), -np.sin(away + 2.2), -0.9])
    side = float(rng.uniform(0.1, 0.25)) * (0.5 if kind == "dusk" else 1.0)
    return (
        Light(way, (float(d[0]), float(d[1]), float(d[2])), (0.0, 0.0, 0.0), 0.3, True),
        (
            Light(
                fill / np.linalg.norm(fill),
                (side, side, side),
                (float(a[0]), float(a[1]), float(a[2])),
                0.0,
                False,
            ),
        ),
    )


def open_ground(rng: Generator, kind: str, z: float = 0.0) -> tuple[Part, U8]:
    """A floor to the horizon and its texture (named "ground")."""
    scale = float(rng.uniform(0.22, 0.5))
    return floor(z, scale, (float(rng.random()), float(rng.random()))), ground_texture(rng, kind)


def strip(
    key: str,
    low: tuple[float, float],
    high: tuple[float, float],
    z: float,
    paint: Paint,
    thick: float = 0.02,
) -> Part:
    """A flat rectangle on the ground; it casts no shadow."""
    (x0, y0), (x1, y1) = low, high
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    mesh = prism([(x, y, z - thick) for x, y in corners], [(x, y, z) for x, y in corners])
    return Part(f"backdrop.{key}", None, (Piece.make(mesh, paint),))


def distance(rng: Generator, kinds: Sequence[str], count: int, z: float = 0.0) -> list[Part]:
    """Trees, houses or mountains far behind, towards +y; they cast no shadow."""
    parts = []
    for i in range(count):
        kind = str(rng.choice(list(kinds)))
        near, far, size = {
            "tree": (13, 30, 2.4),
            "house": (16, 32, 3.0),
            "mountain": (42, 58, 2.2),
        }[kind]
        y = float(rng.uniform(near, far))
        x = float(rng.uniform(-1, 1)) * (5 + 0.75 * y)
        deg = float(rng.uniform(-25, 25) if kind == "house" else rng.uniform(0, 360))
        one = _far(kind, int(rng.integers(24)))
        scale = size * float(rng.uniform(0.7, 1.3))
        placed = put([one], rot("z", deg), scale, np.array([x, y, z]))[0]
        parts.append(replace(placed, key=f"backdrop.far.{i}"))
    return parts


@lru_cache(maxsize=96)
def _far(kind: str, number: int) -> Part:
    make = {"tree": tree, "house": house, "mountain": mountain}[kind]
    return Part("far", None, tuple(make(np.random.default_rng([number, 11]))))


def spots(
    rng: Generator,
    things: Sequence[Thing],
    low: Any,
    high: Any,
    z: float,
    count: int,
    gap: float = 0.9,
) -> list[tuple[float, float, float]]:
    """Free places on the ground between two corners (x, y), clear of all things."""
    boxes = [(one.low, one.high) for one in things]
    found: list[tuple[float, float, float]] = []
    for _ in range(40):
        x, y = (float(v) for v in rng.uniform(low, high))
        near = any(
            a[0] - gap / 2 < x < b[0] + gap / 2 and a[1] - gap / 2 < y < b[1] + gap / 2
            for a, b in boxes
        )
        if not near and all(np.hypot(x - p[0], y - p[1]) > gap for p in found):
            found.append((x, y, z))
        if len(found) == count:
            break
    return found


def clear(
    rng: Generator, taken: list[tuple[float, float, float]], low: Any, high: Any, radius: float
) -> tuple[float, float]:
    """A place [x, y] at which a circle runs into none taken before; it is taken then."""
    for _ in range(60):
        x, y = (float(v) for v in rng.uniform(low, high))
        if all(np.hypot(x - a, y - b) > radius + r for a, b, r in taken):
            break
    taken.append((x, y, radius))
    return x, y
