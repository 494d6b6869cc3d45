"""Random views of an image and of where its violation is; twins get the same view.

Nothing here covers, cuts or smears a part of the picture: that would be a violation of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from physgauge.ensemble.letterbox import GREY
from physgauge.train.part_detector.augment import colour
from physgauge.train.student.layout import CELLS
from physgauge.types import U8

KEPT: Final = 0.8
"""A view that keeps less of a violation (and more than LOST) is not taken: it shows nothing sure."""
LOST: Final = 0.01
"""A view that keeps at most this of a violation does not show it."""
ASIDE: Final = 0.2
"""Share of close looks that are anywhere, not at the violation."""
TRIES: Final = 8
COLOURED: Final = 0.6
"""Share of views with other colours."""
Window = tuple[float, float, float, float]
"""Left, top, right, bottom of what is looked at, as shares of the image; may reach beyond it."""
WHOLE: Final[Window] = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class View:
    """One way to look at an image, the same for both twins."""

    flip: bool
    window: Window | None
    colours: int | None
    """Seed of the change of colours; None: none."""

    def pixels(self, image: U8, size: int) -> U8:
        """Of an image [S, S, 3] as [size, size, 3]."""
        if self.window is not None or size != image.shape[0]:
            image = _looked_at(image, self.window or WHOLE, size)
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

    def shows(self, mask: U8) -> float:
        """Share of a violation at `mask` [16, 16] that is in view; 1 where there is none."""
        if self.window is None or not mask.any():
            return 1.0
        x0, y0, x1, y1 = self.window
        seen = float(_cells(mask, self.window).sum()) * (x1 - x0) * (y1 - y0)
        return min(1.0, seen / float(mask.sum()))


def draw(
    rng: np.random.Generator, mask: U8, plain_share: float, close: float = 0.0, side: float = 1.0
) -> View:
    """A random view of images whose violation is at `mask` [16, 16].

    Args:
        rng: of everything random.
        mask: zeros where nothing is violated, or nobody knows where.
        plain_share: share of the views framed as at inference.
        close: share of the others that look closely at a part; most of these, at the violation.
        side: of a close look, as a share of the image: what fills the network's input at the size that it
            has at inference.
    """
    flip = bool(rng.random() < 0.5)
    colours = int(rng.integers(1 << 62)) if rng.random() < COLOURED else None
    if rng.random() < plain_share:
        return View(flip, None, colours)
    for _ in range(TRIES):
        window = _close(rng, mask, side) if rng.random() < close else _window(rng)
        view = View(flip, window, colours)
        if view.shows(mask) >= KEPT or (close and view.shows(mask) <= LOST):
            return view
    return View(flip, None, colours)


def _close(rng: np.random.Generator, mask: U8, side: float) -> Window:
    """Sides 0.75 to 1.35 of `side`, within the image."""
    width, height = (min(1.0, side * z) for z in rng.uniform(0.75, 1.35) * np.exp(_spread(rng)))
    x, y = rng.random(2) * (1 - width, 1 - height)
    if mask.any() and rng.random() >= ASIDE:
        rows, columns = np.nonzero(mask)
        at = rng.integers(len(rows))
        aim = (np.array([columns[at], rows[at]]) + rng.random(2)) / CELLS
        off = (0.5 + rng.uniform(-0.35, 0.35, 2)) * (width, height)
        x, y = np.clip(aim - off, 0, (1 - width, 1 - height))
    return (float(x), float(y), float(x + width), float(y + height))


def _spread(rng: np.random.Generator) -> tuple[float, float]:
    """Logarithms of two sides, up to 1.1 apart."""
    aspect = rng.uniform(-0.05, 0.05)
    return (aspect, -aspect)


def _window(rng: np.random.Generator) -> Window:
    """Sides 0.7 to 1.15, aspect up to 1.1."""
    scale, aspect = rng.uniform(0.7, 1.15), np.exp(rng.uniform(-0.1, 0.1))
    width, height = scale * aspect, scale / aspect
    x, y = (1 - width) * rng.random(), (1 - height) * rng.random()
    return (x, y, x + width, y + height)


def _looked_at(image: U8, window: Window, size: int) -> U8:
    """The window of an image [S, S, 3] as [size, size, 3]; beyond the image is grey."""
    x0, y0, x1, y1 = window
    inside = (max(0.0, x0), max(0.0, y0), min(1.0, x1), min(1.0, y1))
    left, right = (round(size * (x - x0) / (x1 - x0)) for x in (inside[0], inside[2]))
    top, bottom = (round(size * (y - y0) / (y1 - y0)) for y in (inside[1], inside[3]))
    box = tuple(image.shape[0] * x for x in inside)
    part = Image.fromarray(image).resize(
        (right - left, bottom - top), Image.Resampling.BILINEAR, box
    )
    out: U8 = np.full((size, size, 3), GREY, np.uint8)
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
