"""A window sill in winter."""

from __future__ import annotations

from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import (
    blocks,
    kitchen,
    lamps,
    props,
    signs,
    tools,
)
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.kit import WHITE, Options, box, colour, part, wooden
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.room import (
    Textures,
    curtains,
    outside,
    surface,
    wall,
    window,
)
from benchmarks.scenes.pairs.world import Thing, World

_SILL: Options = (
    (props.potted_plant, {}),
    (kitchen.mug, {"full": True}),
    (blocks.book, {}),
    (props.vase, {}),
    (props.teddy, {"turn": 10.0}),
    (kitchen.apple, {}),
    (kitchen.cup, {}),
    (signs.jar, {"turn": 0.0}),
    (lamps.candle, {"lit": False}),
    (props.pencil_pot, {}),
    (signs.bottle, {}),
    (blocks.ball, {"radius": 0.04}),
    (kitchen.teapot, {}),
    (blocks.book, {"lettered": True, "turn": 0.0, "key": "cookbook"}),
    (signs.clock, {"stand": True, "scale": 0.7, "turn": 5.0}),
    (signs.jar, {"turn": 0.0, "key": "tin"}),
    (tools.scissors, {"least": 0.01}),
    (props.toy_car, {}),
    (props.toy_animal, {}),
    (kitchen.kettle, {}),
    (lamps.desk_lamp, {"turn": 0.0, "cord": False, "socket": False}),
)
_ON_SILL: Options = (
    (lamps.candle, {}),
    (lamps.candle, {}),
    (lamps.candle, {}),
    (props.potted_plant, {}),
    (kitchen.mug, {"full": True}),
    (blocks.book, {"lettered": True}),
    (kitchen.teapot, {}),
    (kitchen.kettle, {}),
    (signs.clock, {"stand": True}),
    (signs.jar, {}),
    (tools.scissors, {}),
    (lamps.desk_lamp, {"cord": False, "socket": False}),
)


def _on_sill(rng: Generator, deep: float) -> Thing:
    """What the picture is about: a cat now and then, mostly a thing."""
    turn = float(rng.uniform(-40, 40))
    if rng.random() < 0.2:
        deg = float(rng.choice([-90, 90])) + turn * 0.3
        at = (-deep / 2, 0.0, 0.0)
        return animal(
            rng, "cat", "cat", at, deg, subject=True, textured=False, lies=bool(rng.random() < 0.4)
        )
    make, how = _ON_SILL[int(rng.integers(len(_ON_SILL)))]
    key = make.kind.replace(" ", "_")
    return make(rng, key, at=(-deep / 2, 0, 0), turn=turn, subject=True, **how)


@base(
    "winter_sill",
    "Window sill in winter: snow outside, a burning candle, plants, cups, books, a clock, a cat",
    held_out=True,
)
@furnished
def winter_sill(rng: Generator) -> World:
    """See the registry."""
    night = rng.random() < 0.3
    textures: Textures = {"outside": outside(rng, snow=True, night=night)}
    back = surface(rng, textures, "wall", ("plaster", "brick", "wallpaper", "stone"), "yz", 1.0)
    board = surface(rng, textures, "top", ("wood", "marble", "stone"), "xy", 0.8)
    deep = float(rng.uniform(0.3, 0.42))
    w, h = float(rng.uniform(1.0, 1.6)), float(rng.uniform(0.8, 1.1))
    frame = WHITE if rng.random() < 0.6 else wooden(rng)
    stage: list[Part] = [
        wall(-deep, back),
        *window(
            -deep,
            0.0,
            h / 2 + 0.05,
            (w, h),
            frame,
            panes=int(rng.integers(1, 4)),
            emission=0.05 if night else 0.16,
        ),
        part(
            "backdrop.sill", (box((-deep / 2 + 0.02, 0, -0.025), (deep + 0.04, 2.4, 0.05)), board)
        ),
        part(
            "backdrop.below",
            (
                box((-deep / 2 - 0.02, 0, -0.6), (deep - 0.08, 2.6, 1.1)),
                Paint(colour(rng, (0.0, 0.3), (0.5, 0.9)).rgb, specular=0.0),
            ),
        ),
    ]
    if rng.random() < 0.4:
        stage += curtains(-deep, 0.0, h / 2 + 0.1, (w, h), colour(rng))
    subject = _on_sill(rng, deep)
    camera = view(rng, subject.verts(), fill=(0.24, 0.4), high=(12, 30), turn=34, drop=(0.0, 0.6))
    plan = Layout(
        rng, camera, (-deep + 0.06, 0.03, -1.1, 1.1), wall=-deep, textures=textures, least=0.014
    )
    plan.add(subject)
    plan.keep(1, 0.09)
    if subject.kind != "candle":
        plan.put(lamps.candle, turn=0.0)
    plan.several(_SILL, int(rng.integers(3, 7)))
    light = (
        daylight(rng, camera, strength=(0.4, 0.5), ambient=(0.3, 0.36))
        if night
        else daylight(rng, camera, ambient=(0.4, 0.52))
    )
    return plan.world("winter_sill", stage, light, free=2, size=0.08)
