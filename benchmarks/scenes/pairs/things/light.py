"""Light indoors: by day from a window or a ceiling, at night from a lamp."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.render import Light


def daylight(
    rng: Generator,
    camera: Camera,
    *,
    strength: tuple[float, float] = (0.5, 0.72),
    ambient: tuple[float, float] = (0.34, 0.5),
) -> tuple[Light, tuple[Light, ...]]:
    """Light from a window or a ceiling: what casts the shadows, and the rest."""
    side = float(rng.choice([-1.0, 1.0])) * float(rng.uniform(25, 105))
    away = np.deg2rad(camera.azimuth + side)
    high = np.deg2rad(float(rng.uniform(32, 66)))
    sun = -np.array([np.cos(high) * np.cos(away), np.cos(high) * np.sin(away), np.sin(high)])
    warm = 1 + np.array([1.0, 0.2, -1.0]) * float(rng.uniform(-0.05, 0.14))
    d = np.clip(float(rng.uniform(*strength)) * warm, 0, 1)
    a = np.clip(
        float(rng.uniform(*ambient)) * (1 + np.array([-1, 0, 1]) * float(rng.uniform(-0.05, 0.06))),
        0,
        1,
    )
    fill = -np.array([np.cos(away - 2.0 * np.sign(side)), np.sin(away - 2.0 * np.sign(side)), 0.8])
    soft = float(rng.uniform(0.1, 0.25))
    return (
        Light(
            sun,
            (float(d[0]), float(d[1]), float(d[2])),
            (0.0, 0.0, 0.0),
            float(rng.uniform(0.1, 0.4)),
            True,
        ),
        (
            Light(
                fill / np.linalg.norm(fill),
                (soft, soft, soft),
                (float(a[0]), float(a[1]), float(a[2])),
                0.0,
                False,
            ),
        ),
    )


def lamplight(
    rng: Generator, camera: Camera, at: F64, middle: F64
) -> tuple[Light, tuple[Light, ...]]:
    """At night: the light of a lamp at a point, falling towards `middle`, and a dim blue rest."""
    d = middle - at
    d = d / max(float(np.linalg.norm(d)), 1e-6)
    d[2] = min(d[2], -0.62)
    d /= np.linalg.norm(d)
    w = float(rng.uniform(0.5, 0.65))
    dim = float(rng.uniform(0.26, 0.36))
    fill = -np.array([np.cos(np.deg2rad(camera.azimuth)), np.sin(np.deg2rad(camera.azimuth)), 0.5])
    return (
        Light(d, (w, w * 0.86, w * 0.62), (0.0, 0.0, 0.0), 0.25, True),
        (
            Light(
                fill / np.linalg.norm(fill),
                (0.12, 0.11, 0.12),
                (dim * 0.92, dim * 0.95, dim * 1.1),
                0.0,
                False,
            ),
        ),
    )
