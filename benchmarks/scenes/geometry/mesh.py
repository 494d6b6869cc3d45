"""Procedural meshes: lofts, tubes, ellipsoids, prisms. Every solid is closed and wound outwards.

Coordinates are subject coordinates: x forward, y to the subject's left, z up; the unit is about half
the subject's length. A mesh remembers how it splits into convex pieces (`ring`), so the silhouette of
a part can be found from its vertices alone (see `silhouette.py`).
"""

from __future__ import annotations

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


def slope(v: F64) -> F64:
    """Central differences along the first axis, one-sided at the ends."""
    out = np.empty_like(v)
    out[1:-1] = v[2:] - v[:-2]
    out[0], out[-1] = v[1] - v[0], v[-1] - v[-2]
    return out


def unit(v: F64) -> F64:
    """Vectors scaled to length 1 over the last axis."""
    scaled: F64 = v / (np.sqrt((v * v).sum(-1, keepdims=True)) + 1e-12)
    return scaled


def _cap_normal(ring: F64) -> F64:
    """Normal of a planar polygon by Newell's sum."""
    return unit(cross(ring, ring[_next(len(ring))]).sum(0))


def loft(rings: ArrayLike, *, caps: bool = True, flat: bool = False, convex: bool = False) -> Mesh:
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
        faces = [
            np.concatenate([base + np.array([0, 1, 2]), base + np.array([0, 2, 3])]).astype(
                np.int32
            )
        ]
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
    n = cross(r[:, _next(k)] - r[:, _previous(k)], slope(r))
    length = np.sqrt((n * n).sum(-1, keepdims=True))
    if length.min() > 1e-9:
        smooth: F64 = (n / length).reshape(-1, 3)
        return smooth
    # A ring collapsed to a point has no "around": its normal is the way out along the axis.
    out = slope(r.mean(1))
    out[0] *= -1.0
    poles = np.broadcast_to(unit(out)[:, None], r.shape)
    return np.where(length > 1e-9, n / (length + 1e-12), poles).reshape(-1, 3)
