"""Plain signs: star, heart, house, arrow, leaf ... filled or as a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from .pen import Point, Rgb, Sheet


def turned(
    points: Sequence[Point], x: float, y: float, r: float, angle: float = 0.0
) -> list[Point]:
    """Points about (0, 0) placed at (x, y), r times larger, turned by radians."""
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return [(x + r * (c * u - s * v), y + r * (s * u + c * v)) for u, v in points]


def _star(n: int, inner: float) -> list[Point]:
    a = np.arange(2 * n) * np.pi / n - np.pi / 2
    r = np.where(np.arange(2 * n) % 2, inner, 1.0)
    return [(float(p * np.cos(q)), float(p * np.sin(q))) for p, q in zip(r, a, strict=True)]


def _curve(x: str) -> list[Point]:
    t = np.linspace(0, 2 * np.pi, 60)
    if x == "heart":
        u = np.sin(t) ** 3
        v = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)) / 16
    elif x == "drop":
        u, v = (
            0.62 * np.sin(t) * np.sin(t / 2),
            0.95 * -np.cos(t / 2 * 2) * np.abs(np.sin(t / 4 + 0.8)),
        )
        u, v = 0.65 * np.cos(t) * (1 + np.sin(t)) / 1.3, np.sin(t)
    else:
        u, v = 0.45 * np.sin(t) * np.cos(t / 2) ** 2 * 2, -np.cos(t)
    return [(float(p), float(q)) for p, q in zip(u, v, strict=True)]


_OUTLINES: Final[dict[str, list[Point]]] = {
    "star": _star(5, 0.4),
    "sun": _star(12, 0.68),
    "gear": _star(9, 0.78),
    "heart": _curve("heart"),
    "drop": _curve("drop"),
    "leaf": _curve("leaf"),
    "house": [(-1, 0), (0, -0.95), (1, 0), (0.72, 0), (0.72, 0.9), (-0.72, 0.9), (-0.72, 0)],
    "arrow": [(-1, -0.3), (0.15, -0.3), (0.15, -0.75), (1, 0), (0.15, 0.75), (0.15, 0.3), (-1, 0.3)],
    "bolt": [(0.2, -1), (-0.6, 0.15), (-0.05, 0.15), (-0.25, 1), (0.6, -0.25), (0.05, -0.25)],
    "cross": [
        (-0.3, -0.9), (0.3, -0.9), (0.3, -0.3), (0.9, -0.3), (0.9, 0.3), (0.3, 0.3),
        (0.3, 0.9), (-0.3, 0.9), (-0.3, 0.3), (-0.9, 0.3), (-0.9, -0.3), (-0.3, -0.3),
    ],
    "shield": [
        (-0.9, -1), (0.9, -1), (0.9, 0), (0.78, 0.42), (0.48, 0.78), (0, 1.05),
        (-0.48, 0.78), (-0.78, 0.42), (-0.9, 0),
    ],
    "tick": [(-0.95, 0.1), (-0.6, -0.25), (-0.2, 0.2), (0.65, -0.75), (0.98, -0.45), (-0.2, 0.85)],
    "bubble": [(-1, -0.8), (1, -0.8), (1, 0.4), (0, 0.4), (-0.5, 0.95), (-0.5, 0.4), (-1, 0.4)],
    "envelope": [(-1, -0.65), (0, 0.15), (1, -0.65), (1, 0.7), (-1, 0.7)],
    "flagpole": [(-0.7, 1), (-0.7, -1), (0.9, -0.7), (-0.5, -0.1), (-0.5, 1)],
}  # fmt: skip

SHAPES: Final = (*_OUTLINES, "disc", "ring", "moon", "lens", "bars")
"""Names of the signs."""


def draw_sign(
    sheet: Sheet, name: str, x: float, y: float, r: float, colour: Rgb, line: bool
) -> None:
    """A sign about (x, y), of half height r; a filled shape or its outline."""
    x, y = float(x), float(y)
    wide = max(0.4, r * 0.12)
    if name in _OUTLINES:
        points = turned(_OUTLINES[name], x, y, r)
        if line:
            sheet.line([*points, points[0]], colour, wide)
        else:
            sheet.poly(points, colour)
    elif name == "lens":
        sheet.oval(x - r * 0.2, y - r * 0.2, r * 0.65, None, None, colour, wide * 1.6)
        sheet.line([(x + r * 0.25, y + r * 0.25), (x + r * 0.9, y + r * 0.9)], colour, wide * 2)
    elif name == "bars":
        for k in (-1, 0, 1):
            sheet.rect(
                x - r, y + k * r * 0.6 - wide, x + r, y + k * r * 0.6 + wide, colour, None, 0, wide
            )
    elif name == "ring" or line:
        sheet.oval(x, y, r * 0.9, None, None, colour, wide * 1.8)
    elif name == "moon":
        t = np.linspace(0.6, 2 * np.pi - 0.6, 30)
        outer = [(float(np.cos(a)), float(np.sin(a))) for a in t]
        inner = [(float(0.45 + 0.68 * np.cos(a)), float(0.68 * np.sin(a))) for a in t[::-1]]
        sheet.poly(turned([*outer, *inner], x, y, r, np.pi), colour)
    else:
        sheet.oval(x, y, r * 0.9, None, colour)
