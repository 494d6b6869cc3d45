"""What can be wrong with a car."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from . import grafts
from .mesh import rot
from .plant import Context, Planting, Variant, detach, extra, graft, missing, move, rescale
from .subject import Subject

_I = np.eye(3)
_FRONT = ("front", "front_quarter")
_REAR = ("rear", "rear_quarter")
_SIDE = ("side", "front_quarter", "rear_quarter")


def _keys(s: Subject, cls: str, **tags: str) -> list[str]:
    return [p.key for p in s.find(cls, **tags)]


def _gone(cls: str, name: str, views: Sequence[str], near: bool = False, **tags: str) -> Variant:
    """All parts of a class missing in views that show them (`near`: the near side's only)."""

    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        if c.view not in views:
            return None
        keys = _keys(s, cls, side=c.near, **tags) if near else _keys(s, cls, **tags)
        witness = [k for k in keys if s.get(k).side in (c.near, "middle")]
        if c.sees("front", "rear"):
            witness = keys
        return missing(s, keys, f"{name} missing", witness)

    return variant


def _no_wheel(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = _keys(s, "wheel", side=c.near)
    if not c.sees(*_SIDE):
        return None
    if r.random() < 0.5:
        return missing(s, near, f"both wheels of the {c.near} side are missing", near)
    key = str(r.choice(near))
    return missing(s, [key], f"the {s.get(key).place} {c.near} wheel is missing", reference=near)


def _no_roof(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, ["roof"], "the roof is missing", ["roof"]) if c.elevation > 4 else None


def _no_door(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = _keys(s, "door", side=c.near)
    if not c.sees(*_SIDE):
        return None
    keys = near if r.random() < 0.5 else [str(r.choice(near))]
    return missing(s, keys, f"{'a door' if len(keys) == 1 else 'the doors'} of the {c.near} side missing", keys)


def _third_wheel(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*_SIDE):
        return None
    front, rear = s.get(f"wheel.{c.near}.front"), s.get(f"wheel.{c.near}.rear")
    target = (np.array(front.pivot) + np.array(rear.pivot)) / 2 + np.array([float(r.uniform(-0.08, 0.08)), c.sign * 0.03, 0])
    return extra(s, front.key, _I, (0, 0, 0), target - np.array(front.pivot), "a third wheel stands between the near wheels")


def _second_roof(s: Subject, c: Context, r: Generator) -> Planting:
    up = s.facts["height"] - s.facts["belt"]
    return extra(s, "roof", np.diag([0.9, 0.96, 1.0]), (0, 0, 0), (0, 0, up), "a second roof is stacked on the first")


def _second_windshield(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*_FRONT):
        return None
    dx = float(r.uniform(0.32, 0.42))
    return extra(s, "windshield", _I, (0, 0, 0), (dx, 0, 0.02), "a second windshield stands on the bonnet")


def _more_headlights(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*_FRONT):
        return None
    up = (-0.2, 0, 0.13)
    a = extra(s, "headlight.left", np.eye(3) * 1.15, s.get("headlight.left").pivot, up, "a second pair of headlights on the bonnet")
    b = extra(a.subject, "headlight.right", np.eye(3) * 1.15, s.get("headlight.right").pivot, up, a.detail)
    return replace(b, principal=(f"headlight.{c.near}.extra",), origin=(f"headlight.{c.near}",))


def _door_on_roof(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*_SIDE):
        return None
    door = s.get(_keys(s, "door", side=c.near)[0])
    target = np.array([float(r.uniform(-0.35, 0.05)), c.sign * 0.12, s.facts["height"] + np.ptp(door.verts()[:, 2]) / 2 - 0.02])
    return extra(s, door.key, _I, (0, 0, 0), target - door.centre, "an extra door stands on the roof")


def _second_trunk(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not s.find("grille") or not c.sees("rear", "rear_quarter"):
        return None
    return extra(s, "bumper.rear", _I, (0, 0, 0), (0.0, 0, s.facts["belt"] * 0.62), "a second bumper crosses the boot")


def _extra_taillights(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees("side", "rear_quarter"):
        return None
    key = f"taillight.{c.near}"
    door = s.get(_keys(s, "door", side=c.near)[-1])
    target = door.centre + np.array([0.0, c.sign * 0.03, 0.02])
    turn = rot("z", 90.0)
    return extra(s, key, turn * 1.2, s.get(key).centre, target - s.get(key).centre, "an extra taillight sits on the door")


def _wheels_on_roof(s: Subject, c: Context, r: Generator) -> Planting:
    keys = _keys(s, "wheel", side=c.near)
    both = r.random() < 0.6
    keys = keys if both else keys[: 1] if r.random() < 0.5 else keys[1:]
    mid = (s.facts["roof_front"] + s.facts["roof_rear"]) / 2
    out = s
    span = max(0.3, (s.facts["roof_front"] - s.facts["roof_rear"]) * 0.6)
    for i, k in enumerate(keys):
        w = s.get(k)
        x = mid + (0.0 if not both else (0.5 - i) * max(span, 2.1 * s.facts["wheel"]))
        shift = np.array([x, c.sign * 0.1, s.facts["height"] + s.facts["wheel"] * 0.9]) - np.array(w.pivot)
        out = move(out, [k], _I, (0, 0, 0), shift, "").subject
    return Planting(out, "misplaced", "car.wheel", "wheels stand on the roof" if both else "a wheel stands on the roof", principal=tuple(keys), origin=tuple(keys))


def _wheel_on_door(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*_SIDE):
        return None
    key = f"wheel.{c.near}.{r.choice(['front', 'rear'])}"
    door = s.get(_keys(s, "door", side=c.near)[0])
    shift = door.centre + np.array([0, c.sign * 0.05, 0.1]) - np.array(s.get(key).pivot)
    return move(s, [key], _I, (0, 0, 0), shift, "a wheel is fixed to the door")


def _headlights_at_rear(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*_REAR):
        return None
    tail = s.get("taillight.left").pivot
    out = s.without(_keys(s, "taillight")) if r.random() < 0.3 else s
    lift = 0.12 if len(out.parts) == len(s.parts) else 0.0
    shift = (-0.035, 0.0, tail[2] - s.get("headlight.left").pivot[2] + lift)
    keys = _keys(s, "headlight")
    near = [k for k in keys if s.get(k).side != c.near] if c.sees("rear_quarter") else keys
    p = move(s, keys, rot("z", 180), (0, 0, 0), shift, "the headlights are at the rear", near)
    return p


def _windshield_behind(s: Subject, c: Context, r: Generator) -> Planting | None:
    x = s.facts["deck"] - s.facts["cowl"] - float(r.uniform(0.16, 0.26))
    if s.facts["deck"] < -0.8 or not c.sees("side", "rear_quarter", "rear"):
        return None
    return move(s, ["windshield"], _I, (0, 0, 0), (x, 0, 0.03), "the windshield stands behind the roof, on the boot")


def _bonnet_on_roof(s: Subject, c: Context, r: Generator) -> Planting:
    b = s.get("bonnet")
    target = np.array([(s.facts["roof_front"] + s.facts["roof_rear"]) / 2, 0, s.facts["height"] + 0.06])
    return move(s, ["bonnet"], rot("y", 0), (0, 0, 0), target - b.centre, "the bonnet lies on the roof")


def _door_on_bonnet(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees("side", "front_quarter"):
        return None
    door = s.get(_keys(s, "door", side=c.near)[0])
    target = np.array([0.66, 0.0, s.facts["belt"] + np.ptp(door.verts()[:, 2]) / 2 - 0.03])
    return move(s, [door.key], _I, (0, 0, 0), target - door.centre, "a door stands on the bonnet")


def _grille_on_roof(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not c.sees(*_FRONT):
        return None
    g = s.get("grille")
    target = np.array([s.facts["roof_front"] - 0.05, 0, s.facts["height"] + 0.07])
    return move(s, ["grille"], _I, (0, 0, 0), target - g.centre, "the grille stands on the roof")


def _bumper_on_roof(s: Subject, c: Context, r: Generator) -> Planting:
    key = "bumper.front" if c.sees("front", "front_quarter") else "bumper.rear"
    x = s.facts["roof_front"] - 0.05 if key.endswith("front") else s.facts["roof_rear"] + 0.05
    b = s.get(key)
    return move(s, [key], _I, (0, 0, 0), np.array([x, 0, s.facts["height"] + 0.05]) - b.centre, "a bumper lies on the roof")


def _roof_on_bonnet(s: Subject, c: Context, r: Generator) -> Planting:
    return move(s, ["roof"], np.diag([0.8, 0.9, 1.0]), (0, 0, 0), (0.66 - 0.8 * (s.facts["roof_front"] + s.facts["roof_rear"]) / 2, 0, -0.06), "the roof sits on the bonnet instead of the cabin")


def _wheel_scale(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = _keys(s, "wheel", side=c.near)
    if not c.sees(*_SIDE):
        return None
    big = r.random() < 0.5
    keys = near if r.random() < 0.5 else [str(r.choice(near))]
    f = float(r.uniform(1.8, 2.2) if big else r.uniform(0.38, 0.47))
    linear = np.diag([f, 1.25 if big else 1.0, f])
    detail = f"wheel {f:.1f} times too large" if big else f"wheel shrunk to {f:.2f} of its size"
    return rescale(s, keys, f, detail, floor=True, linear=linear)


def _big(cls: str, name: str, factor: tuple[float, float], views: Sequence[str], near: bool = True) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        if c.view not in views:
            return None
        f = float(r.uniform(*factor))
        keys = _keys(s, cls)
        principal = [k for k in keys if s.get(k).side in (c.near, "middle")] if near else keys
        how = f"{f:.1f} times too large" if f > 1 else f"shrunk to {f:.2f} of its size"
        return rescale(s, keys, f, f"{name} {how}", principal=principal)

    return variant


def _plane_wings(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([0.05, 0.0, float(r.uniform(0.6, 1.0)) * s.facts["belt"]])
    return graft(s, grafts.plane_wings(at, s.facts["width"] * 0.48, float(r.uniform(0.7, 1.0)), 0.5, r), "aircraft wings grow out of the car", [f"graft.wing.{c.near}"])


def _plane_fin(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([-0.78, 0.0, s.facts["belt"] if s.facts["deck"] > -0.8 else s.facts["height"] * 0.96])
    if s.facts["deck"] <= -0.8:
        at[0] = -0.6
    return graft(s, [grafts.plane_fin(at, float(r.uniform(0.45, 0.65)), r)], "an aircraft fin stands on the rear")


def _plane_engine(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([(s.facts["roof_front"] + s.facts["roof_rear"]) / 2, 0, s.facts["height"] + 0.13])
    return graft(s, [grafts.plane_engine(at, 0.16, c.near, r)], "a jet engine sits on the roof")


def _legs(s: Subject, c: Context, r: Generator) -> Planting:
    """Animal legs in place of the wheels."""
    bare = s.without(_keys(s, "wheel"))
    parts = [grafts.leg_at(f"graft.leg.{w.side}.{w.place}", np.array([w.pivot[0], w.pivot[1] + (0.05 if w.side == "left" else -0.05), w.pivot[2] + 0.12]), w.pivot[2] + 0.34, r) for w in s.find("wheel")]
    lift = 0.25
    raised = replace(bare, parts=tuple(p.transformed(_I, (0, 0, lift)) for p in bare.parts))
    feet = [p.transformed(_I, (0, 0, lift - float(p.verts()[:, 2].min()) - lift)) for p in parts]
    near = [p.key for p in feet if p.side == c.near]
    return graft(raised, feet, "the car stands on animal legs instead of wheels", near)


def _horns(s: Subject, c: Context, r: Generator) -> Planting:
    on_roof = r.random() < 0.6
    at = np.array([s.facts["roof_front"] - 0.1, 0, s.facts["height"] - 0.02]) if on_roof else np.array([0.7, 0, s.facts["belt"] * 0.95])
    return graft(s, grafts.horns(at, s.facts["width"] * 0.25, 0.34, r), f"horns grow on the {'roof' if on_roof else 'bonnet'}", [f"graft.horn.{c.near}"])


def _ears(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([s.facts["roof_front"] - 0.12, 0, s.facts["height"] - 0.03])
    return graft(s, grafts.ears(at, s.facts["width"] * 0.27, 0.34, "pointed", r), "animal ears grow on the roof", [f"graft.ear.{c.near}"])


def _front_graft(s: Subject, c: Context, r: Generator) -> Planting | None:
    if c.sees("rear", "rear_quarter"):
        return None
    at = np.array([0.97, 0, s.facts["belt"] * 0.7])
    if r.random() < 0.5:
        return graft(s, [grafts.beak_at(at, 0.34, r)], "a beak grows on the front")
    return graft(s, [grafts.trunk_at(at, 0.6, r)], "an elephant's trunk hangs from the front")


def _detached(cls: str, name: str, views: Sequence[str], **tags: str) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        if c.view not in views:
            return None
        parts = s.find(cls, side=c.near, **tags) or s.find(cls, **tags)
        if not parts:
            return None
        return detach(s, parts[int(r.integers(len(parts)))].key, c, r, name)

    return variant


_ANY = ("side", "front_quarter", "rear_quarter", "front", "rear")
TABLE: Final[dict[str, Sequence[Variant]]] = {
    "missing": (
        _no_wheel, _no_wheel, _no_roof, _no_door, _no_door,
        _gone("windshield", "the windshield is", _FRONT), _gone("bonnet", "the bonnet is", ("side", *_FRONT)),
        _gone("headlight", "the headlights are", _FRONT), _gone("taillight", "the taillights are", _REAR),
        _gone("trunk", "the boot lid is", _REAR), _gone("grille", "the grille is", _FRONT),
        _gone("bumper", "the front bumper is", _FRONT, place="front"), _gone("bumper", "the rear bumper is", _REAR, place="rear"),
        _gone("side_window", "the side windows are", _SIDE, near=True),
    ),
    "extra": (_third_wheel, _third_wheel, _second_roof, _second_windshield, _more_headlights, _door_on_roof, _second_trunk, _extra_taillights),
    "misplaced": (_wheels_on_roof, _wheel_on_door, _headlights_at_rear, _windshield_behind, _bonnet_on_roof, _door_on_bonnet, _grille_on_roof, _bumper_on_roof, _roof_on_bonnet),
    "rescaled": (
        _wheel_scale, _wheel_scale, _wheel_scale, _big("headlight", "headlights", (2.0, 2.5), _FRONT), _big("taillight", "taillights", (2.2, 2.8), _REAR),
        _big("mirror", "mirrors", (3.6, 4.6), _ANY), _big("windshield", "windshield", (0.35, 0.45), _FRONT),
        _big("grille", "grille", (0.3, 0.42), _FRONT), _big("bonnet", "bonnet", (0.35, 0.45), _FRONT),
    ),
    "foreign": (_plane_wings, _plane_fin, _plane_engine, _legs, _horns, _ears, _front_graft),
    "detached": (
        _detached("wheel", "wheel", _SIDE), _detached("door", "door", _SIDE), _detached("roof", "roof", _ANY),
        _detached("bonnet", "bonnet", ("side", *_FRONT)), _detached("trunk", "boot lid", ("side", *_REAR)),
        _detached("bumper", "front bumper", ("side", *_FRONT), place="front"), _detached("bumper", "rear bumper", ("side", *_REAR), place="rear"),
    ),
}  # fmt: skip
