"""Layouts: posters, comics, collages, magazine pages, slides, contact sheets."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from PIL import Image

from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import other

from .pen import Rgb, Sheet, Theme, face, mixed, theme
from .photos import photo
from .shapes import draw_sign
from .words import coined, name, noun, number, sentence, title

Box = tuple[float, float, float, float]


def _parts(rng: Generator, box: Box, count: int, gap: float) -> list[Box]:
    """A box cut into `count` by straight cuts, the largest first."""
    boxes = [box]
    while len(boxes) < count:
        boxes.sort(key=lambda b: (b[2] - b[0]) * (b[3] - b[1]))
        x0, y0, x1, y1 = boxes.pop()
        at = float(rng.uniform(0.38, 0.62))
        if x1 - x0 > (y1 - y0) * float(rng.uniform(0.7, 1.4)):
            x = x0 + (x1 - x0) * at
            boxes += [(x0, y0, x - gap / 2, y1), (x + gap / 2, y0, x1, y1)]
        else:
            y = y0 + (y1 - y0) * at
            boxes += [(x0, y0, x1, y - gap / 2), (x0, y + gap / 2, x1, y1)]
    return boxes


def _shots(rng: Generator) -> Callable[[], U8]:
    """Photos one after the other: of one scene from near and far, or each of its own."""
    few = [photo(rng) for _ in range(int(rng.integers(1, 4)))]

    def next_one() -> U8:
        pixels = few[int(rng.integers(len(few)))]
        side = int(pixels.shape[0] * float(rng.uniform(0.5, 1.0)))
        y, x = (int(rng.integers(0, pixels.shape[0] - side + 1)) for _ in range(2))
        cut = pixels[y : y + side, x : x + side]
        return cut[:, ::-1] if rng.random() < 0.4 else cut

    return next_one


def _column(
    rng: Generator, sheet: Sheet, box: Box, ink: Rgb, high: float, heading: bool = False
) -> None:
    """A column of running text."""
    x0, y0, x1, y1 = box
    y = y0 + high
    if heading:
        sheet.text(x0, y, title(rng, 2), high * 1.7, ink, face(rng, 0.05), room=x1 - x0)
        y += high * 2.2
    while y < y1:
        last = rng.random() < 0.12
        wide = (x1 - x0) * (float(rng.uniform(0.3, 0.8)) if last else 1.0)
        words = sentence(rng, max(2, int(wide / high / 2.6)))
        sheet.text(x0, y, words, high, ink, None, room=wide)
        y += high * (2.4 if last else 1.5)


@other("layout", "poster")
def poster(rng: Generator, size: int) -> U8:
    """A heading over a picture, a date, a place, a strip of small print."""
    t = theme(rng, 0.4)
    full = rng.random() < 0.55
    sheet = Sheet(size, photo(rng) if full else t.paper)
    ink: Rgb = (250, 250, 245) if full else t.ink
    if full:
        for y0, y1 in ((0, 24), (78, 100)):
            if rng.random() < 0.75:
                sheet.rect(0, y0, 100, y1, t.accents[0] if rng.random() < 0.5 else t.paper)
                ink = t.ink if rng.random() < 0.5 else t.accents[2]
    else:
        x0, x1 = (float(v) for v in (rng.uniform(0, 18), rng.uniform(82, 100)))
        sheet.picture(photo(rng), x0, 28, x1, float(rng.uniform(68, 80)))
        draw_sign(sheet, str(rng.choice(["star", "sun", "disc"])), 86, 30, 9, t.accents[1], False)
        sheet.text(86, 30, number(rng), 4, t.paper, face(rng, 0.05), "mm", room=14)
    heads = int(rng.integers(1, 3))
    for k in range(heads):
        high = float(rng.uniform(8, 20 / heads))
        sheet.text(
            50,
            12 + 11 * (k - (heads - 1) / 2),
            title(rng, 2),
            high,
            ink,
            face(rng, 0.06),
            "mm",
            room=92,
        )
    for k, words in enumerate((number(rng), title(rng, 2), sentence(rng, 7))):
        sheet.text(50, 84 + 5.5 * k, words, 4.6 - k, ink, face(rng), "mm", room=90)
    if rng.random() < 0.3:
        sheet.rect(2, 2, 98, 98, None, ink, 0.8)
    return sheet.done()


def _bubble(rng: Generator, sheet: Sheet, box: Box) -> None:
    """Speech in a panel."""
    x0, y0, x1, _ = box
    w = (x1 - x0) * float(rng.uniform(0.4, 0.7))
    x = float(rng.uniform(x0 + w / 2 + 1, x1 - w / 2 - 1)) if x1 - x0 > w + 2 else (x0 + x1) / 2
    lines = int(rng.integers(1, 4))
    h = 2.2 + 1.5 * lines
    y = y0 + h + 1.5
    sheet.poly([(x - 1.5, y), (x + 2, y), (x + w * 0.3, y + h + 5)], (255, 255, 255), (20, 20, 20))
    sheet.oval(x, y, w / 2, h, (255, 255, 255), (20, 20, 20), 0.5)
    for k in range(lines):
        at = y + (k - (lines - 1) / 2) * 2.9
        sheet.text(x, at, sentence(rng, 3), 2.5, (20, 20, 20), None, "mm", room=w * 0.8)


@other("layout", "comic")
def comic(rng: Generator, size: int) -> U8:
    """Framed panels in rows, some with speech."""
    paper: Rgb = (255, 255, 255) if rng.random() < 0.75 else (15, 15, 15)
    sheet = Sheet(size, paper)
    shot, gap = _shots(rng), float(rng.uniform(1.0, 3.5))
    rows = int(rng.integers(1, 4))
    high = (97 - 2 * gap) / rows
    for r in range(rows):
        y0 = gap + (high + gap * 0.6) * r
        n = int(rng.integers(1 if rows > 1 else 2, 4))
        cuts = np.concatenate([[0], np.cumsum(rng.dirichlet(np.full(n, 9.0)))]) * (100 - gap)
        for a, b in itertools.pairwise(cuts):
            box = (float(a) + gap, y0, float(b), y0 + high - gap * 0.4)
            sheet.picture(_toned(rng, shot()), *box)
            sheet.rect(*box, None, (20, 20, 20), 0.8)
            if rng.random() < 0.6:
                _bubble(rng, sheet, box)
            elif rng.random() < 0.3:
                x, y = box[0] + 1, box[1] + 1
                sheet.rect(x, y, min(box[2] - 1, x + 24), y + 5, (250, 235, 150), (20, 20, 20))
                sheet.text(x + 1, y + 2.5, sentence(rng, 3), 2.4, (20, 20, 20), None, room=20)
    return sheet.done()


def _toned(rng: Generator, pixels: U8) -> U8:
    """Few tones, as in print."""
    if rng.random() < 0.4:
        return pixels
    levels = int(rng.integers(3, 7))
    return (np.round(pixels / 255 * levels) * (255 / levels)).astype(np.uint8)


@other("layout", "collage")
def collage(rng: Generator, size: int) -> U8:
    """Many photos side by side, or thrown over each other."""
    t = theme(rng, 0.4)
    sheet = Sheet(size, t.paper)
    shot = _shots(rng)
    if rng.random() < 0.6:
        gap = float(rng.choice([0, 0.6, 1.5, 3]))
        for box in _parts(rng, (gap, gap, 100 - gap, 100 - gap), int(rng.integers(3, 12)), gap):
            sheet.picture(shot(), *box, radius=float(rng.choice([0, 0, 2])))
        return sheet.done()
    for _ in range(int(rng.integers(5, 14))):
        x, y, w = (float(v) for v in rng.uniform((10, 10, 22), (90, 90, 46)))
        print_ = Sheet(160, (250, 250, 248))
        print_.picture(shot(), 4, 4, 96, 96 if rng.random() < 0.5 else 82)
        px = int(w * sheet.image.width / 100)
        image = Image.fromarray(print_.done()).convert("RGBA").resize((px, px))
        image = image.rotate(float(rng.uniform(-25, 25)), Image.Resampling.BICUBIC, expand=True)
        at = tuple(int(v * sheet.image.width / 100 - image.width / 2) for v in (x, y))
        sheet.image.paste(image, (at[0], at[1]), image)
    return sheet.done()


@other("layout", "magazine_page")
def page(rng: Generator, size: int) -> U8:
    """Columns of text, a heading, photos with captions, page numbers."""
    t = theme(rng, 0.1)
    sheet = Sheet(size, t.paper)
    top = 5.0
    if rng.random() < 0.75:
        high = float(rng.uniform(6, 13))
        sheet.text(5, top + high / 2, title(rng, 3), high, t.accents[0], face(rng, 0.05), room=90)
        top += high * 1.4
        if rng.random() < 0.5:
            sheet.text(5, top + 1.5, sentence(rng, 9), 3.2, t.ink, face(rng), room=90)
            top += 6
    columns = int(rng.integers(1, 5))
    w, high = 90 / columns, float(rng.uniform(1.6, 2.6))
    spread = rng.random() < 0.4
    if spread:
        sheet.picture(photo(rng), 5, top, 95, top + 28)
        top += 31
    for c in range(columns):
        x0, x1 = 5 + w * c, 5 + w * (c + 1) - 2.5
        y = top
        while y < 90:
            step = float(rng.uniform(14, 34))
            low = min(y + step, 93)
            if rng.random() < 0.25 and low - y > 10:
                sheet.picture(photo(rng), x0, y, x1, low - 4)
                sheet.text(x0, low - 2, sentence(rng, 4), high * 0.8, t.faint, None, room=x1 - x0)
            else:
                _column(rng, sheet, (x0, y, x1, low - 2), t.ink, high, rng.random() < 0.3)
            y = low
    sheet.text(95, 97, str(rng.integers(2, 300)), 2.4, t.ink, None, "rm")
    return sheet.done()


def _points(rng: Generator, sheet: Sheet, t: Theme, box: Box) -> None:
    """Lines with dots in front."""
    x0, y0, x1, y1 = box
    n = int(rng.integers(3, 7))
    for k in range(n):
        y = y0 + (y1 - y0) * (k + 0.5) / n
        sheet.oval(x0 + 1, y, 0.9, None, t.accents[0])
        sheet.text(x0 + 4, y, sentence(rng, 4), 4, t.ink, None, room=x1 - x0 - 5)


@other("layout", "slide", held_out=True)
def slide(rng: Generator, size: int) -> U8:
    """A talk's slide: heading, points, a picture, a line at the foot."""
    t = theme(rng, 0.3)
    sheet = Sheet(size, t.paper)
    sheet.rect(0, 0, 100, 18, t.accents[0] if rng.random() < 0.6 else t.paper)
    sheet.text(5, 9, title(rng, 3), 7, t.ink, face(rng, 0.04), room=90)
    split = float(rng.uniform(45, 60))
    if rng.random() < 0.75:
        sheet.picture(photo(rng), split, 25, 95, float(rng.uniform(60, 86)))
        sheet.text(split, 89, sentence(rng, 3), 2.6, t.faint, None, room=94 - split)
    else:
        _points(rng, sheet, t, (split, 24, 95, 88))
    _points(rng, sheet, t, (5, 24, split - 2, 88))
    sheet.line([(5, 93), (95, 93)], t.faint, 0.3)
    sheet.text(5, 96, name(rng), 2.6, t.faint)
    sheet.text(95, 96, str(rng.integers(1, 60)), 2.6, t.faint, None, "rm")
    return sheet.done()


@other("layout", "cover_or_catalogue", held_out=True)
def cover(rng: Generator, size: int) -> U8:
    """A grid of goods with names and prices, or a book's cover."""
    t = theme(rng, 0.3)
    if rng.random() < 0.5:
        sheet = Sheet(size, mixed(t.accents[0], t.paper, 0.2))
        sheet.picture(photo(rng), 15, 34, 85, 80)
        sheet.rect(8, 5, 92, 30, t.paper, t.ink, 0.8)
        sheet.text(50, 14, title(rng, 2), 10, t.ink, face(rng, 0.05), "mm", room=80)
        sheet.text(
            50, 24, f"{name(rng)} {coined(rng, 2).capitalize()}", 4.5, t.ink, face(rng), "mm"
        )
        sheet.text(50, 90, noun(rng), 5, t.paper, face(rng), "mm")
        return sheet.done()
    sheet = Sheet(size, t.paper)
    shot, n = _shots(rng), int(rng.integers(2, 5))
    sheet.text(5, 6, title(rng, 2), 6, t.ink, face(rng, 0.05))
    w, h = 94 / n, 88 / n
    for i in range(n * n):
        x, y = 3 + w * (i % n), 12 + h * (i // n)
        sheet.picture(shot(), x + 1, y, x + w - 1, y + h * 0.72, 1.0)
        sheet.text(x + 1, y + h * 0.79, noun(rng), h * 0.1, t.ink, None, room=w - 2)
        sheet.text(x + 1, y + h * 0.91, number(rng), h * 0.1, t.accents[0], face(rng, 0.05))
    return sheet.done()
