"""Things that great heat or cold leaves as they are."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import Spot, pick, placeable, spot_for
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer
from benchmarks.scenes.pairs.things.heat import (
    blaze,
    cubes,
    glow,
    hob,
    logs,
    puddle,
    snowman,
    steam,
)
from benchmarks.scenes.pairs.things.stoves import frost_on_stove, gas_stove, iron_stove, pan_of
from benchmarks.scenes.pairs.world import Effect, Thing, World


def _warm(spot: Spot, high: float, radius: float) -> Effect:
    return glow(spot.point((0, 0, high)), radius * spot.scale, (1.0, 0.42, 0.12), 0.45)


@recipe(
    "thermal_response",
    "ice_on_hot_plate",
    fits=placeable(0.3),
    planted="Whole ice cubes with sharp edges lie on the red-glowing disc of an electric "
    "hot plate.",
    twin="Only a puddle, some rounded remains and steam are left of them; or the plate "
    "is cold and dark and "
    "the cubes are whole.",
)
def ice_on_hot_plate(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.3, rng)
    if spot is None:
        return None
    side, top = 0.3, 0.22 * 0.3
    plate = spot.put("plate", "hot plate", hob(side, hot=True), has=("hot", "rigid", "stands"))
    whole = spot.put(
        "ice",
        "ice cubes",
        cubes(rng, 0.075, int(rng.integers(2, 5))),
        shift=(0, 0, top),
        has=("ice",),
    )
    if not spot.fair(plate):
        return None
    warm = _warm(spot, top, 0.24)
    violated = spot.world.plus(plate, whole).after(warm)
    if rng.random() < 0.5:
        rest = spot.put("ice", "puddle", puddle(rng, 0.1, lumps=2), shift=(0, 0, top))
        vapour = steam(rng, spot.point((0, 0, top)), 0.3 * spot.scale, 0.09 * spot.scale)
        clean = spot.world.plus(plate, rest).after(warm, vapour)
    else:
        cold = spot.put("plate", "hot plate", hob(side, hot=False), has=("rigid", "stands"))
        clean = spot.world.plus(cold, whole)
    return closer(
        Planted(
            violated, clean, ("plate", "ice"), "Ice cubes lie whole on a red-glowing hot plate."
        ),
        rng,
    )


_FATS = ((0.98, 0.85, 0.4), (0.3, 0.16, 0.08), (0.95, 0.93, 0.86), (0.85, 0.3, 0.45))


@recipe(
    "thermal_response",
    "butter_in_hot_pan",
    fits=placeable(0.4),
    planted="A block of butter, chocolate or wax keeps its edges in a glowing pan over "
    "burning gas.",
    twin="It has run into a pool in the glowing pan; or the gas is off, the pan dark and "
    "the block whole.",
)
def butter_in_hot_pan(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.4, rng)
    if spot is None:
        return None
    r, rise = 0.15, 0.15 * 0.5
    seed = int(rng.integers(2**31))
    stove = spot.put(
        "stove",
        "gas stove",
        gas_stove(np.random.default_rng(seed), r, burning=True),
        has=("hot", "flame"),
    )
    pan = spot.put("pan", "pan", pan_of(r, hot=True), shift=(0, 0, rise), has=("hot", "vessel"))
    fat = Paint(pick(rng, _FATS), specular=0.3)
    floor = rise + 0.12 * r
    size = np.array([0.62, 0.44, 0.36]) * r
    block = spot.put(
        "block", "butter", [(box((0, 0, size[2] / 2), size), fat)], shift=(0, 0, floor)
    )
    if not spot.fair(stove, pan):
        return None
    warm = glow(spot.point((0, 0, rise)), 0.22 * spot.scale, (1.0, 0.5, 0.15), 0.35)
    violated = spot.world.plus(stove, pan, block).after(warm)
    if rng.random() < 0.6:
        pool = spot.put("block", "butter", puddle(rng, 0.62 * r, fat), shift=(0, 0, floor))
        clean = spot.world.plus(stove, pan, pool).after(warm)
    else:
        off = spot.put(
            "stove", "gas stove", gas_stove(np.random.default_rng(seed), r, burning=False)
        )
        cold = spot.put("pan", "pan", pan_of(r, hot=False), shift=(0, 0, rise), has=("vessel",))
        clean = spot.world.plus(off, cold, block)
    return closer(
        Planted(
            violated, clean, ("block", "pan"), "A soft block keeps its edges in a glowing pan."
        ),
        rng,
    )


def _open_air(world: World, target: Thing) -> bool:
    return world.place not in ("indoor", "kitchen", "air", "workshop") and placeable(1.0, 3.0)(
        world, target
    )


@recipe(
    "thermal_response",
    "snowman_by_fire",
    fits=_open_air,
    planted="A snowman stands with clean round balls right beside a blazing fire.",
    twin="It has slumped into a pool beside the fire; or the logs are not lit and it stands.",
)
def snowman_by_fire(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 1.0, rng, 3.0)
    if spot is None:
        return None
    side = 1.0 if rng.random() < 0.5 else -1.0
    wood = spot.put("logs", "logs", logs(rng, 0.24), shift=(side * 0.36, 0, 0))
    fire = spot.put(
        "fire",
        "fire",
        blaze(rng, 0.75, 0.24),
        shift=(side * 0.36, 0, 0.08),
        has=("flame", "hot"),
        casts=False,
    )
    whole = spot.put("snowman", "snowman", snowman(0.85), shift=(-side * 0.2, 0, 0), has=("cold",))
    if not spot.fair(wood, fire, whole):
        return None
    warm = glow(spot.point((side * 0.36, 0, 0.35)), 0.7 * spot.scale, (1.0, 0.55, 0.15), 0.4)
    violated = spot.world.plus(wood, fire, whole).after(warm)
    if rng.random() < 0.6:
        soft = snowman(0.85, melted=float(rng.uniform(0.75, 0.95)))
        slumped = spot.put("snowman", "snowman", soft, shift=(-side * 0.3, 0, 0), has=("cold",))
        clean = spot.world.plus(wood, fire, slumped).after(warm)
    else:
        clean = spot.world.plus(wood, whole)
    return closer(
        Planted(
            violated, clean, ("snowman",), "A snowman stands unmelted right beside a blazing fire."
        ),
        rng,
        ("snowman", "logs"),
    )


@recipe(
    "thermal_response",
    "frost_on_hot_stove",
    fits=placeable(0.6, 3.2),
    planted="A cast-iron stove with red top plate and a fire behind its bars carries a "
    "snow cap and icicles.",
    twin="The stove is hot and bare; or cold and dark under the same snow and icicles.",
    held_out=True,
)
def frost_on_hot_stove(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.6, rng, 3.2)
    if spot is None:
        return None
    hot = spot.put("stove", "iron stove", iron_stove(0.6, hot=True), has=("hot", "flame", "stands"))
    ice = spot.put("frost", "snow and icicles", frost_on_stove(rng, 0.6), has=("ice", "cold"))
    if not spot.fair(hot):
        return None
    warm = _warm(spot, 0.3, 0.4)
    violated = spot.world.plus(hot, ice).after(warm)
    if rng.random() < 0.5:
        clean = spot.world.plus(hot).after(warm)
    else:
        cold = spot.put("stove", "iron stove", iron_stove(0.6, hot=False), has=("stands",))
        clean = spot.world.plus(cold, ice)
    return closer(
        Planted(violated, clean, ("frost", "stove"), "Snow and icicles lie on a red-hot stove."),
        rng,
    )
