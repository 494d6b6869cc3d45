"""Something that stands partly before the subject."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb
from benchmarks.scenes.geometry.subject import Paint, Part, Piece, Subject
from benchmarks.scenes.paints import grey, hue

from .outdoor import bush


def occluder(rng: Generator, subject: Subject, camera: Camera, floor: float | None) -> Part:
    """A post, box, bush or wall piece between the camera and a random point of the subject."""
    v = subject.verts()
    target = v[rng.integers(len(v))]
    at = camera.pos + (target - camera.pos) * float(rng.uniform(0.6, 0.78))
    depth = float((at - camera.pos) @ camera.forward)
    frame = 2 * depth * camera.tan
    """Height of the frame at that depth."""
    w = frame * float(rng.uniform(0.05, 0.16))
    style = int(rng.integers(4))
    if floor is None or style == 0:
        paint = Paint(grey(rng, 0.2, 0.8) if rng.random() < 0.5 else hue(rng), specular=0.2)
        if floor is None and rng.random() < 0.5:
            puffs = [
                ellipsoid(
                    at + rng.normal(size=3) * w * 0.5, rng.uniform(0.5, 1.0, 3) * w * 0.8, n=10
                )
                for _ in range(4)
            ]
            white = Paint((0.9, 0.92, 0.95), specular=0.0, emission=0.2)
            return Part("occluder", None, tuple(Piece.make(m, white) for m in puffs))
        lean = camera.right * float(rng.uniform(-0.15, 0.15)) * frame
        low = (
            at - camera.up * frame * 1.2 - lean
            if floor is None
            else np.array([at[0], at[1], floor])
        )
        high = (
            at + camera.up * frame * 1.2 + lean
            if floor is None
            else np.array([at[0], at[1], at[2] + frame * float(rng.uniform(0.3, 1.2))])
        )
        return Part("occluder", None, (Piece.make(limb(low, high, w * 0.3, w * 0.3, n=10), paint),))
    h = max(0.05, float(at[2] - floor)) + frame * 0.03
    base = np.array([at[0], at[1], floor])
    if style == 1:
        scale = max(1.6 * w, 0.7 * h)
        pieces = [
            Piece(p.mesh.transformed(np.eye(3) * scale / 0.6, base), p.paint, p.uv)
            for p in bush(rng)
        ]
        return Part("occluder", None, tuple(pieces))
    wide = w * (1.6 if style == 2 else 3.0)
    h = min(h, frame * 0.35)
    mesh = box((0, 0, h / 2), (w * 0.8, wide, h))
    a = np.deg2rad(camera.azimuth + float(rng.uniform(-15, 15)))
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1.0]])
    return Part(
        "occluder",
        None,
        (Piece.make(mesh.transformed(turn, base), Paint(hue(rng, (0.05, 0.7)), specular=0.1)),),
    )
