"""Rigid things that are melted, wrung, bent, wavy, stirred or smeared."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.pairs import warp
from benchmarks.scenes.pairs.pick import free_top, shown, towards_camera, words_of
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.smear import smeared
from benchmarks.scenes.pairs.world import Thing, World

_SOFT: Final = {
    "living", "person", "animal", "bird", "plant", "soft", "food", "ice", "flame", "hot",
    "held", "worn", "mirror",
}  # fmt: skip
"""What may look bent or run in any scene, or whose bend would be another violation."""

_TWIN: Final = "The same thing in its own shape."


_NO_SHAPE: Final = (
    "block",
    "cylinder",
    "butter",
    "rock",
    "bale of hay",
    "cardboard box",
    "sandcastle",
    "statue",
)
"""Kinds that may have any shape."""


def _rigid(world: World, thing: Thing) -> bool:
    if thing.tags & _SOFT or thing.kind in _NO_SHAPE or not free_top(world, thing):
        return False
    if not shown(world, thing, 36):
        return False
    # What hangs on the wall by a cord would be torn off it.
    return not any(p.key in ("cord", "outlet") for p in thing.parts)


def _done(world: World, thing: Thing, field: warp.Field, detail: str) -> Planted:
    new = warp.deformed(thing, field)
    if "hangs" not in thing.tags and "floats" not in thing.tags:
        new = warp.grounded(new, float(thing.low[2]))
    return Planted(world.changed(new), world, (thing.key,), detail)


@recipe(
    "structural_distortion",
    "melted",
    fits=_rigid,
    planted="A rigid thing sags like warm wax: one side has run down, its foot spreads, drips hang.",
    twin=_TWIN,
)
def melted(world: World, thing: Thing, rng: Generator) -> Planted | None:
    field = warp.melted(thing.low, thing.high, rng, float(rng.uniform(0.8, 1.1)))
    return _done(world, thing, field, f"the {words_of(thing)} has melted")


@recipe(
    "structural_distortion",
    "wrung",
    fits=_rigid,
    planted="A rigid thing is twisted about its long axis by 80 to 160 degrees, like a wet cloth.",
    twin=_TWIN,
)
def wrung(world: World, thing: Thing, rng: Generator) -> Planted | None:
    low, high = thing.low, thing.high
    axis = np.eye(3)[int(thing.size.argmax())]
    degrees = float(rng.uniform(80, 160)) * float(rng.choice([-1, 1]))
    return _done(
        world, thing, warp.twisted(low, high, degrees, axis), f"the {words_of(thing)} is twisted"
    )


@recipe(
    "structural_distortion",
    "wavy",
    fits=_rigid,
    planted="A rigid thing's outline runs in waves from foot to top, or from end to end.",
    twin=_TWIN,
)
def wavy(world: World, thing: Thing, rng: Generator) -> Planted | None:
    way = _sideways(world)
    upright = thing.size[2] > 0.55 * thing.size[:2].max()
    along = np.array([0, 0, 1.0]) if upright else way
    shift = way if upright else np.array([0, 0, 1.0])
    depth = float(rng.uniform(0.07, 0.1)) * float(min(1.0, 2.0 * thing.size[2] / thing.size.max()))
    field = warp.wavy(
        thing.low, thing.high, shift, along, float(rng.uniform(1.6, 2.6)), depth,
        float(rng.uniform(0, 2 * np.pi)),
    )  # fmt: skip
    return _done(world, thing, field, f"the {words_of(thing)} is wavy")


@recipe(
    "structural_distortion",
    "bent_over",
    fits=_rigid,
    planted="A rigid thing is bent like rubber: a long one arches, a tall one droops as if wilted.",
    twin=_TWIN,
)
def bent_over(world: World, thing: Thing, rng: Generator) -> Planted | None:
    low, high, size = thing.low, thing.high, thing.size
    if size[2] > 1.25 * size[:2].max():
        way = _sideways(world) * float(rng.choice([-1, 1]))
        field = warp.drooping(low, high, way, float(rng.uniform(100, 150)))
        return _done(world, thing, field, f"the {words_of(thing)} droops")
    axis = int(size[:2].argmax())
    if size[2] > 0.9 * size[axis]:
        return None
    field = warp.arched(low, high, axis, float(rng.uniform(38, 58)))
    return _done(world, thing, field, f"the {words_of(thing)} is bent into an arch")


@recipe(
    "structural_distortion",
    "smeared",
    fits=_rigid,
    planted="In the finished picture, a rigid thing is dragged out of its outline in streaks.",
    twin="The same picture unsmeared.",
)
def smear(world: World, thing: Thing, rng: Generator) -> Planted | None:
    degrees = float(rng.choice([0.0, 180.0, 90.0])) + float(rng.uniform(-25, 25))
    effect = smeared(
        thing.key, degrees, float(rng.uniform(0.3, 0.6)), float(rng.uniform(0.7, 1.1)), rng
    )
    return Planted(world.after(effect), world, (thing.key,), f"the {words_of(thing)} is smeared")


@recipe(
    "structural_distortion",
    "stirred",
    fits=_rigid,
    planted="A rigid thing is stirred into a swirl about the line of sight.",
    twin=_TWIN,
    held_out=True,
)
def stirred(world: World, thing: Thing, rng: Generator) -> Planted | None:
    axis = towards_camera(world, thing)
    reach = 0.5 * float(np.linalg.norm(thing.size))
    degrees = float(rng.uniform(110, 190)) * float(rng.choice([-1, 1]))
    field = warp.swirled(thing.centre, axis, reach, degrees)
    return _done(world, thing, field, f"the {words_of(thing)} is stirred into a swirl")


def _sideways(world: World) -> F64:
    """The picture's right, along the ground."""
    right = world.camera.right.copy()
    right[2] = 0
    level: F64 = right / np.linalg.norm(right)
    return level
