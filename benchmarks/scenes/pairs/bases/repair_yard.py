"""A yard before a garage."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import hue
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import boards, furniture, signs, tools, vehicles
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, lay_out, to_the_side
from benchmarks.scenes.pairs.things.kit import Maker, Options
from benchmarks.scenes.pairs.things.open_air import clear, spots
from benchmarks.scenes.pairs.things.scenery import bystander, some_car
from benchmarks.scenes.pairs.world import Thing, World

_KINDS = ("bicycle", "person.2", "dog", "cat", "cone", "crate", "bucket", "board", "chair", "stool",
          "cart", "tricycle", "skateboard", "toolbox", "pump", "litter_bin", "barrel", "car")  # fmt: skip
_LYING: tuple[Maker, ...] = (
    tools.hammer,
    tools.saw,
    tools.scissors,
    tools.pliers,
    tools.screwdriver,
    tools.wrench,
)
_TOOLS: Options = (
    *((make, {}) for make in _LYING),
    (tools.pump, {}),
    (tools.toolbox, {}),
    (tools.bucket, {}),
    (signs.bottle, {"label": True, "kind": "shed"}),
    (signs.jar, {"kind": "shed"}),
)


def _garage(rng: Generator, y: float) -> tuple[Part, Thing]:
    """A garage with a dark door, which casts no shadow, and the board over the door."""
    wall = Paint(hue(rng, (0.0, 0.35), (0.5, 0.9)), specular=0.0)
    dark, trim = Paint((0.14, 0.13, 0.13), specular=0.0), Paint((0.9, 0.9, 0.88), specular=0.0)
    w, d, h = float(rng.uniform(6, 9)), 4.0, float(rng.uniform(3.2, 3.8))
    x = float(rng.uniform(-1.5, 1.5))
    made = [
        (box((x, y + d / 2, h / 2), (w, d, h)), wall),
        (box((x, y, 1.15), (2.6, 0.06, 2.3)), dark),
        (box((x, y - 0.02, 2.35), (2.8, 0.08, 0.12)), trim),
        (box((x, y + d / 2, h + 0.08), (w + 0.3, d + 0.3, 0.16)), trim),
    ]
    sign = signs.wall_sign(
        rng,
        "sign",
        at=(x, y - 0.01, 2.72),
        turn=-90.0,
        kind="repairs",
        size=(2.2, 0.5),
        extra=("large",),
    )
    return Part("backdrop.garage", None, tuple(Piece.make(m, p) for m, p in made)), sign


def _tools(rng: Generator) -> list[Thing]:
    """Tools on the ground, seen from near."""
    things: list[Thing] = []
    taken: Taken = []
    for k, pick in enumerate(rng.permutation(len(_TOOLS))[: int(rng.integers(5, 8))]):
        make, how = _TOOLS[int(pick)]
        x, y = (0.0, 0.0) if k == 0 else clear(rng, taken, (-0.62, -0.25), (0.62, 0.6), 0.21)
        if k == 0:
            taken.append((0.0, 0.0, 0.21))
        turn = to_the_side(rng, 40.0) if make in _LYING else -90.0 + float(rng.uniform(-30, 30))
        name = make.kind.replace(" ", "_")
        things.append(make(rng, name, at=(x, y, 0.0), turn=turn, subject=k == 0, **how))
    return things


def _main(rng: Generator, kind: str) -> Thing:
    deg = to_the_side(rng, 40.0)
    if kind == "car":
        more: dict[str, Any] = {"bonnet_open": True} if rng.random() < 0.25 else {}
        return some_car(rng, "car.main", (0, 0.3, 0), deg, subject=True, **more)
    if kind == "bicycle":
        return vehicles.bicycle(rng, "bicycle.main", (0, 0, 0), deg, subject=True)
    if kind == "chair":
        return furniture.chair(
            rng, "chair.main", turn=-90 + float(rng.uniform(-60, 60)), subject=True
        )
    if kind == "board":
        turn = -90.0 + float(rng.uniform(-35, 35))
        return boards.sandwich_board(rng, "board.main", turn=turn, subject=True, kind="repairs")
    poses = ("stand", "hips", "walk", "hold", "crouch", "reach")
    return bystander(rng, "person", (0, 0, 0), deg, poses, subject=True)


def _ladder(rng: Generator, y: float, taken: Taken) -> list[Thing]:
    """A ladder against the wall at y."""
    lean = float(rng.uniform(14, 20))
    x, _ = clear(rng, taken, (-2.8, y), (2.8, y), 0.4)
    one = furniture.ladder(rng, "ladder", turn=-90.0, lean=lean)
    return [one.moved([x - one.centre[0], y - 0.01 - float(one.high[1]), 0.0])]


def _yard(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.56, 0.82), rise=(6.0, 18.0))
    lay_out(rng, layout, ("concrete", "asphalt", "gravel", "paving"), ("tree", "house"), (3, 7))
    kind = str(rng.choice(["car", "bicycle", "person", "tools", "tools", "chair", "board"]))
    y = float(rng.uniform(3.2, 4.2))
    garage, sign = _garage(rng, y)
    layout.stage.append(garage)
    if kind == "tools":
        layout.things = _tools(rng)
        layout.focus = np.concatenate([one.verts() for one in layout.things[:3]])
        layout.fill, layout.rise = (0.55, 0.75), (24.0, 42.0)
        layout.free = spots(rng, layout.things, (-0.6, -0.4), (0.6, 0.5), 0.0, 5, 0.2)
        return layout
    taken: Taken = [(0.0, 0.2, 1.7 if kind == "car" else 0.75)]
    main = _main(rng, kind)
    more = _ladder(rng, y, taken) if rng.random() < 0.6 else []
    yard = Yard((-2.8, -0.8), (2.8, 2.2), words="repairs", tight=0.9)
    kinds = [k for k in _KINDS if not (kind == "car" and k == "car")]
    more += furnish(rng, taken, kinds, int(rng.integers(4, 8)), yard)
    layout.things = [main, sign, *more]
    layout.free = spots(rng, layout.things, (-2.3, -1.1), (2.3, 2.0), 0.0, 7)
    return layout


@base(
    "repair_yard",
    "A yard before a garage: a car, a bicycle, a chair, somebody, or tools on the ground; a ladder.",
    held_out=True,
)
def repair_yard(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "repair_yard", "street", _yard)
