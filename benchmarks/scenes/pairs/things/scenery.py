"""What outdoor bases put together: people who act, leashes, balls, statues, birds in the air."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import grey, hue
from benchmarks.scenes.pairs.world import Thing, tags

from . import signs, vehicles
from .creatures import animal
from .outdoors import plinth
from .person import person
from .quick import ball as sphere
from .quick import rod

IDLE: Final = ("stand", "stand", "hips", "pockets", "behind", "hold", "wave", "reach")
"""Poses of people who do nothing in particular; some hide their hands."""
CARS: Final = tuple(vehicles.CARS)


def relabelled(thing: Thing, kind: str, names: frozenset[str], **facts: Any) -> Thing:
    """The thing, and whatever it is remade to, as something else: a statue, one that flies."""
    again = thing.remake
    remake = (
        None if again is None else (lambda **how: relabelled(again(**how), kind, names, **facts))
    )
    return replace(thing, kind=kind, tags=names, facts={**thing.facts, **facts}, remake=remake)


def bystander(
    rng: Generator,
    key: str,
    at: ArrayLike,
    facing_deg: float,
    poses: Sequence[str] = IDLE,
    **how: Any,
) -> Thing:
    """Somebody in one of the poses."""
    pose = str(rng.choice(list(poses)))
    return person(rng, key, at, facing_deg, pose=pose, mirrored=bool(rng.random() < 0.5), **how)


def toy_ball(
    rng: Generator,
    key: str,
    at: ArrayLike,
    radius: float | None = None,
    *,
    flies: bool = False,
    **more: Any,
) -> Thing:
    """A ball whose middle is at `at` (flying) or which lies on it."""
    r = radius or float(rng.uniform(0.11, 0.16))
    centre = np.asarray(at, float) + np.array([0.0, 0.0, 0.0 if flies else r])
    a, b = (
        Paint(hue(rng, (0.6, 1), (0.6, 1)), specular=0.3),
        Paint(grey(rng, 0.8, 1.0), specular=0.3),
    )
    turn = rot("x", float(rng.uniform(0, 180))) @ rot("z", float(rng.uniform(0, 180)))
    body = sphere(centre, (r, r, r), turn, n=18)
    bands = [
        sphere(centre, np.array([1.004, 1.004, 0.22]) * r, turn @ m, n=16)
        for m in (np.eye(3), rot("x", 90.0))
    ]
    pieces = (Piece.make(body, a), *(Piece.make(m, b) for m in bands))
    names = tags("ball", "rigid", "small", *(("moves",) if flies else ("stands",)))
    facts = {"centre": centre, "radius": r, "flies": flies, **more}
    return Thing(key, "ball", (Part("ball", None, pieces),), tags=names, facts=facts)


def leash(rng: Generator, key: str, hand: ArrayLike, collar: ArrayLike) -> Thing:
    """A line that sags between a hand and an animal's neck or a sledge."""
    a, b = np.asarray(hand, float), np.asarray(collar, float)
    t = np.linspace(0, 1, 8)[:, None]
    path = a + (b - a) * t - np.array([0, 0, 0.1]) * (4 * t * (1 - t))
    paint = Paint(hue(rng, (0.3, 0.9), (0.15, 0.6)), specular=0.1)
    pieces = tuple(Piece.make(rod(p, q, 0.012, 0.012, n=6), paint) for p, q in pairwise(path))
    facts = {"detail": True, "from": a, "to": b}
    return Thing(
        key, "leash", (Part("line", None, pieces),), tags=tags("held", "soft"), facts=facts
    )


def patch(
    key: str, at: ArrayLike, size: tuple[float, float], turn_deg: float, paint: Paint, kind: str
) -> Thing:
    """A flat puddle or shadowless stain on the ground."""
    m = rot("z", turn_deg)
    spot = np.asarray(at, float) + np.array([0, 0, 0.001])
    pieces = [Piece.make(sphere(spot, (size[0], size[1], 0.004), m, n=22), paint)]
    pieces += [
        Piece.make(
            sphere(
                spot + m @ np.array([s * size[0] * 0.6, s * size[1] * 0.4, 0]),
                (size[0] * 0.5, size[1] * 0.6, 0.0035),
                m,
                n=16,
            ),
            paint,
        )
        for s in (1, -1)
    ]
    facts = {"detail": True, "centre": spot}
    return Thing(
        key,
        kind,
        (Part("surface", None, tuple(pieces)),),
        tags=tags("soft"),
        facts=facts,
        casts=False,
    )


def puddle(rng: Generator, key: str, at: ArrayLike, size: tuple[float, float]) -> Thing:
    """Water on the ground."""
    return patch(
        key,
        at,
        size,
        float(rng.uniform(0, 180)),
        Paint((0.42, 0.5, 0.58), specular=0.9, shininess=0.9),
        "puddle",
    )


def statue(rng: Generator, key: str, at: ArrayLike, facing_deg: float) -> list[Thing]:
    """A stone or bronze person, dog or horse on a plinth; nothing alive."""
    block = plinth(rng, f"{key}.plinth", at, facing_deg, more_facts={"detail": True})
    top = np.asarray(at, float) + np.array([0, 0, float(block.size[2])])
    rgb = grey(rng, 0.5, 0.75) if rng.random() < 0.6 else (0.35, 0.42, 0.34)
    if rng.random() < 0.65:
        figure = bystander(
            rng,
            key,
            top,
            facing_deg,
            ("stand", "wave", "hips", "reach", "walk"),
            all_rgb=rgb,
            height=float(rng.uniform(1.1, 1.8)),
            rests_on=block.key,
        )
    else:
        figure = animal(
            rng,
            key,
            str(rng.choice(["dog", "goat"])),
            top,
            facing_deg,
            textured=False,
            rgb=rgb,
            size=0.7,
            rests_on=block.key,
        )
    figure = relabelled(figure, "statue", tags("rigid", "stands"))
    return [block, figure]


def flying_bird(rng: Generator, key: str, at: ArrayLike, facing_deg: float) -> Thing:
    """A bird in the air with spread wings: nothing wrong with that."""
    one = animal(rng, key, "eagle", at, facing_deg, textured=False, size=0.8)
    for _ in range(12):
        wing = next(p for p in one.parts if p.key == "wing.left")
        if np.ptp(wing.verts() @ rot("z", facing_deg)[:, 1]) > 0.3:
            break
        one = animal(rng, key, "eagle", at, facing_deg, textured=False, size=0.8)
    flown = one.remake(legs=0) if one.remake else one
    names = tags("animal", "bird", "living", "moves", "small")
    return relabelled(flown, "eagle", names, flies=True)


def sign(rng: Generator, key: str, at: ArrayLike, facing_deg: float) -> Thing:
    """A sign on a pole with words that belong into the street."""
    return signs.street_sign(
        rng, key, at=at, turn=facing_deg, size=(0.95, 0.34), height=float(rng.uniform(1.6, 2.2))
    )


def some_car(rng: Generator, key: str, at: ArrayLike, facing_deg: float, **how: Any) -> Thing:
    """A car of any kind, some with an open bonnet."""
    kind = str(rng.choice(CARS))
    if rng.random() < 0.08:
        how["bonnet_open"] = True
    return vehicles.car(rng, key, kind, at, facing_deg, **how)
