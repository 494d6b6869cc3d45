"""Misplaced and rescaled parts of an animal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Subject

from .animal_counts import anchor, is_bird
from .plant import IDENTITY, Context, Planting, Variant, keys_of, move, rescale


def legs_on_back(s: Subject, c: Context, r: Generator) -> Planting:
    keys = (
        keys_of(s, "leg")
        if is_bird(s) or r.random() < 0.5
        else keys_of(s, "leg", place=str(r.choice(["front", "rear"])))
    )
    z = float(anchor(s, "back")[2] + anchor(s, "belly")[2]) / 2
    near = [k for k in keys if k.split(".")[1] == c.near]
    return move(
        s,
        keys,
        np.diag([1.0, 1.0, -1.0]),
        (0, 0, z),
        (0, 0, 0),
        "legs stand up from the back",
        near,
    )


def head_moved(target: str) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        head = s.get("head")
        if target == "belly":
            shift = (
                anchor(s, "belly")
                + np.array([0.05, 0, -0.35 * s.facts["skull"]])
                - np.array(head.pivot)
            )
            return move(
                s, ["head"], rot("y", 25), head.pivot, shift, "the head hangs under the belly"
            )
        if c.sees("front"):
            return None
        shift = anchor(s, "rump") + np.array([-0.02, 0, 0.05]) - np.array(head.pivot)
        return move(s, ["head"], rot("z", 180), head.pivot, shift, "the head is at the rump")

    return variant


def eye_on_body(s: Subject, c: Context, r: Generator) -> Planting:
    key = f"eye.{c.near}"
    spot = anchor(s, f"flank.{c.near}")
    p = move(
        s,
        [key],
        IDENTITY * float(r.uniform(2.4, 3.2)),
        s.get(key).centre,
        spot - s.get(key).centre,
        "an eye sits on the belly",
    )
    parts = tuple(
        replace(q, joins=None, owner=None) if q.key == key else q for q in p.subject.parts
    )
    return replace(p, subject=replace(p.subject, parts=parts))


def tail_on_head(s: Subject, c: Context, r: Generator) -> Planting:
    tail, head = s.get("tail"), s.get("head")
    top = head.verts()[head.verts()[:, 2].argmax()]
    up = rot("y", 70 if s.subtype in ("cow", "horse", "elephant", "rhino") else 15)
    return move(
        s,
        ["tail"],
        up,
        tail.pivot,
        np.array([top[0], 0, top[2] - 0.02]) - np.array(tail.pivot),
        "the tail grows out of the head",
    )


def ears_on_rump(s: Subject, c: Context, r: Generator) -> Planting | None:
    keys = keys_of(s, "ear")
    if not keys or c.sees("front"):
        return None
    mid = (np.array(s.get(keys[0]).pivot) + np.array(s.get(keys[1]).pivot)) / 2
    f = 1.4 if s.subtype != "elephant" else 1.0
    shift = anchor(s, "rump") + np.array([0.12, 0, s.facts["depth"] * 0.55]) - mid
    return move(s, keys, IDENTITY * f, mid, shift, "the ears grow on the rump", [f"ear.{c.near}"])


def wings_at_tail(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not is_bird(s):
        return None
    keys = keys_of(s, "wing")
    pivot = np.array(s.get("head").pivot)
    where = pivot - np.array([0.02, 0, 0.0])
    mid = (np.array(s.get(keys[0]).pivot) + np.array(s.get(keys[1]).pivot)) / 2
    return move(
        s,
        keys,
        np.diag([1.0, 0.6, 1.0]),
        mid,
        where - mid,
        "the wings grow on the head",
        [f"wing.{c.near}"],
    )


def beak_at_rump(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not is_bird(s) or c.sees("front", "front_quarter"):
        return None
    b = s.get("beak")
    p = move(
        s,
        ["beak"],
        rot("z", 180) * 1.5,
        b.pivot,
        anchor(s, "rump") + np.array([0.02, 0, 0]) - np.array(b.pivot),
        "the beak sits at the rump",
    )
    parts = tuple(
        replace(q, joins=None, owner=None) if q.key == "beak" else q for q in p.subject.parts
    )
    return replace(p, subject=replace(p.subject, parts=parts))


def trunk_at_rump(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not s.find("trunk") or c.sees("front"):
        return None
    t = s.get("trunk")
    return move(
        s,
        ["trunk"],
        rot("z", 180),
        t.pivot,
        anchor(s, "rump") + np.array([0.02, 0, 0.02]) - np.array(t.pivot),
        "the trunk hangs at the rump",
    )


def horn_on_back(s: Subject, c: Context, r: Generator) -> Planting | None:
    keys = keys_of(s, "horn")
    if not keys:
        return None
    mid = np.mean([s.get(k).pivot for k in keys], axis=0)
    main = [k for k in keys if s.get(k).side in (c.near, "middle")]
    return move(
        s,
        keys,
        IDENTITY * 1.2,
        mid,
        anchor(s, "back") + np.array([-0.15, 0, -0.02]) - mid,
        "the horn grows on the back" if len(keys) == 1 else "the horns grow on the back",
        main,
    )


def head_scale(s: Subject, c: Context, r: Generator) -> Planting | None:
    if c.sees("rear"):
        return None
    f = float(r.uniform(1.9, 2.4) if r.random() < 0.55 else r.uniform(0.34, 0.44))
    return rescale(
        s,
        ["head"],
        f,
        f"head {f:.1f} times too large" if f > 1 else f"head shrunk to {f:.2f} of its size",
    )


def leg_scale(s: Subject, c: Context, r: Generator) -> Planting:
    near = keys_of(s, "leg", side=c.near)
    key = str(r.choice(near))
    if r.random() < 0.5:
        f = float(r.uniform(0.35, 0.45))
        return rescale(s, [key], f, f"one leg shrunk to {f:.2f} of its length")
    f = float(r.uniform(2.2, 2.8))
    return rescale(
        s, [key], f, f"one leg {f:.1f} times too thick", linear=np.diag([f, f * 0.8, 1.0])
    )


def big(
    cls: str,
    name: str,
    factor: tuple[float, float],
    linear: ArrayLike | None = None,
    types: Sequence[str] | None = None,
    front: bool = False,
) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        keys = keys_of(s, cls)
        if (
            not keys
            or (types is not None and s.subtype not in types)
            or (front and c.sees("rear", "rear_quarter"))
        ):
            return None
        f = float(r.uniform(*factor))
        how = f"{f:.1f} times too large" if f > 1 else f"shrunk to {f:.2f}"
        main = [k for k in keys if s.get(k).side in (c.near, "middle")]
        return rescale(s, keys, f, f"{name} {how}", principal=main)

    return variant
