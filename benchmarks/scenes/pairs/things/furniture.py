"""Furniture: chairs, tables, shelves, sofas, beds, ladders, cabinets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part

from .kit import BLACK, WHITE, Made, box, colour, maker, metal, part, point, turned, wooden
from .quick import ball as ellipsoid
from .quick import rod as limb


def _leg(x: float, y: float, h: float, r: float, round_: bool) -> Mesh:
    if round_:
        return turned([(r * 0.7, 0), (r, h)], 10).transformed(np.eye(3), (x, y, 0))
    return box((x, y, h / 2), (2 * r, 2 * r, h))


@maker("chair", "rigid", "stands", "furniture")
def chair(
    rng: Generator,
    *,
    missing_leg: bool = False,
    leg_misplaced: bool = False,
    legs: int = 4,
    back: str = "back",
) -> Made:
    """A chair. missing_leg: the front left one; leg_misplaced: that leg sticks out of the back's top;
    legs: 4 or
    3, 5, 6; back: back, none, seat (lies through the seat's middle) or under (below the seat). Seat at
    "seat"."""
    painted = rng.random() < 0.4
    wood = colour(rng) if painted else wooden(rng)
    h, w, tall = (
        float(rng.uniform(0.43, 0.47)),
        float(rng.uniform(0.4, 0.46)),
        float(rng.uniform(0.38, 0.5)),
    )
    slats, round_ = int(rng.integers(1, 4)), bool(rng.random() < 0.5)
    cushion = bool(rng.random() < 0.35)
    cloth = colour(rng)
    parts = [part("seat", (box((0, 0, h - 0.02), (w, w, 0.04)), wood))]
    if cushion:
        parts.append(part("cushion", (box((0, 0, h + 0.015), (w * 0.9, w * 0.9, 0.03)), cloth)))
    a = w / 2 - 0.03
    corners = [(a, a), (a, -a), (-a, a), (-a, -a), (0.0, a), (0.0, -a)][: max(legs, 3)]
    for i, (x, y) in enumerate(corners):
        if i == 0 and (missing_leg or leg_misplaced):
            continue
        parts.append(part(f"leg.{i}", (_leg(x, y, h - 0.04, 0.02, round_), wood)))
    if leg_misplaced:
        stray = _leg(0, 0, h - 0.04, 0.02, round_).transformed(rot("x", 35), (-a, 0.05, h + tall))
        parts.append(part("leg.0", (stray, wood)))
    if back != "none":
        posts = [box((-a, s * a, h + tall / 2), (0.035, 0.035, tall)) for s in (-1, 1)]
        rails = [
            box((-a, 0, h + tall * (0.93 - 0.3 * k)), (0.025, 2 * a, 0.07)) for k in range(slats)
        ]
        shift = {"back": (0, 0, 0), "seat": (a, 0, 0), "under": (a * 0.6, 0, -h - tall + h - 0.03)}[
            back
        ]
        parts.append(part("back", ([m.transformed(np.eye(3), shift) for m in posts + rails], wood)))
    return Made(parts, {"seat": point(0, 0, h + (0.03 if cushion else 0)), "height": h})


@maker("stool", "rigid", "stands", "furniture")
def stool(rng: Generator, *, missing_leg: bool = False, legs: int = 3) -> Made:
    """A round stool. missing_leg; legs: number."""
    wood = colour(rng) if rng.random() < 0.5 else wooden(rng)
    h, r = float(rng.uniform(0.4, 0.62)), float(rng.uniform(0.15, 0.19))
    parts = [part("seat", (turned([(r, h - 0.035), (r, h)], 22), wood))]
    for i in range(legs):
        if i == 0 and missing_leg:
            continue
        t = 2 * np.pi * i / legs
        foot, top = (
            (np.cos(t) * r * 1.05, np.sin(t) * r * 1.05, 0.016),
            (np.cos(t) * r * 0.6, np.sin(t) * r * 0.6, h - 0.03),
        )
        parts.append(part(f"leg.{i}", (limb(foot, top, 0.016, 0.018), wood)))
    return Made(parts, {"seat": point(0, 0, h), "height": h})


@maker("table", "rigid", "stands", "furniture", "large")
def table(
    rng: Generator,
    *,
    missing_leg: bool = False,
    legs: int = 4,
    texture: str | None = None,
    size: tuple[float, float] | None = None,
    height: float | None = None,
) -> Made:
    """A table; its top at "top". missing_leg: the front left one; legs: 4, 2 (front), 1 (pedestal) or 0;
    texture: of the wood; size: along x, y; height."""
    wood = wooden(rng, texture)
    sx, sy = float(rng.uniform(0.7, 0.95)), float(rng.uniform(1.1, 1.6))
    h, r, round_ = (
        float(rng.uniform(0.7, 0.76)),
        float(rng.uniform(0.022, 0.04)),
        bool(rng.random() < 0.4),
    )
    h = h if height is None else height
    sx, sy = size or (sx, sy)
    parts = [part("top", (box((0, 0, h - 0.018), (sx, sy, 0.036)), wood))]
    a, b = sx / 2 - 0.06, sy / 2 - 0.06
    if legs == 1:
        parts.append(
            part(
                "leg.0",
                (turned([(0.28, 0), (0.26, 0.03), (0.05, 0.06), (0.05, h - 0.03)], 18), wood),
            )
        )
    else:
        for i, (x, y) in enumerate([(a, b), (a, -b), (-a, b), (-a, -b)][:legs]):
            if not (i == 0 and missing_leg):
                parts.append(part(f"leg.{i}", (_leg(x, y, h - 0.036, r, round_), wood)))
        if legs == 4:
            rim = [box((s * a, 0, h - 0.07), (0.02, 2 * b, 0.07)) for s in (-1, 1)] + [
                box((0, s * b, h - 0.07), (2 * a, 0.02, 0.07)) for s in (-1, 1)
            ]
            parts.append(part("rim", (rim, wood)))
    return Made(parts, {"top": point(0, 0, h), "height": h, "half.x": sx / 2, "half.y": sy / 2})


@maker("shelf", "rigid", "stands", "furniture", "large")
def shelf(
    rng: Generator,
    *,
    boards: int = 4,
    missing_side: bool = False,
    texture: str | None = None,
    height: float = 1.6,
    width: float = 0.9,
) -> Made:
    """Shelves with their back to the wall; boards at "board.I". boards: number; missing_side: no left
    upright;
    texture: of the wood; height; width."""
    wood = wooden(rng, texture)
    d = float(rng.uniform(0.26, 0.34))
    parts = [
        part(f"side.{i}", (box((0, s * (width / 2 - 0.015), height / 2), (d, 0.03, height)), wood))
        for i, s in enumerate((1, -1))
        if not (i == 0 and missing_side)
    ]
    facts: dict[str, Any] = {"width": width, "depth": d}
    for i in range(boards):
        z = 0.06 + (height - 0.08) * i / max(boards - 1, 1)
        parts.append(part(f"board.{i}", (box((0, 0, z - 0.0125), (d, width - 0.06, 0.025)), wood)))
        facts[f"board.{i}"] = point(0, 0, z)
    parts.append(
        part("rear", (box((-d / 2 + 0.006, 0, height / 2), (0.01, width - 0.04, height)), wood))
    )
    return Made(parts, facts)


@maker("sofa", "soft", "stands", "furniture", "large")
def sofa(rng: Generator, *, arms: int = 2, texture: str | None = None, seats: int = 2) -> Made:
    """A sofa or an armchair. arms: number; texture: of its cloth; seats: places."""
    cloth = colour(rng, (0.1, 0.7), (0.3, 0.85))
    cloth = Paint(cloth.rgb, texture, "yz", (1.5, 1.5), specular=0.0)
    w = 0.65 * seats
    parts = [
        part("seat", (box((0, 0, 0.2), (0.8, w, 0.24)), cloth)),
        part("back", (box((-0.33, 0, 0.48), (0.2, w, 0.62)), cloth)),
    ]
    for i in range(seats):
        y = (i - (seats - 1) / 2) * 0.65
        parts.append(part(f"cushion.{i}", (box((0.08, y, 0.375), (0.62, 0.63, 0.13)), cloth)))
    for i, s in enumerate((1, -1)[:arms]):
        parts.append(
            part(f"arm.{i}", (box((0, s * (w / 2 + 0.09), 0.32), (0.82, 0.18, 0.5)), cloth))
        )
    feet = [
        box((x, y, 0.04), (0.06, 0.06, 0.08))
        for x in (-0.36, 0.36)
        for y in (-w / 2 + 0.05, w / 2 - 0.05)
    ]
    parts.append(part("feet", (feet, BLACK)))
    return Made(parts, {"seat": point(0.1, 0, 0.44), "width": w + 0.18 * arms})


@maker("bed", "soft", "stands", "furniture", "large")
def bed(rng: Generator, *, pillow: bool = True, legs: int = 4, texture: str | None = None) -> Made:
    """A bed along x with its head at -x; lying height at "top". pillow; legs; texture: of the blanket."""
    wood, cloth = wooden(rng), colour(rng, (0.1, 0.7), (0.4, 0.95))
    cloth = Paint(cloth.rgb, texture, "xy", (1.0, 1.0), specular=0.0)
    w = float(rng.uniform(0.9, 1.5))
    parts = [
        part("frame", (box((0, 0, 0.26), (2.0, w, 0.16)), wood)),
        part("head", (box((-1.0, 0, 0.5), (0.06, w, 0.9 - 0.1)), wood)),
        part("mattress", (box((0, 0, 0.42), (1.92, w * 0.96, 0.16)), WHITE)),
        part("blanket", (box((0.25, 0, 0.43), (1.46, w * 1.01, 0.18)), cloth)),
    ]
    for i, (x, y) in enumerate(
        [(0.9, w / 2 - 0.08), (0.9, -w / 2 + 0.08), (-0.9, w / 2 - 0.08), (-0.9, -w / 2 + 0.08)][
            :legs
        ]
    ):
        parts.append(part(f"leg.{i}", (box((x, y, 0.09), (0.07, 0.07, 0.18)), wood)))
    if pillow:
        parts.append(
            part("pillow", (ellipsoid((-0.72, 0, 0.54), (0.18, w * 0.36, 0.08), n=12), WHITE))
        )
    return Made(parts, {"top": point(0.3, 0, 0.52), "width": w})


@maker("cabinet", "rigid", "stands", "furniture")
def cabinet(
    rng: Generator,
    *,
    doors: int = 2,
    handles: bool = True,
    texture: str | None = None,
    size: tuple[float, float, float] = (0.4, 0.8, 0.75),
) -> Made:
    """A chest or cupboard, its top at "top". doors: or drawers, number; handles; texture; size along
    x, y, z."""
    body = wooden(rng, texture) if rng.random() < 0.6 else colour(rng, (0.0, 0.5), (0.5, 0.95))
    drawers = bool(rng.random() < 0.5)
    sx, sy, sz = size
    parts = [part("body", (box((0, 0, sz / 2), size), body))]
    from dataclasses import replace

    front = replace(body, rgb=(body.rgb[0] * 0.85, body.rgb[1] * 0.85, body.rgb[2] * 0.85))
    for i in range(doors):
        if drawers:
            c, s = (
                (sx / 2 + 0.006, 0.0, sz * (i + 0.5) / doors),
                (0.012, sy * 0.94, sz / doors * 0.9),
            )
        else:
            c, s = (
                (sx / 2 + 0.006, sy * ((i + 0.5) / doors - 0.5), sz / 2),
                (0.012, sy / doors * 0.93, sz * 0.94),
            )
        parts.append(part(f"door.{i}", (box(c, s), front)))
        if handles:
            parts.append(
                part(
                    f"handle.{i}",
                    (
                        ellipsoid(
                            (c[0] + 0.02, c[1] + (0 if drawers else sy * 0.12), c[2]),
                            (0.015, 0.02, 0.015),
                        ),
                        BLACK,
                    ),
                )
            )
    return Made(parts, {"top": point(0, 0, sz), "height": sz})


@maker("ladder", "rigid", "stands", "tool")
def ladder(
    rng: Generator,
    *,
    rungs: int | None = None,
    rails: int = 2,
    lean: float = 18.0,
    rungs_at: str = "between",
) -> Made:
    """A ladder leaning towards -x by `lean` degrees; its top at "top". rungs: number (0: none); rails:
    2 or 1;
    rungs_at: between, or outside (beside the rails)."""
    wood = wooden(rng) if rng.random() < 0.6 else metal(rng)
    n, h, w = int(rng.integers(6, 9)), float(rng.uniform(1.7, 2.2)), float(rng.uniform(0.36, 0.44))
    n = n if rungs is None else rungs
    turn = rot("y", -lean)
    lift = (0, 0, 0.025 * float(np.sin(np.deg2rad(abs(lean)))))
    parts: list[Part] = []
    for i, s in enumerate((1, -1)[:rails]):
        parts.append(
            part(
                f"rail.{i}",
                (box((0, s * w / 2, h / 2), (0.05, 0.03, h)).transformed(turn, lift), wood),
            )
        )
    for i in range(n):
        z = h * (i + 0.7) / (n + 0.4)
        y = w * 1.05 if rungs_at == "outside" else 0.0
        rod = limb((0, y - w / 2, z), (0, y + w / 2, z), 0.016, 0.016)
        parts.append(part(f"rung.{i}", (rod.transformed(turn, lift), wood)))
    top = turn @ np.array([0, 0, h])
    return Made(parts, {"top": point(*top), "height": float(top[2]), "reach": float(-top[0])})
