"""The compiled loops of the fusion kernels. Importing this module imports Numba: the functions that
users call do so on first use.

All loops are in one file, since Numba's cache looks at the file of the function it compiles only: a
helper that changed elsewhere would stay as it was. An image's boxes are packed rows low:high; an item
is a row's distance from low. Scratch: `room` f64[ROOM, n], `whole` i64[3, n] and `start` i64[L + 2],
for n boxes an image and L labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

RUN = 16
"""Items that are sorted by insertion before sorted runs are merged."""

X0, Y0, X1, Y1, AREA, SX0, SY0, SX1, SY1, SURE, WEIGHT, UNIQUE, COUNT, TOP = range(14)
"""Rows of `room`. Of a cluster: its box, its area; the sums over its members of the weighted scores times
x0, y0, x1, y1, of the weighted scores, and of the weights; the weights of its sources, each counted once;
the number of members; the highest weighted score."""
SCORE, LABEL, KEY = range(14, 17)
"""More rows: a cluster's own score and label; of an item, what it is sorted by."""
ROOM = 17

ORDER, SPARE, MASK = range(3)
"""Rows of `whole`; MASK holds the set of a cluster's sources, one bit each."""

AVG, MAX, BOX_AND_MODEL, ABSENT_MODEL = range(4)


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compiled on the first call, then kept on disk where there is a place for it."""
    options = {"nogil": True, "error_model": "numpy", **options}
    jit: Any = numba.njit
    try:
        return jit(cache=True, **options)(function)
    except RuntimeError:
        return jit(**options)(function)


def _sort(low: int, high: int, key: Any, order: Any, spare: Any) -> None:
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
            spare[first:middle] = order[first:middle]
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


sort = compiled(_sort)


def _rank(low: int, high: int, labels: int, label: Any, key: Any, start: Any, whole: Any) -> None:
    """Group an image's items by label, the highest key first; -inf leaves an item out.

    Fills `start` and the order: label c owns order[start[c]:start[c + 1]].
    """
    order = whole[ORDER]
    start[: labels + 2] = 0
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


rank = compiled(_rank)


def _unsound(n: int, labels: int, xyxy: Any, score: Any, label: Any) -> bool:
    """Box n breaks the contract (see `packed.explain`)."""
    x0, y0, x1, y1, s = xyxy[n, 0], xyxy[n, 1], xyxy[n, 2], xyxy[n, 3], score[n]
    finite = math.isfinite(x0) and math.isfinite(y0) and math.isfinite(x1) and math.isfinite(y1)
    sound = finite and x0 <= x1 and y0 <= y1 and s >= 0 and math.isfinite(s)
    return not (sound and label[n] >= 0 and label[n] < labels)


unsound = compiled(_unsound)


def _box(n: int, xyxy: Any) -> tuple[float, float, float, float]:
    return (
        np.float64(xyxy[n, 0]),
        np.float64(xyxy[n, 1]),
        np.float64(xyxy[n, 2]),
        np.float64(xyxy[n, 3]),
    )


box = compiled(_box)


def _put(k: int, x0: float, y0: float, x1: float, y1: float, room: Any) -> None:
    room[X0, k], room[Y0, k], room[X1, k], room[Y1, k] = x0, y0, x1, y1
    room[AREA, k] = (x1 - x0) * (y1 - y0)


put = compiled(_put)


def _nearest(first: int, last: int, n: int, xyxy: Any, least: float, any_: bool, room: Any) -> int:
    """Of the boxes first:last in `room`, the one whose intersection over union with box n is highest (the
    first of equals) and above `least`; with `any_` the first above it; -1 for none."""
    found, best = -1, least
    x0, y0, x1, y1 = box(n, xyxy)
    area = (x1 - x0) * (y1 - y0)
    for k in range(first, last):
        across = min(x1, room[X1, k]) - max(x0, room[X0, k])
        down = min(y1, room[Y1, k]) - max(y0, room[Y0, k])
        if min(across, down) > 0:
            shared = across * down
            iou = shared / (area + room[AREA, k] - shared)
            if iou > best:
                found, best = k, iou
                if any_:
                    break
    return found


nearest = compiled(_nearest)


# Suppression


def _suppress(
    first: int, last: int, labels: int, iou: float, boxes: Any, keep: Any,
    start: Any, whole: Any, room: Any,
) -> int:  # fmt: skip
    """Images first:last; returns how many boxes break the contract, whose images are left alone."""
    xyxy, score, label, offsets = boxes
    order, bad = whole[ORDER], 0
    for image in range(first, last):
        low, high = offsets[image], offsets[image + 1]
        wrong = 0
        for n in range(low, high):
            wrong += unsound(n, labels, xyxy, score, label)
            room[KEY, n - low] = score[n]
        bad += wrong
        if wrong:
            continue
        rank(low, high, labels, label, room[KEY], start, whole)
        for c in range(labels):
            kept = 0
            for place in range(start[c], start[c + 1]):
                n = low + order[place]
                if nearest(0, kept, n, xyxy, iou, True, room) >= 0:
                    keep[n] = False
                else:
                    put(kept, *box(n, xyxy), room)
                    kept += 1
    return bad


suppress = compiled(_suppress)


def _suppress_parallel(
    labels: int, iou: float, boxes: Any, keep: Any, start: Any, whole: Any, room: Any
) -> int:
    bad, chunks, images = 0, len(room), len(boxes[3]) - 1
    for c in numba.prange(chunks):
        first, last = images * c // chunks, images * (c + 1) // chunks
        bad += suppress(first, last, labels, iou, boxes, keep, start[c], whole[c], room[c])
    return bad


suppress_parallel = compiled(_suppress_parallel, parallel=True)


# Weighted box fusion


def _weigh(
    low: int, high: int, labels: int, least: float, boxes: Any, weight: Any, key: Any
) -> int:
    """Weighted scores of an image's boxes, -inf for those that take no part; returns how many break the
    contract."""
    xyxy, score, label, source, _ = boxes
    wrong = 0
    for n in range(low, high):
        if unsound(n, labels, xyxy, score, label) or source[n] < 0 or source[n] >= len(weight):
            wrong += 1
            continue
        w = weight[source[n], label[n]]
        wrong += score[n] > 1 or w <= 0
        area = xyxy[n, 0] < xyxy[n, 2] and xyxy[n, 1] < xyxy[n, 3]
        key[n - low] = score[n] * w if score[n] >= least and area else -math.inf
    return wrong


weigh = compiled(_weigh)


def _join(
    k: int, n: int, fresh: bool, s: float, w: float, boxes: Any, whole: Any, room: Any
) -> None:
    """Box n, of weighted score s and weight w, opens cluster k or joins it."""
    x0, y0, x1, y1 = box(n, boxes[0])
    source = boxes[3][n]
    if fresh:
        room[SX0 : TOP + 1, k] = 0
        whole[MASK, k] = 0
        put(k, x0, y0, x1, y1, room)
    room[SX0, k] += s * x0
    room[SY0, k] += s * y0
    room[SX1, k] += s * x1
    room[SY1, k] += s * y1
    room[SURE, k] += s
    room[WEIGHT, k] += w
    room[COUNT, k] += 1
    room[TOP, k] = max(room[TOP, k], s)
    if not (whole[MASK, k] >> source) & 1:
        whole[MASK, k] |= np.int64(1) << source
        room[UNIQUE, k] += w
    sure = room[SURE, k]
    if not fresh and sure > 0:
        put(
            k,
            room[SX0, k] / sure,
            room[SY0, k] / sure,
            room[SX1, k] / sure,
            room[SY1, k] / sure,
            room,
        )


join = compiled(_join)


def _confidence(k: int, kind: int, overflow: bool, totals: Any, room: Any) -> float:
    """The score of cluster k; totals[3]: of the label's sources, the sum and the highest of their weights
    and their number."""
    sure, count = room[SURE, k], room[COUNT, k]
    if kind == MAX:
        return float(room[TOP, k] / totals[1])
    if kind == BOX_AND_MODEL:
        return float(sure / room[WEIGHT, k] * room[UNIQUE, k] / totals[0])
    if kind == ABSENT_MODEL:
        return float(sure / (room[WEIGHT, k] + (totals[0] - room[UNIQUE, k])))
    counted = count if overflow else min(count, totals[2])
    return float(sure / count * counted / totals[0])


confidence = compiled(_confidence)


def _write(low: int, made: int, sources: int, out: Any, whole: Any, room: Any) -> None:
    """The clusters, best first, to packed rows from `low` on."""
    xyxy, score, label, source, support, _ = out
    order = whole[ORDER]
    for k in range(made):
        order[k] = k
    sort(0, made, room[SCORE], order, whole[SPARE])
    for place in range(made):
        k, row = order[place], low + place
        xyxy[row, 0], xyxy[row, 1] = room[X0, k], room[Y0, k]
        xyxy[row, 2], xyxy[row, 3] = room[X1, k], room[Y1, k]
        score[row], label[row] = room[SCORE, k], room[LABEL, k]
        number, one = 0, -1
        for s in range(sources):
            if (whole[MASK, k] >> s) & 1:
                number, one = number + 1, s
        support[row] = number
        source[row] = one if number == 1 else -1


write = compiled(_write)


def _fuse(
    first: int, last: int, how: Any, boxes: Any, weight: Any, totals: Any, out: Any,
    start: Any, whole: Any, room: Any,
) -> int:  # fmt: skip
    """Images first:last. Writes an image's fused boxes from its first packed row on, and their number;
    returns how many boxes break the contract, whose images are left alone.

    weight[S, L]; totals[L, 3], see `_confidence`.
    """
    labels, iou, least, kind, overflow = how
    order, key, bad = whole[ORDER], room[KEY], 0
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
            for place in range(start[c], start[c + 1]):
                n = low + order[place]
                k = nearest(mine, made, n, boxes[0], iou, False, room)
                fresh = k < 0
                if fresh:
                    k = made
                    made += 1
                join(k, n, fresh, key[order[place]], weight[boxes[3][n], c], boxes, whole, room)
            for k in range(mine, made):
                room[SCORE, k] = confidence(k, kind, overflow, totals[c], room)
                room[LABEL, k] = c
        write(low, made, len(weight), out, whole, room)
        out[5][image] = made
    return bad


fuse = compiled(_fuse)


def _fuse_parallel(
    how: Any, boxes: Any, weight: Any, totals: Any, out: Any, start: Any, whole: Any, room: Any
) -> int:
    bad, chunks, images = 0, len(room), len(boxes[4]) - 1
    for c in numba.prange(chunks):
        first, last = images * c // chunks, images * (c + 1) // chunks
        bad += fuse(first, last, how, boxes, weight, totals, out, start[c], whole[c], room[c])
    return bad


fuse_parallel = compiled(_fuse_parallel, parallel=True)


def _close_up(offsets: Any, packed: Any, out: Any, to: Any) -> None:
    """Copy what `_fuse` wrote without the gaps between images; `packed` are the new offsets."""
    for image in range(len(packed) - 1):
        shift = offsets[image] - packed[image]
        for row in range(packed[image], packed[image + 1]):
            for side in range(4):
                to[0][row, side] = out[0][row + shift, side]
            to[1][row] = out[1][row + shift]
            to[2][row] = out[2][row + shift]
            to[3][row] = out[3][row + shift]
            to[4][row] = out[4][row + shift]


close_up = compiled(_close_up)
