"""Vehicles, tools, vessels and furniture put together so that they could not work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.misjoined import FURNITURE, TOOLS, VESSELS, Way
from benchmarks.scenes.pairs.pick import free_top, near_side, shown, words_of
from benchmarks.scenes.pairs.refit import (
    aircraft_refitted,
    axes_of,
    loose_parts,
    put_at,
)
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.world import Thing, World

_TWIN: Final = "The same thing with its parts where they belong."


def _in(table: Mapping[str, Sequence[Way]], world: World, thing: Thing) -> bool:
    if thing.kind not in table or thing.remake is None or not free_top(world, thing):
        return False
    return shown(world, thing, 32)


def _remade(
    table: Mapping[str, Sequence[Way]], world: World, thing: Thing, rng: Generator
) -> Planted | None:
    ways = table[thing.kind]
    how, detail = ways[int(rng.integers(len(ways)))]
    if thing.remake is None:
        return None
    new = thing.remake(**how)
    return Planted(world.changed(new), world, (thing.key,), f"the {words_of(thing)} {detail}")


@recipe(
    "nonbiological_structure",
    "vessel_wrong",
    fits=lambda w, t: _in(VESSELS, w, t),
    planted="A vessel whose handle, spout, neck or lid is where it is of no use.",
    twin=_TWIN,
)
def vessel_wrong(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _remade(VESSELS, world, thing, rng)


@recipe(
    "nonbiological_structure",
    "tool_wrong",
    fits=lambda w, t: _in(TOOLS, w, t),
    planted="A tool or piece of cutlery wrongly joined: a hammer's head half way down, halves of "
    "scissors that never meet, a handle on a saw's blade.",
    twin=_TWIN,
)
def tool_wrong(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _remade(TOOLS, world, thing, rng)


@recipe(
    "nonbiological_structure",
    "furniture_wrong",
    fits=lambda w, t: _in(FURNITURE, w, t),
    planted="A chair with back or leg misplaced, a ladder with rungs outside, a lamp with its shade "
    "below, a laptop hinged wrongly; it stands upright all the same.",
    twin=_TWIN,
)
def furniture_wrong(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _remade(FURNITURE, world, thing, rng)


def _near_wheels(world: World, thing: Thing) -> list[str]:
    """Keys without "wheel." of the wheels nearest to the camera."""
    wheels = [p for p in thing.parts if p.key.startswith("wheel.")]
    wheels.sort(key=lambda p: float(np.linalg.norm(p.centre - world.camera.pos)))
    return [p.key[6:] for p in wheels[: max(1, len(wheels) // 2)]]


def _wheeled(world: World, thing: Thing) -> bool:
    return (
        "vehicle" in thing.tags
        and thing.remake is not None
        and any(p.key.startswith("wheel.") for p in thing.parts)
        and free_top(world, thing)
        and shown(world, thing, 50)
    )


@recipe(
    "nonbiological_structure",
    "wheel_wrong",
    fits=_wheeled,
    planted="A wheel beside its axle, on the roof or in the middle of the side; wheels that are square "
    "or stand across.",
    twin=_TWIN,
)
def wheel_wrong(world: World, thing: Thing, rng: Generator) -> Planted | None:
    near = _near_wheels(world, thing)
    wheel = near[int(rng.integers(len(near)))]
    ways: list[Way] = [
        ({"wheel_off": wheel}, "has a wheel off its axle"),
        ({"wheel_on_roof": wheel}, "has a wheel on top"),
        ({"wheel_inside": wheel}, "has a wheel in the middle of its side"),
        ({"wheels_square": True}, "has square wheels"),
        ({"wheels_turned": 90.0}, "has wheels that stand across"),
    ]
    how, detail = ways[int(rng.integers(len(ways)))]
    if thing.remake is None:
        return None
    new = thing.remake(**how)
    return Planted(world.changed(new), world, (thing.key,), f"the {words_of(thing)} {detail}")


_MOVABLE: Final = (
    "door",
    "bonnet",
    "bumper.front",
    "grille",
    "engine",
    "propeller",
    "wing",
    "tail",
    "saddle",
    "handlebar",
    "tail_wing",
)


def _has_movable(world: World, thing: Thing) -> bool:
    return (
        "vehicle" in thing.tags
        and "facing" in thing.facts
        and any(p.key.startswith(_MOVABLE) for p in thing.parts)
        and thing.kind != "tricycle"
        and free_top(world, thing)
        and shown(world, thing, 50)
    )


@recipe(
    "nonbiological_structure",
    "part_elsewhere",
    fits=_has_movable,
    planted="A vehicle's part elsewhere: a door or bonnet on the roof, an engine on an aircraft's nose, "
    "wings at its tail, a bicycle's handlebar behind and its saddle in front.",
    twin=_TWIN,
)
def part_elsewhere(world: World, thing: Thing, rng: Generator) -> Planted | None:
    axes, high = axes_of(thing), thing.high
    body = thing.verts() @ axes
    front, rear = float(body[:, 0].max()), float(body[:, 0].min())
    middle = np.array([thing.centre[0], thing.centre[1], 0.0])
    near = near_side(world, thing)
    sides = ("left", "right") if float(near @ axes[:, 1]) >= 0 else ("right", "left")
    keys = [p.key for p in thing.parts if p.key.startswith(_MOVABLE)]
    if thing.kind == "bicycle":
        saddle, bar = (next(p for p in thing.parts if p.key == k) for k in ("saddle", "handlebar"))
        new = put_at(thing, "saddle", np.eye(3), bar.centre)
        new = put_at(new, "handlebar", np.eye(3), saddle.centre)
        return Planted(
            world.changed(new),
            world,
            (thing.key,),
            "the bicycle has saddle and handlebar exchanged",
        )
    if "aircraft" in thing.tags:
        return aircraft_refitted(world, thing, axes, front, rear, sides, rng)
    doors = [k for k in keys if k.startswith(f"door.{sides[0]}")]
    others = [k for k in keys if k in ("bonnet", "bumper.front", "grille")]
    options = [*doors, *others]
    if not options:
        return None
    key = options[int(rng.integers(len(options)))]
    part = next(p for p in thing.parts if p.key == key)
    half = float(np.ptp(part.verts()[:, 2])) / 2
    turn, lift = np.eye(3), half
    if key.startswith("door"):
        # Lying flat on the roof, like a lid.
        turn = axes @ rot("x", 90.0 if sides[0] == "left" else -90.0) @ axes.T
        lift = 0.02
    roof = next((p for p in thing.parts if p.key == "roof"), None)
    spot = roof.centre if roof is not None else np.array([middle[0], middle[1], high[2]])
    to = np.array([spot[0], spot[1], high[2] + lift * 0.9])
    new = put_at(thing, key, turn, to)
    return Planted(
        world.changed(new),
        world,
        (thing.key,),
        f"the {words_of(thing)} has its {key.split('.')[0]} on the roof",
    )


def _of_parts(world: World, thing: Thing) -> bool:
    """A rigid thing with a part beside its body that is large enough to tell."""
    if not {"rigid"} <= thing.tags or thing.tags & {
        "held",
        "hangs",
        "sign",
        "food",
        "building",
        "flame",
        "lamp",
        "domino",
        "cold",
        "aircraft",
        "plant",
    }:
        return False
    return free_top(world, thing) and shown(world, thing, 36) and bool(loose_parts(thing))


@recipe(
    "nonbiological_structure",
    "part_on_top",
    fits=_of_parts,
    planted="Any rigid thing with one of its parts taken off and set upright on its top: a leg on a "
    "chair's back, a wheel, a handle or a spout on the lid.",
    twin=_TWIN,
    held_out=True,
)
def part_on_top(world: World, thing: Thing, rng: Generator) -> Planted | None:
    options = loose_parts(thing)
    part = options[int(rng.integers(len(options)))]
    rest = np.concatenate([p.verts() for p in thing.parts if p.key != part.key])
    size = float(thing.size.max())
    top = rest[rest[:, 2] > rest[:, 2].max() - 0.04 * size].mean(0)
    extent = np.ptp(part.verts(), axis=0)
    turn = np.eye(3)
    if int(extent.argmax()) != 2:
        turn = rot("y", 90.0) if int(extent.argmax()) == 0 else rot("x", 90.0)
    up = float(extent.max()) / 2
    to = np.array([top[0], top[1], float(rest[:, 2].max()) + 0.88 * up])
    new = put_at(thing, part.key, turn, to)
    name = part.key.split(".")[0].replace("_", " ")
    return Planted(
        world.changed(new), world, (thing.key,), f"the {words_of(thing)} has a {name} on top"
    )
