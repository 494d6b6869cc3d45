"""Stylised looks of a finished picture: drawings, prints, paintings, films.

What is drawn by chance does not depend on the picture, so the twins of a pair get the same look from the
same generator state. None hides what has the size of a planted violation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from benchmarks.scenes.noise import field01
from benchmarks.scenes.paints import U8, hue, to_u8

F64 = NDArray[np.float64]


def stylise(rng: Generator, pixels: U8) -> tuple[str, U8]:
    """A look by chance: its name and the picture [S, S, 3] in it."""
    name = str(rng.choice(list(STYLES)))
    return name, STYLES[name](rng, pixels)


def _blurred(x: F64, radius: float) -> F64:
    """A picture 0..1, [S, S] or [S, S, 3], through a Gaussian."""
    image = Image.fromarray(to_u8(x)).filter(ImageFilter.GaussianBlur(radius))
    return np.asarray(image, float) / 255


def _grey(pixels: U8) -> F64:
    """Brightness 0..1 [S, S], with more contrast; by a fixed curve, as twins must be treated alike."""
    x = np.asarray(Image.fromarray(pixels).convert("L"), float) / 255
    bright = x**0.85
    curved: F64 = np.clip(bright + 0.25 * (bright - 0.4), 0, 1)
    return curved


def _edges(pixels: U8, radius: float) -> F64:
    """Strength of edges in any channel, 0..1 [S, S]."""
    x = _blurred(pixels / 255, radius)
    across = np.abs(np.gradient(x, axis=1)).max(-1)
    down = np.abs(np.gradient(x, axis=0)).max(-1)
    found: F64 = np.hypot(across, down)
    return found


def _lines(pixels: U8, radius: float, least: float) -> F64:
    """Ink of contours, 0..1 [S, S]."""
    lines: F64 = np.clip((_edges(pixels, radius) - least) / (2 * least), 0, 1)
    return lines


def _tile(field: F64, size: int) -> F64:
    """A field [256, 256] repeated to [size, size]."""
    n = -(-size // field.shape[0])
    return np.tile(field, (n, n))[:size, :size]


def _smooth(x: F64, radius: int) -> F64:
    """Kuwahara's filter: of four squares round a pixel the mean of the most even one, [S, S, 3]."""
    image = Image.fromarray(to_u8(x))
    mean = np.asarray(image.filter(ImageFilter.BoxBlur(radius / 2)), float) / 255
    square = np.asarray(
        Image.fromarray(to_u8(x.mean(-1) ** 2)).filter(ImageFilter.BoxBlur(radius / 2)), float
    )
    spread = square / 255 - mean.mean(-1) ** 2
    half = max(1, radius // 2)
    shifts = [(a, b) for a in (-half, half) for b in (-half, half)]
    wide = np.pad(mean, ((half, half), (half, half), (0, 0)), mode="edge")
    far = np.pad(spread, half, mode="edge")
    s = x.shape[0]
    means = np.stack([wide[half + a : half + a + s, half + b : half + b + s] for a, b in shifts])
    spreads = np.stack([far[half + a : half + a + s, half + b : half + b + s] for a, b in shifts])
    best = spreads.argmin(0)
    chosen: F64 = np.take_along_axis(means, best[None, :, :, None], 0)[0]
    return chosen


def _levels(x: F64, steps: int) -> F64:
    """In few steps of brightness, colours kept."""
    top = np.maximum(x.max(-1, keepdims=True), 1e-3)
    level = np.ceil(top * steps - 0.35) / steps
    flat: F64 = x / top * np.clip(level, 0.5 / steps, 1)
    return flat


def _sketch(rng: Generator, pixels: U8) -> U8:
    """Pencil: contours, and hatching where it is dark."""
    size = pixels.shape[0]
    grey = _grey(pixels)
    ink = 0.9 * _lines(pixels, float(rng.uniform(0.5, 0.9)), 0.022)
    y, x = np.mgrid[0:size, 0:size]
    step = float(rng.uniform(3.0, 5.0))
    for k, level in enumerate((0.55, 0.35, 0.18)):
        a = float(rng.uniform(0, np.pi)) + k
        wave = 0.5 + 0.5 * np.sin((x * np.cos(a) + y * np.sin(a)) * 2 * np.pi / step)
        ink = ink + 0.4 * wave**2 * (grey < level)
    ink = ink + 0.16 * (1 - grey) + 0.06 * _tile(field01(rng, 0.6), size)
    paper = np.array(hue(rng, (0.0, 0.12), (0.92, 1.0)))
    pencil = np.array(hue(rng, (0.0, 0.5), (0.1, 0.3)))
    share = np.clip(ink, 0, 1)[:, :, None]
    return to_u8(paper * (1 - share) + pencil * share)


def _ink(rng: Generator, pixels: U8) -> U8:
    """Black contours and plain colours: a drawn cartoon."""
    flat = _levels(_smooth(pixels / 255, 4), int(rng.integers(4, 7)))
    mean = flat.mean(-1, keepdims=True)
    flat = mean + (flat - mean) * float(rng.uniform(1.2, 1.7))
    line = _lines(pixels, 0.8, 0.035)[:, :, None]
    return to_u8(np.clip(flat * 1.05, 0, 1) * (1 - line))


def _cel(rng: Generator, pixels: U8) -> U8:
    """Few steps of light, as in an animated film."""
    x = _smooth(pixels / 255, int(rng.choice([2, 4])))
    x = x ** float(rng.uniform(0.7, 1.0))
    return to_u8(_levels(x, int(rng.integers(3, 6))))


def _watercolour(rng: Generator, pixels: U8) -> U8:
    """Smoothed areas with darker rims on grained paper."""
    size = pixels.shape[0]
    x = pixels / 255
    for _ in range(2):
        x = _smooth(x, 4)
    x = 1 - (1 - x) * float(rng.uniform(0.7, 0.9))
    rims = np.clip(_edges(pixels, 1.2) * 4, 0, 0.35)[:, :, None]
    grain = 0.12 * (_tile(field01(rng, 0.6), size) - 0.5) + 0.14 * (
        _tile(field01(rng, 2.0), size) - 0.5
    )
    return to_u8(x * (1 - rims) + grain[:, :, None])


def _oil(rng: Generator, pixels: U8) -> U8:
    """Coarse strokes with a relief."""
    size = pixels.shape[0]
    x = _smooth(_smooth(pixels / 255, 4), int(rng.choice([4, 6])))
    mean = x.mean(-1, keepdims=True)
    x = mean + (x - mean) * float(rng.uniform(1.1, 1.5))
    relief = np.gradient(_blurred(x.mean(-1), 0.6), axis=0) * 1.5
    stroke = np.gradient(_tile(field01(rng, 1.0), size), axis=1) * 0.35
    return to_u8(x + (relief + stroke)[:, :, None])


def _pastel(rng: Generator, pixels: U8) -> U8:
    """Pale colours of chalk."""
    x = _blurred(pixels / 255, 0.6)
    pale = np.array(hue(rng, (0.1, 0.3), (0.95, 1.0)))
    x = x * 0.62 + pale * float(rng.uniform(0.3, 0.38))
    grain = _tile(field01(rng, 0.6), pixels.shape[0])[:, :, None]
    return to_u8(x + 0.14 * (grain - 0.5))


def _monochrome(rng: Generator, pixels: U8) -> U8:
    """Black and white, sepia or another pair of tones."""
    grey = _grey(pixels)[:, :, None] ** float(rng.uniform(0.8, 1.2))
    style = rng.random()
    if style < 0.4:
        dark, light = np.zeros(3), np.ones(3)
    elif style < 0.7:
        dark, light = np.array([0.13, 0.08, 0.04]), np.array([1.0, 0.93, 0.78])
    else:
        dark, light = (
            np.array(hue(rng, (0.4, 0.9), (0.05, 0.25))),
            np.array(hue(rng, (0.0, 0.3), (0.9, 1.0))),
        )
    return to_u8(dark + (light - dark) * grey)


def _halftone(rng: Generator, pixels: U8) -> U8:
    """Printed dots, in black or in colours."""
    size = pixels.shape[0]
    y, x = np.mgrid[0:size, 0:size]
    step = float(rng.uniform(3.2, 4.4))
    a = float(rng.uniform(0.2, 1.3))
    layers = []
    colours = pixels / 255 if rng.random() < 0.6 else np.repeat(_grey(pixels)[:, :, None], 1, 2)
    for k in range(colours.shape[2]):
        b = a + 0.45 * k
        u, v = x * np.cos(b) + y * np.sin(b), y * np.cos(b) - x * np.sin(b)
        dots = (np.cos(u * 2 * np.pi / step) + np.cos(v * 2 * np.pi / step)) / 4 + 0.5
        layers.append(np.clip((colours[:, :, k] - dots * 0.9) * 4 + 0.5, 0, 1))
    printed = np.stack(layers, -1)
    soft = colours * 0.35 + printed * 0.65
    return to_u8(np.broadcast_to(soft, (size, size, 3)))


def _facets(rng: Generator, pixels: U8) -> U8:
    """Plain polygons, each of the mean colour beneath it."""
    size = pixels.shape[0]
    n = int(size / float(rng.uniform(5.0, 7.5)))
    cell = size / n
    jitter = rng.uniform(0.05, 0.95, (n + 2, n + 2, 2))
    y, x = np.mgrid[0:size, 0:size] / cell
    best, owner = np.full((size, size), np.inf), np.zeros((size, size), np.int64)
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            i, j = y.astype(int) + a + 1, x.astype(int) + b + 1
            d = (i - 1 + jitter[i, j, 0] - y) ** 2 + (j - 1 + jitter[i, j, 1] - x) ** 2
            nearer = d < best
            best[nearer], owner[nearer] = d[nearer], (i * (n + 2) + j)[nearer]
    count = np.maximum(np.bincount(owner.ravel(), minlength=(n + 2) ** 2), 1)
    means = [
        np.bincount(owner.ravel(), pixels[:, :, c].ravel(), (n + 2) ** 2) / count for c in range(3)
    ]
    return to_u8(np.stack([m[owner] for m in means], -1) / 255)


def _pixelated(rng: Generator, pixels: U8) -> U8:
    """Large square pixels, mildly."""
    size = pixels.shape[0]
    n = int(size / float(rng.choice([2.5, 3, 4])))
    small = Image.fromarray(pixels).resize((n, n), Image.Resampling.BOX)
    if rng.random() < 0.5:
        step = 256 // int(rng.choice([8, 12, 16]))
        small = Image.fromarray((np.asarray(small) // step * step + step // 2).astype(np.uint8))
    return np.asarray(small.resize((size, size), Image.Resampling.NEAREST)).copy()


def _film(rng: Generator, pixels: U8) -> U8:
    """An old film's or an app's colours: tinted shades and lights, grain, dark corners."""
    size = pixels.shape[0]
    x = pixels / 255
    level = x.mean(-1, keepdims=True)
    shade, light = (
        np.array(hue(rng, (0.2, 0.7), (0.1, 0.3))),
        np.array(hue(rng, (0.05, 0.3), (0.9, 1.0))),
    )
    x = x * 0.8 + 0.35 * shade * (1 - level) + 0.2 * light * level
    y, u = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    far = (u**2 + y**2)[:, :, None]
    x = x * (1 - float(rng.uniform(0.05, 0.3)) * far)
    return to_u8(x + rng.normal(size=(size, size, 1)) * float(rng.uniform(0.01, 0.05)))


STYLES: Final[dict[str, Callable[[Generator, U8], U8]]] = {
    "sketch": _sketch,
    "ink": _ink,
    "cel": _cel,
    "watercolour": _watercolour,
    "oil": _oil,
    "pastel": _pastel,
    "monochrome": _monochrome,
    "halftone": _halftone,
    "facets": _facets,
    "pixelated": _pixelated,
    "film": _film,
}
"""The looks by name."""
