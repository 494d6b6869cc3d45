"""Streets by day and at dusk."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import boards, outdoors, signs
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, lay_out, to_the_side
from benchmarks.scenes.pairs.things.open_air import clear, spots, strip
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.scenery import puddle, some_car
from benchmarks.scenes.pairs.world import Thing, World

_MARK = Paint((0.9, 0.9, 0.86), specular=0.0)
_KERB = Paint((0.7, 0.69, 0.66), specular=0.0)
_KINDS = ("sign", "dog", "person.2", "bicycle", "litter_bin", "cone", "street_lamp", "bench", "crate",
          "statue", "tree", "skateboard")  # fmt: skip


def _road(rng: Generator, layout: Layout, y0: float, y1: float) -> None:
    """A road along x between two kerbs, on paving."""
    v = float(rng.uniform(0.24, 0.4))
    asphalt = Paint((v, v, v * 1.03), specular=0.02)
    layout.stage.append(strip("road", (-45, y0), (45, y1), 0.004, asphalt))
    for k, y in enumerate((y0, y1)):
        layout.stage.append(strip(f"kerb.{k}", (-45, y - 0.09), (45, y + 0.09), 0.012, _KERB))
    middle, shift = (y0 + y1) / 2, float(rng.uniform(0, 2))
    for k, x in enumerate(np.arange(-18, 18, 3.0) + shift):
        low, high = (float(x), middle - 0.06), (float(x) + 1.4, middle + 0.06)
        layout.stage.append(strip(f"mark.{k}", low, high, 0.007, _MARK))


def _walker(rng: Generator, x: float, y: float, *, subject: bool) -> list[Thing]:
    """Somebody who walks or runs along the pavement, mostly to the side, some through a puddle."""
    pose, wet = str(rng.choice(["walk", "walk", "walk", "run"])), rng.random() < 0.3
    one = person(
        rng, "person", (x, y, 0.0), to_the_side(rng), subject=subject, pose=pose,
        mirrored=bool(rng.random() < 0.5), more_facts={"splash": "splash.person"} if wet else {},
    )  # fmt: skip
    if not wet:
        return [one]
    low = min((one.facts["foot.left"], one.facts["foot.right"]), key=lambda p: float(p[2]))
    drops = outdoors.splash(
        rng, "splash.person", (low[0], low[1], 0.01), size=float(rng.uniform(0.22, 0.34)),
        more_facts={"of": "person", "detail": True}, casts=False,
    )  # fmt: skip
    return [one, puddle(rng, "puddle.person", (low[0], low[1], 0.0), (0.75, 0.42)), drops]


def _board(rng: Generator) -> list[Thing]:
    """A sign on its pole, or a board on the pavement, as what the picture shows first."""
    turn = -90.0 + float(rng.uniform(-32, 32))
    if rng.random() < 0.5:
        return [boards.sandwich_board(rng, "board", turn=turn, kind="shop", subject=True)]
    size, height = (0.95, 0.34), float(rng.uniform(1.5, 1.9))
    return [signs.street_sign(rng, "sign.main", turn=turn, size=size, height=height, subject=True)]


def _street(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.62, 0.88))
    near = float(rng.uniform(2.4, 3.2))
    lay_out(rng, layout, ("paving", "concrete"), ("house", "house", "tree"), (5, 10))
    _road(rng, layout, near, near + float(rng.uniform(4.5, 6.5)))
    first = float(rng.random())
    driven, lettered = first < 0.25, first > 0.87
    xs = (float(rng.uniform(-3.4, -0.5)), float(rng.uniform(0.5, 4.0)))
    cars = [
        some_car(rng, f"car.{k}", (x, near + lane, 0.004), float(rng.choice([0, 180])))
        for k, (x, lane) in enumerate(zip(xs, (1.3, 3.9), strict=True))
    ]
    taken: Taken = [(0.0, 0.0, 0.8)]
    if driven:
        at = (0.0, near + 1.4, 0.004)
        main = [some_car(rng, "car", at, float(rng.choice([0, 180])), subject=True)]
        main += _walker(rng, float(rng.uniform(-2, 2)), 0.9, subject=False)
        cars, layout.fill, taken = cars[1:], (0.6, 0.8), []
    elif lettered:
        main = _board(rng) + _walker(rng, float(rng.choice([-1.3, 1.3])), 0.9, subject=False)
        taken.append((float(main[1].centre[0]), 0.9, 0.6))
    else:
        main = _walker(rng, 0.0, 0.0, subject=True)
    yard = Yard((-3.2, -0.9), (3.2, 2.0))
    more = furnish(rng, taken, _KINDS, int(rng.integers(4, 7)), yard)
    layout.things = [*main, *cars[: int(rng.integers(1, 3))], *more]
    layout.free = spots(rng, layout.things, (-2.5, -1.2), (2.5, 2.0), 0.0, 7)
    return layout


@base(
    "street",
    "A street: somebody walks (some through a puddle) or a car drives; signs, dogs, bicycles, a statue.",
)
def street(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "street", "street", _street)


def _dusk(rng: Generator) -> Layout:
    layout = Layout(
        [], light="dusk", skies=("dusk",), rise=(3.0, 14.0), turn=(-22, 22), fill=(0.58, 0.85)
    )
    near = float(rng.uniform(2.0, 3.0))
    lay_out(rng, layout, ("paving", "concrete"), ("house", "tree"), (4, 8))
    _road(rng, layout, near, near + 5.5)
    kind = str(rng.choice(["person", "lamp", "car"]))
    height, side = float(rng.uniform(2.5, 3.1)), float(rng.choice([-1, 1]))
    xs = (side * float(rng.uniform(0.9, 1.6)), -side * float(rng.uniform(2.2, 3.4)))
    lamps = [
        outdoors.street_lamp(
            rng, f"lamp.{k}", (x, near - 0.5, 0.0), 90.0, lit=True, height=height,
            subject=kind == "lamp" and k == 0,
        )
        for k, x in enumerate(xs)
    ]  # fmt: skip
    taken: Taken = [(x, near - 0.5, 0.6) for x in xs]
    x, y = clear(rng, taken, (-0.6, -0.2), (0.6, 0.9), 0.8)
    walker = _walker(rng, x, y, subject=kind == "person")
    at = (float(rng.uniform(-1.5, 2.0)), near + 1.5, 0.004)
    driven = some_car(rng, "car", at, float(rng.choice([0, 180])), subject=kind == "car")
    kinds = ("bench", "bicycle", "dog", "litter_bin", "person.2", "sign", "cone")
    yard = Yard((-2.8, -0.8), (2.8, 1.2))
    more = furnish(rng, taken, kinds, int(rng.integers(2, 5)), yard)
    layout.things = [*lamps, *walker, driven, *more]
    layout.free = spots(rng, layout.things, (-2.2, -1.0), (2.2, 1.4), 0.0, 7)
    return layout


@base(
    "road_at_dusk", "A road at dusk with lit street lamps on their posts, a car, somebody walking."
)
def road_at_dusk(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "road_at_dusk", "street", _dusk)
