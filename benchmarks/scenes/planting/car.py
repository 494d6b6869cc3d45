"""What can be wrong with a car: foreign and detached parts, and the table of all variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Subject

from . import grafts
from .car_counts import (
    FRONT,
    REAR,
    SIDE,
    door_on_roof,
    extra_taillights,
    gone,
    more_headlights,
    no_door,
    no_roof,
    no_wheel,
    second_roof,
    second_trunk,
    second_windshield,
    third_wheel,
)
from .car_shapes import (
    big,
    bonnet_on_roof,
    bumper_on_roof,
    door_on_bonnet,
    grille_on_roof,
    headlights_at_rear,
    roof_on_bonnet,
    wheel_on_door,
    wheel_scale,
    wheels_on_roof,
    windshield_behind,
)
from .plant import IDENTITY, Context, Planting, Variant, detach, graft, keys_of


def _plane_wings(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([0.05, 0.0, float(r.uniform(0.6, 1.0)) * s.facts["belt"]])
    return graft(
        s,
        grafts.plane_wings(at, s.facts["width"] * 0.48, float(r.uniform(0.7, 1.0)), 0.5, r),
        "aircraft wings grow out of the car",
        [f"graft.wing.{c.near}"],
    )


def _plane_fin(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array(
        [-0.78, 0.0, s.facts["belt"] if s.facts["deck"] > -0.8 else s.facts["height"] * 0.96]
    )
    if s.facts["deck"] <= -0.8:
        at[0] = -0.6
    return graft(
        s,
        [grafts.plane_fin(at, float(r.uniform(0.45, 0.65)), r)],
        "an aircraft fin stands on the rear",
    )


def _plane_engine(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([(s.facts["roof_front"] + s.facts["roof_rear"]) / 2, 0, s.facts["height"] + 0.13])
    return graft(s, [grafts.plane_engine(at, 0.16, c.near, r)], "a jet engine sits on the roof")


def _legs(s: Subject, c: Context, r: Generator) -> Planting:
    """Animal legs in place of the wheels."""
    bare = s.without(keys_of(s, "wheel"))
    parts = [
        grafts.leg_at(
            f"graft.leg.{w.side}.{w.place}",
            np.array(
                [w.pivot[0], w.pivot[1] + (0.05 if w.side == "left" else -0.05), w.pivot[2] + 0.12]
            ),
            w.pivot[2] + 0.34,
            r,
        )
        for w in s.find("wheel")
    ]
    lift = 0.25
    raised = replace(bare, parts=tuple(p.transformed(IDENTITY, (0, 0, lift)) for p in bare.parts))
    feet = [
        p.transformed(IDENTITY, (0, 0, lift - float(p.verts()[:, 2].min()) - lift)) for p in parts
    ]
    near = [p.key for p in feet if p.side == c.near]
    return graft(raised, feet, "the car stands on animal legs instead of wheels", near)


def _horns(s: Subject, c: Context, r: Generator) -> Planting:
    on_roof = r.random() < 0.6
    at = (
        np.array([s.facts["roof_front"] - 0.1, 0, s.facts["height"] - 0.02])
        if on_roof
        else np.array([0.7, 0, s.facts["belt"] * 0.95])
    )
    return graft(
        s,
        grafts.horns(at, s.facts["width"] * 0.25, 0.34, r),
        f"horns grow on the {'roof' if on_roof else 'bonnet'}",
        [f"graft.horn.{c.near}"],
    )


def _ears(s: Subject, c: Context, r: Generator) -> Planting:
    at = np.array([s.facts["roof_front"] - 0.12, 0, s.facts["height"] - 0.03])
    return graft(
        s,
        grafts.ears(at, s.facts["width"] * 0.27, 0.34, "pointed", r),
        "animal ears grow on the roof",
        [f"graft.ear.{c.near}"],
    )


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
        no_wheel,
        no_wheel,
        no_roof,
        no_door,
        no_door,
        gone("windshield", "the windshield is", FRONT),
        gone("bonnet", "the bonnet is", ("side", *FRONT)),
        gone("headlight", "the headlights are", FRONT),
        gone("taillight", "the taillights are", REAR),
        gone("trunk", "the boot lid is", REAR),
        gone("grille", "the grille is", FRONT),
        gone("bumper", "the front bumper is", FRONT, place="front"),
        gone("bumper", "the rear bumper is", REAR, place="rear"),
        gone("side_window", "the side windows are", SIDE, near=True),
    ),
    "extra": (
        third_wheel,
        third_wheel,
        second_roof,
        second_windshield,
        more_headlights,
        door_on_roof,
        second_trunk,
        extra_taillights,
    ),
    "misplaced": (
        wheels_on_roof,
        wheel_on_door,
        headlights_at_rear,
        windshield_behind,
        bonnet_on_roof,
        door_on_bonnet,
        grille_on_roof,
        bumper_on_roof,
        roof_on_bonnet,
    ),
    "rescaled": (
        wheel_scale,
        wheel_scale,
        wheel_scale,
        big("headlight", "headlights", (2.0, 2.5), FRONT),
        big("taillight", "taillights", (2.2, 2.8), REAR),
        big("mirror", "mirrors", (3.6, 4.6), _ANY),
        big("windshield", "windshield", (0.35, 0.45), FRONT),
        big("grille", "grille", (0.3, 0.42), FRONT),
        big("bonnet", "bonnet", (0.35, 0.45), FRONT),
    ),
    "foreign": (_plane_wings, _plane_fin, _plane_engine, _legs, _horns, _ears, _front_graft),
    "detached": (
        _detached("wheel", "wheel", SIDE),
        _detached("door", "door", SIDE),
        _detached("roof", "roof", _ANY),
        _detached("bonnet", "bonnet", ("side", *FRONT)),
        _detached("trunk", "boot lid", ("side", *REAR)),
        _detached("bumper", "front bumper", ("side", *FRONT), place="front"),
        _detached("bumper", "rear bumper", ("side", *REAR), place="rear"),
    ),
}
