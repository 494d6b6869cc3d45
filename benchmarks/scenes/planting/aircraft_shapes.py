"""Misplaced and rescaled parts of an aircraft."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Subject

from .plant import IDENTITY, Context, Planting, keys_of, move, rescale


def engine_on_top(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = s.find("engine", side=c.near) or s.find("engine")
    e = near[int(r.integers(len(near)))]
    x = float(r.choice([0.45, 0.85, -0.15]))
    size = float(np.ptp(e.verts()[:, 2])) / 2 if e.side != "middle" else 0.08
    drop = -0.35 if x > 0.8 else 0.0
    target = np.array([x, 0.0, s.facts["height"] * (1 + drop) + min(size, 0.1) * 1.05])
    where = "on the nose" if x > 0.8 else "on top of the fuselage"
    return move(s, [e.key], IDENTITY, (0, 0, 0), target - e.centre, f"an engine sits {where}")


def engine_at_fin_tip(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = s.find("engine", side=c.near)
    if not near or s.find("engine", side="middle"):
        return None
    tip = s.get("tail").verts()
    top = tip[tip[:, 2].argmax()]
    return move(
        s,
        [near[0].key],
        IDENTITY,
        (0, 0, 0),
        np.array([top[0] + 0.03, 0, top[2] + 0.03]) - near[0].centre,
        "an engine sits on the tip of the fin",
    )


def fin_at_nose(s: Subject, c: Context, r: Generator) -> Planting:
    dx = float(r.uniform(1.4, 1.6))
    return move(
        s,
        ["tail"],
        IDENTITY,
        (0, 0, 0),
        (dx, 0, 0.2 * s.facts["height"]),
        "the fin stands on the nose",
    )


def fin_below(s: Subject, c: Context, r: Generator) -> Planting:
    return move(
        s,
        ["tail"],
        np.diag([1.0, 1.0, -1.0]),
        (0, 0, 0),
        (0.02, 0, 0.45 * s.facts["height"]),
        "the fin hangs below the fuselage",
    )


def wings_at_tail(s: Subject, c: Context, r: Generator) -> Planting:
    return move(
        s,
        keys_of(s, "wing"),
        IDENTITY,
        (0, 0, 0),
        (-0.66 - s.facts["wing_x"] * 0.6, 0, 0.05),
        "the wings are at the tail",
        [f"wing.{c.near}"],
    )


def wings_at_nose(s: Subject, c: Context, r: Generator) -> Planting:
    return move(
        s,
        keys_of(s, "wing"),
        IDENTITY,
        (0, 0, 0),
        (0.68 - s.facts["wing_x"] * 0.6, 0, 0.03),
        "the wings are at the nose",
        [f"wing.{c.near}"],
    )


def head_at_tail(s: Subject, c: Context, r: Generator) -> Planting:
    lift = np.array([-0.02, 0, 0.35 * s.facts["radius"]])
    return move(
        s, ["head"], rot("z", 180), (0, 0, 0), lift, "the nose with the cockpit is at the tail end"
    )


def engine_scale(s: Subject, c: Context, r: Generator) -> Planting | None:
    near = keys_of(s, "engine", side=c.near)
    if not near:
        return None
    if r.random() < 0.55:
        f = float(r.uniform(2.2, 2.8))
        keys = near if r.random() < 0.5 else near[:1]
        return rescale(s, keys, f, f"engine {f:.1f} times too large")
    f = float(r.uniform(0.28, 0.38))
    return rescale(
        s, keys_of(s, "engine"), f, f"engines shrunk to {f:.2f} of their size", principal=near
    )


def fin_scale(s: Subject, c: Context, r: Generator) -> Planting:
    big = r.random() < 0.6
    f = float(r.uniform(1.9, 2.4) if big else r.uniform(0.28, 0.38))
    return rescale(
        s,
        ["tail"],
        f,
        f"fin {f:.1f} times too large" if big else f"fin shrunk to {f:.2f} of its size",
    )


def head_scale(s: Subject, c: Context, r: Generator) -> Planting:
    big = r.random() < 0.65
    f = float(r.uniform(2.0, 2.4) if big else r.uniform(0.35, 0.42))
    return rescale(
        s,
        ["head"],
        f,
        f"nose {f:.1f} times too large" if big else f"nose shrunk to {f:.2f} of its size",
    )


def wing_scale(s: Subject, c: Context, r: Generator) -> Planting:
    f = float(r.uniform(0.28, 0.38))
    return rescale(
        s,
        keys_of(s, "wing"),
        f,
        f"wings shrunk to {f:.2f} of their size",
        principal=[f"wing.{c.near}"],
    )


def tail_wing_scale(s: Subject, c: Context, r: Generator) -> Planting:
    f = float(r.uniform(2.4, 2.9))
    return rescale(
        s,
        keys_of(s, "tail_wing"),
        f,
        f"stabilisers {f:.1f} times too large",
        principal=[f"tail_wing.{c.near}"],
    )
