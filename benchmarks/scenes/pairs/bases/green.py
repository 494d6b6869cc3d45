"""Parks, courts, playgrounds, picnics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import grey
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import outdoors, vehicles
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.open_air import (
    Layout,
    clear,
    distance,
    open_ground,
    shown,
    spots,
    strip,
)
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.quick import rod
from benchmarks.scenes.pairs.things.scenery import (
    bystander,
    flying_bird,
    leash,
    sign,
    statue,
    toy_ball,
)
from benchmarks.scenes.pairs.world import Thing, World, tags

Taken = list[tuple[float, float, float]]


def _furnish(
    rng: Generator, taken: Taken, kinds: list[str], count: int, low: Any, high: Any
) -> list[Thing]:
    """Some of the kinds, each where there is room."""
    things: list[Thing] = []
    for name in dict.fromkeys(str(k) for k in rng.permutation(kinds)[:count]):
        kind = name
        x, y = clear(rng, taken, low, high, 1.1 if kind in ("horse", "cow", "trampoline") else 0.65)
        at, turn = (x, y, 0.0), float(rng.uniform(-150, -30))
        if kind == "person":
            things.append(bystander(rng, "passer-by", at, turn))
        elif kind == "statue":
            things += statue(rng, "statue", at, turn)
        elif kind == "sign":
            things.append(sign(rng, "sign", at, turn))
        elif kind == "bird":
            up = float(rng.uniform(1.3, 2.3))
            things.append(flying_bird(rng, "bird", (x, y + 0.8, up), float(rng.uniform(0, 360))))
        elif kind in ("dog", "cat", "duck", "chicken", "goat", "horse", "cow", "sheep", "pig"):
            lies = bool(kind != "horse" and rng.random() < 0.3)
            size = 1.15 if kind in ("dog", "duck", "chicken", "cat") else 0.9
            things.append(
                animal(
                    rng,
                    kind,
                    kind,
                    at,
                    float(rng.uniform(0, 360)),
                    textured=False,
                    size=size,
                    lies=lies,
                )
            )
        elif kind in ("bicycle", "tricycle", "skateboard", "cart"):
            side = float(rng.choice([0, 180])) + float(rng.uniform(-35, 35))
            things.append(getattr(vehicles, kind)(rng, kind, at, side))
        elif kind == "ball":
            things.append(toy_ball(rng, "ball.2", at))
        else:
            things.append(getattr(outdoors, kind)(rng, kind, at, turn))
    return things


def _meadow(
    rng: Generator, layout: Layout, kinds: tuple[str, ...] = ("grass", "grass", "meadow")
) -> None:
    part, texture = open_ground(rng, str(rng.choice(list(kinds))))
    layout.stage.append(part)
    layout.textures["ground"] = texture
    layout.stage += distance(rng, ("tree", "tree", "house"), int(rng.integers(4, 10)))


def _with_dog(rng: Generator) -> list[Thing]:
    """Somebody and a dog on a leash, or one that waits for a ball."""
    turn = float(rng.choice([0.0, 180.0])) + float(rng.uniform(-40, 40))
    ahead = rot("z", turn)[:, 0]
    dog_at = ahead * float(rng.uniform(0.9, 1.25)) + rot("z", turn)[:, 1] * float(
        rng.uniform(-0.25, 0.25)
    )
    if rng.random() < 0.5:
        dog = animal(rng, "dog", "dog", dog_at, turn, subject=True, size=1.15)
        hand = ahead * 0.34 + rot("z", turn)[:, 1] * -0.2 + np.array([0, 0, 0.95])
        one = person(
            rng,
            "person",
            (0, 0, 0),
            turn,
            subject=True,
            pose="walk",
            reach_right=tuple(hand),
            curl=70.0,
            look_at=tuple(dog_at + [0, 0, 0.5]),
        )
        line = leash(rng, "leash", one.facts["hand.right"], dog.facts["neck"])
        return [one, dog, line]
    # The ball has just left the hand; both look at it.
    fly = ahead * 0.95 + np.array([0.0, 0.0, float(rng.uniform(1.5, 1.9))])
    thrown = toy_ball(rng, "ball", fly, 0.085, flies=True)
    look = tuple(float(v) for v in fly)
    one = person(rng, "person", (0, 0, 0), turn, subject=True, pose="throw", look_at=look)
    dog = animal(
        rng,
        "dog",
        "dog",
        ahead * float(rng.uniform(1.4, 1.8)),
        turn + 180.0,
        size=1.15,
        look_at=look,
    )
    return [one, dog, thrown]


def _on_bench(rng: Generator) -> list[Thing]:
    turn = -90.0 + float(rng.uniform(-60, 60))
    seat = outdoors.bench(rng, "bench", (0, 0, 0), turn)
    ways = rot("z", turn)
    things = [seat]
    count = 1 if rng.random() < 0.6 else 2
    for k in range(count):
        shift = (
            ways[:, 1] * (float(rng.uniform(-0.35, 0.35)) if count == 1 else (0.4 - 0.8 * k))
            + ways[:, 0] * 0.02
        )
        things.append(
            person(
                rng,
                f"person.{k}" if k else "person",
                shift,
                turn,
                subject=k == 0,
                pose="sit",
                seat=seat.facts["seat_height"],
                rests_on="bench",
            )
        )
    return things


def _park(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.6, 0.85))
    _meadow(rng, layout)
    seated = rng.random() < 0.4
    main = _on_bench(rng) if seated else _with_dog(rng)
    taken: Taken = [(0.0, 0.0, 1.0), (0.8, 0.2, 0.6), (-0.8, 0.2, 0.6)]
    kinds = [
        "tree",
        "bush",
        "street_lamp",
        "litter_bin",
        "statue",
        "person",
        "bicycle",
        "sign",
        "bird",
        "ball",
        "duck",
    ]
    kinds += ["dog"] if seated else ["bench"]
    layout.things = [
        *main,
        *_furnish(rng, taken, kinds, int(rng.integers(4, 7)), (-2.8, -0.4), (2.8, 2.8)),
    ]
    if rng.random() < 0.5:
        y = float(rng.uniform(1.2, 3.0))
        layout.stage.append(
            strip("path", (-40, y), (40, y + 1.3), 0.003, Paint((0.7, 0.64, 0.52), specular=0.0))
        )
    layout.free = spots(rng, layout.things, (-2.2, -1.0), (2.2, 2.0), 0.0, 4)
    return layout


@base(
    "park",
    "A park: somebody walks a dog, throws a ball for it or sits on a bench; trees, lamps, statues, birds.",
)
def park(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "park", "nature", _park)


def _goal(rng: Generator, at: tuple[float, float, float], turn_deg: float) -> Thing:
    """A basketball board on a post, or a goal."""
    metal, white = Paint(grey(rng, 0.3, 0.9), specular=0.3), Paint((0.93, 0.93, 0.92))
    red = Paint((0.85, 0.25, 0.1))
    if rng.random() < 0.5:
        made = [
            Piece.make(rod((-0.5, 0, 0), (-0.5, 0, 2.5), 0.06, 0.05), metal),
            Piece.make(rod((-0.5, 0, 2.5), (0, 0, 2.6), 0.05, 0.05), metal),
        ]
        made += [
            Piece.make(box((0, 0, 2.7), (0.05, 1.2, 0.8)), white),
            Piece.make(box((0.03, 0, 2.6), (0.02, 0.4, 0.3)), red),
        ]
        edge = [
            np.array([0.3 + 0.23 * np.cos(a), 0.23 * np.sin(a), 2.42])
            for a in np.linspace(0, 2 * np.pi, 15)
        ]
        made += [
            Piece.make(rod(p, q, 0.015, 0.015, n=6), red)
            for p, q in zip(edge, edge[1:], strict=False)
        ]
        kind = "basketball hoop"
    else:
        rods = [
            ((0, -1.1, 0), (0, -1.1, 1.5)),
            ((0, 1.1, 0), (0, 1.1, 1.5)),
            ((0, -1.1, 1.5), (0, 1.1, 1.5)),
            ((0, -1.1, 1.5), (-0.7, -1.1, 0.04)),
            ((0, 1.1, 1.5), (-0.7, 1.1, 0.04)),
        ]
        made = [Piece.make(rod(a, b, 0.05, 0.05), white) for a, b in rods]
        net = [
            ((-0.7 * k / 4, -1.1, 1.5 - 1.46 * k / 4), (-0.7 * k / 4, 1.1, 1.5 - 1.46 * k / 4))
            for k in range(1, 5)
        ]
        net += [((0, y, 1.5), (-0.7, y, 0.04)) for y in np.linspace(-0.9, 0.9, 7)]
        made += [Piece.make(rod(a, b, 0.012, 0.012, n=5), metal) for a, b in net]
        kind = "goal"
    part = Part("frame", None, tuple(made)).transformed(rot("z", turn_deg), at)
    return Thing("goal", kind, (part,), tags=tags("rigid", "stands", "large"))


def _court(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.6, 0.86), turn=(-24, 24))
    _meadow(rng, layout, ("court", "asphalt", "concrete", "grass", "sand"))
    far = float(rng.uniform(1.7, 2.4))
    side = float(rng.choice([-1, 1]))
    deg = float(rng.uniform(-25, 25)) + (0.0 if side > 0 else 180.0)
    way = rot("z", deg)[:, 0]
    a, b = -way * far / 2, way * far / 2
    t = float(rng.uniform(0.4, 0.65))
    r = float(rng.uniform(0.1, 0.14))
    kicked = rng.random() < 0.25
    height = float(rng.uniform(0.35, 0.7)) if kicked else float(rng.uniform(1.45, 2.0))
    at = a + way * far * t + np.array([0, 0, height])
    look = tuple(float(v) for v in at)
    kid = rng.random() < 0.25
    tall = float(rng.uniform(1.15, 1.35)) if kid else None
    giver = person(
        rng,
        "thrower",
        a,
        deg,
        subject=True,
        height=tall,
        pose="kick" if kicked else "throw",
        look_at=look,
        mirrored=bool(rng.random() < 0.5),
        more_facts={"ball": "ball"},
    )
    taker = person(
        rng,
        "catcher",
        b,
        deg + 180,
        subject=True,
        height=tall,
        pose="catch",
        look_at=look,
        more_facts={"ball": "ball"},
    )
    flying = toy_ball(rng, "ball", at, r, flies=True, thrown_by="thrower", caught_by="catcher")
    taken: Taken = [
        (float(a[0]), float(a[1]), 0.7),
        (float(b[0]), float(b[1]), 0.7),
        (0.0, 0.0, 0.6),
    ]
    things: list[Thing] = [giver, taker, flying]
    x, y = clear(rng, taken, (-2.5, 1.4), (2.5, 3.2), 1.2)
    if rng.random() < 0.7:
        things.append(_goal(rng, (x, y, 0.0), float(rng.uniform(-150, -30))))
    if rng.random() < 0.5:
        x, y = clear(rng, taken, (-2.4, 0.9), (2.4, 2.8), 0.8)
        turn = float(np.degrees(np.arctan2(at[1] - y, at[0] - x)))
        seat = outdoors.bench(rng, "bench", (x, y, 0), turn)
        things += [
            seat,
            person(
                rng,
                "watcher",
                (x, y, 0),
                turn,
                pose="sit",
                seat=seat.facts["seat_height"],
                look_at=look,
                rests_on="bench",
            ),
        ]
    elif rng.random() < 0.6:
        x, y = clear(rng, taken, (-2.4, 0.9), (2.4, 2.6), 0.6)
        turn = float(np.degrees(np.arctan2(at[1] - y, at[0] - x)))
        things.append(bystander(rng, "watcher", (x, y, 0), turn, look_at=look))
    kinds = [
        "tree",
        "dog",
        "bicycle",
        "litter_bin",
        "cone",
        "street_lamp",
        "skateboard",
        "sign",
        "bush",
        "person",
    ]
    layout.things = [
        *things,
        *_furnish(rng, taken, kinds, int(rng.integers(2, 5)), (-2.9, -0.2), (2.9, 3.0)),
    ]
    layout.stage += [
        strip(f"line.{k}", (-40, y), (40, y + 0.07), 0.004, Paint((0.92, 0.92, 0.9), specular=0))
        for k, y in enumerate((-1.4, 3.4))
    ]
    layout.free = spots(rng, layout.things, (-2.0, -1.1), (2.0, 2.0), 0.0, 4)
    return layout


@base(
    "ball_court",
    "Somebody throws or kicks a ball to somebody who is about to catch it; all look at it.",
)
def ball_court(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "ball_court", "nature", _court)


def _playground(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.76, 1.0), rise=(10.0, 28.0))
    _meadow(rng, layout, ("grass", "sand", "gravel", "court"))
    lands = bool(rng.random() < 0.55)
    dent = float(rng.uniform(0.16, 0.26)) if lands else 0.0
    mat = outdoors.trampoline(
        rng, "trampoline", (0, 0, 0), 0.0, dent=dent, more_facts={"under": "person"}
    )
    turn = -90.0 + float(rng.uniform(-70, 70))
    top = float(mat.facts["top"][2])
    tall = float(rng.uniform(1.2, 1.6))
    if lands:
        main = person(
            rng,
            "person",
            (0, 0, top - dent),
            turn,
            subject=True,
            height=tall,
            pose=str(rng.choice(["crouch", "catch", "stand"])),
            rests_on="trampoline",
        )
    else:
        up = float(rng.uniform(0.2, 0.45))
        main = person(
            rng,
            "person",
            (0, 0, top),
            turn,
            subject=True,
            height=tall,
            pose="jump",
            lift=up,
            mirrored=bool(rng.random() < 0.5),
        )
    taken: Taken = [(0.0, 0.0, 1.5)]
    kinds = [
        "tricycle",
        "skateboard",
        "bicycle",
        "ball",
        "bench",
        "tree",
        "dog",
        "person",
        "person",
        "litter_bin",
        "sand_castle",
        "bucket",
        "bush",
        "cat",
        "sign",
    ]
    layout.things = [
        main,
        mat,
        *_furnish(rng, taken, kinds, int(rng.integers(4, 7)), (-2.7, -1.9), (2.7, 2.6)),
    ]
    v = mat.verts()
    layout.focus = np.concatenate([main.verts(), v[np.hypot(v[:, 0], v[:, 1]) < 0.6]])
    layout.free = spots(rng, layout.things, (-2.3, -1.9), (2.3, 1.8), 0.0, 4)
    return layout


@base(
    "playground",
    "A child on a trampoline, landing (the mat gives way) or in the air; tricycle, ball, castle, bench.",
)
def playground(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "playground", "nature", _playground)


def _picnic(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.62, 0.95), rise=(8.0, 26.0))
    _meadow(rng, layout)
    cloth = outdoors.blanket(
        rng, "blanket", (0, 0, 0), float(rng.uniform(-20, 20)), more_facts={"detail": True}
    )
    things: list[Thing] = [cloth]
    taken: Taken = [(0.0, 0.0, 0.95)]
    mates = int(rng.integers(1, 3))
    for k in range(mates):
        x = (-1.15 if k else 1.15) * float(rng.uniform(0.95, 1.1))
        turn = float(np.degrees(np.arctan2(-0.35, -x))) + float(rng.uniform(-18, 18))
        low = outdoors.crate(rng, f"crate.{k}", (x, 0.35, 0.0), turn)
        other = (float(-x), 0.3, 1.0) if mates == 2 else (0.0, -0.3, 0.1)
        one = person(
            rng,
            f"person.{k}" if k else "person",
            (x, 0.35, 0.0),
            turn,
            subject=k == 0,
            pose="sit",
            seat=float(low.size[2]) - 0.01,
            look_at=other,
            rests_on=f"crate.{k}",
        )
        things += [low, one]
        taken.append((x, 0.35, 0.6))
    things.append(
        outdoors.basket(
            rng,
            "basket",
            (float(rng.uniform(-0.35, 0.35)), float(rng.uniform(-0.1, 0.35)), 0.02),
            float(rng.uniform(0, 360)),
            rests_on="blanket",
        )
    )
    things.append(toy_ball(rng, "melon", (float(rng.uniform(-0.5, 0.5)), -0.4, 0.02), 0.13))
    kinds = ["parasol", "tree", "bicycle", "dog", "bush", "bird", "goat", "person", "cart", "cat"]
    layout.things = [
        *things,
        *_furnish(rng, taken, kinds, int(rng.integers(3, 6)), (-2.5, -0.9), (2.5, 2.8)),
    ]
    layout.free = spots(rng, layout.things, (-2.0, -1.4), (2.0, 1.8), 0.0, 4)
    return layout


@base(
    "picnic",
    "A picnic: people on crates round a blanket with a basket; parasol, dog, bicycle, trees.",
    held_out=True,
)
def picnic(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "picnic", "nature", _picnic)
