"""Microscopic pictures: cells, tissue, fibres, crystals, rods, spheres, shells; stained, dark or grey."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import other

from .lens import blob, ground, scattered, seen, stain
from .pen import Sheet, mixed, rgb


@other("microscopic", "cells")
def cells(rng: Generator, size: int) -> U8:
    """Round or lobed cells with nuclei, apart or touching."""
    s = stain(rng)
    sheet = ground(rng, size, s)
    r = float(rng.uniform(2.5, 14))
    count = int(min(160, rng.uniform(0.25, 0.9) * 10000 / (np.pi * r * r)))
    ring, rough = rng.random() < 0.3, float(rng.choice([0.03, 0.12, 0.25]))
    for x, y in scattered(rng, count, r * float(rng.uniform(1.2, 2.2))):
        one = r * float(rng.uniform(0.75, 1.2))
        outline = blob(rng, x, y, one, rough, float(rng.uniform(1, 1.3)))
        body = mixed(s.body, s.ground, float(rng.uniform(0, 0.45)))
        sheet.poly(outline, body, mixed(body, s.core, 0.45), max(0.3, r * 0.06))
        if ring:
            sheet.oval(x, y, one * 0.45, None, mixed(body, s.ground, 0.6))
        else:
            for _ in range(1 if rng.random() < 0.9 else 2):
                off = rng.normal(size=2) * one * 0.15
                sheet.poly(blob(rng, x + off[0], y + off[1], one * 0.42, 0.1), s.core)
    return seen(rng, sheet.done())


@other("microscopic", "tissue")
def tissue(rng: Generator, size: int) -> U8:
    """Cells wall to wall, as of a leaf or an onion's skin, with nuclei or grains in them."""
    s = stain(rng)
    n = int(rng.integers(12, 140))
    long = float(rng.choice([1.0, 1.0, 2.0, 3.5]))
    places = np.array(scattered(rng, n, 60 / np.sqrt(n)))
    y, x = np.mgrid[0 : 100 : 160 * 1j, 0 : 100 : 160 * 1j]
    d = np.hypot((x[..., None] - places[:, 0]) / long, y[..., None] - places[:, 1])
    two = np.partition(d, 1, -1)[..., :2]
    wall = np.clip((two[..., 1] - two[..., 0]) / float(rng.uniform(0.8, 2.4)), 0, 1)[..., None]
    tones = rng.uniform(0.3, 1.0, len(places))[d.argmin(-1)][..., None]
    grain = field01(rng, 1.0)[:160, :160, None] * 0.3
    inside = np.array(s.ground) * (1 - 0.5 * tones - grain) + np.array(s.body) * (
        0.5 * tones + grain
    )
    sheet = Sheet(
        size, (inside * wall + np.array(s.core) * (1 - wall)).clip(0, 255).astype(np.uint8)
    )
    many = rng.random() < 0.4
    for u, v in places:
        for _ in range(int(rng.integers(4, 12)) if many else 1):
            off = rng.normal(size=2) * (300 / n) ** 0.5 * (1.2 if many else 0.5)
            r = float(rng.uniform(0.5, 1.1)) if many else 16 / np.sqrt(n)
            sheet.poly(blob(rng, u + off[0] * long, v + off[1], r, 0.08), s.core)
    return seen(rng, sheet.done())


@other("microscopic", "fibres")
def fibres(rng: Generator, size: int) -> U8:
    """Threads of a fabric, hyphae or nerves that cross each other."""
    s = stain(rng)
    sheet = ground(rng, size, s)
    aligned, bend = rng.random() < 0.4, float(rng.choice([0.02, 0.1, 0.3]))
    main, wide = float(rng.uniform(0, np.pi)), float(rng.uniform(0.4, 3.5))
    for _ in range(int(rng.integers(12, 90))):
        n = 24
        a = main + rng.normal() * 0.15 if aligned else rng.uniform(0, 2 * np.pi)
        turns = a + np.cumsum(rng.normal(size=n) * bend)
        path = rng.uniform(-20, 120, 2) + np.cumsum(
            np.stack([np.cos(turns), np.sin(turns)], 1) * 6, 0
        )
        points = [(float(x), float(y)) for x, y in path]
        colour = mixed(s.body, s.core, float(rng.uniform(0, 0.6)))
        w = wide * float(rng.uniform(0.5, 1.3))
        sheet.line(points, mixed(colour, s.ground, 0.4), w)
        sheet.line(points, colour, w * 0.55)
        for x, y in points[:: int(rng.integers(4, 12))] if rng.random() < 0.3 else ():
            sheet.oval(x, y, w * 0.8, None, s.core)
    return seen(rng, sheet.done())


@other("microscopic", "rods")
def rods(rng: Generator, size: int) -> U8:
    """Rods, dots in chains and spirals, as of bacteria."""
    s = stain(rng)
    sheet = ground(rng, size, s)
    kind, wide = int(rng.integers(4)), float(rng.uniform(0.8, 3.2))
    for _ in range(int(rng.integers(25, 140))):
        x, y = (float(v) for v in rng.uniform(0, 100, 2))
        a, colour = float(rng.uniform(0, 6.3)), mixed(s.core, s.body, float(rng.uniform(0, 0.5)))
        c, d = float(np.cos(a)), float(np.sin(a))
        if kind == 0:
            long = wide * float(rng.uniform(2, 4.5))
            sheet.line([(x, y), (x + c * long, y + d * long)], colour, wide)
            for end in (0.0, long):
                sheet.oval(x + c * end, y + d * end, wide / 2, None, colour)
        elif kind == 1:
            for k in range(int(rng.integers(2, 9))):
                bend = a + 0.15 * k
                x, y = x + float(np.cos(bend)) * wide, y + float(np.sin(bend)) * wide
                sheet.oval(x, y, wide * 0.52, None, colour)
        elif kind == 2:
            for u, v in rng.normal(size=(int(rng.integers(2, 12)), 2)) * wide:
                sheet.oval(x + float(u), y + float(v), wide * 0.5, None, colour)
        else:
            t = np.linspace(0, float(rng.uniform(6, 14)), 40)
            u, v = t * wide * 0.5, np.sin(t * 2) * wide * 0.7
            path = [
                (float(x + c * p - d * q), float(y + d * p + c * q))
                for p, q in zip(u, v, strict=True)
            ]
            sheet.line(path, colour, wide * 0.4)
    return seen(rng, sheet.done())


@other("microscopic", "crystals")
def crystals(rng: Generator, size: int) -> U8:
    """Needles, plates and stars of crystals in polarised colours."""
    dark = rng.random() < 0.7
    h = float(rng.random())
    sheet = Sheet(size, rgb(h, 0.3, 0.06) if dark else rgb(h, 0.08, 0.9))
    kind = int(rng.integers(3))
    for _ in range(int(rng.integers(10, 70))):
        x, y = (float(v) for v in rng.uniform(-5, 105, 2))
        a, r = float(rng.uniform(0, np.pi)), float(rng.uniform(4, 22))
        colour = rgb(
            h + float(rng.normal()) * 0.18, float(rng.uniform(0.2, 0.9)), float(rng.uniform(0.5, 1))
        )
        edge = mixed(colour, (255, 255, 255), 0.5)
        if kind == 0:
            c, d = float(np.cos(a)) * r * 1.6, float(np.sin(a)) * r * 1.6
            w = r * 0.09
            sheet.poly(
                [(x - c, y - d), (x - d * 0.06 - w, y + w), (x + c, y + d), (x + w, y - w)],
                colour,
                edge,
                0.2,
            )
        elif kind == 1:
            n = int(rng.integers(4, 8))
            spin = a + np.sort(rng.uniform(0, 2 * np.pi, n))
            sheet.poly(
                [(x + r * float(np.cos(b)), y + r * 0.7 * float(np.sin(b))) for b in spin],
                colour,
                edge,
                0.3,
            )
        else:
            for k in range(int(rng.integers(8, 22))):
                b, long = a + k * 0.5, r * float(rng.uniform(0.5, 1))
                sheet.line(
                    [(x, y), (x + float(np.cos(b)) * long, y + float(np.sin(b)) * long)],
                    colour,
                    0.5,
                )
    return seen(rng, sheet.done())


@other("microscopic", "shells_or_surface", held_out=True)
def shells(rng: Generator, size: int) -> U8:
    """Symmetric shells of algae, or grains seen by an electron microscope."""
    s = stain(rng)
    if rng.random() < 0.5:
        image = Image.new("L", (240, 240), 20)
        draw = ImageDraw.Draw(image)
        for x, y in scattered(rng, int(rng.integers(12, 60)), float(rng.uniform(6, 14))):
            r = float(rng.uniform(5, 22))
            for k in range(12):
                q, tone = r * (1 - k / 12), int(60 + 14 * k)
                px, py = x * 2.4 - k * 0.35, y * 2.4 - k * 0.35
                draw.ellipse((px - q, py - q, px + q, py + q), tone)
        grey = np.asarray(image, float)[:, :, None] * (
            0.8 + 0.4 * field01(rng, 0.6)[:240, :240, None]
        )
        pixels = np.repeat(grey.clip(0, 255).astype(np.uint8), 3, 2)
        return seen(
            rng, np.asarray(Image.fromarray(pixels).resize((size, size), Image.Resampling.BILINEAR))
        )
    sheet = ground(rng, size, s)
    for x, y in scattered(rng, int(rng.integers(2, 12)), 22):
        r, n = float(rng.uniform(7, 17)), int(rng.integers(4, 16))
        long = float(rng.uniform(1, 2.2))
        turn = float(rng.uniform(0, np.pi))
        c, d = float(np.cos(turn)), float(np.sin(turn))
        for share, colour in ((1.0, s.core), (0.93, s.body), (0.35, s.ground)):
            sheet.poly(blob(rng, x, y, r * share, 0.0), colour)
        for k in range(n):
            b = 2 * np.pi * k / n
            sheet.line([(x, y), (x + r * float(np.cos(b)), y + r * float(np.sin(b)))], s.core, 0.3)
            for q in np.linspace(0.4, 0.85, 4):
                sheet.oval(
                    x + q * r * float(np.cos(b)), y + q * r * float(np.sin(b)), 0.5, None, s.core
                )
        if long > 1.6:
            sheet.line([(x - c * r, y - d * r), (x + c * r, y + d * r)], s.core, 0.8)
    return seen(rng, sheet.done())
