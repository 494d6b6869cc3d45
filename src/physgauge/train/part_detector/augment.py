"""Random views of a training image: geometry first (boxes follow), then colour.

Everything works on one image at a time and takes its own generator, so that a sample depends only on
(seed, epoch, index), whatever the number of workers.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from physgauge.ensemble import letterbox
from physgauge.types import F32, U8

MIN_SIDE_PX = 3.0
"""Boxes with a shorter side are not learned, only ignored."""
MIN_KEPT = 0.4
"""A box that keeps less of its area after cropping or covering is ignored."""


@dataclass(frozen=True)
class View:
    """One network input with its boxes."""

    image: U8
    """[S, S, 3]."""
    xyxy: F32
    """[n, 4] px of the input, one row per box of the image; empty where it left the picture."""
    ignore: NDArray[np.bool_]
    """[n] neither to be found nor to be punished."""


def plain(image: Image.Image, xyxy: F32, size: int) -> View:
    """The view that inference uses: the letterboxed image."""
    square, placement = letterbox.letterbox(np.asarray(image), size)
    boxes = letterbox.to_square(xyxy, placement)
    return View(square, boxes, _too_small(boxes))


def random_view(
    image: Image.Image, xyxy: F32, size: int, rng: np.random.Generator, plain_share: float = 0.3
) -> View:
    """Random scale, aspect and position (but for `plain_share` of the draws), flip, cover and colour."""
    framed = rng.random() < plain_share
    view = plain(image, xyxy, size) if framed else _moved(image, xyxy, size, rng)
    if rng.random() < 0.5:
        view = flipped(view)
    if rng.random() < 0.25:
        view = _covered(view, rng)
    return View(colour(view.image, rng), view.xyxy, view.ignore)


def flipped(view: View) -> View:
    """The mirror image."""
    size = view.image.shape[1]
    boxes = view.xyxy.copy()
    boxes[:, [0, 2]] = size - view.xyxy[:, [2, 0]]
    return View(np.ascontiguousarray(view.image[:, ::-1]), boxes, view.ignore)


def _too_small(xyxy: F32) -> NDArray[np.bool_]:
    return np.asarray(
        np.minimum(xyxy[:, 2] - xyxy[:, 0], xyxy[:, 3] - xyxy[:, 1]) < MIN_SIDE_PX, np.bool_
    )


def _moved(image: Image.Image, xyxy: F32, size: int, rng: np.random.Generator) -> View:
    """The image scaled by 0.6..1.5 and moved, on a ground of one colour."""
    scale = size / max(image.size) * float(np.exp(rng.uniform(np.log(0.6), np.log(1.5))))
    aspect = float(np.exp(rng.uniform(-0.12, 0.12)))
    sx, sy = scale * aspect, scale / aspect
    width, height = image.width * sx, image.height * sy
    # Offset of the image in the square: inside it if it fits, else a crop; centred on average.
    left = float(np.round(rng.uniform(min(0, size - width), max(0, size - width))))
    top = float(np.round(rng.uniform(min(0, size - height), max(0, size - height))))
    x0, y0 = max(0.0, left), max(0.0, top)
    x1, y1 = min(float(size), np.floor(left + width)), min(float(size), np.floor(top + height))
    source = ((x0 - left) / sx, (y0 - top) / sy, (x1 - left) / sx, (y1 - top) / sy)
    source = (source[0], source[1], min(source[2], image.width), min(source[3], image.height))
    shape = (int(x1 - x0), int(y1 - y0))
    part = image.resize(shape, Image.Resampling.BILINEAR, box=source)
    square = np.empty((size, size, 3), np.uint8)
    square[:] = letterbox.GREY if rng.random() < 0.5 else rng.integers(0, 256, 3)
    square[int(y0) : int(y1), int(x0) : int(x1)] = np.asarray(part)
    boxes = xyxy * np.array([sx, sy, sx, sy]) + np.array([left, top, left, top])
    return _clipped(square, boxes.astype(np.float32), (x0, y0, x1, y1))


def _clipped(square: U8, boxes: F32, window: tuple[float, float, float, float]) -> View:
    x0, y0, x1, y1 = window
    inside = np.clip(boxes, [x0, y0, x0, y0], [x1, y1, x1, y1]).astype(np.float32)
    area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    kept = np.prod(inside[:, 2:] - inside[:, :2], axis=1)
    ignore = (kept < MIN_KEPT * area) | _too_small(inside)
    return View(square, inside, np.asarray(ignore, np.bool_))


def _covered(view: View, rng: np.random.Generator) -> View:
    """A few small rectangles of one colour or of noise laid over the image."""
    image, ignore = view.image.copy(), view.ignore.copy()
    size = image.shape[0]
    area = np.prod(view.xyxy[:, 2:] - view.xyxy[:, :2], axis=1)
    for _ in range(int(rng.integers(1, 4))):
        w, h = rng.integers(6, 36, 2)
        x, y = rng.integers(0, size - w), rng.integers(0, size - h)
        noisy = rng.random() < 0.3
        image[y : y + h, x : x + w] = rng.integers(0, 256, (h, w, 3) if noisy else (1, 1, 3))
        overlap = np.minimum(view.xyxy[:, 2:], [x + w, y + h]) - np.maximum(
            view.xyxy[:, :2], [x, y]
        )
        ignore |= np.prod(np.clip(overlap, 0, None), axis=1) > 0.35 * area
    return View(image, view.xyxy, ignore)


def colour(image: U8, rng: np.random.Generator) -> U8:
    """Random gain, contrast, gamma, saturation, blur, noise and JPEG loss."""
    if rng.random() < 0.75:
        image = _tone(image, rng)
    if rng.random() < 0.35:
        image = _saturation(image, rng)
    if rng.random() < 0.12:
        picture = Image.fromarray(image).filter(ImageFilter.BoxBlur(rng.uniform(0.3, 1.2)))
        image = np.asarray(picture)
    if rng.random() < 0.25:
        image = _noise(image, rng)
    if rng.random() < 0.08:
        buffer = io.BytesIO()
        Image.fromarray(image).save(buffer, "JPEG", quality=int(rng.integers(35, 92)))
        image = np.asarray(Image.open(buffer))
    return image


def _tone(image: U8, rng: np.random.Generator) -> U8:
    ramp = np.linspace(0, 1, 256)[:, None]
    curve = ramp ** np.exp(rng.uniform(-0.4, 0.4))
    curve = (curve - 0.5) * np.exp(rng.uniform(-0.35, 0.3)) + 0.5 + rng.uniform(-0.12, 0.12)
    curve = curve * np.exp(rng.normal(0, 0.08, 3))
    if rng.random() < 0.02:
        curve = 1 - curve
    table = np.clip(curve * 255, 0, 255).astype(np.uint8)
    return np.asarray(Image.fromarray(image).point(table.T.reshape(-1).tolist()))


def _saturation(image: U8, rng: np.random.Generator) -> U8:
    """Mix with grey, or rotate the hue: one 3x3 colour matrix that keeps grey grey."""
    keep = 0.0 if rng.random() < 0.15 else rng.uniform(0.3, 1.5)
    turn = rng.uniform(-0.6, 0.6) if rng.random() < 0.5 else 0.0
    axis = np.full((3, 3), 1 / 3)
    cross = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / np.sqrt(3)
    matrix = axis + keep * (np.cos(turn) * (np.eye(3) - axis) + np.sin(turn) * cross)
    rows = np.hstack([matrix, np.zeros((3, 1))]).reshape(-1)
    return np.asarray(Image.fromarray(image).convert("RGB", tuple(rows.tolist())))


def _noise(image: U8, rng: np.random.Generator) -> U8:
    """Noise of up to 12 levels, by a small tile repeated: a full draw would cost more than a step."""
    tile = rng.normal(0, rng.uniform(2, 12), (80, 80, 3)).astype(np.int16)
    n = -(-image.shape[0] // 80)
    field = np.tile(tile, (n, n, 1))[: image.shape[0], : image.shape[1]]
    noisy: U8 = np.clip(image.astype(np.int16) + field, 0, 255).astype(np.uint8)
    return noisy
