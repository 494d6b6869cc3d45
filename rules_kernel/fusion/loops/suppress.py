"""Class-wise suppression, image after image."""

from __future__ import annotations

from typing import Any

from physgauge.rules_kernel.fusion.loops.grid import lay, nearest_in_grid, settle
from physgauge.rules_kernel.fusion.loops.layout import CELL, KEY, ORDER
from physgauge.rules_kernel.fusion.loops.order import rank
from physgauge.rules_kernel.fusion.loops.overlap import box, nearest, put, unsound

prange = range
"""Numba's own in the compiled copy."""


def suppress(
    first: int, last: int, how: Any, boxes: Any, keep: Any,
    start: Any, whole: Any, keys: Any, clusters: Any,
) -> int:  # fmt: skip
    """Images first:last; returns how many boxes break the contract, whose images are left alone."""
    labels, iou, crowd = how
    xyxy, score, label, offsets = boxes
    order, key, bad = whole[ORDER], keys[KEY], 0
    for image in range(first, last):
        low, high = offsets[image], offsets[image + 1]
        wrong = 0
        for n in range(low, high):
            wrong += unsound(n, labels, xyxy, score, label)
            key[n - low] = score[n]
        bad += wrong
        if wrong:
            continue
        rank(low, high, labels, label, key, start, whole)
        for c in range(labels):
            kept, gridded = 0, start[c + 1] - start[c] >= crowd
            grid = lay(low, start[c], start[c + 1] if gridded else start[c], xyxy, whole)
            for place in range(start[c], start[c + 1]):
                n = low + order[place]
                if gridded:
                    known = nearest_in_grid(n, xyxy, iou, True, clusters, grid, whole)
                else:
                    known = nearest(0, kept, n, xyxy, iou, True, clusters)
                if known >= 0:
                    keep[n] = False
                    continue
                x0, y0, x1, y1 = box(n, xyxy)
                put(kept, x0, y0, x1, y1, clusters)
                if gridded:
                    whole[CELL, kept] = -1
                    settle(kept, clusters, grid, whole)
                kept += 1
    return bad


def suppress_parallel(
    how: Any, boxes: Any, keep: Any, start: Any, whole: Any, keys: Any, clusters: Any
) -> int:
    """All images, in as many ranges side by side as there is scratch room for."""
    bad, chunks, images = 0, len(clusters), len(boxes[3]) - 1
    for c in prange(chunks):
        first, last = images * c // chunks, images * (c + 1) // chunks
        bad += suppress(
            first, last, how, boxes, keep, start[c], whole[c], keys[c], clusters[c]
        )  # fmt: skip
    return bad
