"""A desk with its lamp, screen and books."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, devices, kitchen, lamps, props, signs, tools
from benchmarks.scenes.pairs.things.kit import WHITE, Options
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.room import Textures, counter, outside, surface, wall, window
from benchmarks.scenes.pairs.things.seams import seams
from benchmarks.scenes.pairs.world import World

_SUBJECTS: Options = (
    (devices.laptop, {}),
    (devices.monitor, {"cord_": False}),
    (lamps.desk_lamp, {}),
    (props.potted_plant, {}),
    (blocks.book, {"lettered": True}),
    (signs.clock, {"stand": True}),
    (signs.table_sign, {"kind": "desk"}),
    (kitchen.mug, {"full": True}),
    (tools.scissors, {}),
    (props.vase, {}),
    (lamps.table_lamp, {}),
    (props.pencil_pot, {}),
)
_ASIDES: Options = (
    (devices.laptop, {"on": False, "turn": 0.0}),
    (devices.phone, {"upright": True, "turn": 0.0}),
    (devices.phone, {}),
    (devices.keyboard, {"turn": 0.0}),
    (kitchen.mug, {}),
    (kitchen.glass, {}),
    (props.pencil_pot, {}),
    (props.potted_plant, {}),
    (blocks.book, {}),
    (blocks.book, {"upright": True, "turn": 10.0}),
    (tools.scissors, {}),
    (signs.table_sign, {"turn": 0.0, "kind": "desk"}),
    (blocks.carton, {"scale": 0.7}),
    (kitchen.apple, {}),
    (signs.bottle, {}),
    (lamps.torch, {"lit": False}),
    (blocks.ball, {"radius": 0.035}),
    (props.toy_car, {}),
    (props.vase, {}),
    (props.toy_animal, {"least": 0.012}),
    (props.teddy, {}),
)


@base(
    "office_desk",
    "Desk at a wall: screen or laptop, lamp with cord and outlet, books, stationery, signs, clock",
)
@furnished
def office_desk(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    top = surface(rng, textures, "top", ("wood", "planks", "marble"), "xy", 1.1)
    back = surface(rng, textures, "wall", ("plaster", "wallpaper", "brick", "stone"), "yz", 1.2)
    deep = float(rng.uniform(0.65, 0.8))
    region = (-deep, 0.02, -1.5, 1.5)
    make, how = _SUBJECTS[int(rng.integers(len(_SUBJECTS)))]
    lamp = make in (lamps.desk_lamp, lamps.table_lamp)
    x = float(rng.uniform(-deep + 0.25, -0.22))
    more: dict[str, Any] = (
        {
            "outlet": (
                -deep - x + 0.008,
                float(rng.choice([-0.22, 0.2])),
                float(rng.uniform(0.16, 0.26)),
            )
        }
        if lamp
        else {}
    )
    turn = 0.0 if lamp else float(rng.uniform(-30, 30))
    subject = make(
        rng, make.kind.replace(" ", "_"), at=(x, 0, 0), turn=turn, subject=True, **how, **more
    )
    camera = view(
        rng, subject.verts(), fill=(0.32, 0.55), high=(12, 34), turn=32, drop=(-0.25, 0.4)
    )
    plan = Layout(rng, camera, region, wall=-deep, textures=textures)
    plan.add(subject)
    stage: list[Part] = [*counter(rng, region, top), wall(-deep, back)]
    if rng.random() < 0.3:
        stage += seams(rng, -deep, 0.0)
    if rng.random() < 0.3 and len(textures) < 4:
        textures["outside"] = outside(rng)
        stage += plan.opening(window, float(rng.uniform(-0.5, 0.5)), 0.95, (1.1, 0.9), WHITE)
    if not lamp and rng.random() < 0.6:
        kind = lamps.desk_lamp if rng.random() < 0.5 else lamps.table_lamp
        lit = bool(rng.random() < 0.65)
        wired = lit or bool(rng.random() < 0.5)
        y_out = float(rng.uniform(-0.2, 0.2))
        plan.put(
            kind,
            turn=0.0,
            tries=8,
            lit=lit,
            cord=wired,
            socket=wired,
            fit=lambda px, py: {"outlet": (-deep - px + 0.008, y_out, 0.2)},
        )
    if rng.random() < 0.5:
        plan.hang(signs.clock, "clock", low=0.3)
    if rng.random() < 0.5:
        plan.hang(
            signs.picture_frame,
            "picture",
            low=0.3,
            size=(float(rng.uniform(0.2, 0.4)), float(rng.uniform(0.2, 0.35))),
        )
    if rng.random() < 0.4:
        plan.lean(
            blocks.book, "leaning_book", tilt=float(rng.uniform(8, 20)), upright=True, turn=90.0
        )
    elif rng.random() < 0.3:
        plan.lean(
            signs.picture_frame, "leaning_picture", tilt=float(rng.uniform(8, 16)), size=(0.2, 0.15)
        )
    plan.keep(int(rng.integers(1, 3)), 0.1)
    plan.several(_ASIDES, int(rng.integers(4, 9)))
    return plan.world("office_desk", stage, daylight(rng, camera), free=2, size=0.08)
