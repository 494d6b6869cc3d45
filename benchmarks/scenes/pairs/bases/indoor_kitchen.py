"""A kitchen worktop with a cooker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, kitchen, lamps, props, signs
from benchmarks.scenes.pairs.things.kit import WHITE, Options
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.room import (
    Textures,
    counter,
    floor,
    outside,
    surface,
    wall,
    window,
)
from benchmarks.scenes.pairs.world import Thing, World

_SUBJECTS: Options = (
    (kitchen.kettle, {}),
    (kitchen.teapot, {}),
    (signs.jar, {}),
    (signs.bottle, {"label": True}),
    (kitchen.jug, {}),
    (kitchen.pot, {}),
    (kitchen.pan, {"food": "egg"}),
    (kitchen.mug, {"full": True}),
    (kitchen.bowl, {"full": True}),
    (props.basket, {}),
    (props.potted_plant, {}),
    (kitchen.pan, {"food": "pancake"}),
    (props.vase, {}),
    (kitchen.cup, {}),
)
_ASIDES: Options = (
    (kitchen.mug, {}),
    (kitchen.cup, {}),
    (kitchen.bowl, {}),
    (kitchen.plate, {}),
    (kitchen.glass, {}),
    (kitchen.jug, {}),
    (kitchen.pot, {}),
    (kitchen.pan, {}),
    (kitchen.kettle, {}),
    (kitchen.teapot, {}),
    (kitchen.apple, {}),
    (kitchen.banana, {}),
    (kitchen.loaf, {}),
    (kitchen.knife, {"least": 0.012}),
    (signs.bottle, {}),
    (signs.bottle, {"cap": False}),
    (signs.jar, {"turn": 0.0}),
    (props.basket, {}),
    (props.potted_plant, {}),
    (blocks.butter, {"least": 0.015}),
    (blocks.ice, {"count": 3, "least": 0.012}),
    (kitchen.fork, {"least": 0.012}),
    (props.toy_animal, {}),
)


def _on_the_cooker(rng: Generator, plan: Layout, cooker: Thing) -> None:
    """Pots and pans on the plates, whatever is hot or cold."""
    plan.on = cooker.key
    plates = [i for i in range(4) if rng.random() < 0.6]
    for i in plates[:3]:
        hot = cooker.facts["glowing"] == i
        vessels = [kitchen.pot, kitchen.pan, kitchen.kettle]
        make = vessels[int(rng.integers(3))]
        how: dict[str, Any] = {"turn": float(rng.uniform(-60, 60))}
        if make is kitchen.pan and hot and rng.random() < 0.5:
            how["food"] = "egg"
        spot = cooker.facts[f"plate.{i}"]
        one = make(rng, f"{make.kind}.on{i}", at=spot, rests_on=cooker.key, **how)
        rect = plan.rect(one)
        if plan.clear(one.low, one.high, 0.004, within=False) and plan.shown(rect, 0.015, 0.4):
            plan.add(one)
    plan.on = None


@base(
    "kitchen_counter",
    "Kitchen worktop with a cooker: pots, kettles, cups, food; a plate glows or none does",
)
@furnished
def kitchen_counter(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    top = surface(rng, textures, "top", ("wood", "marble", "stone"), "xy", 0.9)
    back = surface(rng, textures, "wall", ("tiles", "plaster", "wallpaper", "brick"), "yz", 0.9)
    deep = float(rng.uniform(0.62, 0.7))
    region = (-deep, 0.0, -1.7, 1.7)
    make, how = _SUBJECTS[int(rng.integers(len(_SUBJECTS)))]
    cooking = bool(rng.random() < 0.55)
    spot = (float(rng.uniform(-0.42, -0.2)), 0.0, 0.0)
    side = float(rng.choice([-1.0, 1.0]))
    cooker = None
    if cooking:
        glowing = int(rng.integers(4)) if rng.random() < 0.6 else -1
        middle = side * float(rng.uniform(0.42, 0.56))
        cooker = kitchen.stove(rng, "stove", at=(-deep + 0.31, middle, 0.0), glowing=glowing)
    subject = make(
        rng,
        make.kind.replace(" ", "_"),
        at=spot,
        turn=float(rng.uniform(-70, 70)),
        subject=True,
        **how,
    )
    camera = view(rng, subject.verts(), fill=(0.3, 0.52), high=(12, 36), turn=30, drop=(-0.3, 0.45))
    plan = Layout(rng, camera, region, wall=-deep, textures=textures)
    plan.add(subject)
    gap = None
    stage: list[Part] = []
    if cooker is not None:
        gap = (middle - 0.3, middle + 0.3)
        plan.add(cooker, hides=False)
        plan.blocked[-1] = (cooker.low, np.array([*cooker.high[:2], 0.05]))
        _on_the_cooker(rng, plan, cooker)
    stage += [
        *counter(rng, region, top, gap=gap),
        wall(-deep, back),
        floor(-0.865, Paint((0.42, 0.38, 0.34), specular=0.0)),
    ]
    if cooker is None and rng.random() < 0.3:
        textures["outside"] = outside(rng)
        stage += plan.opening(
            window, float(rng.uniform(-0.6, 0.6)), float(rng.uniform(0.75, 0.95)), (1.0, 0.8), WHITE
        )
    if rng.random() < 0.35:
        lamp = lamps.hanging_lamp(
            rng,
            "hanging_lamp",
            at=(-0.35, side * -0.25, float(rng.uniform(0.42, 0.6))),
            length=1.6,
            lit=bool(rng.random() < 0.6),
        )
        plan.overhead(lamp)
    plan.hang(signs.clock, "clock", low=0.3) if rng.random() < 0.4 else plan.hang(
        signs.wall_sign, "sign", low=0.2, kind="homely"
    )
    for i in range(int(rng.integers(0, 3)) if rng.random() < 0.4 else 0):
        what = str(rng.choice(["pan", "spoon"]))
        plan.hang(props.hung, f"hung_{what}.{i}", low=0.12, least=0.01, what=what)
    plan.keep(int(rng.integers(1, 3)), 0.1)
    plan.several(_ASIDES, int(rng.integers(4, 9)))
    return plan.world(
        "kitchen_counter", stage, daylight(rng, camera), place="kitchen", free=2, size=0.08
    )
