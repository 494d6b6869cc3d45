"""Tables one eats at: a dining table, and a cafe table by a window."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, devices, furniture, kitchen, lamps, props, signs
from benchmarks.scenes.pairs.things.kit import WHITE, Options, box, colour, part, turned
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.room import (
    Textures,
    curtains,
    floor,
    outside,
    surface,
    wall,
    window,
)
from benchmarks.scenes.pairs.things.seams import seams
from benchmarks.scenes.pairs.world import Thing, World

_SUBJECTS: Options = (
    (kitchen.teapot, {}),
    (kitchen.jug, {}),
    (props.vase, {}),
    (props.basket, {}),
    (kitchen.bowl, {"full": True}),
    (kitchen.pot, {}),
    (signs.bottle, {"label": True, "turn": 0.0}),
    (kitchen.cup, {}),
    (lamps.candle, {}),
    (kitchen.loaf, {}),
)
_ASIDES: Options = (
    (kitchen.plate, {}),
    (kitchen.plate, {"key": "second_plate"}),
    (kitchen.glass, {}),
    (kitchen.cup, {}),
    (kitchen.mug, {}),
    (kitchen.bowl, {}),
    (kitchen.fork, {"least": 0.012}),
    (kitchen.knife, {"least": 0.012}),
    (kitchen.spoon, {"least": 0.012}),
    (kitchen.apple, {}),
    (kitchen.banana, {}),
    (lamps.candle, {}),
    (lamps.candle, {"lit": False}),
    (signs.bottle, {}),
    (props.basket, {}),
    (kitchen.jug, {}),
    (blocks.butter, {"least": 0.012}),
    (signs.table_sign, {"words": "RESERVED", "turn": 0.0}),
    (kitchen.glass, {"key": "wine"}),
)


_CAFE: Options = (
    *_ASIDES,
    (signs.table_sign, {"key": "menu", "kind": "menu", "turn": 0.0}),
    (devices.laptop, {"turn": 0.0}),
    (devices.phone, {}),
    (blocks.book, {"lettered": True, "turn": 0.0}),
    (kitchen.teapot, {}),
)
_ON_CAFE_TABLE: Options = (
    (kitchen.cup, {}),
    (kitchen.cup, {}),
    (kitchen.teapot, {}),
    (kitchen.teapot, {}),
    (kitchen.jug, {}),
    (signs.table_sign, {"kind": "menu", "size": (0.17, 0.13)}),
    (signs.table_sign, {"kind": "menu", "size": (0.24, 0.12)}),
    (blocks.book, {"lettered": True}),
    (devices.laptop, {}),
    (signs.bottle, {"label": True}),
)


def _sitter(rng: Generator, x: float, y: float, floor_z: float, seat: float) -> tuple[Thing, Thing]:
    """A chair and who sits on it, facing +x."""
    chair = furniture.chair(rng, "chair", at=(x, y, floor_z))
    top = float(chair.facts["seat"][2]) - floor_z
    look = (float(rng.uniform(0.6, 1.2)), float(rng.uniform(-0.6, 0.6)), 0.3)
    who = person(
        rng,
        "person",
        (x + 0.04, y, floor_z),
        float(rng.uniform(-12, 12)),
        subject=True,
        pose="sit",
        seat=top,
        rests_on="chair",
        look_at=look,
    )
    del seat
    return chair, who


@base(
    "dining_table",
    "Dining table laid with plates, cups, fruit, candles; sometimes a person sits behind it",
)
@furnished
def dining_table(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    high = float(rng.uniform(0.71, 0.75))
    ground = surface(rng, textures, "floor", ("planks", "tiles", "carpet", "stone"), "xy", 1.6)
    back = surface(rng, textures, "wall", ("plaster", "wallpaper", "brick"), "yz", 1.6)
    deep, wide = float(rng.uniform(0.8, 1.0)), float(rng.uniform(1.3, 2.0))
    table = furniture.table(rng, "table", at=(0, 0, -high), size=(deep, wide), height=high)
    wall_x = -float(rng.uniform(1.5, 2.6))
    stage: list[Part] = [floor(-high, ground), wall(wall_x, back)]
    region = (-deep / 2 + 0.02, deep / 2 - 0.02, -wide / 2 + 0.02, wide / 2 - 0.02)
    with_person = rng.random() < 0.4
    if with_person:
        chair, who = _sitter(rng, -deep / 2 - 0.22, float(rng.uniform(-0.15, 0.15)), -high, 0.45)
        upper = who.verts()[who.verts()[:, 2] > -0.05]
        camera = view(
            rng,
            np.concatenate([upper, [[0.2, 0.3, 0], [0.2, -0.3, 0]]]),
            fill=(0.62, 0.8),
            high=(8, 24),
            turn=28,
            drop=(-0.6, -0.1),
        )
    else:
        make, how = _SUBJECTS[int(rng.integers(len(_SUBJECTS)))]
        turn = float(how.get("turn", rng.uniform(-70, 70)))
        more: dict[str, Any] = {k: v for k, v in how.items() if k != "turn"}
        subject = make(
            rng,
            make.kind.replace(" ", "_"),
            at=(float(rng.uniform(-0.15, 0.15)), 0, 0),
            turn=turn,
            subject=True,
            rests_on="table",
            **more,
        )
        camera = view(
            rng, subject.verts(), fill=(0.3, 0.5), high=(14, 42), turn=40, drop=(-0.3, 0.5)
        )
    plan = Layout(rng, camera, region, wall=wall_x, textures=textures, on="table")
    plan.add(table, hides=False)
    plan.blocked.clear()
    if with_person:
        plan.things += [chair, who]
        plan.block(who)
        plan.least = 0.012
    else:
        plan.add(subject)
    if rng.random() < 0.3:
        lamp = lamps.hanging_lamp(
            rng,
            "hanging_lamp",
            at=(0, 0, float(rng.uniform(0.4, 0.6))),
            length=1.4,
            lit=bool(rng.random() < 0.6),
        )
        plan.overhead(lamp)
    plan.keep(int(rng.integers(1, 3)), 0.1)
    if rng.random() < 0.3:
        stage += seams(rng, wall_x, -high)
    if rng.random() < 0.5 and not with_person:
        plan.hang(signs.picture_frame, "picture", low=0.1, size=(0.6, 0.45))
    plan.several(_ASIDES, int(rng.integers(4, 9)))
    return plan.world("dining_table", stage, daylight(rng, camera), ground=-high, free=2, size=0.08)


def _around(rng: Generator, plan: Layout, r: float, floor_z: float) -> None:
    """What a cafe has besides its tables: a board and a clock on the wall, a free chair."""
    side = float(rng.choice([-1.0, 1.0]))
    x, y = float(rng.uniform(-0.5, 0.0)), side * (r + float(rng.uniform(0.3, 0.45)))
    turn = -90.0 * side + float(rng.uniform(-25, 25))
    chair = furniture.chair(rng, "free_chair", at=(x, y, floor_z), turn=turn)
    if plan.clear(chair.low, chair.high, 0.02, within=False) and plan.shown(
        plan.rect(chair), 0.012, 0.45, -0.08
    ):
        plan.add(chair)
    if rng.random() < 0.6:
        size = (float(rng.uniform(0.6, 0.8)), float(rng.uniform(0.4, 0.55)))
        plan.hang(signs.wall_sign, "menu_board", low=0.1, kind="menu", size=size, tries=40)
    if rng.random() < 0.5:
        plan.hang(signs.clock, "clock", low=0.3, radius=0.2, tries=30)
    elif rng.random() < 0.5:
        plan.hang(signs.picture_frame, "picture", low=0.1, size=(0.45, 0.34), tries=30)


@base(
    "cafe_window",
    "Round cafe table by a window: a guest, a cup, a menu or a laptop; a free chair, clock, board",
    held_out=True,
)
@furnished
def cafe_window(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {"outside": outside(rng)}
    high, r = float(rng.uniform(0.7, 0.75)), float(rng.uniform(0.34, 0.45))
    ground = surface(rng, textures, "floor", ("tiles", "planks", "marble"), "xy", 1.2)
    back = surface(rng, textures, "wall", ("brick", "plaster", "stone"), "yz", 1.4)
    wall_x = -float(rng.uniform(1.0, 1.6))
    wide = float(rng.uniform(1.4, 2.2) if rng.random() < 0.5 else rng.uniform(0.6, 1.0))
    middle = float(rng.uniform(-0.3, 0.3)) if wide > 1.2 else float(rng.uniform(-0.9, 0.9))
    stage: list[Part] = [
        floor(-high, ground),
        wall(wall_x, back),
        *window(wall_x, middle, 0.75, (wide, 1.2), WHITE),
    ]
    if rng.random() < 0.4:
        stage += curtains(wall_x, middle, 0.75, (wide + 0.1, 1.3), colour(rng))
    top = colour(rng, (0.0, 0.6), (0.4, 0.95))
    board = [
        part("top", (turned([(r, high - 0.03), (r, high)], 28), top)),
        part(
            "foot",
            (turned([(0.22, 0), (0.2, 0.02), (0.035, 0.04), (0.035, high - 0.03)], 18), WHITE),
        ),
    ]
    table = Thing(
        "table",
        "table",
        tuple(p.transformed(np.eye(3), (0, 0, -high)) for p in board),
        tags=frozenset({"rigid", "stands", "furniture"}),
    )
    inner = r * 0.68
    region = (-inner, inner, -inner, inner)
    with_person = rng.random() < 0.45
    if with_person:
        chair, who = _sitter(rng, -r - 0.2, float(rng.uniform(-0.1, 0.1)), -high, 0.45)
        upper = who.verts()[who.verts()[:, 2] > -0.05]
        camera = view(
            rng,
            np.concatenate([upper, [[r, 0.3, 0], [r, -0.3, 0]]]),
            fill=(0.66, 0.82),
            high=(12, 28),
            turn=30,
            drop=(-0.6, 0.0),
        )
    else:
        make, how = _ON_CAFE_TABLE[int(rng.integers(len(_ON_CAFE_TABLE)))]
        spread = 80.0 if make in (kitchen.cup, kitchen.teapot, kitchen.jug) else 30.0
        subject = make(
            rng,
            make.kind.replace(" ", "_"),
            turn=float(rng.uniform(-spread, spread)),
            subject=True,
            rests_on="table",
            **how,
        )
        camera = view(
            rng, subject.verts(), fill=(0.26, 0.42), high=(16, 36), turn=40, drop=(-0.2, 0.5)
        )
    plan = Layout(rng, camera, region, wall=wall_x, textures=textures, on="table")
    plan.add(table, hides=False)
    plan.blocked.clear()
    if with_person:
        plan.things += [chair, who]
        plan.block(who)
        plan.least = 0.01
    else:
        plan.add(subject)
    plan.keep(1, 0.1)
    plan.shut(middle, 0.75, (wide, 1.2))
    if rng.random() < 0.3:
        stage += seams(rng, wall_x, -high)
    _around(rng, plan, r, -high)
    plan.several(_CAFE, int(rng.integers(3, 7)))
    return plan.world("cafe_window", stage, daylight(rng, camera), ground=-high, free=2, size=0.08)


__all__ = ["box", "cafe_window", "dining_table"]
