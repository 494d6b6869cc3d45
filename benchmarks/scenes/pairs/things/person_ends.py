"""A person's hands, feet and head, each built in the frame that the body gives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft, unit
from benchmarks.scenes.geometry.solids import tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece

from .quick import ball, rod

_LENGTHS: Final = (0.88, 1.0, 0.94, 0.74)
"""Of the four fingers, from the index finger on."""

HAIR: Final = ("short", "long", "bun", "bald", "bob", "cap", "beanie", "sunhat")
HATS: Final = ("cap", "beanie", "sunhat")


@dataclass(frozen=True, slots=True)
class Face:
    """What a face is made of."""

    skin: Paint
    hair: Paint
    hat: Paint
    iris: Paint
    lips: Paint
    style: str
    """Of `HAIR`."""
    jaw: float
    nose: float
    """Sizes, about 1."""


WHITE: Final = Paint((0.95, 0.95, 0.93), specular=0.3)
PUPIL: Final = Paint((0.02, 0.02, 0.02), specular=0.5)


def hand(
    key: str,
    wrist: F64,
    axes: F64,
    size: float,
    curl: float,
    skin: Paint,
    fingers: int = 5,
    fused: bool = False,
    long: float = 1.0,
) -> tuple[Part, list[F64]]:
    """A hand (palm and fingers, thumb first) at a wrist, and the tips of its fingers.

    `axes` as in `Joints.hands`; `size` is the length of the palm; `fingers` counts the thumb.
    """
    along, thumb, palm = axes.T
    end = wrist + along * size
    half, thick = size * 0.42, size * 0.17
    rows = []
    for t, w in ((0.0, 0.66), (0.3, 0.9), (0.8, 1.05), (1.02, 0.98)):
        c = wrist + along * size * t
        ring = [
            c + thumb * half * w * x + palm * thick * y
            for x, y in (
                (-1, -0.5),
                (-0.7, -1),
                (0.7, -1),
                (1, -0.5),
                (1, 0.5),
                (0.7, 1),
                (-0.7, 1),
                (-1, 0.5),
            )
        ]
        rows.append(ring)
    pieces = [Piece.make(loft(np.array(rows)), skin)]
    tips = []
    if fingers > 0:
        way = unit(along * 0.62 + thumb * 0.78 + palm * 0.12)
        base = wrist + along * size * 0.22 + thumb * half * 0.72
        mid = base + way * size * 0.42
        last = mid + unit(way + along * 0.55 + palm * np.sin(np.deg2rad(curl)) * 0.8) * size * 0.36
        radii = np.array([0.125, 0.115, 0.09]) * size
        pieces.append(
            Piece.make(tube([base, mid, last], radii, n=7, up=palm, round_ends=True), skin)
        )
        tips.append(last)
    count = max(fingers - 1, 0)
    for i in range(count):
        place = 0.0 if count == 1 else 1 - 2 * i / (count - 1)
        slot = 3 * i / max(count - 1, 1)
        share = float(np.interp(slot, range(4), _LENGTHS)) * long
        tips.append(
            _finger(
                pieces, end, axes, size, (place, share, curl, 0.0 if fused else 7.0), skin, count
            )
        )
    if fused and count:
        rows = []
        for t, w in ((0.0, 0.98), (0.5, 0.94), (0.85, 0.72), (0.95, 0.4)):
            bent = palm * np.sin(np.deg2rad(curl)) * t * 0.4
            c = end + (along * t + bent) * size * 0.86
            rows.append(
                [
                    c + thumb * half * w * x + palm * thick * 0.85 * y
                    for x, y in ((-1, 0), (-0.7, -1), (0.7, -1), (1, 0), (0.7, 1), (-0.7, 1))
                ]
            )
        pieces.append(Piece.make(loft(np.array(rows)), skin))
    at = (float(wrist[0]), float(wrist[1]), float(wrist[2]))
    return Part(key, None, tuple(pieces), pivot=at), tips


def _finger(
    pieces: list[Piece],
    end: F64,
    axes: F64,
    size: float,
    shape: tuple[float, float, float, float],
    skin: Paint,
    count: int,
) -> F64:
    """Adds a finger; `shape`: place across the palm (-1..1), length, curl and spread (degrees)."""
    along, thumb, palm = axes.T
    place, share, curl, spread = shape
    a = np.deg2rad(spread * place * 1.5)
    way = along * np.cos(a) + thumb * np.sin(a)
    radius = size * min(0.105, 0.40 / max(count, 1))
    p = end + thumb * size * 0.33 * place - along * size * 0.06
    path, bent = [p], np.deg2rad(curl) * 0.35
    for k in range(3):
        p = p + (way * np.cos(bent) + palm * np.sin(bent)) * size * share * (0.44, 0.3, 0.2)[k]
        path.append(p)
        bent += np.deg2rad(curl)
    if spread or count == 0:
        radii = np.array([1.0, 0.98, 0.92, 0.78]) * radius
        pieces += [
            Piece.make(rod(path[k], path[k + 1], float(radii[k]), float(radii[k + 1]), n=6), skin)
            for k in range(3)
        ]
    tip: F64 = path[-1]
    return tip


def foot(key: str, ankle: F64, axes: F64, size: float, shoe: Paint, sole: Paint) -> Part:
    """A shoe; `axes` as in `Joints.feet`; `size` is its length, the sole is 0.28 of it below."""
    ahead, left, up = axes.T
    pieces = []
    for paint, low, high in ((shoe, -0.255, None), (sole, -0.28, -0.235)):
        rows = []
        for x, w, top in (
            (-0.30, 0.10, 0.02),
            (-0.24, 0.145, 0.10),
            (-0.02, 0.16, 0.10),
            (0.22, 0.185, -0.06),
            (0.48, 0.19, -0.13),
            (0.64, 0.14, -0.16),
            (0.70, 0.05, -0.20),
        ):
            z1 = top if high is None else high
            c = ankle + ahead * x * size
            rows.append(
                [
                    c + (left * w * sx + up * z) * size
                    for sx, z in (
                        (-1, low),
                        (1, low),
                        (1, (low + z1) / 2),
                        (0.62, z1),
                        (-0.62, z1),
                        (-1, (low + z1) / 2),
                    )
                ]
            )
        pieces.append(Piece.make(loft(np.array(rows)), paint))
    at = (float(ankle[0]), float(ankle[1]), float(ankle[2]))
    return Part(key, None, tuple(pieces), pivot=at)


def eye(key: str, at: F64, axes: F64, radius: float, gaze: F64, iris: Paint) -> Part:
    """An eye whose iris lies towards `gaze` (a unit vector, cut to what a face allows)."""
    seen = axes.T @ gaze
    seen = np.array([max(seen[0], 0.72), seen[1], seen[2]])
    way = axes @ unit(seen * [1, 1.0, 0.9])
    white = ball(at, np.array([0.8, 1.15, 0.86]) * radius, axes, n=10)
    disc = ball(at + way * radius * 0.52, np.array([0.42, 0.56, 0.56]) * radius, axes, n=10)
    dot = ball(at + way * radius * 0.72, np.array([0.3, 0.28, 0.28]) * radius, axes, n=8)
    pieces = (Piece.make(white, WHITE), Piece.make(disc, iris), Piece.make(dot, PUPIL))
    return Part(key, None, pieces, owner="head", pivot=(float(at[0]), float(at[1]), float(at[2])))


def skull(centre: F64, axes: F64, r: float, face: Face) -> list[Part]:
    """Head with ears, nose, mouth, brows and hair; `r` is half its height."""

    def at(x: float, y: float, z: float) -> F64:
        point: F64 = centre + axes @ np.array([x, y, z]) * r
        return point

    def blob(spot: tuple[float, float, float], radii: tuple[float, float, float], n: int) -> Mesh:
        return ball(at(*spot), np.array(radii) * r, axes, n=n)

    skin = [
        blob((-0.04, 0, 0.2), (0.78, 0.69, 0.8), 16),
        blob((0.1, 0, -0.32), (0.62, 0.54 * face.jaw, 0.66), 14),
        *(blob((-0.02, k * 0.7, 0.0), (0.15, 0.08, 0.2), 8) for k in (1, -1)),
    ]
    low = at(0, 0, -0.9)
    parts = [
        Part(
            "head",
            None,
            tuple(Piece.make(m, face.skin) for m in skin),
            pivot=(float(low[0]), float(low[1]), float(low[2])),
        )
    ]
    nose = rod(at(0.68, 0, 0.14), at(0.84, 0, -0.16), 0.055 * r, 0.115 * r * face.nose, n=8)
    parts.append(Part("nose", None, (Piece.make(nose, face.skin),), owner="head"))
    ys = np.array([-0.24, -0.12, 0.0, 0.12, 0.24])
    path = [at(0.69 - 0.9 * y * y, y, -0.52 + 0.25 * y * y) for y in ys]
    width = np.array([0.02, 0.05, 0.055, 0.05, 0.02]) * r
    lips = tube(path, width, n=7, up=axes[:, 2], round_ends=True)
    parts.append(Part("mouth", None, (Piece.make(lips, face.lips),), owner="head"))
    brows = [
        rod(at(0.70, k * 0.13, 0.36), at(0.60, k * 0.40, 0.37), 0.035 * r, 0.025 * r, n=6)
        for k in (1, -1)
    ]
    parts.append(Part("brows", None, tuple(Piece.make(m, face.hair) for m in brows), owner="head"))
    return [*parts, *_hair(blob, face)]


_Blob = Callable[[tuple[float, float, float], tuple[float, float, float], int], Mesh]


def _hair(blob: _Blob, face: Face) -> list[Part]:
    """Hair or a hat."""
    if face.style == "bald":
        return []
    hair = [blob((-0.17, 0, 0.34), (0.78, 0.76, 0.74), 14)]
    if face.style in ("long", "bob"):
        drop = -0.75 if face.style == "long" else -0.3
        hair.append(blob((-0.5, 0, drop * 0.6), (0.36, 0.66, 0.62 - drop * 0.6), 12))
        for k in (1, -1):
            hair.append(blob((-0.12, k * 0.62, drop * 0.45), (0.34, 0.17, 0.42 - drop * 0.4), 8))
    elif face.style == "bun":
        hair.append(blob((-0.72, 0, 0.8), (0.34, 0.34, 0.32), 10))
    parts = [Part("hair", None, tuple(Piece.make(m, face.hair) for m in hair), owner="head")]
    if face.style not in HATS:
        return parts
    hat = [blob((-0.1, 0, 0.52), (0.86, 0.8, 0.66), 14)]
    hat.append(
        {
            "cap": lambda: blob((0.7, 0, 0.5), (0.6, 0.55, 0.07), 12),
            "sunhat": lambda: blob((-0.08, 0, 0.5), (1.45, 1.4, 0.09), 14),
            "beanie": lambda: blob((-0.14, 0, 1.2), (0.2, 0.2, 0.2), 8),
        }[face.style]()
    )
    return [*parts, Part("hat", None, tuple(Piece.make(m, face.hat) for m in hat), owner="head")]
