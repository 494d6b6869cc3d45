"""What every outdoor base shares: sky, ground, sun, far backgrounds, and a camera that shows it all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.camera import Camera, aim
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import TEX, U8, grey, to_u8
from benchmarks.scenes.pairs.world import Thing, Water, World
from benchmarks.scenes.render import Light
from benchmarks.scenes.surroundings.backdrop import backdrop
from benchmarks.scenes.surroundings.backdrop import ground as floor
from benchmarks.scenes.surroundings.outdoor import house, mountain, tree
from benchmarks.scenes.surroundings.textures import gradient

from .quick import put

_SKIES: Final = {
    "clear": ((0.2, 0.42, 0.8), (0.72, 0.84, 0.95)),
    "pale": ((0.42, 0.6, 0.86), (0.85, 0.9, 0.95)),
    "grey": ((0.56, 0.6, 0.66), (0.82, 0.84, 0.87)),
    "evening": ((0.3, 0.36, 0.6), (0.97, 0.72, 0.48)),
    "dusk": ((0.05, 0.07, 0.17), (0.36, 0.25, 0.32)),
}
_GROUNDS: Final[Mapping[str, tuple[tuple[float, float, float], float, float]]] = {
    "grass": ((0.26, 0.43, 0.17), 0.45, 0.6),
    "meadow": ((0.42, 0.5, 0.2), 0.5, 0.6),
    "asphalt": ((0.36, 0.36, 0.38), 0.22, 0.6),
    "paving": ((0.62, 0.6, 0.57), 0.16, 1.0),
    "gravel": ((0.58, 0.54, 0.48), 0.6, 0.6),
    "sand": ((0.82, 0.71, 0.5), 0.2, 1.0),
    "dunes": ((0.85, 0.64, 0.4), 0.22, 1.5),
    "snow": ((0.8, 0.82, 0.86), 0.1, 1.5),
    "mud": ((0.42, 0.33, 0.23), 0.4, 1.0),
    "court": ((0.62, 0.3, 0.22), 0.1, 1.0),
    "concrete": ((0.6, 0.6, 0.58), 0.14, 1.0),
}


def sky(rng: Generator, kinds: Sequence[str] = ("clear", "clear", "pale", "grey", "evening")) -> U8:
    """A sky of one of the kinds of `_SKIES`, mostly with clouds."""
    kind = str(rng.choice(list(kinds)))
    top, low = (np.array(c) * rng.uniform(0.88, 1.08) for c in _SKIES[kind])
    rgb = gradient(top, low)
    if rng.random() < 0.7:
        soft = field01(rng, float(rng.choice([1.5, 2.0, 2.6])))
        cover = np.clip((soft - rng.uniform(0.35, 0.65)) * rng.uniform(0.8, 2.2), 0, 0.9)[
            :, :, None
        ]
        cloud = np.array(grey(rng, 0.85, 1.0)) * (0.35 if kind == "dusk" else 1.0)
        rgb = rgb * (1 - cover) + cloud * cover
    return to_u8(rgb)


def ground_texture(rng: Generator, kind: str) -> U8:
    """A ground of one of the kinds of `_GROUNDS`."""
    base, rough, exponent = _GROUNDS[kind]
    rgb = np.array(base) * rng.uniform(0.82, 1.12) * (1 + rng.uniform(-0.05, 0.05, 3))
    tex = np.tile(rgb, (TEX, TEX, 1)) * (1 + rough * (field01(rng, exponent)[:, :, None] - 0.5))
    if kind in ("grass", "meadow") and rng.random() < 0.5:
        patch = np.clip((field01(rng, 2.0) - 0.5) * 1.6, 0, 0.6)[:, :, None]
        tex = tex * (1 - patch) + np.array([0.5, 0.45, 0.25]) * patch
    if kind == "paving":
        cell = int(rng.choice([32, 64]))
        n = np.arange(TEX) % cell < 2
        tex[n] *= 0.75
        tex[:, n] *= 0.75
    return to_u8(tex)


def sun(rng: Generator, camera_deg: float, kind: str = "day") -> tuple[Light, tuple[Light, ...]]:
    """The sun (or what is left of it) and a sky light; `kind`: day, low or dusk."""
    away = np.deg2rad(camera_deg + float(rng.uniform(25, 120)) * float(rng.choice([-1, 1])))
    low, high = {"day": (34, 66), "low": (20, 34), "dusk": (28, 55)}[kind]
    rise = np.deg2rad(float(rng.uniform(low, high)))
    way = -np.array([np.cos(rise) * np.cos(away), np.cos(rise) * np.sin(away), np.sin(rise)])
    strength, ambient = float(rng.uniform(0.55, 0.8)), float(rng.uniform(0.36, 0.52))
    if kind == "dusk":
        strength, ambient = float(rng.uniform(0.22, 0.34)), float(rng.uniform(0.34, 0.44))
    warm = np.array([1, 0.2, -1]) * float(rng.uniform(-0.04, 0.12 if kind == "day" else 0.2))
    warm = -np.abs(warm) * [1, 0.6, -1] if kind == "dusk" else warm
    d = np.clip(strength * (1 + warm), 0, 1)
    a = np.clip(ambient * (1 + np.array([-1, 0, 1]) * float(rng.uniform(-0.04, 0.1))), 0, 1)
    fill = np.array([-np.cos(away + 2.2), -np.sin(away + 2.2), -0.9])
    side = float(rng.uniform(0.1, 0.25)) * (0.5 if kind == "dusk" else 1.0)
    return (
        Light(way, (float(d[0]), float(d[1]), float(d[2])), (0.0, 0.0, 0.0), 0.3, True),
        (
            Light(
                fill / np.linalg.norm(fill),
                (side, side, side),
                (float(a[0]), float(a[1]), float(a[2])),
                0.0,
                False,
            ),
        ),
    )


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
    return v[np.concatenate([ends, np.linspace(0, len(v) - 1, 42).astype(int)])]


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
    """Share of the box of a subject that the box of the one nearer thing which hides most of it covers."""
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
    """Number of plain asides, less where the subject is not: out of the frame (unless `cut`) or covered."""
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


def open_ground(rng: Generator, kind: str, z: float = 0.0) -> tuple[Part, U8]:
    """A floor to the horizon and its texture (named "ground")."""
    scale = float(rng.uniform(0.22, 0.5))
    return floor(z, scale, (float(rng.random()), float(rng.random()))), ground_texture(rng, kind)


def strip(
    key: str,
    low: tuple[float, float],
    high: tuple[float, float],
    z: float,
    paint: Paint,
    thick: float = 0.02,
) -> Part:
    """A flat rectangle on the ground; it casts no shadow."""
    (x0, y0), (x1, y1) = low, high
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    mesh = prism([(x, y, z - thick) for x, y in corners], [(x, y, z) for x, y in corners])
    return Part(f"backdrop.{key}", None, (Piece.make(mesh, paint),))


def distance(rng: Generator, kinds: Sequence[str], count: int, z: float = 0.0) -> list[Part]:
    """Trees, houses or mountains far behind, towards +y; they cast no shadow."""
    parts = []
    for i in range(count):
        kind = str(rng.choice(list(kinds)))
        near, far, size = {
            "tree": (13, 30, 2.4),
            "house": (16, 32, 3.0),
            "mountain": (42, 58, 2.2),
        }[kind]
        y = float(rng.uniform(near, far))
        x = float(rng.uniform(-1, 1)) * (5 + 0.75 * y)
        deg = float(rng.uniform(-25, 25) if kind == "house" else rng.uniform(0, 360))
        one = _far(kind, int(rng.integers(24)))
        scale = size * float(rng.uniform(0.7, 1.3))
        placed = put([one], rot("z", deg), scale, np.array([x, y, z]))[0]
        parts.append(replace(placed, key=f"backdrop.far.{i}"))
    return parts


@lru_cache(maxsize=96)
def _far(kind: str, number: int) -> Part:
    make = {"tree": tree, "house": house, "mountain": mountain}[kind]
    return Part("far", None, tuple(make(np.random.default_rng([number, 11]))))


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


def spots(
    rng: Generator,
    things: Sequence[Thing],
    low: Any,
    high: Any,
    z: float,
    count: int,
    gap: float = 0.9,
) -> list[tuple[float, float, float]]:
    """Free places on the ground between two corners (x, y), clear of all things."""
    boxes = [(one.low, one.high) for one in things]
    found: list[tuple[float, float, float]] = []
    for _ in range(40):
        x, y = (float(v) for v in rng.uniform(low, high))
        near = any(
            a[0] - gap / 2 < x < b[0] + gap / 2 and a[1] - gap / 2 < y < b[1] + gap / 2
            for a, b in boxes
        )
        if not near and all(np.hypot(x - p[0], y - p[1]) > gap for p in found):
            found.append((x, y, z))
        if len(found) == count:
            break
    return found


def clear(
    rng: Generator, taken: list[tuple[float, float, float]], low: Any, high: Any, radius: float
) -> tuple[float, float]:
    """A place [x, y] at which a circle runs into none taken before; it is taken then."""
    for _ in range(60):
        x, y = (float(v) for v in rng.uniform(low, high))
        if all(np.hypot(x - a, y - b) > radius + r for a, b, r in taken):
            break
    taken.append((x, y, radius))
    return x, y
