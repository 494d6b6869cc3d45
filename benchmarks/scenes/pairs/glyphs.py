"""Lettering gone wrong, worked on the texture that carries it: run, mirrored, halved, tangled."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import TEX, U8

from .morphology import ndimage

_RIM: Final = 20
"""Pixels at the edges that stay: a sign's border is no letter."""


def inked(pixels: U8) -> NDArray[np.bool_]:
    """Where a lettered texture differs from its paper; the rim counts as paper."""
    paper = np.median(pixels.reshape(-1, 3), axis=0)
    ink: NDArray[np.bool_] = np.abs(pixels.astype(float) - paper).max(-1) > 60
    ink[:_RIM] = ink[-_RIM:] = False
    ink[:, :_RIM] = ink[:, -_RIM:] = False
    return ink


def lines_of(pixels: U8) -> list[tuple[int, int]]:
    """First row and the row behind the last of each line of text."""
    rows = inked(pixels).any(1)
    found = ndimage.label(ndimage.binary_closing(rows, iterations=2))
    spans = [np.flatnonzero(found[0] == k + 1) for k in range(found[1])]
    return [(int(s[0]), int(s[-1]) + 1) for s in spans if len(s) >= 14]


def run(pixels: U8, rng: Generator) -> U8:
    """Letters flow into each other like wet ink."""
    y, x = np.mgrid[0:TEX, 0:TEX].astype(float)
    edge = np.minimum(np.minimum(x, TEX - 1 - x), np.minimum(y, TEX - 1 - y))
    hold = np.clip((edge - _RIM) / 14, 0, 1)
    # A few waves of about a letter's size in either direction, of random phase and slant.
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    for _ in range(3):
        fx, fy = rng.uniform(3.0, 6.5, 2)
        p = rng.uniform(0, 2 * np.pi, 2)
        dx += np.sin(2 * np.pi * (fy * y + 1.5 * x) / TEX + p[0]) * rng.uniform(3, 6.5)
        dy += np.sin(2 * np.pi * (fx * x + 1.5 * y) / TEX + p[1]) * rng.uniform(3, 6.5)
    dy += (field01(rng, 1.5) - 0.5) * 16
    # What lies within the rim stays there, and nothing of it is drawn in.
    low, high = np.minimum(_RIM, np.stack([y, x])), np.maximum(TEX - 1 - _RIM, np.stack([y, x]))
    at = np.clip(np.stack([y + dy * hold, x + dx * hold]), low, high)
    out = [ndimage.map_coordinates(pixels[..., k], at, order=1, mode="nearest") for k in range(3)]
    return np.stack(out, -1).astype(np.uint8)


def mirrored(pixels: U8) -> U8:
    """All of the lettering the wrong way round."""
    return np.ascontiguousarray(pixels[:, ::-1])


def halved(pixels: U8, rng: Generator) -> U8:
    """The lower half of every line shifted against its upper half."""
    out = pixels.copy()
    ink = inked(pixels)
    for y0, y1 in lines_of(pixels):
        columns = np.flatnonzero(ink[y0:y1].any(0))
        if len(columns) < 8:
            continue
        x0, x1 = int(columns[0]), int(columns[-1]) + 1
        cut = y0 + int((y1 - y0) * rng.uniform(0.45, 0.6))
        shift = int((x1 - x0) * rng.uniform(0.12, 0.3)) * int(rng.choice([-1, 1]))
        band = out[cut:y1, x0:x1]
        # Every second line's lower half is turned round as well.
        out[cut:y1, x0:x1] = np.roll(band[:, ::-1] if rng.random() < 0.5 else band, shift, 1)
    return out


def tangled(pixels: U8, rng: Generator) -> U8:
    """Pieces of letters turned, upturned and set in each other's place, each line for itself."""
    out = pixels.copy()
    ink = inked(pixels)
    for y0, y1 in lines_of(pixels):
        columns = np.flatnonzero(ink[y0:y1].any(0))
        if len(columns) < 16:
            continue
        x0, x1 = int(columns[0]), int(columns[-1]) + 1
        count = max(4, round((x1 - x0) / (0.42 * (y1 - y0))))
        edges = np.linspace(x0, x1, count + 1).astype(int)
        width = int(np.diff(edges).min())
        tiles = [pixels[y0:y1, e : e + width] for e in edges[:-1]]
        for k, pick in enumerate(rng.permutation(count)):
            tile = tiles[int(pick)]
            how = int(rng.integers(3))
            tile = (tile[::-1], tile[:, ::-1], tile[::-1, ::-1])[how]
            out[y0:y1, edges[k] : edges[k] + width] = tile
    return out
