"""Pictures of which one side is drawn otherwise: lines through a picture, and what to do beyond them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.subject import Paint, Part

from .order import frame_of
from .world import Canvas, Effect, Thing, World


@dataclass(frozen=True, slots=True)
class Seam:
    """A line through the picture: straight, or waved along its way."""

    x: float
    y: float
    """A point on it, 0..1 of the frame."""
    angle: float
    """Radians from the picture's right, down the picture."""
    wave: float = 0.0
    """Height of its waves, 0..1 of the frame."""
    length: float = 0.7
    """Of a wave."""
    phase: float = 0.0

    def away(self, size: int) -> F64:
        """Distance of each pixel from the line, px [size, size]; positive on the side that is changed."""
        v, u = (np.mgrid[0:size, 0:size] + 0.5) / size
        c, s = float(np.cos(self.angle)), float(np.sin(self.angle))
        along = (u - self.x) * c + (v - self.y) * s
        across = (v - self.y) * c - (u - self.x) * s
        bent: F64 = across - self.wave * (
            np.sin(2 * np.pi * along / self.length + self.phase) - np.sin(self.phase)
        )
        return bent * size

    def beyond(self, size: int, soft: float = 0.5) -> F64:
        """How much of each pixel is on the changed side, 0..1 [size, size]."""
        share: F64 = np.clip(0.5 + self.away(size) / (2 * soft), 0, 1)
        return share

    def band(self, width: float) -> Callable[[int], NDArray[np.bool_]]:
        """Tells which pixels are within `width` (0..1 of the frame) of the line."""

        def near(size: int) -> NDArray[np.bool_]:
            within: NDArray[np.bool_] = np.abs(self.away(size)) < width * size
            return within

        return near


def seam_at(world: World, at: Thing, rng: Generator, curved: bool = True) -> Seam:
    """A line through a thing; for an aside, one that leaves the subjects on the unchanged side."""
    x0, y0, x1, y1 = frame_of(world, at)
    x = float(np.clip(x0 + (x1 - x0) * rng.uniform(0.3, 0.7), 0.12, 0.88))
    y = float(np.clip(y0 + (y1 - y0) * rng.uniform(0.3, 0.7), 0.12, 0.88))
    wave = float(rng.uniform(0.02, 0.07)) if curved and rng.random() < 0.4 else 0.0
    length, phase = float(rng.uniform(0.4, 1.2)), float(rng.uniform(0, 6.3))
    if at.subject:
        angle = float(rng.uniform(0, 2 * np.pi))
        return Seam(x, y, angle, wave, length, phase)
    # The changed side is away from the subjects: its normal (-sin, cos) points from them to the thing.
    boxes = np.array([frame_of(world, one) for one in world.things if one.subject])
    middle = boxes.reshape(-1, 2, 2).mean((0, 1)) if len(boxes) else np.array([0.5, 0.5])
    out = np.array([x, y]) - middle
    angle = float(np.arctan2(-out[0], out[1])) + float(rng.uniform(-0.35, 0.35))
    return Seam(x, y, angle, wave * 0.5, length, phase)


def crosses_subjects(world: World, seam: Seam, size: int = 64) -> float:
    """Share of the subjects' boxes that lies beyond the line."""
    beyond = seam.away(size) > 0
    inside = np.zeros_like(beyond)
    for one in world.things:
        if one.subject:
            x0, y0, x1, y1 = (int(np.clip(v * size, 0, size)) for v in frame_of(world, one))
            inside[y0:y1, x0:x1] = True
    return float((inside & beyond).sum() / max(inside.sum(), 1))


def beyond(seam: Seam, change: Callable[[Canvas], F64], soft: float = 0.5) -> Effect:
    """An effect that puts what `change` makes of a canvas (0..255, [S, S, 3]) beyond the line."""

    def effect(canvas: Canvas) -> None:
        share = seam.beyond(canvas.pixels.shape[0], soft)[:, :, None]
        mixed = canvas.pixels * (1 - share) + change(canvas) * share
        canvas.pixels = (mixed + 0.5).clip(0, 255).astype(np.uint8)

    return effect


def toned(gain: F64, gamma: float) -> Callable[[Canvas], F64]:
    """The picture through other exposure and colours: gain [3], then gamma."""

    def change(canvas: Canvas) -> F64:
        x = np.clip(canvas.pixels / 255 * gain, 0, 1) ** gamma
        return x * 255

    return change


def drawn(variant: World) -> Callable[[Canvas], F64]:
    """The picture of another world: another camera, light or stage."""

    def change(canvas: Canvas) -> F64:
        assert canvas.render is not None
        return canvas.render(variant).pixels.astype(float)

    return change


def repainted(world: World, paint: Callable[[Part, Paint], Paint]) -> World:
    """The world with other paints on its stage."""
    stage = tuple(
        replace(part, pieces=tuple(replace(p, paint=paint(part, p.paint)) for p in part.pieces))
        for part in world.stage
    )
    return replace(world, stage=stage)
