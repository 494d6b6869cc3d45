"""Car colours."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint, Subject
from benchmarks.scenes.paints import U8, grey


@dataclass(frozen=True, slots=True)
class CarPaint:
    """Paints of one car."""

    body: Paint
    lower: Paint
    roof: Paint
    trim: Paint
    core: Paint
    glass: Paint
    lamp: Paint
    rear_lamp: Paint
    chrome: Paint
    tyre: Paint
    rim: Paint
    colour: str
    textures: dict[str, U8] = field(default_factory=dict)


COLOURS = {
    "red": (0.72, 0.06, 0.06),
    "blue": (0.08, 0.16, 0.6),
    "green": (0.08, 0.38, 0.14),
    "white": (0.92, 0.92, 0.9),
    "black": (0.11, 0.11, 0.12),
    "silver": (0.66, 0.67, 0.7),
    "grey": (0.38, 0.39, 0.41),
    "yellow": (0.88, 0.72, 0.08),
    "orange": (0.86, 0.38, 0.06),
    "brown": (0.32, 0.19, 0.1),
    "beige": (0.76, 0.69, 0.55),
    "turquoise": (0.1, 0.55, 0.58),
}


def paints(rng: Generator) -> CarPaint:
    """A colour scheme."""
    colour = str(rng.choice(list(COLOURS)))
    rgb = np.clip(np.array(COLOURS[colour]) + rng.uniform(-0.05, 0.05, 3), 0.02, 1)
    body = Paint(
        (float(rgb[0]), float(rgb[1]), float(rgb[2])),
        specular=float(rng.uniform(0.3, 0.8)),
        shininess=0.6,
    )
    trim = Paint(grey(rng, 0.08, 0.2))
    roof = body if rng.random() < 0.8 else Paint(grey(rng, 0.05, 0.95), specular=0.4)
    lower = body if rng.random() < 0.6 else trim
    shade = float(rng.uniform(0.05, 0.15) if rng.random() < 0.65 else rng.uniform(0.15, 0.4))
    glass = Paint((shade, shade * 1.12, min(1.0, shade * 1.3)), specular=0.9, shininess=0.8)
    lamp = Paint(grey(rng, 0.86, 0.98), specular=0.9, shininess=0.9, emission=0.25)
    red = float(rng.uniform(0.55, 0.85))
    rim = (
        Paint(grey(rng, 0.5, 0.85), specular=0.6)
        if rng.random() < 0.8
        else Paint(grey(rng, 0.12, 0.25))
    )
    return CarPaint(
        body,
        lower,
        roof,
        trim,
        Paint((0.035, 0.035, 0.04), specular=0.0),
        glass,
        lamp,
        Paint((red, 0.02, 0.03), specular=0.6, emission=0.15),
        Paint((0.72, 0.72, 0.75), specular=0.9, shininess=0.8),
        Paint((0.05, 0.05, 0.055), specular=0.1),
        rim,
        colour,
    )


def colour_name(subject: Subject) -> str:
    """The colour word of a car."""
    return list(COLOURS)[int(subject.facts["colour"])]
