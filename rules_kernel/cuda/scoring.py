"""What the CUDA entry calls besides the rules: bounds of an image's boxes, and its scores. Plain
functions, compiled like `geometry`."""

from __future__ import annotations

import math
from typing import Any

CATEGORY_COUNT = 4
"""Length of pack.CATEGORIES, as a constant that compiles."""

MOST_BOXES = 1024
"""arrays.MAX_BOXES_PER_IMAGE, as a constant that compiles."""


def boxes_of(i: int, offsets: Any, boxes: int) -> Any:
    """How many boxes image i has; -1 where its offsets do not fit into `boxes` packed boxes."""
    low, high, last = offsets[i], offsets[i + 1], offsets.shape[0] - 2
    if low < 0 or high < low or high > boxes or high - low > MOST_BOXES:
        return -1
    if (i == 0 and low != 0) or (i == last and high != boxes):
        return -1
    return high - low


def score_image(
    i: int,
    status: Any,
    by_category: Any,
    bounds: Any,
    rule_weights: Any,
    weights: Any,
    minimum: int,
    s_category: Any,
    s_rules: Any,
    used: Any,
    applicable: Any,
) -> None:
    """Image i's category shares and S_rules from its statuses (as `aggregate.rule_scores`).

    by_category i32[R] the rules sorted by category, bounds i32[5] where each category starts in it,
    rule_weights f64[R] in that order. Writes s_category f64[B,4], s_rules f64[B], used f64[B,4] (the
    category weights as used), applicable i64[B].
    """
    total, apply = 0.0, 0
    for c in range(CATEGORY_COUNT):
        counted, satisfied = 0.0, 0.0
        for k in range(bounds[c], bounds[c + 1]):
            one = status[i, by_category[k]]
            if one >= 0:
                apply += 1
                counted += rule_weights[k]
                if one == 1:
                    satisfied += rule_weights[k]
        if counted > 0:
            s_category[i, c] = satisfied / counted
            used[i, c] = weights[c]
            total += weights[c]
        else:
            s_category[i, c] = math.nan
            used[i, c] = 0.0
    score = 0.0
    for c in range(CATEGORY_COUNT):
        if used[i, c] > 0:
            used[i, c] /= total
            score += used[i, c] * s_category[i, c]
    applicable[i] = apply
    s_rules[i] = 100.0 * score if apply >= minimum and total > 0 else math.nan


DEVICE = (boxes_of, score_image)
