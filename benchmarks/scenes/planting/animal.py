"""What can be wrong with an animal: foreign and detached parts, and the table of all variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.subject import Subject

from . import grafts
from .animal_counts import (
    anchor,
    back_ears,
    body_eyes,
    gone,
    head_at_rump,
    is_bird,
    more_legs,
    no_head,
    no_leg,
    no_leg_pair,
    no_legs,
    second_tail,
    third_wing,
    two_heads,
    two_trunks,
)
from .animal_shapes import (
    beak_at_rump,
    big,
    ears_on_rump,
    eye_on_body,
    head_moved,
    head_scale,
    horn_on_back,
    leg_scale,
    legs_on_back,
    tail_on_head,
    trunk_at_rump,
    wings_at_tail,
)
from .plant import IDENTITY, Context, Planting, Variant, detach, graft, keys_of


def _near_first(s: Subject, cls: str, c: Context) -> list[str]:
    return keys_of(s, cls, side=c.near) or keys_of(s, cls, side="middle") or keys_of(s, cls)


def _feathers(s: Subject, c: Context, r: Generator) -> Planting | None:
    if is_bird(s):
        return None
    left, right = anchor(s, "shoulder.left"), anchor(s, "shoulder.right")
    size = s.facts["length"] * float(r.uniform(0.65, 0.95))
    return graft(
        s,
        grafts.bird_wings(left, right, size, r),
        f"the {s.subtype} has wings",
        [f"graft.wing.{c.near}"],
    )


def _horned(s: Subject, c: Context, r: Generator) -> Planting | None:
    if s.find("horn"):
        return None
    head = s.get("head")
    v = head.verts()
    top = v[v[:, 2].argmax()]
    size = s.facts["skull"] * float(r.uniform(1.8, 2.6))
    if r.random() < 0.5:
        return graft(
            s,
            [
                grafts.horn_at(
                    np.array([top[0] + 0.3 * s.facts["skull"], top[1], top[2] - 0.02]),
                    size,
                    r,
                    "head",
                )
            ],
            f"the {s.subtype} has a horn",
        )
    return graft(
        s,
        grafts.horns(np.array([top[0], top[1], top[2] - 0.03]), s.facts["skull"] * 0.4, size, r),
        f"the {s.subtype} has horns",
        [f"graft.horn.{c.near}"],
    )


def _snout(s: Subject) -> F64:
    v = s.get("head").verts()
    tip = v[v[:, 0].argmax()]
    return np.array([tip[0] - 0.02, tip[1], tip[2]])


def _trunked(s: Subject, c: Context, r: Generator) -> Planting | None:
    if s.find("trunk") or c.sees("rear", "rear_quarter"):
        return None
    return graft(
        s,
        [grafts.trunk_at(_snout(s), 0.35 + s.facts["leg"] * 0.6, r, "head")],
        f"the {s.subtype} has a trunk",
    )


def _beaked(s: Subject, c: Context, r: Generator) -> Planting | None:
    if is_bird(s) or s.subtype == "elephant" or c.sees("rear", "rear_quarter"):
        return None
    bare = s.without(keys_of(s, "nose"))
    return graft(
        bare,
        [grafts.beak_at(_snout(s) - np.array([0.03, 0, 0]), s.facts["skull"] * 1.7, r, "head")],
        f"the {s.subtype} has a beak",
    )


def _eared(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not is_bird(s):
        return None
    v = s.get("head").verts()
    top = v[v[:, 2].argmax()]
    size = s.facts["skull"] * 2.4
    return graft(
        s,
        grafts.ears(
            np.array([top[0], top[1], top[2] - 0.03]),
            s.facts["skull"] * 0.5,
            size,
            str(r.choice(["pointed", "fan"])),
            r,
        ),
        f"the {s.subtype} has ears",
        [f"graft.ear.{c.near}"],
    )


def _finned(s: Subject, c: Context, r: Generator) -> Planting:
    at = anchor(s, "back") + np.array([-0.1, 0, -0.03])
    return graft(
        s,
        [grafts.plane_fin(at, s.facts["length"] * 0.5, r)],
        f"an aircraft fin stands on the {s.subtype}'s back",
    )


def _engined(s: Subject, c: Context, r: Generator) -> Planting:
    side = anchor(s, f"flank.{c.near}")
    size = s.facts["depth"] * 0.5
    return graft(
        s,
        [grafts.plane_engine(side + np.array([0.05, c.sign * size * 0.8, 0.05]), size, c.near, r)],
        "a jet engine hangs at its side",
    )


def _wheeled(s: Subject, c: Context, r: Generator) -> Planting:
    """Wheels instead of legs."""
    legs = s.find("leg")
    bare = s.without([p.key for p in legs])
    r0 = max(0.16, s.facts["leg"] * 0.36)
    spots = []
    for p in legs:
        spots.append((p.pivot[0], p.pivot[1] * 1.3))
    z = float(anchor(s, "belly")[2]) - r0 * 0.5
    parts = grafts.wheels(spots, z, r0)
    drop = z - r0
    new = [replace(p, key=f"graft.wheel.{i}") for i, p in enumerate(parts)]
    lowered = replace(bare, parts=tuple(p.transformed(IDENTITY, (0, 0, -drop)) for p in bare.parts))
    placed = [p.transformed(IDENTITY, (0, 0, -drop)) for p in new]
    return graft(
        lowered,
        placed,
        f"the {s.subtype} rolls on car wheels instead of legs",
        [p.key for p in placed if p.side == c.near],
    )


def _detached(cls: str, name: str, types: Sequence[str] | None = None) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        if types is not None and s.subtype not in types:
            return None
        if cls == "head" and c.sees("rear"):
            return None
        keys = _near_first(s, cls, c)
        if not keys:
            return None
        return detach(s, str(r.choice(keys)), c, r, name)

    return variant


TABLE: Final[dict[str, Sequence[Variant]]] = {
    "missing": (
        no_head,
        no_head,
        no_leg,
        no_leg,
        no_leg_pair,
        no_legs,
        gone("tail", "the tail is", ("dog", "cat", "horse", "cow", "elephant"), front=False),
        gone("trunk", "the trunk is"),
        gone("ear", "both ears are", ("elephant", "cat")),
        gone("horn", "the horn is", ("rhino",)),
        gone("beak", "the beak is"),
        gone("wing", "both wings are", front=False),
    ),
    "extra": (
        two_heads,
        two_heads,
        head_at_rump,
        more_legs,
        more_legs,
        second_tail,
        third_wing,
        body_eyes,
        back_ears,
        two_trunks,
    ),
    "misplaced": (
        legs_on_back,
        head_moved("belly"),
        head_moved("rump"),
        eye_on_body,
        tail_on_head,
        ears_on_rump,
        wings_at_tail,
        beak_at_rump,
        trunk_at_rump,
        horn_on_back,
    ),
    "rescaled": (
        head_scale,
        head_scale,
        leg_scale,
        leg_scale,
        big(
            "ear",
            "ears",
            (2.6, 3.4),
            types=("dog", "cat", "cow", "horse", "goat", "sheep", "pig", "rhino"),
        ),
        big("eye", "eyes", (2.8, 3.6), front=True),
        big(
            "tail",
            "tail",
            (2.4, 3.0),
            types=("dog", "cat", "cow", "horse", "elephant", "goat", "chicken", "duck", "ostrich"),
        ),
        big("wing", "wings", (0.3, 0.4)),
        big("beak", "beak", (2.8, 3.6), front=True),
        big("nose", "nose", (2.6, 3.4), front=True),
        big("horn", "horns", (2.6, 3.2)),
        big("trunk", "trunk", (0.25, 0.35), front=True),
    ),
    "foreign": (
        _feathers,
        _feathers,
        _horned,
        _trunked,
        _beaked,
        _eared,
        _finned,
        _engined,
        _wheeled,
    ),
    "detached": (
        _detached("head", "head"),
        _detached("leg", "leg"),
        _detached("tail", "tail"),
        _detached("ear", "ear", ("elephant", "dog", "pig")),
        _detached("wing", "wing"),
    ),
}
