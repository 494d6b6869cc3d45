"""Somebody who waves close by: hands and fingers are plain to see."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, lay_out
from benchmarks.scenes.pairs.things.open_air import spots
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.world import World

_KINDS = (
    "person.2",
    "person.3",
    "car",
    "tree",
    "sign",
    "street_lamp",
    "horse",
    "statue",
    "cow",
    "parasol",
)


def _greeting(rng: Generator) -> Layout:
    layout = Layout([], turn=(-18, 18), rise=(-3.0, 12.0), fill=(0.68, 0.9))
    grounds = ("grass", "paving", "concrete", "gravel", "sand")
    lay_out(rng, layout, grounds, ("house", "tree", "tree"), (3, 8))
    pose = str(rng.choice(["wave", "wave", "wave", "cheer", "reach", "catch"]))
    facing = -90.0 + float(rng.uniform(-28, 28))
    look = (float(rng.uniform(-0.6, 0.6)), -4.0, float(rng.uniform(1.4, 1.75)))
    main = person(
        rng, "person", (0, 0, 0), facing, subject=True, hand=1.12, pose=pose, look_at=look,
        mirrored=bool(rng.random() < 0.5),
    )  # fmt: skip
    f = main.facts
    names = ("hand.left", "hand.right", "elbow.left", "elbow.right")
    arms = [f[n] for n in names if f[n][2] > f["pelvis"][2] + 0.05]
    up = np.array([0.0, 0.0, 1.0])
    low = f["chest"] - up * float(rng.uniform(0.12, 0.32))
    layout.focus = np.array(
        [f["head_top"], f["head_top"] + 0.06 * up, f["head"], f["chest"], low, *arms]
    )
    taken: Taken = [(0.0, 0.0, 0.6)]
    yard = Yard((-3.0, 1.4), (3.0, 4.4))
    layout.things = [main, *furnish(rng, taken, _KINDS, int(rng.integers(3, 6)), yard)]
    layout.free = spots(rng, layout.things, (-1.2, 0.6), (1.2, 2.0), 0.0, 5, 0.7)
    return layout


@base(
    "greeting",
    "Close by: somebody waves, cheers or holds out open hands; people, cars, animals, a sign behind.",
)
def greeting(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "greeting", "street", _greeting)
