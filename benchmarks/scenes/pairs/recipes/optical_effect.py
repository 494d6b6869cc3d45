"""Shadows and reflections that are not the thing's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, Mesh
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import matt, thing, upright
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import foot, in_sight
from benchmarks.scenes.pairs.world import Thing, World


def _sunlit(world: World) -> bool:
    down = -float(world.sun.direction[2])
    return world.sun.shadow and down > 0.25 and max(world.sun.diffuse) > 0.35


def _reach_of_shadow(world: World, target: Thing) -> F64:
    """Where the shadow of its top falls on the ground it stands on, relative to its foot [3]."""
    d = world.sun.direction
    flat: F64 = np.array([d[0], d[1], 0.0]) / max(-float(d[2]), 1e-6) * float(target.size[2])
    return flat


def _shaded(world: World, target: Thing) -> bool:
    """It stands in the sun, on something, and its shadow is long enough to be read."""
    if target.tags & {"flame", "hangs", "held", "worn", "transparent", "building"} or not _sunlit(
        world
    ):
        return False
    grounded = target.rests_on is not None or "stands" in target.tags
    own = target.shadow is None and target.casts and not target.facts.get("detail")
    return grounded and own and world.place != "air" and in_sight(world, target, 30)


def _long_enough(world: World, target: Thing, least: float) -> bool:
    long = float(np.linalg.norm(_reach_of_shadow(world, target)))
    return long > least * float(target.size.max())


def _flat(world: World, target: Thing, caster: Thing, light: F64) -> Thing:
    """A caster pressed flat onto what the target stands on, along a light: it shades that surface as the
    caster would under the light, and not the target itself."""
    under = next((t for t in world.things if t.key == target.rests_on), None)
    base = min(float(target.low[2]), world.ground if under is None else float(under.high[2]))
    left = 0.02
    m = np.eye(3)
    m[:2, 2] = (1 - left) * light[:2] / -float(light[2])
    m[2, 2] = left
    lift = 0.006 * float(target.size.max())
    return replace(caster.about(m, (0, 0, base), (0, 0, lift)), key="caster", remake=None)


@recipe(
    "optical_effect",
    "shadow_other_light",
    fits=_shaded,
    planted="The shadow of one thing falls to another side (by 70 to 180 degrees) than "
    "the light and all other "
    "shadows say.",
    twin="Its shadow falls as the others do.",
)
def shadow_other_light(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    if not _long_enough(world, target, 0.3):
        return None
    angle = float(rng.uniform(75, 180)) * (1 if rng.random() < 0.5 else -1)
    away = rot("z", angle) @ world.sun.direction
    away = away / np.linalg.norm(away)
    wrong = replace(target, shadow=_flat(world, target, target, away))
    return Planted(
        world.changed(wrong),
        world,
        (target.key,),
        f"The {target.kind}'s shadow falls the wrong way.",
    )


def _shapes(height: float, width: float) -> dict[str, list[Mesh]]:
    """Silhouettes that are like nothing else: made about the origin, standing."""
    h, w = height, width
    star = []
    for k in range(5):
        tip = rot("y", 72.0 * k) @ np.array([0, 0, h * 0.48])
        star.append(
            limb(np.array([0, 0, h * 0.5]), np.array([0, 0, h * 0.5]) + tip, h * 0.16, 0.004, n=6)
        )
    person = [
        ellipsoid((0, 0, h * 0.91), (h * 0.075, h * 0.075, h * 0.09)),
        limb((0, 0, h * 0.52), (0, 0, h * 0.76), h * 0.09, h * 0.11),
        limb((h * 0.05, 0, h * 0.5), (h * 0.13, 0, 0), h * 0.06, h * 0.035),
        limb((-h * 0.05, 0, h * 0.5), (-h * 0.13, 0, 0), h * 0.06, h * 0.035),
        limb((h * 0.1, 0, h * 0.78), (h * 0.3, 0, h * 0.98), h * 0.04, h * 0.03),
        limb((-h * 0.1, 0, h * 0.78), (-h * 0.28, 0, h * 0.6), h * 0.04, h * 0.03),
    ]
    tree = [
        box((0, 0, h * 0.2), (h * 0.08, h * 0.08, h * 0.4)),
        ellipsoid((0, 0, h * 0.7), (h * 0.32, h * 0.32, h * 0.32)),
    ]
    long = max(w, 0.9 * h)
    beast = [
        ellipsoid((0, 0, h * 0.55), (long * 0.4, h * 0.16, h * 0.2)),
        ellipsoid((long * 0.5, 0, h * 0.82), (h * 0.2, h * 0.12, h * 0.15)),
        limb((long * 0.32, 0, h * 0.6), (long * 0.48, 0, h * 0.8), h * 0.1, h * 0.08),
        limb((-long * 0.38, 0, h * 0.6), (-long * 0.62, 0, h * 0.95), h * 0.05, h * 0.03),
    ]
    for x in (-0.3, -0.2, 0.22, 0.32):
        beast.append(limb((x * long, 0, h * 0.5), (x * long * 1.1, 0, 0), h * 0.055, h * 0.04))
    cross = [
        box((0, 0, h * 0.5), (h * 0.14, h * 0.14, h)),
        box((0, 0, h * 0.65), (h * 0.62, h * 0.14, h * 0.14)),
    ]
    bottle = [upright([0, h * 0.5, h * 0.65, h], [h * 0.17, h * 0.17, h * 0.06, h * 0.06])]
    return {
        "star": star,
        "person": person,
        "tree": tree,
        "animal": beast,
        "cross": cross,
        "bottle": bottle,
    }


_BEASTS = ("dog", "cat", "horse", "cow", "goat", "sheep", "pig", "elephant", "rhino")
_PEOPLE = ("person", "man", "woman", "child")


def _like(kind: str) -> str:
    """Which of the silhouettes a kind would rightly have."""
    for words, shape in (
        (_PEOPLE, "person"),
        (("tree",), "tree"),
        (("bottle", "vase"), "bottle"),
        (_BEASTS, "animal"),
    ):
        if any(word in kind for word in words):
            return shape
    return ""


@recipe(
    "optical_effect",
    "shadow_other_shape",
    fits=_shaded,
    planted="The shadow has the outline of something else (person, animal, tree, star, "
    "cross, bottle) on the "
    "right side, in about the thing's height.",
    twin="Its shadow has its own outline.",
    held_out=True,
)
def shadow_other_shape(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    if not _long_enough(world, target, 0.45):
        return None
    height = float(max(target.size[2], 0.5 * target.size.max()) * rng.uniform(1.1, 1.5))
    shapes = _shapes(height, float(target.size[:2].max()))
    own = "person" if "person" in target.tags else _like(target.kind)
    if "animal" in target.tags and "bird" not in target.tags:
        own = "animal"
    names = [n for n in shapes if n != own]
    name = names[int(rng.integers(len(names)))]
    # Broad side to the light, so that the outline can be read.
    d = world.sun.direction
    turn = rot("z", float(np.degrees(np.arctan2(d[1], d[0])) + 90 + rng.uniform(-15, 15)))
    dark = Paint((0.1, 0.1, 0.1))
    pieces = [(m.transformed(turn, (0, 0, 0)), dark) for m in shapes[name]]
    caster = thing("caster", name, pieces, at=foot(target), like=target)
    wrong = replace(target, shadow=_flat(world, target, caster, world.sun.direction))
    return Planted(
        world.changed(wrong),
        world,
        (target.key,),
        f"The {target.kind}'s shadow is that of another shape: {name}.",
    )


@recipe(
    "optical_effect",
    "shadow_missing",
    fits=_shaded,
    planted="In plain sunlight, where everything else has its shadow, one thing has none.",
    twin="It has its shadow.",
)
def shadow_missing(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    others = [t for t in world.things if t.key != target.key and t.casts and in_sight(world, t, 16)]
    if not _long_enough(world, target, 0.3) or not others:
        return None
    if float(target.low[2]) > world.ground + 0.02 and target.rests_on is None:
        return None
    nothing = thing("caster", "nothing", [(ellipsoid((0, 0, 0), (1e-4,) * 3), matt((0, 0, 0)))])
    # Far below, so that it is still mirrored as it should be but shades nothing.
    wrong = replace(target, shadow=nothing.moved(foot(target) - [0, 0, 40.0]))
    return Planted(
        world.changed(wrong),
        world,
        (target.key,),
        f"The {target.kind} has no shadow in plain light.",
    )


@recipe(
    "optical_effect",
    "shadow_detached",
    fits=_shaded,
    planted="A thing that stands has its shadow somewhere else: shifted by half to more "
    "than its own width, or "
    "twice to three times as large as it can be.",
    twin="Its shadow begins where it stands, in its size.",
)
def shadow_detached(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    if not _long_enough(world, target, 0.25):
        return None
    if rng.random() < 0.6:
        angle = float(rng.uniform(-40, 40)) + (90 if rng.random() < 0.5 else -90)
        d = rot("z", angle) @ np.array([world.sun.direction[0], world.sun.direction[1], 0.0])
        d /= np.linalg.norm(d)
        by = float(
            rng.uniform(0.9, 1.3) * max(target.size[0], target.size[1], 0.5 * target.size[2])
        )
        caster, how = target.moved(d * by), "apart from it"
    else:
        caster, how = target.scaled(float(rng.uniform(1.9, 2.6))), "far too large"
    wrong = replace(target, shadow=_flat(world, target, caster, world.sun.direction))
    return Planted(
        world.changed(wrong), world, (target.key,), f"The {target.kind}'s shadow lies {how}."
    )
