"""Procedural meshes: lofts, tubes, ellipsoids, prisms. Every solid is closed and wound outwards.

Coordinates are subject coordinates: x forward, y to the subject's left, z up; the unit is about half
the subject's length. A mesh remembers how it splits into convex pieces (`ring`), so the silhouette of
a part can be found from its vertices alone (see `silhouette.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles of one solid piece."""

    verts: F64
    """[n, 3] positions in subject coordinates."""
    normals: F64
    """[n, 3] unit normals, outwards."""
    faces: I32
    """[m, 3] vertex indices, counter-clockwise seen from outside."""
    ring: int
    """0: the piece is convex; k > 0: rings of k vertices come first, neighbours span convex pieces."""
    ring_rows: int
    """Number of such rings."""

    def transformed(self, linear: ArrayLike, shift: ArrayLike) -> Mesh:
        """The mesh under ``v -> linear @ v + shift``; mirrored maps keep the winding outward."""
        a = np.asarray(linear, float)
        verts = self.verts @ a.T + np.asarray(shift, float)
        normals = unit(self.normals @ np.linalg.inv(a))
        faces = self.faces if np.linalg.det(a) > 0 else self.faces[:, ::-1]
        return replace(self, verts=verts, normals=normals, faces=np.ascontiguousarray(faces))


@lru_cache(maxsize=256)
def _grid_faces(rows: int, k: int) -> I32:
    """Faces of a closed strip of `rows` rings of `k` vertices."""
    i = np.arange(rows - 1)[:, None] * k
    j = np.arange(k)[None]
    nxt = (j + 1) % k
    a, b, c, d = i + j, i + nxt, i + k + nxt, i + k + j
    quads = np.stack([a, b, c, a, c, d], -1).reshape(-1, 3)
    return quads.astype(np.int32)


@lru_cache(maxsize=256)
def _fan(k: int, start: int, flip: bool) -> I32:
    i = np.arange(1, k - 1)
    fan = np.stack([np.zeros_like(i), i, i + 1], 1) + start
    return (fan[:, ::-1] if flip else fan).astype(np.int32)


def cross(a: F64, b: F64) -> F64:
    """Cross product over the last axis (np.cross spends more time on axes than on products)."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    out[..., 0] = ay * bz - az * by
    out[..., 1] = az * bx - ax * bz
    out[..., 2] = ax * by - ay * bx
    return out


@lru_cache(maxsize=64)
def _next(k: int) -> I32:
    return ((np.arange(k) + 1) % k).astype(np.int32)


@lru_cache(maxsize=64)
def _previous(k: int) -> I32:
    return ((np.arange(k) - 1) % k).astype(np.int32)


def _slope(v: F64) -> F64:
    """Central differences along the first axis, one-sided at the ends."""
    out = np.empty_like(v)
    out[1:-1] = v[2:] - v[:-2]
    out[0], out[-1] = v[1] - v[0], v[-1] - v[-2]
    return out


def unit(v: F64) -> F64:
    """Vectors scaled to length 1 over the last axis."""
    return v / (np.sqrt((v * v).sum(-1, keepdims=True)) + 1e-12)


def _cap_normal(ring: F64) -> F64:
    """Normal of a planar polygon by Newell's sum."""
    return unit(cross(ring, ring[_next(len(ring))]).sum(0))


def loft(
    rings: ArrayLike, *, caps: bool = True, flat: bool = False, convex: bool = False
) -> Mesh:
    """A skin over rings [m, k, 3]; `flat` gives every quad its own normal, caps close both ends.

    `convex` says that the whole solid is convex, not only its slices between neighbouring rings.
    """
    r = np.asarray(rings, float)
    m, k, _ = r.shape
    # Wound so that (around × along) points outwards; otherwise turn the rings round.
    axis = r[-1].mean(0) - r[0].mean(0)
    widest = int((r.max(1) - r.min(1)).sum(1).argmax())
    if np.dot(_cap_normal(r[widest]), axis) < 0:
        r = r[:, ::-1]
    verts, faces = [r.reshape(-1, 3)], [_grid_faces(m, k)]
    normals = [_smooth_normals(r)]
    count = m * k
    if flat:
        turned = r[:, _next(k)]
        quads = np.stack([r[:-1], turned[:-1], turned[1:], r[1:]], 2).reshape(-1, 4, 3)
        n = unit(cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]))
        base = np.arange(len(quads))[:, None] * 4 + count
        verts.append(quads.reshape(-1, 3))
        normals.append(np.repeat(n, 4, 0))
        faces = [np.concatenate([base + [0, 1, 2], base + [0, 2, 3]]).astype(np.int32)]
        count += 4 * len(quads)
    if caps:
        for ring, flip in ((r[0], True), (r[-1], False)):
            n = _cap_normal(ring) * (-1.0 if flip else 1.0)
            verts.append(ring)
            normals.append(np.broadcast_to(n, ring.shape))
            faces.append(_fan(k, count, flip))
            count += k
    ring = 0 if convex or m == 2 else k
    return Mesh(np.concatenate(verts), np.concatenate(normals), np.concatenate(faces), ring, m)


def _smooth_normals(r: F64) -> F64:
    k = r.shape[1]
    n = cross(r[:, _next(k)] - r[:, _previous(k)], _slope(r))
    length = np.sqrt((n * n).sum(-1, keepdims=True))
    if length.min() > 1e-9:
        return (n / length).reshape(-1, 3)
    # A ring collapsed to a point has no "around": its normal is the way out along the axis.
    out = _slope(r.mean(1))
    out[0] *= -1.0
    poles = np.broadcast_to(unit(out)[:, None], r.shape)
    return np.where(length > 1e-9, n / (length + 1e-12), poles).reshape(-1, 3)


@lru_cache(maxsize=64)
def _circle(n: int) -> F64:
    t = np.arange(n) * (2 * np.pi / n) + np.pi / n
    return np.stack([np.cos(t), np.sin(t)], 1)


def ellipsoid(centre: ArrayLike, radii: ArrayLike, turn: ArrayLike | None = None, n: int = 14) -> Mesh:
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
    tangent = unit(_slope(p))
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
    return replace(tube([p0, p1], [r0, r1], n=n, up=up, round_ends=True), ring=0)


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


def disc(centre: ArrayLike, radius: float, width: float, *, bevel: float = 0.0, n: int = 20) -> Mesh:
    """A wheel-like cylinder with its axis along y, edges bevelled by `bevel`."""
    w = width / 2
    ys, rs = ([-w, w], [1.0, 1.0]) if bevel <= 0 else (
        [-w, -w * 0.6, w * 0.6, w],
        [1 - bevel, 1.0, 1.0, 1 - bevel],
    )
    c = _circle(n) * radius
    rings = np.stack(
        [np.column_stack([c[:, 0] * r, np.full(n, y), c[:, 1] * r]) for y, r in zip(ys, rs, strict=True)]
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
