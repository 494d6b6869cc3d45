"""Another material on a thing: textures by box projection, fur and blades as geometry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, Mesh, unit
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import U8

from .world import Thing, World

_SLOTS = 8
"""Textures that a picture may have."""

Wanted = Callable[[Part, Piece], bool]
"""Which pieces of a thing take another material."""


def covered(thing: Thing, wanted: Wanted, paint: Paint, tile: float) -> Thing:
    """With a paint on the wanted pieces; a texture repeats every `tile` scene units, unstretched."""
    parts = tuple(
        replace(
            part,
            pieces=tuple(_boxed(q, paint, tile) if wanted(part, q) else q for q in part.pieces),
        )
        for part in thing.parts
    )
    return replace(thing, parts=parts)


def _boxed(piece: Piece, paint: Paint, tile: float) -> Piece:
    """Texture coordinates from the side of a box that each face looks at; sides share no vertices."""
    mesh = piece.mesh
    a, b, c = (mesh.verts[mesh.faces[:, k]] for k in range(3))
    side = np.abs(np.cross(b - a, c - a)).argmax(1)
    ids = mesh.faces * 3 + side[:, None]
    kept, back = np.unique(ids, return_inverse=True)
    vertex, plane = kept // 3, kept % 3
    verts = mesh.verts[vertex]
    u = np.where(plane == 0, verts[:, 1], verts[:, 0])
    v = np.where(plane == 2, verts[:, 1], verts[:, 2])
    faces = back.reshape(-1, 3).astype(np.int32)
    uv = np.stack([u, -v], 1) / tile
    return Piece(Mesh(verts, mesh.normals[vertex], faces, 0, 0), paint, uv)


def with_texture(world: World, name: str, pixels: U8) -> World | None:
    """With a texture more, without those that nothing shows; None where too many are left."""
    shown = {
        piece.paint.texture
        for parts in (world.stage, *(one.parts for one in world.things))
        for part in parts
        for piece in part.pieces
    }
    shown |= {
        piece.paint.texture
        for one in world.things
        for other in (one.reflected, one.shadow)
        if other is not None
        for part in other.parts
        for piece in part.pieces
    }
    kept = {k: v for k, v in world.textures.items() if k in shown}
    if name not in shown:
        raise ValueError(f"expected something painted with {name!r}, got none")
    if len({**kept, name: pixels}) > _SLOTS:
        return None
    return replace(world, textures={**kept, name: pixels})


def surface_points(pieces: list[Piece], count: int, rng: Generator) -> tuple[F64, F64]:
    """Points [count, 3] spread evenly over pieces, and the normals there."""
    meshes = [p.mesh for p in pieces]
    corner = np.concatenate([m.verts[m.faces] for m in meshes])
    normal = np.concatenate([m.normals[m.faces] for m in meshes])
    area = np.linalg.norm(
        np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1
    )
    face = rng.choice(len(area), count, p=area / area.sum())
    w = rng.dirichlet(np.ones(3), count)[:, :, None]
    return (corner[face] * w).sum(1), unit((normal[face] * w).sum(1))


def tufts(
    thing: Thing, wanted: Wanted, colours: list[tuple[float, float, float]], length: float,
    thick: float, droop: float, count: int, rng: Generator,
) -> Part:  # fmt: skip
    """Hair or blades all over the wanted pieces: thin spikes along the normals.

    Args:
        thing: on what.
        wanted: where.
        colours: of the strands.
        length: of a strand, scene units.
        thick: radius at its root, as a share of its length.
        droop: how much strands lean down (positive) or up, 0 for not at all.
        count: strands in all, 4 vertices each.
        rng: draws places, lengths and directions.
    """
    pieces = [q for part in thing.parts for q in part.pieces if wanted(part, q)]
    made = []
    for colour in colours:
        n = count // len(colours)
        root, normal = surface_points(pieces, n, rng)
        way = unit(normal + rng.normal(0, 0.28, (n, 3)) - np.array([0, 0, droop]))
        reach = length * rng.uniform(0.6, 1.15, n)[:, None]
        side = unit(np.cross(way, rng.normal(size=(n, 3)))) * reach * thick
        other = np.cross(way, side)
        foot = [root + side * np.cos(a) + other * np.sin(a) for a in (0.0, 2.1, 4.2)]
        verts = np.stack([*foot, root + way * reach], 1)
        # Lit as the surface is that they grow on, and a little as they lean.
        normals = np.repeat(unit(normal + 0.3 * way)[:, None], 4, 1)
        spike = np.array([[0, 1, 3], [1, 2, 3], [2, 0, 3]])
        faces = (spike[None] + 4 * np.arange(n)[:, None, None]).reshape(-1, 3).astype(np.int32)
        mesh = Mesh(verts.reshape(-1, 3), normals.reshape(-1, 3), faces, 0, 0)
        made.append(Piece.make(mesh, Paint(colour, specular=0.03)))
    return Part("tufts", None, tuple(made))
