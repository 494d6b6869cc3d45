"""Animal coats: fur-like noise and two-colour patches as textures."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8, to_u8


@dataclass(frozen=True, slots=True)
class Coat:
    """Paints of one animal."""

    body: Paint
    head: Paint
    leg: Paint
    ear: Paint
    tail: Paint
    dark: Paint
    eye: Paint
    white: Paint
    sclera: Paint
    """Round the iris: white, or dark as in most animals."""
    horn: Paint
    beak: Paint
    foot: Paint
    red: Paint
    textures: dict[str, U8] = field(default_factory=dict)


def coat(
    rng: Generator,
    colours: tuple[tuple[float, float, float], ...],
    patches: float,
    head: tuple[float, float, float] | None = None,
    beak: tuple[float, float, float] = (0.85, 0.6, 0.15),
    rough: float = 1.0,
) -> Coat:
    """A coat of a base colour with noise and, by chance, a second colour in patches."""
    base = np.clip(
        np.array(colours[rng.integers(len(colours))]) * rng.uniform(0.85, 1.15)
        + rng.uniform(-0.03, 0.03, 3),
        0.03,
        0.97,
    )
    tex = np.tile(base, (256, 256, 1))
    second = base
    if rng.random() < patches and len(colours) > 1:
        second = np.clip(
            np.array(colours[rng.integers(len(colours))]) + rng.uniform(-0.04, 0.04, 3), 0.03, 0.97
        )
        mask = field01(rng, 2.0) > rng.uniform(0.5, 0.7)
        tex[mask] = second
    strength = rng.uniform(0.12, 0.4) * rough
    fine = field01(rng, 0.6 if rng.random() < 0.5 else 1.0)
    tex *= (1 - strength / 2 + strength * fine)[:, :, None]
    scale = float(rng.uniform(0.6, 1.0))
    body = Paint(
        (1, 1, 1),
        "coat",
        "xz",
        (scale, scale),
        (float(rng.random()), float(rng.random())),
        specular=0.05,
    )

    def plain(c: np.ndarray, spec: float = 0.06) -> Paint:
        return Paint((float(c[0]), float(c[1]), float(c[2])), specular=spec)

    limb_c = base if rng.random() < 0.6 else second * rng.uniform(0.5, 1.0)
    head_paint = body if head is None else plain(np.array(head))
    if head is None and rng.random() < 0.3:
        head_paint = plain(second)
    return Coat(
        body=body,
        head=head_paint,
        leg=plain(limb_c) if rng.random() < 0.5 else body,
        ear=plain(np.clip(base * rng.uniform(0.6, 1.0), 0, 1)),
        tail=plain(np.clip(base * rng.uniform(0.55, 1.05), 0, 1)),
        dark=Paint((0.07, 0.06, 0.06), specular=0.4),
        eye=Paint(
            (0.03, 0.03, 0.03) if rng.random() < 0.6 else (0.35, 0.2, 0.05),
            specular=0.9,
            shininess=0.9,
        ),
        white=Paint((0.93, 0.92, 0.88), specular=0.4),
        sclera=Paint(
            (0.93, 0.92, 0.88) if rng.random() < 0.55 else (0.3, 0.22, 0.15), specular=0.5
        ),
        horn=Paint((0.72, 0.66, 0.52) if rng.random() < 0.6 else (0.3, 0.27, 0.23), specular=0.3),
        beak=plain(np.array(beak), 0.3),
        foot=Paint((0.16, 0.13, 0.11)),
        red=Paint((0.78, 0.08, 0.07)),
        textures={"coat": to_u8(tex)},
    )
