"""Items in order: by label, the highest key first."""

from __future__ import annotations

import math
from typing import Any

from physgauge.rules_kernel.fusion.loops.layout import ORDER, SPARE

RUN = 16
"""Items that are sorted by insertion before sorted runs are merged."""


def sort(low: int, high: int, key: Any, order: Any, spare: Any) -> None:
    """Sort order[low:high] so that `key` of its items falls; equals keep their order."""
    for first in range(low, high, RUN):
        for place in range(first + 1, min(first + RUN, high)):
            item, at = order[place], place
            while at > first and key[order[at - 1]] < key[item]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = item
    width = RUN
    while width < high - low:
        for first in range(low, high - width, 2 * width):
            middle, last = first + width, min(first + 2 * width, high)
            for place in range(first, middle):
                spare[place] = order[place]
            a, b, at = first, middle, first
            while a < middle:
                if b < last and key[order[b]] > key[spare[a]]:
                    order[at] = order[b]
                    b += 1
                else:
                    order[at] = spare[a]
                    a += 1
                at += 1
        width *= 2


def rank(low: int, high: int, labels: int, label: Any, key: Any, start: Any, whole: Any) -> None:
    """Group an image's items by label, the highest key first; -inf leaves an item out.

    Fills `start` and the order: label c owns order[start[c]:start[c + 1]].
    """
    order = whole[ORDER]
    for c in range(labels + 2):
        start[c] = 0
    for n in range(low, high):
        if key[n - low] > -math.inf:
            start[label[n] + 2] += 1
    for c in range(2, labels + 2):
        start[c] += start[c - 1]
    for n in range(low, high):
        if key[n - low] > -math.inf:
            order[start[label[n] + 1]] = n - low
            start[label[n] + 1] += 1
    for c in range(labels):
        sort(start[c], start[c + 1], key, order, whole[SPARE])
