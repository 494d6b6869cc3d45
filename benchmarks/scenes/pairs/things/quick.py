"""Balls, rods and turns that are quick: a scene needs hundreds of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64, I32, Mesh, cross, unit
from benchmarks.scenes.geometry.solids import ellipsoid
from benchmarks.scenes.geometry.subject import Part


@lru_cache(maxsize=16)
def _sphere(n: int) -> Mesh:
    return ellipsoid((0, 0, 0), (1, 1, 1), n=n)


def ball(centre: ArrayLike, radii: ArrayLike, turn: ArrayLike | None = None, n: int = 12) -> Mesh:
    """An ellipsoid as `solids.ellipsoid` makes it."""
    unit_ball, r = _sphere(n), np.asarray(radii, float)
    verts, normals = unit_ball.verts * r, unit(unit_ball.verts / r)
    if turn is not None:
        t = np.asarray(turn, float).T
        verts, normals = verts @ t, normals @ t
    return Mesh(verts + np.asarray(centre, float), normals, unit_ball.faces, 0, unit_ball.ring_rows)


@lru_cache(maxsize=16)
def _capsule(n: int) -> tuple[F64, F64, F64, I32]:
    """Of each vertex: along (0, 1: the ends; beyond by its rounding), round [n, 2]; and faces."""
    angles = np.array([0.0, 0.42, 0.78]) * np.pi / 2
    low = [(0.0, -np.cos(a), np.sin(a)) for a in angles]
    rows = [*low, (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), *((1.0, -c, s) for _, c, s in low[::-1])]
    t = np.arange(n) * 2 * np.pi / n
    table = np.repeat(np.array(rows), n, 0)
    circle = np.tile(np.stack([np.cos(t), np.sin(t)], 1), (len(rows), 1))
    i = np.arange(len(rows) - 1)[:, None] * n
    k = np.arange(n)[None]
    m = (k + 1) % n
    a, b, c, d = i + k, i + m, i + n + m, i + n + k
    faces = np.stack([a, b, c, a, c, d], -1).reshape(-1, 3).astype(np.int32)
    return table[:, 0], table[:, 1:], circle, faces


def rod(p0: ArrayLike, p1: ArrayLike, r0: float, r1: float, n: int = 9) -> Mesh:
    """A tapered capsule between two points, as `solids.limb`."""
    a, b = np.asarray(p0, float), np.asarray(p1, float)
    along, cap, circle, faces = _capsule(n)
    d = b - a
    way = d / (float(np.sqrt(d @ d)) + 1e-12)
    side = unit(cross(np.eye(3)[int(np.abs(way).argmin())], way))
    lift = cross(way, side)
    radius = np.where(along < 0.5, r0, r1)
    round_ = circle[:, :1] * side + circle[:, 1:] * lift
    normals = round_ * cap[:, 1:] + way * cap[:, :1]
    return Mesh(a + along[:, None] * d + normals * radius[:, None], normals, faces, 0, 8)


def put(parts: Iterable[Part], turn: F64, size: float, shift: F64) -> list[Part]:
    """Parts under ``v -> size * turn @ v + shift`` for a rotation `turn`."""
    linear = turn.T * size
    out = []
    for part in parts:
        pieces = []
        for piece in part.pieces:
            m = piece.mesh
            mesh = Mesh(m.verts @ linear + shift, m.normals @ turn.T, m.faces, m.ring, m.ring_rows)
            pieces.append(replace(piece, mesh=mesh))
        x, y, z = np.asarray(part.pivot) @ linear + shift
        out.append(replace(part, pieces=tuple(pieces), pivot=(float(x), float(y), float(z))))
    return out
