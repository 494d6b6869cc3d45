"""Missing and extra parts of an animal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Subject

from .plant import IDENTITY, Context, Planting, Variant, extra, keys_of, missing


def is_bird(s: Subject) -> bool:
    return s.facts["bird"] > 0


def anchor(s: Subject, name: str) -> F64:
    return np.array(s.anchors[name])


def no_head(s: Subject, c: Context, r: Generator) -> Planting | None:
    return None if c.sees("rear") else missing(s, ["head"], "the head is missing")


def no_leg(s: Subject, c: Context, r: Generator) -> Planting | None:
    legs = keys_of(s, "leg")
    key = str(r.choice(legs))
    return missing(s, [key], "one leg is missing", reference=legs)


def no_leg_pair(s: Subject, c: Context, r: Generator) -> Planting | None:
    if is_bird(s):
        return None
    place = str(r.choice(["front", "rear"]))
    if r.random() < 0.5:
        if c.sees("front", "rear"):  # the others would hide them anyway
            return None
        keys = keys_of(s, "leg", place=place)
        return missing(
            s, keys, f"the {place} legs are missing", [k for k in keys if k.split(".")[1] == c.near]
        )
    keys = keys_of(s, "leg", side=c.near)
    return missing(s, keys, f"both legs of the {c.near} side are missing", keys)


def no_legs(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, keys_of(s, "leg"), "all legs are missing", keys_of(s, "leg", side=c.near))


def gone(
    cls: str, name: str, types: Sequence[str] | None = None, front: bool = True, near: bool = True
) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        keys = keys_of(s, cls)
        if (
            not keys
            or (types is not None and s.subtype not in types)
            or (front and c.sees("rear", "rear_quarter"))
        ):
            return None
        return missing(
            s,
            keys,
            f"{name} missing",
            [k for k in keys if s.get(k).side in (c.near, "middle")] if near else keys,
        )

    return variant


def two_heads(s: Subject, c: Context, r: Generator) -> Planting:
    neck = s.get("neck")
    base = neck.verts()[neck.verts()[:, 0].argmin()]
    base = np.array([base[0], 0.0, base[2]])
    turn = rot(
        "z", c.sign * float(r.uniform(45, 70)) * (1 if not c.sees("front") else r.choice([-1, 1]))
    )
    p = extra(s, "head", turn, base, (0, 0, 0), "a second head grows beside the first")
    more = replace(neck.about(turn, base), key="neck.extra", planted=True)
    return replace(p, subject=p.subject.plus([more]))


def head_at_rump(s: Subject, c: Context, r: Generator) -> Planting:
    v = s.get("belly").verts()
    middle = np.array([float(s.get("chest").verts()[:, 0].max() + v[:, 0].min()) / 2, 0, 0])
    turn = rot("z", 180)
    p = extra(s, "head", turn, middle, (0, 0, 0), "a second head grows at the rump")
    return replace(
        p,
        subject=p.subject.plus(
            [replace(s.get("neck").about(turn, middle), key="neck.extra", planted=True)]
        ),
    )


def more_legs(s: Subject, c: Context, r: Generator) -> Planting | None:
    both = r.random() < 0.7
    sides = ["left", "right"] if both else [c.near]
    out, keys = s, []
    if is_bird(s):
        a = 0.32 * s.facts["length"]
        for side in sides:
            key = f"leg.{side}"
            out = extra(
                out, key, IDENTITY, (0, 0, 0), (a if r.random() < 0.7 else -a, 0, 0), ""
            ).subject
            keys.append(key + ".extra")
    else:
        a = s.facts["length"] * float(r.uniform(0.26, 0.38))
        for side in sides:
            key = f"leg.{side}.front"
            out = extra(out, key, IDENTITY, (0, 0, 0), (-a, 0.0, 0), "").subject
            keys.append(key + ".extra")
    near = tuple(k for k in keys if k.split(".")[1] == c.near)
    n = len(keys) + int(s.facts["legs"])
    return Planting(
        out,
        "extra",
        "animal.leg",
        f"{n} legs instead of {int(s.facts['legs'])}",
        principal=near,
        origin=tuple(k.removesuffix(".extra") for k in near),
    )


def second_tail(s: Subject, c: Context, r: Generator) -> Planting | None:
    tail = s.get("tail")
    if s.subtype in ("goat", "sheep", "pig", "rhino"):
        return None
    if r.random() < 0.5 and not is_bird(s):
        yaw, pitch = c.sign * float(r.uniform(35, 55)), float(r.uniform(-45, -25))
        return extra(
            s,
            "tail",
            rot("z", -yaw) @ rot("y", -pitch),
            tail.pivot,
            (0, 0, 0),
            "a second tail grows beside the first",
        )
    target = anchor(s, "back") + np.array([0.1, 0, -0.02])
    up = {"cow": 130.0, "horse": 120.0, "elephant": 130.0}.get(s.subtype, 35.0)
    return extra(
        s,
        "tail",
        rot("y", up),
        tail.pivot,
        target - np.array(tail.pivot),
        "a second tail grows out of the back",
    )


def third_wing(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not is_bird(s):
        return None
    key = f"wing.{c.near}"
    turn = rot("y", float(r.uniform(60, 85)))
    shift = anchor(s, "back") - np.array(s.get(key).pivot) + np.array([0.05, 0, 0])
    return extra(s, key, turn, s.get(key).pivot, shift, "a third wing grows out of the back")


def body_eyes(s: Subject, c: Context, r: Generator) -> Planting:
    key = f"eye.{c.near}"
    spot = anchor(s, f"flank.{c.near}") if r.random() < 0.5 else anchor(s, f"shoulder.{c.near}")
    f = float(r.uniform(2.4, 3.2))
    p = extra(
        s,
        key,
        IDENTITY * f,
        s.get(key).centre,
        spot - s.get(key).centre,
        "an extra eye looks out of the body",
    )
    parts = tuple(
        replace(q, joins=None, owner=None) if q.key == key + ".extra" else q
        for q in p.subject.parts
    )
    return replace(p, subject=replace(p.subject, parts=parts))


def back_ears(s: Subject, c: Context, r: Generator) -> Planting | None:
    if is_bird(s):
        return None
    key = f"ear.{c.near}"
    e = s.get(key)
    f = 2.0 if s.subtype != "elephant" else 1.0
    spot = anchor(s, "back") + np.array([-0.05, c.sign * 0.06, -0.02])
    lift = {"cow": 60.0, "goat": 60.0, "sheep": 60.0, "dog": 120.0}.get(s.subtype, 0.0)
    turn = rot("x", c.sign * lift) * f
    return extra(
        s,
        key,
        turn,
        e.pivot,
        spot - np.array(e.pivot),
        "an extra ear grows on the back",
        family=False,
    )


def two_trunks(s: Subject, c: Context, r: Generator) -> Planting | None:
    if s.subtype != "elephant" or c.sees("rear", "rear_quarter"):
        return None
    t = s.get("trunk")
    turn = rot("z", c.sign * 38) @ rot("y", -38)
    return extra(
        s, "trunk", turn, t.pivot, (0, c.sign * 0.05, 0), "a second trunk grows beside the first"
    )
