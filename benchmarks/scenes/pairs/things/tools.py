"""Tools: hammer, saw, screwdriver, wrench, scissors, pump, umbrella, bag, bucket."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import prism, rot, tube
from benchmarks.scenes.geometry.subject import Paint

from .kit import (
    BLACK,
    STEEL,
    Made,
    arc,
    box,
    colour,
    cup_of,
    maker,
    metal,
    part,
    point,
    stick,
    tint,
    turned,
    wooden,
)
from .quick import ball as ellipsoid
from .quick import rod as limb


@maker("hammer", "rigid", "tool", "stands")
def hammer(rng: Generator, *, head: str = "end", heads: int = 1) -> Made:
    """A hammer lying along x. head: end, middle (half way down the handle), along (in line with it) or
    off
    (beside it); heads: 1, or 2 (one at either end)."""
    grip, steel = (wooden(rng) if rng.random() < 0.7 else colour(rng)), metal(rng, 0.3, 0.6)
    n = float(rng.uniform(0.9, 1.15))
    z = 0.018
    shaft = limb((-0.16 * n, 0, z), (0.12 * n, 0, z), 0.015, 0.011)
    block = [
        box((0, 0, z), (0.032, 0.08, 0.032)),
        turned([(0.019, 0.0), (0.019, 0.03)], 12).transformed(rot("x", -90), (0, 0.035, z)),
        prism(
            [
                (-0.015, -0.04, z - 0.013),
                (0.015, -0.04, z - 0.013),
                (0.015, -0.04, z + 0.013),
                (-0.015, -0.04, z + 0.013),
            ],
            [
                (-0.013, -0.085, z - 0.004),
                (0.013, -0.085, z - 0.004),
                (0.013, -0.085, z + 0.004),
                (-0.013, -0.085, z + 0.004),
            ],
        ),
    ]
    parts = [part("handle", (shaft, grip))]
    for i in range(heads):
        x = 0.12 * n if i == 0 else -0.15 * n
        if head == "middle":
            x = -0.05
        turn = rot("z", 90) if head == "along" else np.eye(3)
        shift = (x + (0.05 if head == "along" else 0), 0.13 if head == "off" else 0, 0)
        parts.append(part(f"head.{i}", ([m.transformed(turn, shift) for m in block], steel)))
    return Made(parts, {"handle": point(-0.12, 0, z), "length": 0.3 * n})


@maker("screwdriver", "rigid", "tool", "stands")
def screwdriver(rng: Generator, *, handle: str = "end", bent: bool = False) -> Made:
    """A screwdriver lying along x. handle: end, both (at either end) or none; bent: its blade is
    folded."""
    grip, steel = colour(rng, (0.6, 0.95), (0.5, 0.95)), metal(rng, 0.6, 0.8)
    z = 0.017
    rod = [limb((0, 0, z), (0.13, 0, z), 0.005, 0.005)]
    if bent:
        rod = [
            limb((0, 0, z), (0.06, 0, z), 0.005, 0.005),
            limb((0.06, 0, z), (0.06, 0.07, z), 0.005, 0.005),
        ]
    parts = [part("blade", (rod, steel))]
    shape = turned(
        [(0.012, -0.11), (0.017, -0.1), (0.013, -0.04), (0.016, -0.02), (0.011, 0.005)], 10
    )
    for i, flip in enumerate([1.0, -1.0][: {"end": 1, "both": 2, "none": 0}[handle]]):
        mesh = shape.transformed(rot("y", 90), (0, 0, z)).transformed(
            np.diag([flip, 1, 1]), (0.12 if i else 0, 0, 0)
        )
        parts.append(part(f"handle.{i}", (mesh, grip)))
    return Made(parts, {"handle": point(-0.05, 0, z)})


@maker("saw", "rigid", "tool", "stands")
def saw(rng: Generator, *, handle: str = "end") -> Made:
    """A hand saw lying along x. handle: end, none, middle (on the blade's middle) or both ends."""
    grip, steel = wooden(rng), metal(rng, 0.6, 0.85)
    z = 0.012
    blade = prism(
        [(0, -0.05, z), (0.3, -0.02, z), (0.3, 0.03, z), (0, 0.05, z)],
        [
            (0, -0.05, z + 0.003),
            (0.3, -0.02, z + 0.003),
            (0.3, 0.03, z + 0.003),
            (0, 0.05, z + 0.003),
        ],
    )
    teeth = [
        prism(
            [
                (x, -0.05 + x * 0.1, z),
                (x + 0.018, -0.05 + x * 0.1, z),
                (x + 0.009, -0.06 + x * 0.1, z),
            ],
            [
                (x, -0.05 + x * 0.1, z + 0.003),
                (x + 0.018, -0.05 + x * 0.1, z + 0.003),
                (x + 0.009, -0.06 + x * 0.1, z + 0.003),
            ],
        )
        for x in np.arange(0.01, 0.28, 0.02)
    ]
    parts = [part("blade", ([blade, *teeth], steel))]
    t = np.linspace(0, 2 * np.pi, 11)
    loop = tube(
        np.stack([-0.045 + np.cos(t) * 0.045, np.sin(t) * 0.06, 0 * t + z], 1),
        np.full(11, 0.012),
        n=7,
    )
    places = {"end": [0.0], "none": [], "middle": [0.19], "both": [0.0, 0.38]}[handle]
    parts += [
        part(f"handle.{i}", (loop.transformed(np.eye(3), (x, 0, 0)), grip))
        for i, x in enumerate(places)
    ]
    return Made(parts, {"handle": point(-0.04, 0, z)})


@maker("wrench", "rigid", "tool", "stands")
def wrench(rng: Generator, *, jaws: int = 1) -> Made:
    """A spanner lying along x. jaws: 0, 1 or 2."""
    steel, n = metal(rng, 0.5, 0.8), float(rng.uniform(0.8, 1.2))
    z = 0.006
    parts = [part("shaft", (box((0, 0, z), (0.2 * n, 0.018, 0.01)), steel))]
    for i, s in enumerate((1, -1)[:jaws]):
        x = s * 0.1 * n
        jaw = [
            box((x, 0, z), (0.03, 0.045, 0.012)),
            box((x + s * 0.026, 0.016, z), (0.032, 0.014, 0.012)),
            box((x + s * 0.026, -0.016, z), (0.032, 0.014, 0.012)),
        ]
        parts.append(part(f"jaw.{i}", (jaw, steel)))
    return Made(parts, {"handle": point(-0.05, 0, z)})


@maker("scissors", "rigid", "tool", "stands")
def scissors(rng: Generator, *, blades: str = "crossed", loops: int = 2) -> Made:
    """Scissors lying along x, a little open. blades: crossed, apart (two halves that never meet) or
    swapped (the
    loops are on the blades' ends as well); loops: number of finger loops."""
    grip, steel = colour(rng, (0.6, 0.95), (0.4, 0.95)), metal(rng, 0.65, 0.85)
    spread = float(rng.uniform(11, 20))
    parts = []
    for i, s in enumerate((1, -1)):
        z = 0.006 + 0.004 * i
        blade = prism(
            [(-0.03, -0.008, z), (0.02, -0.01, z), (0.11, 0.0, z), (0.02, 0.009, z)],
            [
                (-0.03, -0.008, z + 0.003),
                (0.02, -0.01, z + 0.003),
                (0.11, 0.0, z + 0.003),
                (0.02, 0.009, z + 0.003),
            ],
        )
        t = np.linspace(0, 2 * np.pi, 9)
        ring = tube(
            np.stack([-0.075 + np.cos(t) * 0.03, np.sin(t) * 0.022, 0 * t + 0.008], 1),
            np.full(9, 0.006),
            n=6,
        )
        arm = limb((-0.03, 0, z), (-0.047, 0, 0.008), 0.006, 0.006)
        turn = rot("z", s * spread / 2)
        shift = (0, s * (0.07 if blades == "apart" else 0.0), 0)
        parts.append(part(f"blade.{i}", (blade.transformed(turn, shift), steel)))
        if i < loops:
            handle = [
                m.transformed(np.eye(3), (0, 0.004 * s, 0)).transformed(turn, shift)
                for m in (ring, arm)
            ]
            if blades == "swapped":
                handle += [ring.transformed(turn @ rot("z", 180), (0.03, s * 0.012, 0))]
            parts.append(part(f"loop.{i}", (handle, grip)))
    if blades != "apart":
        parts.append(part("screw", (turned([(0.006, 0.008), (0.005, 0.016)], 10), STEEL)))
    return Made(parts, {"handle": point(-0.07, 0, 0.008)})


@maker("bicycle pump", "rigid", "tool", "stands")
def pump(rng: Generator, *, handle: str = "top", hose: bool = True) -> Made:
    """A floor pump. handle: top, none, middle or foot; hose."""
    body = colour(rng)
    h = float(rng.uniform(0.42, 0.5))
    parts = [
        part("foot", (box((0, 0, 0.012), (0.08, 0.24, 0.024)), BLACK)),
        part("cylinder", (turned([(0.025, 0.02), (0.025, h)], 14), body)),
        part("rod", (limb((0, 0, h - 0.01), (0, 0, h + 0.12), 0.007, 0.007), STEEL)),
    ]
    if handle != "none":
        z = {"top": h + 0.12, "middle": h * 0.5, "foot": 0.06}[handle]
        parts.append(part("handle", (limb((0, -0.11, z), (0, 0.11, z), 0.015, 0.015), BLACK)))
    if hose:
        t = np.linspace(0, 1, 9)
        path = np.stack(
            [
                0.03 + 0.1 * np.sin(t * np.pi),
                0.06 * t,
                0.06 + 0.3 * np.sin(t * np.pi) ** 0.8 * (1 - t * 0.3),
            ],
            1,
        )
        parts.append(part("hose", (arc(path, 0.007), BLACK)))
    return Made(parts, {"height": h + 0.13})


@maker("umbrella", "rigid", "tool")
def umbrella(
    rng: Generator, *, shaft: str = "middle", canopy: bool = True, open_: bool = True
) -> Made:
    """An open umbrella held upright, its hook at z = 0. shaft: middle, off (beside the canopy) or
    none; canopy;
    open_: False: furled."""
    cloth, grip = colour(rng, (0.4, 0.95), (0.3, 0.9)), wooden(rng)
    r, h = float(rng.uniform(0.42, 0.55)), float(rng.uniform(0.72, 0.85))
    parts = []
    if shaft != "none":
        y = r * 1.15 if shaft == "off" else 0.0
        parts.append(part("shaft", (limb((0, y, 0.05), (0, y, h + 0.05), 0.008, 0.008), STEEL)))
        t = np.linspace(0, np.pi, 7)
        parts.append(
            part(
                "hook",
                (
                    arc(
                        np.stack(
                            [0.035 - np.cos(t) * 0.035, 0 * t + y, 0.045 - np.sin(t) * 0.045], 1
                        ),
                        0.013,
                    ),
                    grip,
                ),
            )
        )
    if canopy:
        rows = [
            (r, h - 0.2),
            (r * 0.85, h - 0.1),
            (r * 0.5, h - 0.02),
            (0.02, h + 0.03),
            (0.01, h + 0.03),
            (r * 0.5, h - 0.03),
            (r * 0.84, h - 0.11),
            (r * 0.97, h - 0.199),
        ]
        if not open_:
            rows = [(0.03, 0.2), (0.045, 0.3), (0.03, h - 0.1), (0.01, h)]
        from .kit import smooth

        parts.append(part("canopy", (smooth(rows, 8), cloth)))
    return Made(parts, {"hook": point(0, 0, 0.02), "radius": r, "height": h})


@maker("bag", "soft", "stands")
def bag(rng: Generator, *, handles: int = 2, texture: str | None = None) -> Made:
    """A shopping or hand bag. handles: number; texture."""
    s = rng.uniform(0.85, 1.2, 3) * np.array([0.11, 0.3, 0.28])
    cloth = colour(rng)
    if texture:
        cloth = Paint((1, 1, 1), texture, "yz", (3, 3), specular=0.0)
    x, y, z = (float(v) for v in s)
    body = prism(
        [
            (-x / 2, -y * 0.45, 0),
            (x / 2, -y * 0.45, 0),
            (x / 2, y * 0.45, 0),
            (-x / 2, y * 0.45, 0),
        ],
        [
            (-x * 0.35, -y / 2, z),
            (x * 0.35, -y / 2, z),
            (x * 0.35, y / 2, z),
            (-x * 0.35, y / 2, z),
        ],
    )
    parts = [part("body", (body, cloth))]
    t = np.linspace(0, np.pi, 8)
    for i in range(handles):
        dx = x * 0.3 * (1 - 2 * i)
        bow = tube(
            np.stack([0 * t + dx, np.cos(t) * y * 0.22, z - 0.01 + np.sin(t) * 0.11], 1),
            np.full(8, 0.008),
            n=6,
            up=(1, 0, 0),
        )
        parts.append(part(f"handle.{i}", (bow, BLACK)))
    return Made(parts, {"height": z})


@maker("bucket", "rigid", "stands", "vessel")
def bucket(rng: Generator, *, handle: bool = True, full: bool = False) -> Made:
    """A bucket. handle; full: of water."""
    r, h, paint = float(rng.uniform(0.11, 0.14)), float(rng.uniform(0.22, 0.28)), colour(rng)
    parts = [part("body", (cup_of(r * 0.75, r, h, 0.005, 22), paint))]
    t = np.linspace(0, np.pi, 9)
    if handle:
        bow = np.stack([np.sin(t) * r * 0.9, np.cos(t) * r, h - 0.02 + np.sin(t) * 0.04], 1)
        parts.append(part("handle", (tube(bow, np.full(9, 0.005), n=6), STEEL)))
    if full:
        parts.append(
            part(
                "content",
                (
                    turned([(r * 0.9, h * 0.8), (r * 0.92, h * 0.85)], 18),
                    Paint(tint((0.45, 0.6, 0.7), rng), specular=0.8),
                ),
            )
        )
    return Made(parts, {"radius": r, "height": h, "rim": point(0, 0, h)})


@maker("toolbox", "rigid", "stands")
def toolbox(rng: Generator, *, handle: str = "top") -> Made:
    """A closed toolbox. handle: top, none or bottom (under its side)."""
    paint = colour(rng, (0.5, 0.95), (0.4, 0.9))
    parts = [
        part("body", (box((0, 0, 0.09), (0.19, 0.38, 0.18)), paint)),
        part("lid", (box((0, 0, 0.19), (0.2, 0.39, 0.02)), BLACK)),
    ]
    if handle != "none":
        z, s = (0.2, 1.0) if handle == "top" else (0.1, 1.0)
        grip = stick(
            [(0, -0.09, z), (0, -0.08, z + 0.06 * s), (0, 0.08, z + 0.06 * s), (0, 0.09, z)], 0.009
        )
        if handle == "bottom":
            grip = [
                m.transformed(rot("y", 90), (0.0, 0, 0.09)).transformed(np.eye(3), (0.0, 0, -0.02))
                for m in grip
            ]
        parts.append(part("handle", (grip, BLACK)))
    latch = [box((0.1, y, 0.165), (0.012, 0.04, 0.05)) for y in (-0.11, 0.11)]
    parts.append(part("latches", (latch, STEEL)))
    return Made(parts, {"height": 0.2, "top": point(0, 0, 0.26)})


@maker("pliers", "rigid", "tool", "stands")
def pliers(rng: Generator, *, arms: int = 2) -> Made:
    """Pliers lying along x. arms: 2, 1 or 3."""
    grip, steel = colour(rng, (0.6, 0.95), (0.4, 0.9)), metal(rng, 0.4, 0.6)
    parts = [
        part(
            "jaws",
            ([box((0.03, s * 0.007, 0.01), (0.06, 0.012, 0.016)) for s in (-1, 1)], steel),
            (ellipsoid((0, 0, 0.01), (0.02, 0.02, 0.01)), steel),
        )
    ]
    for i in range(arms):
        y = (0.04, -0.04, 0.0)[i]
        parts.append(
            part(
                f"arm.{i}",
                (stick([(0, 0, 0.01), (-0.05, y * 0.75, 0.01), (-0.13, y, 0.01)], 0.009), grip),
            )
        )
    return Made(parts, {"handle": point(-0.1, 0, 0.01)})
