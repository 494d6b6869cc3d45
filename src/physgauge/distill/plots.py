"""The report's pictures, by Pillow alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from physgauge.train.student.metrics import Reliability
from physgauge.types import F64

SIDE, EDGE = 420, 46
"""Side of a square plot and width of the margins for its labels, px."""
INK, PALE, BLUE, RED = (30, 30, 30), (205, 205, 205), (40, 95, 175), (190, 60, 50)


def scatter(path: Path, teacher: F64, student: F64, title: str) -> None:
    """Scores of one image each, 0..1."""
    image, draw = _square(title, "teacher", "student")
    for x, y in zip(teacher, student, strict=True):
        px, py = _at(float(x), float(y))
        draw.ellipse((px - 2, py - 2, px + 2, py + 2), fill=BLUE)
    image.save(path)


def diagram(path: Path, table: Reliability, title: str) -> None:
    """Reliability: what was said against what happened, with the share of answers in each bin."""
    image, draw = _square(title, "said", "happened")
    total = max(1, int(table.count.sum()))
    bins = len(table.count)
    for k, count in enumerate(table.count):
        (x0, y1), (x1, _) = _at(k / bins, 0), _at((k + 1) / bins, 0)
        top = _at(0, float(count) / total)[1]
        draw.rectangle((x0 + 1, top, x1 - 1, y1), fill=PALE)
    seen = [k for k in range(bins) if table.count[k]]
    points = [_at(float(table.said[k]), float(table.happened[k])) for k in seen]
    if len(points) > 1:
        draw.line(points, fill=RED, width=2)
    for x, y in points:
        draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=RED)
    draw.text((EDGE + 8, EDGE + 6), f"ECE {table.ece:.3f}; grey: share of answers", INK, _font(12))
    image.save(path)


def bars(path: Path, values: Mapping[str, float | None], title: str) -> None:
    """One bar a category, 0..1; "-" where nothing is known."""
    row, left = 22, 190
    image = Image.new("RGB", (left + 300, EDGE + row * len(values) + 16), "white")
    draw = ImageDraw.Draw(image)
    draw.text((12, 12), title, INK, _font(15))
    for k, (name, value) in enumerate(values.items()):
        y = EDGE + k * row
        draw.text((12, y + 2), name, INK, _font(12))
        if value is None or not np.isfinite(value):
            draw.text((left, y + 2), "-", INK, _font(12))
            continue
        width = round(240 * min(1.0, max(0.0, value)))
        draw.rectangle((left, y + 3, left + width, y + row - 5), fill=BLUE if value > 0 else RED)
        draw.text((left + width + 6, y + 2), f"{value:.2f}", INK, _font(12))
    image.save(path)


def _square(title: str, across: str, up: str) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """Axes from 0 to 1 with the diagonal."""
    full = SIDE + 2 * EDGE
    image = Image.new("RGB", (full, full), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((EDGE, EDGE, EDGE + SIDE, EDGE + SIDE), outline=INK)
    draw.line((_at(0, 0), _at(1, 1)), fill=PALE)
    draw.text((EDGE, 14), title, INK, _font(15))
    draw.text((EDGE + SIDE // 2 - 20, EDGE + SIDE + 22), across, INK, _font(13))
    draw.text((4, EDGE - 18), up, INK, _font(13))
    for value in (0, 0.5, 1):
        x, y = _at(value, value)
        draw.text((x - 8, EDGE + SIDE + 5), f"{value:g}", INK, _font(12))
        draw.text((EDGE - 28, y - 7), f"{value:g}", INK, _font(12))
    return image, draw


def _at(x: float, y: float) -> tuple[float, float]:
    return EDGE + SIDE * x, EDGE + SIDE * (1 - y)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def write_all(
    folder: Path, scores: tuple[F64, F64], table: Reliability, per: Mapping[str, float | None],
    teachers: Sequence[str],
) -> list[str]:  # fmt: skip
    """All pictures of a report; their names come back."""
    student, teacher = scores
    scatter(folder / "score.png", teacher, student, f"expected score; teacher {teachers[0][:40]}")
    diagram(folder / "reliability.png", table, "P(yes), all categories, against the teacher's")
    bars(folder / "categories.png", per, "correlation with the teacher's P(yes)")
    return ["score.png", "reliability.png", "categories.png"]
