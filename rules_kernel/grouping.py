"""What a generated kernel does around its rules: groups boxes by label, checks values in passing,
writes outcomes. Compiled like `geometry`."""

from __future__ import annotations

import math
from typing import Any

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


def finish(
    truth: int,
    value: float,
    a: int,
    b: int,
    i: int,
    rule: int,
    order: Any,
    status: Any,
    measured: Any,
    witness: Any,
) -> None:
    """Write one rule's outcome; a and b are places of boxes or -1, a repeated one is dropped."""
    if a < 0 or a == b:
        a, b = max(a, b), -1
    status[i, rule] = -1 if truth == 1 else truth // 2
    known = truth != 1 and abs(value) < 3.4e38
    measured[i, rule] = value if known else math.nan
    witness[i, rule, 0] = order[a] if truth != 1 and a >= 0 else -1
    witness[i, rule, 1] = order[b] if truth != 1 and b >= 0 else -1


DEVICE = (group_boxes, unsound, finish)
