"""The same place through another camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.solids import rot

from .world import World


def turned(camera: Camera, yaw: float, pitch: float, roll: float, zoom: float) -> Camera:
    """The camera turned by degrees about its up, right and forward axes, with another lens."""
    axes = np.stack([camera.right, camera.up, camera.forward], 1)
    turn = axes @ rot("y", yaw) @ rot("x", pitch) @ rot("z", roll) @ axes.T
    return replace(
        camera,
        right=turn @ camera.right,
        up=turn @ camera.up,
        forward=turn @ camera.forward,
        tan=camera.tan * zoom,
    )


def seen_by(world: World, camera: Camera) -> World:
    """The world with another camera; the picture behind everything goes along with it."""
    old, wide = world.camera, max(1.0, camera.tan / world.camera.tan) * 1.25
    a = np.stack([old.right, old.up, old.forward], 1)
    b = np.stack([camera.right * wide, camera.up * wide, camera.forward], 1)
    linear = b @ a.T
    stage = tuple(
        part.transformed(linear, camera.pos - linear @ old.pos) if part.key == "backdrop" else part
        for part in world.stage
    )
    return replace(world, camera=camera, stage=stage)


def shifted(world: World, dx: float, dy: float) -> World:
    """The world seen through a lens shifted by parts of the frame."""
    camera = world.camera
    moved = replace(camera, shift=(camera.shift[0] - 2 * dx, camera.shift[1] + 2 * dy))
    low = seen_by(world, moved)
    # The picture behind everything is centred on what the lens sees.
    depth = 70.0
    across = depth * camera.tan * (camera.right * -2 * dx + camera.up * 2 * dy)
    stage = tuple(
        part.transformed(np.eye(3), across) if part.key == "backdrop" else part
        for part in low.stage
    )
    return replace(low, stage=stage)
