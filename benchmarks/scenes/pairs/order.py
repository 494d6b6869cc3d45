"""Who is drawn in front of whom: a thing's picture over another's, things cut along a line of sight."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.mesh import F64, Mesh, unit
from benchmarks.scenes.geometry.subject import Part, Piece
from benchmarks.scenes.paints import U8

from .world import Canvas, Effect, Thing, World

Line = tuple[tuple[float, float], tuple[float, float]]
"""From here to there, 0..1 of the frame."""


def depths(world: World, one: Thing) -> tuple[float, float]:
    """Least and greatest distance of a thing from the camera, along its axis."""
    d = (one.verts() - world.camera.pos) @ world.camera.forward
    return float(d.min()), float(d.max())


def ray(camera: Camera, x: float, y: float) -> F64:
    """Direction [3] of what is seen at (x, y), in 0..1 from the upper left corner."""
    u = (2 * x - 1 + camera.shift[0]) * camera.tan
    v = (1 - 2 * y + camera.shift[1]) * camera.tan
    way: F64 = camera.forward + u * camera.right + v * camera.up
    return way


def through(camera: Camera, a: tuple[float, float], b: tuple[float, float]) -> F64:
    """Normal [3] of the plane that is seen as the line from a to b (0..1); it points to the line's left
    as seen when going from a to b with y down the picture."""
    normal: F64 = np.cross(ray(camera, *a), ray(camera, *b))
    return normal / np.linalg.norm(normal)


def over(near: str, far: str, line: Line | None = None) -> Effect:
    """What is seen of a thing without another before it, put over the other.

    Args:
        near: key of what is to be covered.
        far: key of what covers it.
        line: only at the left of this line, from one point to another (0..1 of the frame).
    """

    def change(canvas: Canvas) -> None:
        size = canvas.pixels.shape[0]
        assert canvas.render is not None
        world = canvas.world
        hidden = world.changed(unseen(world.thing(near)))
        alone = canvas.render(hidden)
        cover = np.zeros((size, size))
        for dx, dy in _JITTER:
            shift = (world.camera.shift[0] + dx * 2 / size, world.camera.shift[1] + dy * 2 / size)
            moved = replace(hidden, camera=replace(world.camera, shift=shift))
            cover += canvas.render(moved).mask(far) / len(_JITTER)
        # Where the other ends, its last pixels are already mixed with what is behind.
        cover *= _wider(canvas.mask(near), 2)
        if line is not None:
            cover *= left_of(line, size)
        colours = _unmixed(alone.pixels, alone.mask(far))
        share = cover[:, :, None]
        mixed = canvas.pixels * (1 - share) + colours * share
        canvas.pixels = (mixed + 0.5).clip(0, 255).astype(np.uint8)
        canvas.index[cover > 0.5] = canvas.keys.index(far)

    return change


_JITTER: Final = ((-0.375, -0.125), (-0.125, 0.375), (0.125, -0.375), (0.375, 0.125))
"""Parts of a pixel: coverage of a pixel by a thing is the share of these at which it is seen."""


def unseen(one: Thing) -> Thing:
    """A thing out of sight that still has its shadow and its reflection."""
    return replace(
        one.moved((0.0, 0.0, -900.0)), shadow=one.shadow or one, reflected=one.reflected or one
    )


def left_of(line: Line, size: int) -> F64:
    """How much of each pixel lies left of a line, 0..1 [size, size]."""
    (ax, ay), (bx, by) = ((x * size, y * size) for x, y in line)
    y, x = np.mgrid[0:size, 0:size] + 0.5
    away = ((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / np.hypot(bx - ax, by - ay)
    share: F64 = np.clip(0.5 + away, 0, 1)
    return share


def _wider(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    grown = np.asarray(Image.fromarray(mask).convert("L").filter(ImageFilter.MaxFilter(2 * by + 1)))
    return grown > 0


def _unmixed(pixels: U8, mask: NDArray[np.bool_]) -> F64:
    """A picture whose pixels at the rim of a mask have the colour of those inside it, [S, S, 3]."""
    narrow = np.asarray(Image.fromarray(mask).convert("L").filter(ImageFilter.MinFilter(3))) > 0
    colours = pixels.astype(float)
    known = narrow.astype(float)
    for _ in range(3):
        wide = np.pad(colours * known[:, :, None], ((1, 1), (1, 1), (0, 0)))
        count = np.pad(known, 1)
        total, number = np.zeros_like(colours), np.zeros_like(known)
        for a in range(3):
            for b in range(3):
                total += wide[a : a + len(mask), b : b + len(mask)]
                number += count[a : a + len(mask), b : b + len(mask)]
        fresh = (known == 0) & (number > 0)
        colours[fresh] = total[fresh] / number[fresh][:, None]
        known[fresh] = 1.0
    return colours


def kept_shadow(one: Thing, parts: tuple[Part, ...]) -> Thing:
    """The thing with other parts and the shadow and reflection that it had."""
    return replace(one, parts=parts, shadow=one.shadow or one, reflected=one.reflected or one)


def cut(parts: tuple[Part, ...], normal: F64, origin: F64) -> tuple[Part, ...]:
    """What of the parts lies on the side of a plane that `normal` points to; hollow where it was cut."""
    found = []
    for part in parts:
        pieces = tuple(
            left for piece in part.pieces if (left := _cut_piece(piece, normal, origin)) is not None
        )
        if pieces:
            found.append(replace(part, pieces=pieces))
    return tuple(found)


def _cut_piece(piece: Piece, normal: F64, origin: F64) -> Piece | None:
    mesh = piece.mesh
    side = (mesh.verts - origin) @ normal
    inside = side >= 0
    count = inside[mesh.faces].sum(1)
    if (count == 3).all():
        return piece
    if not inside.any():
        return None
    whole = mesh.faces[count == 3]
    lone = _led_by(mesh.faces[count == 1], inside)
    pair = _led_by(mesh.faces[count == 2], ~inside)
    # Every cut triangle gets two new corners, on the edges from its first corner.
    first = np.concatenate([lone[:, 0], lone[:, 0], pair[:, 0], pair[:, 0]])
    other = np.concatenate([lone[:, 1], lone[:, 2], pair[:, 1], pair[:, 2]])
    t = (side[first] / (side[first] - side[other]))[:, None]
    n, k, m = len(mesh.verts), len(lone), len(pair)
    ids = n + np.arange(len(first))
    p, q, r, s = ids[:k], ids[k : 2 * k], ids[2 * k : 2 * k + m], ids[2 * k + m :]
    faces = np.concatenate(
        [
            whole,
            np.stack([lone[:, 0], p, q], 1),
            np.stack([r, pair[:, 1], pair[:, 2]], 1),
            np.stack([r, pair[:, 2], s], 1),
        ]
    ).astype(np.int32)

    def longer(values: F64) -> F64:
        return np.concatenate([values, values[first] + t * (values[other] - values[first])])

    left = Mesh(longer(mesh.verts), unit(longer(mesh.normals)), faces, 0, 0)
    return _without_unused(Piece(left, piece.paint, longer(piece.uv)))


def _led_by(faces: NDArray[np.int32], leads: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Faces turned so that the one corner that leads comes first."""
    start = leads[faces].argmax(1)
    turned = (start[:, None] + np.arange(3)) % 3
    return np.take_along_axis(faces, turned, 1)


def _without_unused(piece: Piece) -> Piece | None:
    """Only corners that a face uses, so that bounding boxes are right."""
    used, faces = np.unique(piece.mesh.faces, return_inverse=True)
    if not len(used):
        return None
    mesh = replace(
        piece.mesh,
        verts=piece.mesh.verts[used],
        normals=piece.mesh.normals[used],
        faces=faces.reshape(-1, 3).astype(np.int32),
    )
    return Piece(mesh, piece.paint, piece.uv[used])


def renamed(parts: tuple[Part, ...], suffix: str) -> tuple[Part, ...]:
    """Parts with other keys."""
    return tuple(replace(part, key=part.key + suffix) for part in parts)


def frame_of(world: World, one: Thing) -> tuple[float, float, float, float]:
    """Its box in the picture: x0, y0, x1, y1 in 0..1 of the frame (outside it too)."""
    px = world.camera.project(one.verts(), 1, 1)
    low, high = px.min(0), px.max(0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])
