"""The stage indoors: floors, walls, counters, windows, doors, curtains."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8, hue, to_u8
from benchmarks.scenes.surroundings.textures import gradient

from .kit import RGB, box, colour, face, part, wooden
from .materials import texture
from .quick import rod as limb

Textures = dict[str, U8]


def surface(
    rng: Generator,
    textures: Textures,
    name: str,
    kinds: tuple[str, ...],
    plane: str,
    per: float,
    plain: float = 0.3,
) -> Paint:
    """A paint of one of the materials, put among the textures as `name`, or (share `plain`) of one
    colour.

    `per` is the length that a texture spans.
    """
    kind = str(rng.choice(list(kinds)))
    if rng.random() < plain:
        return Paint(hue(rng, (0.0, 0.5), (0.35, 0.92)), specular=float(rng.uniform(0.0, 0.25)))
    textures[name] = texture(kind, rng)
    natural = {"brick": 0.55, "tiles": 0.7, "wood": 0.6, "planks": 0.8, "stone": 0.8}.get(kind, per)
    scale = float(rng.uniform(0.75, 1.3)) / min(natural * max(per, 0.9), per * 1.2)
    tone = float(rng.uniform(0.85, 1.0))
    shift = (float(rng.random()), float(rng.random()))
    shine = {"marble": 0.4, "tiles": 0.4, "metal": 0.6}.get(kind, 0.08)
    return Paint((tone, tone, tone), name, plane, (scale, scale), shift, specular=shine)


def floor(z: float, paint: Paint, half: float = 10.0) -> Part:
    """A floor whose upper side is at z; it throws no shadow."""
    return part("backdrop.floor", (box((0, 0, z - 0.05), (2 * half, 2 * half, 0.1)), paint))


def wall(x: float, paint: Paint, low: float = -1.2, high: float = 7.0, half: float = 10.0) -> Part:
    """A wall that faces +x at x."""
    return part(
        "backdrop.wall", (box((x - 0.05, 0, (low + high) / 2), (0.1, 2 * half, high - low)), paint)
    )


def counter(
    rng: Generator,
    region: tuple[float, float, float, float],
    paint: Paint,
    *,
    deep: float = 0.85,
    thick: float = 0.04,
    gap: tuple[float, float] | None = None,
) -> list[Part]:
    """A worktop with its top at z = 0 on cupboards; `gap`: y range left open for a stove."""
    x0, x1, y0, y1 = region
    body = colour(rng, (0.0, 0.5), (0.4, 0.95)) if rng.random() < 0.6 else wooden(rng)
    edge = Paint(_dark(paint), specular=0.1)
    spans = [(y0, y1)] if gap is None else [(y0, gap[0]), (gap[1], y1)]
    slabs: list[Mesh] = []
    boards: list[Mesh] = []
    sheets: list[Piece] = []
    for a, b in spans:
        slabs.append(box(((x0 + x1) / 2, (a + b) / 2, -thick / 2), (x1 - x0, b - a, thick)))
        boards.append(
            box(
                ((x0 + x1) / 2 - 0.02, (a + b) / 2, -deep / 2 - thick),
                (x1 - x0 - 0.04, b - a, deep),
            )
        )
        sheets.append(sheet((x0, x1, a, b), 0.0, paint))
    top = part("backdrop.top", (slabs, edge))
    return [Part(top.key, None, (*top.pieces, *sheets)), part("backdrop.cupboards", (boards, body))]


def _dark(paint: Paint) -> RGB:
    """A colour for the edges of a slab."""
    if paint.texture is None:
        return paint.rgb
    return (paint.rgb[0] * 0.42, paint.rgb[1] * 0.38, paint.rgb[2] * 0.35)


def sheet(region: tuple[float, float, float, float], z: float, paint: Paint) -> Piece:
    """The upper face of a slab, just above z."""
    x0, x1, y0, y1 = region
    verts = np.array(
        [(x0, y0, z + 0.0004), (x1, y0, z + 0.0004), (x1, y1, z + 0.0004), (x0, y1, z + 0.0004)]
    )
    normals = np.tile([0.0, 0.0, 1.0], (4, 1))
    return Piece.make(Mesh(verts, normals, np.array([[0, 1, 2], [0, 2, 3]], np.int32), 0, 0), paint)


def outside(rng: Generator, *, snow: bool = False, night: bool = False) -> U8:
    """A view through a window: sky above land, hills or snow; one of eight, shifted sideways."""
    view = _view(int(rng.integers(8)), snow, night)
    return np.roll(view, int(rng.integers(256)), 1)


@cache
def _view(k: int, snow: bool, night: bool) -> U8:
    return _outside(np.random.default_rng([71, k, snow, night]), snow, night)


def _outside(rng: Generator, snow: bool, night: bool) -> U8:
    if night and snow:
        top, low = np.array([0.07, 0.09, 0.17]), np.array([0.16, 0.2, 0.3])
    elif night:
        top, low = np.array([0.03, 0.04, 0.1]), np.array([0.08, 0.1, 0.2])
    elif snow:
        top, low = np.array([0.68, 0.74, 0.82]), np.array([0.85, 0.88, 0.92])
    else:
        top, low = np.array([0.35, 0.58, 0.9]) * rng.uniform(0.8, 1.1), np.array([0.8, 0.88, 0.95])
    rgb = gradient(top, low)
    line = 150 + 50 * (field01(rng, 2.6)[0] - 0.5) + float(rng.uniform(-15, 25))
    land = np.arange(256)[:, None] > line[None]
    ground = (
        (np.array([0.4, 0.46, 0.6]) if night else np.array([0.92, 0.94, 0.97]))
        if snow
        else np.array([0.03, 0.05, 0.06])
        if night
        else np.array([0.3, 0.48, 0.22])
    )
    rgb[land] = (ground * (0.85 + 0.25 * field01(rng, 1.5)[:, :, None]))[land]
    if night:
        for _ in range(18):
            y, x = int(rng.integers(140, 240)), int(rng.integers(4, 250))
            rgb[y : y + 3, x : x + 3] = (0.9, 0.75, 0.4)
    if snow:
        for _ in range(90):
            y, x = int(rng.integers(0, 252)), int(rng.integers(0, 252))
            rgb[y : y + 3, x : x + 3] = 0.98
    return to_u8(rgb)


def window(
    x: float,
    y: float,
    z: float,
    size: tuple[float, float],
    frame: Paint,
    *,
    emission: float = 0.3,
    panes: int = 2,
) -> list[Part]:
    """A window in the wall at x, its middle at y, z; its view is the texture "outside"."""
    w, h = size
    view = face(
        [
            (x + 0.004, y - w / 2, z + h / 2),
            (x + 0.004, y + w / 2, z + h / 2),
            (x + 0.004, y + w / 2, z - h / 2),
            (x + 0.004, y - w / 2, z - h / 2),
        ],
        "outside",
        emission=emission,
    )
    bars = [box((x + 0.015, y, z + s * h / 2), (0.05, w + 0.08, 0.05)) for s in (-1, 1)]
    bars += [
        box((x + 0.015, y - w / 2 + w * i / panes, z), (0.05, 0.05 if i in (0, panes) else 0.03, h))
        for i in range(panes + 1)
    ]
    bars += [box((x + 0.015, y, z + 0.05 * h), (0.04, w, 0.025))]
    return [Part("backdrop.view", None, (view,)), part("backdrop.frame", (bars, frame))]


def curtains(x: float, y: float, z: float, size: tuple[float, float], paint: Paint) -> list[Part]:
    """Two curtains beside a window, on a rod."""
    w, h = size
    folds: list[Mesh] = []
    for s in (-1, 1):
        for i in range(4):
            cy = y + s * (w / 2 + 0.02 + 0.05 * i)
            folds.append(
                limb(
                    (x + 0.09, cy, z - h / 2 - 0.12),
                    (x + 0.09, cy, z + h / 2 + 0.08),
                    0.03,
                    0.026,
                    n=8,
                )
            )
    rod = limb(
        (x + 0.09, y - w / 2 - 0.3, z + h / 2 + 0.1),
        (x + 0.09, y + w / 2 + 0.3, z + h / 2 + 0.1),
        0.012,
        0.012,
    )
    return [
        part("backdrop.curtains", (folds, paint)),
        part("backdrop.rod", (rod, Paint((0.3, 0.28, 0.26), specular=0.6))),
    ]


def door(x: float, y: float, z: float, paint: Paint) -> list[Part]:
    """A closed door in the wall at x, from height z up."""
    panel = Paint((paint.rgb[0] * 0.85, paint.rgb[1] * 0.85, paint.rgb[2] * 0.85), specular=0.15)
    leaf = box((x + 0.015, y, z + 1.0), (0.03, 0.85, 2.0))
    frames = [box((x + 0.02, y + s * 0.46, z + 1.02), (0.06, 0.08, 2.04)) for s in (-1, 1)] + [
        box((x + 0.02, y, z + 2.06), (0.06, 1.0, 0.08))
    ]
    fields = [
        box((x + 0.032, y + s * 0.19, z + h), (0.006, 0.28, 0.7))
        for s in (-1, 1)
        for h in (0.55, 1.45)
    ]
    knob = limb((x + 0.03, y + 0.34, z + 1.0), (x + 0.09, y + 0.34, z + 1.0), 0.014, 0.02)
    return [
        part("backdrop.door", (leaf, paint), (fields, panel)),
        part("backdrop.doorframe", (frames, panel), (knob, Paint((0.75, 0.65, 0.4), specular=0.8))),
    ]


def skirting(x: float, z: float, rgb: RGB = (0.9, 0.9, 0.88)) -> Part:
    """A board along the wall's foot."""
    return part(
        "backdrop.skirting",
        (box((x + 0.01, 0, z + 0.05), (0.02, 12, 0.1)), Paint(rgb, specular=0.1)),
    )


def mat(
    key: str,
    low: tuple[float, float],
    high: tuple[float, float],
    z: float,
    paint: Paint,
    thick: float = 0.006,
) -> Part:
    """A rug or a cloth lying flat; its texture spans it once when the paint has one."""
    (x0, y0), (x1, y1) = low, high
    mesh = box(((x0 + x1) / 2, (y0 + y1) / 2, z - thick / 2 + 0.001), (x1 - x0, y1 - y0, thick))
    if paint.texture is None:
        return part(key, (mesh, paint))
    uv = np.stack([(mesh.verts[:, 1] - y0) / (y1 - y0), (mesh.verts[:, 0] - x0) / (x1 - x0)], 1)
    return Part(key, None, (Piece(mesh, paint, uv),))
