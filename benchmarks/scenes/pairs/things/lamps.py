"""Light sources: lamps with cord and outlet, bulbs, candles, torches, fireplaces."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part

from .kit import (
    BLACK,
    GLOW,
    STEEL,
    WHITE,
    Made,
    Point,
    box,
    colour,
    cord,
    maker,
    metal,
    part,
    point,
    smooth,
    stick,
    tint,
    turned,
    wooden,
)
from .quick import ball as ellipsoid
from .quick import rod as limb

FIRE: Final = (
    Paint((1.0, 0.62, 0.1), specular=0.0, emission=1.0),
    Paint((1.0, 0.9, 0.5), specular=0.0, emission=1.0),
)
_DARK_GLASS: Final = Paint((0.78, 0.79, 0.78), specular=0.8, shininess=0.9)


def _bulb(lit: bool, at: Point, r: float, down: bool = False) -> list[tuple[Mesh, Paint]]:
    """A bulb whose thread's end is at `at`."""
    s = -1.0 if down else 1.0
    glow = Paint(GLOW, specular=0.3, emission=1.0) if lit else _DARK_GLASS
    glass = ellipsoid((at[0], at[1], at[2] + s * r * 1.7), (r, r, r * 1.15))
    thread = limb(at, (at[0], at[1], at[2] + s * r * 0.9), r * 0.45, r * 0.5)
    return [(glass, glow), (thread, STEEL)]


def _outlet(at: Point, size: float = 0.08) -> Part:
    """A wall outlet facing +x with a plug in it."""
    x, y, z = at
    plug = turned([(0.02, 0), (0.017, 0.035)], 10).transformed(rot("y", 90), (x, y, z))
    return part("outlet", (box((x - 0.004, y, z), (0.008, size, size)), WHITE), (plug, BLACK))


def _supply(start: Point, outlet: Point, sag: float = 0.0) -> Mesh:
    """A cable that runs along the support from `start` and up to an outlet on the wall behind."""
    x, y, z = outlet
    low = 0.007 + sag
    line = [
        start,
        (start[0] - 0.05, start[1] + 0.02, low),
        ((start[0] + x) / 2, y * 0.5 + 0.02, low),
        (x + 0.06, y * 0.95, low),
        (x + 0.055, y, z * 0.55),
        (x + 0.03, y, z),
    ]
    return cord(line)


def _wired(cord_: bool, socket: bool, start: Point, outlet: Point) -> list[Part]:
    parts = [part("cord", (_supply(start, outlet), BLACK))] if cord_ else []
    return [*parts, _outlet(outlet)] if socket else parts


@maker("desk lamp", "rigid", "stands", "lamp")
def desk_lamp(
    rng: Generator,
    *,
    lit: bool = True,
    cord: bool = True,
    socket: bool = True,
    outlet: Point = (-0.3, 0.12, 0.22),
    head: str = "arm",
) -> Made:
    """A jointed lamp. lit; cord; socket: outlet with plug at `outlet` (own coordinates, the wall
    behind at its x);
    head: arm, none, or foot (the shade grows from the foot while the arm ends in nothing)."""
    paint = colour(rng)
    knee, top = (
        (-0.1, 0.0, float(rng.uniform(0.2, 0.26))),
        (0.12, 0.0, float(rng.uniform(0.34, 0.42))),
    )
    foot = turned([(0.08, 0), (0.075, 0.02), (0.01, 0.03)], 20)
    arm = stick([(0, 0, 0.02), knee, top], 0.009)
    parts = [part("foot", (foot, paint)), part("arm", (arm, STEEL))]
    shade = turned([(0.03, 0.06), (0.04, 0.04), (0.085, -0.05), (0.08, -0.045), (0.0, 0.03)], 18)
    lamp = [(shade, paint), *_bulb(lit, (0, 0, 0.02), 0.032, down=True)]
    turn, spot = rot("y", -18), top if head == "arm" else (0.02, 0.0, 0.1)
    if head != "none":
        parts.append(part("head", *((m.transformed(turn, spot), p) for m, p in lamp)))
    parts += _wired(cord, socket, (-0.07, 0.0, 0.012), outlet)
    facts = {
        "lit": lit,
        "light": point(spot[0] + 0.02, 0, spot[2] - 0.04),
        "outlet": point(*outlet),
    }
    return Made(parts, facts)


@maker("table lamp", "rigid", "stands", "lamp")
def table_lamp(
    rng: Generator,
    *,
    lit: bool = True,
    cord: bool = True,
    socket: bool = True,
    outlet: Point = (-0.25, -0.16, 0.2),
    shade: str = "top",
    bulb_shown: bool = False,
) -> Made:
    """A lamp with a shade. lit; cord; socket and `outlet` as `desk_lamp`; shade: top, none, below or
    off (beside);
    bulb_shown: a bare bulb in place of the shade."""
    body, h = colour(rng), float(rng.uniform(0.2, 0.3))
    waist = rng.uniform(0.35, 1.0, 3) * 0.06
    foot = smooth(
        [
            (0.06, 0),
            (0.058, 0.01),
            (waist[0], h * 0.3),
            (waist[1], h * 0.55),
            (waist[2] * 0.6, h * 0.8),
            (0.012, h),
        ]
    )
    rgb = tint((0.93, 0.8, 0.55), rng, 0.12)
    cloth = Paint(rgb, specular=0.0, emission=0.42 if lit else 0.0)
    r0, r1, hs = (
        float(rng.uniform(0.1, 0.13)),
        float(rng.uniform(0.06, 0.1)),
        float(rng.uniform(0.13, 0.18)),
    )
    parts = [part("foot", (foot, body))]
    if not bulb_shown and shade != "none":
        at = {"top": (0, 0, h - 0.02), "below": (0, 0, 0), "off": (0.0, 0.2, 0.0)}[shade]
        parts.append(
            part(
                "shade",
                (
                    turned(
                        [(r0, 0), (r1, hs), (r1 - 0.004, hs), (r1 - 0.01, hs * 0.98)], 22
                    ).transformed(np.eye(3), at),
                    cloth,
                ),
            )
        )
    if bulb_shown or shade != "top":
        parts.append(part("bulb", *_bulb(lit, (0, 0, h - 0.01), 0.035)))
    parts += _wired(cord, socket, (-0.055, 0.0, 0.01), outlet)
    return Made(parts, {"lit": lit, "light": point(0, 0, h + hs / 2), "outlet": point(*outlet)})


@maker("floor lamp", "rigid", "stands", "lamp", "large")
def floor_lamp(
    rng: Generator,
    *,
    lit: bool = True,
    cord: bool = True,
    socket: bool = True,
    outlet: Point = (-0.4, 0.25, 0.3),
    shade: str = "top",
) -> Made:
    """A standard lamp. Keywords as `desk_lamp`; shade: top, none or middle (half way down the pole)."""
    pole, h = metal(rng, 0.2, 0.7), float(rng.uniform(1.3, 1.6))
    cloth = Paint(tint((0.93, 0.86, 0.7), rng, 0.15), specular=0.0, emission=0.42 if lit else 0.0)
    parts = [
        part(
            "pole",
            (turned([(0.14, 0), (0.13, 0.025)], 20), pole),
            (limb((0, 0, 0.02), (0, 0, h), 0.014, 0.014), pole),
        )
    ]
    if shade == "none":
        parts.append(part("bulb", *_bulb(lit, (0, 0, h), 0.045)))
    else:
        z = h - 0.05 if shade == "top" else h * 0.45
        parts.append(
            part(
                "shade",
                (
                    turned(
                        [(0.2, z), (0.13, z + 0.28), (0.126, z + 0.28), (0.12, z + 0.27 + 0.015)],
                        22,
                    ),
                    cloth,
                ),
            )
        )
    parts += _wired(cord, socket, (-0.13, 0.0, 0.02), outlet)
    return Made(parts, {"lit": lit, "light": point(0, 0, h), "outlet": point(*outlet)})


@maker("hanging lamp", "rigid", "hangs", "lamp")
def hanging_lamp(
    rng: Generator, *, lit: bool = True, cord: bool = True, socket: bool = True, length: float = 0.7
) -> Made:
    """A lamp on a cord of `length` above it; its shade's rim is at z = 0. lit; cord; socket: the
    ceiling rose."""
    paint, style = colour(rng), int(rng.integers(3))
    r = float(rng.uniform(0.1, 0.17))
    rows = (
        [(r, 0), (r * 0.8, r * 0.45), (0.03, r * 0.8), (0.025, r * 0.9)],
        [(r, 0), (r * 0.25, r * 0.9), (0.025, r * 1.1)],
        [(r * 0.5, 0), (r, r * 0.5), (r * 0.5, r), (0.025, r * 1.1)],
    )[style]
    top = rows[-1][1]
    parts = [
        part("shade", (turned(rows, 20) if style < 2 else smooth(rows, 20), paint)),
        part("bulb", *_bulb(lit, (0, 0, 0.05), 0.035, down=True)),
    ]
    if cord:
        parts.append(
            part("cord", (limb((0, 0, top - 0.01), (0, 0, top + length), 0.006, 0.006, n=6), BLACK))
        )
    if socket:
        parts.append(
            part("socket", (turned([(0.05, top + length - 0.03), (0.05, top + length)], 14), WHITE))
        )
    return Made(parts, {"lit": lit, "light": point(0, 0, 0), "hook": point(0, 0, top + length)})


@maker("bulb", "rigid", "lamp")
def bulb(
    rng: Generator, *, lit: bool = True, socket: bool = True, cord: bool = True, length: float = 0.7
) -> Made:
    """A bare bulb hanging in a socket from a cord of `length`, or (no socket) lying on its side on z =
    0."""
    r = float(rng.uniform(0.032, 0.042))
    if not socket:
        lying = [
            (m.transformed(rot("y", 80), (0, 0, r * 1.0)), p)
            for m, p in _bulb(lit, (0, 0, -r * 1.2), r)
        ]
        return Made(
            [part("bulb", *lying)], {"lit": lit, "light": point(0, 0, r), "radius": r}, ("stands",)
        )
    z = r * 3
    parts = [
        part("bulb", *_bulb(lit, (0, 0, z), r, down=True)),
        part(
            "socket",
            (
                turned([(r * 0.6, z - r * 0.35), (r * 0.62, z + r), (r * 0.2, z + r * 1.4)], 14),
                BLACK,
            ),
        ),
    ]
    if cord:
        parts.append(
            part("cord", (limb((0, 0, z + r), (0, 0, z + length), 0.006, 0.006, n=6), BLACK))
        )
    return Made(
        parts,
        {"lit": lit, "light": point(0, 0, r), "hook": point(0, 0, z + length), "radius": r},
        ("hangs",),
    )


@maker("torch", "rigid", "stands", "lamp", "tool")
def torch(rng: Generator, *, lit: bool = True, body: bool = True) -> Made:
    """A pocket torch lying along x, its light towards +x. lit; body: False leaves the head alone."""
    case = colour(rng)
    glow = Paint(GLOW, specular=0.3, emission=1.0) if lit else _DARK_GLASS
    z = 0.032
    across = rot("y", 90)
    head = turned([(0.018, 0.0), (0.032, 0.04), (0.032, 0.06)], 16).transformed(
        across, (0.05, 0, z)
    )
    lens = turned([(0.028, 0.0), (0.027, 0.003)], 16).transformed(across, (0.11, 0, z))
    parts = [part("head", (head, case)), part("lens", (lens, glow))]
    if body:
        parts.append(
            part(
                "body",
                (turned([(0.018, -0.09), (0.018, 0.055)], 14).transformed(across, (0, 0, z)), case),
                (box((0.0, 0, z + 0.018), (0.025, 0.012, 0.006)), BLACK),
            )
        )
    return Made(
        parts, {"lit": lit, "light": point(0.113, 0, z)}, (), ("stands",) if not body else ()
    )


def flame(at: Point, h: float) -> Part:
    """A flame above a point."""
    x, y, z = at
    outer = smooth(
        [(0.002, 0), (h * 0.2, h * 0.22), (h * 0.15, h * 0.5), (h * 0.05, h * 0.8), (0.001, h)], 10
    )
    inner = outer.transformed(np.diag([0.6, 0.6, 0.55]), (h * 0.09, 0, 0.02 * h))
    return part(
        "flame",
        (outer.transformed(np.eye(3), (x, y, z)), FIRE[0]),
        (inner.transformed(np.eye(3), (x, y, z)), FIRE[1]),
    )


@maker("candle", "rigid", "stands")
def candle(
    rng: Generator,
    *,
    flame_: str = "top",
    lit: bool = True,
    wick: bool = True,
    holder: bool = True,
    melted: bool = False,
) -> Made:
    """A candle. lit; flame_: top, side (out of its middle), beside (in the air next to it) or below;
    wick; holder;
    melted: slumped to a puddle of wax."""
    r, h = float(rng.uniform(0.016, 0.035)), float(rng.uniform(0.1, 0.2))
    wax, brass = (
        Paint(tint((0.93, 0.9, 0.8), rng, 0.15), specular=0.2),
        Paint(tint((0.72, 0.55, 0.25), rng), specular=0.8),
    )
    z = 0.02 if holder else 0.0
    parts = (
        [
            part(
                "holder",
                (turned([(0.06, 0), (0.062, 0.012), (0.02, 0.014), (0.02, 0.02)], 18), brass),
            )
        ]
        if holder
        else []
    )
    if melted:
        blob = smooth(
            [(r * 2.6, z), (r * 2.2, z + 0.012), (r * 0.9, z + 0.02), (r * 0.5, z + h * 0.16)]
        )
        parts.append(part("body", (blob, wax)))
        h *= 0.16
    else:
        parts.append(
            part(
                "body", (turned([(r, z), (r * 0.97, z + h), (r * 0.6, z + h - 0.004)][:2], 16), wax)
            )
        )
    tip: Point = (0.0, 0.0, z + h)
    if wick:
        parts.append(part("wick", (limb(tip, (0, 0, z + h + 0.012), 0.002, 0.002, n=5), BLACK)))
    places: dict[str, Point] = {
        "top": (0, 0, z + h + 0.005),
        "side": (0, r * 1.1, z + h * 0.45),
        "beside": (0, r + 0.07, z + h * 0.6),
        "below": (0, r + 0.03, 0.0),
    }
    if lit:
        parts.append(flame(places[flame_], 0.05))
    return Made(
        parts,
        {"lit": lit, "light": point(0, 0, z + h + 0.03), "height": z + h, "radius": r},
        ("flame", "hot", "lamp") if lit else (),
    )


@maker("fireplace", "rigid", "stands", "large", "furniture")
def fireplace(
    rng: Generator, *, lit: bool = True, logs: int = 4, texture: str | None = None
) -> Made:
    """A fireplace 1.3 wide at a wall behind it. lit; logs: number; texture: of the surround."""
    shade = float(rng.uniform(0.6, 0.95))
    surround = Paint((shade, shade, shade), texture, "yz", (1.2, 1.2), specular=0.05)
    dark, bark = Paint((0.08, 0.07, 0.07), specular=0.0), Paint((0.3, 0.19, 0.1), specular=0.0)
    parts = [
        part(
            "surround",
            (
                [
                    box((0, -0.5, 0.45), (0.36, 0.28, 0.9)),
                    box((0, 0.5, 0.45), (0.36, 0.28, 0.9)),
                    box((0, 0, 0.8), (0.36, 0.75, 0.2)),
                ],
                surround,
            ),
        ),
        part("mantel", (box((0.03, 0, 0.93), (0.44, 1.4, 0.06)), wooden(rng))),
        part(
            "hearth",
            (box((-0.15, 0, 0.36), (0.04, 0.74, 0.7)), dark),
            (box((0.05, 0, 0.01), (0.4, 0.74, 0.02)), dark),
        ),
    ]
    for i in range(logs):
        y, z, a = (
            (-0.12, 0.06, 8.0)
            if i == 0
            else (0.12, 0.06, -10.0)
            if i == 1
            else (0.0, 0.15, 25.0 - 40 * (i - 2))
        )
        log = (
            turned([(0.05, -0.18), (0.05, 0.18)], 10)
            .transformed(rot("x", 90), (0, 0, 0))
            .transformed(rot("z", a), (0.05, y * 0.4, z if i > 1 else 0.07))
        )
        if i < 2:
            log = log.transformed(np.eye(3), ((0.07, -0.07)[i], 0, 0))
        parts.append(part(f"log.{i}", (log, bark)))
    if lit:
        for i, (y, h) in enumerate(((-0.16, 0.22), (-0.02, 0.36), (0.12, 0.28), (0.05, 0.2))):
            tongue = flame((0.05 + 0.05 * (i % 2), y, 0.15), h)
            parts.append(Part(f"flame.{i}", None, tongue.pieces))
    return Made(
        parts,
        {"lit": lit, "light": point(0.1, 0, 0.3), "top": point(0.03, 0, 0.96)},
        ("hot", "flame", "lamp") if lit else (),
    )
