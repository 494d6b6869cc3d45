"""Random views of an image and of where its violation is; twins get the same view.

Nothing here covers, cuts or smears a part of the picture: that would be a violation of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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
            image = _looked_at(image, self.window, image.shape[0], GREY, Image.Resampling.BILINEAR)
        if self.flip:
            image = image[:, ::-1]
        if self.colours is not None:
            image = colour(np.ascontiguousarray(image), np.random.default_rng(self.colours))
        return np.ascontiguousarray(image)

    def where(self, mask: U8) -> U8:
        """Of a mask [16, 16]."""
        if self.window is not None:
            mask = _looked_at(mask, self.window, CELLS, 0, Image.Resampling.BOX)
        return np.ascontiguousarray(mask[:, ::-1] if self.flip else mask)


PLAIN = View(False, None, None)
"""As at inference."""


def draw(rng: np.random.Generator, mask: U8, plain_share: float) -> View:
    """A random view of images whose violation is at `mask` [16, 16]."""
    window = None if rng.random() < plain_share else _window(rng)
    if window is not None and mask.any():
        side = (window[2] - window[0]) * (window[3] - window[1])
        left = float(_looked_at(mask, window, CELLS, 0, Image.Resampling.BOX).sum()) * side
        if left < KEPT * float(mask.sum()):
            window = None
    return View(bool(rng.random() < 0.5), window, int(rng.integers(1 << 62)))


def _window(rng: np.random.Generator) -> Window:
    """Sides 0.7 to 1.15, aspect up to 1.1."""
    scale, aspect = rng.uniform(0.7, 1.15), np.exp(rng.uniform(-0.1, 0.1))
    width, height = scale * aspect, scale / aspect
    x, y = (1 - width) * rng.random(), (1 - height) * rng.random()
    return (x, y, x + width, y + height)


def _looked_at(array: U8, window: Window, size: int, fill: int, how: Image.Resampling) -> U8:
    """The window of an image [S, S, ...] as [size, size, ...]; beyond the image is `fill`."""
    x0, y0, x1, y1 = window
    inside = (max(0.0, x0), max(0.0, y0), min(1.0, x1), min(1.0, y1))
    left, right = (round(size * (x - x0) / (x1 - x0)) for x in (inside[0], inside[2]))
    top, bottom = (round(size * (y - y0) / (y1 - y0)) for y in (inside[1], inside[3]))
    box = tuple(array.shape[0] * x for x in inside)
    part = Image.fromarray(array).resize((right - left, bottom - top), how, box)
    out: U8 = np.full((size, size, *array.shape[2:]), fill, np.uint8)
    out[top:bottom, left:right] = np.asarray(part)
    return out
