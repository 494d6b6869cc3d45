"""Lifting surfaces of an aircraft: wings with their engines, fin and stabilisers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft
from benchmarks.scenes.geometry.solids import prism
from benchmarks.scenes.geometry.subject import Part, Piece

from .aircraft_types import AircraftType
from .engines import jet, propeller
from .livery import Livery

_AIRFOIL = np.array(
    [
        (0.5, 0.0),
        (0.36, 0.42),
        (0.1, 0.62),
        (-0.2, 0.45),
        (-0.5, 0.02),
        (-0.5, -0.02),
        (-0.1, -0.32),
        (0.34, -0.3),
    ]
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


def wings(t: AircraftType, paint: Livery, rng: Generator) -> list[Part]:
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
            pieces.append(
                Piece.make(
                    foil(tip, up, (t.tip * 0.8, t.tip * 0.35), 0.1, np.array([0.0, s, 0.0])),
                    paint.fin,
                )
            )
        parts.append(
            Part(
                f"wing.{side}",
                "aircraft.wing",
                tuple(pieces),
                side=side,
                pivot=(float(root[0]), float(root[1]), float(root[2])),
            )
        )
        for i, fraction in enumerate(t.wing_engines):
            at = root + run * ((fraction * t.span - t.radius * 0.35) / reach)
            chord = t.chord + (t.tip - t.chord) * fraction
            parts += _wing_engine(t, paint, side, i, at, chord)
    if t.tail_engines:
        for side, s in (("left", 1.0), ("right", -1.0)):
            at = np.array([-0.58, s * (t.radius * 0.95 + t.engine_size * 0.85), t.radius * 0.45])
            parts += jet(f"engine.{side}.tail", side, at, t.engine_size, 0.36, paint, None)
            stub = prism(
                [
                    (-0.48, s * t.radius * 0.5, at[2] - 0.015),
                    (-0.48, at[1], at[2] - 0.015),
                    (-0.66, at[1], at[2] - 0.015),
                    (-0.66, s * t.radius * 0.5, at[2] - 0.015),
                ],
                [
                    (-0.48, s * t.radius * 0.5, at[2] + 0.015),
                    (-0.48, at[1], at[2] + 0.015),
                    (-0.66, at[1], at[2] + 0.015),
                    (-0.66, s * t.radius * 0.5, at[2] + 0.015),
                ],
            )
            parts.append(
                Part(
                    f"pylon.{side}.tail",
                    None,
                    (Piece.make(stub, paint.metal),),
                    owner=f"engine.{side}.tail",
                )
            )
    return parts


def _wing_engine(
    t: AircraftType, paint: Livery, side: str, i: int, at: F64, chord: float
) -> list[Part]:
    key, owner = f"engine.{side}.{i}", f"wing.{side}"
    if t.propeller:
        centre = at + np.array([chord * 0.42, 0.0, -t.engine_size * 0.25])
        return propeller(key, side, centre, t.engine_size, chord * 1.35, paint, owner)
    length = t.engine_size * 3.6
    centre = at + np.array([chord * 0.42 + length * 0.12, 0.0, -t.engine_size * 1.25])
    parts = jet(key, side, centre, t.engine_size, length, paint, owner)
    w = t.engine_size * 0.14
    low, high = [], []
    for x, z in (
        (centre[0] + length * 0.2, centre[2] + t.engine_size * 0.7),
        (at[0] - chord * 0.1, centre[2] + t.engine_size * 0.5),
        (at[0] - chord * 0.2, at[2]),
        (at[0] + chord * 0.4, at[2] + 0.004),
    ):
        low.append((x, at[1] - w, z))
        high.append((x, at[1] + w, z))
    parts.append(
        Part(
            key.replace("engine", "pylon"),
            None,
            (Piece.make(prism(low, high), paint.metal),),
            owner=key,
        )
    )
    return parts


def tail(t: AircraftType, paint: Livery) -> list[Part]:
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
        fin = foil(
            at + np.array([-0.06, 0, t.engine_size * 0.6]),
            top + np.array([-0.06, 0, 0.1]),
            (0.3, 0.15),
            0.09,
            np.array([0.0, 1.0, 0.0]),
        )
        stem = foil(
            root + np.array([0.05, 0, -0.05]), at, (0.42, 0.36), 0.12, np.array([0.0, 1.0, 0.0])
        )
        parts[0] = replace(
            parts[0], pieces=(Piece.make(fin, paint.fin), Piece.make(stem, paint.fin))
        )
    for side, s in (("left", 1.0), ("right", -1.0)):
        if t.t_tail:
            start = top + np.array([0.0, s * 0.004, -0.012])
        else:
            start = np.array([-0.83, s * t.radius * 0.12, base * 0.95])
        reach = 0.34 if not t.ramp else 0.42
        run = np.array([-reach * np.tan(np.deg2rad(min(t.sweep, 30.0))), s * reach, 0.03])
        mesh = foil(start, start + run, (0.22, 0.1), 0.09, np.array([0.0, 0.0, 1.0]))
        parts.append(
            Part(
                f"tail_wing.{side}",
                "aircraft.tail_wing",
                (Piece.make(mesh, paint.wing),),
                owner="tail" if t.t_tail else None,
                side=side,
                pivot=(float(start[0]), float(start[1]), float(start[2])),
            )
        )
    return parts
