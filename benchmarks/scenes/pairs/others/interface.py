"""Interfaces: windows, forms, dashboards, menus of a game."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import other
from benchmarks.scenes.surroundings.textures import picture, sky

from .pen import Rgb, Sheet, Theme, face, mixed, theme
from .photos import photo
from .words import name, noun, number, sentence, title, verb


def button(
    rng: Generator, sheet: Sheet, t: Theme, x: float, y: float, w: float, h: float, main: bool
) -> None:
    """A button with a verb, its left upper corner at (x, y)."""
    fill = t.accents[0] if main else mixed(t.paper, t.faint, 0.5)
    radius = float(rng.choice([0.4, 1.0, h / 2]))
    sheet.rect(x, y, x + w, y + h, fill, None if main else t.faint, 0.3, radius)
    ink = (255, 255, 255) if main else t.ink
    sheet.text(x + w / 2, y + h / 2, verb(rng), h * 0.45, ink, None, "mm", room=w * 0.8)


def frame(
    rng: Generator, sheet: Sheet, t: Theme, x0: float, y0: float, x1: float, y1: float
) -> float:
    """A window with title bar; the y where its content begins."""
    style = int(rng.integers(3))
    bar = (t.accents[0], mixed(t.paper, t.ink, 0.12), mixed(t.paper, t.faint, 0.6))[style]
    ink = (255, 255, 255) if style == 0 else t.ink
    sheet.rect(x0, y0, x1, y1, t.paper, mixed(t.paper, t.ink, 0.5), 0.3, 1.0)
    sheet.rect(x0, y0, x1, y0 + 5, bar, None, 0, 1.0)
    if rng.random() < 0.5:
        for k, colour in enumerate(((235, 95, 85), (245, 190, 80), (95, 200, 90))):
            sheet.oval(x0 + 2.5 + 2.8 * k, y0 + 2.5, 0.9, None, colour)
        sheet.text((x0 + x1) / 2, y0 + 2.5, title(rng), 2.6, ink, None, "mm", room=(x1 - x0) / 2)
    else:
        sheet.text(x0 + 2, y0 + 2.5, title(rng), 2.6, ink, None, room=(x1 - x0) / 2)
        for k, sign in enumerate("x□-"):
            x = x1 - 2.5 - 4 * k
            if sign == "x":
                sheet.line([(x - 0.8, y0 + 1.7), (x + 0.8, y0 + 3.3)], ink, 0.3)
                sheet.line([(x - 0.8, y0 + 3.3), (x + 0.8, y0 + 1.7)], ink, 0.3)
            elif sign == "-":
                sheet.line([(x - 0.8, y0 + 2.5), (x + 0.8, y0 + 2.5)], ink, 0.3)
            else:
                sheet.rect(x - 0.8, y0 + 1.7, x + 0.8, y0 + 3.3, None, ink, 0.3)
    return y0 + 5


def _menu(rng: Generator, sheet: Sheet, t: Theme, x0: float, y: float, x1: float) -> float:
    x = x0 + 2
    for _ in range(int(rng.integers(3, 7))):
        word = noun(rng)
        if x + sheet.wide(word, 2.5) > x1 - 2:
            break
        sheet.text(x, y + 2, word, 2.5, t.ink)
        x += sheet.wide(word, 2.5) + 3
    sheet.line([(x0, y + 4), (x1, y + 4)], t.faint, 0.3)
    return y + 4


def fields(
    rng: Generator, sheet: Sheet, t: Theme, x0: float, y0: float, x1: float, y1: float
) -> None:
    """Labels with entry fields, boxes to tick, sliders, and buttons below."""
    n = max(2, int((y1 - y0 - 10) / float(rng.uniform(7, 11))))
    step = (y1 - y0 - 9) / n
    split = x0 + (x1 - x0) * float(rng.uniform(0.28, 0.42))
    for i in range(n):
        y = y0 + 2 + step * (i + 0.5)
        sheet.text(x0 + 3, y, title(rng, 1), 2.8, t.ink, None, room=split - x0 - 5)
        kind = int(rng.integers(5))
        if kind <= 2:
            sheet.rect(
                split, y - 2.3, x1 - 4, y + 2.3, mixed(t.paper, t.faint, 0.15), t.faint, 0.4, 0.6
            )
            if rng.random() < 0.7:
                sheet.text(split + 1.2, y, sentence(rng, 2), 2.5, t.ink, None, room=x1 - split - 9)
            if kind == 2:
                sheet.poly([(x1 - 8, y - 0.7), (x1 - 5.6, y - 0.7), (x1 - 6.8, y + 0.9)], t.ink)
        elif kind == 3:
            on = rng.random() < 0.5
            sheet.rect(
                split, y - 1.5, split + 6, y + 1.5, t.accents[0] if on else t.faint, None, 0, 1.5
            )
            sheet.oval(split + (4.4 if on else 1.6), y, 1.2, None, (255, 255, 255))
        else:
            at = split + (x1 - 6 - split) * float(rng.uniform(0.1, 0.9))
            sheet.line([(split, y), (x1 - 6, y)], t.faint, 0.8)
            sheet.line([(split, y), (at, y)], t.accents[0], 0.8)
            sheet.oval(at, y, 1.4, None, t.accents[0])
    button(rng, sheet, t, x1 - 18, y1 - 7, 14, 5, True)
    button(rng, sheet, t, x1 - 35, y1 - 7, 14, 5, False)


def desk(rng: Generator, size: int) -> Sheet:
    """A sheet with what lies behind windows: a plain colour, a pattern or a photo."""
    style = rng.random()
    if style < 0.35:
        return Sheet(size, theme(rng, 0.5).accents[0])
    if style < 0.6:
        return Sheet(size, sky(rng))
    return Sheet(size, picture(rng) if style < 0.8 else photo(rng))


@other("interface", "windows")
def windows(rng: Generator, size: int) -> U8:
    """A desktop with windows, icons and a bar."""
    sheet = desk(rng, size)
    for k in range(int(rng.integers(0, 6))):
        t = theme(rng)
        sheet.rect(3, 4 + 14 * k, 10, 11 + 14 * k, t.accents[0], None, 0, 1.5)
        sheet.text(6.5, 13 + 14 * k, noun(rng)[:7], 2.2, (250, 250, 250), None, "mm")
    for _ in range(int(rng.integers(1, 4))):
        t = theme(rng, 0.3)
        x0, y0 = (float(v) for v in rng.uniform((4, 2), (40, 38)))
        x1, y1 = (float(v) for v in rng.uniform((max(x0 + 38, 60), y0 + 38), (98, 92)))
        y = _menu(rng, sheet, t, x0, frame(rng, sheet, t, x0, y0, x1, y1), x1)
        kind = int(rng.integers(4))
        if kind == 0:
            fields(rng, sheet, t, x0, y, x1, y1)
        elif kind == 1:
            sheet.picture(photo(rng), x0 + 0.5, y + 0.5, x1 - 0.5, y1 - 4)
            sheet.text(x0 + 2, y1 - 2, number(rng), 2.2, t.ink)
        else:
            rows = np.arange(y + 3, y1 - 2, 3.6)
            for i, row in enumerate(rows):
                if kind == 2:
                    sheet.rect(x0 + 2, row - 1, x0 + 4, row + 1, t.accents[i % 6], None, 0, 0.4)
                    sheet.text(
                        x0 + 6, float(row), title(rng, 2), 2.5, t.ink, None, room=(x1 - x0) / 2
                    )
                    sheet.text(x1 - 2, float(row), number(rng), 2.4, t.ink, None, "rm")
                else:
                    sheet.text(
                        x0 + 3, float(row), sentence(rng, 12), 2.5, t.ink, None, room=x1 - x0 - 6
                    )
    bar = theme(rng, 0.7)
    sheet.rect(0, 95, 100, 100, bar.paper)
    for k in range(int(rng.integers(3, 9))):
        sheet.rect(2 + 6 * k, 96, 5 + 6 * k, 99, bar.accents[k % 6], None, 0, 0.8)
    sheet.text(98, 97.5, f"{rng.integers(24):02d}:{rng.integers(60):02d}", 2.6, bar.ink, None, "rm")
    return sheet.done()


@other("interface", "form")
def form(rng: Generator, size: int) -> U8:
    """One program or web page that fills the picture: a form with its buttons."""
    t = theme(rng)
    sheet = Sheet(size, mixed(t.paper, t.faint, 0.3))
    wide = float(rng.uniform(30, 46))
    x0, x1 = 50 - wide, 50 + wide
    y = frame(rng, sheet, t, x0, 4, x1, 96) if rng.random() < 0.6 else 4.0
    if y == 4.0:
        sheet.rect(0, 0, 100, 9, t.accents[0])
        sheet.text(4, 4.5, title(rng, 2), 3.6, (255, 255, 255), face(rng, 0.05))
        sheet.rect(x0, 14, x1, 96, t.paper, t.faint, 0.3, 1.5)
        y = 14.0
    if rng.random() < 0.6:
        sheet.text(50, y + 5, title(rng, 2), 4.4, t.ink, face(rng, 0.05), "mm")
        y += 8
    fields(rng, sheet, t, x0, y, x1, 95)
    return sheet.done()


def _tile(rng: Generator, sheet: Sheet, t: Theme, x: float, y: float, w: float, h: float) -> None:
    """One panel of a dashboard: figure, small chart or gauge."""
    card = mixed(t.paper, t.ink, 0.05)
    sheet.rect(x, y, x + w, y + h, card, t.faint, 0.3, 1.2)
    sheet.text(x + 2, y + 3, title(rng, 1), 2.6, t.ink, None, room=w - 4)
    kind, colour = int(rng.integers(4)), t.accents[int(rng.integers(6))]
    low, tall = y + h - 3, h - 10
    if kind == 0:
        sheet.text(
            x + w / 2,
            y + h * 0.55,
            number(rng),
            min(9, h * 0.3),
            colour,
            face(rng, 0.05),
            "mm",
            room=w - 4,
        )
        return
    n = int(rng.integers(5, 16))
    v = rng.uniform(0.1, 1, n)
    xs = x + 3 + (w - 6) * (np.arange(n) + 0.5) / n
    if kind == 1:
        for at, tip in zip(xs, v, strict=True):
            half = (w - 6) / n * 0.35
            sheet.rect(float(at) - half, low - tall * float(tip), float(at) + half, low, colour)
    elif kind == 2:
        points = [(float(a), float(b)) for a, b in zip(xs, low - tall * v, strict=True)]
        sheet.line(points, colour, 0.7)
    else:
        r, share = min(w, h - 6) * 0.36, float(rng.uniform(0.1, 0.95))
        sheet.arc(x + w / 2, y + h * 0.58, r, 150, 390, t.faint, r * 0.25)
        sheet.arc(x + w / 2, y + h * 0.58, r, 150, 150 + 240 * share, colour, r * 0.25)
        sheet.text(x + w / 2, y + h * 0.58, f"{100 * share:.0f}", r * 0.5, t.ink, None, "mm")


@other("interface", "dashboard")
def dashboard(rng: Generator, size: int) -> U8:
    """A side bar and a grid of panels with figures, charts and gauges."""
    t = theme(rng, 0.45)
    sheet = Sheet(size, t.paper)
    side = float(rng.choice([0, 6, 18]))
    bar: Rgb = t.accents[0] if rng.random() < 0.5 else mixed(t.paper, t.ink, 0.15)
    sheet.rect(0, 0, side, 100, bar)
    for k in range(8 if side else 0):
        y = 12 + 8 * k
        sheet.rect(1.5, y - 1.5, 4.5, y + 1.5, t.accents[(k + 1) % 6], None, 0, 0.8)
        if side > 10:
            sheet.text(6.5, y, noun(rng), 2.6, t.ink, None, room=10)
    sheet.text(side + 3, 5, title(rng, 2), 4, t.ink, face(rng, 0.05))
    sheet.oval(95, 5, 2.4, None, t.accents[3])
    sheet.text(91, 5, name(rng), 2.6, t.ink, None, "rm")
    rows = int(rng.integers(2, 5))
    h = 88 / rows
    for r in range(rows):
        n = int(rng.integers(1, 5))
        w = (97 - side) / n
        for c in range(n):
            _tile(rng, sheet, t, side + 2 + w * c, 10 + h * r, w - 2, h - 2)
    return sheet.done()
