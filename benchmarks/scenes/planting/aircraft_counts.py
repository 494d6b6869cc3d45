"""Missing and extra parts of an aircraft."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Subject

from .plant import IDENTITY, Context, Planting, extra, keys_of, missing


def no_head(s: Subject, c: Context, r: Generator) -> Planting | None:
    return (
        None
        if c.sees("rear", "rear_quarter")
        else missing(s, ["head"], "the nose with the cockpit is missing")
    )


def no_fin(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, ["tail"], "the vertical fin is missing")


def no_wings(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, keys_of(s, "wing"), "both wings are missing", [f"wing.{c.near}"])


def no_wing(s: Subject, c: Context, r: Generator) -> Planting | None:
    side = str(r.choice(["left", "right"]))
    return missing(s, [f"wing.{side}"], f"the {side} wing is missing", reference=keys_of(s, "wing"))


def no_engines(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = keys_of(s, "engine", side=c.near) or keys_of(s, "engine")
    return missing(s, keys_of(s, "engine"), "all engines are missing", near)


def no_near_engines(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = keys_of(s, "engine", side=c.near)
    return missing(s, near, f"the engines of the {c.near} side are missing", near)


def no_engine(s: Subject, c: Context, r: Generator) -> Planting | None:
    every = keys_of(s, "engine")
    key = str(r.choice(every))
    return missing(s, [key], f"one of the {len(every)} engines is missing", reference=every)


def no_tail_wings(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(
        s,
        keys_of(s, "tail_wing"),
        "the horizontal stabilisers are missing",
        [f"tail_wing.{c.near}"],
    )


def head_behind(s: Subject, c: Context, r: Generator) -> Planting:
    lift = np.array([-0.02, 0, 0.35 * s.facts["radius"]])
    return extra(
        s, "head", rot("z", 180), (0, 0, 0), lift, "a second nose with cockpit grows at the tail"
    )


def head_fork(s: Subject, c: Context, r: Generator) -> Planting:
    turn = rot("z", c.sign * float(r.uniform(48, 65)))
    return extra(
        s,
        "head",
        turn,
        (0.62, 0, 0),
        (0, c.sign * 0.02, 0),
        "a second nose with cockpit grows out of the side",
    )


def head_above(s: Subject, c: Context, r: Generator) -> Planting:
    shift = (-0.3, 0, 1.6 * s.facts["height"])
    return extra(
        s,
        "head",
        rot("y", -22),
        (0.72, 0, 0),
        shift,
        "a second nose with cockpit grows out of the roof",
    )


def third_wing(s: Subject, c: Context, r: Generator) -> Planting:
    dx = float(r.choice([-0.45, 0.45])) * float(r.uniform(0.9, 1.1))
    return extra(
        s,
        f"wing.{c.near}",
        IDENTITY,
        (0, 0, 0),
        (dx, 0, 0.03),
        "a third wing grows out of the fuselage",
        family=False,
    )


def upright_wing(s: Subject, c: Context, r: Generator) -> Planting:
    angle = c.sign * float(r.uniform(58, 75))
    return extra(
        s,
        f"wing.{c.near}",
        rot("x", angle),
        s.get(f"wing.{c.near}").pivot,
        (0.1, 0, 0.1),
        "a third wing stands up from the fuselage",
        family=False,
    )


def more_engines(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = [p for p in s.find("engine", side=c.near) if p.owner]
    if not near:
        return None
    outer = max(near, key=lambda p: abs(p.pivot[1]))
    wing = s.get(f"wing.{c.near}")
    way = wing.centre - np.array(wing.pivot)
    way /= abs(way[1])
    size = (
        float(np.ptp(outer.verts()[:, 2])) if outer.place != "0" or len(outer.pieces) > 2 else 0.12
    )
    shift = way * max(0.2, 1.25 * min(size, 0.2))
    p = extra(s, outer.key, IDENTITY, (0, 0, 0), shift, "one engine too many hangs under the wing")
    if r.random() < 0.5 and abs(outer.pivot[1]) + 2 * abs(shift[1]) < 0.9:
        more = extra(
            p.subject,
            outer.key,
            IDENTITY,
            (0, 0, 0),
            2 * shift,
            "two engines too many hang under the wing",
            suffix=".extra2",
        )
        return Planting(
            more.subject,
            "extra",
            more.cls,
            more.detail,
            principal=(*p.principal, *more.principal),
            origin=p.origin,
        )
    return p


def engine_on_side(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = s.find("engine", side=c.near)
    if not near:
        return None
    e = near[0]
    target = np.array([float(r.uniform(0.42, 0.55)), c.sign * (s.facts["radius"] * 1.25), 0.02])
    return extra(
        s,
        e.key,
        IDENTITY,
        (0, 0, 0),
        target - e.centre,
        "an extra engine sits on the side of the front fuselage",
        family=False,
    )


def second_fin(s: Subject, c: Context, r: Generator) -> Planting:
    dx = float(r.uniform(0.6, 1.15))
    return extra(
        s,
        "tail",
        IDENTITY,
        (0, 0, 0),
        (dx, 0, 0.3 * s.facts["height"]),
        "a second fin stands on the fuselage",
        family=False,
    )
