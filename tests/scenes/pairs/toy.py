"""Small worlds whose right pictures are known without drawing them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.scenes.geometry.camera import aim
from benchmarks.scenes.geometry.mesh import F64, Mesh
from benchmarks.scenes.geometry.solids import box, ellipsoid
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.world import Canvas, Mirror, Thing, Water, World, tags
from benchmarks.scenes.render import Light
from benchmarks.scenes.surroundings.backdrop import backdrop, ground

SUN = np.array([-0.3, 0.5, -0.8]) / np.linalg.norm([-0.3, 0.5, -0.8])


def solid(key: str, mesh: Mesh, rgb: tuple[float, float, float], **how: object) -> Thing:
    """A thing of one piece."""
    paint = Paint(rgb, how.pop("texture", None), "yz", specular=0.0, alpha=how.pop("alpha", 1.0))  # type: ignore[arg-type]
    return Thing(key, key, (Part(key, None, (Piece.make(mesh, paint),)),), **how)  # type: ignore[arg-type]


def yard(shift: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> World:
    """A red box (subject), a blue ball and a green box on grey ground at z = 0."""
    s = np.array(shift)
    red = solid(
        "red", box(s + np.array((0, 0, 0.5)), (0.6, 0.6, 1.0)), (0.8, 0.1, 0.1), subject=True
    )
    blue = solid("blue", ellipsoid(s + np.array((0.2, 1.4, 0.4)), (0.4, 0.4, 0.4)), (0.1, 0.2, 0.8))
    green = solid("green", box(s + np.array((0.2, -1.3, 0.4)), (0.5, 0.5, 0.8)), (0.1, 0.7, 0.2))
    things = (replace(red, tags=tags("rigid")), replace(blue, tags=tags("rigid", "ball")), green)
    camera = aim(np.concatenate([t.verts() for t in things]), 10, 24, 40, 0, 0.62, (0.35, -0.2))
    sky = np.full((256, 256, 3), (150, 170, 200), np.uint8)
    return World(
        "toy",
        camera,
        Light(SUN, (0.7, 0.7, 0.7), (0, 0, 0), 0.0, True),
        (Light(np.array([0.1, -0.6, -0.79]), (0.1, 0.1, 0.1), (0.4, 0.4, 0.4), 0.0, False),),
        things,
        (backdrop(camera), ground(float(s[2]), plain=(0.6, 0.6, 0.6))),
        {"backdrop": sky},
        ground=float(s[2]),
    )


def lake(clear: float = 0.2, waves: float = 0.0) -> World:
    """The same above still water at z = 0, the ground 2 below."""
    world = yard()
    shore = ((-40.0, -40.0), (40.0, -40.0), (40.0, 40.0), (-40.0, 40.0))
    return replace(
        world,
        stage=(world.stage[0], ground(-2.0, plain=(0.3, 0.3, 0.2))),
        water=Water(0.0, shore, (0.1, 0.2, 0.25), clear, 0.7, waves),
    )


def hall() -> World:
    """The yard with a mirror behind it that shows the things' backs."""
    low, high = 0.02, 2.2
    corners = ((-1.5, -3.0, low), (-1.5, 3.0, low), (-1.5, 3.0, high), (-1.5, -3.0, high))
    return replace(yard(), mirror=Mirror(corners, 0.9))


def around(canvas: Canvas, point: F64 | tuple[float, float, float], reach: int = 1) -> F64:
    """Mean colour [3] round the pixel where a point of the world is seen."""
    x, y = canvas.project(np.asarray(point, float)).astype(int)
    patch = canvas.pixels[y - reach : y + reach + 1, x - reach : x + reach + 1]
    mean: F64 = patch.reshape(-1, 3).mean(0)
    return mean


def shadow_spot(thing: Thing, sun: F64, ground_z: float = 0.0, high: float = 0.9) -> F64:
    """Where the ground is hit by the light's ray through the middle of a thing's upper part."""
    top = thing.centre.copy()
    top[2] = thing.low[2] + high * thing.size[2]
    spot: F64 = top + sun * (top[2] - ground_z) / -sun[2]
    return spot
