"""What tells a thing's size: whether its kind has one that all know, and what stands beside it."""

from __future__ import annotations

from typing import Final

import numpy as np

from .order import depths, frame_of
from .sight import has_room, in_sight
from .world import Thing, World

_ANY_SIZE: Final = frozenset((
    "toy", "teddy", "doll", "statue", "figure", "snowman", "block", "cylinder", "ball", "domino",
    "crate", "box", "rock", "stone", "plant", "tree", "bush", "flower", "vase", "basket", "cushion",
    "blanket", "puddle", "ice", "picture", "sign", "candle", "pot", "jar", "rug", "plinth",
    "castle", "splash", "wake", "footprints", "ring", "cactus", "fence", "hay", "loaf", "globe",
    "model", "sculpture", "boat", "raft", "fire", "cord", "rope", "lid", "book", "post", "pillar",
    "butter", "goal", "net", "weight", "spring", "ramp", "parasol", "board", "bag", "glove", "cube",
    "cubes", "leash", "stall", "barrel",
))  # fmt: skip
"""Words of kinds that come in any size, or that nobody knows the size of."""
_POSES: Final = ("sit", "lean", "ride", "swim", "row", "lie", "climb", "pull", "push")
"""In the names of poses that need something beside the person."""
LOOSE: Final = frozenset(
    {"held", "worn", "hangs", "flame", "floats", "aircraft", "mirror", "building"}
)


def known(one: Thing) -> bool:
    """Whether everybody knows how large it is."""
    return not _ANY_SIZE & set(one.kind.replace("_", " ").split())


def neighbours(world: World, one: Thing) -> list[Thing]:
    """Things of known size near it and well seen: what its size is judged by."""
    x0, _, x1, _ = frame_of(world, one)
    mine = float(np.mean(depths(world, one)))
    found = []
    for other in world.things:
        if other.key == one.key or not known(other) or not in_sight(world, other, 24, 0.5):
            continue
        depth = float(np.mean(depths(world, other)))
        a0, _, a1, _ = frame_of(world, other)
        gap = max(a0 - x1, x0 - a1)
        if 0.6 < depth / mine < 1.6 and gap < 0.45:
            found.append(other)
    return found


def judgeable(world: World, one: Thing) -> bool:
    """Whether its size could be wrong: known, alone on its feet, judged by a neighbour."""
    if one.tags & LOOSE or not known(one) or not in_sight(world, one, 20):
        return False
    return bool(neighbours(world, one))


SEEN: Final = 0.07
"""Least side of what is too small, in parts of the frame."""
LEAST: Final = 0.42
"""Most that a shrunk thing keeps of its size."""


def free(world: World, one: Thing) -> bool:
    """Nothing stands on it or is held by it, and it sits on nothing."""
    held = any(t.facts.get("holder") == one.key for t in world.things)
    posed = "person" in one.tags and (
        one.rests_on is not None or any(w in str(one.facts.get("pose", "")) for w in _POSES)
    )
    tied = "living" in one.tags and any(t.kind in ("leash", "rope", "cord") for t in world.things)
    return not (held or posed or tied or world.resting_on(one.key))


def being(world: World, one: Thing) -> bool:
    """A person or animal whose size could be wrong."""
    return bool(one.tags & {"person", "animal"}) and free(world, one) and judgeable(world, one)


def lifeless(world: World, one: Thing) -> bool:
    """Anything else whose size could be wrong."""
    return not one.tags & {"person", "animal"} and free(world, one) and judgeable(world, one)


def _supported(world: World, one: Thing) -> bool:
    """Whether it stands within what it rests on."""
    if one.rests_on is None:
        return True
    under = world.thing(one.rests_on)
    slack = 0.12 * one.size[:2]
    return bool((one.low[:2] > under.low[:2] - slack).all()) and bool(
        (one.high[:2] < under.high[:2] + slack).all()
    )


def roomy(world: World, one: Thing) -> bool:
    """Whether it stands in nothing\'s way, on its support, and is seen."""
    ignoring = [one.rests_on or ""]
    return (
        has_room(world, one, ignoring) and _supported(world, one) and in_sight(world, one, 14, 0.62)
    )
