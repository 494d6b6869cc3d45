"""Closer looks: parts of an image as further views of it, and what all views say together.

Crowds and tiny structures are where a judge misses. A probe has found something if any view has; it has
found nothing only if every view was answered and none has. Eligibility and severity are asked of the
whole image.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from physgauge import wire
from physgauge.ensemble.judge.engine import Reply
from physgauge.ensemble.judge.look import Crop
from physgauge.judge_settings import ViewSettings
from physgauge.types import U8

Boxes = Sequence[Sequence[float]]
"""xyxy in px of the image."""
_COLUMNS: Final = ("left", "middle", "right")
_ROWS: Final = ("upper", "central", "lower")
WHOLE_SHARE: Final = 0.8
"""A crop of at least this share of the image shows nothing new."""


def tiles(width: int, height: int, settings: ViewSettings) -> tuple[Crop, ...]:
    """The image in a grid, row by row, each tile with its margin."""
    xs = np.linspace(0, width, settings.columns + 1)
    ys = np.linspace(0, height, settings.rows + 1)
    boxes = [
        (xs[i], ys[j], xs[i + 1], ys[j + 1])
        for j in range(settings.rows)
        for i in range(settings.columns)
    ]
    return _crops(boxes, width, height, settings)


def subject_boxes(row: wire.Row) -> Boxes:
    """Where a row says that its subjects are; of a single one, around all that is detected."""
    boxes = [subject.box for subject in row.pcmde.subjects]
    if boxes or not row.detections:
        return boxes
    each = [detection.box for detection in row.detections]
    low = [min(box[k] for box in each) for k in (0, 1)]
    return [[*low, *(max(box[k] for box in each) for k in (2, 3))]]


def around(boxes: Boxes, width: int, height: int, settings: ViewSettings) -> tuple[Crop, ...]:
    """Crops around subjects, the largest first.

    Args:
        boxes: xyxy in px of the image, one a subject.
        width: of the image, px.
        height: of the image, px.
        settings: margin, and how many at most.
    """
    order = sorted(boxes, key=lambda b: (b[0] - b[2]) * (b[3] - b[1]))
    return _crops(order, width, height, settings)[: settings.most]


def _crops(
    boxes: Sequence[Sequence[float]], width: int, height: int, settings: ViewSettings
) -> tuple[Crop, ...]:
    crops: list[Crop] = []
    for x0, y0, x1, y1 in boxes:
        dx, dy = settings.margin * (x1 - x0), settings.margin * (y1 - y0)
        crop = (
            max(0, int(x0 - dx)),
            max(0, int(y0 - dy)),
            min(width, int(np.ceil(x1 + dx))),
            min(height, int(np.ceil(y1 + dy))),
        )
        w, h = crop[2] - crop[0], crop[3] - crop[1]
        small = min(w, h) < settings.min_side_px
        if not small and w * h < WHOLE_SHARE * width * height and crop not in crops:
            crops.append(crop)
    return tuple(crops)


def crop_of(image: U8, crop: Crop) -> U8:
    """[h, w, 3] the part of an image, as an array of its own."""
    x0, y0, x1, y1 = crop
    return np.ascontiguousarray(image[y0:y1, x0:x1])


def place(box: Sequence[float] | None, width: int, height: int) -> str:
    """Where a box is, to put behind a noun: " in the upper left"; empty for None."""
    if box is None:
        return ""
    x, y = (box[0] + box[2]) / 2 / width, (box[1] + box[3]) / 2 / height
    row, column = _ROWS[min(int(3 * y), 2)], _COLUMNS[min(int(3 * x), 2)]
    return f" in the {row} {column}"


def merged(
    probes: Sequence[str],
    whole: Sequence[Reply],
    closer: Sequence[Sequence[Reply]],
    crops: Sequence[Crop],
    yes_from: float,
) -> dict[str, wire.Answer]:
    """What all views say of each probe.

    Args:
        probes: [Q] ids.
        whole: [Q] replies about the whole image.
        closer: [V][Q] replies about each crop.
        crops: [V].
        yes_from: P(yes) from which something has been found.
    """
    views: list[tuple[Crop | None, Sequence[Reply]]] = [(None, whole)]
    views += zip(crops, closer, strict=True)
    return {
        probe: _together([(crop, replies[q]) for crop, replies in views], yes_from)
        for q, probe in enumerate(probes)
    }


def _together(views: Sequence[tuple[Crop | None, Reply]], yes_from: float) -> wire.Answer:
    """One probe's answer. The surest view speaks; the whole image, where views are equally sure."""
    lost: list[wire.Outcome] = [reply.outcome for _, reply in views if reply.outcome != "answered"]
    answered = [(crop, reply) for crop, reply in views if reply.outcome == "answered"]
    crop, best = max(answered, key=lambda v: _sure(v[1]), default=views[0])
    found = _found(best, yes_from)
    if not found and lost:
        return wire.Answer(outcome=lost[0])
    # A view without an answer might have been surer still: what was found stands, its probability
    # doesn't.
    return wire.Answer(
        outcome="answered",
        answer=best.answer if best.p is None else found,
        p_yes=None if lost else best.p,
        box=[float(v) for v in crop] if found and crop is not None else None,
    )


def _sure(reply: Reply) -> float:
    return (1.0 if reply.answer else 0.0) if reply.p is None else reply.p


def _found(reply: Reply, yes_from: float) -> bool:
    return bool(reply.answer) if reply.p is None else reply.p >= yes_from
