"""Abstract pictures: gradients, polygons, blobs, strokes, noise, repeating and self-similar patterns."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8, hue, to_u8
from benchmarks.scenes.pairs.registry import other
from benchmarks.scenes.surroundings.flat import flat

from .pen import Point, Rgb, Sheet, mixed, theme

F64 = NDArray[np.float64]


def _ramp(rng: Generator, field: F64) -> U8:
    """A field in 0..1 in colours that run through some stops."""
    n = int(rng.integers(2, 6))
    stops = np.array([hue(rng, (0.1, 1.0), (0.1, 1.0)) for _ in range(n)])
    at = np.linspace(0, 1, n)
    return to_u8(np.stack([np.interp(field, at, stops[:, c]) for c in range(3)], -1))


def _to(size: int, pixels: U8) -> U8:
    return np.asarray(
        Image.fromarray(pixels).resize((size, size), Image.Resampling.BILINEAR)
    ).copy()


def _grid(n: int) -> tuple[F64, F64]:
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
    return x, y


@other("abstract", "flat")
def plain(rng: Generator, size: int) -> U8:
    """Noise, polygons, blobs, strokes and tiles as in the detector's scenes."""
    while True:
        pixels, kind = flat(rng, size)
        if kind != "sky":  # a sky is a place
            return np.ascontiguousarray(pixels)


@other("abstract", "gradient")
def gradient(rng: Generator, size: int) -> U8:
    """Colours that run into each other along a line, a ring or an angle, perhaps in steps."""
    x, y = _grid(256)
    a = float(rng.uniform(0, 2 * np.pi))
    u, v = float(rng.uniform(-0.6, 0.6)), float(rng.uniform(-0.6, 0.6))
    kind = int(rng.integers(4))
    if kind == 0:
        f = (x * np.cos(a) + y * np.sin(a)) / 2.8 + 0.5
    elif kind == 1:
        f = np.hypot(x - u, y - v) / float(rng.uniform(1.0, 2.2))
    elif kind == 2:
        f = (np.arctan2(y - v, x - u) / (2 * np.pi) + 0.5 + a) % 1.0
    else:
        f = 0.5 + 0.5 * np.sin(
            float(rng.uniform(2, 9)) * (x * np.cos(a) + y * np.sin(a)) + 3 * field01(rng, 2.6)
        )
    if rng.random() < 0.35:
        steps = int(rng.integers(4, 12))
        f = np.floor(f * steps) / steps
    return _to(size, _ramp(rng, np.clip(f, 0, 1)))


@other("abstract", "shapes")
def shapes(rng: Generator, size: int) -> U8:
    """Flat rectangles, circles, triangles and bars in a few colours, at random or in a grid."""
    t = theme(rng)
    sheet = Sheet(size, t.paper)
    grid = int(rng.choice([0, 0, 3, 4, 6, 8]))
    count = grid * grid if grid else int(rng.integers(4, 50))
    for i in range(count):
        if grid:
            x, y = 100 * (i % grid + 0.5) / grid, 100 * (i // grid + 0.5) / grid
            r = 50 / grid
        else:
            x, y = (float(v) for v in rng.uniform(-5, 105, 2))
            r = float(rng.uniform(3, 30))
        colour = t.accents[int(rng.integers(6))] if rng.random() < 0.85 else t.ink
        kind = int(rng.integers(5))
        a = (
            float(rng.choice([0, np.pi / 2, np.pi, -np.pi / 2]))
            if grid
            else float(rng.uniform(0, 6.3))
        )
        corners = {0: (0.8, 2.4, 3.9, 5.5), 1: (0.0, 2.1, 4.2), 2: (0.1, 0.4, 3.2, 3.5)}
        if kind in corners:
            points: list[Point] = [
                (x + r * 1.3 * float(np.cos(a + k)), y + r * 1.3 * float(np.sin(a + k)))
                for k in corners[kind]
            ]
            sheet.poly(points, colour)
        elif kind == 3:
            sheet.oval(x, y, r, None, colour)
        else:
            sheet.pie(x, y, r * 1.4, np.rad2deg(a), np.rad2deg(a) + 90, colour)
    return sheet.done()


@other("abstract", "brush")
def brush(rng: Generator, size: int) -> U8:
    """Bent strokes of a broad brush, drips and spatter."""
    t = theme(rng)
    sheet = Sheet(size, t.paper)
    for _ in range(int(rng.integers(4, 60))):
        n = int(rng.integers(4, 16))
        start = rng.uniform(-5, 105, 2)
        turns = np.cumsum(rng.normal(size=n) * 0.4) + rng.uniform(0, 6.3)
        path = start + np.cumsum(
            np.stack([np.cos(turns), np.sin(turns)], 1) * rng.uniform(3, 12), 0
        )
        colour = mixed(t.accents[int(rng.integers(6))], t.paper, float(rng.uniform(0, 0.4)))
        wide = float(rng.uniform(0.5, 9))
        points = [(float(x), float(y)) for x, y in path]
        for k in range(4 if wide > 3 else 1):
            off = float(rng.normal()) * wide * 0.15
            near: Rgb = mixed(colour, t.ink, 0.08 * k)
            sheet.line([(x + off, y + off) for x, y in points], near, wide * (1 - 0.2 * k))
    for _ in range(int(rng.choice([0, 60, 200]))):
        x, y = (float(v) for v in rng.uniform(0, 100, 2))
        sheet.oval(x, y, float(rng.exponential(0.6)), None, t.accents[int(rng.integers(6))])
    pixels = sheet.done()
    blur = float(rng.choice([0, 0, 1.5, 6]))
    return np.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(blur))).copy()


@other("abstract", "marble")
def marble(rng: Generator, size: int) -> U8:
    """Fields that bend fields: marble, smoke, contour lines."""
    f, g, h = field01(rng, 2.6), field01(rng, 2.0), field01(rng, 1.5)
    y, x = np.mgrid[0:256, 0:256]
    pull = float(rng.uniform(10, 70))
    warped = f[(y + (pull * g).astype(int)) % 256, (x + (pull * h).astype(int)) % 256]
    kind = int(rng.integers(3))
    if kind == 1:
        warped = 0.5 + 0.5 * np.sin(float(rng.uniform(8, 40)) * warped)
    elif kind == 2:
        level = warped * float(rng.uniform(6, 16))
        warped = np.where(np.abs(level - np.round(level)) < 0.12, 0.0, 0.4 + 0.6 * warped)
    return _to(size, _ramp(rng, warped))


@other("abstract", "interference")
def waves(rng: Generator, size: int) -> U8:
    """Rings, stripes and their overlap, woven and repeated patterns."""
    x, y = _grid(256)
    f = np.zeros_like(x)
    for _ in range(int(rng.integers(1, 5))):
        u, v = rng.uniform(-1, 1, 2)
        k = float(rng.uniform(8, 60))
        a = float(rng.uniform(0, np.pi))
        ring = rng.random() < 0.5
        f += np.sin(k * (np.hypot(x - u, y - v) if ring else x * np.cos(a) + y * np.sin(a)))
    f = (f - f.min()) / (np.ptp(f) + 1e-9)
    if rng.random() < 0.5:
        f = (f > float(rng.uniform(0.35, 0.65))).astype(float)
    return _to(size, _ramp(rng, f))


@other("abstract", "self_similar", held_out=True)
def fractal(rng: Generator, size: int) -> U8:
    """A Julia set, or a kaleidoscope of a noise field."""
    if rng.random() < 0.5:
        x, y = _grid(256)
        turn, near = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.7, 1.5))
        z = (x + 1j * y) * near * np.exp(1j * turn)
        angle = float(rng.uniform(0, 2 * np.pi))
        c = 0.7885 * np.exp(1j * angle)
        steps = np.zeros(z.shape)
        for k in range(48):
            inside = np.abs(z) < 4
            z = np.where(inside, z * z + c, z)
            steps[inside] = k
        return _to(size, _ramp(rng, (steps / 47) ** float(rng.uniform(0.3, 1.0))))
    x, y = _grid(256)
    n = int(rng.integers(3, 10))
    r, a = np.hypot(x, y), np.arctan2(y, x)
    a = np.abs((a / (2 * np.pi) * n) % 1.0 - 0.5) * 2 * np.pi / n
    f = field01(rng, float(rng.choice([1.5, 2.0])))
    u = ((r * np.cos(a)) * 128).astype(int) % 256
    v = ((r * np.sin(a)) * 128).astype(int) % 256
    return _to(size, _ramp(rng, f[v, u]))
