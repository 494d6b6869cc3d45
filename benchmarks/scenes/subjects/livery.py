"""Aircraft liveries."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import TEX, U8, grey, hue, to_u8


@dataclass(frozen=True, slots=True)
class Livery:
    """Paints of one aircraft."""

    body: Paint
    belly: Paint
    wing: Paint
    fin: Paint
    engine: Paint
    metal: Paint
    chrome: Paint
    dark: Paint
    glass: Paint
    textures: dict[str, U8] = field(default_factory=dict)


def livery(rng: Generator, half_height: float) -> Livery:
    """A livery; the body texture spans x in [-1, 1] and z in ±1.2 half heights."""
    base = np.array(
        grey(rng, 0.8, 0.97) if rng.random() < 0.65 else hue(rng, (0.1, 0.7), (0.4, 0.95))
    )
    accent = np.array(hue(rng))
    lower = base * rng.uniform(0.6, 0.95) if rng.random() < 0.5 else base
    tex = np.tile(base, (TEX, TEX, 1))
    z = (np.arange(TEX) + 0.5) / TEX * 2.4 - 1.2  # row -> z in half heights
    x = (np.arange(TEX) + 0.5) / TEX * 2 - 1
    tex[z < rng.uniform(-0.6, -0.25)] = lower
    style = rng.integers(4)
    if style == 0:  # cheat line
        z0 = rng.uniform(-0.25, 0.25)
        tex[(z > z0) & (z < z0 + rng.uniform(0.1, 0.4))] = accent
    elif style == 1:  # coloured rear
        slope = rng.uniform(-0.3, 0.3)
        tex[(x[None] < -0.35 + slope * z[:, None])] = accent
    elif style == 2:  # coloured lower half
        tex[z < rng.uniform(-0.1, 0.05)] = accent
    row = np.abs(z - rng.uniform(0.12, 0.3)) < 0.09
    windows = (np.arange(TEX) % 6 < 3) & (x > -0.72) & (x < 0.68)
    if rng.random() < 0.9:
        tex[np.ix_(row, windows)] = 0.12
    for door in (-0.6, 0.0, 0.62):
        column = np.abs(x - door) < 0.014
        tex[np.ix_((z > -0.15) & (z < 0.55), column)] *= 0.72
    tex *= 1 - 0.06 * field01(rng, 1.5)[:, :, None]
    fin = accent if rng.random() < 0.7 else base
    engine = (
        base
        if rng.random() < 0.6
        else (accent if rng.random() < 0.6 else np.array(grey(rng, 0.35, 0.7)))
    )
    scale = (0.5, 1 / (2.4 * half_height))

    def plain(c: NDArray[np.float64], spec: float = 0.35) -> Paint:
        return Paint((float(c[0]), float(c[1]), float(c[2])), specular=spec, shininess=0.5)

    wing = np.array(grey(rng, 0.55, 0.85)) if rng.random() < 0.75 else base
    return Livery(
        body=Paint((1, 1, 1), "livery", "xz", scale, (0.5, 0.5), specular=0.4, shininess=0.5),
        belly=plain(lower * 0.92),
        wing=plain(wing),
        fin=plain(fin),
        engine=plain(engine),
        metal=Paint((0.55, 0.56, 0.6), specular=0.5),
        chrome=Paint((0.78, 0.78, 0.8), specular=0.8, shininess=0.8),
        dark=Paint((0.08, 0.08, 0.09)),
        glass=Paint((0.05, 0.06, 0.09), specular=0.8, shininess=0.8),
        textures={"livery": to_u8(tex)},
    )
