"""A shop counter with its shelf."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import (
    blocks,
    furniture,
    kitchen,
    props,
    signs,
    tools,
)
from benchmarks.scenes.pairs.things.kit import Options
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.room import (
    Textures,
    counter,
    floor,
    surface,
    wall,
)
from benchmarks.scenes.pairs.things.seams import seams
from benchmarks.scenes.pairs.world import Thing, World

_GOODS: Options = (
    (signs.jar, {"label": False}),
    (signs.bottle, {}),
    (blocks.book, {"upright": True}),
    (blocks.carton, {"scale": 0.55}),
    (props.teddy, {}),
    (kitchen.teapot, {}),
    (kitchen.jug, {}),
    (props.vase, {}),
    (kitchen.mug, {}),
    (props.basket, {}),
    (kitchen.pot, {}),
    (props.toy_car, {}),
)
_COUNTER: Options = (
    (signs.table_sign, {"turn": 0.0, "kind": "desk"}),
    (signs.jar, {"turn": 0.0}),
    (signs.bottle, {}),
    (props.basket, {}),
    (tools.bag, {"scale": 0.6}),
    (kitchen.apple, {}),
    (kitchen.loaf, {}),
    (blocks.book, {"lettered": True, "turn": 0.0}),
    (props.vase, {}),
    (blocks.carton, {"scale": 0.6}),
    (kitchen.plate, {}),
)


def _row(rng: Generator, plan: Layout, shelf: Thing, board: int) -> None:
    """Goods side by side on a board."""
    at = shelf.facts[f"board.{board}"]
    y, end = (
        float(at[1]) - float(shelf.facts["width"]) / 2 + 0.05,
        float(at[1]) + float(shelf.facts["width"]) / 2 - 0.04,
    )
    kinds = [_GOODS[int(k)] for k in rng.integers(len(_GOODS), size=2)]
    for k in range(12):
        make, how = (
            kinds[int(rng.integers(2))]
            if rng.random() < 0.7
            else _GOODS[int(rng.integers(len(_GOODS)))]
        )
        one = make(rng, f"goods.{board}.{k}", rests_on=shelf.key, **how)
        if y + float(one.size[1]) > end:
            break
        one = one.moved([float(at[0]) - one.centre[0], y - one.low[1], float(at[2])])
        y += float(one.size[1]) + float(rng.uniform(0.02, 0.09))
        if plan.shown(plan.rect(one), 0.0, 1.0, whole=-0.02):
            plan.things.append(one)


@base(
    "shop_counter",
    "Shop counter with a lettered board and a shelf of jars, bottles, books; sometimes a shopkeeper",
)
@furnished
def shop_counter(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    top = surface(rng, textures, "top", ("wood", "marble", "planks"), "xy", 1.0)
    back = surface(rng, textures, "wall", ("plaster", "brick", "wallpaper", "tiles"), "yz", 1.4)
    wall_x = -float(rng.uniform(1.25, 1.5))
    region = (-0.6, 0.0, -1.5, 1.5)
    stage: list[Part] = [
        *counter(rng, region, top),
        floor(-0.9, Paint((0.4, 0.37, 0.34), specular=0.0)),
    ]
    if rng.random() < 0.35:
        look = (2.0, float(rng.uniform(-0.8, 0.8)), 0.4)
        subject = person(
            rng,
            "person",
            (-0.85, 0.0, -0.9),
            float(rng.uniform(-15, 15)),
            subject=True,
            pose=str(rng.choice(["stand", "hips"])),
            look_at=look,
        )
        upper = subject.verts()[subject.verts()[:, 2] > 0]
        camera = view(
            rng,
            np.concatenate([upper, [[-0.2, 0.3, 0], [-0.2, -0.3, 0]]]),
            fill=(0.66, 0.82),
            high=(6, 16),
            turn=22,
            drop=(-0.5, 0.0),
        )
        wall_x = min(wall_x, -1.45)
    else:
        choice: Options = (
            (signs.jar, {}),
            (signs.bottle, {"label": True}),
            (props.basket, {}),
            (kitchen.loaf, {}),
            (props.vase, {}),
            (signs.table_sign, {}),
            (blocks.book, {"lettered": True}),
        )
        make, how = choice[int(rng.integers(7))]
        subject = make(
            rng,
            make.kind.replace(" ", "_"),
            at=(-0.25, 0, 0),
            turn=float(rng.uniform(-25, 25)),
            subject=True,
            **how,
        )
        camera = view(
            rng, subject.verts(), fill=(0.3, 0.45), high=(8, 22), turn=24, drop=(0.1, 0.7)
        )
    stage.append(wall(wall_x, back))
    if rng.random() < 0.3:
        stage += seams(rng, wall_x, -0.9)
    plan = Layout(rng, camera, region, wall=wall_x, textures=textures, least=0.015)
    plan.add(subject, hides="person" not in subject.tags)
    if rng.random() < 0.75:
        low, tall = -0.9, float(rng.uniform(1.8, 2.5))
        shelf = furniture.shelf(
            rng,
            "shelf",
            at=(wall_x + 0.18, float(rng.uniform(-0.3, 0.3)), low),
            boards=5,
            height=tall,
            width=float(rng.uniform(1.1, 1.6)),
        )
        plan.things.append(shelf)
        for board in range(1, 5):
            if float(shelf.facts[f"board.{board}"][2]) > -0.1:
                _row(rng, plan, shelf, board)
    else:
        plan.hang(signs.shop_sign, "shop_sign", low=0.25, size=(1.0, 0.28))
        plan.hang(signs.clock, "clock", low=0.25)
    plan.keep(1, 0.11)
    plan.several(_COUNTER, int(rng.integers(3, 6)))
    return plan.world("shop_counter", stage, daylight(rng, camera), ground=0.0, free=2, size=0.09)
