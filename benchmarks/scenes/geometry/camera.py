"""The camera: a pinhole with lens shift, placed by view, elevation and how much the subject fills."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .mesh import F64


@dataclass(frozen=True, slots=True)
class Camera:
    """A square-pixel pinhole camera."""

    pos: F64
    right: F64
    up: F64
    forward: F64
    tan: float
    """Tangent of half the field of view (of the height)."""
    shift: tuple[float, float]
    """Lens shift in half heights: moves the picture left / down without turning the camera."""
    azimuth: float
    """Degrees round the subject: 0 in front of it, 90 at its left side, 180 behind."""
    elevation: float

    def project(self, verts: F64, width: int, height: int) -> F64:
        """Pixel coordinates [..., 2] (x right, y down, pixel edges) of points [..., 3]."""
        d = verts - self.pos
        depth = np.maximum(d @ self.forward, 1e-3)
        x = (d @ self.right) / depth / self.tan - self.shift[0]
        y = (d @ self.up) / depth / self.tan - self.shift[1]
        return np.stack([width / 2 + x * height / 2, height / 2 - y * height / 2], -1)


def view_of(azimuth: float) -> str:
    """View label: side within 25° of 90/270, front within 20° of 0, rear within 20° of 180."""
    a = abs((azimuth + 180.0) % 360.0 - 180.0)
    if a <= 20:
        return "front"
    if a >= 160:
        return "rear"
    if 65 <= a <= 115:
        return "side"
    return "front_quarter" if a < 65 else "rear_quarter"


_VIEW_RANGES = {
    "side": (66.0, 114.0),
    "front_quarter": (23.0, 64.0),
    "rear_quarter": (116.0, 157.0),
    "front": (0.0, 19.0),
    "rear": (161.0, 180.0),
}

_VIEW_SHARES = {
    "side": 0.32,
    "front_quarter": 0.26,
    "rear_quarter": 0.2,
    "front": 0.12,
    "rear": 0.1,
}


def draw_azimuth(rng: Generator) -> float:
    """An azimuth whose view label follows the shares above, left and right alike."""
    view = rng.choice(list(_VIEW_SHARES), p=list(_VIEW_SHARES.values()))
    a = float(rng.uniform(*_VIEW_RANGES[str(view)]))
    return a if rng.random() < 0.5 else 360.0 - a


def aim(
    verts: F64,
    azimuth: float,
    elevation: float,
    fov: float,
    roll: float,
    fill: float,
    place: tuple[float, float],
) -> Camera:
    """A camera at that direction whose picture of `verts` [n, 3] fills `fill` of the frame.

    `place` in -1..1 puts the subject within the free margin (0, 0 is the middle).
    """
    a, e, r = np.deg2rad([azimuth, elevation, roll])
    back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    forward = -back
    right0 = np.array([-np.sin(a), np.cos(a), 0.0])
    up0 = np.cross(right0, forward)
    right = np.cos(r) * right0 + np.sin(r) * up0
    up = np.cos(r) * up0 - np.sin(r) * right0
    tan = float(np.tan(np.deg2rad(fov) / 2))
    centre = (verts.min(0) + verts.max(0)) / 2
    radius = float(np.linalg.norm(verts - centre, axis=1).max())
    distance = 2.0 * radius / tan
    for _ in range(5):
        cam = Camera(
            centre + back * distance, right, up, forward, tan, (0.0, 0.0), azimuth, elevation
        )
        p = cam.project(verts, 2, 2)
        extent = float(np.ptp(p, axis=0).max()) / 2
        distance = max(distance * extent / fill, radius * 1.15)
    cam = Camera(centre + back * distance, right, up, forward, tan, (0.0, 0.0), azimuth, elevation)
    p = cam.project(verts, 2, 2)
    lo, hi = p.min(0), p.max(0)
    free = np.maximum(2 - (hi - lo), 0) / 2
    mid = (lo + hi) / 2 - 1
    shift = (float(mid[0] - place[0] * free[0]), float(-mid[1] + place[1] * free[1]))
    return Camera(cam.pos, right, up, forward, tan, shift, azimuth, elevation)
