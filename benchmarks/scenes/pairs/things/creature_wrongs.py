"""What is wrong with a remade animal: legs, heads, tails, eyes and wings that it has not by nature."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part, Subject

from .edits import family, individual, plain


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


def wronged(s: Subject, parts: list[Part], wrong: Wrong, rng: Generator) -> list[Part]:
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
