"""Water with its banks, and what is in it: boats with wakes, rowers, people who wade, ducks, reeds."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.world import Thing, Water, tags

from . import outdoors, vehicles
from .creatures import animal
from .framing import Layout
from .open_air import ground_texture
from .person import person
from .quick import rod

LEVEL: Final = -0.12
"""Height of the water; the banks are at 0."""
_DEEP: Final = 0.9
_TINTS: Final = ((0.18, 0.32, 0.36), (0.14, 0.3, 0.42), (0.22, 0.33, 0.28), (0.12, 0.36, 0.42))


def _slab(
    key: str, y: tuple[float, float], z: tuple[float, float], paint: Paint, slope: float = 0.0
) -> Part:
    """A block of ground along x; `slope`: how much wider it is below than above."""
    low = [
        (-60, y[0] - slope, z[0]),
        (60, y[0] - slope, z[0]),
        (60, y[1] + slope, z[0]),
        (-60, y[1] + slope, z[0]),
    ]
    high = [(-60, y[0], z[1]), (60, y[0], z[1]), (60, y[1], z[1]), (-60, y[1], z[1])]
    return Part(f"backdrop.{key}", None, (Piece.make(prism(low, high), paint),))


def basin(rng: Generator, layout: Layout, kind: str, near: float, far: float) -> None:
    """Gives a layout ground to the horizon and water between y = near and y = far."""
    layout.textures["ground"] = ground_texture(rng, kind)
    scale = float(rng.uniform(0.22, 0.45))
    paint = Paint((1.0, 1.0, 1.0), "ground", "xy", (scale, scale), specular=0.0)
    layout.stage.append(_slab("near", (-60, near), (-2.0, 0.0), paint, 0.55))
    if far < 40:
        layout.stage.append(_slab("far", (far, 60), (-2.0, 0.0), paint, 0.8))
    mud = Paint((0.3, 0.3, 0.24), specular=0.0)
    layout.stage.append(_slab("bottom", (near - 3, far + 3), (-_DEEP - 0.5, -_DEEP), mud))
    v = float(rng.uniform(0.75, 1.15))
    r, g, b = _TINTS[rng.integers(len(_TINTS))]
    shore = ((-55.0, near - 0.3), (55.0, near - 0.3), (55.0, far + 0.5), (-55.0, far + 0.5))
    layout.water = Water(
        LEVEL, shore, (r * v, g * v, b * v), clear=float(rng.uniform(0.12, 0.35)),
        reflects=float(rng.uniform(0.4, 0.65)), waves=float(rng.uniform(0.02, 0.2)),
    )  # fmt: skip


def boat(
    rng: Generator, x: float, y: float, deg: float, *, subject: bool, size: float = 1.0
) -> list[Thing]:
    """A boat at its waterline; half of them move and have a wake, some that do not have a rower.

    Facts: moves, waterline, wake (key of the foam).
    """
    moves = bool(rng.random() < 0.5)
    facts: dict[str, Any] = {"moves": moves, "waterline": LEVEL}
    style = str(rng.choice(["sail", "motor"])) if moves else None
    if moves:
        facts["wake"] = "wake.boat"
    one = vehicles.boat(
        rng, "boat", (x, y, LEVEL), deg, subject=subject, style=style, scale=size, more_facts=facts
    )
    if not moves:
        return [one, *_rower(rng, one, deg)]
    long = float(one.facts["length"])
    at = np.asarray(one.facts["bow"]) - rot("z", deg)[:, 0] * long * 0.2
    foam = outdoors.wake(
        rng, "wake.boat", (float(at[0]), float(at[1]), LEVEL + 0.004), deg, length=long * 1.5,
        width=float(one.facts["width"]) * 0.8, more_facts={"of": "boat", "detail": True}, casts=False,
    )  # fmt: skip
    return [one, foam]


def _rower(rng: Generator, hull: Thing, deg: float) -> list[Thing]:
    """Somebody who sits in a rowing boat, mostly."""
    if hull.facts["style"] != "row" or rng.random() < 0.3:
        return []
    thwart = next(p for p in hull.parts if p.key == "thwart")
    middle = (hull.facts["stern"] + hull.facts["bow"]) / 2 - rot("z", deg)[:, 0] * 0.1
    at = np.array([middle[0], middle[1], float(thwart.verts()[:, 2].max()) - 0.45])
    return [person(rng, "rower", at, deg, pose="sit", seat=0.45, rests_on=hull.key)]


def wader(
    rng: Generator, key: str, x: float, y: float, deg: float, *, subject: bool = False
) -> list[Thing]:
    """Somebody in the water up to the knees, ripples round each leg (fact rings: their keys)."""
    keys = (f"ring.{key}.left", f"ring.{key}.right")
    one = person(
        rng, key, (x, y, LEVEL - float(rng.uniform(0.28, 0.45))), deg, subject=subject,
        pose=str(rng.choice(["stand", "hips", "reach", "wave"])),
        more_facts={"in_water": True, "rings": keys},
    )  # fmt: skip
    rings = []
    for ring, side in zip(keys, ("left", "right"), strict=True):
        knee, ankle = one.facts[f"knee.{side}"], one.facts[f"ankle.{side}"]
        t = float(np.clip((LEVEL - ankle[2]) / max(knee[2] - ankle[2], 1e-3), 0, 1))
        at = ankle + (knee - ankle) * t
        spot = (float(at[0]), float(at[1]), LEVEL + 0.002)
        facts = {"of": key, "detail": True}
        rings.append(outdoors.ring(rng, ring, spot, radius=0.11, more_facts=facts, casts=False))
    return [one, *rings]


def swimmer(rng: Generator, key: str, x: float, y: float, size: float = 1.5, **how: Any) -> Thing:
    """A duck on the water."""
    return animal(
        rng, key, "duck", (x, y, LEVEL), float(rng.uniform(0, 360)), floats=0.34, size=size, **how
    )


def reeds(rng: Generator, key: str, x: float, y: float) -> Thing:
    """Reeds at the shore."""
    green, brown = Paint((0.3, 0.42, 0.14), specular=0.0), Paint((0.36, 0.24, 0.14), specular=0.0)
    pieces = []
    for _ in range(12):
        a = np.array([x + rng.normal() * 0.18, y + rng.normal() * 0.12, -0.35])
        b = a + np.array([rng.normal() * 0.06, rng.normal() * 0.06, rng.uniform(0.9, 1.4)])
        pieces.append(Piece.make(rod(a, b, 0.016, 0.008, n=5), green))
        if rng.random() < 0.4:
            up = np.array([0.0, 0.0, 1.0])
            pieces.append(Piece.make(rod(b - up * 0.18, b - up * 0.02, 0.028, 0.028, n=6), brown))
    return Thing(key, "reeds", (Part("reeds", None, tuple(pieces)),), tags=tags("plant", "stands"))
