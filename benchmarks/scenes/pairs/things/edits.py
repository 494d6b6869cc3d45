"""What animals and vehicles can be remade with: parts taken off, moved, turned, copied, covered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part, Subject
from benchmarks.scenes.pairs.world import Thing
from benchmarks.scenes.setting import BUILD

from .quick import put

Shift = tuple[float, float, float]
_INDIVIDUALS = 16
"""Different ones of each type; building them anew for every picture would take too long."""


@dataclass(frozen=True, slots=True)
class Edits:
    """Changes of parts by key; a key's beginning names all that start with it. Lengths are scene units in
    the thing's own axes: x ahead, y to its left, z up."""

    without: tuple[str, ...] = ()
    """Left out, with what hangs on them."""
    moved: Mapping[str, Shift] = field(default_factory=dict)
    """Shifted."""
    turned: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """Axis (x, y, z) and degrees, about where the part is attached."""
    sized: Mapping[str, float] = field(default_factory=dict)
    """Factors, about the part's middle."""
    copied: Mapping[str, Shift] = field(default_factory=dict)
    """A second copy so far from the first."""
    swap: tuple[str, str] | None = None
    """Two parts whose middles change places."""
    texture: str | None = None
    """Texture of the world on everything but eyes and glass."""
    rgb: tuple[float, float, float] | None = None
    """Colour of the same."""
    materials: Mapping[str, str] = field(default_factory=dict)
    """Texture by key."""
    texture_scale: float = 1.5
    """Repeats per scene unit."""

    def applied(self, parts: Iterable[Part]) -> list[Part]:
        """The changed parts; keys that nothing has are let pass."""
        found = list(parts)
        gone = {p.key for w in self.without for p in family(found, w)}
        found = [p for p in found if p.key not in gone]
        for key, shift in self.copied.items():
            found += [
                replace(
                    p.transformed(np.eye(3), shift),
                    key=p.key + "+",
                    owner=p.owner + "+" if p.owner else None,
                )
                for p in family(found, key)
            ]
        for key, shift in self.moved.items():
            found = _each(found, key, lambda p, _, s=shift: p.transformed(np.eye(3), s))
        for key, (axis, deg) in self.turned.items():
            turn = rot(axis, deg)
            found = _each(found, key, lambda p, at, t=turn: p.about(t, at))
        for key, by in self.sized.items():
            big = np.eye(3) * by
            found = _each(found, key, lambda p, at, b=big: p.about(b, at))
        if self.swap:
            found = _swapped(found, *self.swap)
        return [self._covered(p) for p in found]

    def _covered(self, part: Part) -> Part:
        texture = next(
            (t for key, t in self.materials.items() if part.key.startswith(key)), self.texture
        )
        if part.key.startswith(("eye", "glass", "window", "wind")):
            return part
        if texture:
            paint = Paint((1.0, 1.0, 1.0), texture, specular=0.05)
            u, v = np.array([0.75, 0.66, 0.0]), np.array([0.0, 0.0, 1.0])
            pieces = []
            for p in part.pieces:
                uv = np.stack([p.mesh.verts @ u, p.mesh.verts @ v], 1) * self.texture_scale
                pieces.append(replace(p, paint=paint, uv=uv))
            return replace(part, pieces=tuple(pieces))
        if self.rgb:
            plain = Paint(self.rgb, specular=0.1)
            return replace(part, pieces=tuple(replace(p, paint=plain) for p in part.pieces))
        return part


def family(parts: Sequence[Part], key: str) -> list[Part]:
    """Parts whose key starts with `key`, and those that hang on them."""
    out, keys = [], [p.key for p in parts if p.key.startswith(key)]
    seen: set[str] = set()
    while keys:
        k = keys.pop()
        if k in seen:
            continue
        seen.add(k)
        out += [p for p in parts if p.key == k]
        keys += [p.key for p in parts if p.owner == k]
    return out


def _each(parts: list[Part], key: str, edit: Callable[..., Part]) -> list[Part]:
    """Every part of that key's families changed about its head's attachment."""
    pivots: dict[str, F64] = {}
    for root in [p for p in parts if p.key.startswith(key)]:
        for member in family(parts, root.key):
            pivots.setdefault(
                member.key, np.asarray(root.pivot) if any(root.pivot) else root.centre
            )
    return [edit(p, pivots[p.key]) if p.key in pivots else p for p in parts]


def _swapped(parts: list[Part], one: str, other: str) -> list[Part]:
    a, b = (next((p for p in parts if p.key.startswith(k)), None) for k in (one, other))
    if a is None or b is None:
        return parts
    way = b.centre - a.centre
    parts = _each(parts, a.key, lambda p, _: p.transformed(np.eye(3), way))
    return _each(parts, b.key, lambda p, _: p.transformed(np.eye(3), -way))


@lru_cache(maxsize=512)
def _built(domain: str, subtype: str, number: int, size: float) -> Subject:
    subject = BUILD[domain](np.random.default_rng([number, 6]), subtype)
    if size == 1.0:
        return subject
    return replace(subject, parts=tuple(put(subject.parts, np.eye(3), size, np.zeros(3))))


def individual(rng: Generator, domain: str, subtype: str, key: str, size: float = 1.0) -> Subject:
    """One of the individuals of a type, its textures named by the thing's key, its parts (nothing else)
    `size` times as large."""
    subject = _built(domain, subtype, int(rng.integers(_INDIVIDUALS)), size)
    if not subject.textures:
        return subject
    done: dict[Paint, Paint] = {}

    def own(paint: Paint) -> Paint:
        if paint.texture not in subject.textures:
            return paint
        return done.setdefault(paint, replace(paint, texture=f"{key}.{paint.texture}"))

    parts = tuple(
        replace(p, pieces=tuple(replace(q, paint=own(q.paint)) for q in p.pieces))
        for p in subject.parts
    )
    textures = {f"{key}.{name}": pixels for name, pixels in subject.textures.items()}
    return replace(subject, parts=parts, textures=textures)


def plain(subject: Subject) -> Subject:
    """Its textures replaced by their mean colours: a picture has room for eight."""
    means = {
        name: tuple(float(v) for v in pixels.reshape(-1, 3).mean(0) / 255)
        for name, pixels in subject.textures.items()
    }
    done: dict[Paint, Paint] = {}

    def flat(paint: Paint) -> Paint:
        if paint.texture not in means:
            return paint
        r, g, b = means[paint.texture]
        return done.setdefault(paint, replace(paint, rgb=(r, g, b), texture=None))

    parts = tuple(
        replace(p, pieces=tuple(replace(q, paint=flat(q.paint)) for q in p.pieces))
        for p in subject.parts
    )
    return replace(subject, parts=parts, textures={})


def placed(
    base: Thing,
    build: Callable[..., tuple[list[Part], dict[str, Any]]],
    at: F64,
    facing_deg: float,
    how: dict[str, Any],
) -> Thing:
    """A thing from parts and facts in its own axes, put at `at` [3] and turned; it can be remade.

    `build(**how)` gives the parts and the facts; `how` also takes the fields of `Edits`, `at`,
    `facing_deg` and `scale` (about where it stands).
    """
    names = set(Edits.__dataclass_fields__)

    def make(now: dict[str, Any]) -> Thing:
        mine = {k: v for k, v in now.items() if k not in names | {"at", "facing_deg", "scale"}}
        edits = Edits(**{k: v for k, v in now.items() if k in names})
        parts, facts = build(**mine)
        deg = float(now.get("facing_deg", facing_deg))
        spot, size = np.asarray(now.get("at", at), float), float(now.get("scale", 1.0))
        turn = rot("z", deg) * size
        done = put(edits.applied(parts), rot("z", deg), size, spot)
        moved = {
            k: spot + turn @ v if isinstance(v, np.ndarray) and v.shape == (3,) else v
            for k, v in facts.items()
        }
        moved |= {
            "facing_deg": deg,
            "facing": tuple(float(v) for v in rot("z", deg)[:, 0]),
            "ahead": spot + turn @ np.array([1.0, 0.0, 0.0]),
            "how": dict(now),
        }

        def again(**new: Any) -> Thing:
            return make({**now, **new})

        return replace(base, parts=tuple(done), facts={**base.facts, **moved}, remake=again)

    return make(how)
