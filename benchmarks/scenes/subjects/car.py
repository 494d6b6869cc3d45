"""Cars from panels on a dark core: what is taken off leaves a hole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh, loft
from benchmarks.scenes.geometry.solids import box, disc, prism
from benchmarks.scenes.geometry.subject import Part, Piece, Subject

from .car_cabin import cabin
from .car_ends import front, rear
from .car_paints import COLOURS, CarPaint, paints
from .car_sides import sides
from .car_types import SKIN, TYPES, CarType, half_width


def _vary(t: CarType, rng: Generator) -> CarType:
    def u(v: float, s: float = 0.04) -> float:
        return float(v * rng.uniform(1 - s, 1 + s))

    return replace(t, width=u(t.width), height=u(t.height, 0.03), wheel=u(t.wheel, 0.06))


def build(rng: Generator, subtype: str | None = None) -> Subject:
    """A car of a type (drawn when None), standing on z = 0, nose along +x."""
    t = (
        TYPES[rng.integers(len(TYPES))]
        if subtype is None
        else next(c for c in TYPES if c.subtype == subtype)
    )
    t = _vary(t, rng)
    paint = paints(rng)
    parts = [_core(t, paint)]
    parts += _wheels(t, paint, rng)
    parts += front(t, paint)
    parts += rear(t, paint)
    parts += sides(t, paint)
    parts += cabin(t, paint)
    anchors = {
        "roof": ((t.roof_front + t.roof_rear) / 2, 0.0, t.height),
        "bonnet": ((t.cowl + 1) / 2, 0.0, (t.belt + t.hood) / 2),
        "boot": ((t.deck - 1) / 2, 0.0, t.tail),
        "front": (1.0, 0.0, t.hood * 0.8),
        "rear": (-1.0, 0.0, t.tail * 0.8),
    }
    facts = {
        "width": t.width,
        "height": t.height,
        "belt": t.belt,
        "wheel": t.wheel,
        "roof_front": t.roof_front,
        "roof_rear": t.roof_rear,
        "cowl": t.cowl,
        "deck": t.deck,
    }
    subject = Subject("car", t.subtype, tuple(parts), anchors, facts, paint.textures)
    return replace(subject, facts={**facts, "colour": float(list(COLOURS).index(paint.colour))})


def _core(t: CarType, p: CarPaint) -> Part:
    """The dark inside, seen only where a panel is missing, plus sills and the cabin's frame."""
    w = half_width(t) - SKIN
    z0, z1 = t.clearance, t.belt - 0.012
    rear = t.tail - 0.03
    # Side outline of the lower body, narrower at the ends.
    body = loft(
        np.stack(
            [
                _frame(-0.965, w * 0.9, z0 + 0.05, rear),
                _frame(-0.86, w, z0 + 0.02, rear),
                _frame(min(t.deck, -0.3), w, z0, z1 if not t.bed else rear - 0.01),
                _frame(t.cowl, w, z0, z1),
                _frame(0.8, w, z0 + 0.02, t.hood - 0.01),
                _frame(0.955, w * 0.9, z0 + 0.05, t.hood - 0.035),
            ]
        ),
        flat=True,
    )
    pieces = [Piece.make(body, p.core)]
    for s in (1, -1):
        sill = box(
            ((t.front_axle + t.rear_axle) / 2, s * (w + 0.006), z0 + 0.025),
            (t.front_axle - t.rear_axle - 2.1 * t.wheel, 0.03, 0.05),
        )
        pieces.append(Piece.make(sill, p.trim))
    return Part("core", None, tuple(pieces))


def _frame(x: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(x, -w, z0), (x, w, z0), (x, w, z1), (x, -w, z1)]


def _wheels(t: CarType, p: CarPaint, rng: Generator) -> list[Part]:
    parts = []
    spokes = int(rng.integers(5, 9))
    for side, s in (("left", 1.0), ("right", -1.0)):
        for place, x in (("front", t.front_axle), ("rear", t.rear_axle)):
            y = s * (half_width(t) - 0.055)
            c = (x, y, t.wheel)
            pieces = [Piece.make(disc(c, t.wheel, 0.13, bevel=0.07, n=22), p.tyre)]
            out = s * 0.066
            pieces.append(
                Piece.make(disc((x, y + out * 0.98, t.wheel), t.wheel * 0.66, 0.006, n=18), p.rim)
            )
            for i in range(spokes):
                a = 2 * np.pi * (i + 0.5) / spokes
                gap = disc(
                    (
                        x + np.cos(a) * t.wheel * 0.42,
                        y + out * 1.03,
                        t.wheel + np.sin(a) * t.wheel * 0.42,
                    ),
                    t.wheel * 0.12,
                    0.004,
                    n=6,
                )
                pieces.append(Piece.make(gap, p.core))
            parts.append(
                Part(
                    f"wheel.{side}.{place}",
                    "car.wheel",
                    tuple(pieces),
                    side=side,
                    place=place,
                    pivot=c,
                )
            )
            arch = _arch(t, x, s)
            parts.append(Part(f"arch.{side}.{place}", None, (Piece.make(arch, p.core),)))
    return parts


def _arch(t: CarType, x: float, s: float) -> Mesh:
    """The dark wheel house: open at the bottom, so an empty one does not look like a wheel."""
    r, low = t.wheel * 1.17, t.clearance + 0.03
    start = np.arcsin(np.clip((low - t.wheel) / r, -1, 0))
    a = np.linspace(start, np.pi - start, 16)
    outline = [(x + r * np.cos(k), t.wheel + 0.008 + r * np.sin(k)) for k in a]
    y0, y1 = s * (half_width(t) - 0.06), s * (half_width(t) + 0.004)
    return prism([(px, y0, pz) for px, pz in outline], [(px, y1, pz) for px, pz in outline])
