"""A pond: what is in the water and on its bank."""

from __future__ import annotations

from numpy.random import Generator

from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, to_the_side
from benchmarks.scenes.pairs.things.open_air import clear, distance, spots
from benchmarks.scenes.pairs.things.shore import basin, boat, reeds, swimmer, wader
from benchmarks.scenes.pairs.world import Thing, World


def _afloat(rng: Generator, taken: Taken, near: float) -> list[Thing]:
    """Ducks, and by chance somebody who wades."""
    things = []
    for k in range(int(rng.integers(1, 4))):
        x, y = clear(rng, taken, (-1.8, near + 0.5), (1.8, 1.2), 0.55)
        things.append(swimmer(rng, f"duck.{k + 2}", x, y, textured=False))
    if rng.random() < 0.4:
        x, y = clear(rng, taken, (-2.0, 0.0), (2.0, 2.4), 0.5)
        things += wader(rng, "wader", x, y, -90 + float(rng.uniform(-70, 70)))
    return things


def _pond(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.55, 0.85), rise=(8.0, 22.0))
    near, far = float(rng.uniform(-1.9, -1.2)), float(rng.uniform(6.0, 11.0))
    basin(rng, layout, str(rng.choice(["grass", "meadow", "gravel", "mud"])), near, far)
    layout.stage += distance(rng, ("tree", "tree", "house"), int(rng.integers(4, 9)))
    kind = str(rng.choice(["boat", "boat", "duck", "wader"]))
    x, y = float(rng.uniform(-0.3, 0.3)), float(rng.uniform(1.0, 1.8))
    if kind != "boat":
        x, y = float(rng.uniform(-2.2, 2.2)), float(rng.uniform(3.0, 4.2))
    things = boat(rng, x, y, to_the_side(rng, 35.0), subject=kind == "boat")
    taken: Taken = [(x, y, 1.7)]
    if kind == "duck":
        things.append(swimmer(rng, "duck", 0.0, 0.2, 1.7, subject=True))
        layout.fill = (0.4, 0.62)
    if kind == "wader":
        things += wader(rng, "person", 0.0, 0.2, -90 + float(rng.uniform(-60, 60)), subject=True)
    taken += [(0.0, 0.2, 0.5)] if kind != "boat" else []
    things += _afloat(rng, taken, near)
    for k in range(int(rng.integers(0, 3))):
        reed_x, reed_y = clear(rng, taken, (-2.4, near - 0.05), (2.4, near + 0.25), 0.4)
        things.append(reeds(rng, f"reeds.{k}", reed_x, reed_y))
    kinds = ("person.2", "duck.bank", "rock", "crate", "bucket", "bird", "dog")
    yard = Yard((-1.9, near - 1.1), (1.9, near - 0.35), look=(x, y, 0.4), tight=0.8)
    things += furnish(rng, taken, kinds, int(rng.integers(1, 4)), yard)
    layout.things = things
    layout.free = spots(rng, things, (-2.2, near - 1.4), (2.2, near - 0.3), 0.0, 6, 0.5)
    return layout


@base(
    "pond",
    "A pond: a boat at its waterline (some with a wake), swimming ducks, somebody who wades or watches.",
)
def pond(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "pond", "water", _pond)
