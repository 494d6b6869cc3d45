"""A beach."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import boards, outdoors
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import SUNK, Taken, Yard, furnish, to_the_side, walking
from benchmarks.scenes.pairs.things.open_air import spots
from benchmarks.scenes.pairs.things.scenery import bystander
from benchmarks.scenes.pairs.things.shore import basin, boat, wader
from benchmarks.scenes.pairs.world import Thing, World

_WET: tuple[float, float, float] = (0.62, 0.52, 0.35)
_KINDS = ("parasol", "bucket", "palm", "person.2", "dog", "ball", "rock", "bird", "crate", "board",
          "chair", "chair.2", "bicycle", "stool")  # fmt: skip
_MAIN = ("person", "castle", "boat", "dog", "kiosk")


def _castle(rng: Generator, taken: Taken) -> list[Thing]:
    """A sand castle and the child that has built it."""
    castle = outdoors.sand_castle(
        rng, "castle", (0, 0, 0), float(rng.uniform(0, 90)), subject=True, scale=1.2
    )
    side = float(rng.choice([-1, 1]))
    deg = float(np.degrees(np.arctan2(-0.25, -0.95 * side)))
    child = bystander(
        rng, "child", (0.95 * side, 0.25, -SUNK), deg, ("crouch", "stand", "reach"),
        height=float(rng.uniform(1.0, 1.25)), look_at=(0.0, 0.0, 0.3),
    )  # fmt: skip
    taken.append((0.95 * side, 0.25, 0.5))
    return [castle, child]


def _kiosk(rng: Generator, taken: Taken) -> list[Thing]:
    """A kiosk, and somebody before it."""
    deg = -90.0 + float(rng.uniform(-30, 30))
    one = boards.kiosk(rng, "kiosk", at=(0.0, 0.4, 0.0), turn=deg, subject=True)
    x = float(rng.choice([-1, 1])) * float(rng.uniform(0.9, 1.3))
    guest = bystander(
        rng, "guest", (x, -0.75, -SUNK), float(rng.uniform(20, 160)), ("stand", "hips", "wave"),
        look_at=(0.0, 0.0, 1.4),
    )  # fmt: skip
    taken += [(0.0, 0.3, 1.35), (x, -0.75, 0.5)]
    return [one, guest]


def _dog(rng: Generator) -> Thing:
    """A dog on the sand, seen from its side."""
    lies = bool(rng.random() < 0.25)
    deg = to_the_side(rng)
    return animal(
        rng, "dog.main", "dog", (0, 0, -SUNK * 0.7), deg, subject=True, size=1.2, lies=lies
    )


def _beach(rng: Generator) -> Layout:
    skies = ("clear", "clear", "pale", "evening")
    layout = Layout([], fill=(0.6, 0.86), rise=(7.0, 20.0), skies=skies)
    shore = float(rng.uniform(1.6, 2.8))
    basin(rng, layout, "sand", shore, 50.0)
    kind = str(rng.choice(_MAIN))
    things: list[Thing] = []
    taken: Taken = [(0.0, 0.0, 0.8)]
    if kind == "castle":
        things += _castle(rng, taken)
        layout.fill = (0.45, 0.65)
    if kind == "kiosk":
        things += _kiosk(rng, taken)
        layout.fill = (0.5, 0.72)
    if kind == "dog":
        things.append(_dog(rng))
        layout.fill = (0.4, 0.62)
    if kind == "person" or rng.random() < (0.5 if kind != "kiosk" else 0.0):
        at = (0.0, 0.0) if kind == "person" else (float(rng.uniform(-1.6, 1.6)), shore - 0.8)
        things += walking(rng, "person", at, to_the_side(rng), _WET, subject=kind == "person")
        taken.append((*at, 0.6))
    if kind == "boat" or rng.random() < 0.6:
        main = kind == "boat"
        x = float(rng.uniform(-0.5, 0.5) if main else rng.uniform(-2.2, 2.2))
        y = shore + float(rng.uniform(1.6, 2.2) if main else rng.uniform(2.2, 3.6))
        things += boat(rng, x, y, to_the_side(rng, 35.0), subject=main, size=1.0 if main else 1.2)
    if rng.random() < 0.4:
        x, y = float(rng.uniform(-1.6, 1.6)), shore + float(rng.uniform(0.9, 1.3))
        things += wader(rng, "wader", x, y, float(rng.uniform(-150, -30)))
    kinds = [*_KINDS] if kind == "castle" else [*_KINDS, "sand_castle"]
    kinds += ["kiosk"] if kind in ("person", "dog") else []
    yard = Yard((-2.3, -0.9), (2.3, shore - 0.4), soft=_WET)
    things += furnish(rng, taken, kinds, int(rng.integers(4, 7)), yard)
    layout.things = things
    layout.free = spots(rng, things, (-2.0, -1.0), (2.0, shore - 0.5), 0.0, 7)
    return layout


@base(
    "beach",
    "A beach: a walker with footprints, a dog, a kiosk, a sand castle or a boat; chairs, a wader.",
    held_out=True,
)
def beach(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "beach", "sand", _beach)
