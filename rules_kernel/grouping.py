"""What a generated kernel does before its rules: groups one image's boxes by label, checks values in
passing, counts. Compiled like `geometry`. A place is a position among the grouped boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physgauge.rules_kernel.geometry import ABSENT, Box, area, box_at, joined

VIEW_COUNT = 6
"""Length of arrays.VIEWS, as a constant that compiles."""


def group_boxes(
    low: int,
    high: int,
    components: int,
    xyxy: Any,
    score: Any,
    label: Any,
    start: Any,
    order: Any,
    placed: Any,
) -> int:
    """Group one image's packed boxes low:high by label, in packed order within a label.

    Fills start[C+1] (component c owns places start[c]:start[c+1]), order[n] (packed row of each
    place) and placed[n,4] (its box). Returns how many boxes break the contract (not finite,
    inverted, score or label out of range); the caller then discards the results.
    """
    bad = 0
    for c in range(components + 1):
        start[c] = 0
    for n in range(low, high):
        c = label[n]
        if c < 0 or c >= components:
            bad += 1
            c = 0
        start[c + 1] += 1
    total = 0
    for c in range(1, components + 1):
        here = start[c]
        start[c] = total
        total += here
    for n in range(low, high):
        c = label[n]
        if c < 0 or c >= components:
            c = 0
        place = start[c + 1]
        start[c + 1] = place + 1
        order[place] = n
        x0, y0, x1, y1, s = xyxy[n, 0], xyxy[n, 1], xyxy[n, 2], xyxy[n, 3], score[n]
        sound = x0 > -3.4e38 and y0 > -3.4e38 and x1 < 3.4e38 and y1 < 3.4e38
        if not (sound and x0 <= x1 and y0 <= y1 and s >= 0 and s <= 1):
            bad += 1
        placed[place, 0], placed[place, 1] = x0, y0
        placed[place, 2], placed[place, 3] = x1, y1
    return bad


def unsound(
    i: int, components: int, counts: Any, expected_min: Any, expected_max: Any, view: Any, size: Any
) -> int:
    """How many of image i's observations break the contract (see `check_observed`)."""
    bad = 0
    for c in range(components):
        a, b, d = counts[i, c], expected_min[i, c], expected_max[i, c]
        if a < 0 or a > 3.4e38 or b < 0 or b > 3.4e38 or d < 0 or d > 3.4e38:
            bad += 1
    if not (size[i, 0] > 0 and size[i, 0] < 3.4e38 and size[i, 1] > 0 and size[i, 1] < 3.4e38):
        bad += 1
    if view[i] < 0 or view[i] >= VIEW_COUNT:
        bad += 1
    return bad


def counted(count: float, boxes: int) -> float:
    """The fused count, or the number of boxes where nobody counted."""
    if math.isnan(count):
        return np.float64(boxes)
    return np.float64(count)


def is_foreign(label: int, i: int, components: int, expected_max: Any) -> bool:
    """The image's type does not have the component, or it is "other", the last one."""
    return label == components - 1 or expected_max[i, label] == 0.0


def foreign_count(i: int, components: int, counts: Any, start: Any, expected_max: Any) -> float:
    """Fused counts of all foreign components together."""
    total = 0.0
    for c in range(components):
        # No branch: which parts are foreign differs from image to image.
        here = counted(counts[i, c], start[c + 1] - start[c])
        total += here * np.float64(is_foreign(c, i, components, expected_max))
    return total


def foreign_boxes(i: int, components: int, start: Any, expected_max: Any) -> float:
    """Boxes of all foreign components together."""
    total = 0
    for c in range(components):
        total += (start[c + 1] - start[c]) * np.int64(is_foreign(c, i, components, expected_max))
    return np.float64(total)


def first_place(low: int, high: int) -> int:
    """The first of the places low:high, or -1."""
    return low if low < high else -1


def best_place(low: int, high: int, score: Any, order: Any) -> int:
    """The place of the highest score in low:high (the first of equals), or -1."""
    top = first_place(low, high)
    for place in range(low + 1, high):
        if score[order[place]] > score[order[top]]:
            top = place
    return top


def hull_over(low: int, high: int, placed: Any) -> Box:
    """Hull of the boxes at places low:high; absent for none."""
    hull = ABSENT
    for place in range(low, high):
        hull = joined(hull, box_at(placed, place))
    return hull


def larger_place(a: int, b: int, placed: Any) -> int:
    """Of place a (or -1) and place b, the one of larger area; a, where equal."""
    if a < 0 or area(box_at(placed, b)) > area(box_at(placed, a)):
        return b
    return a


DEVICE = (
    group_boxes, unsound, counted, is_foreign, foreign_count, foreign_boxes, first_place, best_place,
    hull_over, larger_place,
)  # fmt: skip
