"""How things are made: makers, painted parts, turned bodies, cords.

A maker is called ``mug(rng, "mug", at=(x, y, z), turn=degrees, **how)``. In its own coordinates a thing
stands on z = 0 at the origin and its front looks along +x. `Thing.remake(**how)` makes the same
individual (same sizes, colours, place) with other keywords; each maker's docstring lists them. A thing
with lettering carries its textures as ``facts["textures"]``: put it into a world with `put`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64, I32, Mesh
from benchmarks.scenes.geometry.solids import rot, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import U8, hue
from benchmarks.scenes.pairs.world import Tag, Thing, World, tags

from .quick import rod as limb

RGB = tuple[float, float, float]
Point = tuple[float, float, float]

GLOW: Final[RGB] = (1.0, 0.86, 0.5)
"""Colour of a lit bulb."""


@dataclass(frozen=True, slots=True)
class Made:
    """A thing in its own coordinates."""

    parts: Sequence[Part]
    facts: Mapping[str, Any] = field(default_factory=dict)
    tags: Sequence[Tag] = ()
    """Beyond those of its maker."""
    without: Sequence[Tag] = ()
    """Tags of its maker that it lacks as it is."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes things of one kind."""

    kind: str
    tags: frozenset[str]
    build: Callable[..., Made]

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return self.build.__doc__ or ""

    def __call__(
        self,
        rng: Generator,
        key: str | None = None,
        *,
        at: ArrayLike = (0.0, 0.0, 0.0),
        turn: float = 0.0,
        scale: float = 1.0,
        subject: bool = False,
        rests_on: str | None = None,
        extra: Sequence[Tag] = (),
        drop: Sequence[Tag] = (),
        casts: bool = True,
        **how: Any,
    ) -> Thing:
        """A thing at `at` [3], turned by degrees about z, `scale` times its natural size.

        `extra` and `drop` add and remove tags; `how` goes to the builder.
        """
        seed = int(rng.integers(2**62))
        name = key or self.kind.replace(" ", "_")
        linear = rot("z", turn) * scale
        shift = np.asarray(at, float)
        still = turn == 0.0 and scale == 1.0 and not shift.any()

        def make(**changes: Any) -> Thing:
            made = self.build(np.random.default_rng(seed), **{**how, **changes})
            wanted = (self.tags | tags(*made.tags, *extra)) - set(made.without) - set(drop)
            thing = Thing(
                key=name,
                kind=self.kind,
                parts=tuple(made.parts),
                subject=subject,
                tags=wanted,
                rests_on=rests_on,
                casts=casts,
                facts={"scale": scale, **_named(made.facts, name)},
            )
            return (
                _painted(thing, name)
                if still
                else _painted(thing, name).about(linear, (0, 0, 0), shift)
            )

        first = make()
        return _with_remake(first, make)


def _with_remake(first: Thing, make: Callable[..., Thing]) -> Thing:
    """Things that a remake gives can be remade as well."""

    def again(**how: Any) -> Thing:
        return _with_remake(make(**how), lambda **more: make(**{**how, **more}))

    return replace(first, remake=again)


def _named(facts: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Facts with textures under the thing's own name: "face" becomes "KEY.face"."""
    own = facts.get("textures")
    if not own:
        return dict(facts)
    return {**facts, "textures": {f"{key}.{name}": pixels for name, pixels in own.items()}}


def _painted(thing: Thing, key: str) -> Thing:
    """With paints that name the thing's own textures ("@face") by its key."""
    if "textures" not in thing.facts:
        return thing
    done: dict[int, Paint] = {}

    def own(paint: Paint) -> Paint:
        if paint.texture is None or not paint.texture.startswith("@"):
            return paint
        return done.setdefault(id(paint), replace(paint, texture=f"{key}.{paint.texture[1:]}"))

    parts = tuple(
        replace(p, pieces=tuple(replace(q, paint=own(q.paint)) for q in p.pieces))
        for p in thing.parts
    )
    return replace(thing, parts=parts)


Options = Sequence[tuple[Maker, dict[str, Any]]]
"""Makers with keywords for them, to choose among."""


def maker(kind: str, *names: Tag) -> Callable[[Callable[..., Made]], Maker]:
    """Makes a builder ``(rng, **how) -> Made`` a `Maker`.

    A builder draws the same random numbers in the same order whatever `how` says, so that a remade thing
    stays the same individual.
    """

    def wrap(build: Callable[..., Made]) -> Maker:
        return Maker(kind, tags(*names), build)

    return wrap


def put(world: World, *things: Thing) -> World:
    """The world with remade things in place of those of the same keys, with their lettering."""
    own = {n: t for one in things for n, t in one.facts.get("textures", {}).items()}
    return world.changed(*things).with_textures(own)


def part(key: str, *made: tuple[Mesh | Iterable[Mesh], Paint]) -> Part:
    """A part of painted meshes."""
    pieces = []
    for meshes, paint in made:
        for mesh in [meshes] if isinstance(meshes, Mesh) else meshes:
            pieces.append(Piece.make(mesh, paint))
    return Part(key, None, tuple(pieces))


def box(centre: ArrayLike, size: ArrayLike) -> Mesh:
    """A box with full edge lengths `size`."""
    half = np.asarray(size, float) / 2
    verts = _BOX * half + np.asarray(centre, float)
    return Mesh(verts, _BOX_NORMALS, _BOX_FACES, 0, 0)


def boxes(centres: ArrayLike, size: ArrayLike) -> Mesh:
    """Boxes of one size with their middles at `centres` [n, 3], as one mesh."""
    c = np.asarray(centres, float)
    verts = (c[:, None] + _BOX * (np.asarray(size, float) / 2)).reshape(-1, 3)
    faces = (np.arange(len(c))[:, None, None] * 24 + _BOX_FACES).reshape(-1, 3).astype(np.int32)
    return Mesh(verts, np.tile(_BOX_NORMALS, (len(c), 1)), faces, 0, 0)


def _box() -> tuple[F64, F64, I32]:
    verts: list[F64] = []
    normals: list[F64] = []
    faces: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            start = len(verts)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                p = np.zeros(3)
                p[axis], p[u], p[v] = sign, a, b
                n = np.zeros(3)
                n[axis] = sign
                verts.append(p)
                normals.append(n)
            order = (0, 1, 2, 3) if sign > 0 else (0, 3, 2, 1)
            q = [start + k for k in order]
            faces += [(q[0], q[1], q[2]), (q[0], q[2], q[3])]
    return np.array(verts), np.array(normals), np.array(faces, np.int32)


_BOX, _BOX_NORMALS, _BOX_FACES = _box()


@cache
def _ring(n: int) -> F64:
    t = np.arange(n) * (2 * np.pi / n) + np.pi / n
    return np.stack([np.cos(t), np.sin(t)], 1)


@cache
def _skin(rows: int, n: int) -> I32:
    """Faces of rows of n vertices, and of two discs of n more that close them."""
    i, j = np.arange(rows - 1)[:, None] * n, np.arange(n)[None]
    k = (j + 1) % n
    a, b, c, d = i + j, i + k, i + n + k, i + n + j
    sides = np.stack([a, b, c, a, c, d], -1).reshape(-1, 3)
    fan = np.stack([np.zeros(n - 2), np.arange(1, n - 1), np.arange(2, n)], 1)
    return np.concatenate([sides, fan[:, ::-1] + rows * n, fan + (rows + 1) * n]).astype(np.int32)


def _revolved(profile: Sequence[tuple[float, float]], n: int) -> Mesh:
    rz = np.array(profile, float)
    slope = np.empty_like(rz)
    slope[1:-1] = rz[2:] - rz[:-2]
    slope[0], slope[-1] = rz[1] - rz[0], rz[-1] - rz[-2]
    length = np.sqrt((slope**2).sum(1))[:, None] + 1e-12
    out, rise = (slope[:, 1:] / length), (-slope[:, :1] / length)
    c = _ring(n)
    m = len(rz)
    verts = np.empty((m + 2, n, 3))
    normals = np.zeros((m + 2, n, 3))
    verts[:m, :, :2], verts[:m, :, 2] = rz[:, :1, None] * c, rz[:, 1:]
    normals[:m, :, :2], normals[:m, :, 2] = out[:, :, None] * c, rise
    verts[m], verts[m + 1] = verts[0], verts[m - 1]
    normals[m, :, 2], normals[m + 1, :, 2] = -1.0, 1.0
    return Mesh(verts.reshape(-1, 3), normals.reshape(-1, 3), _skin(m, n), n, m)


def turned(profile: Sequence[tuple[float, float]], n: int = 18) -> Mesh:
    """A body of revolution about z through (radius, height) points, edges sharp.

    Going up outside and down again inside makes an open vessel; it must end above where it began.
    """
    rows = [p for i, p in enumerate(profile) for _ in range(1 if i in (0, len(profile) - 1) else 2)]
    return _revolved(rows, n)


def smooth(profile: Sequence[tuple[float, float]], n: int = 18) -> Mesh:
    """A body of revolution about z through (radius, height) points, edges round."""
    return _revolved(profile, n)


def cup_of(r0: float, r1: float, h: float, wall: float = 0.004, n: int = 18) -> Mesh:
    """An open vessel with radius `r0` below and `r1` at the rim."""
    return turned([(r0, 0), (r1, h), (r1 - wall, h), (max(r0 - wall, 0.002), wall * 1.5)], n)


def stick(points: Sequence[ArrayLike], r: float | Sequence[float], n: int = 8) -> list[Mesh]:
    """Round rods along a polyline."""
    rs = list(r) if isinstance(r, Sequence) else [r] * len(points)
    return [
        limb(a, b, ra, rb, n=n)
        for a, b, ra, rb in zip(points, points[1:], rs, rs[1:], strict=False)
    ]


def arc(points: ArrayLike, r: float, n: int = 8, up: ArrayLike = (0.0, 1.0, 0.0)) -> Mesh:
    """A bent tube along points [m, 3] that `up` is never parallel to."""
    p = np.asarray(points, float)
    return tube(p, np.full(len(p), r), n=n, up=up)


def ear(radius: float, low: float, high: float, out: float, r: float) -> Mesh:
    """A handle of a cup: a bow in the xz plane towards +x."""
    t = np.linspace(-np.pi / 2, np.pi / 2, 7)
    mid, half = (low + high) / 2, (high - low) / 2
    return arc(np.stack([radius - 0.15 * r + np.cos(t) * out, 0 * t, mid + np.sin(t) * half], 1), r)


def cord(points: ArrayLike, r: float = 0.006) -> Mesh:
    """A cable through points [m, 3], with round corners."""
    p = np.asarray(points, float)
    t = np.linspace(0, len(p) - 1, 4 * (len(p) - 1) + 1)
    i = np.minimum(t.astype(int), len(p) - 2)
    f = (t - i)[:, None]
    line = p[i] * (1 - f) + p[i + 1] * f
    soft = line.copy()
    soft[1:-1] = 0.25 * line[:-2] + 0.5 * line[1:-1] + 0.25 * line[2:]
    return tube(soft, np.full(len(soft), r), n=6, up=(0.31, 0.9, 0.27))


def colour(
    rng: Generator, sat: tuple[float, float] = (0.25, 0.9), val: tuple[float, float] = (0.3, 0.95)
) -> Paint:
    """A painted surface of a random colour, between matt and glossy."""
    return Paint(
        hue(rng, sat, val),
        specular=float(rng.uniform(0.05, 0.5)),
        shininess=float(rng.uniform(0.2, 0.7)),
    )


def tint(rgb: ArrayLike, rng: Generator, by: float = 0.08) -> RGB:
    """A colour varied a little."""
    v = np.clip(
        np.asarray(rgb, float) * (1 + rng.uniform(-by, by)) + rng.uniform(-by, by, 3) * 0.4, 0, 1
    )
    return (float(v[0]), float(v[1]), float(v[2]))


def wooden(rng: Generator, texture: str | None = None) -> Paint:
    """Wood: plain, or with a texture of the world."""
    shades = (
        (0.62, 0.43, 0.26),
        (0.45, 0.29, 0.17),
        (0.78, 0.6, 0.4),
        (0.3, 0.19, 0.12),
        (0.85, 0.74, 0.58),
    )
    rgb = tint(shades[int(rng.integers(len(shades)))], rng)
    return Paint(rgb, texture, "xy", (1.5, 1.5), specular=0.15, shininess=0.3)


def metal(rng: Generator, low: float = 0.45, high: float = 0.8) -> Paint:
    """Bare metal."""
    v = float(rng.uniform(low, high))
    return Paint((v, v, min(v * 1.03, 1.0)), specular=0.9, shininess=0.8)


BLACK: Final = Paint((0.06, 0.06, 0.07), specular=0.3, shininess=0.4)
WHITE: Final = Paint((0.93, 0.93, 0.92), specular=0.3, shininess=0.4)
STEEL: Final = Paint((0.68, 0.69, 0.71), specular=0.9, shininess=0.8)


def face(
    corners: Sequence[ArrayLike], texture: str, rgb: RGB = (1.0, 1.0, 1.0), emission: float = 0.0
) -> Piece:
    """A thin sheet with a whole texture on it; corners: top left, top right, bottom right, bottom
    left."""
    a, b, c, d = (np.asarray(x, float) for x in corners)
    normal = np.cross(d - a, b - a)
    normal /= np.linalg.norm(normal)
    verts = np.stack([a, b, c, d])
    mesh = Mesh(
        verts, np.repeat(normal[None], 4, 0), np.array([[0, 3, 2], [0, 2, 1]], np.int32), 0, 0
    )
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
    return Piece(mesh, Paint(rgb, texture, specular=0.05, emission=emission), uv)


def own_textures(**pixels: U8) -> dict[str, U8]:
    """Textures of a thing's own, for its facts; its paints name them "@NAME"."""
    return pixels


def point(x: float, y: float, z: float) -> F64:
    """A named point of a thing."""
    return np.array([x, y, z], float)
