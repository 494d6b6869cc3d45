"""What several recipes ask of a thing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.subject import Part, Piece

from .world import Thing, World


def free_top(world: World, thing: Thing) -> bool:
    """Nothing stands on it, so that its shape may change."""
    return not world.resting_on(thing.key)


def words_of(thing: Thing) -> str:
    """What it is, to be put into a sentence."""
    return thing.kind.replace("_", " ")


def a(kind: str) -> str:
    """With its article."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind.replace('_', ' ')}"


def towards_camera(world: World, thing: Thing) -> F64:
    """Unit vector [3] from the thing to the camera."""
    way = world.camera.pos - thing.centre
    towards: F64 = way / np.linalg.norm(way)
    return towards


def near_side(world: World, thing: Thing) -> F64:
    """The same, along the ground."""
    way = towards_camera(world, thing).copy()
    way[2] = 0
    level: F64 = way / (np.linalg.norm(way) + 1e-9)
    return level


def pixels_per_unit(world: World, thing: Thing, size: int = 320) -> float:
    """How many pixels a scene unit is at the thing's place in a picture of that size."""
    depth = float((thing.centre - world.camera.pos) @ world.camera.forward)
    return size / 2 / world.camera.tan / max(depth, 1e-3)


_FEATURES = ("eye", "nose", "horn", "beak", "mouth", "brow", "hair", "hat", "comb", "shoe", "foot")
"""Parts of a living thing whose names begin so are no skin."""


def is_skin(thing: Thing) -> Callable[[Part, Piece], bool]:
    """Tells which pieces of a person show skin, or which of an animal carry its coat.

    A person's skin is what has the colour of the head; an animal's coat is all but its features.
    """
    if "person" in thing.tags:
        head = next((p for p in thing.parts if p.key.endswith("head")), None)
        rgb = head.pieces[0].paint.rgb if head else None
        return lambda part, piece: piece.paint.rgb == rgb
    return lambda part, piece: not part.key.startswith(_FEATURES)


def is_body(thing: Thing) -> Callable[[Part, Piece], bool]:
    """Tells which pieces have the colour that most of a lifeless thing's surface has."""
    area: dict[object, float] = {}
    for part in thing.parts:
        for piece in part.pieces:
            corners = piece.mesh.verts[piece.mesh.faces]
            sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            look = (piece.paint.rgb, piece.paint.texture)
            area[look] = area.get(look, 0.0) + float(np.linalg.norm(sides, axis=1).sum())
    main = max(area, key=lambda look: area[look])
    return lambda part, piece: (piece.paint.rgb, piece.paint.texture) == main


def shown(world: World, thing: Thing, least: float, inside: float = 0.6) -> bool:
    """Whether it is `least` px wide or high at 320 px, and its box mostly in the frame."""
    low, high = thing.low, thing.high
    corners = np.array(np.meshgrid(*np.stack([low, high], 1))).reshape(3, -1).T
    seen = world.camera.project(corners, 320, 320)
    a, b = seen.min(0), seen.max(0)
    cut = np.clip(np.minimum(b, 320) - np.maximum(a, 0), 0, None)
    return bool(cut.max() >= least and cut.prod() >= inside * (b - a).prod())


def in_frame(world: World, *points: F64) -> bool:
    """Whether points are in the picture, not at its very edge."""
    seen = world.camera.project(np.stack(points), 320, 320)
    return bool(((seen > 8) & (seen < 312)).all())
