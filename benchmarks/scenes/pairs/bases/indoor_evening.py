"""A bedside at night."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import (
    blocks,
    devices,
    furniture,
    kitchen,
    lamps,
    props,
    signs,
)
from benchmarks.scenes.pairs.things.kit import Options
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import lamplight
from benchmarks.scenes.pairs.things.room import (
    Textures,
    floor,
    surface,
    wall,
)
from benchmarks.scenes.pairs.world import Thing, World

_BEDSIDE: Options = (
    (blocks.book, {}),
    (blocks.book, {"lettered": True, "turn": 0.0}),
    (kitchen.glass, {}),
    (kitchen.mug, {}),
    (signs.clock, {"stand": True, "scale": 0.6, "turn": 5.0}),
    (devices.phone, {}),
    (props.teddy, {}),
    (props.vase, {}),
    (kitchen.cup, {}),
    (lamps.candle, {}),
    (signs.bottle, {}),
    (lamps.torch, {"lit": False}),
    (props.toy_animal, {}),
    (props.toy_car, {}),
)


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
        how: dict[str, Any] = (
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
