"""Smaller corners: a shop counter with shelf, a bathroom mirror, a bedside at night, a window sill in winter."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import (
    blocks,
    devices,
    furniture,
    kitchen,
    lamps,
    props,
    signs,
    tools,
)
from benchmarks.scenes.pairs.things.kit import WHITE, Maker, box, colour, part, wooden
from benchmarks.scenes.pairs.things.layout import Layout, daylight, furnished, lamplight, view
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.room import (
    Textures,
    counter,
    curtains,
    floor,
    outside,
    surface,
    wall,
    window,
)
from benchmarks.scenes.pairs.world import Mirror, Thing, World

_GOODS: tuple[tuple[Maker, dict[str, object]], ...] = (
    (signs.jar, {"label": False}), (signs.bottle, {}), (blocks.book, {"upright": True}), (blocks.carton, {"scale": 0.55}), (props.teddy, {}),
    (kitchen.teapot, {}), (kitchen.jug, {}), (props.vase, {}), (kitchen.mug, {}), (props.basket, {}), (kitchen.pot, {}), (props.toy_car, {}),
)  # fmt: skip
_COUNTER = (
    (signs.table_sign, {"turn": 0.0, "kind": "notice"}), (signs.jar, {"turn": 0.0}), (signs.bottle, {}), (props.basket, {}), (tools.bag, {"scale": 0.6}),
    (kitchen.apple, {}), (kitchen.loaf, {}), (blocks.book, {"lettered": True, "turn": 0.0}), (props.vase, {}), (blocks.carton, {"scale": 0.6}), (kitchen.plate, {}),
)  # fmt: skip


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
        wall(wall_x, back),
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
        make, how = (
            (signs.jar, {}),
            (signs.bottle, {"label": True}),
            (props.basket, {}),
            (kitchen.loaf, {}),
            (props.vase, {}),
            (signs.table_sign, {}),
            (blocks.book, {"lettered": True}),
        )[int(rng.integers(7))]
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


_BATH = (
    (signs.bottle, {}), (signs.jar, {"turn": 0.0, "kind": "bath"}), (kitchen.glass, {"full": False}), (props.pencil_pot, {}), (props.potted_plant, {}),
    (kitchen.mug, {}), (props.vase, {}), (signs.bottle, {"key": "second_bottle", "label": True, "kind": "bath", "turn": 0.0}), (lamps.candle, {}), (blocks.cylinder, {}),
)  # fmt: skip


@base(
    "bathroom_mirror",
    "Bathroom: bottles and cups on a shelf before a mirror, or a person who looks into it",
)
@furnished
def bathroom_mirror(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    top = surface(rng, textures, "top", ("marble", "stone", "wood"), "xy", 0.9)
    back = surface(rng, textures, "wall", ("tiles", "plaster", "tiles"), "yz", 1.0, plain=0.15)
    deep = float(rng.uniform(0.4, 0.55))
    region = (-deep + 0.06, 0.0, -1.3, 1.3)
    w, low, high = (
        float(rng.uniform(0.5, 0.8)),
        float(rng.uniform(0.04, 0.1)),
        float(rng.uniform(0.75, 1.0)),
    )
    x = -deep + 0.02
    mirror = Mirror(((x, -w, low), (x, w, low), (x, w, high), (x, -w, high)))
    frame = [
        box((x - 0.008, s * (w + 0.02), (low + high) / 2), (0.03, 0.04, high - low + 0.08))
        for s in (-1, 1)
    ]
    frame += [box((x - 0.008, 0, z), (0.03, 2 * w + 0.08, 0.04)) for z in (low - 0.02, high + 0.02)]
    stage: list[Part] = [*counter(rng, (-deep, 0.0, -1.3, 1.3), top), wall(-deep, back), part("backdrop.mirrorframe", (frame, wooden(rng))),
                         floor(-0.9, Paint((0.6, 0.58, 0.55))), part("backdrop.opposite", (box((3.4, 0, 1.0), (0.1, 9, 5)), Paint(colour(rng, (0.0, 0.3), (0.5, 0.9)).rgb, specular=0.0)))]  # fmt: skip
    alone = rng.random() < 0.6
    if alone:
        make = (
            props.potted_plant,
            kitchen.jug,
            props.vase,
            signs.bottle,
            kitchen.mug,
            props.teddy,
            lamps.candle,
        )[int(rng.integers(7))]
        subject = make(
            rng,
            make.kind.replace(" ", "_"),
            at=(-deep * float(rng.uniform(0.4, 0.6)), 0, 0),
            turn=float(rng.uniform(-60, 60)),
            subject=True,
        )
        camera = view(
            rng, subject.verts(), fill=(0.34, 0.5), high=(8, 22), turn=30, drop=(0.0, 0.6)
        )
    else:
        subject = person(
            rng,
            "person",
            (0.32, float(rng.uniform(-0.1, 0.1)), -0.9),
            180.0,
            subject=True,
            pose=str(rng.choice(["stand", "wave", "hips"])),
        )
        upper = subject.verts()[subject.verts()[:, 2] > -0.05]
        camera = view(
            rng,
            np.concatenate([upper, [[-deep, -0.4, 0.1]], [[-deep, 0.4, 0.1]]]),
            fill=(0.72, 0.88),
            high=(6, 16),
            turn=34,
            drop=(-0.3, 0.2),
        )
    plan = Layout(rng, camera, region, wall=-deep, textures=textures, least=0.014)
    plan.add(subject)
    plan.keep(1, 0.09)
    plan.several(_BATH, int(rng.integers(3, 7)))
    return plan.world(
        "bathroom_mirror",
        stage,
        daylight(rng, camera, ambient=(0.42, 0.55)),
        ground=0.0,
        free=2,
        size=0.08,
        mirror=mirror,
    )


_BEDSIDE = (
    (blocks.book, {}), (blocks.book, {"lettered": True, "turn": 0.0}), (kitchen.glass, {}), (kitchen.mug, {}), (signs.clock, {"stand": True, "scale": 0.6, "turn": 5.0}),
    (devices.phone, {}), (props.teddy, {}), (props.vase, {}), (kitchen.cup, {}), (lamps.candle, {}), (signs.bottle, {}), (lamps.torch, {"lit": False}),
)  # fmt: skip


@base(
    "bedside_night",
    "Bedside at night, lit by a lamp with cord and outlet: books, clock, glass, toys; bed beside it",
)
@furnished
def bedside_night(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    back = surface(rng, textures, "wall", ("wallpaper", "plaster", "planks"), "yz", 1.0)
    ground = surface(rng, textures, "floor", ("planks", "carpet"), "xy", 1.2)
    high, deep, wide = (
        float(rng.uniform(0.5, 0.6)),
        float(rng.uniform(0.42, 0.5)),
        float(rng.uniform(0.75, 1.1)),
    )
    wall_x = -deep - 0.01
    table = furniture.cabinet(rng, "nightstand", at=(-deep / 2, 0, -high), size=(deep, wide, high))
    stage: list[Part] = [wall(wall_x, back), floor(-high, ground)]
    side = float(rng.choice([-1.0, 1.0]))
    x, y = -float(rng.uniform(0.2, 0.28)), side * (wide / 2 - float(rng.uniform(0.13, 0.2)))
    outlet = (
        wall_x - x + 0.008,
        -side * float(rng.uniform(0.18, 0.26)),
        float(rng.uniform(0.14, 0.22)),
    )
    subject_lamp = rng.random() < 0.55
    shaded = lamps.table_lamp if rng.random() < 0.7 else lamps.desk_lamp
    lamp = shaded(
        rng,
        "lamp",
        at=(x, y, 0),
        lit=True,
        subject=subject_lamp,
        rests_on="nightstand",
        outlet=outlet,
    )
    plan_verts = lamp.verts()
    subject: Thing | None = None
    if not subject_lamp:
        make = (props.teddy, kitchen.mug, signs.clock, blocks.book, props.vase)[
            int(rng.integers(5))
        ]
        how = (
            {"stand": True}
            if make is signs.clock
            else {"lettered": True}
            if make is blocks.book
            else {}
        )
        subject = make(
            rng,
            make.kind.replace(" ", "_"),
            at=(-0.2, y - side * 0.32, 0),
            turn=float(rng.uniform(-25, 25)),
            subject=True,
            rests_on="nightstand",
            **how,
        )
        plan_verts = np.concatenate([subject.verts(), plan_verts[plan_verts[:, 2] < 0.12]])
    camera = view(
        rng,
        plan_verts,
        fill=(0.48, 0.68) if subject is None else (0.62, 0.82),
        high=(10, 26),
        turn=28,
        drop=(-0.3, 0.3),
    )
    plan = Layout(
        rng,
        camera,
        (-deep + 0.01, -0.01, -wide / 2 + 0.01, wide / 2 - 0.01),
        wall=wall_x,
        textures=textures,
        on="nightstand",
        least=0.016,
    )
    plan.things.append(table)
    plan.add(lamp)
    plan.rects[-1] = plan.rect_of(*_body(lamp))
    plan.blocked[-1] = _body(lamp)
    if subject is not None:
        plan.add(subject)
    if rng.random() < 0.5:
        bed = furniture.bed(rng, "bed", at=(wall_x + 1.06, -side * (wide / 2 + 0.95), -high))
        plan.things.append(bed)
    plan.hang(
        signs.picture_frame, "picture", low=0.3, size=(0.3, 0.24)
    ) if rng.random() < 0.5 else None
    plan.keep(1, 0.09)
    plan.several(_BEDSIDE, int(rng.integers(3, 6)))
    light = lamplight(
        rng,
        camera,
        np.asarray(lamp.facts["light"]) + np.array([-0.05, 0, 0.0]),
        np.array([-0.12, y - side * 0.36, 0.0]),
    )
    return plan.world("bedside_night", stage, light, ground=-high, free=2, size=0.08)


def _body(lamp: Thing) -> tuple[np.ndarray, np.ndarray]:
    """The lamp's box without its cord and outlet."""
    v = np.concatenate([p.verts() for p in lamp.parts if p.key not in ("cord", "outlet")])
    return v.min(0), v.max(0)


_SILL = (
    (props.potted_plant, {}), (kitchen.mug, {"full": True}), (blocks.book, {}), (props.vase, {}), (props.teddy, {"turn": 10.0}), (kitchen.apple, {}), (kitchen.cup, {}),
    (signs.jar, {"turn": 0.0}), (lamps.candle, {"lit": False}), (props.pencil_pot, {}), (signs.bottle, {}), (blocks.ball, {"radius": 0.04}), (kitchen.teapot, {}),
)  # fmt: skip


@base(
    "winter_sill",
    "Window sill in winter: snow outside, a burning candle, plants, cups, books",
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
    stage: list[Part] = [wall(-deep, back), *window(-deep, 0.0, h / 2 + 0.05, (w, h), frame, panes=int(rng.integers(1, 4)), emission=0.1 if night else 0.42),
                         part("backdrop.sill", (box((-deep / 2 + 0.02, 0, -0.025), (deep + 0.04, 2.4, 0.05)), board)),
                         part("backdrop.below", (box((-deep / 2 - 0.02, 0, -0.6), (deep - 0.08, 2.6, 1.1)), Paint(colour(rng, (0.0, 0.3), (0.5, 0.9)).rgb, specular=0.0)))]  # fmt: skip
    if rng.random() < 0.4:
        stage += curtains(-deep, 0.0, h / 2 + 0.1, (w, h), colour(rng))
    make = (
        lamps.candle,
        lamps.candle,
        props.potted_plant,
        kitchen.mug,
        blocks.book,
        kitchen.teapot,
    )[int(rng.integers(6))]
    how = (
        {"full": True} if make is kitchen.mug else {"lettered": True} if make is blocks.book else {}
    )
    subject = make(
        rng,
        make.kind.replace(" ", "_"),
        at=(-deep / 2, 0, 0),
        turn=float(rng.uniform(-40, 40)),
        subject=True,
        **how,
    )
    camera = view(rng, subject.verts(), fill=(0.28, 0.46), high=(12, 30), turn=34, drop=(0.0, 0.6))
    plan = Layout(
        rng, camera, (-deep + 0.06, 0.03, -1.1, 1.1), wall=-deep, textures=textures, least=0.014
    )
    plan.add(subject)
    plan.keep(1, 0.09)
    if make is not lamps.candle:
        plan.put(lamps.candle, turn=0.0)
    plan.several(_SILL, int(rng.integers(3, 7)))
    light = (
        daylight(rng, camera, strength=(0.4, 0.5), ambient=(0.3, 0.36))
        if night
        else daylight(rng, camera, ambient=(0.4, 0.52))
    )
    return plan.world("winter_sill", stage, light, free=2, size=0.08)
