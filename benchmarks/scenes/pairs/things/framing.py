"""A camera that shows a layout's subject and enough of the rest; things that run into none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.camera import Camera, aim
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.world import Thing, Water, World
from benchmarks.scenes.surroundings.backdrop import backdrop

from .open_air import sky, sun


@dataclass(slots=True)
class Layout:
    """A scene before its camera is chosen; the viewer is somewhere towards -y."""

    things: list[Thing]
    stage: list[Part] = field(default_factory=list)
    textures: dict[str, U8] = field(default_factory=dict)
    free: list[tuple[float, float, float]] = field(default_factory=list)
    water: Water | None = None
    ground: float = 0.0
    light: str = "day"
    skies: tuple[str, ...] = ("clear", "clear", "pale", "grey", "evening")
    turn: tuple[float, float] = (-28.0, 28.0)
    """Range of the camera's azimuth about -90 degrees."""
    rise: tuple[float, float] = (5.0, 20.0)
    """Range of its elevation."""
    fill: tuple[float, float] = (0.5, 0.8)
    """How much of the frame the subjects fill."""
    fov: tuple[float, float] = (26.0, 52.0)
    least: int = 2
    """Asides that must be plain to see."""
    focus: F64 | None = None
    """Points [n, 3] to fill the frame with, instead of the subjects'."""


Boxes = list[tuple[float, float, float, float, float]]
"""Of each thing in the frame: x0, y0, x1, y1 of 0..1, and its distance."""


def _boxes(camera: Camera, points: F64) -> Boxes:
    """Boxes of things that `_sample` took the points [things, n, 3] of."""
    p = camera.project(points, 1, 1)
    depth = (points - camera.pos) @ camera.forward
    low, high, far = p.min(1), p.max(1), np.median(depth, axis=1)
    hidden = depth.min(1) < 0.2
    low[hidden] = high[hidden] = 0.0
    rows = np.concatenate([low, high, far[:, None]], 1)
    return [(r[0], r[1], r[2], r[3], r[4]) for r in rows.tolist()]


def _sample(thing: Thing) -> F64:
    """48 of its points, [48, 3], with its extremes."""
    v = thing.verts()
    ends = np.concatenate([v.argmin(0), v.argmax(0)])
    picked: F64 = v[np.concatenate([ends, np.linspace(0, len(v) - 1, 42).astype(int)])]
    return picked


def _area(x0: float, y0: float, x1: float, y1: float) -> float:
    return max(x1 - x0, 0.0) * max(y1 - y0, 0.0)


def _shown(boxes: Boxes, k: int) -> float:
    """Share of the frame of box k inside it, less what nearer ones cover; negative where much is cut."""
    x0, y0, x1, y1, depth = boxes[k]
    whole = _area(x0, y0, x1, y1)
    if whole <= 0:
        return -1.0
    a, b, c, d = max(x0, 0.0), max(y0, 0.0), min(x1, 1.0), min(y1, 1.0)
    inside = _area(a, b, c, d)
    covered = 0.0
    for n, (u0, v0, u1, v1, far) in enumerate(boxes):
        if n != k and far < depth - 0.05:
            covered += _area(max(a, u0), max(b, v0), min(c, u1), min(d, v1))
    if inside < 0.72 * whole:
        return -1.0
    return inside - 0.75 * covered


def _covered(boxes: Boxes, k: int) -> float:
    """Share of a subject's box covered by that of the one nearer thing which hides most of it."""
    x0, y0, x1, y1, depth = boxes[k]
    nearer = [b for n, b in enumerate(boxes) if n != k and b[4] < depth - 0.3]
    most = max(
        (_area(max(x0, a), max(y0, b), min(x1, c), min(y1, d)) for a, b, c, d, _ in nearer),
        default=0.0,
    )
    return most / max(_area(x0, y0, x1, y1), 1e-9)


_ASIDE: Final = 0.037
"""Share of the frame that the box of a plain aside covers."""


def _quality(camera: Camera, layout: Layout, points: F64, cut: bool) -> float:
    """Number of plain asides, less where the subject is covered or (unless `cut`) out of the frame."""
    boxes = _boxes(camera, points)
    asides, score = 0, 0.0
    for k, thing in enumerate(layout.things):
        if thing.facts.get("detail"):
            continue
        shown = _shown(boxes, k)
        if thing.subject:
            x0, y0, x1, y1, _ = boxes[k]
            inside = _area(max(x0, 0), max(y0, 0), min(x1, 1), min(y1, 1)) / max(
                _area(x0, y0, x1, y1), 1e-9
            )
            if not cut and (inside < 0.9 or shown < 0.05):
                score -= 2.0
            if _covered(boxes, k) > 0.4:
                score -= 2.0
        elif shown > _ASIDE:
            asides += 1
    if camera.pos[2] < layout.ground + 0.25:
        score -= 3.0
    return score + min(asides, layout.least + 2)


def _camera(rng: Generator, layout: Layout, tries: int) -> tuple[Camera, float]:
    points = np.stack([_sample(one) for one in layout.things])
    focus = layout.focus
    if focus is None:
        focus = np.concatenate([_sample(one) for one in layout.things if one.subject])
    elif len(focus) > 200:
        focus = focus[np.linspace(0, len(focus) - 1, 200).astype(int)]
    cut = layout.focus is not None
    best: tuple[Camera, float] | None = None
    for _ in range(tries):
        camera = aim(
            focus,
            -90.0 + float(rng.uniform(*layout.turn)),
            float(rng.uniform(*layout.rise)),
            float(np.exp(rng.uniform(*np.log(layout.fov)))),
            float(np.clip(rng.normal() * 1.2, -3, 3)),
            float(rng.uniform(*layout.fill)),
            (float(rng.uniform(-0.75, 0.75)), float(rng.uniform(-0.4, 0.6))),
        )
        score = _quality(camera, layout, points, cut)
        if best is None or score > best[1]:
            best = (camera, score)
        if score >= layout.least + 1:
            break
    assert best is not None
    return best


def shown(rng: Generator, base: str, place: str, draw: Callable[[Generator], Layout]) -> World:
    """A world whose camera shows the subject and enough of the rest; another layout where none does."""
    best: tuple[Layout, Camera, float] | None = None
    for _ in range(3):
        layout = draw(rng)
        layout.things = apart(layout.things)
        camera, score = _camera(rng, layout, 26)
        if best is None or score > best[2]:
            best = (layout, camera, score)
        if score >= layout.least:
            break
    assert best is not None
    layout, camera, _ = best
    main, others = sun(rng, camera.azimuth, layout.light)
    textures: dict[str, U8] = {"backdrop": sky(rng, layout.skies), **layout.textures}
    for one in layout.things:
        textures |= one.facts.get("textures") or {}
    return World(
        base,
        camera,
        main,
        others,
        tuple(layout.things),
        (backdrop(camera), *layout.stage),
        textures,
        ground=layout.ground,
        water=layout.water,
        place=place,
        free=tuple(_in_sight(camera, layout.free)),
    )


def _in_sight(
    camera: Camera, free: Sequence[tuple[float, float, float]]
) -> list[tuple[float, float, float]]:
    if not free:
        return []
    p = camera.project(np.array(free), 1, 1)
    inside = ((p > 0.08) & (p < 0.92)).all(1) & (
        (np.array(free) - camera.pos) @ camera.forward > 0.5
    )
    return [spot for spot, ok in zip(free, inside, strict=True) if ok]


def apart(things: Sequence[Thing]) -> list[Thing]:
    """Those that run into none before them; what rests on, hangs on or lies under another one is left."""
    kept: list[Thing] = []
    ends = {one.key: (one.low - 0.03, one.high) for one in things}
    for one in things:
        low, high = ends[one.key]
        if not one.subject and not one.facts.get("detail"):
            solid = [
                k
                for k in kept
                if not k.facts.get("detail")
                and one.rests_on != k.key
                and k.rests_on != one.key
                and not ((low > ends[k.key][1]) | (ends[k.key][0] > high)).any()
            ]
            if any(_meet(one, k) for k in solid):
                continue
            if one.rests_on is not None and all(k.key != one.rests_on for k in kept):
                continue
        kept.append(one)
    keys = {one.key for one in kept}
    return [one for one in kept if one.facts.get("of", one.key) in keys]


def _meet(one: Thing, other: Thing) -> bool:
    """Whether parts of them overlap, by boxes along the axes of both."""
    gap = 0.03
    for deg in {float(one.facts.get("facing_deg", 0.0)), float(other.facts.get("facing_deg", 0.0))}:
        turn = rot("z", deg)
        (a0, a1), (b0, b1) = (_part_boxes(t, turn) for t in (one, other))
        clear_ = ((a0[:, None] - gap > b1[None]) | (b0[None] - gap > a1[:, None])).any(-1)
        if clear_.all():
            return False
    return True


def _part_boxes(thing: Thing, turn: F64) -> tuple[F64, F64]:
    verts = [part.verts() @ turn for part in thing.parts]
    return np.stack([v.min(0) for v in verts]), np.stack([v.max(0) for v in verts])
