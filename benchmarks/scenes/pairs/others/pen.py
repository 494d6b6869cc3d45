"""Drawing flat pictures: a sheet in units of 0..100, colour themes, lettering that varies.

Only Pillow's own font is used, widened, slanted and thickened by chance: which fonts a machine has
installed must not change a picture.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

from benchmarks.scenes.paints import U8

Rgb = tuple[int, int, int]
Point = tuple[float, float]

_FINE: Final = 2
"""A sheet is drawn this many times larger."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours that go together."""

    paper: Rgb
    ink: Rgb
    faint: Rgb
    """Lines of a grid, frames."""
    accents: tuple[Rgb, ...]
    """Six."""


@dataclass(frozen=True, slots=True)
class Face:
    """A way of lettering."""

    wide: float = 1.0
    slant: float = 0.0
    weight: float = 0.0
    """Thickness of an outline, in parts of the height."""
    caps: bool = False


def rgb(h: float, s: float, v: float) -> Rgb:
    """A colour by hue (turns), saturation and value, 0..1."""
    r, g, b = colorsys.hsv_to_rgb(h % 1.0, min(max(s, 0.0), 1.0), min(max(v, 0.0), 1.0))
    return int(255 * r + 0.5), int(255 * g + 0.5), int(255 * b + 0.5)


def mixed(a: Rgb, b: Rgb, share: float) -> Rgb:
    """`a` with a share of `b`."""
    x = [int(p + (q - p) * share + 0.5) for p, q in zip(a, b, strict=True)]
    return x[0], x[1], x[2]


def theme(rng: Generator, dark: float = 0.25) -> Theme:
    """Light, tinted or, with probability `dark`, dark."""
    h, s = float(rng.random()), float(rng.uniform(0.35, 0.95))
    if rng.random() < dark:
        paper, ink = rgb(h, rng.uniform(0, 0.5), rng.uniform(0.03, 0.22)), rgb(h, 0.08, 0.93)
    else:
        tint = rng.uniform(0, 0.12) if rng.random() < 0.7 else rng.uniform(0.1, 0.4)
        paper, ink = rgb(h, tint, rng.uniform(0.9, 1.0)), rgb(h, rng.uniform(0, 0.6), 0.15)
    if rng.random() < 0.3:
        turns = h + 0.06 * np.arange(6)
    else:
        turns = h + rng.permutation(6) / 6 + rng.uniform(-0.04, 0.04, 6)
    values = rng.uniform(0.5, 0.95, 6)
    accents = tuple(rgb(float(t), s, float(v)) for t, v in zip(turns, values, strict=True))
    return Theme(paper, ink, mixed(paper, ink, float(rng.uniform(0.1, 0.3))), accents)


def face(rng: Generator, bold: float | None = None) -> Face:
    """A way of lettering; `bold` sets its weight."""
    weight = float(rng.choice([0.0, 0.0, 0.03, 0.06])) if bold is None else bold
    slant = float(rng.uniform(0.1, 0.3)) if rng.random() < 0.15 else 0.0
    return Face(float(rng.uniform(0.75, 1.25)), slant, weight, bool(rng.random() < 0.15))


@lru_cache(maxsize=256)
def _font(px: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("expected a Pillow that has FreeType, got one without it")
    return font


class Sheet:
    """A square sheet; x goes right and y down, both 0..100."""

    def __init__(self, size: int, paper: Rgb | U8) -> None:
        self.size = size
        self._s = size * _FINE / 100
        side = size * _FINE
        if isinstance(paper, tuple):
            self.image = Image.new("RGB", (side, side), paper)
        else:
            self.image = Image.fromarray(paper).resize((side, side), Image.Resampling.BILINEAR)
        self._draw = ImageDraw.Draw(self.image)

    def _px(self, points: Sequence[Point]) -> list[tuple[float, float]]:
        return [(x * self._s, y * self._s) for x, y in points]

    def _wide(self, width: float) -> int:
        return max(1, round(width * self._s)) if width > 0 else 0

    def rect(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Rgb | None,
        outline: Rgb | None = None,
        width: float = 0.4,
        radius: float = 0.0,
    ) -> None:
        """A rectangle, rounded by `radius`."""
        x0, x1 = min(x0, x1), max(x0, x1)
        y0, y1 = min(y0, y1), max(y0, y1)
        corners = self._px([(x0, y0), (x1, y1)])
        r = min(radius, (x1 - x0) / 2, (y1 - y0) / 2) * self._s
        w = self._wide(width) if outline else 0
        self._draw.rounded_rectangle(corners, r, fill, outline, w)

    def line(self, points: Sequence[Point], fill: Rgb, width: float = 0.5) -> None:
        """A line through points."""
        self._draw.line(self._px(points), fill, self._wide(width), joint="curve")

    def arrow(self, a: Point, b: Point, fill: Rgb, width: float = 0.5, head: float = 2.0) -> None:
        """An arrow from a to b."""
        self.line([a, b], fill, width)
        d = np.array(b) - np.array(a)
        d = d / (np.linalg.norm(d) + 1e-9) * head
        n = np.array([-d[1], d[0]]) * 0.5
        tip = np.array(b)
        back = tip - d
        wings = (tuple(tip), tuple(back + n), tuple(back - n))
        self.poly([(float(x), float(y)) for x, y in wings], fill)

    def poly(
        self,
        points: Sequence[Point],
        fill: Rgb | None,
        outline: Rgb | None = None,
        width: float = 0.4,
    ) -> None:
        """A polygon."""
        self._draw.polygon(self._px(points), fill, outline, self._wide(width) if outline else 1)

    def oval(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float | None = None,
        fill: Rgb | None = None,
        outline: Rgb | None = None,
        width: float = 0.4,
    ) -> None:
        """An ellipse about (x, y), or a circle."""
        ry = rx if ry is None else ry
        corners = self._px([(x - rx, y - ry), (x + rx, y + ry)])
        self._draw.ellipse(corners, fill, outline, self._wide(width) if outline else 0)

    def pie(self, x: float, y: float, r: float, start: float, end: float, fill: Rgb) -> None:
        """A slice between two angles (degrees, clockwise from the right)."""
        corners = self._px([(x - r, y - r), (x + r, y + r)])
        self._draw.pieslice(corners, start, end, fill)

    def arc(
        self, x: float, y: float, r: float, start: float, end: float, fill: Rgb, width: float
    ) -> None:
        """A bent line between two angles."""
        corners = self._px([(x - r, y - r), (x + r, y + r)])
        self._draw.arc(corners, start, end, fill, self._wide(width))

    def wide(self, words: str, high: float, look: Face | None = None) -> float:
        """Width of a line of text."""
        look = Face() if look is None else look
        text = words.upper() if look.caps else words
        return _font(max(4, round(high * self._s))).getlength(text) * look.wide / self._s

    def text(
        self,
        x: float,
        y: float,
        words: str,
        high: float,
        fill: Rgb,
        look: Face | None = None,
        at: str = "lm",
        turn: float = 0.0,
        room: float | None = None,
    ) -> None:
        """A line of text of that height; `at` as in Pillow (l m r, t m b); it fits into `room`."""
        look = Face() if look is None else look
        stamp = _lettering(words.upper() if look.caps else words, round(high * self._s), look)
        if room is not None and stamp.width > room * self._s:
            stamp = stamp.resize((max(1, int(room * self._s)), stamp.height))
        if turn:
            stamp = stamp.rotate(turn, Image.Resampling.BICUBIC, expand=True)
        dx = {"l": 0.0, "m": 0.5, "r": 1.0}[at[0]] * stamp.width
        dy = {"t": 0.0, "m": 0.5, "b": 1.0}[at[1]] * stamp.height
        left, top = round(x * self._s - dx), round(y * self._s - dy)
        self.image.paste(Image.new("RGB", stamp.size, fill), (left, top), stamp)

    def picture(
        self, pixels: U8, x0: float, y0: float, x1: float, y1: float, radius: float = 0.0
    ) -> None:
        """A picture, cut to the shape of its place."""
        w, h = max(1, round((x1 - x0) * self._s)), max(1, round((y1 - y0) * self._s))
        image = Image.fromarray(pixels)
        side = min(image.width / w, image.height / h)
        cw, ch = side * w, side * h
        left, top = max(0.0, image.width - cw) / 2, max(0.0, image.height - ch) / 2
        fitted = image.resize(
            (w, h),
            Image.Resampling.BILINEAR,
            (left, top, min(left + cw, image.width), min(top + ch, image.height)),
            reducing_gap=2.0,
        )
        cut = Image.new("L", (w, h), 0)
        ImageDraw.Draw(cut).rounded_rectangle((0, 0, w - 1, h - 1), radius * self._s, 255)
        self.image.paste(fitted, (round(x0 * self._s), round(y0 * self._s)), cut)

    def done(self) -> U8:
        """The picture, uint8 [size, size, 3]."""
        return np.asarray(self.image.resize((self.size, self.size), Image.Resampling.BOX)).copy()


def _lettering(words: str, px: int, look: Face) -> Image.Image:
    """Coverage of a line of text, L."""
    font = _font(max(4, px))
    stroke = round(px * look.weight)
    width = int(font.getlength(words)) + 2 * stroke + 2
    ascent, descent = font.getmetrics()
    image = Image.new("L", (max(1, width), ascent + descent + 2 * stroke), 0)
    ImageDraw.Draw(image).text((stroke, stroke), words, 255, font, stroke_width=stroke)
    if look.slant:
        more = int(look.slant * image.height)
        size = (image.width + more, image.height)
        shear = (1, look.slant, -more, 0, 1, 0)
        image = image.transform(size, Image.Transform.AFFINE, shear, Image.Resampling.BILINEAR)
    if look.wide != 1.0:
        image = image.resize((max(1, round(image.width * look.wide)), image.height))
    return image
