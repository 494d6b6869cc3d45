"""Reflections that are not the thing's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import foot, in_sight
from benchmarks.scenes.pairs.world import Thing, World


def _mirrored(world: World, target: Thing) -> bool:
    """It can be seen in the water or in the mirror."""
    if target.tags & {"flame"} or not target.casts or target.reflected is not None:
        return False
    if not in_sight(world, target, 26, 0.6):
        return False
    if world.mirror is not None:
        return _image_seen(world, target)
    water = world.water
    if water is None or water.reflects < 0.3 or water.waves > 0.5 or target.high[2] < water.level:
        return False
    near = target.moved([0, 0, 0])
    flipped = near.about(np.diag([1.0, 1.0, -1.0]), [0, 0, water.level])
    middle = (flipped.low + flipped.high) / 2
    return in_polygon(water.polygon, _on_plane(world, middle, water.level))


def _on_plane(world: World, point: F64, level: float) -> F64:
    """Where the line of sight to a point crosses a height, [2]."""
    eye = world.camera.pos
    t = (level - eye[2]) / (point[2] - eye[2] if abs(point[2] - eye[2]) > 1e-6 else 1e-6)
    hit: F64 = (eye + t * (point - eye))[:2]
    return hit


def in_polygon(polygon: tuple[tuple[float, float], ...], p: F64) -> bool:
    corners = np.asarray(polygon, float)
    edge = np.roll(corners, -1, 0) - corners
    to = p - corners
    return bool(np.all(edge[:, 0] * to[:, 1] - edge[:, 1] * to[:, 0] >= 0))


def _image_seen(world: World, target: Thing) -> bool:
    """Whether the mirror shows the thing's middle to the camera."""
    assert world.mirror is not None
    c = np.asarray(world.mirror.corners, float)
    u, v = c[1] - c[0], c[3] - c[0]
    normal = np.cross(u, v)
    normal /= np.linalg.norm(normal)
    eye = world.camera.pos
    if (eye - c[0]) @ normal <= 0 or (target.centre - c[0]) @ normal <= 0:
        return False
    image = target.centre - 2 * ((target.centre - c[0]) @ normal) * normal
    t = ((c[0] - eye) @ normal) / ((image - eye) @ normal)
    hit = eye + t * (image - eye) - c[0]
    a, b = float(hit @ u / (u @ u)), float(hit @ v / (v @ v))
    return 0.02 < a < 0.98 and 0.02 < b < 0.98


@recipe(
    "optical_effect",
    "reflection_other",
    fits=_mirrored,
    planted="Water or mirror shows another thing of the scene instead, or the thing "
    "turned about by 90 to 180 "
    "degrees, or upright in the water instead of upside down.",
    twin="It shows the thing as it stands there.",
)
def reflection_other(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = foot(target)
    mates = [
        t
        for t in world.things
        if t.key != target.key
        and t.kind != target.kind
        and not t.tags & {"flame", "held", "worn", "hangs", "building"}
        and 0.4 < float(t.size.max() / target.size.max()) < 2.5
    ]
    way = float(rng.random())
    if mates and way < 0.45:
        mate = mates[int(rng.integers(len(mates)))]
        mate = mate.moved(spot - foot(mate))
        shown, what = (
            mate.scaled(float(target.size.max() / mate.size.max())),
            f"a {mate.kind} instead",
        )
    elif world.water is not None and way < 0.75:
        # Turned over first, so that its mirror image in the water stands upright.
        level = world.water.level
        up = target.about(np.diag([1.0, 1.0, -1.0]), target.centre)
        shown, what = up.moved([0, 0, max(level - float(up.low[2]), 0.0)]), "it upright"
    else:
        turned = target.about(rot("z", float(rng.uniform(90, 180))), spot)
        if (
            float(np.ptp(target.size[:2])) < 0.25 * float(target.size[:2].max())
            and "living" not in target.tags
        ):
            return None  # round: a turn cannot be seen
        shown, what = turned, "it turned about"
    wrong = replace(target, reflected=replace(shown, key="image"))
    where = "mirror" if world.mirror is not None else "water"
    return Planted(
        world.changed(wrong),
        world,
        (target.key,),
        f"The {where} shows {what} where the {target.kind} is.",
    )


@recipe(
    "optical_effect",
    "reflection_missing",
    fits=_mirrored,
    planted="Water or mirror reflects everything but one thing.",
    twin="It reflects that thing too.",
    held_out=True,
)
def reflection_missing(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    far = replace(target.moved([0, 0, -500.0]), key="image")
    wrong = replace(target, reflected=far)
    where = "mirror" if world.mirror is not None else "water"
    return Planted(
        world.changed(wrong), world, (target.key,), f"The {where} does not show the {target.kind}."
    )
