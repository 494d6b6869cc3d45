"""Where things go: in plain sight of the camera, on their support, in nobody's way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.scenes.geometry.camera import Camera, aim
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.world import Tag, Thing, World
from benchmarks.scenes.render import Light

from .kit import Maker

TEXTURES: Final = 6
"""Most textures that a base scene uses."""

Region = tuple[float, float, float, float]
"""x0, x1, y0, y1 of a support."""


_CORNERS: Final = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])


def shares(a: F64, b: F64) -> NDArray[np.float64]:
    """How much of the smaller of two rectangles ([..., 4] and [4]) the other covers, 0..1."""
    common = np.minimum(a[..., 2:], b[2:]) - np.maximum(a[..., :2], b[:2])
    both = np.clip(common, 0, None).prod(-1)
    smaller = np.minimum((a[..., 2:] - a[..., :2]).prod(-1), (b[2:] - b[:2]).prod())
    covered: F64 = both / np.maximum(smaller, 1e-9)
    return covered


def _bounds(one: Thing) -> tuple[F64, F64]:
    """Its box without the cord and what is on the wall."""
    body = [p.verts() for p in one.parts if p.key not in ("cord", "outlet")]
    v = np.concatenate(body)
    return v.min(0), v.max(0)


_LEAST_SUBJECT: Final = 0.1
"""Share of the frame that a subject's rectangle covers, where the frame's side allows it."""


def view(
    rng: Generator,
    verts: F64,
    *,
    turn: float = 38.0,
    high: tuple[float, float] = (10.0, 34.0),
    fill: tuple[float, float] = (0.38, 0.6),
    fov: tuple[float, float] = (28.0, 46.0),
    drop: tuple[float, float] = (-0.45, 0.35),
) -> Camera:
    """A camera in front (+x) of what has these vertices, which fill that share of the frame.

    `drop` is how far down in the frame they are: -1 at its top, 1 at its bottom (1 - fill is free).
    """
    azimuth, elevation = float(rng.uniform(-turn, turn)), float(rng.uniform(*high))
    angle, roll, filled = (
        float(rng.uniform(*fov)),
        float(rng.normal(0, 1.2)),
        float(rng.uniform(*fill)),
    )
    place = (float(rng.uniform(-0.7, 0.7)), float(rng.uniform(*drop)))
    camera = aim(verts, azimuth, elevation, angle, roll, filled, place)
    area = float(np.ptp(camera.project(verts, 1, 1), axis=0).prod())
    if area < _LEAST_SUBJECT:  # slim things fill more of the frame's side
        filled = min(filled * float(np.sqrt(_LEAST_SUBJECT / area)), 0.8)
        camera = aim(verts, azimuth, elevation, angle, roll, filled, place)
    return camera


@dataclass(slots=True)
class Layout:
    """A support seen by a camera, being furnished."""

    rng: Generator
    camera: Camera
    region: Region
    z: float = 0.0
    """Height of the support."""
    wall: float = -9.0
    """x of the wall behind."""
    on: str | None = None
    """Key of the thing that it is the top of."""
    things: list[Thing] = field(default_factory=list)
    rects: list[F64] = field(default_factory=list)
    textures: dict[str, U8] = field(default_factory=dict)
    """Of the stage and of the things so far."""
    blocked: list[tuple[F64, F64]] = field(default_factory=list)
    """Boxes that nothing may enter."""
    kept: list[tuple[float, float, float]] = field(default_factory=list)
    """Spots left free."""
    least: float = 0.02
    """Share of the frame that an aside's rectangle covers at least."""
    apart: float = 0.28
    """How much of a thing another's rectangle may cover."""

    def rect(self, one: Thing) -> F64:
        """The thing's rectangle x0, y0, x1, y1 in the frame, 0..1."""
        return self.rect_of(one.low, one.high)

    def rect_of(self, low: F64, high: F64) -> F64:
        """A box's rectangle in the frame."""
        rect: F64 = self.rects_of(low[None], high[None])[0]
        return rect

    def rects_of(self, low: F64, high: F64) -> F64:
        """Rectangles [n, 4] of boxes [n, 3]."""
        points = low[:, None] + _CORNERS * (high - low)[:, None]
        p = self.camera.project(points, 1, 1)
        return np.concatenate([p.min(1), p.max(1)], -1)

    def overhead(self, one: Thing, least: float = 0.02) -> Thing | None:
        """Something that hangs from above the frame, when it is seen well there."""
        low, high = _bounds(one)
        cordless = np.concatenate([p.verts() for p in one.parts if p.key not in ("cord", "socket")])
        rect = self.rect_of(cordless.min(0), cordless.max(0))
        ok = self.shown(rect, least, 0.04) and self.clear(low, high, 0.0, within=False)
        return self.add(one) if ok else None

    def block(self, one: Thing) -> None:
        """Nothing may enter its box; those of its parts where it is a person, whose arms lie open."""
        if "person" in one.tags:
            boxes = [(v.min(0), v.max(0)) for v in (p.verts() for p in one.parts)]
            self.blocked += boxes
        else:
            self.blocked.append((one.low, one.high))

    def shut(self, y: float, z: float, size: tuple[float, float]) -> None:
        """Keeps a window or door in the wall clear: nothing is hung on it."""
        half = np.array([0.0, size[0] / 2 + 0.15, size[1] / 2 + 0.12])
        middle = np.array([self.wall, y, z])
        self.blocked.append((middle - half - [0.05, 0, 0], middle + half + [0.1, 0, 0]))

    def opening(
        self,
        make: Callable[..., list[Part]],
        y: float,
        z: float,
        size: tuple[float, float],
        frame: Paint,
    ) -> list[Part]:
        """A window in the wall behind."""
        self.shut(y, z, size)
        return make(self.wall, y, z, size, frame)

    def add(self, one: Thing, *, hides: bool = True) -> Thing:
        """Puts it there, come what may. `hides`: others must not cover it in the picture."""
        self.things.append(one)
        self.textures |= one.facts.get("textures", {})
        self.block(one)
        if hides:
            self.rects.append(self.rect(one))
        return one

    def spots(self, count: int) -> F64:
        """Points [n, 3] of the support that are seen somewhere in the frame, n <= count."""
        c = self.camera
        uv = self.rng.uniform(-0.94, 0.94, (count, 2))
        ray = (
            c.forward
            + c.right * (c.tan * (uv[:, :1] + c.shift[0]))
            + c.up * (c.tan * (uv[:, 1:] + c.shift[1]))
        )
        ray = ray[ray[:, 2] < -1e-3]
        at: F64 = c.pos + ray * ((self.z - c.pos[2]) / ray[:, 2:])
        x0, x1, y0, y1 = self.region
        inside = (x0 < at[:, 0]) & (at[:, 0] < x1) & (y0 < at[:, 1]) & (at[:, 1] < y1)
        return at[inside]

    def clear(self, low: F64, high: F64, gap: float, within: bool = True) -> NDArray[np.bool_]:
        """Which boxes [..., 3] are on the support and meet no other."""
        x0, x1, y0, y1 = self.region
        good: NDArray[np.bool_] = np.ones(low.shape[:-1], bool)
        if within:
            good &= (low[..., 0] >= x0) & (high[..., 0] <= x1)
            good &= (low[..., 1] >= y0) & (high[..., 1] <= y1)
        for a, b in self.blocked:
            meets = np.all(low - gap < b, -1) & np.all(a < high + gap, -1)
            good = np.logical_and(good, np.logical_not(meets))
        return good

    def shown(
        self, rect: F64, least: float, apart: float, whole: float = 0.01
    ) -> NDArray[np.bool_]:
        """Which rectangles [..., 4] are in the frame, large enough and apart from the others."""
        size = rect[..., 2:] - rect[..., :2]
        good: NDArray[np.bool_] = np.all(rect[..., :2] > whole, -1)
        good = np.logical_and(good, np.all(rect[..., 2:] < 1 - whole, -1))
        good &= size.prod(-1) >= least
        for other in self.rects:
            good &= shares(rect, other) <= apart
        return good

    def put(
        self,
        make: Maker,
        key: str | None = None,
        *,
        tries: int = 120,
        turn: float | None = None,
        least: float | None = None,
        gap: float = 0.008,
        fit: Callable[[float, float], dict[str, Any]] | None = None,
        extra: Sequence[Tag] = (),
        drop: Sequence[Tag] = (),
        scale: float = 1.0,
        subject: bool = False,
        **how: Any,
    ) -> Thing | None:
        """Places one more thing where it is seen well; None where there is no room.

        `turn` in degrees (None: any); `fit` gives further keywords for a place.
        """
        angle = float(self.rng.uniform(0, 360)) if turn is None else turn
        name = key or make.kind.replace(" ", "_")
        if any(t.key == name for t in self.things):
            name = f"{name}.{sum(t.key.startswith(name) for t in self.things) + 1}"
        seed = int(self.rng.integers(2**31))

        def build(at: tuple[float, float, float], more: dict[str, Any]) -> Thing:
            return make(
                np.random.default_rng(seed),
                name,
                at=at,
                turn=angle,
                scale=scale,
                subject=subject,
                rests_on=self.on,
                extra=extra,
                drop=drop,
                **{**how, **more},
            )

        one = build((0.0, 0.0, self.z), {})
        lo, hi = _bounds(one)
        for at in self.fitting(lo, hi, self.least if least is None else least, gap, tries):
            if fit:
                one = build((float(at[0]), float(at[1]), self.z), fit(float(at[0]), float(at[1])))
                if not self.clear(one.low, one.high, 0.0, within=False):
                    continue
            else:
                one = one.moved([at[0], at[1], 0.0])
            if not self.affords(one):
                return None
            self.things.append(one)
            self.textures |= one.facts.get("textures", {})
            self.blocked.append((one.low, one.high))
            self.rects.append(self.rect_of(*_bounds(one)))
            return one
        return None

    def fitting(self, low: F64, high: F64, least: float, gap: float, tries: int) -> F64:
        """Points of the support [n, 3] where a box made at its origin is clear and shown well."""
        at = self.spots(tries)
        shift = at * np.array([1.0, 1.0, 0.0])
        lo, hi = low + shift, high + shift
        at, lo, hi = (v[self.clear(lo, hi, gap)] for v in (at, lo, hi))
        return at[self.shown(self.rects_of(lo, hi), least, self.apart)]

    def affords(self, one: Thing) -> bool:
        """Whether there are texture slots left for it; two are kept for recipes."""
        return len(self.textures | one.facts.get("textures", {})) <= TEXTURES

    def settle_in(self, one: Thing, *, gap: float = 0.03, tries: int = 120) -> Thing | None:
        """Puts something made at the support's origin where it is seen well; None without room."""
        for at in self.fitting(one.low, one.high, self.least, gap, tries):
            return self.add(one.moved([at[0], at[1], 0.0])) if self.affords(one) else None
        return None

    def several(self, makers: Sequence[Maker | tuple[Maker, dict[str, Any]]], count: int) -> int:
        """Some of the makers' things, in any order, each at most once; returns how many found room."""
        done = 0
        for k in self.rng.permutation(len(makers)):
            if done >= count:
                break
            chosen = makers[int(k)]
            make, how = chosen if isinstance(chosen, tuple) else (chosen, {})
            done += self.put(make, **how) is not None
        return done

    def hang(
        self,
        make: Maker,
        key: str,
        *,
        tries: int = 14,
        low: float = 0.0,
        least: float = 0.02,
        **how: Any,
    ) -> Thing | None:
        """Something flat on the wall behind, above height `low`; None where there is no room."""
        c = self.camera
        one = make(self.rng, key, **how)
        uv = self.rng.uniform([-0.85, -0.1], [0.85, 0.85], (tries, 2))
        ray = (
            c.forward
            + c.right * (c.tan * (uv[:, :1] + c.shift[0]))
            + c.up * (c.tan * (uv[:, 1:] + c.shift[1]))
        )
        if not self.affords(one) or (ray[:, 0] > -1e-3).any():
            return None
        at = c.pos + ray * ((self.wall - c.pos[0]) / ray[:, :1])
        at[:, 0] = self.wall - one.low[0]
        lo, hi = one.low + at, one.high + at
        good = (lo[:, 2] > low) & self.clear(lo, hi, 0.0, within=False)
        good &= self.shown(self.rects_of(lo, hi), least, 0.1)
        return self.add(one.moved(at[good][0])) if good.any() else None

    def lean(
        self, make: Maker, key: str, *, tilt: float, tries: int = 60, **how: Any
    ) -> Thing | None:
        """Something upright that leans back on the wall by `tilt` degrees, its foot on the support."""
        one = make(self.rng, key, rests_on=self.on, **how)
        one = one.about(rot("y", -tilt), (0, 0, 0))
        one = one.moved([self.wall + 0.001 - one.low[0], 0.0, self.z - one.low[2]])
        x0, _, y0, y1 = self.region
        ys = self.rng.uniform(y0, y1, tries)
        shift = np.stack([0 * ys, ys - one.centre[1], 0 * ys], 1)
        lo, hi = one.low + shift, one.high + shift
        good = self.clear(lo, hi, 0.005, within=False)
        good &= self.shown(self.rects_of(lo, hi), self.least, self.apart)
        if not good.any() or not self.affords(one) or float(one.low[0]) < x0 - 0.2:
            return None
        return self.add(one.moved(shift[good][0]))

    def free(self, count: int = 3, size: float = 0.1) -> tuple[tuple[float, float, float], ...]:
        """Spots where something `size` large could stand in plain sight, apart from each other."""
        half = np.array([size / 2, size / 2, 0.0])
        low, high = np.array([0, 0, self.z]) - half, np.array([0, 0, self.z + size]) + half
        at = self.spots(300)
        lo, hi = low + at * [1, 1, 0], high + at * [1, 1, 0]
        rects = self.rects_of(lo, hi)
        good = self.clear(lo, hi, 0.01) & self.shown(rects, 0.0, 0.38)
        found: list[tuple[float, float, float]] = []
        taken: list[F64] = []
        for point, rect in zip(at[good], rects[good], strict=True):
            if not any(float(shares(rect, r)) > 0.1 for r in taken):
                found.append((float(point[0]), float(point[1]), self.z))
                taken.append(rect)
            if len(found) == count:
                break
        return tuple(found)

    def keep(self, count: int, size: float) -> None:
        """Leaves spots free for something `size` large: what comes later keeps clear of them."""
        for spot in self.free(count, size):
            self.kept.append(spot)
            low = np.array([spot[0] - size / 2, spot[1] - size / 2, self.z])
            self.blocked.append((low, low + size))
            self.rects.append(self.rect_of(low, low + size))

    def world(
        self,
        name: str,
        stage: Sequence[Part],
        light: tuple[Light, tuple[Light, ...]],
        *,
        place: str = "indoor",
        ground: float | None = None,
        free: int = 3,
        size: float = 0.1,
        **more: Any,
    ) -> World:
        """All of it as a world; `free` spots have room for something `size` large."""
        return World(
            base=name,
            camera=self.camera,
            sun=light[0],
            lights=light[1],
            things=tuple(self.things),
            stage=tuple(stage),
            textures=self.textures,
            ground=self.z if ground is None else ground,
            place=place,
            free=(*self.kept, *self.free(free, size)),
            **more,
        )


def furnished(
    draw: Callable[[Generator], World], asides: int = 3, tries: int = 6
) -> Callable[[Generator], World]:
    """Draws again until there are so many asides and a free spot; after `tries`, the fullest of them."""

    @wraps(draw)
    def make(rng: Generator) -> World:
        best: World | None = None
        for _ in range(tries):
            world = draw(rng)
            if best is None or _worth(world) > _worth(best):
                best = world
            if _worth(best) >= 2 * asides + 1:
                break
        assert best is not None
        return best

    return make


def _worth(world: World) -> int:
    asides = [
        t
        for t in world.things
        if not t.subject
        and not t.tags & {"large", "domino"}
        and not t.key.startswith(("on_shelf", "goods"))  # small, and partly out of the frame
    ]
    return 2 * min(len(asides), 3) + bool(world.free)
