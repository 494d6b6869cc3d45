"""A workbench with tools."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box
from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, kitchen, lamps, props, signs, tools
from benchmarks.scenes.pairs.things.kit import Options, part, wooden
from benchmarks.scenes.pairs.things.layout import Layout, furnished, view
from benchmarks.scenes.pairs.things.light import daylight
from benchmarks.scenes.pairs.things.room import Textures, counter, surface, wall
from benchmarks.scenes.pairs.world import World

_SUBJECTS: Options = (
    (tools.hammer, {}),
    (tools.saw, {}),
    (tools.scissors, {}),
    (tools.toolbox, {}),
    (tools.pliers, {}),
    (tools.bucket, {}),
    (tools.screwdriver, {}),
    (props.crate, {}),
    (lamps.torch, {"lit": True}),
    (tools.wrench, {}),
    (blocks.carton, {}),
    (tools.pump, {}),
    (signs.jar, {"kind": "shed"}),
    (signs.table_sign, {"kind": "notice"}),
)
_ASIDES: Options = (
    (tools.hammer, {}),
    (tools.saw, {}),
    (tools.screwdriver, {"least": 0.015}),
    (tools.pliers, {}),
    (tools.wrench, {"least": 0.015}),
    (tools.scissors, {}),
    (tools.bucket, {}),
    (tools.toolbox, {}),
    (props.crate, {}),
    (blocks.carton, {}),
    (kitchen.mug, {"full": True}),
    (signs.jar, {"turn": 0.0, "kind": "shed"}),
    (signs.bottle, {"kind": "shed"}),
    (blocks.block, {}),
    (lamps.torch, {"lit": False}),
    (blocks.cylinder, {}),
    (signs.table_sign, {"turn": 0.0, "kind": "notice"}),
    (blocks.block, {"size": (0.3, 0.06, 0.03), "least": 0.015}),
)


@base(
    "workshop_bench",
    "Workbench: hand tools, toolbox, crates, cans, a torch; pegboard or brick wall behind",
)
@furnished
def workshop_bench(rng: Generator) -> World:
    """See the registry."""
    textures: Textures = {}
    top = surface(rng, textures, "top", ("wood", "planks", "metal"), "xy", 1.2, plain=0.15)
    back = surface(
        rng, textures, "wall", ("brick", "plaster", "stone", "planks", "metal"), "yz", 1.3
    )
    deep = float(rng.uniform(0.6, 0.8))
    region = (-deep, 0.05, -1.6, 1.6)
    make, how = _SUBJECTS[int(rng.integers(len(_SUBJECTS)))]
    flat = make in (
        tools.hammer,
        tools.saw,
        tools.scissors,
        tools.pliers,
        tools.screwdriver,
        tools.wrench,
        lamps.torch,
    )
    turn = (
        float(rng.choice([90.0, -90.0]) + rng.uniform(-40, 40))
        if flat
        else float(rng.uniform(-35, 35))
    )
    spot = (float(rng.uniform(-0.42, -0.25)), 0.0, 0.0)
    subject = make(rng, make.kind.replace(" ", "_"), at=spot, turn=turn, subject=True, **how)
    high = (24.0, 46.0) if flat else (12.0, 32.0)
    camera = view(rng, subject.verts(), fill=(0.34, 0.56), high=high, turn=32, drop=(-0.2, 0.45))
    plan = Layout(rng, camera, region, wall=-deep, textures=textures)
    plan.add(subject)
    stage: list[Part] = [*counter(rng, region, top), wall(-deep, back)]
    if rng.random() < 0.4:  # a shelf board on the wall: out of reach, empty
        stage.append(
            part("backdrop.board", (box((-deep + 0.08, 0, 0.62), (0.16, 3.2, 0.03)), wooden(rng)))
        )
        plan.blocked.append((np.array([-deep, -1.6, 0.56]), np.array([-deep + 0.16, 1.6, 0.66])))
    for i in range(int(rng.integers(0, 4))):
        what = str(rng.choice(["hammer", "saw", "wrench"]))
        plan.hang(props.hung, f"hung_{what}.{i}", low=0.12, least=0.012, what=what)
    if rng.random() < 0.35:
        lamp = lamps.bulb(
            rng,
            "bulb",
            at=(
                -0.4,
                float(rng.choice([-1, 1]) * rng.uniform(0.2, 0.4)),
                float(rng.uniform(0.3, 0.45)),
            ),
            length=1.8,
            lit=bool(rng.random() < 0.7),
        )
        plan.overhead(lamp, 0.004)
    if rng.random() < 0.4:
        plan.hang(signs.wall_sign, "sign", low=0.2)
    elif rng.random() < 0.4:
        plan.hang(signs.clock, "clock", low=0.25)
    if rng.random() < 0.35:
        size = (0.03, float(rng.uniform(0.08, 0.16)), float(rng.uniform(0.3, 0.45)))
        plan.lean(blocks.block, "leaning_board", tilt=float(rng.uniform(8, 18)), size=size)
    plan.keep(int(rng.integers(1, 3)), 0.1)
    plan.several(_ASIDES, int(rng.integers(4, 9)))
    return plan.world(
        "workshop_bench", stage, daylight(rng, camera), place="workshop", free=2, size=0.1
    )
