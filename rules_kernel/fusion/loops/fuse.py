"""Weighted box fusion, image after image."""

from __future__ import annotations

from typing import Any

from physgauge.rules_kernel.fusion.loops.cluster import confidence, join, weigh
from physgauge.rules_kernel.fusion.loops.grid import lay, nearest_in_grid, settle
from physgauge.rules_kernel.fusion.loops.layout import (
    CELL,
    KEY,
    LABEL,
    MASK,
    ORDER,
    SCORE,
    SPARE,
    X0,
    X1,
    Y0,
    Y1,
)
from physgauge.rules_kernel.fusion.loops.order import rank, sort
from physgauge.rules_kernel.fusion.loops.overlap import nearest

prange = range
"""Numba's own in the compiled copy."""
HEAVY = 1e200
"""Weights from here on: their sums may overflow, and a box that is no number has no place in a grid."""


def gather(
    c: int, made: int, low: int, how: Any, boxes: Any, weight: Any, totals: Any,
    start: Any, whole: Any, keys: Any, clusters: Any,
) -> int:  # fmt: skip
    """Cluster the boxes of label c, behind the `made` clusters of other labels; returns how many there
    are then."""
    _, iou, _, _, _, crowd = how
    order, key, mine = whole[ORDER], keys[KEY], made
    first, last = start[c], start[c + 1]
    gridded = last - first >= crowd and totals[c, 1] < HEAVY
    grid = lay(low, first, last if gridded else first, boxes[0], whole)
    for place in range(first, last):
        n = low + order[place]
        if gridded:
            k = nearest_in_grid(n, boxes[0], iou, False, clusters, grid, whole)
        else:
            k = nearest(mine, made, n, boxes[0], iou, False, clusters)
        fresh = k < 0
        if fresh:
            k = made
            made += 1
            whole[CELL, k] = -1
        s, w = key[order[place]], weight[boxes[3][n], c]
        join(k, n, fresh, s, w, boxes, whole, clusters)
        if gridded:
            settle(k, clusters, grid, whole)
    return made


def write(
    low: int, made: int, sources: int, out: Any, whole: Any, keys: Any, clusters: Any
) -> None:
    """The clusters, best first, to packed rows from `low` on."""
    xyxy, score, label, source, support, _ = out
    order = whole[ORDER]
    for k in range(made):
        order[k] = k
    sort(0, made, keys[SCORE], order, whole[SPARE])
    for place in range(made):
        k, row = order[place], low + place
        xyxy[row, 0], xyxy[row, 1] = clusters[k, X0], clusters[k, Y0]
        xyxy[row, 2], xyxy[row, 3] = clusters[k, X1], clusters[k, Y1]
        score[row], label[row] = keys[SCORE, k], clusters[k, LABEL]
        number, one = 0, -1
        for s in range(sources):
            if (whole[MASK, k] >> s) & 1:
                number, one = number + 1, s
        support[row] = number
        source[row] = one if number == 1 else -1


def fuse(
    first: int, last: int, how: Any, boxes: Any, weight: Any, totals: Any, out: Any,
    start: Any, whole: Any, keys: Any, clusters: Any,
) -> int:  # fmt: skip
    """Images first:last. Writes an image's fused boxes from its first packed row on, and their number;
    returns how many boxes break the contract, whose images are left alone.

    how: labels, thresholds of overlap and score, kind of score, overflow, fewest boxes of a label for a
    grid; weight[S, L]; totals[L, 3], see `confidence`.
    """
    labels, _, least, kind, overflow, _ = how
    key, bad = keys[KEY], 0
    for image in range(first, last):
        low, high = boxes[4][image], boxes[4][image + 1]
        wrong = weigh(low, high, labels, least, boxes, weight, key)
        bad += wrong
        out[5][image] = 0
        if wrong:
            continue
        rank(low, high, labels, boxes[2], key, start, whole)
        made = 0
        for c in range(labels):
            mine = made
            made = gather(
                c, made, low, how, boxes, weight, totals, start, whole, keys, clusters
            )  # fmt: skip
            for k in range(mine, made):
                keys[SCORE, k] = confidence(k, kind, overflow, totals[c], clusters)
                clusters[k, LABEL] = c
        write(low, made, len(weight), out, whole, keys, clusters)
        out[5][image] = made
    return bad


def fuse_parallel(
    how: Any, boxes: Any, weight: Any, totals: Any, out: Any,
    start: Any, whole: Any, keys: Any, clusters: Any,
) -> int:  # fmt: skip
    """All images, in as many ranges side by side as there is scratch room for."""
    bad, chunks, images = 0, len(clusters), len(boxes[4]) - 1
    for c in prange(chunks):
        first, last = images * c // chunks, images * (c + 1) // chunks
        bad += fuse(
            first, last, how, boxes, weight, totals, out, start[c], whole[c], keys[c], clusters[c]
        )  # fmt: skip
    return bad


def close_up(offsets: Any, packed: Any, out: Any, to: Any) -> None:
    """Copy what `fuse` wrote without the gaps between images; `packed` are the new offsets."""
    for image in range(len(packed) - 1):
        shift = offsets[image] - packed[image]
        for row in range(packed[image], packed[image + 1]):
            for side in range(4):
                to[0][row, side] = out[0][row + shift, side]
            to[1][row] = out[1][row + shift]
            to[2][row] = out[2][row + shift]
            to[3][row] = out[3][row + shift]
            to[4][row] = out[4][row + shift]
