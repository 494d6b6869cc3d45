"""Pictures of nothing we know, so that "none" means more than "another generated scene".

Photographs share statistics that rendered scenes lack: edges at all scales, occlusion, texture at
random. *Dead leaves* (random shapes that cover each other, sizes by a power law) and *1/f noise* have
them without holding any object. Pages of strokes and patch-shuffled positives complete the set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from physgauge.types import U8


def power_noise(rng: np.random.Generator, size: int, exponent: float, colour: float) -> U8:
    """Coloured noise [size, size, 3] with spectrum 1/f^exponent; `colour` 0 = grey, 1 = free channels."""
    f = np.fft.fftfreq(size)
    radius = np.hypot(f[:, None], f[None, :])
    radius[0, 0] = 1.0 / size
    shared = _noise_plane(rng, radius, exponent)
    planes = [
        (1 - colour) * shared + colour * _noise_plane(rng, radius, exponent) for _ in range(3)
    ]
    mean = rng.uniform(60, 190, 3)
    spread = rng.uniform(20, 60)
    image = np.stack(planes, -1) * spread + mean
    return np.clip(image, 0, 255).astype(np.uint8)


def _noise_plane(
    rng: np.random.Generator, radius: NDArray[np.float64], exponent: float
) -> NDArray[np.float64]:
    phase = np.exp(2j * np.pi * rng.random(radius.shape))
    plane = np.fft.ifft2(phase * radius**-exponent).real
    return np.asarray((plane - plane.mean()) / (plane.std() + 1e-9), np.float64)


def dead_leaves(rng: np.random.Generator, size: int) -> U8:
    """Discs, boxes and bars that cover each other, radii by r^-3, some textured or shaded."""
    image = np.empty((size, size, 3), np.float32)
    image[:] = rng.uniform(20, 235, 3)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    texture = power_noise(rng, size, rng.uniform(0.6, 1.6), 0.3).astype(np.float32) - 128.0
    base = rng.uniform(30, 225, 3)
    spread = rng.uniform(20, 90)
    smallest = rng.uniform(3, 14)
    for _ in range(int(rng.integers(40, 220))):
        r = min(smallest / np.sqrt(1.0 - rng.random() * (1 - (smallest / 140) ** 2)), 140.0)
        cx, cy, turn = rng.uniform(0, size), rng.uniform(0, size), rng.uniform(0, np.pi)
        x0, x1 = int(max(0, cx - 1.5 * r)), int(min(size, cx + 1.5 * r + 1))
        y0, y1 = int(max(0, cy - 1.5 * r)), int(min(size, cy + 1.5 * r + 1))
        if x1 <= x0 or y1 <= y0:
            continue
        u = (x[y0:y1, x0:x1] - cx) * np.cos(turn) + (y[y0:y1, x0:x1] - cy) * np.sin(turn)
        v = (y[y0:y1, x0:x1] - cy) * np.cos(turn) - (x[y0:y1, x0:x1] - cx) * np.sin(turn)
        squash = rng.uniform(0.3, 1.0)
        kind = rng.integers(3)
        if kind == 0:
            inside = u**2 + (v / squash) ** 2 < r**2
        elif kind == 1:
            inside = (np.abs(u) < r) & (np.abs(v) < r * squash)
        else:
            inside = np.abs(u) + np.abs(v) / squash < r
        leaf = np.clip(base + rng.normal(0, spread, 3), 0, 255) + np.zeros((1, 1, 3))
        patch = np.broadcast_to(leaf, (y1 - y0, x1 - x0, 3)).astype(np.float32)
        if rng.random() < 0.5:
            patch = patch * (1.0 + rng.uniform(-0.6, 0.6) * (u / r))[..., None]
        if rng.random() < 0.4:
            patch = patch + rng.uniform(0.2, 1.0) * texture[y0:y1, x0:x1]
        image[y0:y1, x0:x1][inside] = patch[inside]
    return np.clip(image, 0, 255).astype(np.uint8)


def strokes(rng: np.random.Generator, size: int) -> U8:
    """A page: rows of short dark marks on a light ground, or the reverse."""
    paper, ink = rng.uniform(170, 255, 3), rng.uniform(0, 90, 3)
    if rng.random() < 0.4:
        paper, ink = ink, paper
    image = np.empty((size, size, 3), np.float32)
    image[:] = paper
    pitch = int(rng.integers(8, 40))
    for y in range(int(rng.integers(0, pitch)), size, pitch):
        x = int(rng.integers(0, 30))
        while x < size:
            for _ in range(int(rng.integers(2, 9))):
                w, h = (
                    int(rng.integers(1, max(2, pitch // 3))),
                    int(rng.integers(2, max(3, pitch - 3))),
                )
                image[y : y + h, x : x + w] = ink
                x += w + int(rng.integers(1, 4))
            x += int(rng.integers(3, pitch))
    return np.clip(image, 0, 255).astype(np.uint8)


def shuffled(rng: np.random.Generator, image: U8, cells: int) -> U8:
    """The image's cells x cells tiles in random order: its colours and textures without its object."""
    size = image.shape[0] // cells * cells
    tile = size // cells
    tiles = image[:size, :size].reshape(cells, tile, cells, tile, 3).swapaxes(1, 2)
    flat = tiles.reshape(-1, tile, tile, 3)[rng.permutation(cells * cells)]
    mixed = flat.reshape(cells, cells, tile, tile, 3).swapaxes(1, 2).reshape(size, size, 3)
    out = image.copy()
    out[:size, :size] = mixed
    return out


def draw(rng: np.random.Generator, size: int) -> U8:
    """One procedural negative [size, size, 3], most of them muted as photographs are."""
    kind = rng.random()
    if kind < 0.6:
        image = dead_leaves(rng, size)
    elif kind < 0.88:
        image = power_noise(rng, size, rng.uniform(0.5, 2.2), rng.uniform(0, 0.8))
    else:
        image = strokes(rng, size)
    grey = image.mean(-1, keepdims=True)
    muted: U8 = np.clip(grey + rng.uniform(0, 1) * (image - grey), 0, 255).astype(np.uint8)
    return muted


def bank(seed: int, count: int, size: int) -> U8:
    """`count` negatives [count, size, size, 3]; the same seed gives the same pictures."""
    return np.stack([draw(np.random.default_rng((seed, i)), size) for i in range(count)])
