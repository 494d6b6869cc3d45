"""One image from (seed, index): draw a setting, check it, render it, develop it, note the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from physgauge.types import DOMAINS

from .blank import blank
from .captions import caption
from .geometry.subject import Part
from .measure import Outlines, Seen, measure
from .paints import U8
from .planting.evidence import (
    complete,
    cut_off,
    evident,
    hidden_too_much,
    legs_shown,
    planted_mask,
    still_evident,
    visibly_different,
)
from .planting.plant import KINDS, Planting
from .post import develop, encode, expose
from .render import Scene, Stage
from .setting import Setting, draw_setting
from .surroundings.backdrop import Surroundings, surroundings
from .surroundings.occlude import occluder

NONE_SHARE: Final = 0.17
"""Share of images without a subject in `--domain all`."""
OCCLUDED_SHARE: Final = 0.15
ALL_LEGS_SHARE: Final = 0.8
"""Share of clean animals seen from the side or a quarter for which every leg must show."""
_TRIES: Final = 80


@dataclass(frozen=True, slots=True)
class Shot:
    """A finished image with its truth."""

    data: bytes
    """Encoded file."""
    domain: str
    caption: str
    subtype: str | None = None
    view: str | None = None
    azimuth: float | None = None
    elevation: float | None = None
    occluded: bool = False
    kind: str | None = None
    planted_class: str | None = None
    detail: str | None = None
    parts: tuple[Seen, ...] = ()
    """Annotated parts only."""
    subjects: tuple[dict[str, Any], ...] = ()
    """Of a picture of several subjects (`several.py`): their columns of the truth table."""
    subject_of: tuple[int, ...] = ()
    """Which of them each part belongs to."""
    arrangement: str | None = None
    """How they stand to each other."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """A setting whose segmentation passed the checks."""

    parts: list[Part]
    """In the order of the segmentation ids."""
    seg: NDArray[np.int32]
    seen: list[Seen]
    twin_parts: list[Part]
    """The clean twin's parts."""
    mask: NDArray[np.bool_]
    """Pixels that must differ from the clean twin's picture (none in a clean image)."""
    outlines: Outlines


def shoot(stage: Stage, seed: int, index: int, domain: str, violated: float, form: str) -> Shot:
    """The image `index` of the data set `seed`; it depends on these arguments and the size only.

    Raises:
        RuntimeError: no evident image within the allowed tries (never seen in practice).
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, index]))
    if domain == "all":
        domain = "none" if rng.random() < NONE_SHARE else str(rng.choice(DOMAINS))
    kind = str(rng.choice(KINDS)) if rng.random() < violated else None
    if domain == "none":
        pixels, text = blank(stage, rng)
        return Shot(encode(rng, develop(rng, pixels), form), "none", text)
    for _ in range(_TRIES):
        setting = draw_setting(rng, domain, kind)
        shot = _attempt(stage, rng, setting, form) if setting else None
        if shot is not None:
            return shot
    raise RuntimeError(
        f"expected an evident image within {_TRIES} tries, got none: "
        f"seed {seed}, index {index}, {domain}, {kind}"
    )


def _attempt(stage: Stage, rng: Generator, setting: Setting, form: str) -> Shot | None:
    """The image of a setting, or None when it would not be evident (or not clean)."""
    stage.clear()
    checked = _check(stage, rng, setting)
    if checked is None:
        return None
    around = surroundings(rng, setting.camera, setting.floor, setting.clean.domain)
    seen, block = checked.seen, None
    if rng.random() < OCCLUDED_SHARE:
        block = occluder(rng, setting.shown, setting.camera, setting.floor)
        after = _occluded(stage, setting, checked, block)
        seen, block = (seen, None) if after is None else (after, block)
    pixels = _render(stage, setting, checked, around, [] if block is None else [block])
    if pixels is None:
        return None
    body = (checked.seg > 0) & (checked.seg <= len(setting.shown.parts))
    pixels = expose(rng, pixels, body)
    text = caption(rng, setting.clean, setting.floor is not None)
    planting = setting.planting
    return Shot(
        data=encode(rng, develop(rng, pixels), form),
        domain=setting.clean.domain,
        caption=text,
        subtype=setting.clean.subtype,
        view=setting.view,
        azimuth=setting.camera.azimuth,
        elevation=setting.camera.elevation,
        occluded=block is not None,
        kind=planting.kind if planting else None,
        planted_class=planting.cls if planting else None,
        detail=planting.detail if planting else None,
        parts=tuple(s for s in seen if s.annotated),
    )


def _check(stage: Stage, rng: Generator, setting: Setting) -> _Checked | None:
    """Whether the clean (twin) picture is complete and the planting, if any, evident."""
    camera, planting, domain = setting.camera, setting.planting, setting.clean.domain
    hiding = setting.hiding()
    parts = [*setting.shown.parts, *hiding]
    seg = stage.segment(Scene(camera, (), parts))
    outlines: Outlines = {}
    seen = measure(parts, seg, camera, outlines)
    if cut_off(seen):
        return None
    if planting is None:
        if not complete(domain, setting.view, seen):
            return None
        if not legs_shown(setting.clean, setting.view, seen) and rng.random() < ALL_LEGS_SHARE:
            return None
        return _Checked(parts, seg, seen, [], np.zeros(seg.shape, bool), outlines)
    twin_parts = [*setting.clean.parts, *hiding]
    twin_seg = stage.segment(Scene(camera, (), twin_parts))
    twin = measure(twin_parts, twin_seg, camera, outlines)
    if not complete(domain, setting.view, twin) or not evident(planting, seen, twin, parts, seg):
        return None
    mask = planted_mask(planting, parts, seg, twin_parts, twin_seg)
    return _Checked(parts, seg, seen, twin_parts, mask, outlines)


def _occluded(stage: Stage, setting: Setting, checked: _Checked, block: Part) -> list[Seen] | None:
    """What is seen with the occluder, or None when it hides too much (or nothing)."""
    camera = setting.camera
    parts = [*checked.parts, block]
    seg = stage.segment(Scene(camera, (), parts))
    after = measure(parts, seg, camera, checked.outlines)
    if hidden_too_much(checked.seen, after):
        return None
    if not any(a.px < b.px for a, b in zip(after, checked.seen, strict=True)):
        return None
    planting = setting.planting
    if planting is not None:
        twin = _twin_behind(stage, setting, planting, checked, block)
        if not still_evident(planting, after, twin):
            return None
    return after


def _twin_behind(
    stage: Stage, setting: Setting, planting: Planting, checked: _Checked, block: Part
) -> list[Seen]:
    """What the clean twin would show behind the occluder; needed where something is missing."""
    if planting.kind != "missing":
        return []
    parts = [*checked.twin_parts, block]
    seg = stage.segment(Scene(setting.camera, (), parts))
    return measure(parts, seg, setting.camera, checked.outlines)


def _render(
    stage: Stage, setting: Setting, checked: _Checked, around: Surroundings, block: list[Part]
) -> U8 | None:
    """The picture, or None when the planting hardly changes its colours."""
    stage.textures({**setting.shown.textures, **around.textures})
    rest = [*setting.gear, *block, *around.parts]
    pixels = stage.rgb(Scene(setting.camera, around.lights, [*setting.shown.parts, *rest]))
    if setting.planting is not None:
        clean = stage.rgb(Scene(setting.camera, around.lights, [*setting.clean.parts, *rest]))
        if not visibly_different(pixels, clean, checked.mask):
            return None
    return pixels
