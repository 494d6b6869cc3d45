"""Animals of benchmarks.scenes as things: they stand, lie or look, and can be remade wrongly."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part, Subject
from benchmarks.scenes.pairs.world import Tag, Thing, tags

from .edits import family, individual, placed, plain
from .quick import put

SIZES: Final[Mapping[str, float]] = {
    "dog": 0.78, "cat": 0.44, "cow": 1.75, "horse": 1.75, "elephant": 2.9, "goat": 0.95, "rhino": 2.5,
    "sheep": 1.15, "pig": 1.2, "chicken": 0.44, "duck": 0.46, "eagle": 0.72, "ostrich": 1.6,
}  # fmt: skip
"""Scene units of a unit of `Subject` (a torso is about 0.9 long)."""
BIRDS: Final = ("chicken", "duck", "eagle", "ostrich")
_SMALL: Final = ("cat", "chicken", "duck", "eagle")


@dataclass(frozen=True, slots=True)
class Wrong:
    """What `remake` of an animal takes, besides the fields of `Edits`, `at`, `facing_deg` and `scale`."""

    lies: bool = False
    """Lying down with its legs before it (four-legged), or sitting (birds)."""
    look_at: tuple[float, float, float] | None = None
    """Point that the head turns to, in the world; it turns by 65 degrees at most."""
    head_turn_deg: float = 0.0
    """The head turned so much further (180: backwards)."""
    legs: int = -1
    """Number of legs, 0..8; further ones grow between the others."""
    heads: int = 1
    """0..2."""
    tail: str = "rump"
    """rump, none, back (on the back), head (on the head) or two."""
    wings: str = "own"
    """own, none, bird (a bird's), aircraft (an airliner's)."""
    head_of: str | None = None
    """Head and neck of another kind of `SIZES`."""
    legs_of: str | None = None
    """Legs of another kind, on the same hips."""
    ears_of: str | None = None
    """Ears of another kind."""
    eyes: int = 2
    """0..3; the third one on the forehead."""
    legs_back: bool = False
    """All legs turned back to front."""


def animal(
    rng: Generator,
    key: str,
    kind: str,
    at: ArrayLike = (0.0, 0.0, 0.0),
    facing_deg: float = 0.0,
    *,
    subject: bool = False,
    textured: bool = True,
    size: float = 1.0,
    rests_on: str | None = None,
    more_tags: Sequence[Tag] = (),
    more_facts: Mapping[str, Any] | None = None,
    floats: float | None = None,
    **how: Any,
) -> Thing:
    """An animal standing at a point; `how` are fields of `Wrong` or `Edits`.

    Part keys are those of `Subject` (head, eye.left, ear.left, leg.left.front, leg.left, tail, wing.left,
    beak, trunk, horn.left ...). Facts, points [3]: head, nose, neck, eye.*, back, belly, rump, tail,
    foot.* (below each leg's key after "leg."), ahead (1 unit before its middle on the ground). Numbers:
    length, height, legs, facing_deg. Others: species, facing, textures (put them into the world), how.

    Args:
        textured: keep its coat's texture; otherwise the mean colour.
        size: factor of its natural size (a young one, a toy).
        floats: it swims: share of its body's depth below `at`, without legs.
    """
    if kind not in SIZES:
        raise ValueError(f"expected one of {sorted(SIZES)}, got {kind!r}")
    subject_ = individual(rng, "animal", kind, key)
    subject_ = subject_ if textured else plain(subject_)
    seed = int(rng.integers(2**31))
    scale = SIZES[kind] * size
    names: list[Tag] = ["animal", "living", "soft", "moves", *more_tags]
    names += ["bird"] if kind in BIRDS else []
    names += ["floats"] if floats is not None else ["stands"]
    names += ["large"] if kind in ("elephant", "rhino", "cow", "horse") else []
    names += ["small"] if kind in _SMALL else []
    facts = {"species": kind, "textures": dict(subject_.textures), **(more_facts or {})}
    base = Thing(key, kind, (), subject, tags(*names), rests_on, facts)
    spot = np.asarray(at, float)

    def build(**now: Any) -> tuple[list[Part], dict[str, Any]]:
        wrong = Wrong(**{k: v for k, v in now.items() if k in Wrong.__dataclass_fields__})
        deg = float(now.get("facing_deg", facing_deg))
        turn = functools.partial(_looking, wrong=wrong, scale=scale, at=spot, facing_deg=deg)
        parts, points = _shaped(subject_, wrong, np.random.default_rng(seed), floats, turn)
        own = put(parts, np.eye(3), scale, np.zeros(3))
        found: dict[str, Any] = {k: np.asarray(v) * scale for k, v in points.items()}
        high = max(float(p.verts()[:, 2].max()) for p in own)
        found |= {"length": subject_.facts["length"] * scale, "height": high}
        found["legs"] = subject_.facts["legs"]
        return own, found

    return placed(base, build, spot, facing_deg, how)


def _shaped(
    s: Subject,
    wrong: Wrong,
    rng: Generator,
    floats: float | None,
    look: Callable[[list[Part]], list[Part]],
) -> tuple[list[Part], dict[str, Any]]:
    """Its parts in `Subject` units, standing on z = 0, and points of the same."""
    bird = s.facts["bird"] > 0
    points: dict[str, Any] = {k: s.anchors[k] for k in ("back", "belly", "rump")}
    parts = list(s.parts)
    if floats is not None:
        body = [p for p in parts if p.key in ("belly", "chest")]
        low = min(float(p.verts()[:, 2].min()) for p in body)
        high = max(float(p.verts()[:, 2].max()) for p in body)
        down = np.array([0.0, 0.0, -low - floats * (high - low)])
        parts = [p.transformed(np.eye(3), down) for p in parts if not p.key.startswith("leg")]
        points = {k: np.asarray(v) + down for k, v in points.items()}
    elif wrong.lies:
        parts, down = _lying(parts, bird)
        points = {k: np.asarray(v) + down for k, v in points.items()}
    parts = look(parts)
    points |= {p.key: p.centre for p in parts if p.key in ("head", "nose", "neck", "trunk", "beak")}
    points |= {p.key: p.centre for p in parts if p.key.startswith("eye")}
    points |= {p.key: np.asarray(p.pivot) for p in parts if p.key == "tail"}
    for p in parts:
        if p.key.startswith("leg"):
            v = p.verts()
            near = v[v[:, 2] < v[:, 2].min() + 0.05]
            foot = near.mean(0)
            points["foot" + p.key[3:]] = np.array([foot[0], foot[1], v[:, 2].min()])
    return _wronged(s, parts, wrong, rng), points


def _lying(parts: list[Part], bird: bool) -> tuple[list[Part], F64]:
    """Legs before the body (a bird's: below it), the body on the ground."""
    body = [p for p in parts if p.key in ("belly", "chest")]
    low = min(float(p.verts()[:, 2].min()) for p in body)
    down = np.array([0.0, 0.0, -low])
    out = []
    for p in parts:
        if not p.key.startswith("leg"):
            out.append(_above_ground(p.transformed(np.eye(3), down)))
        elif not bird:
            hip = np.asarray(p.pivot)
            front = "front" in p.key
            turn = rot("y", -84.0 if front else -76.0) @ np.diag([1.0, 1.0, 0.8])
            leg = p.about(turn, hip)
            outwards = 0.05 * np.sign(hip[1]) if front else 0.11 * np.sign(hip[1])
            lowest = float(leg.verts()[:, 2].min())
            out.append(leg.transformed(np.eye(3), (0.0 if front else 0.12, outwards, -lowest)))
    return out, down


def _above_ground(part: Part) -> Part:
    """A hanging tail or trunk shortened so that it ends on the ground."""
    low, top = float(part.verts()[:, 2].min()), part.pivot[2]
    if low >= 0 or part.key not in ("tail", "trunk"):
        return part
    return part.about(np.diag([1.0, 1.0, max(top, 0.0) / (top - low)]), part.pivot)


def _looking(
    parts: list[Part], wrong: Wrong, scale: float, at: F64, facing_deg: float
) -> list[Part]:
    """The head turned about the end of its neck."""
    head = next((p for p in parts if p.key == "head"), None)
    if head is None or (wrong.look_at is None and not wrong.head_turn_deg):
        return parts
    pivot, yaw, pitch = np.asarray(head.pivot), wrong.head_turn_deg, 0.0
    if wrong.look_at is not None:
        local = (
            rot("z", facing_deg).T @ (np.asarray(wrong.look_at, float) - at) / scale - head.centre
        )
        yaw += float(np.clip(np.degrees(np.arctan2(local[1], local[0])), -65, 65))
        rise = np.degrees(np.arctan2(local[2], np.hypot(local[0], local[1])))
        pitch = float(np.clip(rise + 8, -25, 30))
    turn = rot("z", yaw) @ rot("y", -pitch)
    keys = {p.key for p in family(parts, "head")}
    return [p.about(turn, pivot) if p.key in keys else p for p in parts]


def _wronged(s: Subject, parts: list[Part], wrong: Wrong, rng: Generator) -> list[Part]:
    if wrong.head_of:
        parts = _other_head(parts, wrong.head_of, rng)
    if wrong.ears_of:
        parts = _other_ears(parts, wrong.ears_of, rng)
    if wrong.legs_of:
        parts = _other_legs(parts, wrong.legs_of, rng)
    parts = _legs(parts, wrong)
    if wrong.heads == 0:
        parts = [p for p in parts if p not in family(parts, "head")]
    elif wrong.heads == 2:
        top = family(parts, "neck") + family(parts, "head")
        pivot = next(p.verts().mean(0) for p in top if p.key == "neck") - [0.12, 0.0, 0.0]
        keys = {p.key for p in top}
        left = [p.about(rot("z", 32.0), pivot) if p.key in keys else p for p in parts]
        parts = left + [replace(p.about(rot("z", -32.0), pivot), key=p.key + ".2") for p in top]
    parts = _tail(s, parts, wrong.tail)
    parts = _eyes(parts, wrong.eyes)
    if wrong.wings != "own":
        parts = [p for p in parts if not p.key.startswith("wing")]
    if wrong.wings in ("bird", "aircraft"):
        parts = parts + _wings(parts, wrong.wings, rng)
    return parts


def _legs(parts: list[Part], wrong: Wrong) -> list[Part]:
    legs = [p for p in parts if p.key.startswith("leg")]
    if wrong.legs_back:
        back = [p.about(np.diag([-1.0, 1.0, 1.0]), p.pivot) for p in legs]
        parts = [p for p in parts if p not in legs] + back
        legs = back
    if wrong.legs < 0 or not legs:
        return parts
    order = [k for k in ("leg.left.front", "leg.right.rear", "leg.right.front", "leg.left.rear",
                         "leg.left", "leg.right") if any(p.key == k for p in legs)]  # fmt: skip
    gone = set(order[: max(len(legs) - wrong.legs, 0)])
    more = []
    pivots = np.array([p.pivot for p in legs])
    middle = pivots[:, 0].mean()
    for i in range(max(wrong.legs - len(legs), 0)):
        leg = legs[i % len(legs)]
        x = middle + (0.06 + 0.09 * (i // 2)) * (1 if i % 2 else -1) * (1 if len(legs) > 2 else 2)
        shift = (x - leg.pivot[0], 0.0, 0.0)
        more.append(replace(leg.transformed(np.eye(3), shift), key=f"{leg.key}.{i + 2}"))
    return [p for p in parts if p.key not in gone] + more


def _tail(s: Subject, parts: list[Part], where: str) -> list[Part]:
    tail = next((p for p in parts if p.key == "tail"), None)
    if tail is None or where == "rump":
        return parts
    rest = [p for p in parts if p is not tail]
    if where == "none":
        return rest
    pivot = np.asarray(tail.pivot)
    if where == "two":
        pair = [tail.about(rot("x", a), pivot) for a in (-38.0, 38.0)]
        return [*rest, pair[0], replace(pair[1], key="tail.2")]
    head = next((p for p in parts if p.key == "head"), tail)
    body = next(p for p in parts if p.key == "chest")
    top = body.verts()[:, 2].max()
    spot = np.array([0.05, 0.0, top - 0.02])
    if where == "head":
        v = head.verts()
        spot = np.array([head.centre[0], 0.0, v[:, 2].max() - 0.02])
    up = rot("y", 62.0) if tail.centre[2] > pivot[2] - 0.05 else rot("y", 150.0)
    return [*rest, tail.about(up, pivot, spot - pivot)]


def _eyes(parts: list[Part], count: int) -> list[Part]:
    eyes = [p for p in parts if p.key in ("eye.left", "eye.right")]
    if count == 2 or len(eyes) < 2:
        return parts
    if count < 2:
        gone = {p.key for p in eyes[count:]}
        return [p for p in parts if p.key not in gone]
    head = next(p for p in parts if p.key == "head")
    v = head.verts()
    front = v[(v[:, 0] > head.centre[0])]
    r = float(np.ptp(eyes[0].verts()[:, 1]))
    spot = front[(front @ np.array([0.5, 0.0, 1.0])).argmax()] * [1, 0, 1] + [0, head.centre[1], 0]
    third = eyes[0].about(np.eye(3) * 1.5, eyes[0].centre, spot - eyes[0].centre)
    turned = third.about(rot("z", -70.0), spot, (0.0, 0.0, -0.1 * r))
    return [*parts, replace(turned, key="eye.third")]


def _wings(parts: list[Part], kind: str, rng: Generator) -> list[Part]:
    body = [p for p in parts if p.key in ("belly", "chest")]
    v = np.concatenate([p.verts() for p in body])
    top, half = v[:, 2].max(), np.ptp(v[:, 1]) / 2
    if kind == "bird":
        donor = plain(individual(rng, "animal", "eagle", "donor"))
        for _ in range(12):
            wings = [p for p in donor.parts if p.key.startswith("wing")]
            spread = np.ptp(wings[0].verts()[:, 1]) > 0.3
            if spread:
                break
            donor = plain(individual(rng, "animal", "eagle", "donor"))
        by = 1.05
    else:
        donor = plain(individual(rng, "aircraft", "boeing_737", "donor"))
        wings = [p for p in donor.parts if p.key.startswith("wing")]
        by = 0.85
    out = []
    for p in wings:
        s = 1.0 if p.key.endswith("left") else -1.0
        to = np.array([0.1, s * half * 0.55, top - 0.06])
        out.append(p.about(np.eye(3) * by, p.pivot, to - np.asarray(p.pivot)))
    return out


def _donor(kind: str, rng: Generator) -> Subject:
    return plain(individual(rng, "animal", kind, "donor"))


def _other_head(parts: list[Part], kind: str, rng: Generator) -> list[Part]:
    donor = _donor(kind, rng)
    mine = family(parts, "head")
    theirs = family(list(donor.parts), "head")
    old, new = mine[0], next(p for p in theirs if p.key == "head")
    by = 1.25 * float(
        np.linalg.norm(np.ptp(old.verts(), 0)) / np.linalg.norm(np.ptp(new.verts(), 0))
    )
    shift = np.asarray(old.pivot) - np.asarray(new.pivot)
    keys = {p.key for p in mine}
    grafts = [p.about(np.eye(3) * by, new.pivot, shift) for p in theirs]
    return [p for p in parts if p.key not in keys] + grafts


def _other_ears(parts: list[Part], kind: str, rng: Generator) -> list[Part]:
    donor, out = _donor(kind, rng), [p for p in parts if not p.key.startswith("ear")]
    head, their = (next(p for p in ps if p.key == "head") for ps in (parts, donor.parts))
    by = 1.2 * float(np.ptp(head.verts()[:, 1]) / np.ptp(their.verts()[:, 1]))
    shift = head.centre - their.centre
    ears = [p for p in donor.parts if p.key.startswith("ear")]
    return out + [p.about(np.eye(3) * by, their.centre, shift) for p in ears]


def _other_legs(parts: list[Part], kind: str, rng: Generator) -> list[Part]:
    theirs = [p for p in _donor(kind, rng).parts if p.key.startswith("leg")]
    out = []
    for n, p in enumerate(parts):
        if not p.key.startswith("leg"):
            out.append(p)
            continue
        side = [q for q in theirs if q.side == p.side] or theirs
        new = side[n % len(side)]
        high = p.pivot[2] - float(p.verts()[:, 2].min())
        by = high / max(new.pivot[2] - float(new.verts()[:, 2].min()), 1e-3)
        shift = np.asarray(p.pivot) - np.asarray(new.pivot)
        out.append(replace(new.about(np.eye(3) * by, new.pivot, shift), key=p.key))
    return out
