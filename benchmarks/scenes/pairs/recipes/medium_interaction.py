"""Things that sit wrongly in water, snow or sand."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import matt, pick, placeable, spot_for
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer
from benchmarks.scenes.pairs.things.afloat import (
    BRIGHT,
    floater,
    glass_tank,
    sand_surface,
    water_basin,
)
from benchmarks.scenes.pairs.things.heat import moved
from benchmarks.scenes.pairs.things.loads import weight
from benchmarks.scenes.pairs.world import Thing, World

_WATERS = ((0.25, 0.5, 0.68), (0.3, 0.58, 0.6), (0.2, 0.42, 0.62))


@recipe(
    "medium_interaction",
    "wrong_in_tank",
    fits=placeable(0.5, 5.0),
    planted="In a glass tank of water an iron weight, anvil or bowling ball floats at "
    "the surface, or a light "
    "thing (duck, toy boat, beach ball, wood) lies on the bottom.",
    twin="The heavy one lies on the bottom; the light one floats as deep as its weight says.",
)
def wrong_in_tank(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.5, rng, 5.0)
    if spot is None:
        return None
    turn = rot("z", float(rng.uniform(-25, 25)))
    aside, look = float(rng.uniform(-0.08, 0.08)), rot("z", float(rng.uniform(-40, 40)))
    level, bottom = 0.3, 0.013
    tank = glass_tank(spot, Paint(pick(rng, _WATERS), specular=0.5, alpha=0.38), turn)
    if rng.random() < 0.5:
        name, pieces, _ = weight(rng, 0.07)
        tall = max(float(m.verts[:, 2].max()) for m, _ in pieces)
        wrong, right, what = level - tall * 0.4, bottom, f"A heavy {name} floats in water."
    else:
        name, pieces, _, deep = floater(rng, 0.07)
        wrong, right, what = bottom, level - deep, f"A light {name} lies under water."

    def put(z: float) -> Thing:
        placed = moved(moved(pieces, linear=look), (aside, 0.0, z))
        return spot.put("load", name, placed, turn=turn, has=("rigid",))

    if not spot.fair(*tank, least=70):
        return None
    # The load first: what is transparent is drawn over it.
    return closer(
        Planted(
            spot.world.plus(put(wrong), *tank),
            spot.world.plus(put(right), *tank),
            ("load", "water"),
            what,
        ),
        rng,
        ("tank",),
    )


@recipe(
    "medium_interaction",
    "stands_on_basin_water",
    fits=placeable(0.5, 5.0),
    planted="A duck, toy boat, beach ball or wooden block stands dry on top of the water "
    "of a basin, as if it "
    "were glass; or an iron weight does.",
    twin="It lies in the water as deep as its weight says; the weight stands on a board "
    "across the rim.",
    held_out=True,
)
def stands_on_basin_water(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.5, rng, 5.0)
    if spot is None:
        return None
    level = 0.12
    tub = water_basin(
        spot, pick(rng, BRIGHT), Paint(pick(rng, _WATERS), specular=0.7, shininess=0.8)
    )
    look = rot("z", float(rng.uniform(-50, 50)) + (180 if rng.random() < 0.5 else 0))
    if rng.random() < 0.3:
        name, pieces, _ = weight(rng, 0.07)
        board = [(box((0, 0, 0.158), (0.7, 0.16, 0.016)), Paint((0.68, 0.48, 0.28)))]
        plank: tuple[Thing, ...] = (spot.put("board", "board", board, has=("rigid",)),)
        wrong, right = level, 0.166
    else:
        name, pieces, _, deep = floater(rng, 0.1, balls=False)
        plank, wrong, right = (), level + 0.002, level - deep
    placed = moved(pieces, linear=look)
    dry = spot.put("load", name, placed, shift=(0, 0, wrong), has=("rigid",))
    wet = spot.put("load", name, placed, shift=(0, 0, right), has=("rigid",))
    if not spot.fair(*tub, dry, least=60):
        return None
    return closer(
        Planted(
            spot.world.plus(*tub, dry),
            spot.world.plus(*tub, *plank, wet),
            ("load",),
            f"A {name} stands on top of the water.",
        ),
        rng,
        ("basin", "load"),
    )


@recipe(
    "medium_interaction",
    "sand_not_dented",
    fits=placeable(0.6, 5.0),
    planted="In a box of loose sand or snow a heavy ball, weight or anvil that fell in "
    "lies on the untouched "
    "surface, or above a crater that does not touch it.",
    twin="It has sunk in, within a crater with a raised rim.",
)
def sand_not_dented(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.6, rng, 5.0)
    if spot is None:
        return None
    grain = matt(pick(rng, ((0.85, 0.72, 0.48), (0.93, 0.94, 0.97), (0.62, 0.5, 0.36))))
    wood = Paint(pick(rng, ((0.55, 0.36, 0.2), (0.3, 0.45, 0.6), (0.7, 0.25, 0.2))), specular=0.1)
    sides = [
        (box((x * 0.3, y * 0.3, 0.08), (0.03 if x else 0.63, 0.03 if y else 0.63, 0.16)), wood)
        for x, y in ((-1, 0), (1, 0), (0, -1), (0, 1))
    ]
    name, pieces, wide = weight(rng, float(rng.uniform(0.08, 0.1)))
    turn = rot("z", float(rng.uniform(-35, 35)))
    seed, dent = int(rng.integers(2**31)), float(rng.uniform(0.075, 0.095))

    def sand(depth: float) -> Thing:
        surface = sand_surface(np.random.default_rng(seed), depth, wide * 1.25)
        return spot.put("sand", "sand", [(surface, grain)], turn=turn, has=("soft",))

    def load(z: float) -> Thing:
        return spot.put("load", name, pieces, shift=(0, 0, z), turn=turn, has=("rigid",))

    rim = spot.put("sandbox", "sandbox", sides, turn=turn, has=("rigid", "stands"))
    if not spot.fair(rim, least=64):
        return None
    return closer(
        Planted(
            spot.world.plus(rim, sand(0.0), load(0.122)),
            spot.world.plus(rim, sand(dent), load(0.12 - dent * 0.97)),
            ("load", "sand"),
            f"A heavy {name} leaves no dent in the loose ground it lies on.",
        ),
        rng,
        ("sandbox", "load"),
    )
