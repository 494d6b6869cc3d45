"""Devices: laptop, monitor, keyboard, phone."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint

from .kit import BLACK, Made, box, boxes, cord, maker, metal, part, point
from .quick import rod as limb


def _picture(rng: Generator, on: bool) -> list[Paint]:
    base = rng.uniform(0.25, 0.8, 3)
    bright = [
        Paint((float(v[0]), float(v[1]), float(v[2])), specular=0.3, emission=0.6)
        for v in (base, 1 - base * 0.8, base * 0.5 + 0.4)
    ]
    return bright if on else [Paint((0.04, 0.04, 0.05), specular=0.8, shininess=0.9)] * 3


@maker("laptop", "rigid", "stands", "screen")
def laptop(rng: Generator, *, on: bool = True, hinge: str = "back", keys: bool = True) -> Made:
    """An open laptop, its user at +x. on; hinge: back, none (the lid floats behind and above), side or
    front; keys."""
    case, shades = metal(rng, 0.2, 0.8), _picture(rng, on)
    angle = float(rng.uniform(8, 25))
    parts = [part("base", (box((0, 0, 0.009), (0.23, 0.33, 0.018)), case))]
    if keys:
        rows = [box((-0.06 + 0.032 * i, 0, 0.0195), (0.024, 0.29, 0.004)) for i in range(4)]
        gaps = [box((-0.01, -0.13 + 0.029 * i, 0.0217), (0.13, 0.004, 0.001)) for i in range(10)]
        parts.append(part("keys", (rows, BLACK), (gaps, case)))
    lid = [
        (box((0, 0, 0.11), (0.008, 0.33, 0.22)), case),
        (box((0.0045, 0, 0.112), (0.001, 0.305, 0.19)), shades[0]),
        (box((0.0055, -0.05, 0.13), (0.001, 0.16, 0.1)), shades[1]),
        (box((0.0065, 0.08, 0.08), (0.001, 0.1, 0.07)), shades[2]),
    ]
    turn, shift = rot("y", -angle), (-0.11, 0.0, 0.016)
    if hinge == "none":
        shift = (-0.15, 0.02, 0.12)
    elif hinge == "side":
        turn, shift = rot("z", 90) @ turn, (0.0, -0.16, 0.016)
    elif hinge == "front":
        turn, shift = rot("y", angle), (0.11, 0, 0.016)
    parts.append(part("lid", *((m.transformed(turn, shift), p) for m, p in lid)))
    return Made(parts, {"on": on, "front": point(0.3, 0, 0.1)})


@maker("monitor", "rigid", "stands", "screen")
def monitor(rng: Generator, *, on: bool = True, stand: str = "below", cord_: bool = True) -> Made:
    """A screen on a stand, its user at +x. on; stand: below, none, above or side; cord_: a cable
    behind it."""
    case, shades = (BLACK if rng.random() < 0.6 else metal(rng)), _picture(rng, on)
    w, h = float(rng.uniform(0.45, 0.6)), float(rng.uniform(0.28, 0.34))
    z = 0.14
    parts = [
        part(
            "screen",
            (box((0, 0, z + h / 2), (0.035, w, h)), case),
            (box((0.018, 0, z + h / 2), (0.002, w - 0.03, h - 0.03)), shades[0]),
            (box((0.0195, -w * 0.15, z + h * 0.55), (0.001, w * 0.5, h * 0.5)), shades[1]),
            (box((0.0205, w * 0.2, z + h * 0.4), (0.001, w * 0.3, h * 0.45)), shades[2]),
        )
    ]
    foot = [
        box((-0.02, 0, 0.006), (0.18, 0.24, 0.012)),
        limb((-0.04, 0, 0.023), (-0.03, 0, z + 0.06), 0.022, 0.018),
    ]
    if stand == "above":
        foot = [m.transformed(np.diag([1, 1, -1]), (0, 0, 2 * z + h)) for m in foot]
    elif stand == "side":
        foot = [m.transformed(rot("x", 90), (0, w / 2 + z * 1.0, z + h / 2)) for m in foot]
    if stand != "none":
        parts.append(part("stand", (foot, case)))
    if cord_:
        parts.append(
            part(
                "cord",
                (
                    cord(
                        [
                            (-0.03, 0.05, z + 0.05),
                            (-0.1, 0.1, 0.06),
                            (-0.13, 0.2, 0.008),
                            (-0.2, 0.3, 0.008),
                        ]
                    ),
                    BLACK,
                ),
            )
        )
    return Made(parts, {"on": on, "front": point(0.5, 0, z + h / 2), "height": z + h})


@maker("keyboard", "rigid", "stands")
def keyboard(rng: Generator, *, keys: bool = True) -> Made:
    """A keyboard, its user at +x. keys."""
    case = BLACK if rng.random() < 0.5 else metal(rng, 0.6, 0.9)
    light = sum(case.rgb) < 1.5
    cap = Paint((0.75, 0.76, 0.78) if light else (0.15, 0.15, 0.16))
    parts = [part("body", (box((0, 0, 0.009), (0.14, 0.42, 0.018)), case))]
    if keys:
        spots = [
            (-0.05 + 0.024 * i, y, 0.02) for i in range(5) for y in np.linspace(-0.185, 0.185, 14)
        ]
        rows = boxes(spots, (0.018, 0.022, 0.005))
        parts.append(part("keys", (rows, cap)))
    return Made(parts)


@maker("phone", "rigid", "stands", "screen")
def phone(rng: Generator, *, on: bool = True, upright: bool = False) -> Made:
    """A phone lying face up, or (upright) leaning back in a dock. on."""
    shades = _picture(rng, on)
    sheets = [
        (box((0, 0, 0.005), (0.15, 0.075, 0.009)), BLACK),
        (box((0, 0, 0.0098), (0.14, 0.068, 0.001)), shades[0]),
        (box((0.02, 0, 0.0106), (0.06, 0.05, 0.001)), shades[1]),
    ]
    if not upright:
        return Made([part("body", *sheets)], {"on": on})
    turn, shift = rot("y", 72), (0, 0, 0.095)
    body = part("body", *((m.transformed(turn, shift), p) for m, p in sheets))
    dock = part("dock", (box((-0.01, 0, 0.016), (0.07, 0.09, 0.032)), metal(rng)))
    return Made([body, dock], {"on": on})
