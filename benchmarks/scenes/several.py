"""Pictures of two or three subjects, at most one of them with a planted violation.

The subjects stand in a row across the picture (aircraft in the air: across or one above another), apart,
near to each other, or one partly before the other. Every part's box says whose it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from physgauge.types import DOMAINS

from .compose import Shot
from .geometry.camera import Camera, aim, draw_azimuth, view_of
from .geometry.mesh import F64
from .geometry.solids import rot
from .geometry.subject import Paint, Part, Subject
from .measure import Outlines, Seen, measure
from .paints import U8
from .planting.evidence import complete, cut_off, evident, planted_mask, visibly_different
from .planting.plant import KINDS, Context, Planting, draw
from .post import develop, encode, expose
from .render import Scene, Stage
from .setting import BUILD, TABLES
from .several_captions import caption_of
from .subjects import aircraft
from .surroundings.backdrop import surroundings

ARRANGEMENTS: Final = {
    "apart": (0.55, (0.08, 0.5)),
    "near": (0.25, (0.02, 0.08)),
    "overlapping": (0.2, (-0.4, -0.06)),
}
"""Share of the pictures, and the gaps between neighbours in widths of the narrower one."""
LIT: Final = 6.0
"""Half the side of the square that the sun's shadow map covers, scene units."""
MIXED_SHARE: Final = 0.4
"""Share of pictures of several domains in `--domain all`."""
_TRIES: Final = 200
_FILL: Final = 0.8
"""A subject alone mostly fills this share of a frame: what "evident" is measured against."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One subject where it stands."""

    clean: Subject
    """Without violation."""
    planting: Planting | None
    rest: tuple[Part, ...]
    """Landing gear."""
    azimuth: float
    """From where the camera sees it, degrees."""

    @property
    def shown(self) -> Subject:
        """As the picture shows it."""
        return self.planting.subject if self.planting else self.clean

    def moved(self, linear: F64, shift: F64) -> Placed:
        """Under ``v -> linear @ v + shift``; parts that clean and planted subject share stay shared."""
        known: dict[int, Part] = {}

        def move(part: Part) -> Part:
            return known.setdefault(id(part), part.transformed(linear, shift))

        planting = self.planting and replace(
            self.planting,
            subject=_with(self.planting.subject, map(move, self.planting.subject.parts)),
        )
        clean = _with(self.clean, map(move, self.clean.parts))
        return replace(self, clean=clean, planting=planting, rest=tuple(map(move, self.rest)))


def _with(subject: Subject, parts: object) -> Subject:
    return replace(subject, parts=tuple(parts))  # type: ignore[arg-type]


def shoot_several(
    stage: Stage, seed: int, index: int, domain: str, violated: float, form: str, most: int
) -> Shot:
    """The image `index` of the data set `seed`, with two to `most` subjects; it depends on these
    arguments and the size only.

    Raises:
        RuntimeError: no evident image within the allowed tries (never seen in practice).
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, index, most]))
    for _ in range(_TRIES):
        shot = _attempt(stage, rng, domain, rng.random() < violated, form, most)
        if shot is not None:
            return shot
    raise RuntimeError(
        f"expected an evident image within {_TRIES} tries, got none: seed {seed}, index {index}"
    )


def _attempt(
    stage: Stage, rng: Generator, domain: str, violated: bool, form: str, most: int
) -> Shot | None:
    stage.clear()
    number = int(rng.integers(2, most + 1))
    elevation = float(rng.uniform(4, 30))
    domains = _domains(rng, domain, number)
    flying = set(domains) == {"aircraft"} and rng.random() < 0.5
    kinds = [str(rng.choice(KINDS)) if violated and k == 0 else None for k in range(number)]
    like = rng.random() < 0.5 and len(set(domains)) == 1
    placed: list[Placed] = []
    for own, kind in zip(domains, kinds, strict=True):
        subtype = placed[0].clean.subtype if like and placed else None
        one = _place(rng, own, kind, elevation, subtype, flying=flying)
        if one is None:
            return None
        placed.append(one)
    arrangement = str(
        rng.choice(list(ARRANGEMENTS), p=[share for share, _ in ARRANGEMENTS.values()])
    )
    turn = float(rng.uniform(0, 360))
    floor = None if flying else 0.0
    placed = _arrange(rng, placed, arrangement, turn, upward=flying and rng.random() < 0.3)
    camera = _camera(rng, placed, turn, elevation)
    if floor is not None and camera.pos[2] < floor + 0.08:
        return None
    around = surroundings(rng, camera, floor, domains[0])
    rest = [p for one in placed for p in one.rest]
    checked = _check(stage, placed, camera, [*rest, *around.parts], arrangement)
    if checked is None:
        return None
    textures = dict(around.textures)
    for one in placed:
        textures.update(one.shown.textures)
    if len(textures) > 8:
        return None
    stage.textures(textures)
    shown = [p for one in placed for p in one.shown.parts]
    pixels = stage.rgb(Scene(camera, around.lights, [*shown, *rest, *around.parts]))
    if checked.mask.any():
        clean = [p for one in placed for p in one.clean.parts]
        twin = stage.rgb(Scene(camera, around.lights, [*clean, *rest, *around.parts]))
        if not visibly_different(pixels, twin, checked.mask):
            return None
    return _shot(rng, placed, checked, camera, pixels, form, arrangement)


def _domains(rng: Generator, domain: str, number: int) -> list[str]:
    if domain != "all":
        return [domain] * number
    if rng.random() < MIXED_SHARE:
        pair = [str(d) for d in rng.permutation(DOMAINS)[:2]]
        return [pair[0], *(str(rng.choice(pair)) for _ in range(number - 2)), pair[1]]
    return [str(rng.choice(DOMAINS))] * number


def _place(
    rng: Generator,
    domain: str,
    kind: str | None,
    elevation: float,
    subtype: str | None,
    *,
    flying: bool,
) -> Placed | None:
    """A subject as it stands alone, turned so that a camera at azimuth 0 sees it at its own azimuth."""
    subject = BUILD[domain](rng, subtype)
    azimuth = draw_azimuth(rng)
    rest: tuple[Part, ...] = ()
    floor: float | None = 0.0
    if domain == "aircraft":
        floor = None
        if not flying:
            part, floor = aircraft.gear(subject, rng)
            rest = (part,)
    planting = None
    if kind is not None:
        planting = draw(subject, kind, TABLES[domain], Context(azimuth, elevation, floor), rng)
        if planting is None:
            return None
    one = Placed(subject, planting, rest, azimuth)
    size = float(rng.uniform(0.8, 1.25)) * (0.75 if domain == "animal" else 1.0)
    return one.moved(rot("z", -azimuth) * size, np.array([0, 0, -(floor or 0.0) * size]))


def _arrange(
    rng: Generator, placed: Sequence[Placed], arrangement: str, turn: float, *, upward: bool
) -> list[Placed]:
    """The subjects in a random order, side by side as the camera at azimuth 0 sees them (or one above
    another); then all turned to the camera."""
    low, high = ARRANGEMENTS[arrangement][1]
    axis = 2 if upward else 1
    out: list[Placed | None] = [None] * len(placed)
    end: float | None = None
    width = 0.0
    for k in rng.permutation(len(placed)):
        one = placed[k]
        verts = one.shown.verts()
        least, most = float(verts[:, axis].min()), float(verts[:, axis].max())
        depth = float(rng.uniform(-0.3, 0.3))
        at = (
            -least
            if end is None
            else end + float(rng.uniform(low, high)) * min(width, most - least)
        )
        if end is not None and arrangement == "overlapping":
            depth = -float(rng.uniform(1.2, 2.0))
        shift = np.zeros(3)
        shift[axis] = at if end is None else at - least
        shift[0] = depth
        end, width = shift[axis] + most, most - least
        out[k] = one.moved(np.eye(3), shift)
    middle = np.zeros(3)
    every = np.concatenate([one.shown.verts() for one in out if one is not None])
    middle[axis] = -(every[:, axis].min() + every[:, axis].max()) / 2
    around = rot("z", turn)
    return [_named(one.moved(around, around @ middle), k) for k, one in enumerate(out) if one]


def _named(one: Placed, k: int) -> Placed:
    """With textures of its own: each subject's have the same names."""
    names = {name: f"{name}.{k}" for name in one.shown.textures | one.clean.textures}
    known: dict[int, Paint] = {}
    parts: dict[int, Part] = {}

    def paint(old: Paint) -> Paint:
        new = replace(old, texture=names.get(old.texture or "", old.texture))
        return known.setdefault(id(old), new)

    def part(old: Part) -> Part:
        pieces = tuple(replace(piece, paint=paint(piece.paint)) for piece in old.pieces)
        return parts.setdefault(id(old), replace(old, pieces=pieces))

    def subject(old: Subject) -> Subject:
        textures = {names[name]: pixels for name, pixels in old.textures.items()}
        return replace(old, parts=tuple(map(part, old.parts)), textures=textures)

    planting = one.planting and replace(one.planting, subject=subject(one.planting.subject))
    return replace(one, clean=subject(one.clean), planting=planting)


def _camera(rng: Generator, placed: Sequence[Placed], turn: float, elevation: float) -> Camera:
    verts = np.concatenate([one.shown.verts() for one in placed])
    fov = float(np.exp(rng.uniform(np.log(14), np.log(40))))
    roll = float(np.clip(rng.normal() * 1.5, -4, 4))
    place = (float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.8, 0.8)))
    return aim(verts, turn, elevation, fov, roll, float(rng.uniform(0.85, 0.97)), place)


@dataclass(frozen=True, slots=True)
class _Checked:
    """A picture that passed the checks."""

    seen: list[list[Seen]]
    """Per subject."""
    body: NDArray[np.bool_]
    """Pixels of the subjects."""
    mask: NDArray[np.bool_]
    """Pixels that must differ from the clean twin's picture."""


def _check(
    stage: Stage, placed: Sequence[Placed], camera: Camera, rest: list[Part], arrangement: str
) -> _Checked | None:
    """Whether every subject is seen whole enough and the planting, if any, is evident."""
    shown = _seen(stage, [list(one.shown.parts) for one in placed], camera, rest)
    clean = shown
    if any(one.planting for one in placed):
        clean = _seen(stage, [list(one.clean.parts) for one in placed], camera, rest)
    mask = np.zeros((stage.size, stage.size), bool)
    for k, one in enumerate(placed):
        seen, twin = shown[k].seen, clean[k].seen
        if cut_off(seen):
            return None
        if arrangement != "overlapping":
            if not complete(one.clean.domain, view_of(one.azimuth), twin):
                return None
        elif sum(s.annotated for s in seen) < 4:
            return None
        if one.planting is not None:
            if not evident(
                one.planting, seen, twin, one.shown.parts, shown[k].seg, _frame(twin, stage.size)
            ):
                return None
            mask |= planted_mask(
                one.planting, one.shown.parts, shown[k].seg, one.clean.parts, clean[k].seg
            )
    body = np.any([view.seg > 0 for view in shown], axis=0)
    return _Checked([view.seen for view in shown], body, mask)


@dataclass(frozen=True, slots=True)
class _View:
    """What the picture shows of one subject."""

    seen: list[Seen]
    seg: NDArray[np.int32]
    """Ids (index + 1) of the subject's own parts; 0 elsewhere."""


def _seen(
    stage: Stage, subjects: Sequence[list[Part]], camera: Camera, rest: list[Part]
) -> list[_View]:
    parts = [p for own in subjects for p in own]
    seg = stage.segment(Scene(camera, (), [*parts, *rest]))
    views, first = [], 0
    outlines: Outlines = {}
    for own in subjects:
        mine = (seg > first) & (seg <= first + len(own))
        own_seg = np.where(mine, seg - first, 0).astype(np.int32)
        views.append(_View(measure(own, own_seg, camera, outlines), own_seg))
        first += len(own)
    return views


def _frame(seen: Sequence[Seen], size: int) -> int:
    """Side (px) of the frame that the subject would have alone."""
    boxes = np.array([s.full for s in seen if s.px > 0] or [(0.0, 0.0, size, size)])
    extent = max(np.ptp(boxes[:, [0, 2]]), np.ptp(boxes[:, [1, 3]]))
    return max(1, round(float(extent) / _FILL))


def _shot(
    rng: Generator,
    placed: Sequence[Placed],
    checked: _Checked,
    camera: Camera,
    pixels: U8,
    form: str,
    arrangement: str,
) -> Shot:
    order = np.argsort([min(s.full[0] for s in seen) for seen in checked.seen])
    placed = [placed[k] for k in order]
    seen = [checked.seen[k] for k in order]
    text = caption_of(rng, [one.clean for one in placed])
    first = next((one for one in placed if one.planting), placed[0])
    planting = first.planting
    data = encode(rng, develop(rng, expose(rng, pixels, checked.body)), form)
    return Shot(
        data=data,
        domain=first.clean.domain,
        caption=text,
        subtype=first.clean.subtype,
        view=view_of(first.azimuth),
        azimuth=first.azimuth,
        elevation=camera.elevation,
        kind=planting.kind if planting else None,
        planted_class=planting.cls if planting else None,
        detail=planting.detail if planting else None,
        parts=tuple(s for own in seen for s in own if s.annotated),
        subject_of=tuple(k for k, own in enumerate(seen) for s in own if s.annotated),
        subjects=tuple(
            {
                "domain": one.clean.domain,
                "subtype": one.clean.subtype,
                "view": view_of(one.azimuth),
                "azimuth_deg": one.azimuth,
                "violated": one.planting is not None,
            }
            for one in placed
        ),
        arrangement=arrangement,
    )
