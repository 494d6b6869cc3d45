"""What can be wrong with an aircraft: foreign and detached parts, and the table of all variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Subject

from . import grafts
from .aircraft_counts import (
    engine_on_side,
    head_above,
    head_behind,
    head_fork,
    more_engines,
    no_engine,
    no_engines,
    no_fin,
    no_head,
    no_near_engines,
    no_tail_wings,
    no_wing,
    no_wings,
    second_fin,
    third_wing,
    upright_wing,
)
from .aircraft_shapes import (
    engine_at_fin_tip,
    engine_on_top,
    engine_scale,
    fin_at_nose,
    fin_below,
    fin_scale,
    head_at_tail,
    head_scale,
    tail_wing_scale,
    wing_scale,
    wings_at_nose,
    wings_at_tail,
)
from .plant import Context, Planting, Variant, detach, graft


def _foreign_ears(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([0.8, 0.0, s.facts["height"] * 0.75])
    kind = str(r.choice(["pointed", "fan"]))
    return graft(
        s,
        grafts.ears(at, s.facts["radius"] * 0.55, 0.24, kind, r),
        "animal ears grow on the nose",
        [f"graft.ear.{c.near}"],
    )


def _foreign_beak(s: Subject, c: Context, r: Generator) -> Planting:
    return graft(
        s,
        [grafts.beak_at(np.array([0.95, 0, -0.2 * s.facts["radius"]]), 0.3, r)],
        "a beak grows on the nose",
    )


def _foreign_wheels(s: Subject, c: Context, r: Generator) -> Planting:
    size = float(r.uniform(0.2, 0.26))
    parts = grafts.wheels(
        [(0.45, c.sign * (s.facts["radius"] + 0.02)), (-0.35, c.sign * (s.facts["radius"] + 0.02))],
        -s.facts["height"],
        size,
    )
    return graft(s, parts, "huge car wheels are fixed to the fuselage")


def _foreign_legs(s: Subject, c: Context, r: Generator) -> Planting:
    h = s.facts["height"]
    parts = [
        grafts.leg_at(f"graft.leg.{i}", np.array([x, y, -h * 0.6]), 0.42, r)
        for i, (x, y) in enumerate(((0.42, 0.06), (0.36, -0.06), (-0.4, 0.06), (-0.46, -0.06)))
    ]
    near = [p.key for p in parts if p.side == c.near]
    return graft(s, parts, "the fuselage stands on animal legs", near)


def _foreign_horn(s: Subject, c: Context, r: Generator) -> Planting:
    return graft(
        s,
        [grafts.horn_at(np.array([0.86, 0, s.facts["height"] * 0.5]), 0.34, r)],
        "a horn grows on the nose",
    )


def _foreign_trunk(s: Subject, c: Context, r: Generator) -> Planting:
    return graft(
        s,
        [grafts.trunk_at(np.array([0.93, 0, -0.2 * s.facts["radius"]]), 0.55, r)],
        "an elephant's trunk hangs from the nose",
    )


def _detached(cls: str, name: str) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        parts = s.find(cls, side=c.near) or s.find(cls)
        return detach(s, parts[int(r.integers(len(parts)))].key, c, r, name) if parts else None

    return variant


TABLE: Final[dict[str, Sequence[Variant]]] = {
    "missing": (
        no_head,
        no_fin,
        no_fin,
        no_wings,
        no_wing,
        no_engines,
        no_near_engines,
        no_engine,
        no_tail_wings,
    ),
    "extra": (
        head_behind,
        head_fork,
        head_above,
        third_wing,
        upright_wing,
        more_engines,
        engine_on_side,
        second_fin,
    ),
    "misplaced": (
        engine_on_top,
        engine_at_fin_tip,
        fin_at_nose,
        fin_below,
        wings_at_tail,
        wings_at_nose,
        head_at_tail,
    ),
    "rescaled": (engine_scale, engine_scale, fin_scale, head_scale, wing_scale, tail_wing_scale),
    "foreign": (
        _foreign_ears,
        _foreign_beak,
        _foreign_wheels,
        _foreign_legs,
        _foreign_horn,
        _foreign_trunk,
    ),
    "detached": (
        _detached("engine", "engine"),
        _detached("wing", "wing"),
        _detached("tail", "fin"),
        _detached("tail_wing", "stabiliser"),
        _detached("head", "nose"),
    ),
}
