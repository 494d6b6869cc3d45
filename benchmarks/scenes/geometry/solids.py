"""Solids made by lofting: ellipsoids, tubes, limbs, prisms, boxes, wheels, bodies of revolution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from .mesh import F64, Mesh, cross, loft, slope, unit


@lru_cache(maxsize=64)
def _circle(n: int) -> F64:
    t = np.arange(n) * (2 * np.pi / n) + np.pi / n
    return np.stack([np.cos(t), np.sin(t)], 1)


def ellipsoid(
    centre: ArrayLike, radii: ArrayLike, turn: ArrayLike | None = None, n: int = 14
) -> Mesh:
    """An ellipsoid with its semi-axes `radii` along x, y, z, turned by the 3×3 matrix `turn`."""
    ring = _circle(n)
    t = np.linspace(0, np.pi, n // 2 + 2)
    unit = np.stack(
        [
            np.outer(-np.cos(t), np.ones(n)),
            np.outer(np.sin(t), ring[:, 0]),
            np.outer(np.sin(t), ring[:, 1]),
        ],
        -1,
    )
    pts = unit * np.asarray(radii, float)
    if turn is not None:
        pts = pts @ np.asarray(turn, float).T
    return loft(pts + np.asarray(centre, float), caps=False, convex=True)


def tube(
    path: ArrayLike,
    radii: ArrayLike,
    *,
    n: int = 10,
    up: ArrayLike = (0.0, 0.0, 1.0),
    round_ends: bool = False,
) -> Mesh:
    """A tube along `path` [m, 3] with radii [m] or [m, 2] (sideways, along `up`)."""
    p = np.asarray(path, float)
    r = np.asarray(radii, float)
    r = np.repeat(r[:, None], 2, 1) if r.ndim == 1 else r
    if round_ends:
        p, r = _rounded(p, r)
    tangent = unit(slope(p))
    side = unit(cross(np.asarray(up, float), tangent))
    lift = cross(tangent, side)
    c = _circle(n)
    rings = (
        p[:, None]
        + c[None, :, :1] * (side * r[:, :1])[:, None]
        + c[None, :, 1:] * (lift * r[:, 1:])[:, None]
    )
    return loft(rings)


def _rounded(p: F64, r: F64) -> tuple[F64, F64]:
    """Half-spheres at both ends as three more rings each."""
    angles = np.array([0.12, 0.45, 0.8]) * np.pi / 2
    first = p[0] - p[1]
    first /= np.linalg.norm(first) + 1e-12
    last = p[-1] - p[-2]
    last /= np.linalg.norm(last) + 1e-12
    head = p[0] + np.outer(np.cos(angles) * r[0].mean(), first)
    tail = p[-1] + np.outer(np.cos(angles[::-1]) * r[-1].mean(), last)
    s = np.sin(angles)[:, None]
    return np.concatenate([head, p, tail]), np.concatenate([s * r[0], r, s[::-1] * r[-1]])


def limb(p0: ArrayLike, p1: ArrayLike, r0: float, r1: float, n: int = 10) -> Mesh:
    """A tapered capsule between two points."""
    d = np.asarray(p1, float) - np.asarray(p0, float)
    up = (1.0, 0.0, 0.0) if abs(d[2]) > 0.7 * np.linalg.norm(d) else (0.0, 0.0, 1.0)
    return replace(
        tube(
            np.stack([np.asarray(p0, float), np.asarray(p1, float)]),
            [r0, r1],
            n=n,
            up=up,
            round_ends=True,
        ),
        ring=0,
    )


def prism(bottom: Sequence[ArrayLike], top: Sequence[ArrayLike]) -> Mesh:
    """A flat-sided solid between two polygons of the same number of corners."""
    return loft(np.stack([np.asarray(bottom, float), np.asarray(top, float)]), flat=True)


def box(centre: ArrayLike, size: ArrayLike) -> Mesh:
    """A box with full edge lengths `size`."""
    c, s = np.asarray(centre, float), np.asarray(size, float) / 2
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float) * s[:2]
    low = np.column_stack([corners, np.full(4, -s[2])]) + c
    high = np.column_stack([corners, np.full(4, s[2])]) + c
    return loft(np.stack([low, high]), flat=True)


def disc(
    centre: ArrayLike, radius: float, width: float, *, bevel: float = 0.0, n: int = 20
) -> Mesh:
    """A wheel-like cylinder with its axis along y, edges bevelled by `bevel`."""
    w = width / 2
    ys, rs = (
        ([-w, w], [1.0, 1.0])
        if bevel <= 0
        else (
            [-w, -w * 0.6, w * 0.6, w],
            [1 - bevel, 1.0, 1.0, 1 - bevel],
        )
    )
    c = _circle(n) * radius
    rings = np.stack(
        [
            np.column_stack([c[:, 0] * r, np.full(n, y), c[:, 1] * r])
            for y, r in zip(ys, rs, strict=True)
        ]
    )
    return loft(rings + np.asarray(centre, float), convex=True)


def lathe(xs: ArrayLike, radii: ArrayLike, *, centre: ArrayLike = (0, 0, 0), n: int = 16) -> Mesh:
    """A solid of revolution about the x axis: radius `radii[i]` at `xs[i]`."""
    c = _circle(n)
    rings = np.stack(
        [
            np.column_stack([np.full(n, x), c * r])
            for x, r in zip(np.asarray(xs, float), np.asarray(radii, float), strict=True)
        ]
    )
    return loft(rings + np.asarray(centre, float))


def rot(axis: str, degrees: float) -> F64:
    """Rotation matrix about x, y or z."""
    a = np.deg2rad(degrees)
    c, s = np.cos(a), np.sin(a)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    m = np.eye(3)
    m[i, i], m[i, j], m[j, i], m[j, j] = c, -s, s, c
    return m
