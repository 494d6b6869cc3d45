"""People with hands, limbs, joints, eyes or heads that nobody has; animals with wrong legs or heads."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.pairs.beasts import (
    backwards_head,
    bent_legs,
    is_beast,
    leg_missing,
    more_legs,
    third_eyes,
    two_headed,
)
from benchmarks.scenes.pairs.pick import in_frame, pixels_per_unit, shown, towards_camera, words_of
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.world import Thing, World

_TWIN: Final = "The same person in the same pose, or the same animal, with the parts that it has."


def _person(world: World, thing: Thing) -> bool:
    if "person" not in thing.tags or thing.remake is None or "head" not in thing.facts:
        return False
    return shown(world, thing, 90, 0.25)


def _shows_face(world: World, thing: Thing) -> bool:
    """Whether the face is large enough and turned to the camera."""
    if not _person(world, thing):
        return False
    radius = float(thing.facts["head_radius"]) * pixels_per_unit(world, thing)
    eyes = [v for k, v in thing.facts.items() if k.startswith("eye.")]
    if radius < 15 or not eyes:
        return False
    ahead = np.mean(eyes, axis=0) - thing.facts["head"]
    return float(ahead @ towards_camera(world, thing)) > 0.45 * float(np.linalg.norm(ahead))


def _shows_hand(world: World, thing: Thing) -> bool:
    """Whether a hand is large enough for its fingers to be counted."""
    if not _person(world, thing):
        return False
    return float(thing.facts["hand_radius"]) * pixels_per_unit(world, thing) >= 14


def _busy(world: World, thing: Thing) -> set[str]:
    """Hands that hold something, which a change of theirs would leave in the air."""
    held = [one for one in world.things if "held" in one.tags or one.rests_on == thing.key]
    return {
        side
        for side in ("left", "right")
        for one in held
        if np.linalg.norm(one.centre - thing.facts[f"hand.{side}"])
        < 0.3 * thing.facts["height"] / 1.7 + 0.5 * float(one.size.max())
    }


def _hand_in_sight(world: World, thing: Thing) -> str:
    """The side of the hand that is farther from the trunk in the picture."""
    size = 320
    hands = {
        s: world.camera.project(np.asarray(thing.facts[f"hand.{s}"]), size, size)
        for s in ("left", "right")
    }
    chest = world.camera.project(np.asarray(thing.facts["chest"]), size, size)
    return max(hands, key=lambda s: float(np.abs(hands[s] - chest).sum()))


def _remade(
    world: World, thing: Thing, detail: str, both: dict[str, Any] | None = None, **wrong: Any
) -> Planted | None:
    """The person remade wrongly; `both` is how both twins show it."""
    if thing.remake is None:
        return None
    clean = world if not both else world.changed(thing.remake(**both))
    violated = world.changed(thing.remake(**{**(both or {}), **wrong}))
    return Planted(violated, clean, (thing.key,), f"the {words_of(thing)} {detail}")


@recipe(
    "biological_anatomy",
    "wrong_fingers",
    fits=_shows_hand,
    planted="A hand with three, or with seven to nine fingers.",
    twin=_TWIN,
)
def wrong_fingers(world: World, thing: Thing, rng: Generator) -> Planted | None:
    side = _hand_in_sight(world, thing)
    count = int(rng.choice([2, 3, 7, 8, 8, 9]))
    busy = side in _busy(world, thing)
    both = {} if busy else {"curl": float(rng.uniform(2, 12))}
    return _remade(
        world, thing, f"has {count} fingers on the {side} hand", both, **{f"fingers_{side}": count}
    )


@recipe(
    "biological_anatomy",
    "wrong_limbs",
    fits=_person,
    planted="A third and perhaps a fourth arm or leg, or an arm that is not there.",
    twin=_TWIN,
)
def wrong_limbs(world: World, thing: Thing, rng: Generator) -> Planted | None:
    how = int(rng.integers(5))
    sits = getattr(thing.facts.get("how"), "pose", "stand") in ("sit", "lie", "crouch")
    if how in (1, 2) and not sits:
        return _remade(world, thing, "has three legs", legs=3)
    if how == 4 and "right" not in _busy(world, thing):
        return _remade(world, thing, "lacks an arm", arms=1)
    arms = int(rng.integers(3, 5))
    return _remade(world, thing, f"has {('three', 'four')[arms - 3]} arms", arms=arms)


@recipe(
    "biological_anatomy",
    "joint_backwards",
    fits=_person,
    planted="A knee or an elbow bent the way that it does not bend.",
    twin=_TWIN,
)
def joint_backwards(world: World, thing: Thing, rng: Generator) -> Planted | None:
    free = sorted({"left", "right"} - _busy(world, thing))
    if rng.random() < 0.5 and free:
        side = "both" if len(free) == 2 and rng.random() < 0.4 else str(rng.choice(free))
        return _remade(world, thing, "has an elbow bent backwards", elbow_back=side)
    if not in_frame(world, *(np.asarray(thing.facts[f"knee.{s}"]) for s in ("left", "right"))):
        return None
    facing = np.array([*thing.facts["facing"][:2], 0.0])
    if abs(float(facing @ towards_camera(world, thing))) > 0.85:
        return None  # bent towards the camera or away from it, which nobody would see
    side = str(rng.choice(["left", "right", "both", "both"]))
    return _remade(world, thing, "has a knee bent backwards", knee_back=side)


@recipe(
    "biological_anatomy",
    "wrong_head",
    fits=_person,
    planted="Two heads on one neck, or the head on backwards.",
    twin=_TWIN,
)
def wrong_head(world: World, thing: Thing, rng: Generator) -> Planted | None:
    if rng.random() < 0.5 and not _shows_face(world, thing):
        # Seen from behind, a face on the back of a body is plain.
        return _remade(world, thing, "wears the head backwards", head_turn_deg=180.0)
    return _remade(world, thing, "has two heads", heads=2)


@recipe(
    "biological_anatomy",
    "wrong_eyes",
    fits=_shows_face,
    planted="One eye, three eyes, eyes that look apart, or a face with eyes below and mouth above.",
    twin=_TWIN,
)
def wrong_eyes(world: World, thing: Thing, rng: Generator) -> Planted | None:
    how = int(rng.integers(4))
    if how == 0:
        return _remade(world, thing, "has three eyes", eyes=3)
    if how == 1:
        return _remade(world, thing, "has a single eye", eyes=1)
    if how == 2:
        return _remade(world, thing, "has the face upside down", face_flipped=True)
    return _remade(
        world, thing, "has eyes that look apart", eyes_apart_deg=float(rng.uniform(42, 55))
    )


@recipe(
    "biological_anatomy",
    "arms_elsewhere",
    fits=_person,
    planted="Arms that grow from the hips or the head, or a hand and a foot that have changed places.",
    twin=_TWIN,
    held_out=True,
)
def arms_elsewhere(world: World, thing: Thing, rng: Generator) -> Planted | None:
    if _busy(world, thing):
        return None
    how = int(rng.integers(3))
    if how == 0:
        side = _hand_in_sight(world, thing)
        return _remade(world, thing, "has a foot for a hand", swap=(f"hand.{side}", f"foot.{side}"))
    place = ("hip", "head")[how - 1]
    if place == "hip" and not in_frame(world, np.asarray(thing.facts["pelvis"])):
        return None
    return _remade(world, thing, f"has arms that grow from the {place}", arms_at=place)


@recipe(
    "biological_anatomy",
    "animal_legs",
    fits=is_beast,
    planted="An animal with two legs too many, with one missing, or with legs bent the wrong way.",
    twin=_TWIN,
)
def animal_legs(world: World, thing: Thing, rng: Generator) -> Planted | None:
    how = int(rng.integers(4))
    make = (more_legs, more_legs, leg_missing, bent_legs)[how]
    return make(world, thing, rng)


@recipe(
    "biological_anatomy",
    "animal_head",
    fits=is_beast,
    planted="An animal with two heads, its head on backwards, or more eyes than two.",
    twin=_TWIN,
)
def animal_head(world: World, thing: Thing, rng: Generator) -> Planted | None:
    make = (two_headed, two_headed, backwards_head, third_eyes)[int(rng.integers(4))]
    return make(world, thing, rng)
