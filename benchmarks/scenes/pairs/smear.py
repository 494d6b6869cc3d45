"""Pixels dragged along a direction, as by a thumb over wet paint."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .world import Canvas, Effect

F32 = NDArray[np.float32]


def _sampled(pixels: NDArray[np.uint8], x: F32, y: F32) -> F32:
    """Colours [n, 3] at fractional places, the border repeated."""
    size = pixels.shape[0]
    x, y = np.clip(x, 0, size - 1.001), np.clip(y, 0, size - 1.001)
    i, j = y.astype(int), x.astype(int)
    fy, fx = (y - i)[:, None], (x - j)[:, None]
    upper = pixels[i, j] * (1 - fx) + pixels[i, j + 1] * fx
    lower = pixels[i + 1, j] * (1 - fx) + pixels[i + 1, j + 1] * fx
    out: F32 = (upper * (1 - fy) + lower * fy).astype(np.float32)
    return out


def _streaks(rng: Generator) -> F32:
    """How far each of 64 streaks across the smear reaches, 0.55..1, neighbours alike."""
    rough = rng.random(64)
    kernel = np.array([0.25, 0.5, 0.25])
    return (0.55 + 0.45 * np.convolve(np.tile(rough, 3), kernel, "same")[64:128]).astype(np.float32)


def smeared(key: str, degrees: float, start: float, reach: float, rng: Generator) -> Effect:
    """What is seen of a thing is dragged out of its outline.

    Args:
        key: the thing's.
        degrees: direction in the picture, 0 to the right, 90 down.
        start: where the drag begins, as a share 0..1 of the thing's extent along that direction.
        reach: how far it goes, in extents.
        rng: streaks are drawn now, not when the picture is changed.
    """
    way = np.array([np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))])
    streaks = _streaks(rng)

    def effect(canvas: Canvas) -> None:
        mask = canvas.mask(key)
        if not mask.any():
            return
        row, column = np.nonzero(mask)
        t, s = column * way[0] + row * way[1], row * way[0] - column * way[1]
        low, high = float(t.min()), float(t.max())
        across = np.quantile(s, [0.02, 0.98])
        extent = high - low
        size = canvas.pixels.shape[0]
        y, x = np.mgrid[:size, :size].astype(np.float32)
        along, aside = x * way[0] + y * way[1], y * way[0] - x * way[1]
        place = (aside - across[0]) / max(across[1] - across[0], 1.0)
        inside = np.clip(np.minimum(place, 1 - place) / 0.12 + 0.5, 0, 1)
        length = extent * reach * streaks[np.clip(place * 63, 0, 63).astype(int)]
        begin = low + start * extent
        t = (along - begin) / np.maximum(length, 1.0)
        # The drag thins out at its end; nearer things than this one are not touched by it.
        thick = inside * (t > 0) * np.clip((1 - t) / 0.35, 0, 1)
        near = (canvas.index >= 0) & ~mask & (canvas.depth < float(np.median(canvas.depth[mask])))
        thick = np.where(near, 0.0, thick)
        i, j = np.nonzero(thick > 0)
        back = (along[i, j] - begin) * 0.86
        # Only what is seen of the thing is dragged, not what stands before it.
        u = np.clip(np.rint(x[i, j] - way[0] * back), 0, size - 1).astype(int)
        v = np.clip(np.rint(y[i, j] - way[1] * back), 0, size - 1).astype(int)
        own = mask[v, u]
        i, j, back = i[own], j[own], back[own]
        colour = _sampled(canvas.pixels, x[i, j] - way[0] * back, y[i, j] - way[1] * back)
        w = thick[i, j][:, None]
        canvas.pixels[i, j] = (canvas.pixels[i, j] * (1 - w) + colour * w + 0.5).astype(np.uint8)

    return effect
