"""A world becomes a picture: a render with shadows, a look at what is where, surfaces, effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.render import Scene, Stage

from .shading import Cast, casting, mirror_part, reflect, water_part
from .world import Canvas, World

LARGEST_LIT: Final = 9.0
"""Largest half side of the square that the shadow map covers, scene units."""

Lit = tuple[F64, float]


def lit_by(*worlds: World) -> Lit:
    """The square [middle, half side] that a shadow map of these worlds must cover.

    Twins are drawn with the same one: another square moves the edges of all shadows by parts of a pixel.
    """
    verts = [one.verts() for world in worlds for one in world.things if one.casts]
    shown = [v for v in verts if _near_frame(worlds[0].camera, v)]
    if not shown:
        return np.zeros(3), 1.0
    points = np.concatenate(shown)
    middle = (points.min(0) + points.max(0)) / 2
    # The map lies across the light's way; how it is turned about it is MuJoCo's affair.
    sun = worlds[0].sun.direction
    across = points - middle
    across = across - np.outer(across @ sun, sun)
    half = float(np.linalg.norm(across, axis=1).max()) * 1.03 + 0.02
    return middle, min(half, LARGEST_LIT)


def _near_frame(camera: Camera, verts: F64) -> bool:
    """Whether something is seen or throws its shadow into sight, roughly."""
    if ((verts - camera.pos) @ camera.forward).max() < 0.1:
        return False
    px = camera.project(verts, 2, 2) - 1
    return bool((px.min(0) < 1.4).all() and (px.max(0) > -1.4).all())


def draw(stage: Stage, world: World, lit: Lit | None = None) -> Canvas:
    """The world's picture after its effects.

    Args:
        lit: what the shadow map covers; twins of a pair need the same (`lit_by(clean, violated)`).

    Raises:
        MemoryError: more geometry than the stage's pool holds.
        ValueError: more than 8 textures.
    """
    square = lit or lit_by(world)

    def render(variant: World) -> Canvas:
        try:
            return _draw(stage, variant, square)
        except (MemoryError, ValueError):
            stage.clear()  # the pool may have been full of other pictures' geometry
            return _draw(stage, variant, square)

    canvas = render(world)
    canvas.render = render
    for effect in world.effects:
        effect(canvas)
    return canvas


def scene_of(world: World, camera: Camera, lit: Lit, cast: Cast) -> Scene:
    """What the renderer is given: `cast.parts` first, what only casts shadows last."""
    lights = (world.sun, *world.lights)
    parts = [*cast.parts, *cast.ghosts]
    shown = len(cast.parts)
    ghosts = frozenset(range(shown, len(parts)))
    return Scene(camera, lights, parts, frozenset(cast.shadowless), ghosts, lit)


def _draw(stage: Stage, world: World, lit: Lit) -> Canvas:
    stage.textures(dict(world.textures))
    cast = casting(world)
    surfaces = [
        part
        for part in (
            water_part(world.water) if world.water else None,
            mirror_part(world.mirror) if world.mirror else None,
        )
        if part is not None
    ]
    whole = replace(cast, parts=(*cast.parts, *surfaces))
    scene = scene_of(world, world.camera, lit, whole)
    pixels = stage.rgb(scene)
    ids, depth = stage.depth(scene)
    for k, part in enumerate(surfaces):
        seen = ids == len(cast.parts) + k + 1
        if seen.any():
            reflect(stage, world, lit, part.key, seen, pixels)
    owners = np.full(len(whole.parts) + 1, -1, np.int32)
    owners[1 : len(cast.owners) + 1] = cast.owners
    index: NDArray[np.int32] = owners[ids]
    return Canvas(pixels, index, depth, tuple(one.key for one in world.things), world)


def shown(stage: Stage, world: World) -> dict[str, float]:
    """Share of the picture that each thing takes, without drawing it."""
    cast = casting(world)
    ids, _ = stage.depth(scene_of(world, world.camera, lit_by(world), cast))
    owners = np.array([-1, *cast.owners])
    counts = np.bincount(owners[ids].ravel() + 1, minlength=len(world.things) + 1)[1:]
    return {one.key: float(n) / ids.size for one, n in zip(world.things, counts, strict=True)}


def seen_things(canvas: Canvas, keys: Sequence[str]) -> NDArray[np.bool_]:
    """Where any of the things is seen, [S, S]; keys that the world lacks are seen nowhere."""
    wanted = [canvas.keys.index(key) for key in keys if key in canvas.keys]
    found: NDArray[np.bool_] = np.isin(canvas.index, wanted)
    return found
