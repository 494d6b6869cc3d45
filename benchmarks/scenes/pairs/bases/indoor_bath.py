"""A bathroom shelf before a mirror."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import (
    blocks,
    kitchen,
    lamps,
    props,
    signs,
)
from benchmarks.scenes.pairs.things.kit import Options, box, colour, part, wooden
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
from benchmarks.scenes.pairs.world import Mirror, World

_BATH: Options = (
    (signs.bottle, {}),
    (signs.jar, {"turn": 0.0, "kind": "bath"}),
    (kitchen.glass, {"full": False}),
    (props.pencil_pot, {}),
    (props.potted_plant, {}),
    (kitchen.mug, {}),
    (props.vase, {}),
    (signs.bottle, {"key": "second_bottle", "label": True, "kind": "bath", "turn": 0.0}),
    (lamps.candle, {}),
    (blocks.cylinder, {}),
)


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
    stage: list[Part] = [
        *counter(rng, (-deep, 0.0, -1.3, 1.3), top),
        wall(-deep, back),
        part("backdrop.mirrorframe", (frame, wooden(rng))),
        floor(-0.9, Paint((0.6, 0.58, 0.55))),
        part(
            "backdrop.opposite",
            (
                box((3.4, 0, 1.0), (0.1, 9, 5)),
                Paint(colour(rng, (0.0, 0.3), (0.5, 0.9)).rgb, specular=0.0),
            ),
        ),
    ]
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
