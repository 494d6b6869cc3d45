"""A market at a harbour."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import boards
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, to_the_side
from benchmarks.scenes.pairs.things.open_air import clear, spots
from benchmarks.scenes.pairs.things.scenery import bystander
from benchmarks.scenes.pairs.things.shore import basin, boat, swimmer
from benchmarks.scenes.pairs.world import Thing, World

_MAIN = ("stall", "stall", "board", "person", "dog", "goat", "horse", "chicken")
_KINDS = ("stall", "board", "crate", "crate.2", "barrel", "barrel.2", "person.2", "dog", "cat", "goat",
          "bird", "bicycle", "bucket", "chair", "cart", "duck", "chicken", "stool")  # fmt: skip


def _keeper(rng: Generator, taken: Taken) -> list[Thing]:
    """A stall, and who keeps or looks at it."""
    deg = -90.0 + float(rng.uniform(-28, 28))
    one = boards.stall(rng, "stall.main", at=(0.0, 0.2, 0.0), turn=deg, subject=True)
    x = float(rng.choice([-1, 1])) * float(rng.uniform(1.3, 1.6))
    guest = bystander(
        rng, "guest", (x, float(rng.uniform(-0.3, 0.4)), 0.0), float(rng.uniform(-130, -50)),
        ("stand", "hips", "hold", "pockets"),
    )  # fmt: skip
    taken += [(0.0, 0.2, 1.25), (x, 0.0, 0.45)]
    return [one, guest]


def _main(rng: Generator, kind: str, taken: Taken) -> list[Thing]:
    if kind == "stall":
        return _keeper(rng, taken)
    taken.append((0.0, 0.0, 1.25 if kind == "horse" else 0.7))
    if kind == "board":
        deg = -90.0 + float(rng.uniform(-35, 35))
        return [boards.sandwich_board(rng, "board.main", turn=deg, subject=True, kind="stall")]
    if kind == "person":
        poses = ("walk", "stand", "hips", "wave", "hold", "reach")
        return [bystander(rng, "person", (0, 0, 0), to_the_side(rng, 60.0), poses, subject=True)]
    size = {"chicken": 1.6, "horse": 1.0, "goat": 1.0, "dog": 1.15}[kind]
    deg = to_the_side(rng, 45.0)
    return [animal(rng, f"{kind}.main", kind, (0, 0, 0), deg, subject=True, size=size)]


def _harbour(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.56, 0.82), rise=(6.0, 18.0))
    quay = float(rng.uniform(2.6, 3.4))
    basin(rng, layout, str(rng.choice(["paving", "concrete", "gravel"])), quay, 50.0)
    kind = str(rng.choice(_MAIN))
    taken: Taken = []
    things = _main(rng, kind, taken)
    small = kind in ("chicken", "board", "dog")
    if small:
        layout.fill = (0.42, 0.62)
    room = 0.6 if kind == "chicken" else 1.0
    if rng.random() < 0.75:
        x, y = float(rng.uniform(-2.5, 2.5)), quay + float(rng.uniform(1.5, 3.0))
        things += boat(rng, x, y, to_the_side(rng, 30.0), subject=False, size=1.2)
    for k in range(int(rng.integers(0, 3))):
        x, y = clear(rng, taken, (-2.2, quay + 0.5), (2.2, quay + 1.1), 0.4)
        things.append(swimmer(rng, f"duck.afloat.{k}", x, y, textured=False))
    kinds = [k for k in _KINDS if not (kind == "stall" and k == "stall")]
    kinds = [k for k in kinds if not (room < 1 and k in ("stall", "cart"))]
    yard = Yard(
        (-2.7 * room, -0.8 * room), (2.7 * room, (quay - 0.6) * room), words="stall", tight=0.9
    )
    things += furnish(rng, taken, kinds, int(rng.integers(4, 7)), yard)
    layout.things = things
    layout.free = spots(
        rng, things, np.array([-2.3, -1.1]) * room, (2.3 * room, quay - 0.6), 0.0, 7
    )
    return layout


@base(
    "harbour_market",
    "A market on a quay: a stall, a board, a horse, goat, dog or somebody; barrels, a boat, ducks.",
    held_out=True,
)
def harbour_market(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "harbour_market", "harbour", _harbour)
