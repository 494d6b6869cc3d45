"""Random views of an image and of where its violation is; twins get the same view.

Nothing here covers, cuts or smears a part of the picture: that would be a violation of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from physgauge.ensemble.letterbox import GREY
from physgauge.train.part_detector.augment import colour
from physgauge.train.student.layout import CELLS
from physgauge.types import U8

KEPT = 0.8
"""A crop that keeps less of a violation is not made."""
Window = tuple[float, float, float, float]
"""Left, top, right, bottom of what is looked at, as shares of the image; may reach beyond it."""


@dataclass(frozen=True)
class View:
    """One way to look at an image, the same for both twins."""

    flip: bool
    window: Window | None
    colours: int | None
    """Seed of the change of colours; None: none."""

    def pixels(self, image: U8) -> U8:
        """Of an image [S, S, 3]."""
        if self.window is not None:
            image = _looked_at(image, self.window)
        if self.flip:
            image = image[:, ::-1]
        if self.colours is not None:
            image = colour(np.ascontiguousarray(image), np.random.default_rng(self.colours))
        return np.ascontiguousarray(image)

    def where(self, mask: U8) -> U8:
        """Of a mask [16, 16]."""
        if self.window is not None:
            mask = _cells(mask, self.window)
        return np.ascontiguousarray(mask[:, ::-1] if self.flip else mask)


def draw(rng: np.random.Generator, mask: U8, plain_share: float) -> View:
    """A random view of images whose violation is at `mask` [16, 16]."""
    window = None if rng.random() < plain_share else _window(rng)
    if window is not None and mask.any():
        side = (window[2] - window[0]) * (window[3] - window[1])
        left = float(_cells(mask, window).sum()) * side
        if left < KEPT * float(mask.sum()):
            window = None
    return View(bool(rng.random() < 0.5), window, int(rng.integers(1 << 62)))


def _window(rng: np.random.Generator) -> Window:
    """Sides 0.7 to 1.15, aspect up to 1.1."""
    scale, aspect = rng.uniform(0.7, 1.15), np.exp(rng.uniform(-0.1, 0.1))
    width, height = scale * aspect, scale / aspect
    x, y = (1 - width) * rng.random(), (1 - height) * rng.random()
    return (x, y, x + width, y + height)


def _looked_at(image: U8, window: Window) -> U8:
    """The window of an image [S, S, 3] as [S, S, 3]; beyond the image is grey."""
    x0, y0, x1, y1 = window
    size = image.shape[0]
    inside = (max(0.0, x0), max(0.0, y0), min(1.0, x1), min(1.0, y1))
    left, right = (round(size * (x - x0) / (x1 - x0)) for x in (inside[0], inside[2]))
    top, bottom = (round(size * (y - y0) / (y1 - y0)) for y in (inside[1], inside[3]))
    box = tuple(size * x for x in inside)
    part = Image.fromarray(image).resize(
        (right - left, bottom - top), Image.Resampling.BILINEAR, box
    )
    out: U8 = np.full(image.shape, GREY, np.uint8)
    out[top:bottom, left:right] = np.asarray(part)
    return out


def _cells(mask: U8, window: Window) -> U8:
    """The window of a mask [16, 16] as [16, 16]: shares of area, nothing beyond the mask."""
    x0, y0, x1, y1 = window
    seen: U8 = np.round(_overlap(y0, y1) @ mask @ _overlap(x0, x1).T).astype(np.uint8)
    return seen


def _overlap(low: float, high: float) -> NDArray[np.float64]:
    """[16, 16] shares of the new cells along a side that the old ones cover."""
    edges = CELLS * (low + (high - low) * np.arange(CELLS + 1) / CELLS)
    old = np.arange(CELLS)
    shared = np.minimum(edges[1:, None], old + 1) - np.maximum(edges[:-1, None], old)
    return np.asarray(np.clip(shared, 0, None) / (high - low), np.float64)
