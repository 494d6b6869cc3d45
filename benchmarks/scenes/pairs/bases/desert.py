"""A desert."""

from __future__ import annotations

from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import vehicles
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import (
    Taken,
    Yard,
    furnish,
    lay_out,
    to_the_side,
    walking,
)
from benchmarks.scenes.pairs.things.open_air import spots
from benchmarks.scenes.pairs.things.quick import ball
from benchmarks.scenes.pairs.world import Thing, World

_BROWN: tuple[float, float, float] = (0.62, 0.45, 0.27)
_MAIN = ("person", "car", "elephant", "ostrich", "goat", "rhino")
_KINDS = ("cactus", "cactus.2", "rock", "rock.2", "person.2", "person.3", "walker", "car", "goat.2",
          "ostrich.2", "crate", "palm", "sign", "bird", "dog")  # fmt: skip


def _dune(rng: Generator, i: int) -> Part:
    rgb = (float(rng.uniform(0.75, 0.9)), float(rng.uniform(0.58, 0.68)), 0.4)
    x, y, r = float(rng.uniform(-22, 22)), float(rng.uniform(13, 30)), float(rng.uniform(5, 11))
    mesh = ball((x, y, -0.3), (r, r * 0.5, r * 0.22), rot("z", float(rng.uniform(-30, 30))), n=18)
    return Part(f"backdrop.dune.{i}", None, (Piece.make(mesh, Paint(rgb, specular=0.0)),))


def _main(rng: Generator, layout: Layout, taken: Taken) -> list[Thing]:
    """A traveller, an off-road car or a large animal."""
    kind, deg = str(rng.choice(_MAIN, p=[0.34, 0.24, 0.15, 0.12, 0.09, 0.06])), to_the_side(rng)
    if kind == "person":
        taken.append((0.0, 0.0, 0.7))
        return walking(rng, "person", (0.0, 0.0), deg, _BROWN, subject=True)
    layout.fill = (0.45, 0.66)
    if kind == "car":
        taken.append((0.0, 0.8, 1.6))
        model = str(rng.choice(["suv", "pickup"]))
        return [vehicles.car(rng, "car", model, (0, 0.8, -0.02), deg, subject=True)]
    large = kind in ("elephant", "rhino")
    taken.append((0.0, 0.5, 1.5 if large else 0.8))
    return [animal(rng, kind, kind, (0, 0.6 if large else 0.0, -0.01), deg, subject=True)]


def _desert(rng: Generator) -> Layout:
    light, skies = str(rng.choice(["day", "low"])), ("clear", "clear", "pale", "evening")
    layout = Layout([], fill=(0.58, 0.86), skies=skies, light=light)
    lay_out(rng, layout, ("dunes",), ("mountain",), (0, 3))
    layout.stage += [_dune(rng, i) for i in range(int(rng.integers(3, 7)))]
    taken: Taken = []
    main = _main(rng, layout, taken)
    kinds = [k for k in _KINDS if k != main[0].key]
    yard = Yard((-3.0, -1.0), (3.0, 3.2), soft=_BROWN)
    layout.things = [*main, *furnish(rng, taken, kinds, int(rng.integers(6, 9)), yard)]
    layout.free = spots(rng, layout.things, (-2.4, -1.2), (2.4, 2.2), 0.0, 7)
    return layout


@base(
    "desert",
    "A desert: a traveller with footprints, a car, an elephant, an ostrich; cactuses, rocks, dunes.",
)
def desert(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "desert", "sand", _desert)
