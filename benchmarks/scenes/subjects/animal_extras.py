"""Horns, trunks, beaks and feathered wings."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes.geometry.mesh import F64, loft
from benchmarks.scenes.geometry.solids import lathe, limb, prism, tube
from benchmarks.scenes.geometry.subject import Paint, Part, Piece

from .animal_parts import leaf, vec


def horn_pair(
    key: str, at: F64, s: float, kind: str, size: float, paint: Paint, owner: str | None
) -> Part:
    """A cow's or a goat's horn at the head's top; s = +1 left, -1 right."""
    t = np.linspace(0, 1, 6)
    if kind == "cow":
        path = at + np.stack([0.12 * t, s * (0.75 * np.sin(t * 1.9)), 0.75 * t**1.6], 1) * size
    else:
        path = (
            at
            + np.stack([-0.85 * np.sin(t * 1.9) * t, s * 0.3 * t, 1.05 * np.sin(t * 1.5)], 1) * size
        )
    mesh = tube(
        path,
        np.linspace(0.17, 0.03, 6) * size,
        n=8,
        up=(0.2, 0.9, 0.3) if kind == "goat" else (1.0, 0.1, 0.2),
    )
    return Part(
        key,
        "animal.horn",
        (Piece.make(mesh, paint),),
        owner=owner,
        side="left" if s > 0 else "right",
        pivot=vec(at),
    )


def nose_horn(key: str, at: F64, size: float, paint: Paint, owner: str | None) -> Part:
    """A rhino's horn, rising and curving back."""
    t = np.linspace(0, 1, 6)
    path = at + np.stack([0.3 * np.sin(t * 2.4), 0 * t, t], 1) * size
    mesh = tube(path, np.linspace(0.27, 0.03, 6) * size, n=10, up=(0.0, 1.0, 0.0))
    return Part(
        key, "animal.horn", (Piece.make(mesh, paint),), owner=owner, place="nose", pivot=vec(at)
    )


def trunk(
    key: str, at: F64, size: float, curl: float, paint: Paint, owner: str | None, swing: float = 0.0
) -> Part:
    """An elephant's trunk hanging from `at`; `curl` bends its end forward."""
    t = np.linspace(0, 1, 10)
    angle = np.deg2rad(
        -25 - 70 * np.clip(t * 2.2, 0, 1) + (90 + curl) * np.clip(t - 0.45, 0, 1) * 1.6
    )
    step = size / 9
    x = np.concatenate([[0], np.cumsum(np.cos(angle[:-1]) * step)])
    z = np.concatenate([[0], np.cumsum(np.sin(angle[:-1]) * step)])
    path = at + np.stack([x, swing * t**2 * size, z], 1)
    mesh = tube(path, np.linspace(0.15, 0.06, 10) * size, n=10, up=(0.0, 1.0, 0.0), round_ends=True)
    return Part(key, "animal.trunk", (Piece.make(mesh, paint),), owner=owner, pivot=vec(at))


def beak(
    key: str, at: F64, kind: str, length: float, paint: Paint, owner: str | None, down: float = 0.15
) -> Part:
    """A beak (cone, flat, hook) pointing forward."""
    joins = owner
    if kind == "flat":
        w = length * 0.36
        upper = loft(
            np.stack(
                [
                    [
                        (0, -w * 0.8, 0.0),
                        (0, w * 0.8, 0.0),
                        (0, w * 0.6, w * 0.9),
                        (0, -w * 0.6, w * 0.9),
                    ],
                    [
                        (length * 0.6, -w, -0.1 * w),
                        (length * 0.6, w, -0.1 * w),
                        (length * 0.6, w * 0.8, w * 0.3),
                        (length * 0.6, -w * 0.8, w * 0.3),
                    ],
                    [
                        (length, -w * 0.6, -0.1 * w),
                        (length, w * 0.6, -0.1 * w),
                        (length, w * 0.5, 0.12 * w),
                        (length, -w * 0.5, 0.12 * w),
                    ],
                ]
            ),
            flat=True,
        )
        meshes = [
            upper.transformed(np.eye(3), at),
            upper.transformed(np.diag([0.92, 0.9, -0.4]), at),
        ]
    elif kind == "hook":
        t = np.linspace(0, 1, 6)
        path = at + np.stack([np.sin(t * 1.75), 0 * t, -0.62 * t**2.4], 1) * length
        meshes = [
            tube(path, np.linspace(0.42, 0.05, 6) * length, n=10, up=(0.0, 1.0, 0.0)),
            limb(
                at + np.array([0, 0, -0.25 * length]),
                at + np.array([0.55 * length, 0, -0.32 * length]),
                0.18 * length,
                0.08 * length,
            ),
        ]
    else:
        cone = lathe([0, length * 0.5, length], np.array([0.4, 0.24, 0.02]) * length, n=10)
        meshes = [cone.transformed(np.array([[1, 0, 0], [0, 1, 0], [-down, 0, 1.0]]), at)]
    pieces = tuple(Piece.make(m, paint) for m in meshes)
    return Part(key, "animal.beak", pieces, owner=owner, joins=joins, pivot=vec(at))


def feathered_wing(
    key: str,
    root: F64,
    s: float,
    length: float,
    spread: bool,
    paint: Paint,
    tip: Paint,
    lift: float = 35.0,
) -> Part:
    """A bird's wing: folded along the body, or spread sideways with feather fingers."""
    pieces = []
    if spread:
        a = np.deg2rad(lift)
        out = np.array([-0.12, s * np.cos(a), np.sin(a)])
        arm = prism(
            [
                root + np.array([0.14, 0, 0]) * length * 1.2,
                root + np.array([-0.3, 0, 0]) * length * 1.2,
                root + np.array([-0.3, 0, 0.03]) * length * 1.2,
                root + np.array([0.14, 0, 0.05]) * length * 1.2,
            ],
            [
                root + out * length * 0.62 + np.array([0.18, 0, 0]) * length,
                root + out * length * 0.62 + np.array([-0.3, 0, 0]) * length,
                root + out * length * 0.62 + np.array([-0.3, 0, 0.015]) * length,
                root + out * length * 0.62 + np.array([0.18, 0, 0.03]) * length,
            ],
        )
        pieces.append(Piece.make(arm, paint))
        for i in range(7):
            f = i / 6
            base = (
                root + out * length * (0.2 + 0.42 * f) + np.array([0.02 + 0.08 * f, 0, 0]) * length
            )
            way = out * (0.05 + 0.55 * f**1.5) + np.array([-0.46 + 0.26 * f, 0, 0])
            pieces.append(
                Piece.make(
                    leaf(
                        base,
                        base + way * length,
                        length * 0.15,
                        np.array([0, -s * np.sin(a), np.cos(a)]),
                        0.02,
                        0.6,
                    ),
                    tip,
                )
            )
    else:
        w = root + np.array([0.0, s * 0.02, 0.0])
        tip_at = w + np.array([-1.0, s * 0.02, -0.1]) * length
        pieces.append(
            Piece.make(
                leaf(
                    w + np.array([0.2, 0, 0]) * length,
                    tip_at,
                    length * 0.58,
                    np.array([0.05, s * 1.0, 0.25]),
                    0.07,
                    0.35,
                ),
                paint,
            )
        )
        for i in range(3):
            z = -0.1 + 0.1 * i
            pieces.append(
                Piece.make(
                    leaf(
                        w + np.array([-0.35, s * 0.035, z * 0.6]) * length,
                        tip_at + np.array([0.05 - 0.06 * i, s * 0.045, z]) * length,
                        length * 0.2,
                        np.array([0.0, s * 1.0, 0.3]),
                        0.03,
                    ),
                    tip,
                )
            )
    return Part(
        key, "animal.wing", tuple(pieces), side="left" if s > 0 else "right", pivot=vec(root)
    )
