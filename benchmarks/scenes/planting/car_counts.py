"""Missing and extra parts of a car."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Subject

from .plant import IDENTITY, Context, Planting, Variant, extra, keys_of, missing

FRONT = ("front", "front_quarter")

REAR = ("rear", "rear_quarter")

SIDE = ("side", "front_quarter", "rear_quarter")


def gone(cls: str, name: str, views: Sequence[str], near: bool = False, **tags: str) -> Variant:
    """All parts of a class missing in views that show them (`near`: the near side's only)."""

    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        if c.view not in views:
            return None
        keys = keys_of(s, cls, side=c.near, **tags) if near else keys_of(s, cls, **tags)
        witness = [k for k in keys if s.get(k).side in (c.near, "middle")]
        if c.sees("front", "rear"):
            witness = keys
        return missing(s, keys, f"{name} missing", witness)

    return variant


def no_wheel(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = keys_of(s, "wheel", side=c.near)
    if not c.sees(*SIDE):
        return None
    if r.random() < 0.5:
        return missing(s, near, f"both wheels of the {c.near} side are missing", near)
    key = str(r.choice(near))
    return missing(s, [key], f"the {s.get(key).place} {c.near} wheel is missing", reference=near)


def no_roof(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, ["roof"], "the roof is missing", ["roof"]) if c.elevation > 4 else None


def no_door(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = keys_of(s, "door", side=c.near)
    if not c.sees(*SIDE):
        return None
    keys = near if r.random() < 0.5 else [str(r.choice(near))]
    return missing(
        s, keys, f"{'a door' if len(keys) == 1 else 'the doors'} of the {c.near} side missing", keys
    )


def third_wheel(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*SIDE):
        return None
    front, rear = s.get(f"wheel.{c.near}.front"), s.get(f"wheel.{c.near}.rear")
    target = (np.array(front.pivot) + np.array(rear.pivot)) / 2 + np.array(
        [float(r.uniform(-0.08, 0.08)), c.sign * 0.03, 0]
    )
    return extra(
        s,
        front.key,
        IDENTITY,
        (0, 0, 0),
        target - np.array(front.pivot),
        "a third wheel stands between the near wheels",
    )


def second_roof(s: Subject, c: Context, r: Generator) -> Planting:
    up = s.facts["height"] - s.facts["belt"]
    return extra(
        s,
        "roof",
        np.diag([0.9, 0.96, 1.0]),
        (0, 0, 0),
        (0, 0, up),
        "a second roof is stacked on the first",
    )


def second_windshield(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*FRONT):
        return None
    dx = float(r.uniform(0.32, 0.42))
    return extra(
        s,
        "windshield",
        IDENTITY,
        (0, 0, 0),
        (dx, 0, 0.02),
        "a second windshield stands on the bonnet",
    )


def more_headlights(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*FRONT):
        return None
    up = (-0.2, 0, 0.13)
    a = extra(
        s,
        "headlight.left",
        np.eye(3) * 1.15,
        s.get("headlight.left").pivot,
        up,
        "a second pair of headlights on the bonnet",
    )
    b = extra(
        a.subject, "headlight.right", np.eye(3) * 1.15, s.get("headlight.right").pivot, up, a.detail
    )
    return replace(b, principal=(f"headlight.{c.near}.extra",), origin=(f"headlight.{c.near}",))


def door_on_roof(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*SIDE):
        return None
    door = s.get(keys_of(s, "door", side=c.near)[0])
    target = np.array(
        [
            float(r.uniform(-0.35, 0.05)),
            c.sign * 0.12,
            s.facts["height"] + np.ptp(door.verts()[:, 2]) / 2 - 0.02,
        ]
    )
    return extra(
        s, door.key, IDENTITY, (0, 0, 0), target - door.centre, "an extra door stands on the roof"
    )


def second_trunk(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not s.find("grille") or not c.sees("rear", "rear_quarter"):
        return None
    return extra(
        s,
        "bumper.rear",
        IDENTITY,
        (0, 0, 0),
        (0.0, 0, s.facts["belt"] * 0.62),
        "a second bumper crosses the boot",
    )


def extra_taillights(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees("side", "rear_quarter"):
        return None
    key = f"taillight.{c.near}"
    door = s.get(keys_of(s, "door", side=c.near)[-1])
    target = door.centre + np.array([0.0, c.sign * 0.03, 0.02])
    turn = rot("z", 90.0)
    return extra(
        s,
        key,
        turn * 1.2,
        s.get(key).centre,
        target - s.get(key).centre,
        "an extra taillight sits on the door",
    )
