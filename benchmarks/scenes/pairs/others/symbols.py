"""Symbols: logos, icons, flags, emblems, lettering, pictograms."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import other

from .pen import Face, Point, Rgb, Sheet, face, mixed, rgb, theme
from .shapes import SHAPES, draw_sign, turned
from .words import coined, noun, title


def _ground(rng: Generator, size: int, colour: Rgb) -> Sheet:
    """Plain, graded or grained."""
    style = rng.random()
    if style < 0.6:
        return Sheet(size, colour)
    far = mixed(colour, rgb(float(rng.random()), 0.4, 0.6), float(rng.uniform(0.2, 0.7)))
    if style < 0.85:
        t = np.linspace(0, 1, 64)[:, None, None] if rng.random() < 0.6 else _round(64)
    else:
        t = field01(rng, 1.0)[:, :, None] * 0.4
    pixels = np.array(colour) * (1 - t) + np.array(far) * t
    return Sheet(size, np.broadcast_to(pixels, (*t.shape[:1], t.shape[0], 3)).astype(np.uint8))


def _round(n: int) -> NDArray[np.float64]:
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
    far: NDArray[np.float64] = np.clip(np.hypot(x, y), 0, 1)[:, :, None]
    return far


@other("symbol", "logo")
def logo(rng: Generator, size: int) -> U8:
    """Shapes turned about a middle, with or without a word below or beside."""
    t = theme(rng)
    sheet = _ground(rng, size, t.paper)
    word = rng.random() < 0.65
    x, y, r = 50.0, 40.0 if word else 50.0, float(rng.uniform(16, 28 if word else 40))
    kind, n = int(rng.integers(4)), int(rng.integers(2, 9))
    for k in range(n):
        a, colour = 2 * np.pi * k / n, t.accents[k % int(rng.integers(1, 4))]
        if kind == 0:
            at = (x + np.cos(a) * r * 0.6, y + np.sin(a) * r * 0.6)
            sheet.oval(float(at[0]), float(at[1]), r * 0.45, None, colour)
        elif kind == 1:
            blade = [(0.0, 0.0), (0.9, -0.3), (1.0, 0.1), (0.35, 0.35)]
            sheet.poly(turned(blade, x, y, r, a), colour)
        elif kind == 2:
            sheet.arc(
                x,
                y,
                r * (1 - k / n),
                float(a * 40),
                float(a * 40 + rng.uniform(150, 340)),
                colour,
                r / n,
            )
        else:
            side = r * (1 - k / n)
            square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            sheet.poly(turned(square, x, y, side, 0.3 * k), colour)
    if word:
        look = Face(
            float(rng.uniform(0.9, 1.6)),
            0.0,
            float(rng.choice([0, 0.06])),
            bool(rng.random() < 0.5),
        )
        sheet.text(50, y + r + 14, coined(rng, 2, 3).capitalize(), 10, t.ink, look, "mm", room=86)
        if rng.random() < 0.5:
            sheet.text(50, y + r + 23, title(rng, 3), 3.6, t.ink, face(rng), "mm", room=70)
    return sheet.done()


@other("symbol", "icon")
def icon(rng: Generator, size: int) -> U8:
    """One plain sign on a plate, or a sheet of them."""
    t = theme(rng)
    sheet = _ground(rng, size, t.paper)
    n = int(rng.choice([1, 1, 2, 3, 4, 5]))
    cell = 100 / n
    line = rng.random() < 0.4
    plate = int(rng.integers(3))
    one = t.accents[0] if rng.random() < 0.5 else None
    for i in range(n * n):
        x, y = cell * (i % n + 0.5), cell * (i // n + 0.5)
        r = cell * float(rng.uniform(0.26, 0.36))
        colour = one or t.accents[int(rng.integers(6))]
        if plate == 1:
            sheet.oval(x, y, r * 1.25, None, colour)
        elif plate == 2:
            sheet.rect(x - r * 1.2, y - r * 1.2, x + r * 1.2, y + r * 1.2, colour, None, 0, r * 0.4)
        fill = t.paper if plate else colour
        draw_sign(sheet, str(rng.choice(SHAPES)), x, y, r * 0.8, fill, line)
    return sheet.done()


@other("symbol", "flag")
def flag(rng: Generator, size: int) -> U8:
    """A flag or banner that fills the picture or lies flat on a plain ground."""
    t = theme(rng)
    full = rng.random() < 0.4
    x0, x1 = (0.0, 100.0) if full else (8.0, 92.0)
    y0, y1 = (0.0, 100.0) if full else (22.0, 78.0)
    sheet = Sheet(size, mixed(t.paper, (255, 255, 255), 0.4))
    colours = [*t.accents, (250, 250, 250), (20, 20, 20)]
    pick = [colours[int(k)] for k in rng.permutation(8)]
    kind, n = int(rng.integers(5)), int(rng.integers(2, 6))
    w, h = x1 - x0, y1 - y0
    sheet.rect(x0, y0, x1, y1, pick[0])
    if kind == 0:
        for k in range(n):
            sheet.rect(x0, y0 + h * k / n, x1, y0 + h * (k + 1) / n, pick[k % 3])
    elif kind == 1:
        for k in range(n):
            sheet.rect(x0 + w * k / n, y0, x0 + w * (k + 1) / n, y1, pick[k % 3])
    elif kind == 2:
        at = float(rng.uniform(0.3, 0.5))
        for half, colour in ((0.12, pick[1]), (0.07, pick[2])):
            sheet.rect(x0 + w * (at - half * h / w), y0, x0 + w * (at + half * h / w), y1, colour)
            sheet.rect(x0, y0 + h * (0.5 - half), x1, y0 + h * (0.5 + half), colour)
    elif kind == 3:
        sheet.poly(
            [(x0, y0), (x0, y1), (x0 + w * float(rng.uniform(0.3, 1)), (y0 + y1) / 2)], pick[1]
        )
    else:
        sheet.poly([(x0, y0), (x1, y0), (x0, y1)], pick[1])
    if rng.random() < 0.6:
        x = x0 + w * float(rng.choice([0.2, 0.5]))
        name = str(rng.choice(["star", "disc", "cross", "sun", "shield", "moon", "leaf"]))
        draw_sign(sheet, name, x, (y0 + y1) / 2, h * float(rng.uniform(0.14, 0.26)), pick[4], False)
    return sheet.done()


@other("symbol", "emblem")
def emblem(rng: Generator, size: int) -> U8:
    """A shield, seal or badge: rings, a sign, words, stars, ribbons."""
    t = theme(rng)
    sheet = _ground(rng, size, t.paper)
    r = float(rng.uniform(32, 42))
    kind = int(rng.integers(3))
    if kind == 0:
        for k, share in enumerate((1.0, 0.92, 0.68)):
            sheet.oval(50, 50, r * share, None, t.accents[0] if k != 1 else t.paper)
        words, n = title(rng, 2).upper(), 0
        for k, letter in enumerate(words[:20]):
            a = np.pi * (1 + (k + 0.5) / len(words[:20]))
            at = (50 + np.cos(a) * r * 0.8, 50 + np.sin(a) * r * 0.8)
            sheet.text(
                *at, letter, r * 0.19, t.accents[0], face(rng, 0.06), "mm", 270 - np.rad2deg(a)
            )
        for k in range(n := int(rng.integers(3, 9))):
            b = np.pi * (k + 0.5) / n
            draw_sign(
                sheet,
                "star",
                50 + np.cos(b) * r * 0.8,
                50 + np.sin(b) * r * 0.8,
                r * 0.08,
                t.accents[0],
                False,
            )
    elif kind == 1:
        draw_sign(sheet, "shield", 50, 50, r * 1.05, t.ink, False)
        draw_sign(sheet, "shield", 50, 50, r * 0.97, t.accents[0], False)
        sheet.rect(50 - r * 0.95, 30, 50 + r * 0.95, 38, t.accents[1])
    else:
        n = int(rng.integers(10, 30))
        turns = np.arange(2 * n) * np.pi / n
        s = np.where(np.arange(2 * n) % 2, 0.88, 1.0) * r
        rays = [
            (float(50 + p * np.cos(q)), float(50 + p * np.sin(q)))
            for p, q in zip(s, turns, strict=True)
        ]
        sheet.poly(rays, t.accents[0])
        sheet.oval(50, 50, r * 0.78, None, None, t.paper, 1.0)
    sign = str(rng.choice(SHAPES))
    draw_sign(sheet, sign, 50, 50 + (4 if kind == 1 else 0), r * 0.4, t.paper, False)
    if rng.random() < 0.6:
        low = 50 + r * 0.92
        ends: list[Point] = [
            (10, low - 2),
            (90, low - 2),
            (85, low + 3),
            (90, low + 8),
            (10, low + 8),
            (15, low + 3),
        ]
        sheet.poly(ends, t.accents[2])
        sheet.text(
            50, low + 3, coined(rng, 3, 5).upper(), 6, t.paper, face(rng, 0.05), "mm", room=66
        )
    return sheet.done()


@other("symbol", "lettering")
def lettering(rng: Generator, size: int) -> U8:
    """Words and nothing else: a monogram, a saying, shadowed or outlined letters."""
    t = theme(rng)
    sheet = _ground(rng, size, t.paper)
    if rng.random() < 0.35:
        letters = coined(rng, 1, 2)[: int(rng.integers(1, 4))].upper()
        rows, high = [letters], float(rng.uniform(40, 70)) / max(1, len(letters) * 0.6)
    else:
        rows = [
            noun(rng) if rng.random() < 0.7 else coined(rng, 2)
            for _ in range(int(rng.integers(1, 6)))
        ]
        high = float(rng.uniform(0.55, 0.8)) * 80 / max(2, len(rows))
    look, style = face(rng, float(rng.choice([0, 0.04, 0.08]))), int(rng.integers(4))
    turn = float(rng.choice([0, 0, 8, -8]))
    for k, words in enumerate(rows):
        y = 50 + (k - (len(rows) - 1) / 2) * 80 / max(2, len(rows))
        colour = t.accents[k % 6] if rng.random() < 0.4 else t.ink
        if style == 1:
            d = high * 0.06
            sheet.text(50 + d, y + d, words, high, t.faint, look, "mm", turn, 92)
        elif style == 2:
            thick = Face(look.wide, look.slant, look.weight + 0.07, look.caps)
            sheet.text(50, y, words, high, t.accents[1], thick, "mm", turn, 92)
        sheet.text(50, y, words, high, colour, look, "mm", turn, 92)
    if style == 3:
        sheet.rect(5, 5, 95, 95, None, t.ink, 1.0)
    return sheet.done()


@other("symbol", "pictogram", held_out=True)
def pictogram(rng: Generator, size: int) -> U8:
    """A rule or warning by itself, flat: triangle, ring, bar; a code of bars or dots."""
    colour: Rgb = rgb(float(rng.choice([0, 0.13, 0.33, 0.6])), 0.9, float(rng.uniform(0.6, 0.95)))
    sheet = _ground(rng, size, mixed((255, 255, 255), colour, float(rng.choice([0, 0.1]))))
    kind, sign = int(rng.integers(4)), str(rng.choice(SHAPES))
    black: Rgb = (25, 25, 25)
    if kind == 0:
        sheet.poly([(50, 8), (94, 86), (6, 86)], black)
        sheet.poly([(50, 14), (89, 83), (11, 83)], colour)
        draw_sign(sheet, sign, 50, 60, 17, black, False)
    elif kind == 1:
        draw_sign(sheet, sign, 50, 50, 24, black, False)
        sheet.oval(50, 50, 42, None, None, colour, 6)
        if rng.random() < 0.6:
            sheet.line([(22, 22), (78, 78)], colour, 6)
    elif kind == 2:
        sheet.oval(50, 50, 42, None, colour)
        draw_sign(sheet, sign, 50, 50, 25, (255, 255, 255), rng.random() < 0.3)
    else:
        n = int(rng.integers(17, 30))
        on = rng.random((n, n)) < 0.5
        bars = rng.random() < 0.4
        for i in range(n):
            for j in range(1 if bars else n):
                if on[j, i]:
                    x, y, s = 12 + 76 * i / n, 12 + 76 * j / n, 76 / n
                    sheet.rect(x, y, x + s, 80 if bars else y + s, black)
    return sheet.done()
