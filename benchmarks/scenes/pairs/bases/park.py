"""A park."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import outdoors
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import (
    Taken,
    Yard,
    furnish,
    lay_out,
    seated,
    to_the_side,
)
from benchmarks.scenes.pairs.things.open_air import spots, strip
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.scenery import leash, toy_ball
from benchmarks.scenes.pairs.world import Thing, World

_GRASS = ("grass", "grass", "meadow")
_TREES = ("tree", "tree", "house")


def _walks_a_dog(rng: Generator) -> list[Thing]:
    """Somebody with a dog on a leash; sees to it."""
    deg = to_the_side(rng)
    m = rot("z", deg)
    at = m @ np.array([float(rng.uniform(0.9, 1.25)), float(rng.uniform(-0.25, 0.25)), 0.0])
    dog = animal(rng, "dog", "dog", at, deg, subject=True, size=1.15)
    hand = m @ np.array([0.34, -0.2, 0.95])
    look = (float(at[0]), float(at[1]), 0.5)
    one = person(
        rng, "person", (0, 0, 0), deg, subject=True, pose="walk", curl=70.0, look_at=look,
        reach_right=(float(hand[0]), float(hand[1]), float(hand[2])),
    )  # fmt: skip
    return [one, dog, leash(rng, "leash", one.facts["hand.right"], dog.facts["neck"])]


def _throws_to_a_dog(rng: Generator) -> list[Thing]:
    """The ball has just left the hand; both look at it."""
    deg = to_the_side(rng)
    ahead = rot("z", deg)[:, 0]
    fly = ahead * 0.95 + np.array([0.0, 0.0, float(rng.uniform(1.5, 1.9))])
    look = (float(fly[0]), float(fly[1]), float(fly[2]))
    one = person(
        rng, "person", (0, 0, 0), deg, subject=True, pose="throw", look_at=look,
        more_facts={"ball": "ball"},
    )  # fmt: skip
    at = ahead * float(rng.uniform(1.4, 1.8))
    dog = animal(rng, "dog", "dog", at, deg + 180.0, size=1.15, look_at=look)
    return [one, dog, toy_ball(rng, "ball", fly, 0.085, flies=True, thrown_by="person")]


def _on_bench(rng: Generator) -> list[Thing]:
    seat = outdoors.bench(rng, "bench", (0, 0, 0), -90.0 + float(rng.uniform(-60, 60)))
    if rng.random() < 0.6:
        return [seat, seated(rng, "person", seat, float(rng.uniform(-0.35, 0.35)), subject=True)]
    return [
        seat,
        seated(rng, "person", seat, 0.4, subject=True),
        seated(rng, "person.2", seat, -0.4),
    ]


def _park(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.6, 0.85))
    lay_out(rng, layout, _GRASS, _TREES, (4, 10))
    act = (_walks_a_dog, _throws_to_a_dog, _on_bench)[int(rng.integers(3))]
    main = act(rng)
    taken: Taken = [(0.0, 0.0, 1.0), (0.8, 0.2, 0.6), (-0.8, 0.2, 0.6)]
    kinds = [
        "tree",
        "bush",
        "street_lamp",
        "litter_bin",
        "statue",
        "person.3",
        "bicycle",
        "sign",
        "bird",
        "duck",
    ]
    kinds.append("dog" if act is _on_bench else "bench")
    yard = Yard((-2.8, -0.4), (2.8, 2.8))
    layout.things = [*main, *furnish(rng, taken, kinds, int(rng.integers(4, 7)), yard)]
    if rng.random() < 0.5:
        y, gravel = float(rng.uniform(1.2, 3.0)), Paint((0.7, 0.64, 0.52), specular=0.0)
        layout.stage.append(strip("path", (-40, y), (40, y + 1.3), 0.003, gravel))
    layout.free = spots(rng, layout.things, (-2.2, -1.0), (2.2, 2.0), 0.0, 7)
    return layout


@base(
    "park",
    "A park: somebody walks a dog, throws it a ball or sits on a bench; trees, lamps, statues, birds.",
)
def park(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "park", "nature", _park)
