"""Things that glow, burn or heat with nothing that could feed them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.arrange import pick, placeable, spot_for, upright
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer, in_sight
from benchmarks.scenes.pairs.things.heat import (
    IRON,
    blaze,
    bulb,
    candle,
    flame,
    glow,
    logs,
    moved,
    table_lamp,
)
from benchmarks.scenes.pairs.world import Thing, World

_WAX = ((0.95, 0.92, 0.82), (0.75, 0.16, 0.14), (0.3, 0.45, 0.6), (0.92, 0.8, 0.45))
_WARM = (1.0, 0.62, 0.2)
_LAMP = (1.0, 0.9, 0.6)


@recipe(
    "energy_source",
    "flame_without_candle",
    fits=placeable(0.24),
    planted="A candle flame burns in the air: beside or far above its unlit candle, or "
    "with no candle at all.",
    twin="It burns on the candle's wick.",
)
def flame_without_candle(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.24, rng)
    if spot is None:
        return None
    high, radius = float(rng.uniform(0.14, 0.18)), float(rng.uniform(0.02, 0.035))
    body = candle(high, radius, pick(rng, _WAX), lit=False)
    stick = spot.put("candle", "candle", body, has=("stands",))
    burning = flame(high * 0.5)
    wick = (0.0, 0.0, high * 1.04)
    alight = spot.put("flame", "flame", burning, shift=wick, has=("flame", "hot"), casts=False)
    if not spot.fair(stick, alight):
        return None
    side = 1.0 if rng.random() < 0.5 else -1.0
    if rng.random() < 0.5:
        left: tuple[Thing, ...] = (stick,)
        aside, up = side * high * float(rng.uniform(0.55, 0.75)), float(rng.uniform(0.5, 1.0))
    else:
        left, aside, up = (), 0.0, float(rng.uniform(0.5, 1.04))
    away = (aside, 0.0, high * up)
    alone = spot.put("flame", "flame", burning, shift=away, has=("flame", "hot"), casts=False)

    def shine(at: tuple[float, float, float], there: tuple[Thing, ...]) -> World:
        warm = glow(spot.point((at[0], at[1], at[2] + 0.04)), 0.16 * spot.scale, _WARM, 0.5)
        return spot.world.plus(*there).after(warm)

    return closer(
        Planted(
            shine(away, (*left, alone)),
            shine(wick, (stick, alight)),
            ("flame",),
            "A flame burns in the air, on no wick.",
        ),
        rng,
        ("candle", "flame"),
        fill=0.42,
    )


@recipe(
    "energy_source",
    "bulb_without_socket",
    fits=placeable(0.22),
    planted="A bare light bulb shines while it lies or stands there, with no socket, lamp or cord.",
    twin="The same bulb lies there dark; or it shines in the socket of a lamp with a cord.",
)
def bulb_without_socket(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.22, rng)
    if spot is None:
        return None
    r, stem = 0.045, 0.11
    lies = rng.random() < 0.6
    turn = rot("z", float(rng.uniform(-35, 35))) @ rot("y", 90.0) if lies else np.eye(3)
    shift = (-1.5 * r, 0.0, r) if lies else (0.0, 0.0, 0.0)
    on = spot.put("bulb", "light bulb", bulb(r, lit=True), shift=shift, turn=turn, casts=False)
    off = spot.put("bulb", "light bulb", bulb(r, lit=False), shift=shift, turn=turn)
    middle = spot.point((0, 0, r) if lies else (0, 0, 2 * r))
    shine = glow(middle, 0.13 * spot.scale, _LAMP, 0.6)
    foot_of = spot.put("lamp", "lamp", table_lamp(stem, pick(rng, _WAX)), has=("lamp", "stands"))
    if not spot.fair(on, least=26):
        return None
    violated = spot.world.plus(on).after(shine)
    if rng.random() < 0.5:
        clean = spot.world.plus(off)
    else:
        up = spot.put("bulb", "light bulb", bulb(r, lit=True), shift=(0, 0, stem), casts=False)
        if not spot.fair(foot_of, up, least=26):
            return None
        above = glow(spot.point((0, 0, stem + 2 * r)), 0.13 * spot.scale, _LAMP, 0.6)
        clean = spot.world.plus(foot_of, up).after(above)
    return closer(
        Planted(violated, clean, ("bulb",), "A bare bulb shines with no socket or cord."),
        rng,
        fill=0.42,
    )


@recipe(
    "energy_source",
    "fire_without_fuel",
    fits=placeable(0.5, 3.0),
    planted="A fire blazes on the bare floor, ground, road or table top, with nothing "
    "under it that burns.",
    twin="It burns on logs in a ring of stones, or in an iron bowl of coals.",
)
def fire_without_fuel(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.5, rng, 3.0)
    if spot is None or world.place == "air":
        return None
    wide = 0.16
    burning = blaze(rng, 0.42, wide)
    if rng.random() < 0.5:
        fuel, rise, what = logs(rng, wide), 0.05, "logs"
    else:
        bowl = upright([0, 0.03, 0.16, 0.16, 0.1], [0.1, 0.13, 0.22, 0.2, 0.14], n=20)
        coals = moved(logs(rng, wide * 0.6)[:4], (0, 0, 0.09))
        fuel, rise, what = [(bowl, IRON), *coals], 0.13, "bowl of coals"
    under = spot.put("fuel", what, fuel, has=("stands",))
    fed = spot.put("fire", "fire", burning, shift=(0, 0, rise), has=("flame", "hot"), casts=False)
    bare = spot.put("fire", "fire", burning, has=("flame", "hot"), casts=False)
    if not spot.fair(under, fed):
        return None

    def shine(rise: float, *there: Thing) -> World:
        warm = glow(spot.point((0, 0, rise + 0.2)), 0.42 * spot.scale, _WARM, 0.4)
        return spot.world.plus(*there).after(warm)

    return closer(
        Planted(
            shine(0.0, bare),
            shine(rise, under, fed),
            ("fire",),
            "A fire burns on nothing that could feed it.",
        ),
        rng,
        fill=0.42,
    )


def _plain(world: World, target: Thing) -> bool:
    if target.tags & {
        "lamp",
        "screen",
        "flame",
        "hot",
        "ice",
        "transparent",
        "building",
        "vehicle",
    }:
        return False
    if target.facts.get("detail") or target.tags & {"living", "worn", "sign", "mirror"}:
        return False
    return in_sight(world, target, 34)


def _shining(part: Part, rgb: tuple[float, float, float], strength: float) -> Part:
    pieces = []
    for piece in part.pieces:
        c = np.asarray(piece.paint.rgb) * 0.25 + np.asarray(rgb) * 0.75
        paint = replace(
            piece.paint,
            rgb=(float(c[0]), float(c[1]), float(c[2])),
            emission=strength,
            texture=None,
            specular=0.0,
        )
        pieces.append(replace(piece, paint=paint))
    return replace(part, pieces=tuple(pieces))


@recipe(
    "energy_source",
    "glowing_thing",
    fits=_plain,
    planted="An everyday thing (stone, chair, cup, fruit ...) shines by itself like a "
    "bulb, with light around it.",
    twin="It looks as its kind does.",
    held_out=True,
)
def glowing_thing(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    rgb = pick(rng, ((1.0, 0.85, 0.45), (1.0, 0.6, 0.2), (0.6, 0.9, 1.0), (0.7, 1.0, 0.5)), 0.03)
    parts = tuple(_shining(part, rgb, float(rng.uniform(0.5, 0.65))) for part in target.parts)
    bright = replace(target, parts=parts, casts=False)
    around = glow(target.centre, float(target.size.max()) * 0.75, rgb, 0.6)
    return closer(
        Planted(
            world.changed(bright).after(around),
            world,
            (target.key,),
            f"The {target.kind} shines by itself.",
        ),
        rng,
        fill=0.42,
    )
