"""Aircraft engines: turbofan nacelles and turboprops."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import lathe, prism, rot
from benchmarks.scenes.geometry.subject import Part, Piece

from .livery import Livery


def jet(
    key: str, side: str, at: F64, radius: float, length: float, paint: Livery, owner: str | None
) -> list[Part]:
    """A nacelle centred at `at`, intake forward, with fan, spinner and exhaust cone."""
    h = length / 2
    c = tuple(at)
    shell = lathe(
        [-h, -h * 0.3, h * 0.3, h * 0.85, h * 0.98, h],
        np.array([0.62, 0.92, 1.0, 0.95, 0.9, 0.84]) * radius,
        centre=c,
    )
    lip = lathe([h * 0.9, h * 0.99, h * 1.01], np.array([0.965, 0.93, 0.84]) * radius, centre=c)
    fan = lathe([h * 0.99, h * 1.015], np.array([0.8, 0.8]) * radius, centre=c)
    spinner = lathe(
        [h * 1.0, h * 1.04, h * 1.09], np.array([0.3, 0.2, 0.02]) * radius, centre=c, n=10
    )
    core = lathe(
        [-h * 1.35, -h * 1.1, -h * 0.9], np.array([0.1, 0.34, 0.46]) * radius, centre=c, n=12
    )
    pieces = (
        Piece.make(shell, paint.engine),
        Piece.make(lip, paint.chrome),
        Piece.make(fan, paint.dark),
        Piece.make(spinner, paint.metal),
        Piece.make(core, paint.dark),
    )
    return [_part(key, side, at, pieces, owner, radius)]


def propeller(
    key: str, side: str, at: F64, radius: float, length: float, paint: Livery, owner: str | None
) -> list[Part]:
    """A turboprop: slim nacelle, spinner and blades in front."""
    h = length / 2
    c = tuple(at)
    xs = [-h, -h * 0.5, h * 0.2, h * 0.8, h * 1.0]
    shell = lathe(xs, np.array([0.2, 0.75, 1.0, 0.95, 0.7]) * radius, centre=c, n=14)
    spinner = lathe(
        [h * 1.0, h * 1.12, h * 1.28], np.array([0.5, 0.36, 0.03]) * radius, centre=c, n=12
    )
    pieces = [Piece.make(shell, paint.engine), Piece.make(spinner, paint.metal)]
    hub = np.asarray(at) + np.array([h * 1.1, 0, 0])
    blades = 6 if radius > 0.055 else 4
    reach = radius * 2.7
    for i in range(blades):
        w0, w1 = radius * 0.14, radius * 0.24
        blade = prism(
            [
                (-0.008, -w0, 0.2 * radius),
                (0.008, -w0, 0.2 * radius),
                (0.008, w0, 0.2 * radius),
                (-0.008, w0, 0.2 * radius),
            ],
            [(-0.005, -w1, reach), (0.005, -w1, reach), (0.005, w1, reach), (-0.005, w1, reach)],
        ).transformed(rot("x", 360.0 * i / blades + 20.0), hub)
        pieces.append(Piece.make(blade, paint.dark))
    return [_part(key, side, at, tuple(pieces), owner, radius)]


def _part(
    key: str, side: str, at: F64, pieces: tuple[Piece, ...], owner: str | None, radius: float
) -> Part:
    pivot = (float(at[0]), float(at[1]), float(at[2] + radius))
    place = key.rsplit(".", maxsplit=1)[-1]
    return Part(key, "aircraft.engine", pieces, owner=owner, side=side, place=place, pivot=pivot)
