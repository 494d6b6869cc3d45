"""Parts that several animals share, and that planting grafts onto others: ears, horns, trunk, beak ..."""

from __future__ import annotations

import numpy as np

from .mesh import F64, Mesh, cross, ellipsoid, lathe, limb, loft, prism, tube, unit
from .subject import Paint, Part, Piece

Vec = tuple[float, float, float]


def vec(v: F64) -> Vec:
    """An array as a tuple."""
    return (float(v[0]), float(v[1]), float(v[2]))


def leaf(root: F64, tip: F64, width: float, normal: F64, thick: float = 0.02, full: float = 0.45) -> Mesh:
    """A flat leaf-shaped solid (ears, feathers), widest at `full` of its length."""
    along = tip - root
    side = unit(cross(normal, along))
    n = unit(cross(along, side))
    rings = []
    a = np.arange(8) * 2 * np.pi / 8
    for t, w in ((0.0, 0.55), (full * 0.5, 0.9), (full, 1.0), ((1 + full) / 2, 0.75), (0.95, 0.3), (1.0, 0.06)):
        c = root + along * t
        rings.append(c + np.outer(np.cos(a), side) * w * width / 2 + np.outer(np.sin(a), n) * thick / 2 * max(w, 0.3))
    return loft(np.stack(rings))


def ear(key: str, at: F64, s: float, kind: str, size: float, outer: Paint, inner: Paint, owner: str | None) -> Part:
    """An ear of a kind (pointed, floppy, side, fan) at a point of the head; s = +1 left, -1 right."""
    if kind == "pointed":
        tip, normal, width = at + np.array([-0.02, s * 0.25, 1.0]) * size, np.array([1.0, s * 0.4, 0.0]), size * 0.75
    elif kind == "floppy":
        tip, normal, width = at + np.array([-0.1, s * 0.5, -0.95]) * size, np.array([0.2, s * 1.0, 0.3]), size * 0.62
    elif kind == "side":
        tip, normal, width = at + np.array([-0.15, s * 1.0, 0.12]) * size, np.array([0.9, 0.0, 0.5]), size * 0.55
    else:  # fan
        tip, normal, width = at + np.array([-0.62, s * 0.72, -0.32]) * size, np.array([0.75, s * 0.85, 0.1]), size * 1.35
    pieces = [Piece.make(leaf(at, tip, width, normal, thick=0.035), outer)]
    if kind == "pointed":
        n = normal / np.linalg.norm(normal)
        shift = n * 0.012
        pieces.append(Piece.make(leaf(at + shift + (tip - at) * 0.1, at + shift + (tip - at) * 0.85, width * 0.6, normal, thick=0.02), inner))
    return Part(key, "animal.ear", tuple(pieces), owner=owner, side="left" if s > 0 else "right", pivot=vec(at))


def horn_pair(key: str, at: F64, s: float, kind: str, size: float, paint: Paint, owner: str | None) -> Part:
    """A cow's or a goat's horn at the head's top; s = +1 left, -1 right."""
    t = np.linspace(0, 1, 6)
    if kind == "cow":
        path = at + np.stack([0.12 * t, s * (0.75 * np.sin(t * 1.9)), 0.75 * t**1.6], 1) * size
    else:
        path = at + np.stack([-0.85 * np.sin(t * 1.9) * t, s * 0.3 * t, 1.05 * np.sin(t * 1.5)], 1) * size
    mesh = tube(path, np.linspace(0.17, 0.03, 6) * size, n=8, up=(0.2, 0.9, 0.3) if kind == "goat" else (1.0, 0.1, 0.2))
    return Part(key, "animal.horn", (Piece.make(mesh, paint),), owner=owner, side="left" if s > 0 else "right", pivot=vec(at))


def nose_horn(key: str, at: F64, size: float, paint: Paint, owner: str | None) -> Part:
    """A rhino's horn, rising and curving back."""
    t = np.linspace(0, 1, 6)
    path = at + np.stack([0.3 * np.sin(t * 2.4), 0 * t, t], 1) * size
    mesh = tube(path, np.linspace(0.27, 0.03, 6) * size, n=10, up=(0.0, 1.0, 0.0))
    return Part(key, "animal.horn", (Piece.make(mesh, paint),), owner=owner, place="nose", pivot=vec(at))


def trunk(key: str, at: F64, size: float, curl: float, paint: Paint, owner: str | None, swing: float = 0.0) -> Part:
    """An elephant's trunk hanging from `at`; `curl` bends its end forward."""
    t = np.linspace(0, 1, 10)
    angle = np.deg2rad(-25 - 70 * np.clip(t * 2.2, 0, 1) + (90 + curl) * np.clip(t - 0.45, 0, 1) * 1.6)
    step = size / 9
    x = np.concatenate([[0], np.cumsum(np.cos(angle[:-1]) * step)])
    z = np.concatenate([[0], np.cumsum(np.sin(angle[:-1]) * step)])
    path = at + np.stack([x, swing * t**2 * size, z], 1)
    mesh = tube(path, np.linspace(0.15, 0.06, 10) * size, n=10, up=(0.0, 1.0, 0.0), round_ends=True)
    return Part(key, "animal.trunk", (Piece.make(mesh, paint),), owner=owner, pivot=vec(at))


def beak(key: str, at: F64, kind: str, length: float, paint: Paint, owner: str | None, down: float = 0.15) -> Part:
    """A beak (cone, flat, hook) pointing forward."""
    joins = owner
    if kind == "flat":
        w = length * 0.36
        upper = loft(np.stack([
            [(0, -w * 0.8, 0.0), (0, w * 0.8, 0.0), (0, w * 0.6, w * 0.9), (0, -w * 0.6, w * 0.9)],
            [(length * 0.6, -w, -0.1 * w), (length * 0.6, w, -0.1 * w), (length * 0.6, w * 0.8, w * 0.3), (length * 0.6, -w * 0.8, w * 0.3)],
            [(length, -w * 0.6, -0.1 * w), (length, w * 0.6, -0.1 * w), (length, w * 0.5, 0.12 * w), (length, -w * 0.5, 0.12 * w)],
        ]), flat=True)  # fmt: skip
        meshes = [upper.transformed(np.eye(3), at), upper.transformed(np.diag([0.92, 0.9, -0.4]), at)]
    elif kind == "hook":
        t = np.linspace(0, 1, 6)
        path = at + np.stack([np.sin(t * 1.75), 0 * t, -0.62 * t**2.4], 1) * length
        meshes = [tube(path, np.linspace(0.42, 0.05, 6) * length, n=10, up=(0.0, 1.0, 0.0)),
                  limb(at + np.array([0, 0, -0.25 * length]), at + np.array([0.55 * length, 0, -0.32 * length]), 0.18 * length, 0.08 * length)]  # fmt: skip
    else:
        cone = lathe([0, length * 0.5, length], np.array([0.4, 0.24, 0.02]) * length, n=10)
        meshes = [cone.transformed(np.array([[1, 0, 0], [0, 1, 0], [-down, 0, 1.0]]), at)]
    pieces = tuple(Piece.make(m, paint) for m in meshes)
    return Part(key, "animal.beak", pieces, owner=owner, joins=joins, pivot=vec(at))


def feathered_wing(key: str, root: F64, s: float, length: float, spread: bool, paint: Paint, tip: Paint, lift: float = 35.0) -> Part:
    """A bird's wing: folded along the body, or spread sideways with feather fingers."""
    pieces = []
    if spread:
        a = np.deg2rad(lift)
        out = np.array([-0.12, s * np.cos(a), np.sin(a)])
        arm = prism(
            [root + np.array([0.14, 0, 0]) * length * 1.2, root + np.array([-0.3, 0, 0]) * length * 1.2,
             root + np.array([-0.3, 0, 0.03]) * length * 1.2, root + np.array([0.14, 0, 0.05]) * length * 1.2],
            [root + out * length * 0.62 + np.array([0.18, 0, 0]) * length, root + out * length * 0.62 + np.array([-0.3, 0, 0]) * length,
             root + out * length * 0.62 + np.array([-0.3, 0, 0.015]) * length, root + out * length * 0.62 + np.array([0.18, 0, 0.03]) * length],
        )  # fmt: skip
        pieces.append(Piece.make(arm, paint))
        for i in range(7):
            f = i / 6
            base = root + out * length * (0.2 + 0.42 * f) + np.array([0.02 + 0.08 * f, 0, 0]) * length
            way = out * (0.05 + 0.55 * f**1.5) + np.array([-0.46 + 0.26 * f, 0, 0])
            pieces.append(Piece.make(leaf(base, base + way * length, length * 0.15, np.array([0, -s * np.sin(a), np.cos(a)]), 0.02, 0.6), tip))
    else:
        w = root + np.array([0.0, s * 0.02, 0.0])
        tip_at = w + np.array([-1.0, s * 0.02, -0.1]) * length
        pieces.append(Piece.make(leaf(w + np.array([0.2, 0, 0]) * length, tip_at, length * 0.58, np.array([0.05, s * 1.0, 0.25]), 0.07, 0.35), paint))
        for i in range(3):
            z = -0.1 + 0.1 * i
            pieces.append(Piece.make(leaf(w + np.array([-0.35, s * 0.035, z * 0.6]) * length, tip_at + np.array([0.05 - 0.06 * i, s * 0.045, z]) * length, length * 0.2, np.array([0.0, s * 1.0, 0.3]), 0.03), tip))
    return Part(key, "animal.wing", tuple(pieces), side="left" if s > 0 else "right", pivot=vec(root))


def leg(key: str, hip: F64, knee: F64, foot: F64, radii: tuple[float, float], paint: Paint, foot_paint: Paint, s: float, place: str, hoof: bool) -> Part:
    """A leg of two segments with a paw or hoof."""
    r0, r1 = radii
    pieces = [
        Piece.make(limb(hip, knee, r0, (r0 + r1) / 2 * 0.95), paint),
        Piece.make(limb(knee, foot, (r0 + r1) / 2 * 0.9, r1), paint),
    ]
    if hoof:
        pieces.append(Piece.make(lathe([-0.05, 0.0, 0.03], np.array([1.25, 1.1, 0.9]) * r1, n=10).transformed([[0, 0, 0.25], [0, 1.0, 0], [1.0, 0, 0]], foot + np.array([0, 0, 0.02])), foot_paint))
    else:
        pieces.append(Piece.make(ellipsoid(foot + np.array([0.35 * r1, 0, 0.0]), (1.5 * r1, 1.1 * r1, 0.8 * r1), n=10), paint))
    return Part(key, "animal.leg", tuple(pieces), side="left" if s > 0 else "right", place=place, pivot=vec(hip))
