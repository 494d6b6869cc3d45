"""Things that bases put beside and behind their subjects, each where there is room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.world import Thing, tags

from . import blocks, boards, furniture, outdoors, tools, vehicles
from .creatures import SIZES, animal
from .framing import Layout
from .open_air import clear, distance, open_ground
from .person import person
from .quick import rod
from .scenery import bystander, flying_bird, sign, some_car, statue, toy_ball
from .wheels import METAL

RGB = tuple[float, float, float]
Taken = list[tuple[float, float, float]]
"""Circles (x, y, radius) that are full."""
SUNK: Final = 0.018
"""How deep feet are in snow and sand."""
_BIG: Final = (
    "cow", "horse", "elephant", "rhino", "cart", "fence", "car", "trampoline", "kiosk", "stall",
)  # fmt: skip
_GROWN: Final = {"dog": 1.15, "cat": 1.15, "duck": 1.3, "chicken": 1.3}
"""Small animals a little larger than life, that they are plain to see."""


@dataclass(frozen=True, slots=True)
class Yard:
    """Where things are put."""

    low: tuple[float, float]
    high: tuple[float, float]
    """Corners x, y."""
    soft: RGB | None = None
    """Colour of footprints, on ground that feet sink into."""
    look: tuple[float, float, float] | None = None
    """What people and dogs look at."""
    trees: tuple[str, ...] = ("leafy", "conifer")
    tight: float = 1.0
    """Factor of the room that everything takes."""
    words: str = "outdoors"
    """Kind of what boards say."""

    @property
    def floor(self) -> float:
        """Where feet are."""
        return 0.0 if self.soft is None else -SUNK


@dataclass(frozen=True, slots=True)
class _Spot:
    rng: Generator
    key: str
    x: float
    y: float
    turn: float
    yard: Yard

    def at(self, z: float = 0.0) -> tuple[float, float, float]:
        return (self.x, self.y, z)

    def towards(self) -> float:
        """Direction that it faces: what is looked at, or the viewer's side."""
        if self.yard.look is None:
            return self.turn
        return float(np.degrees(np.arctan2(self.yard.look[1] - self.y, self.yard.look[0] - self.x)))


def _someone(s: _Spot) -> list[Thing]:
    return [bystander(s.rng, s.key, s.at(s.yard.floor), s.towards(), look_at=s.yard.look)]


def _creature(s: _Spot) -> list[Thing]:
    kind = s.key.split(".")[0]
    lies = bool(kind not in ("horse", "chicken", "ostrich", "elephant") and s.rng.random() < 0.28)
    look = s.yard.look if kind == "dog" else None
    deg = s.towards() if look else float(s.rng.uniform(0, 360))
    size = _GROWN.get(kind, 1.0)
    z = s.yard.floor * 0.7
    return [
        animal(s.rng, s.key, kind, s.at(z), deg, textured=False, size=size, lies=lies, look_at=look)
    ]


def _car(s: _Spot) -> list[Thing]:
    deg = float(s.rng.choice([0, 180])) + float(s.rng.uniform(-30, 30))
    return [some_car(s.rng, s.key, (s.x * 1.25, s.y + 1.8, s.yard.floor), deg)]


def _ride(s: _Spot) -> list[Thing]:
    deg = float(s.rng.choice([0, 180])) + float(s.rng.uniform(-35, 35))
    make = getattr(vehicles, s.key.split(".")[0])
    return [make(s.rng, s.key, s.at(s.yard.floor * 0.7), deg)]


def _tree(s: _Spot) -> list[Thing]:
    style = str(s.rng.choice(list(s.yard.trees)))
    return [outdoors.tree(s.rng, s.key, s.at(), s.turn, style=style)]


def _bird(s: _Spot) -> list[Thing]:
    up = float(s.rng.uniform(1.3, 2.4))
    return [flying_bird(s.rng, s.key, (s.x, s.y + 0.7, up), float(s.rng.uniform(0, 360)))]


def _snowman(s: _Spot) -> list[Thing]:
    return [blocks.snowman(s.rng, s.key, at=s.at(-0.03), turn=s.turn, scale=4.5)]


def _prop(s: _Spot) -> list[Thing]:
    make = getattr(outdoors, s.key.split(".")[0])
    deg = 90.0 + float(s.rng.uniform(-30, 30)) if s.key.startswith("fence") else s.turn
    return [make(s.rng, s.key, s.at(), deg)]


def windsock(s: _Spot) -> list[Thing]:
    """A windsock on its mast."""
    red, white = Paint((0.9, 0.3, 0.1), specular=0), Paint((0.95, 0.95, 0.94), specular=0)
    h, way = float(s.rng.uniform(2.4, 3.2)), rot("z", float(s.rng.uniform(0, 360)))[:, 0]
    made = [Piece.make(rod((0, 0, 0.03), (0, 0, h), 0.04, 0.03), METAL)]
    for k in range(5):
        a, b = (np.array([0, 0, h - 0.02 - 0.014 * n * n]) + way * 0.28 * n for n in (k, k + 1))
        made.append(
            Piece.make(rod(a, b, 0.16 - 0.018 * k, 0.142 - 0.018 * k), white if k % 2 else red)
        )
    part = Part("sock", None, tuple(made)).transformed(np.eye(3), s.at())
    return [Thing(s.key, "windsock", (part,), tags=tags("stands"))]


def _large_sign(s: _Spot) -> list[Thing]:
    make = getattr(boards, s.key.split(".")[0])
    return [make(s.rng, s.key, at=(s.x, s.y + 0.9, 0.0), turn=s.turn, kind=s.yard.words)]


_MAKE: Final[dict[str, Callable[[_Spot], list[Thing]]]] = {
    "person": _someone,
    "walker": lambda s: walking(s.rng, s.key, (s.x, s.y), s.turn, s.yard.soft),
    "statue": lambda s: statue(s.rng, s.key, s.at(), s.turn),
    "sign": lambda s: [sign(s.rng, s.key, s.at(), s.turn)],
    "bird": _bird,
    "car": _car,
    "tree": _tree,
    "palm": lambda s: [outdoors.tree(s.rng, s.key, (s.x, s.y + 0.8, 0.0), s.turn, style="palm")],
    "ball": lambda s: [toy_ball(s.rng, "ball.2", s.at())],
    "snowman": _snowman,
    "windsock": windsock,
    "board": lambda s: [
        boards.sandwich_board(s.rng, s.key, at=s.at(), turn=s.turn, kind=s.yard.words)
    ],
    "kiosk": _large_sign,
    "stall": _large_sign,
    "barrel": lambda s: [boards.barrel(s.rng, s.key, at=s.at(), turn=s.turn)],
    "chair": lambda s: [furniture.chair(s.rng, s.key, at=s.at(), turn=s.turn)],
    "stool": lambda s: [furniture.stool(s.rng, s.key, at=s.at(), turn=s.turn)],
    "toolbox": lambda s: [tools.toolbox(s.rng, s.key, at=s.at(), turn=s.turn)],
    "pump": lambda s: [tools.pump(s.rng, s.key, at=s.at(), turn=s.turn)],
    **dict.fromkeys(SIZES, _creature),
    **dict.fromkeys(("bicycle", "tricycle", "skateboard", "cart", "sledge"), _ride),
}
"""By kind; others are makers of `outdoors`."""


def furnish(
    rng: Generator, taken: Taken, kinds: Sequence[str], count: int, yard: Yard
) -> list[Thing]:
    """`count` of the kinds (or fewer), each where there is room; "person.2" is a second person."""
    things: list[Thing] = []
    for key in dict.fromkeys(str(k) for k in rng.permutation(list(kinds))[:count]):
        kind = key.split(".")[0]
        radius = (1.25 if kind in _BIG else 0.62) * yard.tight
        x, y = clear(rng, taken, yard.low, yard.high, radius)
        y += 1.0 if kind in ("horse", "cow", "fence", "rhino") else 0.0
        spot = _Spot(rng, key, x, y, float(rng.uniform(-150, -30)), yard)
        things += _MAKE.get(kind, _prop)(spot)
    return things


def walking(
    rng: Generator, key: str, at: tuple[float, float], deg: float, soft: RGB | None, **how: Any
) -> list[Thing]:
    """Somebody who walks, on soft ground with footprints behind."""
    z = 0.0 if soft is None else -SUNK
    facts = {} if soft is None else {"prints": f"prints.{key}"}
    one = person(rng, key, (*at, z), deg, pose="walk", more_facts=facts, **how)
    if soft is None:
        return [one]
    ahead = rot("z", deg)[:2, 0]
    feet = (one.facts["foot.left"], one.facts["foot.right"])
    back = min(feet, key=lambda p: float((p[:2] - at) @ ahead))
    spot = (float(back[0] - ahead[0] * 0.25), float(back[1] - ahead[1] * 0.25), 0.001)
    prints = outdoors.footprints(
        rng, f"prints.{key}", spot, deg, rgb=soft, steps=int(rng.integers(6, 10)), casts=False,
        more_facts={"of": key, "detail": True},
    )  # fmt: skip
    return [one, prints]


def tracks(key: str, of: str, at: np.ndarray[Any, Any], deg: float, rgb: RGB) -> Thing:
    """The two lines that a sledge has drawn behind it."""
    m, dark, pieces = rot("z", deg), Paint(rgb, specular=0.0), []
    side, up = m[:, 1] * 0.035, np.array([0.0, 0.0, 0.004])
    for s in (1, -1):
        a, b = (at + m @ np.array([x, s * 0.2, 0.0]) for x in (0.0, -3.2))
        low = [a - side, b - side, b + side, a + side]
        pieces.append(Piece.make(prism(low, [p + up for p in low]), dark))
    facts = {"of": of, "detail": True}
    part = Part("tracks", None, tuple(pieces))
    return Thing(key, "tracks", (part,), tags=tags("soft"), facts=facts, casts=False)


def seated(rng: Generator, key: str, seat: Thing, shift: float = 0.0, **how: Any) -> Thing:
    """Somebody on a bench, `shift` to its left."""
    deg = float(seat.facts["facing_deg"])
    at = np.asarray(seat.facts["seat"]) * [1, 1, 0] + rot("z", deg) @ np.array([-0.03, shift, 0.0])
    return person(
        rng, key, at, deg, pose="sit", seat=seat.facts["seat_height"], rests_on=seat.key, **how
    )


def lay_out(
    rng: Generator,
    layout: Layout,
    grounds: Sequence[str],
    far: Sequence[str],
    count: tuple[int, int],
) -> None:
    """Gives a layout its ground and what is far behind."""
    part, texture = open_ground(rng, str(rng.choice(list(grounds))))
    layout.stage.append(part)
    layout.textures["ground"] = texture
    layout.stage += distance(rng, far, int(rng.integers(*count)))


def to_the_side(rng: Generator, spread: float = 45.0) -> float:
    """Degrees of something that moves across the picture, to the left or right."""
    return float(rng.choice([0.0, 180.0])) + float(rng.uniform(-spread, spread))
