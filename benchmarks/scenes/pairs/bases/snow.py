"""A snow field."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, vehicles
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import (
    SUNK,
    Taken,
    Yard,
    furnish,
    lay_out,
    to_the_side,
    tracks,
    walking,
)
from benchmarks.scenes.pairs.things.open_air import distance, spots
from benchmarks.scenes.pairs.things.scenery import bystander, leash
from benchmarks.scenes.pairs.world import Thing, World

_BLUE: tuple[float, float, float] = (0.55, 0.6, 0.72)
"""Of footprints."""
_KINDS = ("tree", "tree.2", "dog", "person.2", "walker", "snowman.2", "sledge.2", "rock", "bench",
          "street_lamp", "bird", "fence", "horse", "sign")  # fmt: skip


def _puller(rng: Generator, taken: Taken) -> list[Thing]:
    """Somebody who pulls a sledge on a rope, footprints and tracks behind."""
    deg = to_the_side(rng, 35.0)
    m = rot("z", deg)
    behind, hand = m @ np.array([-1.55, 0.0, 0.0]), m @ np.array([-0.38, -0.24, 0.72])
    at = (float(behind[0]), float(behind[1]), -0.012)
    main = walking(
        rng, "person", (0.0, 0.0), deg, _BLUE, subject=True, curl=70.0,
        reach_right=(float(hand[0]), float(hand[1]), float(hand[2])),
    )  # fmt: skip
    sledge = vehicles.sledge(rng, "sledge", at, deg, more_facts={"tracks": "tracks.sledge"})
    end = behind + m @ np.array([0.55, 0.0, 0.2])
    rope = leash(rng, "rope", main[0].facts["hand.right"], end)
    start = behind - m @ np.array([0.45, 0.0, 0.0])
    taken.append((at[0], at[1], 0.8))
    return [*main, sledge, rope, tracks("tracks.sledge", "sledge", start, deg, _BLUE)]


def _builder(rng: Generator, taken: Taken) -> list[Thing]:
    """A snowman and somebody beside it."""
    turn = -90 + float(rng.uniform(-40, 40))
    scale = float(rng.uniform(4.4, 5.6))
    figure = blocks.snowman(rng, "snowman", at=(0, 0, -0.03), turn=turn, scale=scale, subject=True)
    x, y = float(rng.choice([-1, 1])) * float(rng.uniform(0.95, 1.2)), float(rng.uniform(-0.3, 0.3))
    deg = float(np.degrees(np.arctan2(-y, -x)))
    poses = ("reach", "hips", "stand", "wave")
    taken.append((x, y, 0.6))
    return [figure, bystander(rng, "person", (x, y, -SUNK), deg, poses, look_at=(0.0, 0.0, 1.1))]


def _snowy(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.6, 0.86), skies=("clear", "pale", "grey", "grey"))
    lay_out(rng, layout, ("snow",), ("tree", "house"), (2, 6))
    layout.stage += distance(rng, ("mountain",), int(rng.integers(0, 4)))
    taken: Taken = [(0.0, 0.0, 0.8)]
    kind = int(rng.choice(3, p=[0.5, 0.25, 0.25]))
    if kind == 0:
        main = _puller(rng, taken)
    elif kind == 1:
        main = walking(rng, "person", (0.0, 0.0), to_the_side(rng, 35.0), _BLUE, subject=True)
    else:
        main = _builder(rng, taken)
    yard = Yard((-2.7, 0.2), (2.7, 3.4), soft=_BLUE, trees=("conifer", "bare"))
    layout.things = [*main, *furnish(rng, taken, _KINDS, int(rng.integers(5, 8)), yard)]
    layout.free = spots(rng, layout.things, (-2.2, -1.2), (2.2, 2.0), 0.0, 7)
    return layout


@base(
    "snow_field",
    "Snow: somebody pulls a sledge or walks, footprints behind; a snowman, conifers, a dog, mountains.",
)
def snow_field(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "snow_field", "snow", _snowy)
