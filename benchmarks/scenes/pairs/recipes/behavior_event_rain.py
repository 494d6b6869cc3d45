"""People who act against the weather."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.actors import actor_at, as_point, can_act, side_on, whole_in_view
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer
from benchmarks.scenes.pairs.things.tools import umbrella
from benchmarks.scenes.pairs.world import Canvas, Effect, Thing, World


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
    return world.place not in ("indoor", "kitchen", "workshop", "snow") and can_act(world, target)


@recipe(
    "behavior_event",
    "umbrella_unused_in_rain",
    fits=_outdoors,
    planted="In pouring rain someone holds an open umbrella away at the side, or upside "
    "down, and stands wet "
    "beside it.",
    twin="In the same rain the one holds it over the head.",
    held_out=True,
)
def umbrella_unused_in_rain(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    actor = actor_at(world, target, rng)
    if actor is None:
        return None
    deg, ahead = side_on(world, rng, 60.0)
    first = actor.pose(pose="stand", facing_deg=deg, look_at=None)
    height = float(first.facts["height"])
    shoulder = first.facts["shoulder.right"]
    out = np.cross(ahead, [0.0, 0.0, 1.0])
    over = shoulder + ahead * 0.15 * height - [0, 0, 0.06 * height] - out * 0.02 * height
    beside = shoulder + out * 0.24 * height + ahead * 0.08 * height - [0, 0, 0.2 * height]
    open_one = umbrella(
        rng, "added umbrella", scale=height * 0.6, subject=target.subject, extra=("held",)
    )
    hook = open_one.facts["hook"]
    held = open_one.moved(over - hook)
    tip = rot("z", float(np.degrees(np.arctan2(out[1], out[0]))))
    angle = float(rng.uniform(95, 170))
    wrong_way = open_one.about(tip @ rot("y", angle) @ tip.T, hook, beside - hook)
    right = actor.pose(
        pose="stand", facing_deg=deg, reach_right=as_point(over), curl=70.0, look_at=None
    )
    wrong = actor.pose(
        pose="stand", facing_deg=deg, reach_right=as_point(beside), curl=70.0, look_at=None
    )
    if not whole_in_view(world, right, held) or not whole_in_view(world, wrong, wrong_way):
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
