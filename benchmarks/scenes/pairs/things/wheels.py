"""Wheels and other pieces that vehicles are made of."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64, Mesh
from benchmarks.scenes.geometry.solids import disc, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece

from .quick import rod

TYRE: Final = Paint((0.06, 0.06, 0.065), specular=0.1)
METAL: Final = Paint((0.62, 0.63, 0.66), specular=0.7, shininess=0.6)


def hoop(centre: ArrayLike, radius: float, thick: float, n: int = 26) -> Mesh:
    """A ring in the xz plane."""
    a = np.linspace(0, 2 * np.pi, n + 1)
    path = np.asarray(centre, float) + radius * np.stack([np.cos(a), 0 * a, np.sin(a)], 1)
    return tube(path, np.full(n + 1, thick), n=7, up=(0.0, 1.0, 0.0))


def at_point(p: ArrayLike) -> tuple[float, float, float]:
    """A pivot."""
    x, y, z = np.asarray(p, float)
    return (float(x), float(y), float(z))


def spoked(
    key: str, hub: ArrayLike, radius: float, thick: float, spokes: int, rim: Paint, spoke: Paint
) -> Part:
    """A wheel of a bicycle or a cart with its axis along y."""
    c = np.asarray(hub, float)
    pieces = [Piece.make(hoop(c, radius - thick, thick), rim)]
    for i in range(spokes):
        a = np.pi * 2 * i / spokes
        end = c + np.array([np.cos(a), 0.0, np.sin(a)]) * (radius - thick)
        pieces.append(Piece.make(rod(c, end, thick * 0.32, thick * 0.32, n=5), spoke))
    pieces.append(Piece.make(disc(c, thick * 1.6, thick * 3.2, n=10), spoke))
    return Part(key, None, tuple(pieces), pivot=at_point(c))


def solid(
    key: str, hub: ArrayLike, radius: float, width: float, rim: Paint, tyre: Paint = TYRE
) -> Part:
    """A small wheel with a plain face."""
    c = np.asarray(hub, float)
    pieces = (
        Piece.make(disc(c, radius, width, bevel=0.12, n=18), tyre),
        Piece.make(disc(c, radius * 0.55, width * 1.06, n=12), rim),
    )
    return Part(key, None, pieces, pivot=at_point(c))


def rods(points: list[tuple[F64, F64]], r: float, paint: Paint, n: int = 8) -> list[Piece]:
    """Round bars between pairs of points."""
    return [Piece.make(rod(a, b, r, r, n=n), paint) for a, b in points]
