"""A pond and a beach: boats at their waterline, ducks, people who wade."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import outdoors, vehicles
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.open_air import (
    Layout,
    clear,
    distance,
    ground_texture,
    shown,
    spots,
)
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.quick import rod
from benchmarks.scenes.pairs.things.scenery import IDLE, bystander, flying_bird, toy_ball
from benchmarks.scenes.pairs.world import Thing, Water, World, tags

from .green import Taken

_DEEP = 0.9
_LEVEL = -0.12
"""Of the water; the banks are at 0."""


def _slab(
    key: str,
    x: tuple[float, float],
    y: tuple[float, float],
    z: tuple[float, float],
    paint: Paint,
    slope: float = 0.0,
) -> Part:
    """A block of ground; `slope`: how far its front edge is nearer below than above."""
    low = [
        (x[0], y[0] - slope, z[0]),
        (x[1], y[0] - slope, z[0]),
        (x[1], y[1] + slope, z[0]),
        (x[0], y[1] + slope, z[0]),
    ]
    high = [(x[0], y[0], z[1]), (x[1], y[0], z[1]), (x[1], y[1], z[1]), (x[0], y[1], z[1])]
    return Part(f"backdrop.{key}", None, (Piece.make(prism(low, high), paint),))


def _basin(rng: Generator, layout: Layout, kind: str, near: float, far: float) -> None:
    """Ground to the horizon with water between y = near and y = far (both banks run along x)."""
    layout.textures["ground"] = ground_texture(rng, kind)
    scale = float(rng.uniform(0.22, 0.45))
    paint = Paint((1.0, 1.0, 1.0), "ground", "xy", (scale, scale), specular=0.0)
    layout.stage.append(_slab("near", (-60, 60), (-60, near), (-2.0, 0.0), paint, 0.55))
    if far < 40:
        layout.stage.append(_slab("far", (-60, 60), (far, 60), (-2.0, 0.0), paint, 0.8))
    mud = Paint((0.3, 0.3, 0.24), specular=0.0)
    layout.stage.append(
        _slab("bottom", (-60, 60), (near - 3, far + 3), (-_DEEP - 0.5, -_DEEP), mud)
    )
    v = float(rng.uniform(0.75, 1.15))
    rgb = ((0.18, 0.32, 0.36), (0.14, 0.3, 0.42), (0.22, 0.33, 0.28), (0.12, 0.36, 0.42))[
        rng.integers(4)
    ]
    shore = ((-55.0, near - 0.3), (55.0, near - 0.3), (55.0, far + 0.5), (-55.0, far + 0.5))
    layout.water = Water(
        _LEVEL, shore, (rgb[0] * v, rgb[1] * v, rgb[2] * v), clear=float(rng.uniform(0.12, 0.35)),
        reflects=float(rng.uniform(0.4, 0.65)), waves=float(rng.uniform(0.02, 0.2)),
    )  # fmt: skip


def _boat(
    rng: Generator,
    key: str,
    at: tuple[float, float],
    deg: float,
    *,
    subject: bool,
    moves: bool,
    size: float = 1.0,
) -> list[Thing]:
    """A boat at its waterline, with a wake when it moves."""
    style = None
    spot = (at[0], at[1], _LEVEL)
    facts: dict[str, Any] = {"moves": moves, "waterline": _LEVEL}
    if moves:
        facts["wake"] = f"wake.{key}"
        style = str(rng.choice(["sail", "motor"]))
    one = vehicles.boat(
        rng, key, spot, deg, subject=subject, style=style, scale=size, more_facts=facts
    )
    if not moves:
        return [one]
    length = float(one.facts["length"])
    stern = np.asarray(one.facts["bow"]) - rot("z", deg)[:, 0] * length * 0.2
    foam = outdoors.wake(
        rng, f"wake.{key}", (float(stern[0]), float(stern[1]), _LEVEL + 0.004), deg, length=length * 1.5,
        width=float(one.facts["width"]) * 0.8, more_facts={"of": key, "detail": True}, casts=False,
    )  # fmt: skip
    return [one, foam]


def _rower(rng: Generator, boat: Thing, deg: float) -> list[Thing]:
    """Somebody who sits in a boat."""
    if boat.facts["style"] != "row":
        return []
    hull = next(p for p in boat.parts if p.key == "thwart")
    seat = float(hull.verts()[:, 2].max())
    at = boat.facts["stern"] * 0.5 + boat.facts["bow"] * 0.5
    at = np.array([at[0], at[1], seat - 0.45]) - rot("z", deg)[:, 0] * 0.1
    one = person(
        rng, "rower", at, deg, pose="sit", seat=0.45, rests_on=boat.key,
    )  # fmt: skip
    return [one]


def _wader(
    rng: Generator, key: str, x: float, y: float, deg: float, *, subject: bool = False
) -> list[Thing]:
    """Somebody who stands in the water up to the knees, a ring of ripples round each leg."""
    one = person(rng, key, (x, y, _LEVEL - float(rng.uniform(0.28, 0.45))), deg, subject=subject,
                 pose=str(rng.choice(["stand", "hips", "reach", "wave"])), more_facts={"in_water": True, "rings": (f"ring.{key}.left", f"ring.{key}.right")})  # fmt: skip
    rings = []
    for side in ("left", "right"):
        knee, ankle = one.facts[f"knee.{side}"], one.facts[f"ankle.{side}"]
        t = float(np.clip((_LEVEL - ankle[2]) / max(knee[2] - ankle[2], 1e-3), 0, 1))
        at = ankle + (knee - ankle) * t
        rings.append(outdoors.ring(rng, f"ring.{key}.{side}", (float(at[0]), float(at[1]), _LEVEL + 0.002), radius=0.11,
                                   more_facts={"of": key, "detail": True}, casts=False))  # fmt: skip
    return [one, *rings]


def _reeds(rng: Generator, key: str, x: float, y: float) -> Thing:
    green = Paint((0.3, 0.42, 0.14), specular=0.0)
    brown = Paint((0.36, 0.24, 0.14), specular=0.0)
    pieces = []
    for _ in range(12):
        a = np.array([x + rng.normal() * 0.18, y + rng.normal() * 0.12, -0.35])
        b = a + np.array([rng.normal() * 0.06, rng.normal() * 0.06, rng.uniform(0.9, 1.4)])
        pieces.append(Piece.make(rod(a, b, 0.016, 0.008, n=5), green))
        if rng.random() < 0.4:
            pieces.append(
                Piece.make(rod(b - [0, 0, 0.18], b - [0, 0, 0.02], 0.028, 0.028, n=6), brown)
            )
    return Thing(key, "reeds", (Part("reeds", None, tuple(pieces)),), tags=tags("plant", "stands"))


def _pond(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.55, 0.85), rise=(8.0, 22.0))
    near = float(rng.uniform(-1.9, -1.2))
    far = float(rng.uniform(6.0, 11.0))
    _basin(rng, layout, str(rng.choice(["grass", "meadow", "gravel", "mud"])), near, far)
    deg = float(rng.choice([0, 180])) + float(rng.uniform(-35, 35))
    moves = bool(rng.random() < 0.5)
    things: list[Thing] = []
    kind = str(rng.choice(["boat", "boat", "duck", "wader"]))
    taken: Taken = []
    boat_at = (float(rng.uniform(-0.3, 0.3)), float(rng.uniform(1.0, 1.8)))
    if kind != "boat":
        boat_at = (float(rng.uniform(-2.2, 2.2)), float(rng.uniform(3.0, 4.2)))
    boat = _boat(rng, "boat", boat_at, deg, subject=kind == "boat", moves=moves)
    things += boat
    if rng.random() < 0.6:
        things += _rower(rng, boat[0], deg)
    taken.append((*boat_at, 1.7))
    if kind == "duck":
        things.append(
            animal(
                rng,
                "duck",
                "duck",
                (0, 0.2, _LEVEL),
                float(rng.uniform(0, 360)),
                subject=True,
                floats=0.34,
                size=1.7,
            )
        )
        layout.fill = (0.4, 0.62)
        taken.append((0.0, 0.2, 0.5))
    if kind == "wader":
        things += _wader(rng, "person", 0.0, 0.2, -90 + float(rng.uniform(-60, 60)), subject=True)
        taken.append((0.0, 0.2, 0.5))
    for k in range(int(rng.integers(1, 4))):
        x, y = clear(rng, taken, (-1.8, near + 0.5), (1.8, 1.2), 0.55)
        things.append(
            animal(
                rng,
                f"duck.{k + 2}",
                "duck",
                (x, y, _LEVEL),
                float(rng.uniform(0, 360)),
                textured=False,
                floats=0.34,
                size=1.5,
            )
        )
    for name in rng.permutation(
        ["person", "duck", "reeds", "reeds", "rock", "bench", "tree", "bird", "wader", "dog"]
    )[: int(rng.integers(3, 6))]:
        key = str(name)
        if any(one.key == key for one in things):
            continue
        if name == "reeds":
            x, y = clear(rng, taken, (-2.4, near - 0.05), (2.4, near + 0.25), 0.4)
            things.append(_reeds(rng, key, x, y))
        elif name == "wader":
            x, y = clear(rng, taken, (-2.0, 0.0), (2.0, 2.4), 0.5)
            things += _wader(rng, "wader", x, y, -90 + float(rng.uniform(-70, 70)))
        elif name == "bird":
            things.append(
                flying_bird(
                    rng,
                    "bird",
                    (float(rng.uniform(-1.5, 1.5)), 2.0, float(rng.uniform(1.2, 2.2))),
                    float(rng.uniform(0, 360)),
                )
            )
        else:
            x, y = clear(rng, taken, (-1.9, near - 1.1), (1.9, near - 0.35), 0.5)
            turn = float(np.degrees(np.arctan2(boat_at[1] - y, boat_at[0] - x)))
            if name == "person":
                things.append(
                    bystander(
                        rng, "watcher", (x, y, 0), turn, IDLE, look_at=(boat_at[0], boat_at[1], 0.4)
                    )
                )
            elif name in ("duck", "dog"):
                things.append(
                    animal(
                        rng,
                        f"{key}.bank",
                        key,
                        (x, y, 0),
                        turn,
                        textured=False,
                        size=1.5 if name == "duck" else 1.1,
                    )
                )
            else:
                things.append(getattr(outdoors, key)(rng, key, (x, y, 0), turn))
    layout.things = things
    layout.stage += distance(rng, ("tree", "tree", "house"), int(rng.integers(4, 9)))
    layout.free = spots(rng, things, (-2.2, near - 1.4), (2.2, near - 0.3), 0.0, 6, 0.5)
    return layout


@base(
    "pond",
    "A pond: a boat at its waterline (some with a wake), swimming ducks, somebody who wades or watches.",
)
def pond(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "pond", "water", _pond)


def _beach(rng: Generator) -> Layout:
    layout = Layout(
        [], fill=(0.6, 0.86), rise=(7.0, 20.0), skies=("clear", "clear", "pale", "evening")
    )
    shore = float(rng.uniform(1.6, 2.8))
    _basin(rng, layout, "sand", shore, 50.0)
    deg = float(rng.choice([0, 180])) + float(rng.uniform(-50, 20))
    prints = (0.62, 0.52, 0.35)
    kind = str(rng.choice(["person", "castle", "boat"]))
    things: list[Thing] = []
    taken: Taken = [(0.0, 0.0, 0.8)]
    walk = bool(kind == "person" or rng.random() < 0.5)
    at = (
        (0.0, 0.0)
        if kind == "person"
        else (float(rng.uniform(-1.6, 1.6)), float(rng.uniform(0.8, 1.4)))
    )
    if walk:
        one = person(
            rng,
            "person",
            (*at, -0.008),
            deg,
            subject=kind == "person",
            pose="walk",
            more_facts={"prints": "prints.person"},
        )
        back = min(
            (one.facts["foot.left"], one.facts["foot.right"]),
            key=lambda p: float((p[:2] - at) @ rot("z", deg)[:2, 0]),
        )
        things += [one, outdoors.footprints(rng, "prints.person", (float(back[0]), float(back[1]), 0.001), deg, rgb=prints,
                                            more_facts={"of": "person", "detail": True}, casts=False)]  # fmt: skip
        taken.append((*at, 0.6))
    if kind == "castle":
        things.append(
            outdoors.sand_castle(
                rng, "castle", (0, 0, 0), float(rng.uniform(0, 90)), subject=True, scale=1.2
            )
        )
        layout.fill = (0.45, 0.65)
        child = bystander(
            rng,
            "child",
            (0.95 * float(rng.choice([-1, 1])), 0.25, -0.005),
            0.0,
            ("crouch", "stand", "reach"),
            height=float(rng.uniform(1.0, 1.25)),
            look_at=(0.0, 0.0, 0.3),
        )
        turn = float(np.degrees(np.arctan2(-child.centre[1], -child.centre[0])))
        things.append(child.remake(facing_deg=turn) if child.remake else child)
        taken.append((float(child.centre[0]), 0.25, 0.5))
    if kind == "boat" or rng.random() < 0.6:
        y = shore + float(rng.uniform(1.6, 2.2) if kind == "boat" else rng.uniform(2.2, 3.6))
        x = float(rng.uniform(-0.5, 0.5) if kind == "boat" else rng.uniform(-2.2, 2.2))
        things += _boat(
            rng,
            "boat",
            (x, y),
            float(rng.choice([0, 180])) + float(rng.uniform(-35, 35)),
            subject=kind == "boat",
            moves=bool(rng.random() < 0.5),
            size=1.0 if kind == "boat" else 1.2,
        )
    for name in rng.permutation(
        [
            "parasol",
            "bucket",
            "tree",
            "person",
            "dog",
            "ball",
            "rock",
            "wader",
            "bird",
            "crate",
            "sand_castle",
        ]
    )[: int(rng.integers(4, 7))]:
        key = str(name)
        x, y = clear(rng, taken, (-2.3, -0.9), (2.3, shore - 0.4), 0.6)
        turn = float(rng.uniform(-150, -30))
        if name == "person":
            things.append(bystander(rng, "passer-by", (x, y, -0.005), turn))
        elif name == "wader":
            things += _wader(rng, "wader", x, shore + float(rng.uniform(0.9, 1.4)), turn)
        elif name == "dog":
            things.append(
                animal(
                    rng,
                    key,
                    key,
                    (x, y, 0),
                    turn,
                    textured=False,
                    size=1.15,
                    lies=bool(rng.random() < 0.3),
                )
            )
        elif name == "ball":
            things.append(toy_ball(rng, key, (x, y, 0), 0.19))
        elif name == "bird":
            things.append(flying_bird(rng, key, (x, y + 1.0, float(rng.uniform(1.4, 2.4))), turn))
        elif name == "tree":
            things.append(outdoors.tree(rng, "palm", (x, y, 0), turn, style="palm"))
        elif not (name == "sand_castle" and kind == "castle"):
            things.append(getattr(outdoors, key)(rng, key, (x, y, 0), turn))
    layout.things = things
    layout.free = spots(rng, things, (-2.0, -1.0), (2.0, shore - 0.5), 0.0, 4)
    return layout


@base(
    "beach",
    "A beach: a walker with footprints, a sand castle or a boat; parasol, palm, ball, somebody in the sea.",
    held_out=True,
)
def beach(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "beach", "sand", _beach)
