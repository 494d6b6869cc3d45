"""Infographics: tables, flow charts, maps, trees of names, annotated schemes."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import other

from .pen import Point, Rgb, Sheet, Theme, face, mixed, rgb, theme
from .photos import photo
from .words import coined, name, noun, number, sentence, title


def _heading(rng: Generator, sheet: Sheet, t: Theme) -> float:
    """Heading in some of the cases; where the rest may begin."""
    if rng.random() < 0.35:
        return 4.0
    high = float(rng.uniform(4, 7))
    sheet.text(50, high, title(rng, 3), high, t.ink, face(rng, 0.04), "mm", room=90)
    return 2.2 * high


@other("infographic", "table")
def table(rng: Generator, size: int) -> U8:
    """Rows and columns of words and figures."""
    t, look = theme(rng), face(rng)
    sheet = Sheet(size, t.paper)
    top = _heading(rng, sheet, t) + 2
    rows, columns = int(rng.integers(4, 15)), int(rng.integers(3, 8))
    edges = 4 + 92 * np.concatenate([[0], np.cumsum(rng.dirichlet(np.full(columns, 8.0)))])
    low = float(rng.uniform(80, 97))
    step = (low - top) / rows
    high = min(4.2, step * 0.5)
    striped, ruled, marked = rng.random(3) < 0.5
    head = t.accents[0] if rng.random() < 0.6 else t.paper
    for r in range(rows):
        y = top + step * r
        if r == 0:
            sheet.rect(4, y, 96, y + step, head)
        elif striped and r % 2:
            sheet.rect(4, y, 96, y + step, mixed(t.paper, t.faint, 0.5))
        for c in range(columns):
            words = noun(rng) if r == 0 else title(rng, 1) if c == 0 else number(rng)
            left, right = float(edges[c]), float(edges[c + 1])
            if marked and r and c and rng.random() < 0.08:
                sheet.rect(left, y, right, y + step, mixed(t.paper, t.accents[2], 0.6))
            ink = t.paper if r == 0 and head != t.paper else t.ink
            bold = face(rng, 0.05) if r == 0 else look
            at, x = ("lm", left + 1) if c == 0 else ("rm", right - 1)
            sheet.text(x, y + step / 2, words, high, ink, bold, at, room=right - left - 2)
        sheet.line([(4, y), (96, y)], t.faint, 0.3)
    if ruled:
        for x in edges:
            sheet.line([(float(x), top), (float(x), low)], t.faint, 0.3)
    return sheet.done()


def _box(rng: Generator, sheet: Sheet, t: Theme, at: Point, w: float, h: float, kind: int) -> None:
    """A labelled box: rounded, pointed, slanted or oval."""
    x, y = at
    fill = mixed(t.paper, t.accents[kind % 6], float(rng.choice([0.25, 1.0])))
    edge = t.ink if rng.random() < 0.6 else None
    if kind % 4 == 1:
        points = [(x - w * 0.6, y), (x, y - h * 0.75), (x + w * 0.6, y), (x, y + h * 0.75)]
        sheet.poly(points, fill, edge)
    elif kind % 4 == 2:
        s = w * 0.12
        points = [
            (x - w / 2 + s, y - h / 2), (x + w / 2 + s, y - h / 2),
            (x + w / 2 - s, y + h / 2), (x - w / 2 - s, y + h / 2),
        ]  # fmt: skip
        sheet.poly(points, fill, edge)
    elif kind % 4 == 3:
        sheet.oval(x, y, w / 2, h / 2, fill, edge)
    else:
        sheet.rect(x - w / 2, y - h / 2, x + w / 2, y + h / 2, fill, edge, radius=1.5)
    ink = t.ink if sum(fill) > 330 or sum(t.ink) > 500 else (245, 245, 245)
    sheet.text(x, y, title(rng, int(rng.integers(1, 3))), h * 0.27, ink, None, "mm", room=w * 0.8)


@other("infographic", "flow_chart")
def flow(rng: Generator, size: int) -> U8:
    """Boxes joined by arrows, in rows."""
    t = theme(rng)
    sheet = Sheet(size, t.paper)
    top = _heading(rng, sheet, t)
    rows, columns = int(rng.integers(3, 6)), int(rng.integers(1, 4))
    w, h = 96 / columns, (96 - top) / rows
    spots = [
        [(2 + w * (c + 0.5), top + h * (r + 0.5)) for c in range(columns)] for r in range(rows)
    ]
    for r in range(rows):
        for c in range(columns):
            x, y = spots[r][c]
            if r + 1 < rows and (c == 0 or rng.random() < 0.6):
                sheet.arrow((x, y), (x, y + h * 0.7), t.ink, 0.5, 2.4)
            if c + 1 < columns and rng.random() < 0.55:
                sheet.arrow((x, y), (x + w * 0.62, y), t.ink, 0.5, 2.4)
    wide = min(w * 0.72, 30)
    for row in spots:
        for at in row:
            if rng.random() < 0.9:
                _box(
                    rng,
                    sheet,
                    t,
                    at,
                    wide,
                    h * float(rng.uniform(0.42, 0.55)),
                    int(rng.integers(6)),
                )
    return sheet.done()


@other("infographic", "tree_chart")
def tree(rng: Generator, size: int) -> U8:
    """Who reports to whom: a tree of names, perhaps with faces."""
    t, look = theme(rng), face(rng)
    sheet = Sheet(size, t.paper)
    top = _heading(rng, sheet, t) + 3
    levels = [1]
    while len(levels) < int(rng.integers(3, 5)):
        levels.append(min(7, levels[-1] * int(rng.integers(1, 4)) + 1))
    h = (97 - top) / len(levels)
    spots = [
        [(100 * (i + 0.5) / n, top + h * (k + 0.4)) for i in range(n)] for k, n in enumerate(levels)
    ]
    for above, below in itertools.pairwise(spots):
        for i, (x, y) in enumerate(below):
            px, py = above[i * len(above) // len(below)]
            half = (y + py) / 2
            sheet.line([(px, py), (px, half), (x, half), (x, y)], t.ink, 0.4)
    faces = rng.random() < 0.4
    for k, row in enumerate(spots):
        w, high = min(26.0, 92 / len(row)), h * 0.5
        for x, y in row:
            sheet.rect(x - w / 2, y - high / 2, x + w / 2, y + high / 2, t.accents[k], None, 0, 1.2)
            shift = 0.0
            if faces and w > 14:
                sheet.oval(x - w / 2 + 4, y, 2.6, None, t.paper)
                sheet.oval(x - w / 2 + 4, y - 0.7, 1.1, None, t.accents[k])
                sheet.pie(x - w / 2 + 4, y + 2.2, 1.9, 180, 360, t.accents[k])
                shift = 2.6
            room = w * 0.85 - 2 * shift
            at = (x + shift, y - high * 0.16)
            sheet.text(
                *at, f"{name(rng)} {coined(rng, 2).capitalize()}", 3, t.paper, look, "mm", room=room
            )
            sheet.text(x + shift, y + high * 0.2, noun(rng), 2.4, t.paper, None, "mm", room=room)
    return sheet.done()


@other("infographic", "map")
def country(rng: Generator, size: int) -> U8:
    """A map: land and sea or a town's streets, borders, places and their names."""
    land = field01(rng, 2.6) * 0.75 + field01(rng, 1.5) * 0.25
    sea, shades = float(rng.uniform(0.3, 0.55)), int(rng.integers(1, 5))
    base = float(rng.uniform(0.1, 0.4))
    colours = [rgb(float(rng.random()), 0.35, 0.95) for _ in range(6)]
    picture = np.empty((256, 256, 3), np.uint8)
    picture[:] = rgb(float(rng.uniform(0.5, 0.62)), float(rng.uniform(0.2, 0.6)), 0.95)
    parts = np.floor(field01(rng, 2.6) * 5.99).astype(int)
    political = rng.random() < 0.4
    for k in range(6):
        steps = [rgb(base - 0.03 * k, 0.45, 0.95 - 0.09 * min(k, shades)), colours[k]]
        level = np.clip(((land - sea) / (1 - sea) * 6).astype(int), 0, 5)
        picture[(land > sea) & ((parts if political else level) == k)] = steps[political]
    shore = (land > sea) & ~(np.roll(land > sea, 1, 0) & np.roll(land > sea, 1, 1))
    picture[shore] = (90, 90, 90)
    sheet = Sheet(size, picture)
    ink: Rgb = (40, 40, 40)
    for _ in range(int(rng.integers(2, 7))):
        road = np.clip(np.cumsum(rng.normal(size=(8, 2)) * 9, 0) + rng.uniform(10, 90, 2), 0, 100)
        points = [(float(x), float(y)) for x, y in road]
        sheet.line(points, (250, 250, 250), 1.4)
        sheet.line(points, rgb(float(rng.uniform(0, 0.15)), 0.8, 0.9), 0.8)
    if rng.random() < 0.5:
        for v in np.linspace(0, 100, int(rng.integers(4, 9))):
            sheet.line([(float(v), 0), (float(v), 100)], (150, 160, 175), 0.2)
            sheet.line([(0, float(v)), (100, float(v))], (150, 160, 175), 0.2)
    for _ in range(int(rng.integers(5, 18))):
        x, y = (float(v) for v in rng.uniform(6, 90, 2))
        sheet.oval(x, y, 0.9, None, (200, 40, 40), ink, 0.3)
        sheet.text(x + 1.6, y, coined(rng, 2).capitalize(), float(rng.uniform(2.4, 4.2)), ink)
    if rng.random() < 0.6:
        sheet.rect(4, 84, 36, 96, (250, 250, 250), ink)
        sheet.line([(7, 93), (7, 91), (31, 91), (31, 93)], ink, 0.5)
        sheet.text(19, 88, f"{rng.integers(1, 60) * 10} km", 3, ink, None, "mm")
    return sheet.done()


def _scheme(rng: Generator, sheet: Sheet, t: Theme) -> None:
    """A cut through a device: nested shapes about the middle."""
    x, y = 50.0, 52.0
    for k in range(int(rng.integers(3, 7))):
        w, h = rng.uniform(6, 30, 2) * (1 - k * 0.12)
        fill = mixed(t.paper, t.accents[k % 6], 0.5)
        at = (x + float(rng.normal()) * 4, y + float(rng.normal()) * 4)
        if rng.random() < 0.5:
            sheet.rect(at[0] - w, at[1] - h, at[0] + w, at[1] + h, fill, t.ink, 0.5, 2)
        else:
            sheet.oval(*at, float(w), float(h), fill, t.ink, 0.5)


@other("infographic", "annotated_scheme", held_out=True)
def scheme(rng: Generator, size: int) -> U8:
    """A drawing or photo in the middle, lines from its parts to names at both sides."""
    t, look = theme(rng, dark=0.15), face(rng)
    sheet = Sheet(size, t.paper)
    top = _heading(rng, sheet, t)
    if rng.random() < 0.4:
        sheet.picture(photo(rng), 26, max(top + 4, 26), 74, 80)
    else:
        _scheme(rng, sheet, t)
    for side in (-1, 1):
        n = int(rng.integers(2, 6))
        for i in range(n):
            y = top + 6 + (88 - top) * (i + 0.5) / n
            aim = (50 + side * float(rng.uniform(2, 20)), 52 + (y - 52) * 0.45)
            end = (50 + side * 31, y)
            sheet.line([aim, end], t.ink, 0.4)
            sheet.oval(*aim, 0.8, None, t.accents[0])
            at = "rm" if side < 0 else "lm"
            sheet.text(
                end[0] + side, y - 1, title(rng, 1), 3.2, t.ink, face(rng, 0.04), at, room=17
            )
            sheet.text(end[0] + side, y + 2.6, sentence(rng, 2), 2.2, t.ink, look, at, room=17)
    return sheet.done()
