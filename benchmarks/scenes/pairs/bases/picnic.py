"""A picnic."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import boards, furniture, kitchen, outdoors, vehicles
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, lay_out
from benchmarks.scenes.pairs.things.open_air import spots
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.scenery import toy_ball
from benchmarks.scenes.pairs.world import Thing, World

_GRASS = ("grass", "grass", "meadow")
_TREES = ("tree", "tree", "house")


def _eaters(rng: Generator, mates: int) -> list[Thing]:
    """One or two people who sit on crates beside a blanket."""
    things: list[Thing] = []
    for k in range(mates):
        x = (-1.15 if k else 1.15) * float(rng.uniform(0.95, 1.1))
        deg = float(np.degrees(np.arctan2(-0.35, -x))) + float(rng.uniform(-18, 18))
        low = outdoors.crate(rng, f"crate.{k}", (x, 0.35, 0.0), deg)
        look = (-x, 0.3, 1.0) if mates == 2 else (0.0, -0.3, 0.1)
        one = person(
            rng, f"person.{k}" if k else "person", (x, 0.35, 0.0), deg, subject=k == 0, pose="sit",
            seat=float(low.size[2]) - 0.01, look_at=look, rests_on=low.key,
        )  # fmt: skip
        things += [low, one]
    return things


def _company(rng: Generator, kind: str) -> Thing:
    """What the picture shows as plainly as whoever eats: a dog, a bicycle, a board."""
    x, y = -float(rng.uniform(1.15, 1.35)), float(rng.uniform(0.2, 0.6))
    if kind == "dog":
        deg, lies = float(rng.choice([-60, 60, -20, 150])), bool(rng.random() < 0.3)
        return animal(
            rng, "dog.main", "dog", (x, y, 0), deg, subject=True, size=1.2, lies=lies,
            look_at=(0.0, 0.0, 0.2),
        )  # fmt: skip
    if kind == "bicycle":
        deg = float(rng.choice([0, 180])) + float(rng.uniform(-30, 30))
        return vehicles.bicycle(rng, "bicycle.main", (x, y + 0.4, 0), deg, subject=True)
    if kind == "chair":
        deg = float(np.degrees(np.arctan2(-0.35, -x))) + float(rng.uniform(-25, 25))
        return furniture.chair(rng, "chair.main", at=(x, y, 0), turn=deg, subject=True)
    deg = -90.0 + float(rng.uniform(-30, 30))
    return boards.sandwich_board(rng, "board.main", at=(x, y, 0), turn=deg, subject=True)


def _served(rng: Generator, food: Thing) -> list[Thing]:
    """Vessels and bread on the blanket."""
    things: list[Thing] = []
    spots = [food.centre[:2]]
    for make in (kitchen.jug, kitchen.teapot, kitchen.loaf, kitchen.kettle):
        if rng.random() < 0.55:
            continue
        at = rng.uniform([-0.6, -0.45], [0.6, 0.3])
        if all(np.hypot(*(at - other)) > 0.38 for other in spots):
            spots.append(at)
            turn = float(rng.uniform(0, 360))
            spot = (float(at[0]), float(at[1]), 0.02)
            things.append(make(rng, make.kind, at=spot, turn=turn, rests_on="blanket"))
    return things


def _picnic(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.62, 0.95), rise=(8.0, 26.0))
    lay_out(rng, layout, _GRASS, _TREES, (4, 10))
    cloth = outdoors.blanket(
        rng, "blanket", (0, 0, 0), float(rng.uniform(-20, 20)), more_facts={"detail": True}
    )
    at = (float(rng.uniform(-0.35, 0.35)), float(rng.uniform(-0.1, 0.35)), 0.02)
    food = outdoors.basket(rng, "basket", at, float(rng.uniform(0, 360)), rests_on="blanket")
    melon = toy_ball(rng, "ball", (float(rng.uniform(-0.5, 0.5)), -0.4, 0.02), 0.13)
    kind = str(rng.choice(["", "", "", "dog", "dog", "bicycle", "chair", "board"]))
    people = _eaters(rng, 1 if kind else int(rng.integers(1, 3)))
    if kind:
        people.append(_company(rng, kind))
    near = [
        one.verts()
        for one in (*people, food)
        if one.subject or one.key.startswith(("person", "basket"))
    ]
    layout.focus = np.concatenate(near)
    taken: Taken = [(0.0, 0.0, 0.95), (1.15, 0.35, 0.6), (-1.15, 0.35, 0.6)]
    kinds = ("parasol", "tree", "bicycle", "dog", "bush", "bird", "goat", "person.3", "cart", "cat",
             "chair", "board", "car", "horse")  # fmt: skip
    yard = Yard((-2.5, -0.9), (2.5, 2.8))
    more = furnish(rng, taken, kinds, int(rng.integers(3, 6)), yard)
    layout.things = [cloth, *people, food, melon, *_served(rng, food), *more]
    layout.free = spots(rng, layout.things, (-2.0, -1.4), (2.0, 1.8), 0.0, 7)
    return layout


@base(
    "picnic",
    "A picnic: people on crates round a blanket with a basket and jugs; dog, bicycle, chair, board, car.",
    held_out=True,
)
def picnic(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "picnic", "nature", _picnic)
