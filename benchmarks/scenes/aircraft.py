"""Aircraft from parametric solids: fuselage, nose, wings, engines, fin and stabilisers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from .aircraft_types import TYPES, AircraftType
from .engines import jet, propeller
from .mesh import F64, Mesh, disc, limb, loft, prism, tube
from .paints import Livery, livery
from .subject import Paint, Part, Piece, Subject

NOSE: float = 0.72
"""The head (nose and cockpit) starts at this x."""
_AIRFOIL = np.array(
    [(0.5, 0.0), (0.36, 0.42), (0.1, 0.62), (-0.2, 0.45), (-0.5, 0.02), (-0.5, -0.02), (-0.1, -0.32), (0.34, -0.3)]
)
"""Chord direction (forward +) and thickness of a wing section, in chords and thicknesses."""


def _section(centre: F64, chord: float, thick: float, lift: F64) -> F64:
    x = _AIRFOIL[:, 0] * chord
    return centre + x[:, None] * [1.0, 0, 0] + (_AIRFOIL[:, 1] * thick)[:, None] * lift


def foil(root: F64, tip: F64, chords: tuple[float, float], thick: float, lift: F64) -> Mesh:
    """A swept tapered surface from root to tip; `lift` is the direction of its thickness."""
    s = np.linspace(0, 1, 4)[:, None]
    s = np.concatenate([s, [[1.015]]])
    centres = root + (tip - root) * s
    rows = []
    for t, c in zip(s[:, 0], centres, strict=True):
        chord = chords[0] + (chords[1] - chords[0]) * min(float(t), 1.0)
        chord *= 0.75 if t > 1 else 1.0
        rows.append(_section(c, chord, thick * chord * (0.3 if t > 1 else 1.0), lift))
    return loft(np.stack(rows))


def _fuselage_rings(t: AircraftType, xs: F64, n: int = 20) -> F64:
    """Rings of the hull at the given x: nose rounds off and droops, tail tapers upwards."""
    nose = np.clip((xs - NOSE + 0.06) / (1.0 - NOSE + 0.06), 0, 1)
    tail = np.clip((-xs - 0.42) / 0.58, 0, 1)
    blunt = 1.9 if t.ramp else 2.2
    scale = np.sqrt(np.clip(1 - nose**blunt, 0, 1)) * (1 - 0.88 * tail ** (1.5 if not t.ramp else 1.25))
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
    t = TYPES[rng.integers(len(TYPES))] if subtype is None else next(a for a in TYPES if a.subtype == subtype)
    t = _vary(t, rng)
    paint = livery(rng, t.radius * t.height)
    parts = [_hull(t, paint), _head(t, paint)]
    parts += _wings(t, paint, rng)
    parts += _tail(t, paint)
    r = t.radius * t.height
    anchors = {
        "nose": (0.86, 0.0, 0.0),
        "top": (0.1, 0.0, r),
        "top_front": (0.45, 0.0, r),
        "bottom": (0.1, 0.0, -r),
        "tail": (-0.85, 0.0, 0.5 * t.radius),
    }
    facts = {"radius": t.radius, "height": r, "engines": float(t.engines), "chord": t.chord, "wing_x": t.wing_x}
    return Subject("aircraft", t.subtype, tuple(parts), anchors, facts, paint.textures)


def _vary(t: AircraftType, rng: Generator) -> AircraftType:
    def u(value: float) -> float:
        return float(value * rng.uniform(0.93, 1.07))

    return replace(
        t, radius=u(t.radius), engine_size=u(t.engine_size), sweep=u(t.sweep), span=u(t.span),
        chord=u(t.chord), fin=u(t.fin),
    )  # fmt: skip


def _hull(t: AircraftType, paint: Livery) -> Part:
    xs = np.concatenate([np.linspace(-1, -0.42, 7), np.linspace(-0.2, NOSE, 6)])
    pieces = [Piece.make(loft(_fuselage_rings(t, xs)), paint.body)]
    # Wing box fairing under (or over) the tube.
    z = t.radius * t.height * (0.86 if t.high_wing else -0.72)
    fairing = tube([(t.wing_x - 0.32, 0, z), (t.wing_x - 0.14, 0, z), (t.wing_x + 0.14, 0, z), (t.wing_x + 0.3, 0, z)],
                   np.array([[0.2, 0.1], [1, 0.4], [1, 0.4], [0.2, 0.1]]) * t.radius * 0.86)  # fmt: skip
    pieces.append(Piece.make(fairing, paint.belly))
    return Part("hull", None, tuple(pieces))


def _head(t: AircraftType, paint: Livery) -> Part:
    xs = NOSE + (1 - NOSE) * np.array([0.0, 0.2, 0.4, 0.56, 0.7, 0.82, 0.91, 0.97, 1.0])
    pieces = [Piece.make(loft(_fuselage_rings(t, xs)), paint.body)]
    # Cockpit windows: a dark band of panes that follows the hull around the front.
    rings = _fuselage_rings(t, np.array([0.855, 0.915]), n=64)
    z_span = (rings[0, :, 2].max() - rings[0, :, 2].min()) / 2
    mid = (rings[0, :, 2].max() + rings[0, :, 2].min()) / 2
    for y0, y1 in ((-0.95, -0.5), (-0.46, -0.03), (0.03, 0.46), (0.5, 0.95)):
        pieces.append(Piece.make(_pane(t, y0, y1, mid, z_span), paint.glass))
    return Part("head", "aircraft.head", tuple(pieces), pivot=(NOSE, 0.0, 0.0))


def _pane(t: AircraftType, y0: float, y1: float, mid: float, half: float) -> Mesh:
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
    del half
    return prism([p - (p - centre) * 0.1 for p in low], high)


def _wings(t: AircraftType, paint: Livery, rng: Generator) -> list[Part]:
    parts = []
    dihedral = np.deg2rad(rng.uniform(0.5, 2.0) if t.high_wing else rng.uniform(3.5, 7.5))
    z0 = t.radius * t.height * (0.92 if t.high_wing else -0.55)
    winglet = bool(rng.random() < 0.5) and not t.propeller
    for side, s in (("left", 1.0), ("right", -1.0)):
        root = np.array([t.wing_x, s * t.radius * 0.35, z0])
        reach = t.span - t.radius * 0.35
        run = np.array([-np.tan(np.deg2rad(t.sweep)) * reach, s * reach, np.tan(dihedral) * reach])
        lift = np.array([0.0, -s * np.sin(dihedral), np.cos(dihedral)])
        pieces = [Piece.make(foil(root, root + run, (t.chord, t.tip), 0.11, lift), paint.wing)]
        if winglet:
            tip = root + run
            up = tip + np.array([-0.05, s * 0.02, 0.09])
            pieces.append(Piece.make(foil(tip, up, (t.tip * 0.8, t.tip * 0.35), 0.1, np.array([0.0, s, 0.0])), paint.fin))
        parts.append(Part(f"wing.{side}", "aircraft.wing", tuple(pieces), side=side,
                          pivot=(float(root[0]), float(root[1]), float(root[2]))))  # fmt: skip
        for i, fraction in enumerate(t.wing_engines):
            at = root + run * ((fraction * t.span - t.radius * 0.35) / reach)
            chord = t.chord + (t.tip - t.chord) * fraction
            parts += _wing_engine(t, paint, side, i, at, chord)
    if t.tail_engines:
        for side, s in (("left", 1.0), ("right", -1.0)):
            at = np.array([-0.58, s * (t.radius * 0.95 + t.engine_size * 0.85), t.radius * 0.45])
            parts += jet(f"engine.{side}.tail", side, at, t.engine_size, 0.36, paint, None)
            stub = prism([(-0.48, s * t.radius * 0.5, at[2] - 0.015), (-0.48, at[1], at[2] - 0.015), (-0.66, at[1], at[2] - 0.015), (-0.66, s * t.radius * 0.5, at[2] - 0.015)],
                         [(-0.48, s * t.radius * 0.5, at[2] + 0.015), (-0.48, at[1], at[2] + 0.015), (-0.66, at[1], at[2] + 0.015), (-0.66, s * t.radius * 0.5, at[2] + 0.015)])  # fmt: skip
            parts.append(Part(f"pylon.{side}.tail", None, (Piece.make(stub, paint.metal),), owner=f"engine.{side}.tail"))
    return parts


def _wing_engine(t: AircraftType, paint: Livery, side: str, i: int, at: F64, chord: float) -> list[Part]:
    key, owner = f"engine.{side}.{i}", f"wing.{side}"
    if t.propeller:
        centre = at + np.array([chord * 0.42, 0.0, -t.engine_size * 0.25])
        return propeller(key, side, centre, t.engine_size, chord * 1.35, paint, owner)
    length = t.engine_size * 3.6
    centre = at + np.array([chord * 0.42 + length * 0.12, 0.0, -t.engine_size * 1.25])
    parts = jet(key, side, centre, t.engine_size, length, paint, owner)
    w = t.engine_size * 0.14
    low, high = [], []
    for x, z in ((centre[0] + length * 0.2, centre[2] + t.engine_size * 0.7), (at[0] - chord * 0.1, centre[2] + t.engine_size * 0.5),
                 (at[0] - chord * 0.2, at[2]), (at[0] + chord * 0.4, at[2] + 0.004)):  # fmt: skip
        low.append((x, at[1] - w, z))
        high.append((x, at[1] + w, z))
    parts.append(Part(key.replace("engine", "pylon"), None, (Piece.make(prism(low, high), paint.metal),), owner=key))
    return parts


def _tail(t: AircraftType, paint: Livery) -> list[Part]:
    base = t.radius * (0.5 if not t.ramp else 0.62)
    root = np.array([-0.79, 0.0, base])
    lean = -t.fin * (0.72 if t.sweep > 10 else 0.3)
    top = root + np.array([lean * 0.9 if not t.t_tail else lean * 0.55, 0.0, t.fin + 0.02])
    chords = (0.34, 0.15) if not t.t_tail else (0.32, 0.22)
    pieces = [Piece.make(foil(root, top, chords, 0.09, np.array([0.0, 1.0, 0.0])), paint.fin)]
    parts = [Part("tail", "aircraft.tail", tuple(pieces), pivot=(-0.79, 0.0, base))]
    if t.fin_engine:
        at = root + np.array([0.02, 0.0, t.engine_size * 1.25])
        parts += jet("engine.fin", "middle", at, t.engine_size * 1.02, 0.46, paint, "tail")
        # The fin of a tri-jet stands on its engine.
        fin = foil(at + np.array([-0.06, 0, t.engine_size * 0.6]), top + np.array([-0.06, 0, 0.1]), (0.3, 0.15), 0.09, np.array([0.0, 1.0, 0.0]))
        stem = foil(root + np.array([0.05, 0, -0.05]), at, (0.42, 0.36), 0.12, np.array([0.0, 1.0, 0.0]))
        parts[0] = replace(parts[0], pieces=(Piece.make(fin, paint.fin), Piece.make(stem, paint.fin)))
    for side, s in (("left", 1.0), ("right", -1.0)):
        if t.t_tail:
            start = top + np.array([0.0, s * 0.004, -0.012])
        else:
            start = np.array([-0.83, s * t.radius * 0.12, base * 0.95])
        reach = 0.34 if not t.ramp else 0.42
        run = np.array([-reach * np.tan(np.deg2rad(min(t.sweep, 30.0))), s * reach, 0.03])
        mesh = foil(start, start + run, (0.22, 0.1), 0.09, np.array([0.0, 0.0, 1.0]))
        parts.append(Part(f"tail_wing.{side}", "aircraft.tail_wing", (Piece.make(mesh, paint.wing),),
                          owner="tail" if t.t_tail else None, side=side,
                          pivot=(float(start[0]), float(start[1]), float(start[2]))))  # fmt: skip
    return parts


def gear(subject: Subject, rng: Generator) -> tuple[Part, float]:
    """Landing gear (no class) and the z of the ground it stands on."""
    r, wx = subject.facts["height"], subject.facts["wing_x"]
    lowest = min(float(p.verts()[:, 2].min()) for p in subject.find("engine")) if subject.find("engine") else -r
    ground = min(-r - 0.07, lowest - 0.045) - float(rng.uniform(0.0, 0.03))
    metal, tyre = Paint((0.6, 0.6, 0.62)), Paint((0.06, 0.06, 0.07))
    pieces = []
    for x, y, size in ((0.72, 0.0, 0.026), (wx - 0.1, 0.11, 0.036), (wx - 0.1, -0.11, 0.036)):
        pieces.append(Piece.make(limb((x, y, -r * 0.7), (x, y, ground + size), 0.011, 0.009, n=6), metal))
        for dx, dy in ((0.0, 0.018), (0.0, -0.018)):
            pieces.append(Piece.make(disc((x + dx, y + dy, ground + size), size, 0.02, n=12), tyre))
    return Part("gear", None, tuple(pieces)), ground
