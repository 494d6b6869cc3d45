"""Misplaced and rescaled parts of a car."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Subject

from .car_counts import FRONT, REAR, SIDE
from .plant import IDENTITY, Context, Planting, Variant, keys_of, move, rescale


def wheels_on_roof(s: Subject, c: Context, r: Generator) -> Planting:
    keys = keys_of(s, "wheel", side=c.near)
    both = r.random() < 0.6
    keys = keys if both else keys[:1] if r.random() < 0.5 else keys[1:]
    mid = (s.facts["roof_front"] + s.facts["roof_rear"]) / 2
    out = s
    span = max(0.3, (s.facts["roof_front"] - s.facts["roof_rear"]) * 0.6)
    for i, k in enumerate(keys):
        w = s.get(k)
        x = mid + (0.0 if not both else (0.5 - i) * max(span, 2.1 * s.facts["wheel"]))
        shift = np.array([x, c.sign * 0.1, s.facts["height"] + s.facts["wheel"] * 0.9]) - np.array(
            w.pivot
        )
        out = move(out, [k], IDENTITY, (0, 0, 0), shift, "").subject
    return Planting(
        out,
        "misplaced",
        "car.wheel",
        "wheels stand on the roof" if both else "a wheel stands on the roof",
        principal=tuple(keys),
        origin=tuple(keys),
    )


def wheel_on_door(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*SIDE):
        return None
    key = f"wheel.{c.near}.{r.choice(['front', 'rear'])}"
    door = s.get(keys_of(s, "door", side=c.near)[0])
    shift = door.centre + np.array([0, c.sign * 0.05, 0.1]) - np.array(s.get(key).pivot)
    return move(s, [key], IDENTITY, (0, 0, 0), shift, "a wheel is fixed to the door")


def headlights_at_rear(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*REAR):
        return None
    tail = s.get("taillight.left").pivot
    out = s.without(keys_of(s, "taillight")) if r.random() < 0.3 else s
    lift = 0.12 if len(out.parts) == len(s.parts) else 0.0
    shift = (-0.035, 0.0, tail[2] - s.get("headlight.left").pivot[2] + lift)
    keys = keys_of(s, "headlight")
    near = [k for k in keys if s.get(k).side != c.near] if c.sees("rear_quarter") else keys
    return move(s, keys, rot("z", 180), (0, 0, 0), shift, "the headlights are at the rear", near)


def windshield_behind(s: Subject, c: Context, r: Generator) -> Planting | None:
    x = s.facts["deck"] - s.facts["cowl"] - float(r.uniform(0.16, 0.26))
    if s.facts["deck"] < -0.8 or not c.sees("side", "rear_quarter", "rear"):
        return None
    return move(
        s,
        ["windshield"],
        IDENTITY,
        (0, 0, 0),
        (x, 0, 0.03),
        "the windshield stands behind the roof, on the boot",
    )


def bonnet_on_roof(s: Subject, c: Context, r: Generator) -> Planting:
    b = s.get("bonnet")
    target = np.array(
        [(s.facts["roof_front"] + s.facts["roof_rear"]) / 2, 0, s.facts["height"] + 0.06]
    )
    return move(
        s, ["bonnet"], rot("y", 0), (0, 0, 0), target - b.centre, "the bonnet lies on the roof"
    )


def door_on_bonnet(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees("side", "front_quarter"):
        return None
    door = s.get(keys_of(s, "door", side=c.near)[0])
    target = np.array([0.66, 0.0, s.facts["belt"] + np.ptp(door.verts()[:, 2]) / 2 - 0.03])
    return move(
        s, [door.key], IDENTITY, (0, 0, 0), target - door.centre, "a door stands on the bonnet"
    )


def grille_on_roof(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*FRONT):
        return None
    g = s.get("grille")
    target = np.array([s.facts["roof_front"] - 0.05, 0, s.facts["height"] + 0.07])
    return move(
        s, ["grille"], IDENTITY, (0, 0, 0), target - g.centre, "the grille stands on the roof"
    )


def bumper_on_roof(s: Subject, c: Context, r: Generator) -> Planting:
    key = "bumper.front" if c.sees("front", "front_quarter") else "bumper.rear"
    x = s.facts["roof_front"] - 0.05 if key.endswith("front") else s.facts["roof_rear"] + 0.05
    b = s.get(key)
    return move(
        s,
        [key],
        IDENTITY,
        (0, 0, 0),
        np.array([x, 0, s.facts["height"] + 0.05]) - b.centre,
        "a bumper lies on the roof",
    )


def roof_on_bonnet(s: Subject, c: Context, r: Generator) -> Planting:
    return move(
        s,
        ["roof"],
        np.diag([0.8, 0.9, 1.0]),
        (0, 0, 0),
        (0.66 - 0.8 * (s.facts["roof_front"] + s.facts["roof_rear"]) / 2, 0, -0.06),
        "the roof sits on the bonnet instead of the cabin",
    )


def wheel_scale(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = keys_of(s, "wheel", side=c.near)
    if not c.sees(*SIDE):
        return None
    big = r.random() < 0.5
    keys = near if r.random() < 0.5 else [str(r.choice(near))]
    f = float(r.uniform(1.8, 2.2) if big else r.uniform(0.38, 0.47))
    linear = np.diag([f, 1.25 if big else 1.0, f])
    detail = f"wheel {f:.1f} times too large" if big else f"wheel shrunk to {f:.2f} of its size"
    return rescale(s, keys, f, detail, floor=True, linear=linear)


def big(
    cls: str, name: str, factor: tuple[float, float], views: Sequence[str], near: bool = True
) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        if c.view not in views:
            return None
        f = float(r.uniform(*factor))
        keys = keys_of(s, cls)
        principal = [k for k in keys if s.get(k).side in (c.near, "middle")] if near else keys
        how = f"{f:.1f} times too large" if f > 1 else f"shrunk to {f:.2f} of its size"
        return rescale(s, keys, f, f"{name} {how}", principal=principal)

    return variant
