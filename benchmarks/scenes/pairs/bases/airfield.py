"""An airfield."""

from __future__ import annotations

from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import vehicles
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, lay_out
from benchmarks.scenes.pairs.things.open_air import spots, strip
from benchmarks.scenes.pairs.things.scenery import relabelled, some_car
from benchmarks.scenes.pairs.world import Thing, World, tags

_TAR, _MARK = Paint((0.3, 0.3, 0.31), specular=0.0), Paint((0.92, 0.92, 0.9), specular=0.0)
_KINDS = ("person", "person.2", "person.3", "cone", "cone.2", "dog", "windsock", "crate", "sign", "fence",
          "bicycle", "cart")  # fmt: skip


def _runway(rng: Generator, layout: Layout) -> None:
    y = float(rng.uniform(9, 13))
    layout.stage.append(strip("runway", (-50, y), (50, y + 6), 0.004, _TAR))
    for k, x in enumerate(range(-30, 30, 5)):
        layout.stage.append(strip(f"mark.{k}", (x, y + 2.9), (x + 2.5, y + 3.2), 0.008, _MARK))


def _plane(rng: Generator, up: float) -> Thing:
    """A light aircraft on its wheels, or in the air."""
    deg = float(rng.choice([-40.0, -140.0, 180.0, 0.0, -90.0])) + float(rng.uniform(-25, 25))
    one = vehicles.light_plane(rng, "aeroplane", (0, 1.5, up), deg, subject=True)
    if up == 0:
        return one
    names = tags("vehicle", "rigid", "aircraft", "large", "moves")
    return relabelled(one, one.kind, names, flies=True)


def _airfield(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.56, 0.8), turn=(-32, 32), rise=(4.0, 18.0), fov=(34.0, 60.0))
    lay_out(rng, layout, ("grass", "meadow", "asphalt", "concrete"), ("tree", "house"), (1, 5))
    if rng.random() < 0.6:
        _runway(rng, layout)
    up = float(rng.uniform(2.4, 4.0)) if rng.random() < 0.2 else 0.0
    things = [_plane(rng, up)]
    side = float(rng.choice([-1, 1]))
    if rng.random() < 0.6:
        at = (-side * float(rng.uniform(5.0, 7.5)), float(rng.uniform(6.5, 8.5)), 0)
        things.append(vehicles.light_plane(rng, "aeroplane.2", at, float(rng.uniform(0, 360))))
    if rng.random() < 0.8:
        at = (side * float(rng.uniform(3.2, 4.4)), float(rng.uniform(-2.2, 1.5)), 0)
        things.append(some_car(rng, "car", at, float(rng.uniform(-160, -20))))
    taken: Taken = [(0.0, 1.5, 2.2)]
    look = (0.0, 1.5, max(up, 0.4) + 0.9) if rng.random() < 0.6 else None
    yard = Yard((-2.7, -4.8), (2.7, -1.6), look=look)
    layout.things = [*things, *furnish(rng, taken, _KINDS, int(rng.integers(4, 7)), yard)]
    layout.free = spots(rng, layout.things, (-2.6, -4.8), (2.6, -1.6), 0.0, 7)
    return layout


@base(
    "airfield",
    "An airfield: a light aircraft on its wheels or in the air; people, cones, cars, another aircraft.",
)
def airfield(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "airfield", "air", _airfield)
