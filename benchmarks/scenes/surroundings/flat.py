"""Pure 2-D pictures of nothing: noise, gradients, polygons, shuffled patches, tiles, strokes."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFilter

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8, hue, to_u8

from .textures import ground_texture, picture, sky

_NAMES = ("noise", "picture", "polygons", "blobs", "tiles", "strokes", "sky")


def flat(rng: Generator, size: int) -> tuple[U8, str]:
    """A picture [size, size, 3] and what it is, for its caption."""
    name = str(rng.choice(_NAMES))
    make = {
        "noise": _noise,
        "picture": _picture,
        "polygons": _polygons,
        "blobs": _blobs,
        "tiles": _tiles,
        "strokes": _strokes,
        "sky": _sky,
    }[name]
    image = Image.fromarray(make(rng)).resize((size, size), Image.Resampling.BILINEAR)
    return np.asarray(image), name


def shuffled(rng: Generator, pixels: U8) -> U8:
    """A rendered picture cut into patches that are shuffled: all textures, no object."""
    n = int(rng.choice([8, 10, 12, 16]))
    size = pixels.shape[0] // n * n
    p = size // n
    tiles = pixels[:size, :size].reshape(n, p, n, p, 3).swapaxes(1, 2).reshape(n * n, p, p, 3)
    tiles = tiles[rng.permutation(n * n)]
    if rng.random() < 0.5:
        flips = rng.random(n * n) < 0.5
        tiles[flips] = tiles[flips].swapaxes(1, 2)
    out = tiles.reshape(n, n, p, p, 3).swapaxes(1, 2).reshape(size, size, 3)
    return np.asarray(
        Image.fromarray(np.ascontiguousarray(out)).resize((pixels.shape[1], pixels.shape[0]))
    )


def _noise(rng: Generator) -> U8:
    e = float(rng.choice([0.6, 1.0, 1.5, 2.0]))
    if rng.random() < 0.4:
        return to_u8(np.repeat(field01(rng, e)[:, :, None], 3, 2))
    return to_u8(np.stack([field01(rng, e) for _ in range(3)], -1))


def _picture(rng: Generator) -> U8:
    return picture(rng)


def _sky(rng: Generator) -> U8:
    return sky(rng)


def _polygons(rng: Generator) -> U8:
    image = Image.fromarray(picture(rng) if rng.random() < 0.5 else sky(rng))
    draw = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(3, 25))):
        c = rng.uniform(0, 256, 2)
        k = int(rng.integers(3, 8))
        a = np.sort(rng.uniform(0, 2 * np.pi, k))
        r = rng.uniform(0.5, 1.0, k) * rng.uniform(8, 80)
        pts = c + np.stack([np.cos(a) * r, np.sin(a) * r], 1)
        fill = tuple(int(255 * v) for v in hue(rng))
        draw.polygon(pts.ravel().tolist(), fill=fill)
    return np.asarray(image)


def _blobs(rng: Generator) -> U8:
    image = Image.fromarray(picture(rng))
    draw = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(4, 40))):
        c, r = rng.uniform(0, 256, 2), rng.uniform(4, 60, 2)
        fill = tuple(int(255 * v) for v in hue(rng))
        draw.ellipse([c[0] - r[0], c[1] - r[1], c[0] + r[0], c[1] + r[1]], fill=fill)
    return np.asarray(image.filter(ImageFilter.GaussianBlur(float(rng.uniform(0, 6)))))


def _tiles(rng: Generator) -> U8:
    side = int(rng.choice([32, 64, 128]))
    cell = Image.fromarray(ground_texture(rng, False)).resize((side, side))
    small = np.asarray(cell)
    n = 256 // small.shape[0]
    return np.tile(small, (n, n, 1))


def _strokes(rng: Generator) -> U8:
    """Text-like rows of strokes on paper, or scribbles."""
    paper = hue(rng, (0.0, 0.2), (0.8, 1.0))
    image = Image.new("RGB", (256, 256), tuple(int(255 * v) for v in paper))
    draw = ImageDraw.Draw(image)
    ink = tuple(int(255 * v) for v in hue(rng, (0.0, 0.9), (0.0, 0.5)))
    step = int(rng.integers(10, 26))
    for y in range(step, 250, step):
        x = 10.0
        while x < 240:
            for _ in range(int(rng.integers(2, 8))):
                a = rng.uniform(-0.45, 0.45, 4) * step
                draw.line(
                    [x + a[0], y + a[1], x + a[2], y + a[3]], fill=ink, width=max(1, step // 9)
                )
                x += step * 0.55
            x += step * 0.7
    return np.asarray(image)
