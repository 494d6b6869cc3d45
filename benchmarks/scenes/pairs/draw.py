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
from .world import Canvas, World, boxed

LARGEST_LIT: Final = 9.0
"""Largest half side of the square that the shadow map covers, scene units."""

Lit = tuple[F64, float]


def lit_by(*worlds: World) -> Lit:
    """The square [middle, half side] that a shadow map of these worlds must cover.

    Twins are drawn with the same one: another square moves the edges of all shadows by parts of a pixel.
    """
    things = [one for world in worlds for one in world.things if one.casts]
    if not things:
        return np.zeros(3), 1.0
    low, high = boxed(things)
    half = float(np.linalg.norm(high - low)) / 2 * 1.1
    if half > LARGEST_LIT:
        subjects = [one for one in things if one.subject] or things
        low, high = boxed(subjects)
    return (low + high) / 2, float(np.clip(half, 0.3, LARGEST_LIT))


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


def seen_things(canvas: Canvas, keys: Sequence[str]) -> NDArray[np.bool_]:
    """Where any of the things is seen, [S, S]; keys that the world lacks are seen nowhere."""
    wanted = [canvas.keys.index(key) for key in keys if key in canvas.keys]
    found: NDArray[np.bool_] = np.isin(canvas.index, wanted)
    return found
