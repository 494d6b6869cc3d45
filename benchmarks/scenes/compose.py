"""One image from (seed, index): subject, planting, camera, surroundings, checks, pixels, truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from . import aircraft, animal, car, plant_aircraft, plant_animal, plant_car
from .backdrop import ground, surroundings
from .camera import Camera, aim, draw_azimuth, view_of
from .captions import caption
from .evidence import complete, evident, hidden_too_much, planted_mask, visibly_different
from .flat import flat, shuffled
from .measure import Outlines, Seen, measure
from .nothing import arrange
from .occlude import occluder
from .paints import U8
from .plant import KINDS, Context, Planting, draw
from .post import develop, encode, expose
from .render import Scene, Stage
from .subject import Part, Subject

NONE_SHARE: Final = 0.17
"""Share of images without a subject in `--domain all`."""
OCCLUDED_SHARE: Final = 0.15
_BUILD: Final = {"aircraft": aircraft.build, "car": car.build, "animal": animal.build}
_TABLES: Final = {"aircraft": plant_aircraft.TABLE, "car": plant_car.TABLE, "animal": plant_animal.TABLE}
_TRIES: Final = 60


@dataclass(frozen=True, slots=True)
class Shot:
    """A finished image with its truth."""

    data: bytes
    """Encoded file."""
    domain: str
    subtype: str | None
    view: str | None
    caption: str
    azimuth: float | None
    elevation: float | None
    occluded: bool
    kind: str | None
    planted_class: str | None
    detail: str | None
    parts: tuple[Seen, ...]
    """Annotated parts only."""


@dataclass(frozen=True, slots=True)
class _Setting:
    subject: Subject
    planting: Planting | None
    camera: Camera
    floor: float | None
    """Height of the ground, None in the air."""
    gear: tuple[Part, ...]
    """Landing gear."""

    def hiding(self) -> tuple[Part, ...]:
        """What is drawn in the segmentation besides the subject, since it hides parts."""
        return self.gear if self.floor is None else (*self.gear, ground(self.floor))


def shoot(stage: Stage, seed: int, index: int, domain: str, violated: float, form: str) -> Shot:
    """The image `index` of the data set `seed`; depends on nothing else but the options."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, index]))
    if domain == "all":
        domain = "none" if rng.random() < NONE_SHARE else str(rng.choice(["aircraft", "car", "animal"]))
    else:
        rng.random(2)
    plant_it = bool(rng.random() < violated)
    kind = str(rng.choice(KINDS)) if plant_it else None
    if domain == "none":
        return _none(stage, rng, form)
    for attempt in range(_TRIES):
        setting = _setting(rng, domain, kind)
        shot = _attempt(stage, rng, setting, form, strict=attempt < _TRIES // 2) if setting else None
        if shot is not None:
            return shot
    raise RuntimeError(f"expected an evident image within {_TRIES} tries, got none: seed {seed}, index {index}, {domain}, {kind}")


def _setting(rng: Generator, domain: str, kind: str | None) -> _Setting | None:
    subject = _BUILD[domain](rng, None)
    azimuth = draw_azimuth(rng)
    floor: float | None = 0.0 if rng.random() < 0.88 else None
    gear: tuple[Part, ...] = ()
    if domain == "aircraft":
        floor = None
        if rng.random() < 0.4:
            part, floor = aircraft.gear(subject, rng)
            gear = (part,)
        elevation = float(rng.uniform(3, 38)) if floor is not None else float(rng.uniform(-28, 40))
    elif domain == "car":
        elevation = float(rng.uniform(4, 38))
    else:
        elevation = float(rng.uniform(2, 32))
    planting = None
    if kind is not None:
        planting = draw(subject, kind, _TABLES[domain], Context(azimuth, elevation, floor), rng)
        if planting is None:
            return None
    shown = planting.subject if planting else subject
    low = 0.62 if domain == "aircraft" else 0.5
    fill = float(rng.uniform(low, 0.94)) if rng.random() < 0.88 else float(rng.uniform(0.94, 1.08))
    fov = float(np.exp(rng.uniform(np.log(14), np.log(50))))
    roll = float(np.clip(rng.normal() * 2.5, -6, 6))
    place = (float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.8, 0.8)))
    camera = aim(shown.verts(), azimuth, elevation, fov, roll, fill, place)
    if floor is not None and camera.pos[2] < floor + 0.08:
        return None
    return _Setting(subject, planting, camera, floor, gear)


def _attempt(stage: Stage, rng: Generator, setting: _Setting, form: str, strict: bool) -> Shot | None:
    clean, planting, camera = setting.subject, setting.planting, setting.camera
    shown = planting.subject if planting else clean
    stage.clear()
    hiding = setting.hiding()
    parts = [*shown.parts, *hiding]
    scene = Scene(camera, (), parts, {})
    seg = stage.segment(scene)
    known: Outlines = {}
    seen = measure(parts, seg, camera, known)
    twin_parts = [*clean.parts, *hiding]
    view = view_of(camera.azimuth)
    mask = np.zeros(seg.shape, bool)
    if planting is None:
        if not complete(clean.domain, view, seen) or _truncated(seen, camera):
            return None
        if strict and clean.domain == "animal" and not _legs_shown(clean, view, seen) and rng.random() < 0.8:
            return None
    else:
        twin_seg = stage.segment(Scene(camera, (), twin_parts, {}))
        twin = measure(twin_parts, twin_seg, camera, known)
        if not complete(clean.domain, view, twin) or not evident(planting, seen, twin, parts, seg):
            return None
        mask = planted_mask(planting, parts, seg, twin_parts, twin_seg)
    around = surroundings(rng, camera, setting.floor, clean.domain)
    occluded = False
    block: list[Part] = []
    if rng.random() < OCCLUDED_SHARE:
        block = [occluder(rng, shown, camera, setting.floor)]
        with_block = [*parts, *block]
        seg2 = stage.segment(Scene(camera, (), with_block, {}))
        after = measure(with_block, seg2, camera, known)
        ok = not hidden_too_much(seen, after) and (planting is None or _still_evident(planting, after, stage.size))
        if ok and (seg2 == len(with_block)).sum() > 0.004 * seg.size and any(a.px < b.px for a, b in zip(after, seen, strict=True)):
            seen, occluded = after, True
        else:
            block = []
    textures = {**shown.textures, **around.textures}
    stage.textures(textures)
    pixels = stage.rgb(Scene(camera, around.lights, [*shown.parts, *setting.gear, *block, *around.parts], textures))
    if planting is not None:
        before = stage.rgb(Scene(camera, around.lights, [*clean.parts, *setting.gear, *block, *around.parts], textures))
        if not visibly_different(planting, pixels, before, mask):
            return None
    pixels = expose(rng, pixels, (seg > 0) & (seg <= len(shown.parts)))
    text = caption(rng, clean, setting.floor is not None)
    data = encode(rng, develop(rng, pixels), form)
    return Shot(
        data, clean.domain, clean.subtype, view, text, camera.azimuth, camera.elevation, occluded,
        planting.kind if planting else None, planting.cls if planting else None, planting.detail if planting else None,
        tuple(s for s in seen if s.annotated),
    )  # fmt: skip


def _truncated(seen: list[Seen], camera: Camera) -> bool:
    """Whether the frame cuts off most of a part of a clean picture."""
    return any(s.px > 0 and s.fraction < 0.4 and _outside(s) > 0.6 for s in seen)


def _outside(s: Seen) -> float:
    x0, y0, x1, y1 = s.full
    w = max(0.0, min(x1, s.box[2]) - max(x0, s.box[0]))
    h = max(0.0, min(y1, s.box[3]) - max(y0, s.box[1]))
    return 1 - w * h / max((x1 - x0) * (y1 - y0), 1e-6)


def _legs_shown(subject: Subject, view: str, seen: list[Seen]) -> bool:
    if view in ("front", "rear"):
        return True
    return sum(s.annotated for s in seen if s.cls == "animal.leg") >= subject.facts["legs"]


def _still_evident(planting: Planting, seen: list[Seen], size: int) -> bool:
    now = {s.key: s for s in seen}
    return all(now[k].fraction >= 0.5 and now[k].annotated for k in planting.principal)


def _none(stage: Stage, rng: Generator, form: str) -> Shot:
    """A picture of none of the domains; a third are flat."""
    style = rng.random()
    if style < 0.3:
        pixels, name = flat(rng, stage.size)
        text = {"sky": "an empty sky", "strokes": "a page of writing", "tiles": "a tiled surface"}.get(name, "an abstract picture")
    elif style < 0.36:
        setting = None
        while setting is None:
            setting = _setting(rng, str(rng.choice(["aircraft", "car", "animal"])), None)
        stage.clear()
        around = surroundings(rng, setting.camera, setting.floor, setting.subject.domain)
        textures = {**setting.subject.textures, **around.textures}
        stage.textures(textures)
        pixels = stage.rgb(Scene(setting.camera, around.lights, [*setting.subject.parts, *around.parts], textures))
        pixels, text = shuffled(rng, pixels), "a mosaic of patches"
    else:
        _, text, parts, camera = arrange(rng)
        stage.clear()
        around = surroundings(rng, camera, 0.0, "none")
        stage.textures(around.textures)
        pixels = stage.rgb(Scene(camera, around.lights, [*parts, *around.parts], around.textures))
    data = encode(rng, develop(rng, pixels), form)
    return Shot(data, "none", None, None, text, None, None, False, None, None, None, ())
