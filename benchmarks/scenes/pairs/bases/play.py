"""A court where a ball is thrown, and a playground."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import box, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import grey
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import outdoors
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, lay_out, seated
from benchmarks.scenes.pairs.things.open_air import clear, spots, strip
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.quick import rod
from benchmarks.scenes.pairs.things.scenery import bystander, toy_ball
from benchmarks.scenes.pairs.world import Thing, World, tags

Rod = tuple[tuple[float, float, float], tuple[float, float, float]]
_LINE = Paint((0.92, 0.92, 0.9), specular=0.0)


def _hoop(rng: Generator) -> list[Piece]:
    """A basketball board on its post."""
    metal, white = Paint(grey(rng, 0.3, 0.9), specular=0.3), Paint((0.93, 0.93, 0.92))
    red = Paint((0.85, 0.25, 0.1))
    post = [((-0.5, 0, 0.05), (-0.5, 0, 2.5)), ((-0.5, 0, 2.5), (0, 0, 2.6))]
    made = [Piece.make(rod(a, b, 0.055, 0.05), metal) for a, b in post]
    made.append(Piece.make(box((0, 0, 2.7), (0.05, 1.2, 0.8)), white))
    made.append(Piece.make(box((0.03, 0, 2.6), (0.02, 0.4, 0.3)), red))
    turns = np.linspace(0, 2 * np.pi, 15)
    edge = [np.array([0.3 + 0.23 * np.cos(a), 0.23 * np.sin(a), 2.42]) for a in turns]
    return made + [Piece.make(rod(p, q, 0.015, 0.015, n=6), red) for p, q in pairwise(edge)]


def _posts(rng: Generator) -> list[Piece]:
    """A goal with its net."""
    white, cord = Paint((0.93, 0.93, 0.92)), Paint(grey(rng, 0.3, 0.9), specular=0.3)
    ends: list[Rod] = [((0, s, 0.05), (0, s, 1.5)) for s in (-1.1, 1.1)]
    ends += [((0, s, 1.5), (-0.7, s, 0.05)) for s in (-1.1, 1.1)]
    made = [
        Piece.make(rod(a, b, 0.05, 0.05), white)
        for a, b in [*ends, ((0, -1.1, 1.5), (0, 1.1, 1.5))]
    ]
    net: list[Rod] = [((0, y, 1.5), (-0.7, y, 0.04)) for y in np.linspace(-0.9, 0.9, 7)]
    for k in range(1, 5):
        x, z = -0.7 * k / 4, 1.5 - 1.46 * k / 4
        net.append(((x, -1.1, z), (x, 1.1, z)))
    return made + [Piece.make(rod(a, b, 0.012, 0.012, n=5), cord) for a, b in net]


def _goal(rng: Generator, at: tuple[float, float, float], deg: float) -> Thing:
    kind, make = (("basketball hoop", _hoop), ("goal", _posts))[int(rng.integers(2))]
    part = Part("frame", None, tuple(make(rng))).transformed(rot("z", deg), at)
    return Thing("goal", kind, (part,), tags=tags("rigid", "stands", "large"))


def _players(rng: Generator) -> tuple[list[Thing], F64]:
    """One who has thrown or kicked a ball, one who will catch it, the ball; and where that is."""
    far = float(rng.uniform(1.7, 2.4))
    deg = float(rng.uniform(-25, 25)) + float(rng.choice([0.0, 180.0]))
    way = rot("z", deg)[:, 0]
    kicked = bool(rng.random() < 0.25)
    up = float(rng.uniform(0.35, 0.7)) if kicked else float(rng.uniform(1.45, 2.0))
    at = way * far * float(rng.uniform(-0.1, 0.15)) + np.array([0.0, 0.0, up])
    look = (float(at[0]), float(at[1]), float(at[2]))
    tall = float(rng.uniform(1.15, 1.35)) if rng.random() < 0.25 else None
    ball = {"ball": "ball"}
    giver = person(
        rng, "thrower", -way * far / 2, deg, subject=True, height=tall, look_at=look, more_facts=ball,
        pose="kick" if kicked else "throw", mirrored=bool(rng.random() < 0.5),
    )  # fmt: skip
    taker = person(
        rng, "catcher", way * far / 2, deg + 180, subject=True, height=tall, look_at=look,
        more_facts=ball, pose="catch",
    )  # fmt: skip
    size = float(rng.uniform(0.1, 0.14))
    flying = toy_ball(rng, "ball", at, size, flies=True, thrown_by="thrower", caught_by="catcher")
    return [giver, taker, flying], at


def _watchers(rng: Generator, taken: Taken, at: F64) -> list[Thing]:
    """Somebody who looks at the ball, sitting or standing, or nobody."""
    x, y = clear(rng, taken, (-2.4, 0.9), (2.4, 2.8), 0.8)
    deg = float(np.degrees(np.arctan2(at[1] - y, at[0] - x)))
    look = (float(at[0]), float(at[1]), float(at[2]))
    kind = int(rng.choice(3, p=[0.5, 0.3, 0.2]))
    if kind == 0:
        seat = outdoors.bench(rng, "bench", (x, y, 0), deg)
        return [seat, seated(rng, "watcher", seat, look_at=look)]
    return [bystander(rng, "watcher", (x, y, 0), deg, look_at=look)] if kind == 1 else []


def _court(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.6, 0.86), turn=(-24, 24))
    grounds = ("court", "asphalt", "concrete", "grass", "sand")
    lay_out(rng, layout, grounds, ("tree", "tree", "house"), (4, 10))
    players, at = _players(rng)
    taken: Taken = [(float(one.centre[0]), float(one.centre[1]), 0.7) for one in players]
    x, y = clear(rng, taken, (-2.5, 1.4), (2.5, 3.2), 1.2)
    goal = [_goal(rng, (x, y, 0.0), float(rng.uniform(-150, -30)))] if rng.random() < 0.7 else []
    watchers = _watchers(rng, taken, at)
    kinds = (
        "tree",
        "dog",
        "bicycle",
        "litter_bin",
        "cone",
        "street_lamp",
        "skateboard",
        "sign",
        "bush",
        "person.2",
    )
    look = (float(at[0]), float(at[1]), float(at[2]))
    yard = Yard((-2.9, -0.2), (2.9, 3.0), look=look)
    more = furnish(rng, taken, kinds, int(rng.integers(2, 5)), yard)
    layout.things = [*players, *goal, *watchers, *more]
    for k, far in enumerate((-1.4, 3.4)):
        layout.stage.append(strip(f"line.{k}", (-40, far), (40, far + 0.07), 0.004, _LINE))
    layout.free = spots(rng, layout.things, (-2.0, -1.1), (2.0, 2.0), 0.0, 7)
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
    lay_out(rng, layout, ("grass", "sand", "gravel", "court"), ("tree", "tree", "house"), (4, 10))
    lands = bool(rng.random() < 0.55)
    dent = float(rng.uniform(0.14, 0.22)) if lands else 0.0
    mat = outdoors.trampoline(
        rng, "trampoline", (0, 0, 0), 0.0, dent=dent, more_facts={"under": "person"}
    )
    top = float(mat.facts["top"][2])
    pose = str(rng.choice(["crouch", "catch", "stand"])) if lands else "jump"
    main = person(
        rng, "person", (0, 0, top - dent), -90.0 + float(rng.uniform(-70, 70)), subject=True,
        height=float(rng.uniform(1.2, 1.6)), pose=pose, mirrored=bool(rng.random() < 0.5),
        lift=0.0 if lands else float(rng.uniform(0.2, 0.45)), rests_on="trampoline" if lands else None,
    )  # fmt: skip
    v = mat.verts()
    layout.focus = np.concatenate([main.verts(), v[np.hypot(v[:, 0], v[:, 1]) < 0.6]])
    taken: Taken = [(0.0, 0.0, 1.1)]
    kinds = ("tricycle", "skateboard", "bicycle", "ball", "bench", "tree", "dog", "person.2", "person.3",
             "litter_bin", "sand_castle", "bucket", "bush", "cat", "sign")  # fmt: skip
    yard = Yard((-2.5, -1.6), (2.5, 2.4))
    layout.things = [main, mat, *furnish(rng, taken, kinds, int(rng.integers(5, 8)), yard)]
    layout.free = spots(rng, layout.things, (-2.0, -1.6), (2.0, 1.8), 0.0, 7)
    return layout


@base(
    "playground",
    "A child on a trampoline, landing (the mat gives way) or in the air; tricycle, ball, castle, bench.",
)
def playground(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "playground", "nature", _playground)
