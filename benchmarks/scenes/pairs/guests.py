"""Things that would never be where they are put, and others that would: life-size, standing on z = 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part, Piece
from benchmarks.scenes.surroundings import outdoor

from .oddments import bathtub, boulder, cone, fridge, hydrant, toilet, traffic_light, tyre
from .pick import pixels_per_unit
from .things import blocks, boards, furniture, kitchen, lamps, props, vehicles
from .things.creatures import animal
from .warp import grounded
from .world import Thing, World, tags

INSIDE: Final = frozenset(
    {"indoor", "kitchen", "workshop", "office", "bathroom", "museum", "shop", "room"}
)

Make = Callable[[Generator, str], Thing]


@dataclass(frozen=True, slots=True)
class Guest:
    """A kind of thing and where it would never be."""

    name: str
    make: Make
    never: frozenset[str]
    """Of the groups that `group_of` gives."""
    held_out: bool = False
    shrinks: float = 1.0
    """It may be made smaller down to this factor."""


def group_of(world: World, at: Thing) -> str:
    """table (a desk or counter seen from near), room, street, harbour, water, snow, sand, air or
    nature."""
    if world.place in INSIDE:
        return "table" if 320 / pixels_per_unit(world, at) < 1.9 else "room"
    known = ("street", "harbour", "water", "snow", "sand", "air")
    return world.place if world.place in known else "nature"


def _beast(kind: str, size: float = 1.0) -> Make:
    return lambda rng, key: animal(rng, key, kind, textured=False, size=size)


def _stove(rng: Generator, key: str) -> Thing:
    return grounded(kitchen.stove(rng, key), 0.0)


def _plane(rng: Generator, key: str) -> Thing:
    return vehicles.light_plane(rng, key)


def _sedan(rng: Generator, key: str) -> Thing:
    return vehicles.car(rng, key, str(rng.choice(["sedan", "hatchback", "pickup"])))


def _boat(rng: Generator, key: str) -> Thing:
    return grounded(vehicles.boat(rng, key), 0.0)


def _snowman(rng: Generator, key: str) -> Thing:
    return blocks.snowman(rng, key, scale=float(rng.uniform(0.8, 1.1)))


_OPEN: Final = frozenset({"nature", "sand", "snow", "water", "air"})
_TOWN: Final = frozenset({"street", "harbour"})
_ROOMS: Final = frozenset({"table", "room"})

GUESTS: Final[tuple[Guest, ...]] = (
    Guest("chicken", _beast("chicken", 0.62), _ROOMS | {"air"}),
    Guest("duck", _beast("duck", 0.6), _ROOMS),
    Guest("piglet", _beast("pig", 0.26), _ROOMS | {"air", "snow"}),
    Guest("lamb", _beast("sheep", 0.3), _ROOMS),
    Guest("cow", _beast("cow"), frozenset({"room", "air", "snow", "sand", "street"}), shrinks=0.8),
    Guest(
        "rhino", _beast("rhino"), frozenset({"room", "snow", "sand", "air"}) | _TOWN, shrinks=0.75
    ),
    Guest(
        "elephant",
        _beast("elephant"),
        frozenset({"room", "snow", "air", "sand"}) | _TOWN,
        shrinks=0.7,
    ),
    Guest("ostrich", _beast("ostrich"), frozenset({"room", "snow", "air"}) | _TOWN, shrinks=0.85),
    Guest("snowman", _snowman, _ROOMS | {"sand"}),
    Guest("rock", boulder, frozenset({"table"})),
    Guest("light aircraft", _plane, frozenset({"room", "sand"}) | _TOWN, shrinks=0.45),
    Guest("car", _sedan, frozenset({"room", "water", "sand"}), shrinks=0.75),
    Guest("boat", _boat, frozenset({"room", "street", "snow", "air"}), shrinks=0.6),
    Guest("cooker", _stove, _OPEN | _TOWN),
    Guest("sofa", furniture.sofa, _OPEN | _TOWN),
    Guest("bed", furniture.bed, _OPEN | _TOWN),
    Guest("refrigerator", fridge, _OPEN | _TOWN),
    Guest("fireplace", lambda rng, key: lamps.fireplace(rng, key, lit=False), _OPEN | _TOWN),
    Guest("traffic cone", cone, frozenset({"table"}), held_out=True),
    Guest("car wheel", tyre, frozenset({"table", "room"}), held_out=True, shrinks=0.8),
    Guest("fire hydrant", hydrant, _ROOMS | {"sand", "snow", "water"}, held_out=True, shrinks=0.6),
    Guest(
        "traffic light",
        traffic_light,
        frozenset({"room", "sand", "snow", "water"}),
        held_out=True,
        shrinks=0.7,
    ),
    Guest("bathtub", bathtub, _OPEN | _TOWN, held_out=True),
    Guest("toilet", toilet, _OPEN | _TOWN | {"table"}, held_out=True, shrinks=0.8),
)


def _nature(maker: Callable[[Generator], list[Piece]], kind: str, scale: float) -> Make:
    def make(rng: Generator, key: str) -> Thing:
        turn = rot("z", float(rng.uniform(0, 360))) * scale
        pieces = tuple(
            Piece(p.mesh.transformed(turn, (0, 0, 0)), p.paint, p.uv) for p in maker(rng)
        )
        return Thing(key, kind, (Part("body", None, pieces),), tags=tags("stands"))

    return make


def _crate(rng: Generator, key: str) -> Thing:
    return blocks.carton(rng, key)


_ROOM: Final[tuple[Make, ...]] = (
    furniture.chair,
    furniture.stool,
    props.potted_plant,
    _crate,
)
BELONGS: Final[Mapping[str, tuple[Make, ...]]] = {
    "table": (props.pencil_pot, props.basket),
    "room": _ROOM,
    "street": (_crate, vehicles.bicycle, lambda rng, key: props.potted_plant(rng, key, scale=1.6)),
    "harbour": (_crate, vehicles.bicycle, boards.barrel),
    "nature": (_nature(outdoor.rock, "rock", 1.0), _nature(outdoor.bush, "bush", 1.0)),
    "sand": (_nature(outdoor.rock, "rock", 0.8), _crate),
    "snow": (_nature(outdoor.rock, "rock", 0.9), _nature(outdoor.tree, "tree", 1.0)),
    "water": (_nature(outdoor.rock, "rock", 1.0),),
    "air": (_crate,),
}
"""What may stand in a free spot of a group without being out of place."""


def placed(one: Thing, foot: F64, turn: float, scale: float) -> Thing:
    """Turned about z by degrees, scaled, its foot put at a point."""
    base = np.array([one.centre[0], one.centre[1], one.low[2]])
    return one.about(rot("z", turn) * scale, base, foot - base)


def fits_in(world: World, one: Thing, ignoring: frozenset[str] = frozenset()) -> bool:
    """Whether it meets no other thing or wall, and is seen nearly whole and large enough."""
    low, high = one.low + 0.01, one.high - 0.01
    boxes = [(o.low, o.high) for o in world.things if o.key not in ignoring]
    for p in world.stage:
        if p.key.startswith("backdrop"):
            continue
        for piece in p.pieces:
            v = piece.mesh.verts
            a, b = v.min(0), v.max(0)
            # Ground, however uneven, is what it stands on.
            if b[2] > low[2] + 0.2 * one.size[2] and not np.all((b - a)[:2] > 2.5 * one.size[:2]):
                boxes.append((a, b))
    if any(np.all(low < b) and np.all(a < high) for a, b in boxes):
        return False
    depth = (one.verts() - world.camera.pos) @ world.camera.forward
    if float(depth.min()) < 0.15:
        return False
    seen = world.camera.project(one.verts(), 320, 320)
    size = np.ptp(seen, axis=0)
    inside = ((seen > 0) & (seen < 320)).all(1).mean()
    return bool(inside > 0.93 and size.max() > 46 and size.max() < 290)


def unlike(one: Thing, world: World) -> bool:
    """Whether the world has nothing of its kind already."""
    return all(one.kind != o.kind for o in world.things)
