"""People who act against what is happening."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import (
    cleared,
    closer,
    covered,
    has_room,
    in_sight,
    matt,
    nearer,
    pick,
    rightwards,
    seen,
    thing,
    upright,
)
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.things.heat import blaze, glow
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.tools import umbrella
from benchmarks.scenes.pairs.world import Canvas, Effect, Thing, World

_BRIGHT = (
    (0.9, 0.25, 0.15),
    (0.95, 0.85, 0.2),
    (0.95, 0.95, 0.92),
    (0.2, 0.5, 0.8),
    (0.95, 0.5, 0.1),
)
_WATER = Paint((0.45, 0.65, 0.85), specular=0.6, shininess=0.8)

Posed = Callable[..., Thing]


@dataclass(frozen=True, slots=True)
class Actor:
    """Someone who can be posed anew at their place."""

    world: World
    """Without them."""
    pose: Posed
    """Takes what a person's `remake` takes."""
    at: F64
    """Where they stand [3]."""
    key: str


def _free_hands(world: World, one: Thing) -> bool:
    """Nobody holds or wears anything, sits on something, or is held."""
    busy = [t for t in world.things if t.tags & {"held", "worn"} and _near(t, one)]
    if set(one.facts) & {"ball", "prints", "splash", "in_water", "rings"}:
        return False
    riding = one.rests_on is not None or one.facts.get("pose") in ("sit", "lie")
    return not busy and not riding


def _near(a: Thing, b: Thing) -> bool:
    return bool(np.all(a.low - 0.15 < b.high) and np.all(b.low - 0.15 < a.high))


def _someone(world: World, target: Thing) -> bool:
    if "person" in target.tags and target.remake is not None:
        return _free_hands(world, target) and in_sight(world, target, 60, 0.9)
    if target.facts.get("detail") or world.place in ("air", "kitchen"):
        return False
    return any(abs(z - world.ground) < 0.05 for _, _, z in world.free)


def _actor(world: World, target: Thing, rng: Generator) -> Actor | None:
    """The target if it is a person; else somebody new at a free spot, where people fit into the view."""
    if "person" in target.tags and target.remake is not None and _free_hands(world, target):
        at = target.facts["how"].at
        return Actor(world.without(target.key), target.remake, np.asarray(at, float), target.key)
    at = np.asarray(world.free[int(rng.integers(len(world.free)))], float)
    if abs(float(at[2]) - world.ground) > 0.05:
        return None
    world = cleared(world, at, 0.4, 1.8)
    new = person(rng, "somebody", at, subject=target.subject)
    x0, y0, x1, y1 = seen(world, new.verts())
    if not (
        (45 if target.subject else 75) < y1 - y0 < 290 and min(x0, y0) > 3 and max(x1, y1) < 317
    ):
        return None
    if new.remake is None or not has_room(world, new):
        return None
    return Actor(world, new.remake, at, new.key)


def _side_on(world: World, rng: Generator, spread: float = 28.0) -> tuple[float, F64]:
    """A facing across the view, turned a little to the camera: degrees and direction [3]."""
    d = rightwards(world) * (1 if rng.random() < 0.5 else -1)
    turn = float(rng.uniform(0, spread))
    sign = 1.0 if float(np.cross(d, nearer(world))[2]) > 0 else -1.0
    d = rot("z", turn * sign) @ d
    return float(np.degrees(np.arctan2(d[1], d[0]))), d


def _aside(head: F64, ahead: F64, world: World, rng: Generator) -> dict[str, Any]:
    """Where somebody looks who looks away: over a shoulder, the camera's if they face across the view."""
    side = np.cross([0.0, 0.0, 1.0], ahead)
    side = side if float(side @ nearer(world)) > 0 else -side
    if rng.random() < 0.3:
        side = -side
    return {
        "look_at": tuple(head + side * 3.0 - ahead * 2.2 + [0, 0, float(rng.uniform(-0.3, 0.9))])
    }


def _whole(world: World, *things: Thing) -> bool:
    """Whether all of it is in the frame and nearer things cover little of it."""
    verts = np.concatenate([t.verts() for t in things])
    x0, y0, x1, y1 = seen(world, verts)
    framed = min(x0, y0) > 2 and max(x1, y1) < 318
    return framed and covered(world, verts, [t.key for t in things]) < 0.3


def _point(p: F64) -> tuple[float, float, float]:
    return float(p[0]), float(p[1]), float(p[2])


def _at_ball(world: World, target: Thing) -> bool:
    """The scene itself shows a throw or a catch; else somebody can be posed for it."""
    ball = target.facts.get("ball")
    if target.remake is not None and any(t.key == ball for t in world.things):
        return in_sight(world, target, 60, 0.9)
    return _someone(world, target)


def _from_ball(world: World, target: Thing, rng: Generator) -> Planted | None:
    """Somebody at a ball of the scene, head turned."""
    ball = world.thing(target.facts["ball"])
    way = (ball.centre - target.facts["head"]) * [1, 1, 0]
    way = way / max(float(np.linalg.norm(way)), 1e-6)
    if target.remake is None:
        return None
    wrong = target.remake(**_aside(target.facts["head"], way, world, rng), gaze_at=None)
    planted = Planted(
        world.changed(wrong),
        world,
        (target.key,),
        f"Someone looks away from the ball at the moment of the {target.facts['pose']}.",
    )
    return closer(planted, rng, (target.key,), 0.85)


@recipe(
    "behavior_event",
    "looks_away",
    fits=_at_ball,
    planted="Someone who catches, throws or kicks a ball, or strikes it with the hand, turns head and eyes away "
    "from it at that moment.",
    twin="The same one in the same pose looks at the ball.",
)
def looks_away(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    if target.facts.get("ball"):
        return _from_ball(world, target, rng)
    actor = _actor(world, target, rng)
    if actor is None:
        return None
    pose = str(rng.choice(["catch", "catch", "kick", "throw"]))
    deg, ahead = _side_on(world, rng)
    how: dict[str, Any] = {"pose": pose, "facing_deg": deg, "gaze_at": None}
    facts = actor.pose(**how).facts
    height = float(facts["height"])
    r = float(rng.uniform(0.065, 0.085)) * height
    if pose == "catch":
        spot = (facts["hand.left"] + facts["hand.right"]) / 2 + ahead * (r + 0.09 * height)
    elif pose == "kick":
        spot = facts["foot.right"] + ahead * (r + 0.12 * height) + [0, 0, 0.5 * r]
        spot[2] = max(float(spot[2]), float(actor.at[2]) + r)
    else:
        spot = facts["hand.right"] + ahead * (r + 0.05 * height) + np.array([0, 0, 0.4 * r])
    right = actor.pose(**how, look_at=_point(spot))
    wrong = actor.pose(**how, **_aside(facts["head"], ahead, world, rng))
    ball = thing(
        "ball.thrown",
        "ball",
        [(ellipsoid((0, 0, 0), (r,) * 3, n=18), Paint(pick(rng, _BRIGHT), specular=0.3))],
        at=spot,
        like=target,
        has=("ball", "moves"),
    )
    if not _whole(world, right, ball) or not has_room(actor.world, ball, (actor.key,)):
        return None
    return closer(
        Planted(
            actor.world.plus(wrong, ball),
            actor.world.plus(right, ball),
            (wrong.key, ball.key),
            f"Someone looks away at the moment of the {pose}.",
        ),
        rng,
    )


@recipe(
    "behavior_event",
    "calm_by_fire",
    fits=_someone,
    planted="Someone stands at ease, hands in the pockets, on the hips or waving, with a fire blazing at the "
    "legs or on the head.",
    twin="The one runs from the fire with raised arms; or stands as calmly and there is no fire.",
)
def calm_by_fire(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    actor = _actor(world, target, rng)
    if actor is None:
        return None
    deg, ahead = _side_on(world, rng, 70.0)
    calm = actor.pose(
        pose=str(rng.choice(["pockets", "hips", "wave", "behind"])), facing_deg=deg, look_at=None
    )
    height = float(calm.facts["height"])
    on_head = bool(rng.random() < 0.4)
    tall = height * float(rng.uniform(0.2, 0.28) if on_head else rng.uniform(0.42, 0.55))
    flames = blaze(rng, tall, tall * 0.32)
    at = (
        calm.facts["head_top"] - [0, 0, 0.03 * height]
        if on_head
        else actor.at - ahead * 0.17 * height
    )
    fire = thing("fire", "fire", flames, at=at, like=target, has=("flame", "hot"), casts=False)
    shine = glow(at + np.array([0, 0, tall * 0.5]), tall, (1.0, 0.55, 0.15), 0.4)
    if not _whole(world, calm, fire):
        return None
    violated = actor.world.plus(calm, fire).after(shine)
    if on_head or rng.random() < 0.4:
        clean = actor.world.plus(calm)
    else:
        away = actor.at + ahead * 0.75 * height
        fleeing = actor.pose(pose="run", facing_deg=deg, at=_point(away), look_at=None)
        if not _whole(world, fleeing) or not has_room(actor.world, fleeing):
            return None
        clean = actor.world.plus(fleeing, fire).after(shine)
    return closer(
        Planted(
            violated, clean, (calm.key, "fire"), "Someone stays calm while a fire burns at them."
        ),
        rng,
    )


def _jug(size: float, rgb: tuple[float, float, float]) -> list[tuple[Any, Paint]]:
    """A jug whose spout is at (0, 0, 0), tipped so that it pours to +x; the handle at -x."""
    s, paint = size, Paint(rgb, specular=0.4)
    tip = rot("y", 68.0)
    profile = upright(
        [0, 0.1 * s, 0.5 * s, 0.8 * s, s], [0.3 * s, 0.36 * s, 0.34 * s, 0.22 * s, 0.28 * s]
    )
    bow = [(-0.32, 0.25), (-0.6, 0.35), (-0.62, 0.65), (-0.25, 0.85)]
    made = [(profile, paint)]
    for (x, z), (u, w) in pairwise(bow):
        made.append((limb((x * s, 0, z * s), (u * s, 0, w * s), 0.05 * s, 0.05 * s), paint))
    mouth = np.array([0.26 * s, 0.0, s])
    return [(m.transformed(tip, -tip @ mouth), p) for m, p in made]


@recipe(
    "behavior_event",
    "pours_beside",
    fits=_someone,
    planted="Someone pours from a jug well beside the cup or flower pot that stands ready, and looks elsewhere.",
    twin="The stream falls into it and the one looks at it.",
)
def pours_beside(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    actor = _actor(world, target, rng)
    if actor is None:
        return None
    deg, ahead = _side_on(world, rng, 20.0)
    first = actor.pose(pose="reach", facing_deg=deg, look_at=None, curl=62.0)
    height = float(first.facts["height"])
    shoulder = first.facts["shoulder.right"]
    grip = shoulder + ahead * 0.24 * height - [0, 0, 0.14 * height]
    size = 0.16 * height
    turn = rot("z", deg)
    mouth = grip + turn @ np.array([0.78 * size, 0.0, -0.02 * size])
    floor = float(actor.at[2])
    wide, high = 0.13 * height, 0.38 * height
    cup_high, cup_wide = 0.12 * height, 0.06 * height
    fall = float(mouth[2]) - floor - high
    lands = mouth + ahead * 0.03 * height - [0, 0, fall]
    away = ahead * float(rng.uniform(0.2, 0.26)) * height
    stand = thing(
        "stand",
        "small table",
        [
            (
                box((0.1 * height, 0, high - 0.015), (4.2 * wide, 2 * wide, 0.03)),
                Paint(pick(rng, ((0.6, 0.42, 0.25), (0.85, 0.83, 0.8)))),
            ),
            (
                limb((0.1 * height, 0, 0.035), (0.1 * height, 0, high), 0.03, 0.03),
                matt((0.2, 0.18, 0.16)),
            ),
            (
                upright([0, 0.02], [wide, wide]).transformed(np.eye(3), (0.1 * height, 0, 0)),
                matt((0.2, 0.18, 0.16)),
            ),
        ],
        like=target,
        has=("furniture", "stands"),
    ).about(turn, (0, 0, 0), lands * [1, 1, 0] + np.array([0, 0, floor]))
    jug = thing("jug", "jug", _jug(size, pick(rng, _BRIGHT)), like=target, has=("vessel", "held"))
    jug = jug.about(turn, (0, 0, 0), mouth)
    mug = upright(
        [0, cup_high, cup_high, 0.02],
        [cup_wide * 0.8, cup_wide, cup_wide * 0.9, cup_wide * 0.7],
        n=20,
    )
    cup = thing(
        "cup",
        "pot",
        [(mug, Paint(pick(rng, _BRIGHT), specular=0.3))],
        at=lands,
        like=target,
        has=("vessel",),
    )

    def stream(low: float) -> Thing:
        path = [
            mouth - ahead * 0.01,
            mouth + ahead * 0.025 * height - [0, 0, 0.3 * fall],
            lands + np.array([0, 0, low]),
        ]
        rods = [(limb(a, b, 0.009 * height, 0.008 * height), _WATER) for a, b in pairwise(path)]
        pool = ellipsoid(lands, (0.09 * height, 0.07 * height, 0.006 * height))
        return thing(
            "stream",
            "water",
            [*rods, *([(pool, _WATER)] if low == 0 else [])],
            like=target,
            casts=False,
        )

    reach = {"reach_right": _point(grip), "curl": 62.0}
    right = actor.pose(
        pose="reach", facing_deg=deg, look_at=_point(lands + np.array([0, 0, cup_high])), **reach
    )
    wrong = actor.pose(
        pose="reach", facing_deg=deg, **_aside(first.facts["head"], ahead, world, rng), **reach
    )
    if not _whole(world, right, stand, cup) or not has_room(actor.world, stand, (actor.key,)):
        return None
    return closer(
        Planted(
            actor.world.plus(wrong, jug, stand, cup.moved(away), stream(0.0)),
            actor.world.plus(right, jug, stand, cup, stream(0.05 * height)),
            (wrong.key, "stream", "cup"),
            "Someone pours beside the vessel and looks elsewhere.",
        ),
        rng,
    )


def _rain(rng: Generator) -> Effect:
    """Slanting streaks over the whole picture, alike wherever it is drawn."""
    count = 260
    spots = rng.uniform(0, 1, (count, 2))
    lengths, lean = rng.uniform(0.03, 0.07, count), float(rng.uniform(-0.25, 0.25))

    def fall(canvas: Canvas) -> None:
        from PIL import Image, ImageDraw

        size = canvas.pixels.shape[0]
        layer = Image.new("L", (size, size))
        draw = ImageDraw.Draw(layer)
        for (x, y), long in zip(spots * size, lengths * size, strict=True):
            draw.line([x, y, x + lean * long, y + long], fill=120, width=1)
        share = np.asarray(layer, float)[..., None] / 255.0
        grey = canvas.pixels * 0.82
        mixed = grey * (1 - share) + share * np.array([225.0, 230.0, 238.0])
        canvas.pixels = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)

    return fall


def _outdoors(world: World, target: Thing) -> bool:
    return world.place not in ("indoor", "kitchen", "workshop", "snow") and _someone(world, target)


@recipe(
    "behavior_event",
    "umbrella_unused_in_rain",
    fits=_outdoors,
    planted="In pouring rain someone holds an open umbrella away at the side, or upside down, and stands wet "
    "beside it.",
    twin="In the same rain the one holds it over the head.",
    held_out=True,
)
def umbrella_unused_in_rain(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    actor = _actor(world, target, rng)
    if actor is None:
        return None
    deg, ahead = _side_on(world, rng, 60.0)
    first = actor.pose(pose="stand", facing_deg=deg, look_at=None)
    height = float(first.facts["height"])
    shoulder = first.facts["shoulder.right"]
    out = np.cross(ahead, [0.0, 0.0, 1.0])
    over = shoulder + ahead * 0.15 * height - [0, 0, 0.06 * height] - out * 0.02 * height
    beside = shoulder + out * 0.24 * height + ahead * 0.08 * height - [0, 0, 0.2 * height]
    open_one = umbrella(
        rng, "umbrella", scale=height * 0.6, subject=target.subject, extra=("held",)
    )
    hook = open_one.facts["hook"]
    held = open_one.moved(over - hook)
    tip = rot("z", float(np.degrees(np.arctan2(out[1], out[0]))))
    angle = float(rng.uniform(95, 170))
    wrong_way = open_one.about(tip @ rot("y", angle) @ tip.T, hook, beside - hook)
    right = actor.pose(
        pose="stand", facing_deg=deg, reach_right=_point(over), curl=70.0, look_at=None
    )
    wrong = actor.pose(
        pose="stand", facing_deg=deg, reach_right=_point(beside), curl=70.0, look_at=None
    )
    if not _whole(world, right, held) or not _whole(world, wrong, wrong_way):
        return None
    if float(wrong_way.low[2]) < float(actor.at[2]):
        return None
    rain = _rain(rng)
    return closer(
        Planted(
            actor.world.plus(wrong, wrong_way).after(rain),
            actor.world.plus(right, held).after(rain),
            (wrong.key, "umbrella"),
            "Someone stands in pouring rain and holds the open umbrella away.",
        ),
        rng,
    )
