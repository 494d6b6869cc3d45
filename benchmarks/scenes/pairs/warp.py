"""Deformed things: their meshes are refined, bent by a smooth field, and keep right normals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, I32, Mesh, unit
from benchmarks.scenes.geometry.subject import Part, Piece

from .world import Thing

Field = Callable[[F64], F64]
"""Where points [n, 3] go; smooth, and one to one nearly everywhere."""

_MOST = 7000
"""Vertices that a deformed thing may have: a picture's pool holds 78 400."""


def refined(piece: Piece, longest: float) -> Piece:
    """The same surface with no edge longer than `longest`, scene units."""
    verts, normals, uv, faces = piece.mesh.verts, piece.mesh.normals, piece.uv, piece.mesh.faces
    for _ in range(8):
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), 1)
        long = np.linalg.norm(verts[edges[:, 0]] - verts[edges[:, 1]], axis=1) > longest
        if not long.any():
            break
        split, back = np.unique(edges[long], axis=0, return_inverse=True)
        middle = np.full(len(edges), -1)
        middle[long] = back.ravel() + len(verts)
        verts = np.concatenate([verts, verts[split].mean(1)])
        normals = np.concatenate([normals, unit(normals[split].mean(1))])
        uv = np.concatenate([uv, uv[split].mean(1)])
        faces = _split(faces, middle.reshape(-1, 3))
    mesh = Mesh(verts, normals, faces.astype(np.int32), 0, 0)
    return Piece(mesh, piece.paint, uv)


def _split(faces: I32, middle: I32) -> I32:
    """Faces cut at the middles [m, 3] of their edges (01, 12, 20); -1: an edge stays whole."""
    out = [faces[(middle < 0).all(1)]]
    for k in range(3):
        # Turned so that the edge in question comes first.
        a, b, c = (faces[:, (k + i) % 3] for i in range(3))
        ab, bc, ca = (middle[:, (k + i) % 3] for i in range(3))
        one = (ab >= 0) & (bc < 0) & (ca < 0)
        two = (ab >= 0) & (bc >= 0) & (ca < 0)
        out += [np.stack(t, 1)[one] for t in ((a, ab, c), (ab, b, c))]
        out += [np.stack(t, 1)[two] for t in ((a, ab, c), (ab, b, bc), (ab, bc, c))]
    a, b, c = faces.T
    ab, bc, ca = middle.T
    all_of = (middle >= 0).all(1)
    thirds = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    out += [np.stack(t, 1)[all_of] for t in thirds]
    return np.concatenate(out).astype(np.int32)


def bent(mesh: Mesh, field: Field, step: float) -> Mesh:
    """The mesh under the field; its normals by the field's derivative over `step`."""
    v = mesh.verts
    moved = field(v)
    columns = [(field(v + np.eye(3)[k] * step) - moved) / step for k in range(3)]
    x, y, z = columns
    # The cofactors of the derivative turn normals rightly, and stay finite where it is flat.
    cofactor = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], -1)
    normals = unit(np.einsum("nij,nj->ni", cofactor, mesh.normals))
    return Mesh(moved, normals, mesh.faces, 0, 0)


def deformed(thing: Thing, field: Field, fine: int = 22) -> Thing:
    """The thing under a field; its edges are first cut to a `fine`-th of its size, or as fine as may be.

    Named points go along; what it is remade to is deformed alike.
    """
    size = float(thing.size.max())
    longest = size / fine
    while True:
        parts = [(part, [refined(piece, longest) for piece in part.pieces]) for part in thing.parts]
        count = sum(len(piece.mesh.verts) for _, pieces in parts for piece in pieces)
        if count <= _MOST or longest > size:
            break
        longest *= 1.35
    step = size * 1e-4

    def through(part: Part, pieces: list[Piece]) -> Part:
        pivot = field(np.asarray([part.pivot], float))[0]
        new = tuple(Piece(bent(p.mesh, field, step), p.paint, p.uv) for p in pieces)
        return replace(part, pieces=new, pivot=(float(pivot[0]), float(pivot[1]), float(pivot[2])))

    facts = {
        name: field(value[None])[0]
        if isinstance(value, np.ndarray) and value.shape == (3,)
        else value
        for name, value in thing.facts.items()
    }
    remake = thing.remake
    again = None if remake is None else (lambda **how: deformed(remake(**how), field, fine))
    return replace(thing, parts=tuple(through(p, q) for p, q in parts), facts=facts, remake=again)


def melted(low: F64, high: F64, rng: Generator, strength: float = 1.0) -> Field:
    """Sagging like warm wax: one side flows down, the foot spreads, drips hang from edges."""
    size, centre = high - low, (low + high) / 2
    angle = float(rng.uniform(0, 2 * np.pi))
    way = np.array([np.cos(angle), np.sin(angle)])
    half = float(size[:2].max()) / 2
    drips, phase = float(rng.uniform(2.5, 4.0)), rng.uniform(0, 2 * np.pi, 3)

    def field(p: F64) -> F64:
        flat = (p[:, :2] - centre[:2]) / half
        h = np.clip((p[:, 2] - low[2]) / size[2], 0, 1)
        along = flat @ way
        sag = 0.5 + 0.42 * np.tanh(1.6 * along)
        drip = 0.5 + 0.5 * np.sin(drips * 2.0 * flat[:, 0] + phase[0]) * np.sin(
            drips * 2.0 * flat[:, 1] + phase[1]
        )
        fall = strength * sag * (0.62 + 0.28 * drip)
        z = low[2] + size[2] * h * (1 - fall * h**0.5)
        spread = 1 + 0.6 * strength * sag * np.exp(-3.0 * h) - 0.2 * strength * sag * h
        lean = 0.45 * strength * h**2 * sag
        xy = centre[:2] + half * (flat * spread[:, None] + np.outer(lean, way))
        xy = xy + half * 0.09 * strength * np.sin(6.0 * h + phase[2])[:, None] * way[::-1]
        return np.column_stack([xy, z])

    return field


def twisted(low: F64, high: F64, degrees: float, turn: F64) -> Field:
    """Wrung about its long axis; about the vertical one, its foot stays where it is.

    `turn` [3] is the axis, along x, y or z.
    """
    centre, k = (low + high) / 2, int(np.abs(turn).argmax())
    i, j = (k + 1) % 3, (k + 2) % 3

    def field(p: F64) -> F64:
        t = (p[:, k] - low[k]) / (high[k] - low[k])
        a = np.deg2rad(degrees) * (np.clip(t, 0, 1) if k == 2 else np.clip(t, 0, 1) - 0.5)
        out = p.copy()
        u, v = p[:, i] - centre[i], p[:, j] - centre[j]
        out[:, i] = centre[i] + np.cos(a) * u - np.sin(a) * v
        out[:, j] = centre[j] + np.sin(a) * u + np.cos(a) * v
        return out

    return field


def wavy(
    low: F64, high: F64, way: F64, along: F64, waves: float, depth: float, phase: float
) -> Field:
    """Shaken like jelly: shifted along `way` [3] by a sine of the place along `along` [3]."""
    size = float((high - low).max())
    span = float(np.abs((high - low) @ np.abs(along)))

    def field(p: F64) -> F64:
        t = ((p - low) @ along) / span
        return p + np.outer(np.sin(2 * np.pi * waves * t + phase) * depth * size, way)

    return field


def arched(low: F64, high: F64, axis: int, rise: float) -> Field:
    """Bent over a circle's arc in its upright plane along x (0) or y (1): both ends hang down.

    `rise` is the angle in degrees that the ends are turned by.
    """
    centre, half = (low + high) / 2, (high[axis] - low[axis]) / 2
    radius = half / np.deg2rad(rise)

    def field(p: F64) -> F64:
        a = (p[:, axis] - centre[axis]) / radius
        r = radius + p[:, 2] - low[2]
        out = p.copy()
        out[:, axis] = centre[axis] + np.sin(a) * r
        out[:, 2] = low[2] + np.cos(a) * r - radius * np.cos(np.deg2rad(rise))
        return out

    return field


def drooping(low: F64, high: F64, way: F64, degrees: float) -> Field:
    """Standing below, and from its middle on bent over along `way` (horizontal, [3]) like wilted."""
    height = high[2] - low[2]
    start, centre = low[2] + 0.3 * height, (low + high) / 2
    half = float(np.abs((high - low)[:2] @ np.abs(way)[:2])) / 2
    # No tighter than the thing is thick, or its inner side would fold through itself.
    radius = max(0.7 * height / np.deg2rad(degrees), 1.15 * half)

    def field(p: F64) -> F64:
        s = (p - centre) @ way
        t = np.maximum(p[:, 2] - start, 0)
        a = t / radius
        over = radius - (radius - s) * np.cos(a)
        up = start + (radius - s) * np.sin(a)
        out = p + np.outer(over - s, way)
        out[:, 2] = np.where(t > 0, up, p[:, 2])
        return out

    return field


def swirled(centre: F64, axis: F64, reach: float, degrees: float) -> Field:
    """Stirred about `axis` [3] (the line of sight): most at the centre, not at all beyond `reach`."""

    def field(p: F64) -> F64:
        d = p - centre
        depth = np.outer(d @ axis, axis)
        flat = d - depth
        r = np.linalg.norm(flat, axis=1) / reach
        a = np.deg2rad(degrees) * np.clip(1 - r, 0, 1) ** 1.5
        turned = flat * np.cos(a)[:, None] + np.cross(axis, flat) * np.sin(a)[:, None]
        whole: F64 = centre + depth + turned
        return whole

    return field


def grounded(thing: Thing, floor: float) -> Thing:
    """Put down, or lifted, so that its lowest point is at `floor`."""
    return thing.moved((0, 0, floor - float(thing.low[2])))
