"""People who act against what is happening."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.actors import (
    actor_at,
    as_point,
    can_act,
    looking_aside,
    side_on,
    whole_in_view,
)
from benchmarks.scenes.pairs.arrange import matt, pick, thing, upright, with_room
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer, has_room, in_sight
from benchmarks.scenes.pairs.things.heat import blaze, glow
from benchmarks.scenes.pairs.world import Thing, World

_BRIGHT = (
    (0.9, 0.25, 0.15),
    (0.95, 0.85, 0.2),
    (0.95, 0.95, 0.92),
    (0.2, 0.5, 0.8),
    (0.95, 0.5, 0.1),
)
_WATER = Paint((0.45, 0.65, 0.85), specular=0.6, shininess=0.8)


def _at_ball(world: World, target: Thing) -> bool:
    """The scene itself shows a throw or a catch; else somebody can be posed for it."""
    ball = target.facts.get("ball")
    if target.remake is not None and any(t.key == ball for t in world.things):
        return in_sight(world, target, 60, 0.9)
    return can_act(world, target)


def _from_ball(world: World, target: Thing, rng: Generator) -> Planted | None:
    """Somebody at a ball of the scene, head turned."""
    ball = world.thing(target.facts["ball"])
    way = (ball.centre - target.facts["head"]) * [1, 1, 0]
    way = way / max(float(np.linalg.norm(way)), 1e-6)
    if target.remake is None:
        return None
    wrong = target.remake(
        **looking_aside(target.facts["head"], way, world, rng, ball.centre), gaze_at=None
    )
    planted = Planted(
        world.changed(wrong),
        world,
        (target.key,),
        f"Someone looks away from the ball at the moment of the {target.facts['pose']}.",
    )
    return closer(planted, rng, (target.key, ball.key), 0.85)


@recipe(
    "behavior_event",
    "looks_away",
    fits=_at_ball,
    planted="Someone who catches, throws or kicks a ball, or strikes it with the hand, "
    "turns head and eyes away "
    "from it at that moment.",
    twin="The same one in the same pose looks at the ball.",
)
def looks_away(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    if target.facts.get("ball"):
        return _from_ball(world, target, rng)
    actor = actor_at(world, target, rng)
    if actor is None:
        return None
    pose = str(rng.choice(["catch", "catch", "kick", "throw"]))
    deg, ahead = side_on(world, rng)
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
    right = actor.pose(**how, look_at=as_point(spot))
    wrong = actor.pose(**how, **looking_aside(facts["head"], ahead, world, rng, spot))
    ball = thing(
        "ball.thrown",
        "ball",
        [(ellipsoid((0, 0, 0), (r,) * 3, n=18), Paint(pick(rng, _BRIGHT), specular=0.3))],
        at=spot,
        like=target,
        has=("ball", "moves"),
    )
    if not whole_in_view(world, right, ball) or not has_room(actor.world, ball, (actor.key,)):
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
    fits=can_act,
    planted="Someone stands at ease, hands in the pockets, on the hips or waving, with a "
    "fire blazing at the "
    "legs or on the head.",
    twin="The one runs from the fire with raised arms; or stands as calmly and there is no fire.",
)
def calm_by_fire(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    actor = actor_at(world, target, rng)
    if actor is None:
        return None
    deg, ahead = side_on(world, rng, 70.0)
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
    if not whole_in_view(world, calm, fire):
        return None
    violated = actor.world.plus(calm, fire).after(shine)
    if on_head or rng.random() < 0.4:
        clean = actor.world.plus(calm)
    else:
        away = actor.at + ahead * 0.75 * height
        fleeing = actor.pose(pose="run", facing_deg=deg, at=as_point(away), look_at=None)
        if not whole_in_view(world, fleeing) or not has_room(actor.world, fleeing):
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
    fits=can_act,
    planted="Someone pours from a jug well beside the cup or flower pot that stands "
    "ready, and looks elsewhere.",
    twin="The stream falls into it and the one looks at it.",
)
def pours_beside(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    actor = actor_at(world, target, rng)
    if actor is None:
        return None
    deg, ahead = side_on(world, rng, 20.0)
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

    reach = {"reach_right": as_point(grip), "curl": 62.0}
    right = actor.pose(
        pose="reach", facing_deg=deg, look_at=as_point(lands + np.array([0, 0, cup_high])), **reach
    )
    wrong = actor.pose(
        pose="reach",
        facing_deg=deg,
        **looking_aside(first.facts["head"], ahead, world, rng),
        **reach,
    )
    room = with_room(actor.world, stand, {actor.key, target.key})
    if not whole_in_view(room, right, stand, cup) or not has_room(room, stand, (actor.key,)):
        return None
    return closer(
        Planted(
            room.plus(wrong, jug, stand, cup.moved(away), stream(0.0)),
            room.plus(right, jug, stand, cup, stream(0.05 * height)),
            (wrong.key, "stream", "cup"),
            "Someone pours beside the vessel and looks elsewhere.",
        ),
        rng,
    )
