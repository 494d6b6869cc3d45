"""Aircraft from parametric solids: fuselage, nose, wings, engines, fin and stabilisers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft
from benchmarks.scenes.geometry.solids import disc, limb, prism, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece, Subject

from .aircraft_types import TYPES, AircraftType
from .livery import Livery, livery
from .wings import tail, wings

NOSE: float = 0.72
"""The head (nose and cockpit) starts at this x."""


def _fuselage_rings(t: AircraftType, xs: F64, n: int = 20) -> F64:
    """Rings of the hull at the given x: nose rounds off and droops, tail tapers upwards."""
    nose = np.clip((xs - NOSE + 0.06) / (1.0 - NOSE + 0.06), 0, 1)
    tail = np.clip((-xs - 0.42) / 0.58, 0, 1)
    blunt = 1.9 if t.ramp else 2.2
    scale = np.sqrt(np.clip(1 - nose**blunt, 0, 1)) * (
        1 - 0.88 * tail ** (1.5 if not t.ramp else 1.25)
    )
    lift = -0.22 * nose**2 + (0.62 if not t.ramp else 0.75) * tail**1.4
    hump = np.exp(-(((xs - 0.62) / 0.17) ** 4)) * t.hump
    a = np.arange(n) * 2 * np.pi / n
    y = np.cos(a)[None] * scale[:, None]
    z = np.sin(a)[None] * scale[:, None] * t.height
    z = z + np.clip(np.sin(a), 0, 1)[None] * (hump * scale)[:, None] + lift[:, None]
    x = np.broadcast_to(xs[:, None], y.shape)
    return np.stack([x, y * t.radius, z * t.radius], -1)


def build(rng: Generator, subtype: str | None = None) -> Subject:
    """An aircraft of a type (drawn when None), fuselage along x, wings spread along y."""
    t = (
        TYPES[rng.integers(len(TYPES))]
        if subtype is None
        else next(a for a in TYPES if a.subtype == subtype)
    )
    t = _vary(t, rng)
    paint = livery(rng, t.radius * t.height)
    parts = [_hull(t, paint), _head(t, paint)]
    parts += wings(t, paint, rng)
    parts += tail(t, paint)
    r = t.radius * t.height
    anchors = {
        "nose": (0.86, 0.0, 0.0),
        "top": (0.1, 0.0, r),
        "top_front": (0.45, 0.0, r),
        "bottom": (0.1, 0.0, -r),
        "tail": (-0.85, 0.0, 0.5 * t.radius),
    }
    facts = {
        "radius": t.radius,
        "height": r,
        "engines": float(t.engines),
        "chord": t.chord,
        "wing_x": t.wing_x,
    }
    return Subject("aircraft", t.subtype, tuple(parts), anchors, facts, paint.textures)


def _vary(t: AircraftType, rng: Generator) -> AircraftType:
    def u(value: float) -> float:
        return float(value * rng.uniform(0.93, 1.07))

    return replace(
        t,
        radius=u(t.radius),
        engine_size=u(t.engine_size),
        sweep=u(t.sweep),
        span=u(t.span),
        chord=u(t.chord),
        fin=u(t.fin),
    )


def _hull(t: AircraftType, paint: Livery) -> Part:
    xs = np.concatenate([np.linspace(-1, -0.42, 7), np.linspace(-0.2, NOSE, 6)])
    pieces = [Piece.make(loft(_fuselage_rings(t, xs)), paint.body)]
    # Wing box fairing under (or over) the tube.
    z = t.radius * t.height * (0.86 if t.high_wing else -0.72)
    fairing = tube(
        [
            (t.wing_x - 0.32, 0, z),
            (t.wing_x - 0.14, 0, z),
            (t.wing_x + 0.14, 0, z),
            (t.wing_x + 0.3, 0, z),
        ],
        np.array([[0.2, 0.1], [1, 0.4], [1, 0.4], [0.2, 0.1]]) * t.radius * 0.86,
    )
    pieces.append(Piece.make(fairing, paint.belly))
    return Part("hull", None, tuple(pieces))


def _head(t: AircraftType, paint: Livery) -> Part:
    xs = NOSE + (1 - NOSE) * np.array([0.0, 0.2, 0.4, 0.56, 0.7, 0.82, 0.91, 0.97, 1.0])
    pieces = [Piece.make(loft(_fuselage_rings(t, xs)), paint.body)]
    # Cockpit windows: a dark band of panes that follows the hull around the front.
    rings = _fuselage_rings(t, np.array([0.855, 0.915]), n=64)
    mid = (rings[0, :, 2].max() + rings[0, :, 2].min()) / 2
    for y0, y1 in ((-0.95, -0.5), (-0.46, -0.03), (0.03, 0.46), (0.5, 0.95)):
        pieces.append(Piece.make(_pane(t, y0, y1, mid), paint.glass))
    return Part("head", "aircraft.head", tuple(pieces), pivot=(NOSE, 0.0, 0.0))


def _pane(t: AircraftType, y0: float, y1: float, mid: float) -> Mesh:
    """One cockpit pane: a thin slab just outside the hull between two angles from the top."""
    corners = []
    for x, lean in ((0.865, 0.0), (0.915, 0.16)):
        ring = _fuselage_rings(t, np.array([x]), n=64)[0]
        centre = np.array([x, 0.0, (ring[:, 2].max() + ring[:, 2].min()) / 2])
        ry = ring[:, 1].max()
        rz = (ring[:, 2].max() - ring[:, 2].min()) / 2
        for y in (y0, y1):
            a = np.deg2rad(90 - y * (62 + 30 * lean))
            corners.append(centre + np.array([0.0, np.cos(a) * ry, np.sin(a) * rz * 0.98]))
    a, b, c, d = corners
    low = [a, b, d, c]
    out = np.array([0.25, 0.0, 0.0]) * 0.06
    centre = np.array([0.86, 0.0, mid])
    high = [p + (p - centre) / np.linalg.norm(p - centre) * 0.012 + out * 0.3 for p in low]
    return prism([p - (p - centre) * 0.1 for p in low], high)


def gear(subject: Subject, rng: Generator) -> tuple[Part, float]:
    """Landing gear (no class) and the z of the ground it stands on."""
    r, wx = subject.facts["height"], subject.facts["wing_x"]
    lowest = (
        min(float(p.verts()[:, 2].min()) for p in subject.find("engine"))
        if subject.find("engine")
        else -r
    )
    ground = min(-r - 0.07, lowest - 0.045) - float(rng.uniform(0.0, 0.03))
    metal, tyre = Paint((0.6, 0.6, 0.62)), Paint((0.06, 0.06, 0.07))
    pieces = []
    for x, y, size in ((0.72, 0.0, 0.026), (wx - 0.1, 0.11, 0.036), (wx - 0.1, -0.11, 0.036)):
        pieces.append(
            Piece.make(limb((x, y, -r * 0.7), (x, y, ground + size), 0.011, 0.009, n=6), metal)
        )
        for dx, dy in ((0.0, 0.018), (0.0, -0.018)):
            pieces.append(Piece.make(disc((x + dx, y + dy, ground + size), size, 0.02, n=12), tyre))
    return Part("gear", None, tuple(pieces)), ground
