"""Interfaces: phones, chats, text on a terminal, source code, players and games."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import other

from .interface import button, fields
from .pen import Rgb, Sheet, Theme, face, mixed, rgb, theme
from .photos import photo
from .words import coined, name, noun, number, sentence, title


def _status(rng: Generator, sheet: Sheet, t: Theme, x0: float, x1: float) -> None:
    """The narrow line above a phone's screen: time, bars, battery."""
    sheet.text(
        x0 + 2.5, 3, f"{rng.integers(24)}:{rng.integers(60):02d}", 2.6, t.ink, face(rng, 0.05)
    )
    for k in range(4):
        sheet.rect(x1 - 14 + 1.4 * k, 4 - 0.6 * k, x1 - 13 + 1.4 * k, 4.2, t.ink)
    sheet.rect(x1 - 7, 2, x1 - 2.5, 4.2, None, t.ink, 0.3, 0.4)
    sheet.rect(x1 - 6.6, 2.4, x1 - 6.6 + float(rng.uniform(0.5, 3.7)), 3.8, t.ink)


def _narrow(rng: Generator, size: int, t: Theme) -> tuple[Sheet, float, float]:
    """A sheet for an upright screen, bare or between plain margins."""
    full = rng.random() < 0.4
    x0, x1 = (0.0, 100.0) if full else (22.0, 78.0)
    margin = (0, 0, 0) if rng.random() < 0.5 else theme(rng).accents[1]
    sheet = Sheet(size, margin)
    sheet.rect(x0, 0, x1, 100, t.paper)
    _status(rng, sheet, t, x0, x1)
    return sheet, x0, x1


@other("interface", "phone")
def phone(rng: Generator, size: int) -> U8:
    """An upright screen: a grid of icons, a feed with pictures, or settings."""
    t = theme(rng, 0.4)
    sheet, x0, x1 = _narrow(rng, size, t)
    w, kind = x1 - x0, int(rng.integers(3))
    if kind == 0:
        n = int(rng.integers(3, 6))
        for i in range(n * int(rng.integers(3, 6))):
            x, y = x0 + w * (i % n + 0.5) / n, 13 + 15.0 * (i // n)
            r = min(w / n * 0.28, 5.0)
            sheet.rect(
                x - r, y - r, x + r, y + r, rgb(float(rng.random()), 0.7, 0.85), None, 0, r * 0.45
            )
            sheet.text(x, y, noun(rng)[0], r * 1.1, (255, 255, 255), face(rng, 0.05), "mm")
            sheet.text(x, y + r + 2, noun(rng)[:8], 2.2, t.ink, None, "mm")
    elif kind == 1:
        y = 8.0
        while y < 82:
            high = float(rng.uniform(24, 40))
            sheet.oval(x0 + 5, y + 3, 2.2, None, t.accents[int(rng.integers(6))])
            sheet.text(x0 + 9, y + 3, name(rng), 2.8, t.ink, face(rng, 0.05))
            sheet.picture(photo(rng), x0 + 2, y + 7, x1 - 2, y + high - 6, 1.0)
            sheet.text(x0 + 3, y + high - 3, sentence(rng, 5), 2.5, t.ink, None, room=w - 8)
            y += high
    else:
        sheet.text(x0 + 4, 10, title(rng, 1), 5, t.ink, face(rng, 0.05))
        fields(rng, sheet, t, x0, 13, x1, 91)
    sheet.rect(x0, 92, x1, 100, mixed(t.paper, t.faint, 0.4))
    for k in range(4):
        x = x0 + w * (k + 0.5) / 4
        sheet.oval(x, 95, 1.5, None, None, t.accents[0] if k == 0 else t.ink, 0.5)
        sheet.text(x, 98, noun(rng)[:6], 1.9, t.ink, None, "mm")
    return sheet.done()


@other("interface", "chat")
def chat(rng: Generator, size: int) -> U8:
    """Messages in bubbles at both sides, some with a picture."""
    t = theme(rng, 0.35)
    sheet, x0, x1 = _narrow(rng, size, t)
    sheet.rect(x0, 6, x1, 14, t.accents[0])
    sheet.oval(x0 + 6, 10, 2.6, None, t.accents[2])
    sheet.text(x0 + 11, 10, name(rng), 3.4, (255, 255, 255), face(rng, 0.05))
    w, y = x1 - x0, 17.0
    while y < 84:
        mine = rng.random() < 0.5
        if rng.random() < 0.2 and y < 62:
            left = x1 - 3 - w * 0.55 if mine else x0 + 3
            sheet.picture(photo(rng), left, y, left + w * 0.55, y + 22, 2.0)
            y += 25
            continue
        lines = int(rng.integers(1, 4))
        wide = w * float(rng.uniform(0.3, 0.72))
        left = x1 - 3 - wide if mine else x0 + 3
        fill = mixed(t.paper, t.accents[0], 0.4) if mine else mixed(t.paper, t.faint, 0.7)
        high = 3.6 * lines + 2.4
        sheet.rect(left, y, left + wide, y + high, fill, None, 0, 2)
        for k in range(lines):
            words = sentence(rng, max(2, int(wide / 7)))
            sheet.text(left + 2, y + 3 + 3.6 * k, words, 2.6, t.ink, None, room=wide - 4)
        y += high + 2
    sheet.rect(x0 + 2, 93, x1 - 12, 98, mixed(t.paper, t.faint, 0.4), None, 0, 2.5)
    button(rng, sheet, t, x1 - 11, 93, 9, 5, True)
    return sheet.done()


def _lines(rng: Generator, count: int) -> list[tuple[str, int]]:
    """Lines of a session or a program: text and which colour."""
    found = []
    for _ in range(count):
        style = int(rng.integers(5))
        if style == 0:
            found.append((f"$ {coined(rng)} --{coined(rng)} {coined(rng)}.{coined(rng, 1, 1)}", 1))
        elif style == 1:
            found.append((f"[{rng.integers(10, 60)}:{rng.integers(10, 60)}] {sentence(rng, 5)}", 0))
        elif style == 2:
            found.append((f"{coined(rng, 2)}: {sentence(rng, 4)} ({number(rng)})", 2))
        elif style == 3:
            found.append(
                (f"-rw-r--r-- {name(rng).lower()} {rng.integers(100, 99999)} {coined(rng)}", 0)
            )
        else:
            found.append(("", 0))
    return found


@other("interface", "terminal")
def terminal(rng: Generator, size: int) -> U8:
    """Lines of pixel letters on a dark (seldom light) ground."""
    dark = rng.random() < 0.85
    h = float(rng.random())
    paper, ink = rgb(h, 0.6, float(rng.uniform(0, 0.15))), rgb(h, float(rng.uniform(0, 0.6)), 0.9)
    if not dark:
        paper, ink = ink, paper
    side = int(rng.integers(200, 520))
    image = Image.new("RGB", (side, side), paper)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default_imagefont()
    colours: tuple[Rgb, ...] = (ink, rgb(0.33, 0.7, 0.8), rgb(float(rng.random()), 0.7, 0.8))
    top = 4
    if rng.random() < 0.4:
        draw.rectangle((0, 0, side, 16), mixed(paper, ink, 0.4))
        draw.text((side // 2 - 40, 3), title(rng, 2), paper, font)
        top = 22
    count = int(rng.integers(max(3, side // 30), side // 12))
    for k, (words, colour) in enumerate(_lines(rng, count)):
        draw.text((5, top + 12 * k), words, colours[colour], font)
    end = top + 12 * count
    draw.rectangle((5, end, 11, end + 10), ink)
    return np.asarray(image.resize((size, size), Image.Resampling.BICUBIC))


@other("interface", "code_editor", held_out=True)
def editor(rng: Generator, size: int) -> U8:
    """Numbered lines of indented words in colours, with tabs and a tree of files."""
    t = theme(rng, 0.7)
    sheet = Sheet(size, t.paper)
    tree = float(rng.choice([0, 20]))
    sheet.rect(0, 0, 100, 5, mixed(t.paper, t.ink, 0.12))
    sheet.rect(0, 5, tree, 100, mixed(t.paper, t.ink, 0.07))
    for k in range(3):
        sheet.rect(
            tree + 22 * k, 0, tree + 21.5 + 22 * k, 5, t.paper if k == 0 else None, t.faint, 0.2
        )
        sheet.text(tree + 2 + 22 * k, 2.5, f"{coined(rng, 2)}.{coined(rng, 1, 1)}", 2.4, t.ink)
    for k in range(int(rng.integers(6, 18)) if tree else 0):
        sheet.text(2 + 2 * (k % 3), 9 + 4 * k, coined(rng, 2), 2.4, t.ink, None, room=16)
    high, depth = float(rng.uniform(2.2, 3.2)), 0
    step = high * 1.5
    for k in range(int(92 / step)):
        y = 8 + step * k
        sheet.text(tree + 4.5, y, str(k + 1), high * 0.9, t.faint, None, "rm")
        depth = int(np.clip(depth + rng.integers(-1, 2), 0, 4))
        x = tree + 7 + 4.0 * depth
        for _ in range(int(rng.integers(0, 6))):
            word = coined(rng) + str(rng.choice(["", "(", ")", " =", ":", ",", "."]))
            if x + sheet.wide(word, high) > 98:
                break
            colour = t.accents[int(rng.integers(4))] if rng.random() < 0.6 else t.ink
            sheet.text(x, y, word, high, colour)
            x += sheet.wide(word, high) + 1.2
    return sheet.done()


@other("interface", "player_or_game", held_out=True)
def player(rng: Generator, size: int) -> U8:
    """A list of songs with its controls, or a game's menu over a blurred scene."""
    t = theme(rng, 0.7)
    if rng.random() < 0.5:
        small = Image.fromarray(photo(rng)).resize((12, 12), Image.Resampling.BOX)
        sheet = Sheet(size, np.asarray(small))
        sheet.text(50, 16, title(rng, 2), 9, (255, 255, 255), face(rng, 0.06), "mm", room=90)
        for k in range(int(rng.integers(3, 7))):
            x0, y0 = 25.0, 30 + 10.0 * k
            sheet.rect(x0, y0, 75, y0 + 7.5, t.accents[0] if k == 0 else t.paper, t.ink, 0.5, 1)
            sheet.text(50, y0 + 3.7, noun(rng), 3.6, t.ink, face(rng), "mm")
        return sheet.done()
    sheet = Sheet(size, t.paper)
    sheet.picture(photo(rng), 4, 4, 36, 36, 1.5)
    sheet.text(40, 12, title(rng, 2), 5.5, t.ink, face(rng, 0.05), room=56)
    sheet.text(40, 20, name(rng), 3.4, t.faint)
    for k in range(int(rng.integers(5, 9))):
        y = 43 + 5.0 * k
        sheet.text(6, y, str(k + 1), 2.8, t.faint)
        sheet.text(12, y, title(rng, 2), 2.8, t.accents[0] if k == 1 else t.ink)
        sheet.text(95, y, f"{rng.integers(1, 9)}:{rng.integers(10, 60)}", 2.8, t.ink, None, "rm")
    sheet.line([(8, 88), (92, 88)], t.faint, 0.8)
    sheet.line([(8, 88), (8 + float(rng.uniform(5, 80)), 88)], t.accents[0], 0.8)
    sheet.poly([(48, 91), (48, 97), (53, 94)], t.ink)
    for x, way in ((36.0, -1), (64.0, 1)):
        sheet.poly([(x, 92), (x, 96), (x + 3 * way, 94)], t.ink)
    return sheet.done()
