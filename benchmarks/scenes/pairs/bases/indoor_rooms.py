"""Whole rooms: a living room, and the floor of a children's room."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, furniture, kitchen, lamps, props, signs, tools
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.kit import WHITE, Options, colour
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.materials import texture
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.room import (
    Textures,
    curtains,
    door,
    floor,
    mat,
    outside,
    skirting,
    surface,
    wall,
    window,
)
from benchmarks.scenes.pairs.things.seams import seams
from benchmarks.scenes.pairs.world import Thing, World

_ROOM: Options = (
    (furniture.chair, {}),
    (furniture.stool, {}),
    (furniture.cabinet, {"size": (0.4, 0.6, 0.5), "doors": 2, "turn": 0.0}),
    (props.potted_plant, {"scale": 3.0}),
    (props.basket, {"scale": 2.0, "full": False}),
    (blocks.carton, {"scale": 1.6}),
    (tools.bag, {"scale": 1.4}),
    (props.teddy, {"scale": 1.6}),
    (blocks.ball, {"radius": 0.12}),
    (props.cushion, {"scale": 1.2}),
    (props.vase, {"scale": 2.5}),
    (tools.bucket, {"scale": 1.2}),
    (furniture.table, {"size": (0.5, 0.8), "height": 0.42}),
)


def _subject(rng: Generator) -> list[Thing]:
    """Who or what the picture is about, at the origin of the floor."""
    kind = float(rng.random())
    turn = float(rng.uniform(-30, 30))
    if kind < 0.22:
        sofa = furniture.sofa(
            rng, "sofa", turn=turn * 0.5, seats=int(rng.integers(1, 4)), subject=True
        )
        return [sofa]
    if kind < 0.45:
        sofa = furniture.sofa(rng, "sofa", seats=int(rng.integers(1, 4)))
        seat = sofa.facts["seat"]
        look = (2.5, float(rng.uniform(-1.5, 1.5)), 1.0)
        who = person(
            rng,
            "person",
            (float(seat[0]) + 0.02, 0.0, 0.0),
            0.0,
            subject=True,
            pose="sit",
            seat=float(seat[2]) + 0.005,
            rests_on="sofa",
            look_at=look,
        )
        return [sofa, who]
    if kind < 0.65:
        pose = str(rng.choice(["stand", "hips", "walk", "wave", "pockets"]))
        return [person(rng, "person", (0, 0, 0), turn * 2, subject=True, pose=pose)]
    if kind < 0.85:
        pet = str(rng.choice(["dog", "cat"]))
        return [
            animal(
                rng,
                pet,
                pet,
                (0, 0, 0),
                float(rng.choice([90, -90]) + turn),
                subject=True,
                textured=False,
                size=1.2 if pet == "cat" else 1.0,
            )
        ]
    make = (furniture.chair, lamps.floor_lamp, furniture.stool)[int(rng.integers(3))]
    how: dict[str, Any] = (
        {"outlet": (-1.0, 0.3, 0.3)} if make is lamps.floor_lamp else {"turn": turn}
    )
    return [make(rng, make.kind.replace(" ", "_"), subject=True, **how)]


def _patterned(rng: Generator, plan: Layout, makers: Options) -> Options:
    """The makers, those of bags, cushions and blocks with a printed or woven pattern now and then."""
    if rng.random() < 0.5 or len(plan.textures) > 4:
        return list(makers)
    plan.textures["pattern"] = texture(
        str(rng.choice(["cloth", "knit", "leopard", "wallpaper"])), rng
    )
    soft = (tools.bag, props.cushion, blocks.block)
    return [(m, {**how, "texture": "pattern"} if m in soft else how) for m, how in makers]


@base(
    "living_room",
    "Living room: sofa, chairs, lamp, plant, pictures, clock; a person, dog or cat, or furniture alone",
)
@furnished
def living_room(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    ground = surface(rng, textures, "floor", ("planks", "carpet", "tiles"), "xy", 1.8)
    back = surface(rng, textures, "wall", ("wallpaper", "plaster", "brick"), "yz", 2.0)
    subjects = _subject(rng)
    lamp_first = subjects[0].kind == "floor lamp"
    wall_x = -1.0 - 0.008 if lamp_first else -float(rng.uniform(0.7, 1.8))
    verts = np.concatenate([one.verts() for one in subjects if one.subject])
    camera = view(
        rng, verts, fill=(0.56, 0.8), high=(5, 20), turn=32, drop=(0.0, 0.6), fov=(34, 52)
    )
    plan = Layout(
        rng, camera, (wall_x + 0.02, 2.6, -2.8, 2.8), wall=wall_x, textures=textures, least=0.015
    )
    for one in subjects:
        plan.add(one)
    stage: list[Part] = [floor(0.0, ground), wall(wall_x, back, low=-0.1), skirting(wall_x, 0.0)]
    if rng.random() < 0.4:
        rug = Paint((1, 1, 1), "rug", specular=0.0)
        if len(textures) < 4:
            textures["rug"] = texture("carpet", rng)
        else:
            rug = Paint(colour(rng).rgb, specular=0.0)
        stage.append(mat("backdrop.rug", (max(wall_x + 0.3, -0.7), -1.1), (0.9, 1.1), 0.003, rug))
    if rng.random() < 0.3:
        stage += seams(rng, wall_x, 0.0)
    stage += _along_the_wall(rng, plan, bare=lamp_first)
    if rng.random() < 0.25:
        plan.lean(furniture.ladder, "ladder", tilt=0.0, lean=float(rng.uniform(14, 20)))
    elif rng.random() < 0.25:
        plan.hang(props.hung, "hung_bag", low=0.7, what="bag")
    if rng.random() < 0.35 and not any("animal" in one.tags for one in subjects):
        pet, turn = str(rng.choice(["cat", "dog"])), float(rng.uniform(0, 360))
        plan.settle_in(animal(rng, pet, pet, (0, 0, 0), turn, textured=False))
    plan.keep(int(rng.integers(1, 3)), 0.36)
    if rng.random() < 0.6:
        plan.hang(
            signs.picture_frame,
            "picture",
            low=0.9,
            size=(float(rng.uniform(0.5, 0.9)), float(rng.uniform(0.4, 0.7))),
        )
    if rng.random() < 0.35:
        plan.hang(signs.clock, "clock", low=1.0, radius=0.2)
    plan.several(_patterned(rng, plan, _ROOM), int(rng.integers(3, 7)))
    return plan.world("living_room", stage, daylight(rng, camera), free=2, size=0.3)


def _along_the_wall(rng: Generator, plan: Layout, *, bare: bool) -> list[Part]:
    """A window, a door, a shelf or a fireplace, and a floor lamp; `bare`: neither of the last three."""
    stage: list[Part] = []
    extra = float(rng.random())
    side = float(rng.choice([-1.0, 1.0])) * float(rng.uniform(0.9, 1.4))
    if extra < 0.3:
        plan.textures["outside"] = outside(rng)
        stage = plan.opening(window, side, 1.5, (1.1, 1.1), WHITE) + (
            curtains(plan.wall, side, 1.5, (1.1, 1.1), colour(rng)) if rng.random() < 0.6 else []
        )
    elif extra < 0.5:
        stage = door(plan.wall, side, 0.0, colour(rng, (0.0, 0.5), (0.5, 0.95)))
        plan.shut(side, 1.0, (1.0, 2.2))
    elif extra < 0.8 and not bare:
        big = (furniture.shelf, lamps.fireplace)[int(rng.integers(2))]
        one = big(
            rng, "shelf" if big is furniture.shelf else "fireplace", at=(plan.wall + 0.2, side, 0)
        )
        if plan.clear(one.low + np.array([0.001, 0, 0]), one.high, 0.02, within=False):
            plan.add(one)
            if big is furniture.shelf:
                _books(rng, plan, one)
    if rng.random() < 0.45 and not bare:
        lit = bool(rng.random() < 0.6)
        wired = lit or bool(rng.random() < 0.5)
        plan.put(
            lamps.floor_lamp,
            turn=0.0,
            lit=lit,
            cord=wired,
            socket=wired,
            fit=lambda x, y: {"outlet": (plan.wall - x + 0.008, 0.3, 0.3)},
        )
    return stage


def _books(rng: Generator, plan: Layout, shelf: Thing) -> None:
    """Books and things on its boards."""
    for i in range(1, 3):
        at = shelf.facts[f"board.{i}"]
        y = float(at[1]) - 0.3
        for k in range(int(rng.integers(2, 5))):
            kind = float(rng.random())
            key = f"on_shelf.{i}.{k}"
            if kind < 0.6:
                one = blocks.book(rng, key, upright=True, rests_on=shelf.key)
            elif kind < 0.8:
                one = props.vase(rng, key, rests_on=shelf.key, flowers=0)
            else:
                one = signs.bottle(rng, key, rests_on=shelf.key)
            shift = np.array([float(at[0]) - one.centre[0], y - one.low[1], float(at[2])])
            one = one.moved(shift)
            y += float(one.size[1]) + float(rng.uniform(0.004, 0.05))
            if y > float(at[1]) + 0.38:
                break
            plan.add(one, hides=False)


_TOYS: Options = (
    (props.toy_car, {}),
    (props.toy_car, {"key": "second_car"}),
    (blocks.ball, {}),
    (blocks.block, {}),
    (blocks.cylinder, {}),
    (props.teddy, {}),
    (blocks.book, {"lettered": True, "turn": 0.0}),
    (blocks.carton, {"scale": 0.8, "open_": True}),
    (props.crate, {}),
    (blocks.block, {"key": "brick", "size": (0.05, 0.1, 0.05)}),
    (props.cushion, {}),
    (kitchen.cup, {"full": False}),
    (tools.bag, {"scale": 0.7}),
    (props.pencil_pot, {}),
    (
        furniture.chair,
        {"key": "doll_chair", "scale": 0.28, "extra": ("small",), "drop": ("furniture",)},
    ),
    (tools.bucket, {"scale": 0.7}),
    (blocks.ball, {"key": "small_ball", "radius": 0.04}),
)


@base(
    "children_floor",
    "Floor of a children's room: teddy, toy cars, ball, blocks, picture book, sometimes a cat",
)
@furnished
def children_floor(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    ground = surface(
        rng,
        textures,
        "floor",
        (*("carpet", "planks", "cloth", "grass", "wood")[:3], "planks"),
        "xy",
        0.9,
    )
    back = surface(rng, textures, "wall", ("wallpaper", "plaster"), "yz", 0.9)
    wall_x = -float(rng.uniform(0.5, 1.1))
    kind = float(rng.random())
    turn = float(rng.uniform(-40, 40))
    if kind < 0.4:
        subject = props.teddy(
            rng, "teddy", turn=turn, subject=True, scale=float(rng.uniform(1.0, 1.4))
        )
    elif kind < 0.6:
        subject = animal(
            rng,
            "cat",
            "cat",
            (0, 0, 0),
            float(rng.choice([80, -80]) + turn),
            subject=True,
            textured=False,
        )
    elif kind < 0.75:
        subject = blocks.ball(rng, "ball", subject=True, radius=0.11)
    elif kind < 0.9:
        subject = props.toy_car(
            rng, "toy_car", turn=float(rng.choice([75, -75]) + turn * 0.5), subject=True
        )
    else:
        subject = blocks.snowman(
            rng, "plush_snowman", turn=turn, subject=True, drop=("cold", "ice")
        )
    camera = view(rng, subject.verts(), fill=(0.34, 0.55), high=(12, 38), turn=38, drop=(-0.2, 0.5))
    plan = Layout(rng, camera, (wall_x + 0.02, 2.0, -2.0, 2.0), wall=wall_x, textures=textures)
    plan.add(subject)
    stage: list[Part] = [floor(0.0, ground), wall(wall_x, back, low=-0.1), skirting(wall_x, 0.0)]
    if rng.random() < 0.4:
        plan.put(props.toy_animal, least=0.012)
    plan.keep(int(rng.integers(1, 3)), 0.12)
    if rng.random() < 0.3:
        plan.hang(signs.picture_frame, "picture", low=0.2, size=(0.3, 0.22))
    plan.several(_patterned(rng, plan, _TOYS), int(rng.integers(4, 9)))
    return plan.world("children_floor", stage, daylight(rng, camera), free=2, size=0.1)
