"""Creatures that there are not: winged, horned, fish-tailed, blended of two, half beast, half person."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, unit
from benchmarks.scenes.pairs.beasts import (
    UP,
    Stand,
    donor,
    family,
    from_front,
    is_beast,
    lacking,
    part_of,
    planted,
    stand,
    with_parts,
)
from benchmarks.scenes.pairs.hybrids import (
    feathered,
    fish_tail,
    head_on,
    leathery,
    other_head,
    other_rear,
    scaled_tail,
    spike,
)
from benchmarks.scenes.pairs.pick import a, in_frame, shown
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.world import Thing, World

_TWIN: Final = "The same animal or person as nature knows it."

_HEADS: Final = ("dog", "cat", "cow", "horse", "elephant", "goat", "rhino", "pig", "duck", "eagle")

_FISH: Final = ((0.2, 0.5, 0.55), (0.5, 0.6, 0.3), (0.8, 0.45, 0.2), (0.35, 0.4, 0.65))


def _four_legged(world: World, thing: Thing) -> bool:
    return is_beast(world, thing) and not any(p.key.startswith("wing") for p in thing.parts)


def _person(world: World, thing: Thing) -> bool:
    if "person" not in thing.tags or not {"head", "chest"} <= set(thing.facts):
        return False
    return shown(world, thing, 90, 0.25)


def _whole_person(world: World, thing: Thing) -> bool:
    """A person whose hips and feet are in the picture."""
    if not _person(world, thing):
        return False
    low = np.array([*np.asarray(thing.facts["pelvis"])[:2], thing.low[2]])
    return in_frame(world, np.asarray(thing.facts["pelvis"]), low)


def _any(world: World, thing: Thing) -> bool:
    return is_beast(world, thing) or _person(world, thing)


def _axes(thing: Thing) -> F64:
    """A person's [3, 3]: ahead, left, up."""
    ahead = np.array([*thing.facts["facing"][:2], 0.0])
    return np.stack([ahead, np.cross(UP, ahead), UP], 1)


def _back(thing: Thing) -> Stand:
    """A person's back as a place for wings, whose leading edges are upwards."""
    h, axes = float(thing.facts["height"]), _axes(thing)
    up = np.stack([UP, axes[:, 1], -axes[:, 0]], 1)
    return Stand(
        up,
        np.asarray(thing.facts["chest"]) - UP * 0.06 * h,
        0.34 * h,
        0.1 * h,
        0.09 * h,
        0.07 * h,
        False,
    )


@recipe(
    "object_identity",
    "winged",
    fits=lambda w, t: _four_legged(w, t) or _person(w, t),
    planted="A four-legged animal or a person with a bird's or a bat's wings.",
    twin=_TWIN,
)
def winged(world: World, thing: Thing, rng: Generator) -> Planted | None:
    beast = is_beast(world, thing)
    how = stand(thing) if beast else _back(thing)
    size = float(rng.uniform(0.85, 1.15)) if beast else float(rng.uniform(1.5, 1.9))
    root = (0.3, 0.7) if beast else (0.15, 0.55)
    lift = float(rng.uniform(35, 62) if beast else rng.uniform(8, 30))
    if rng.random() < 0.5:
        rgb = ((0.93, 0.92, 0.9), (0.45, 0.3, 0.18), (0.75, 0.72, 0.66))[int(rng.integers(3))]
        wings = feathered(how, rgb, lift, size, root)
    else:
        rgb = ((0.45, 0.12, 0.1), (0.2, 0.17, 0.2), (0.2, 0.4, 0.2))[int(rng.integers(3))]
        wings = leathery(how, rgb, lift, size, root)
    return planted(world, with_parts(thing, wings), "has wings")


@recipe(
    "object_identity",
    "unicorn",
    fits=_any,
    planted="A long straight horn on the forehead of an animal or a person.",
    twin=_TWIN,
)
def unicorn(world: World, thing: Thing, rng: Generator) -> Planted | None:
    rgb = ((0.95, 0.93, 0.85), (0.85, 0.7, 0.35), (0.9, 0.75, 0.8))[int(rng.integers(3))]
    if _person(world, thing):
        axes, radius = _axes(thing), float(thing.facts["head_radius"])
        at = np.asarray(thing.facts["head"]) + axes @ np.array([0.62, 0, 0.55]) * radius
        way = unit(axes @ np.array([0.75, 0, 0.66]))
        horn = spike(at, way, radius * float(rng.uniform(2.4, 3.2)), rgb)
        return planted(world, with_parts(thing, [horn]), "has a horn on the forehead")
    if any(p.key.startswith("horn") for p in thing.parts):
        return None
    how = stand(thing)
    skull = part_of(thing, "head").pieces[0].mesh.verts
    middle = (skull.min(0) + skull.max(0)) / 2
    at = middle + how.axes @ np.array([0.55, 0, 0.7]) * how.skull
    way = unit(how.axes @ np.array([0.6, 0, 0.8]))
    horn = spike(at, way, how.length * float(rng.uniform(0.5, 0.65)), rgb)
    return planted(world, with_parts(thing, [horn]), "has a single horn on the forehead")


@recipe(
    "object_identity",
    "other_head",
    fits=is_beast,
    planted="An animal with another kind's head and neck: an elephant's on a horse, an eagle's on a cow.",
    twin=_TWIN,
)
def foreign_head(world: World, thing: Thing, rng: Generator) -> Planted | None:
    if from_front(world, thing, stand(thing)) < -0.75:
        return None
    kinds = [k for k in _HEADS if k != thing.kind and _unlike(k, thing.kind)]
    kind = str(rng.choice(kinds))
    return planted(world, other_head(thing, kind, rng), f"has the head of {a(kind)}")


def _unlike(one: str, other: str) -> bool:
    """Whether heads of two kinds can be told apart at a glance."""
    alike = (
        {"dog", "pig", "sheep", "goat"},
        {"cow", "goat", "sheep"},
        {"rhino", "pig", "cow"},
        {"duck", "chicken"},
        {"dog", "cat"},
        {"chicken", "eagle"},
    )
    return not any({one, other} <= group for group in alike)


@recipe(
    "object_identity",
    "two_halves",
    fits=_four_legged,
    planted="A four-legged animal whose rear half is a bird's, an elephant's or a rhino's.",
    twin=_TWIN,
)
def two_halves(world: World, thing: Thing, rng: Generator) -> Planted | None:
    kinds = ["duck", "ostrich", "eagle", "chicken"]
    if thing.kind not in ("elephant", "rhino", "pig"):
        kinds += ["elephant", "rhino"]
    kind = str(rng.choice(kinds))
    return planted(world, other_rear(thing, kind, rng), f"has the rear half of {a(kind)}")


@recipe(
    "object_identity",
    "animal_headed",
    fits=_person,
    planted="A person with the head of an animal.",
    twin=_TWIN,
)
def animal_headed(world: World, thing: Thing, rng: Generator) -> Planted | None:
    kind = str(rng.choice(_HEADS))
    axes, radius = _axes(thing), float(thing.facts["head_radius"])
    centre = np.asarray(thing.facts["head"])
    looks = np.asarray(thing.facts.get("looks_at", centre + axes[:, 0])) - centre
    ahead = unit(np.array([looks[0], looks[1], 0.0])) if np.hypot(*looks[:2]) > 1e-6 else axes[:, 0]
    turned = np.stack([ahead, np.cross(UP, ahead), UP], 1)
    bare = lacking(thing, family(thing, "head"))
    head = head_on(kind, centre, turned, radius * 1.05, rng)
    return planted(world, with_parts(bare, head), f"has the head of {a(kind)}")


@recipe(
    "object_identity",
    "centaur",
    fits=_whole_person,
    planted="A person whose lower half is the body of a four-legged animal.",
    twin=_TWIN,
)
def centaur(world: World, thing: Thing, rng: Generator) -> Planted | None:
    how = thing.facts.get("how")
    if getattr(how, "pose", thing.facts.get("pose")) in ("sit", "lie", "crouch", "jump"):
        return None
    h, floor = float(thing.facts["height"]), float(thing.low[2])
    kind = str(rng.choice(["horse", "horse", "goat", "cow"]))
    axes = _axes(thing)
    like = Stand(axes, np.zeros(3), 0.62 * h, 0.14 * h, 0.11 * h, 0.07 * h, False)
    body, own = donor(kind, like, rng)
    body = lacking(body, family(body, "head", "neck"))
    # The trunk grows from where the animal's neck would.
    pelvis = np.asarray(thing.facts["pelvis"])
    front = own.at(0.72, 0, 0.55)
    lower = body.moved(pelvis - UP * 0.02 * h - front)
    drop = float(lower.low[2]) - floor
    legs = [p for p in thing.parts if p.key.startswith(("thigh", "shin", "foot", "skirt"))]
    whole = with_parts(lacking(thing, legs), lower.parts, ".beast").moved((0, 0, -drop))
    return planted(world, whole, f"has the body of {a(kind)} below the waist")


@recipe(
    "object_identity",
    "fish_tailed",
    fits=lambda w, t: _four_legged(w, t) or _whole_person(w, t),
    planted="A four-legged animal or a person whose rear or lower half is that of a fish.",
    twin=_TWIN,
    held_out=True,
)
def fish_tailed(world: World, thing: Thing, rng: Generator) -> Planted | None:
    rgb = _FISH[int(rng.integers(len(_FISH)))]
    if _four_legged(world, thing):
        how = stand(thing)
        rear = [
            p
            for p in thing.parts
            if p.key in ("belly", "tail") or (p.key.startswith("leg") and p.place == "rear")
        ]
        tail = fish_tail(how, how.length * float(rng.uniform(1.05, 1.3)), rgb, float(thing.low[2]))
        return planted(world, with_parts(lacking(thing, rear), [tail]), "has the rear of a fish")
    pose = thing.facts.get("pose", "stand")
    if pose in ("lie", "jump"):
        return None
    h, axes, floor = float(thing.facts["height"]), _axes(thing), float(thing.low[2])
    pelvis = np.asarray(thing.facts["pelvis"])
    ahead = axes[:, 0]
    knee = pelvis + (ahead * 0.05 - UP * 0.5) * (pelvis[2] - floor)
    foot = np.array([pelvis[0], pelvis[1], floor + 0.05 * h]) - ahead * 0.02 * h
    end = foot + axes[:, 1] * 0.12 * h + ahead * 0.16 * h + UP * 0.02 * h
    t = np.linspace(0, 1, 9)[:, None]
    points = [pelvis + UP * 0.05 * h, knee, foot, end]
    path = sum(
        c * p
        for c, p in zip(
            ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3), points, strict=True
        )
    )
    legs = [
        p for p in thing.parts if p.key.startswith(("thigh", "shin", "foot", "skirt", "pelvis"))
    ]
    tail = scaled_tail(0.095 * h, rgb, np.asarray(path))
    return planted(world, with_parts(lacking(thing, legs), [tail]), "has a fish's tail for legs")
