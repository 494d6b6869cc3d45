"""What several recipes ask of a thing."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes.geometry.mesh import F64

from .world import Thing, World


def free_top(world: World, thing: Thing) -> bool:
    """Nothing stands on it, so that its shape may change."""
    return not world.resting_on(thing.key)


def words_of(thing: Thing) -> str:
    """What it is, to be put into a sentence."""
    return thing.kind.replace("_", " ")


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
