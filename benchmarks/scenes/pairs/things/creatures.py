"""Animals of benchmarks.scenes as things: they stand, lie or look, and can be remade wrongly."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part, Subject
from benchmarks.scenes.pairs.world import Tag, Thing, tags

from .creature_wrongs import Wrong, wronged
from .edits import family, individual, placed, plain
from .quick import put

SIZES: Final[Mapping[str, float]] = {
    "dog": 0.78, "cat": 0.44, "cow": 1.75, "horse": 1.75, "elephant": 2.9, "goat": 0.95, "rhino": 2.5,
    "sheep": 1.15, "pig": 1.2, "chicken": 0.44, "duck": 0.46, "eagle": 0.72, "ostrich": 1.6,
}  # fmt: skip
"""Scene units of a unit of `Subject` (a torso is about 0.9 long)."""
BIRDS: Final = ("chicken", "duck", "eagle", "ostrich")
_SMALL: Final = ("cat", "chicken", "duck", "eagle")


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
    names.append("floats" if floats is not None else "stands")
    if kind in BIRDS:
        names.append("bird")
    if kind in ("elephant", "rhino", "cow", "horse"):
        names.append("large")
    if kind in _SMALL:
        names.append("small")
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
    return wronged(s, parts, wrong, rng), points


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
