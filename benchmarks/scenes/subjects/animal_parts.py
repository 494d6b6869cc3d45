"""Ears and legs, which several animals share and planting grafts onto others."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes.geometry.mesh import F64, Mesh, cross, loft, unit
from benchmarks.scenes.geometry.solids import ellipsoid, lathe, limb
from benchmarks.scenes.geometry.subject import Paint, Part, Piece

Vec = tuple[float, float, float]


def vec(v: F64) -> Vec:
    """An array as a tuple."""
    return (float(v[0]), float(v[1]), float(v[2]))


def leaf(
    root: F64, tip: F64, width: float, normal: F64, thick: float = 0.02, full: float = 0.45
) -> Mesh:
    """A flat leaf-shaped solid (ears, feathers), widest at `full` of its length."""
    along = tip - root
    side = unit(cross(normal, along))
    n = unit(cross(along, side))
    rings = []
    a = np.arange(8) * 2 * np.pi / 8
    for t, w in (
        (0.0, 0.55),
        (full * 0.5, 0.9),
        (full, 1.0),
        ((1 + full) / 2, 0.75),
        (0.95, 0.3),
        (1.0, 0.06),
    ):
        c = root + along * t
        rings.append(
            c
            + np.outer(np.cos(a), side) * w * width / 2
            + np.outer(np.sin(a), n) * thick / 2 * max(w, 0.3)
        )
    return loft(np.stack(rings))


def ear(
    key: str,
    at: F64,
    s: float,
    kind: str,
    size: float,
    outer: Paint,
    inner: Paint,
    owner: str | None,
) -> Part:
    """An ear of a kind (pointed, floppy, side, fan) at a point of the head; s = +1 left, -1 right."""
    if kind == "pointed":
        tip, normal, width = (
            at + np.array([-0.02, s * 0.25, 1.0]) * size,
            np.array([1.0, s * 0.4, 0.0]),
            size * 0.75,
        )
    elif kind == "floppy":
        tip, normal, width = (
            at + np.array([-0.1, s * 0.5, -0.95]) * size,
            np.array([0.2, s * 1.0, 0.3]),
            size * 0.62,
        )
    elif kind == "side":
        tip, normal, width = (
            at + np.array([-0.15, s * 1.0, 0.12]) * size,
            np.array([0.9, 0.0, 0.5]),
            size * 0.55,
        )
    else:  # fan
        tip, normal, width = (
            at + np.array([-0.62, s * 0.72, -0.32]) * size,
            np.array([0.75, s * 0.85, 0.1]),
            size * 1.35,
        )
    pieces = [Piece.make(leaf(at, tip, width, normal, thick=0.035), outer)]
    if kind == "pointed":
        n = normal / np.linalg.norm(normal)
        shift = n * 0.012
        pieces.append(
            Piece.make(
                leaf(
                    at + shift + (tip - at) * 0.1,
                    at + shift + (tip - at) * 0.85,
                    width * 0.6,
                    normal,
                    thick=0.02,
                ),
                inner,
            )
        )
    return Part(
        key,
        "animal.ear",
        tuple(pieces),
        owner=owner,
        side="left" if s > 0 else "right",
        pivot=vec(at),
    )


def leg(
    key: str,
    hip: F64,
    knee: F64,
    foot: F64,
    radii: tuple[float, float],
    paint: Paint,
    foot_paint: Paint,
    s: float,
    place: str,
    hoof: bool,
) -> Part:
    """A leg of two segments with a paw or hoof."""
    r0, r1 = radii
    pieces = [
        Piece.make(limb(hip, knee, r0, (r0 + r1) / 2 * 0.95), paint),
        Piece.make(limb(knee, foot, (r0 + r1) / 2 * 0.9, r1), paint),
    ]
    if hoof:
        pieces.append(
            Piece.make(
                lathe([-0.05, 0.0, 0.03], np.array([1.25, 1.1, 0.9]) * r1, n=10).transformed(
                    [[0, 0, 0.25], [0, 1.0, 0], [1.0, 0, 0]], foot + np.array([0, 0, 0.02])
                ),
                foot_paint,
            )
        )
    else:
        pieces.append(
            Piece.make(
                ellipsoid(
                    foot + np.array([0.35 * r1, 0, 0.0]), (1.5 * r1, 1.1 * r1, 0.8 * r1), n=10
                ),
                paint,
            )
        )
    return Part(
        key,
        "animal.leg",
        tuple(pieces),
        side="left" if s > 0 else "right",
        place=place,
        pivot=vec(hip),
    )
