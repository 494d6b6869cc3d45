"""What can be wrong with an aircraft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.random import Generator

from . import grafts
from .mesh import rot
from .plant import Context, Planting, Variant, detach, extra, graft, missing, move, rescale
from .subject import Subject

_I = np.eye(3)


def _keys(s: Subject, cls: str, **tags: str) -> list[str]:
    return [p.key for p in s.find(cls, **tags)]


def _no_head(s: Subject, c: Context, r: Generator) -> Planting | None:
    return None if c.sees("rear", "rear_quarter") else missing(s, ["head"], "the nose with the cockpit is missing")


def _no_fin(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, ["tail"], "the vertical fin is missing")


def _no_wings(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, _keys(s, "wing"), "both wings are missing", [f"wing.{c.near}"])


def _no_wing(s: Subject, c: Context, r: Generator) -> Planting | None:
    side = str(r.choice(["left", "right"]))
    return missing(s, [f"wing.{side}"], f"the {side} wing is missing", reference=_keys(s, "wing"))


def _no_engines(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = _keys(s, "engine", side=c.near) or _keys(s, "engine")
    return missing(s, _keys(s, "engine"), "all engines are missing", near)


def _no_near_engines(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = _keys(s, "engine", side=c.near)
    return missing(s, near, f"the engines of the {c.near} side are missing", near)


def _no_engine(s: Subject, c: Context, r: Generator) -> Planting | None:
    every = _keys(s, "engine")
    key = str(r.choice(every))
    return missing(s, [key], f"one of the {len(every)} engines is missing", reference=every)


def _no_tail_wings(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, _keys(s, "tail_wing"), "the horizontal stabilisers are missing", [f"tail_wing.{c.near}"])


def _head_behind(s: Subject, c: Context, r: Generator) -> Planting:
    lift = np.array([-0.02, 0, 0.35 * s.facts["radius"]])
    return extra(s, "head", rot("z", 180), (0, 0, 0), lift, "a second nose with cockpit grows at the tail")


def _head_fork(s: Subject, c: Context, r: Generator) -> Planting:
    turn = rot("z", c.sign * float(r.uniform(48, 65)))
    return extra(s, "head", turn, (0.62, 0, 0), (0, c.sign * 0.02, 0), "a second nose with cockpit grows out of the side")


def _head_above(s: Subject, c: Context, r: Generator) -> Planting:
    shift = (-0.3, 0, 1.6 * s.facts["height"])
    return extra(s, "head", rot("y", -22), (0.72, 0, 0), shift, "a second nose with cockpit grows out of the roof")


def _third_wing(s: Subject, c: Context, r: Generator) -> Planting:
    dx = float(r.choice([-0.45, 0.45])) * float(r.uniform(0.9, 1.1))
    return extra(s, f"wing.{c.near}", _I, (0, 0, 0), (dx, 0, 0.03), "a third wing grows out of the fuselage", family=False)


def _upright_wing(s: Subject, c: Context, r: Generator) -> Planting:
    angle = c.sign * float(r.uniform(58, 75))
    return extra(s, f"wing.{c.near}", rot("x", angle), s.get(f"wing.{c.near}").pivot, (0.1, 0, 0.1), "a third wing stands up from the fuselage", family=False)


def _more_engines(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = [p for p in s.find("engine", side=c.near) if p.owner]
    if not near:
        return None
    outer = max(near, key=lambda p: abs(p.pivot[1]))
    wing = s.get(f"wing.{c.near}")
    way = wing.centre - np.array(wing.pivot)
    way /= abs(way[1])
    size = float(np.ptp(outer.verts()[:, 2])) if outer.place != "0" or len(outer.pieces) > 2 else 0.12
    shift = way * max(0.2, 1.25 * min(size, 0.2))
    p = extra(s, outer.key, _I, (0, 0, 0), shift, "one engine too many hangs under the wing")
    if r.random() < 0.5 and abs(outer.pivot[1]) + 2 * abs(shift[1]) < 0.9:
        more = extra(p.subject, outer.key, _I, (0, 0, 0), 2 * shift, "two engines too many hang under the wing", suffix=".extra2")
        return Planting(more.subject, "extra", more.cls, more.detail, principal=(*p.principal, *more.principal), origin=p.origin)
    return p


def _engine_on_side(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = s.find("engine", side=c.near)
    if not near:
        return None
    e = near[0]
    target = np.array([float(r.uniform(0.42, 0.55)), c.sign * (s.facts["radius"] * 1.25), 0.02])
    return extra(s, e.key, _I, (0, 0, 0), target - e.centre, "an extra engine sits on the side of the front fuselage", family=False)


def _second_fin(s: Subject, c: Context, r: Generator) -> Planting:
    dx = float(r.uniform(0.6, 1.15))
    return extra(s, "tail", _I, (0, 0, 0), (dx, 0, 0.3 * s.facts["height"]), "a second fin stands on the fuselage", family=False)


def _engine_on_top(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = s.find("engine", side=c.near) or s.find("engine")
    e = near[int(r.integers(len(near)))]
    x = float(r.choice([0.45, 0.85, -0.15]))
    size = float(np.ptp(e.verts()[:, 2])) / 2 if "middle" != e.side else 0.08
    drop = -0.35 if x > 0.8 else 0.0
    target = np.array([x, 0.0, s.facts["height"] * (1 + drop) + min(size, 0.1) * 1.05])
    where = "on the nose" if x > 0.8 else "on top of the fuselage"
    return move(s, [e.key], _I, (0, 0, 0), target - e.centre, f"an engine sits {where}")


def _engine_at_fin_tip(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = s.find("engine", side=c.near)
    if not near or s.find("engine", side="middle"):
        return None
    tip = s.get("tail").verts()
    top = tip[tip[:, 2].argmax()]
    return move(s, [near[0].key], _I, (0, 0, 0), np.array([top[0] + 0.03, 0, top[2] + 0.03]) - near[0].centre, "an engine sits on the tip of the fin")


def _fin_at_nose(s: Subject, c: Context, r: Generator) -> Planting:
    dx = float(r.uniform(1.4, 1.6))
    return move(s, ["tail"], _I, (0, 0, 0), (dx, 0, 0.2 * s.facts["height"]), "the fin stands on the nose")


def _fin_below(s: Subject, c: Context, r: Generator) -> Planting:
    return move(s, ["tail"], np.diag([1.0, 1.0, -1.0]), (0, 0, 0), (0.02, 0, 0.45 * s.facts["height"]), "the fin hangs below the fuselage")


def _wings_at_tail(s: Subject, c: Context, r: Generator) -> Planting:
    return move(s, _keys(s, "wing"), _I, (0, 0, 0), (-0.66 - s.facts["wing_x"] * 0.6, 0, 0.05), "the wings are at the tail", [f"wing.{c.near}"])


def _wings_at_nose(s: Subject, c: Context, r: Generator) -> Planting:
    return move(s, _keys(s, "wing"), _I, (0, 0, 0), (0.68 - s.facts["wing_x"] * 0.6, 0, 0.03), "the wings are at the nose", [f"wing.{c.near}"])


def _head_at_tail(s: Subject, c: Context, r: Generator) -> Planting:
    lift = np.array([-0.02, 0, 0.35 * s.facts["radius"]])
    return move(s, ["head"], rot("z", 180), (0, 0, 0), lift, "the nose with the cockpit is at the tail end")


def _engine_scale(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = _keys(s, "engine", side=c.near)
    if not near:
        return None
    if r.random() < 0.55:
        f = float(r.uniform(2.2, 2.8))
        keys = near if r.random() < 0.5 else near[:1]
        return rescale(s, keys, f, f"engine {f:.1f} times too large")
    f = float(r.uniform(0.28, 0.38))
    return rescale(s, _keys(s, "engine"), f, f"engines shrunk to {f:.2f} of their size", principal=near)


def _fin_scale(s: Subject, c: Context, r: Generator) -> Planting:
    big = r.random() < 0.6
    f = float(r.uniform(1.9, 2.4) if big else r.uniform(0.28, 0.38))
    return rescale(s, ["tail"], f, f"fin {f:.1f} times too large" if big else f"fin shrunk to {f:.2f} of its size")


def _head_scale(s: Subject, c: Context, r: Generator) -> Planting:
    big = r.random() < 0.65
    f = float(r.uniform(2.0, 2.4) if big else r.uniform(0.35, 0.42))
    return rescale(s, ["head"], f, f"nose {f:.1f} times too large" if big else f"nose shrunk to {f:.2f} of its size")


def _wing_scale(s: Subject, c: Context, r: Generator) -> Planting:
    f = float(r.uniform(0.28, 0.38))
    return rescale(s, _keys(s, "wing"), f, f"wings shrunk to {f:.2f} of their size", principal=[f"wing.{c.near}"])


def _tail_wing_scale(s: Subject, c: Context, r: Generator) -> Planting:
    f = float(r.uniform(2.4, 2.9))
    return rescale(s, _keys(s, "tail_wing"), f, f"stabilisers {f:.1f} times too large", principal=[f"tail_wing.{c.near}"])


def _foreign_ears(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([0.8, 0.0, s.facts["height"] * 0.75])
    kind = str(r.choice(["pointed", "fan"]))
    return graft(s, grafts.ears(at, s.facts["radius"] * 0.55, 0.24, kind, r), "animal ears grow on the nose", [f"graft.ear.{c.near}"])


def _foreign_beak(s: Subject, c: Context, r: Generator) -> Planting:
    return graft(s, [grafts.beak_at(np.array([0.95, 0, -0.2 * s.facts["radius"]]), 0.3, r)], "a beak grows on the nose")


def _foreign_wheels(s: Subject, c: Context, r: Generator) -> Planting:
    size = float(r.uniform(0.2, 0.26))
    parts = grafts.wheels([(0.45, c.sign * (s.facts["radius"] + 0.02)), (-0.35, c.sign * (s.facts["radius"] + 0.02))], -s.facts["height"], size, c.sign)
    return graft(s, parts, "huge car wheels are fixed to the fuselage")


def _foreign_legs(s: Subject, c: Context, r: Generator) -> Planting:
    h = s.facts["height"]
    parts = [grafts.leg_at(f"graft.leg.{i}", np.array([x, y, -h * 0.6]), 0.42, r) for i, (x, y) in enumerate(((0.42, 0.06), (0.36, -0.06), (-0.4, 0.06), (-0.46, -0.06)))]
    near = [p.key for p in parts if p.side == c.near]
    return graft(s, parts, "the fuselage stands on animal legs", near)


def _foreign_horn(s: Subject, c: Context, r: Generator) -> Planting:
    return graft(s, [grafts.horn_at(np.array([0.86, 0, s.facts["height"] * 0.5]), 0.34, r)], "a horn grows on the nose")


def _foreign_trunk(s: Subject, c: Context, r: Generator) -> Planting:
    return graft(s, [grafts.trunk_at(np.array([0.93, 0, -0.2 * s.facts["radius"]]), 0.55, r)], "an elephant's trunk hangs from the nose")


def _detached(cls: str, name: str) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        parts = s.find(cls, side=c.near) or s.find(cls)
        return detach(s, parts[int(r.integers(len(parts)))].key, c, r, name) if parts else None

    return variant


TABLE: Final[dict[str, Sequence[Variant]]] = {
    "missing": (_no_head, _no_fin, _no_fin, _no_wings, _no_wing, _no_engines, _no_near_engines, _no_engine, _no_tail_wings),
    "extra": (_head_behind, _head_fork, _head_above, _third_wing, _upright_wing, _more_engines, _engine_on_side, _second_fin),
    "misplaced": (_engine_on_top, _engine_at_fin_tip, _fin_at_nose, _fin_below, _wings_at_tail, _wings_at_nose, _head_at_tail),
    "rescaled": (_engine_scale, _engine_scale, _fin_scale, _head_scale, _wing_scale, _tail_wing_scale),
    "foreign": (_foreign_ears, _foreign_beak, _foreign_wheels, _foreign_legs, _foreign_horn, _foreign_trunk),
    "detached": (_detached("engine", "engine"), _detached("wing", "wing"), _detached("tail", "fin"), _detached("tail_wing", "stabiliser"), _detached("head", "nose")),
}  # fmt: skip
