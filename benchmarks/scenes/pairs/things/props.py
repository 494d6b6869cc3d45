"""Other household things: plants, vases, toys, baskets, cushions."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import prism, rot
from benchmarks.scenes.geometry.subject import Paint

from .kit import (
    BLACK,
    STEEL,
    Made,
    box,
    colour,
    cord,
    cup_of,
    maker,
    part,
    point,
    smooth,
    tint,
    turned,
    wooden,
)
from .quick import ball as ellipsoid
from .quick import rod as limb


@maker("potted plant", "plant", "stands")
def potted_plant(
    rng: Generator, *, leaves: str = "top", stem: bool = True, wilted: bool = False
) -> Made:
    """A plant in a pot. leaves: top, or below (out of the pot's foot) or none; stem; wilted: hanging
    leaves."""
    pot, green = (
        colour(rng, (0.2, 0.8), (0.4, 0.85)),
        Paint(tint((0.2, 0.5, 0.16), rng, 0.25), specular=0.15),
    )
    r, h, n = (
        float(rng.uniform(0.05, 0.08)),
        float(rng.uniform(0.08, 0.13)),
        int(rng.integers(7, 13)),
    )
    long, droop = float(rng.uniform(0.14, 0.26)), float(rng.uniform(0.4, 1.1))
    turns = rng.uniform(0, 360, 13)
    lifts = rng.uniform(25, 80, 13)
    parts = [
        part("pot", (cup_of(r * 0.75, r, h, 0.006), pot)),
        part(
            "soil",
            (turned([(r * 0.9, h * 0.8), (r * 0.92, h * 0.86)], 14), Paint((0.2, 0.13, 0.08))),
        ),
    ]
    blades: list[Mesh] = []
    for i in range(n):
        lift = np.deg2rad(lifts[i] * (-0.5 if wilted else 1))
        length = long * (0.7 + 0.3 * np.sin(i * 2.1) ** 2)
        blade = ellipsoid((length / 2, 0, 0), (length / 2, length * 0.14, 0.004), n=8)
        bent = blade.verts.copy()
        bent[:, 2] -= droop * bent[:, 0] ** 2 * 0.8
        leaf = Mesh(bent, blade.normals, blade.faces, blade.ring, blade.ring_rows)
        turn = rot("z", float(turns[i])) @ rot("y", -float(np.rad2deg(lift)))
        blades.append(leaf.transformed(turn, (0, 0, h * 0.85 + (0.05 if stem else 0))))
    if leaves == "below":
        blades = [m.transformed(np.diag([1, 1, 0.3]), (0, 0, 0.02 - 0.25 * h)) for m in blades]
    if stem:
        parts.append(
            part("stem", (limb((0, 0, h * 0.8), (0, 0, h * 0.9 + 0.06), 0.006, 0.004, n=6), green))
        )
    if leaves != "none":
        parts.append(part("leaves", (blades, green)))
    return Made(parts, {"height": h, "rim": point(0, 0, h)})


@maker("vase", "rigid", "stands", "vessel", "plant")
def vase(rng: Generator, *, flowers: int | None = None, stems: bool = True) -> Made:
    """A vase with flowers. flowers: number, None by chance; stems: False lets the blossoms float."""
    glaze, r, h = colour(rng), float(rng.uniform(0.035, 0.055)), float(rng.uniform(0.15, 0.22))
    petals, green = colour(rng, (0.5, 0.95), (0.7, 0.98)), Paint((0.22, 0.45, 0.16), specular=0.1)
    core = Paint((0.9, 0.75, 0.15))
    n, turns = int(rng.integers(3, 6)), rng.uniform(0, 360)
    spread = rng.uniform(0.04, 0.1, 6)
    n = n if flowers is None else flowers
    rows = [
        (r * 0.7, 0),
        (r * 1.1, h * 0.3),
        (r * 0.9, h * 0.6),
        (r * 0.5, h * 0.85),
        (r * 0.65, h),
        (r * 0.58, h),
        (r * 0.42, h * 0.85),
        (0.01, h * 0.82 + 0.001),
    ]
    parts = [part("body", (smooth(rows), glaze))]
    rods, heads, cores = [], [], []
    for i in range(n):
        a = np.deg2rad(turns + 360 * i / max(n, 1))
        s = float(spread[i % 6])
        end = np.array([np.cos(a) * s, np.sin(a) * s, h + 0.12 + 0.03 * (i % 3)])
        rods.append(limb((0, 0, h * 0.8), end, 0.003, 0.003, n=5))
        heads.append(ellipsoid(end, (0.026, 0.026, 0.017), n=8))
        cores.append(ellipsoid(end + np.array([0, 0, 0.012]), (0.011, 0.011, 0.008), n=6))
    if rods and stems:
        parts.append(part("stems", (rods, green)))
    if heads:
        parts.append(part("flowers", (heads, petals), (cores, core)))
    return Made(parts, {"height": h, "rim": point(0, 0, h), "radius": r})


@maker("toy car", "rigid", "stands", "wheeled", "small")
def toy_car(rng: Generator, *, wheels: int = 4, cabin: str = "top") -> Made:
    """A toy car 0.16 long, driving to +x. wheels: number; cabin: top, none or below."""
    paint, glassy = colour(rng, (0.6, 0.95), (0.5, 0.95)), Paint((0.2, 0.25, 0.3), specular=0.8)
    rw = 0.017
    body = prism(
        [(-0.08, -0.033, rw), (0.08, -0.033, rw), (0.08, 0.033, rw), (-0.08, 0.033, rw)],
        [
            (-0.078, -0.032, rw + 0.026),
            (0.074, -0.032, rw + 0.02),
            (0.074, 0.032, rw + 0.02),
            (-0.078, 0.032, rw + 0.026),
        ],
    )
    roof = prism(
        [(-0.055, -0.03, 0), (0.035, -0.03, 0), (0.035, 0.03, 0), (-0.055, 0.03, 0)],
        [
            (-0.04, -0.026, 0.026),
            (0.01, -0.026, 0.026),
            (0.01, 0.026, 0.026),
            (-0.04, 0.026, 0.026),
        ],
    )
    parts = [part("body", (body, paint))]
    if cabin != "none":
        z = rw + 0.022
        parts.append(
            part(
                "cabin",
                (
                    roof.transformed(
                        np.diag([1, 1, -0.6]) if cabin == "below" else np.eye(3),
                        (0, 0, z if cabin == "top" else 0.016),
                    ),
                    glassy,
                ),
            )
        )
    for i, (x, y) in enumerate(
        [(0.05, 0.034), (0.05, -0.034), (-0.05, 0.034), (-0.05, -0.034)][:wheels]
    ):
        tyre = turned([(rw, -0.006), (rw, 0.006)], 14).transformed(rot("x", 90), (x, y, rw))
        hub = turned([(rw * 0.5, -0.007), (rw * 0.5, 0.007)], 10).transformed(
            rot("x", 90), (x, y, rw)
        )
        parts.append(
            part(f"wheel.{i}", (tyre, BLACK), (hub, Paint((0.85, 0.85, 0.86), specular=0.8)))
        )
    return Made(parts, {"radius": rw})


@maker("teddy", "soft", "stands", "small")
def teddy(rng: Generator, *, legs: int = 2, arms: int = 2, ears: int = 2, eyes: int = 2) -> Made:
    """A sitting teddy bear that looks to +x. legs, arms, ears, eyes: numbers."""
    shades = ((0.62, 0.43, 0.25), (0.82, 0.68, 0.48), (0.45, 0.32, 0.22), (0.85, 0.8, 0.75))
    fur = Paint(tint(shades[int(rng.integers(4))], rng), specular=0.02)
    light = Paint(tint((0.9, 0.8, 0.65), rng), specular=0.02)
    parts = [
        part("body", (ellipsoid((0, 0, 0.075), (0.058, 0.062, 0.075), n=12), fur)),
        part("head", (ellipsoid((0.01, 0, 0.175), (0.052, 0.056, 0.05), n=12), fur)),
        part(
            "snout",
            (ellipsoid((0.055, 0, 0.165), (0.022, 0.026, 0.02), n=10), light),
            (ellipsoid((0.077, 0, 0.172), (0.007, 0.01, 0.006), n=8), BLACK),
        ),
    ]
    for i in range(legs):
        y = (0.04, -0.04, 0.0, 0.1)[i]
        parts.append(
            part(
                f"leg.{i}",
                (limb((0.02, y, 0.03), (0.1, y * 1.5, 0.03), 0.03, 0.026), fur),
                (ellipsoid((0.122, y * 1.5, 0.03), (0.006, 0.02, 0.02), n=8), light),
            )
        )
    for i in range(arms):
        s, lift = ((1, 0), (-1, 0), (1, 0.05), (-1, 0.05))[i]
        parts.append(
            part(
                f"arm.{i}",
                (
                    limb(
                        (0.01, s * 0.045, 0.125 + lift * 0.3),
                        (0.055, s * 0.085, 0.075 + lift),
                        0.023,
                        0.019,
                    ),
                    fur,
                ),
            )
        )
    for i in range(ears):
        y = (0.042, -0.042, 0.0)[i]
        parts.append(part(f"ear.{i}", (ellipsoid((0, y, 0.218), (0.012, 0.02, 0.02), n=8), fur)))
    spots = [
        ellipsoid(
            (0.052, (0.02, -0.02, 0.0)[i], 0.19 + (0.018 if i == 2 else 0)), (0.006,) * 3, n=6
        )
        for i in range(eyes)
    ]
    if spots:
        parts.append(part("eyes", (spots, BLACK)))
    return Made(parts, {"head": point(0.01, 0, 0.175)})


@maker("cushion", "soft", "stands")
def cushion(rng: Generator, *, texture: str | None = None) -> Made:
    """A cushion lying flat. texture."""
    s = float(rng.uniform(0.18, 0.24))
    cloth = Paint(
        colour(rng).rgb if texture is None else (1, 1, 1), texture, "xy", (2.5, 2.5), specular=0.0
    )
    body = ellipsoid((0, 0, 0.06), (s, s, 0.06), n=20)
    v = body.verts.copy()
    p = np.clip(np.abs(v[:, :2]) / s, 1e-6, 1)
    v[:, :2] = np.sign(v[:, :2]) * s * p**0.6 * 0.9
    from benchmarks.scenes.geometry.subject import Part, Piece

    mesh = Mesh(v, body.normals, body.faces, body.ring, body.ring_rows)
    return Made([Part("body", None, (Piece.make(mesh, cloth),))])


@maker("basket", "rigid", "stands", "vessel")
def basket(rng: Generator, *, full: bool = True) -> Made:
    """A basket. full: of fruit."""
    cane = Paint(tint((0.66, 0.48, 0.28), rng, 0.15), specular=0.05)
    r, h = float(rng.uniform(0.11, 0.15)), float(rng.uniform(0.08, 0.11))
    rows = []
    for i in range(5):
        z = h * i / 5
        rr = r * (0.75 + 0.25 * i / 4)
        rows += [(rr, z), (rr * 1.04, z + h * 0.1), (rr, z + h * 0.2)]
    parts = [part("body", (smooth([*rows, (r * 0.94, h), (r * 0.7, h * 0.4)]), cane))]
    fruit = [
        Paint(tint(c, rng, 0.12), specular=0.35)
        for c in ((0.75, 0.12, 0.1), (0.95, 0.55, 0.1), (0.6, 0.72, 0.2))
    ]
    if full:
        spots = [(0, 0.0), (0.55, 0.3), (0.55, 2.4), (0.55, 4.5)]
        for k, paint in enumerate(fruit):
            balls = [
                ellipsoid(
                    (np.cos(a) * d * r, np.sin(a) * d * r, h * 0.72 + 0.02 * (d == 0)),
                    (r * 0.33,) * 3,
                    n=10,
                )
                for j, (d, a) in enumerate(spots)
                if j % 3 == k
            ]
            parts.append(part(f"fruit.{k}", (balls, paint)))
    return Made(parts, {"radius": r, "height": h, "rim": point(0, 0, h)}, ("food",) if full else ())


@maker("pencil pot", "rigid", "stands", "vessel")
def pencil_pot(rng: Generator, *, pencils: int | None = None) -> Made:
    """A pot with pencils. pencils: number, None by chance."""
    paint, n = colour(rng), int(rng.integers(3, 6))
    shades = [colour(rng, (0.6, 0.95), (0.5, 0.95)) for _ in range(5)]
    leans = rng.uniform(-0.02, 0.02, (5, 2))
    n = n if pencils is None else pencils
    parts = [part("body", (cup_of(0.036, 0.038, 0.1, 0.004), paint))]
    for i in range(n):
        dx, dy = leans[i % 5]
        parts.append(
            part(
                f"pencil.{i}",
                (
                    limb(
                        (-dx, -dy, 0.02),
                        (dx * 1.2, dy * 1.2, 0.17 + 0.01 * (i % 3)),
                        0.004,
                        0.004,
                        n=6,
                    ),
                    shades[i % 5],
                ),
            )
        )
    return Made(parts, {"height": 0.1, "rim": point(0, 0, 0.1)})


@maker("wooden crate", "rigid", "stands")
def crate(rng: Generator, *, slats: int = 3, texture: str | None = None) -> Made:
    """A crate of slats, open above. slats: rows on each side; texture: of the wood."""
    wood = wooden(rng, texture)
    w, d, h = (
        float(rng.uniform(0.3, 0.42)),
        float(rng.uniform(0.24, 0.3)),
        float(rng.uniform(0.18, 0.26)),
    )
    bars = [box((0, 0, 0.008), (d, w, 0.016))]
    for i in range(slats):
        z = h * (i + 0.5) / max(slats, 1)
        s = h / max(slats, 1) * 0.72
        bars += [box((x, 0, z), (0.014, w, s)) for x in (-d / 2, d / 2)] + [
            box((0, y, z), (d, 0.014, s)) for y in (-w / 2, w / 2)
        ]
    posts = [
        box((x * (d / 2 - 0.02), y * (w / 2 - 0.02), h / 2), (0.025, 0.025, h))
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    return Made(
        [part("body", (bars + posts, wood))],
        {"height": h, "rim": point(0, 0, h), "inside": point(0, 0, 0.016)},
    )


@maker("toy animal", "rigid", "stands", "small")
def toy_animal(rng: Generator, *, kind: str | None = None) -> Made:
    """A plastic animal about 0.12 high that looks to +x. kind: species, None by chance."""
    from .creatures import animal

    drawn = str(rng.choice(["elephant", "cow", "horse", "rhino", "sheep", "goat"]))
    whole = animal(rng, "toy", kind or drawn, textured=False)
    by = 0.12 / float(whole.size[2])
    parts = [p.transformed(np.eye(3) * by, (0, 0, -float(whole.low[2]) * by)) for p in whole.parts]
    return Made(parts, {"species": kind or drawn})


@maker("hung thing", "rigid", "hangs", "tool")
def hung(rng: Generator, *, what: str = "hammer", cord_: bool = True, hook: bool = True) -> Made:
    """Something that hangs by a loop from a peg in the wall, which faces +x; the peg is at z = 0.
    what: hammer,
    saw, wrench, pan, spoon or bag; cord_: the loop; hook: the peg."""
    from . import kitchen, tools

    makers = {
        "hammer": tools.hammer,
        "saw": tools.saw,
        "wrench": tools.wrench,
        "pan": kitchen.pan,
        "spoon": kitchen.spoon,
        "bag": tools.bag,
    }
    whole = makers[what](rng, "it")
    upright = what == "bag"
    turn = (
        np.eye(3)
        if upright
        else rot("z", 0) @ rot("y", {"pan": -90.0, "spoon": -90.0}.get(what, 90.0))
    )
    if what in ("pan", "spoon"):
        # The handle points up, the open side away from the wall.
        turn = np.array([[0.0, 0, 1], [0, 1, 0], [1, 0, 0]]) @ np.diag([1.0, -1.0, 1.0])
        turn = turn if what == "pan" else np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    parts = [p.transformed(turn, (0, 0, 0)) for p in whole.parts]
    v = np.concatenate([p.verts() for p in parts])
    low, high = v.min(0), v.max(0)
    loop = 0.0 if upright else 0.05
    shift = (-low[0] + 0.006, -(low[1] + high[1]) / 2, -high[2] - loop + 0.008)
    parts = [p.transformed(np.eye(3), shift) for p in parts]
    reach = float(high[0] - low[0]) / 2 + 0.02
    if cord_ and not upright:
        x = float(high[0] - low[0]) / 2 + 0.006
        t = np.linspace(-0.7, 0.7, 7)
        bow = np.stack([0 * t + x, np.sin(t) * 0.022, 0.006 - loop * (1 - np.cos(t) ** 2) * 2.4], 1)
        parts.append(part("cord", (cord(bow, 0.004), BLACK)))
    if hook:
        parts.append(part("hook", (limb((0, 0, 0), (reach + 0.01, 0, 0.004), 0.006, 0.008), STEEL)))
    return Made(parts, {"what": what})
