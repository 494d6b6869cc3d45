"""What can be wrong with an animal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.camera import view_of
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.subject import Part, Subject

IDENTITY = np.eye(3)


def keys_of(s: Subject, cls: str, **tags: str) -> list[str]:
    return [p.key for p in s.find(cls, **tags)]


KINDS: Final = ("missing", "extra", "misplaced", "rescaled", "foreign", "detached")


@dataclass(frozen=True, slots=True)
class Planting:
    """A violated subject and what evidence it owes."""

    subject: Subject
    kind: str
    cls: str
    """Planted class, ``domain.component``."""
    detail: str
    """One English sentence."""
    principal: tuple[str, ...] = ()
    """Keys of the planted parts that must be well visible in the picture."""
    removed: tuple[str, ...] = ()
    """Keys that must be well visible in the clean twin (missing; the near ones of a removed group)."""
    reference: tuple[str, ...] = ()
    """Keys that must all be at least half visible in the clean twin, so that the count is decidable."""
    origin: tuple[str, ...] = ()
    """Keys whose place or size in the clean twin the principal parts are compared with."""


@dataclass(frozen=True, slots=True)
class Context:
    """From where the picture is taken."""

    azimuth: float
    elevation: float
    floor: float | None = None
    """Height of the ground, None in the air."""

    @property
    def view(self) -> str:
        """View label."""
        return view_of(self.azimuth)

    @property
    def near(self) -> str:
        """The subject's side that faces the camera."""
        return "left" if np.sin(np.deg2rad(self.azimuth)) >= 0 else "right"

    @property
    def sign(self) -> float:
        """+1 when the near side is the left (y > 0)."""
        return 1.0 if self.near == "left" else -1.0

    @property
    def right(self) -> F64:
        """The picture's right-hand direction."""
        a = np.deg2rad(self.azimuth)
        return np.array([-np.sin(a), np.cos(a), 0.0])

    @property
    def up(self) -> F64:
        """The picture's upward direction."""
        a, e = np.deg2rad(self.azimuth), np.deg2rad(self.elevation)
        return np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])

    def sees(self, *views: str) -> bool:
        """Whether the view is one of these."""
        return self.view in views


Variant = Callable[[Subject, Context, Generator], "Planting | None"]


def missing(
    s: Subject,
    keys: Sequence[str],
    detail: str,
    witness: Sequence[str] | None = None,
    reference: Sequence[str] = (),
) -> Planting | None:
    """The subject without these parts; `witness` are those that the clean twin must show well."""
    if not keys:
        return None
    cls = s.get(keys[0]).cls or ""
    return Planting(
        s.without(keys),
        "missing",
        cls,
        detail,
        removed=tuple(witness if witness is not None else keys),
        reference=tuple(reference),
    )


def extra(
    s: Subject,
    key: str,
    linear: ArrayLike,
    origin: ArrayLike,
    shift: ArrayLike,
    detail: str,
    *,
    family: bool = True,
    suffix: str = ".extra",
) -> Planting:
    """A second copy of a part, transformed about `origin`."""
    if family:
        subject = s.copied(key, lambda p: p.about(linear, origin, shift), suffix)
    else:
        part = s.get(key).about(linear, origin, shift)
        subject = s.plus([replace(part, key=key + suffix, owner=None, joins=None, planted=True)])
    return Planting(
        subject, "extra", s.get(key).cls or "", detail, principal=(key + suffix,), origin=(key,)
    )


def move(
    s: Subject,
    keys: Sequence[str],
    linear: ArrayLike,
    origin: ArrayLike,
    shift: ArrayLike,
    detail: str,
    principal: Sequence[str] | None = None,
) -> Planting:
    """Parts (with what hangs on them) put elsewhere."""
    out = s
    for k in keys:
        out = out.edited(k, lambda p: p.about(linear, origin, shift))
    main = tuple(principal if principal is not None else keys)
    return Planting(out, "misplaced", s.get(keys[0]).cls or "", detail, principal=main, origin=main)


def rescale(
    s: Subject,
    keys: Sequence[str],
    factor: float,
    detail: str,
    *,
    floor: bool = False,
    principal: Sequence[str] | None = None,
    linear: F64 | None = None,
) -> Planting:
    """Parts scaled about their attachment (`floor`: about the point on the ground below it)."""
    out = s
    a = np.eye(3) * factor if linear is None else linear
    for k in keys:
        pivot = np.array(s.get(k).pivot)
        if floor:
            pivot[2] = 0.0
        out = out.edited(k, lambda p, o=pivot: p.about(a, o))  # type: ignore[misc]
    main = tuple(principal if principal is not None else keys)
    return Planting(out, "rescaled", s.get(keys[0]).cls or "", detail, principal=main, origin=main)


def graft(
    s: Subject, parts: Sequence[Part], detail: str, principal: Sequence[str] | None = None
) -> Planting:
    """Parts of something else attached to the subject."""
    new = [replace(p, planted=True) for p in parts]
    main = tuple(principal if principal is not None else [p.key for p in new if p.cls])
    return Planting(
        s.plus(new), "foreign", next(p.cls for p in new if p.cls) or "", detail, principal=main
    )


def detach(s: Subject, key: str, ctx: Context, rng: Generator, name: str) -> Planting:
    """A part drifted off in the picture plane until it is clear of everything else.

    Among directions round the outward one, one of the shortest ways is taken: along a direction u
    the part is clear when its least extent along u passes the others' greatest.
    """
    gone = {p.key for p in s.family(key)}
    part = np.concatenate([p.verts() for p in s.family(key)])
    rest = np.concatenate([p.verts() for p in s.parts if p.key not in gone])
    plane = np.stack([ctx.right, ctx.up])
    off = plane @ (s.get(key).centre - (rest.min(0) + rest.max(0)) / 2)
    angles = np.arctan2(off[1], off[0]) + np.linspace(-1.2, 1.2, 9)
    ways = np.stack([np.cos(angles), np.sin(angles)], 1) @ plane
    need = np.maximum((rest @ ways.T).max(0) - (part @ ways.T).min(0), 0.0)
    if ctx.floor is not None:
        sunk = part[:, 2].min() + ways[:, 2] * (need + 0.2) < ctx.floor + 0.02
        need = np.where(sunk, need + 10.0, need)
    good = np.nonzero(need <= need.min() * 1.35 + 0.05)[0]
    pick = int(good[rng.integers(len(good))])
    step = ways[pick] * (need[pick] % 10.0 + float(rng.uniform(0.1, 0.25)))
    out = s.edited(key, lambda p: p.transformed(np.eye(3), step))
    return Planting(
        out,
        "detached",
        s.get(key).cls or "",
        f"the {name} floats away from its place",
        principal=(key,),
        origin=(key,),
    )


def draw(
    s: Subject, kind: str, table: dict[str, Sequence[Variant]], ctx: Context, rng: Generator
) -> Planting | None:
    """One variant of the kind that applies to this subject and view, or None."""
    variants: list[Variant] = list(table[kind])
    for i in rng.permutation(len(variants))[:6]:
        planting: Planting | None = variants[int(i)](s, ctx, rng)
        if planting is not None:
            return planting
    return None
