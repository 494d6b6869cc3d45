"""Parts of a thing taken off and put elsewhere on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.subject import Part

from .pick import words_of
from .registry import Planted
from .world import Thing, World


def axes_of(thing: Thing) -> F64:
    """A vehicle's [3, 3]: ahead, left, up."""
    x, y = thing.facts["facing"][:2]
    return np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]])


def family_of(thing: Thing, key: str) -> list[Part]:
    """A part and what hangs on it."""
    found = [p for p in thing.parts if p.key == key]
    return found + [q for p in thing.parts if p.owner == key for q in family_of(thing, p.key)]


def put_at(thing: Thing, key: str, turn: F64, to: F64) -> Thing:
    """A part (with what hangs on it) turned about its middle, its middle put at a point."""
    keys = {p.key for p in family_of(thing, key)}
    middle = next(p for p in thing.parts if p.key == key).centre
    parts = (p.about(turn, middle, to - middle) if p.key in keys else p for p in thing.parts)
    return replace(thing, parts=tuple(parts))


def aircraft_refitted(
    world: World,
    thing: Thing,
    axes: F64,
    front: float,
    rear: float,
    sides: tuple[str, str],
    rng: Generator,
) -> Planted | None:
    """Engine or propeller on nose or fin, wings at the tail, fin on the nose."""
    engines = [p.key for p in thing.parts if p.key.startswith("engine")]
    length = front - rear
    names = {p.key.split(".")[0] for p in thing.parts}
    new, detail = thing, ""
    way = int(rng.integers(3))
    if way == 0 and engines:
        key = next((k for k in engines if sides[0] in k), engines[0])
        head = next(p for p in thing.parts if p.key in ("head", "hull"))
        nose = head.verts()[(head.verts() @ axes[:, 0]).argmax()]
        new, detail = put_at(thing, key, np.eye(3) * 1.25, nose), "has an engine on the nose"
    elif way == 1 and "wing" in names:
        step = -axes[:, 0] * 0.42 * length
        moved = {
            q.key for p in thing.parts if p.key.startswith("wing") for q in family_of(thing, p.key)
        }
        parts = [p.transformed(np.eye(3), step) if p.key in moved else p for p in thing.parts]
        new, detail = replace(thing, parts=tuple(parts)), "has its wings at the tail"
    else:
        fin = next((p for p in thing.parts if p.key == "tail"), None)
        if fin is None:
            return None
        to = fin.centre + axes[:, 0] * 0.8 * length
        new = put_at(thing, "tail", np.eye(3) * 1.1, to)
        detail = "has its fin on the nose"
    return Planted(world.changed(new), world, (thing.key,), f"the {words_of(thing)} {detail}")


def loose_parts(thing: Thing) -> list[Part]:
    """Parts of a thing that are neither its largest one nor tiny nor most of it."""
    size = float(thing.size.max())
    spans = {p.key: float(np.ptp(p.verts(), axis=0).max()) for p in thing.parts}
    main = max(
        thing.parts, key=lambda p: float(np.prod(np.ptp(p.verts(), axis=0) + 0.02 * size))
    ).key
    inner = (
        "content",
        "food",
        "lettering",
        "label",
        "keys",
        "core",
        "frame",
        "eye",
        "arch",
        "windshield",
        "rear_window",
        "side_window",
        "cord",
        "outlet",
        "gear",
        "light",
        "head",
        "tail",
        "flame",
        "cushion",
        "fruit",
        "flower",
        "bloom",
        "hand",
        "foot",
    )
    return [
        p
        for p in thing.parts
        if p.key != main
        and p.owner is None
        and not p.key.startswith(inner)
        and 0.16 * size < spans[p.key] < 0.8 * size
    ]
