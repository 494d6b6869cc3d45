"""Fusion over packed batches: class-wise suppression and the count vote of several sources.

Each kernel has a plain twin (`*_plain`) that tests hold it against.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I16, I64, Bools
from physgauge.rules_kernel.errors import ArrayError


def nms(xyxy: F32, score: F32, label: I16, offsets: I64, iou: float) -> Bools:
    """Greedy class-wise suppression: of two boxes of one image and label whose intersection over
    union is above `iou`, the one with the higher score stays (the first, where scores are equal).

    xyxy f32[N,4] px; score f32[N]; label i16[N]; offsets i64[B+1]; iou 0..1, at 1 nothing goes.
    Returns bool[N]: the boxes that stay.
    """
    if not 0 <= iou <= 1:
        raise ArrayError("iou", expected="0 to 1", got=str(iou))
    keep = np.ones(len(score), np.bool_)
    if len(score):
        image = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        order = np.lexsort((-score, image))
        arrays = [np.ascontiguousarray(a) for a in (xyxy, label, offsets, order)]
        _compiled()[0](*arrays, float(iou), keep)
    return keep


def nms_plain(xyxy: F32, score: F32, label: I16, offsets: I64, iou: float) -> Bools:
    """`nms` in plain Python."""
    keep = np.ones(len(score), np.bool_)
    for low, high in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        kept: list[int] = []
        for n in sorted(range(low, high), key=lambda n: -score[n]):
            rivals = [m for m in kept if label[m] == label[n]]
            if any(_iou(xyxy[m].tolist(), xyxy[n].tolist()) > iou for m in rivals):
                keep[n] = False
            else:
                kept.append(n)
    return keep


def vote_counts(counts: F32, weight: F64, confidence: F32, reliability: F64) -> F32:
    """Fused counts by a confidence-weighted vote over integers (DESIGN section 7).

    Source k votes for its count n_k with weight w_k s_k: s_k is the mean confidence of what it
    counted, or its stated reliability where it looked and saw none. The largest total wins; a tie
    goes to the detector (source 0) if its count is among the tied, else to the earliest source.

    counts f32[S,B,C] (NaN: the source did not look), weight f64[S] >= 0, confidence f32[S,B,C] 0..1
    (ignored where the count is 0), reliability f64[S] 0..1. Returns f32[B,C], NaN where none looked.
    """
    sources = counts.shape[0] if counts.ndim == 3 else -1
    if sources < 1 or confidence.shape != counts.shape:
        raise ArrayError(
            "vote_counts", expected="counts and confidence [S,B,C], S >= 1",
            got=f"{list(counts.shape)} and {list(confidence.shape)}",
        )  # fmt: skip
    if weight.shape != (sources,) or reliability.shape != (sources,):
        raise ArrayError(
            "vote_counts", expected=f"weight and reliability [{sources}]",
            got=f"{list(weight.shape)} and {list(reliability.shape)}",
        )  # fmt: skip
    support = _support(counts, weight, confidence, reliability)
    if not (np.isfinite(support) & (support >= 0))[~np.isnan(counts)].all():
        raise ArrayError("vote_counts: a vote's weight", expected="finite and >= 0")
    flat = np.ascontiguousarray(counts, np.float32).reshape(sources, -1)
    fused = np.full(flat.shape[1], np.nan, np.float32)
    _compiled()[1](flat, support.reshape(sources, -1), fused)
    return fused.reshape(counts.shape[1:])


def vote_counts_plain(counts: F32, weight: F64, confidence: F32, reliability: F64) -> F32:
    """`vote_counts` in plain Python."""
    support = _support(counts, weight, confidence, reliability)
    fused = np.full(counts.shape[1:], np.nan, np.float32)
    for at in np.ndindex(*fused.shape):
        votes = [(float(n), float(s)) for n, s in zip(counts[:, *at], support[:, *at], strict=True)]
        votes = [vote for vote in votes if not math.isnan(vote[0])]
        # dict: the earliest source's count first, and max takes the first of equals.
        totals = {n: sum(s for m, s in votes if m == n) for n, _ in votes}
        if totals:
            fused[at] = max(totals, key=lambda n: totals[n])
    return fused


def _support(counts: F32, weight: F64, confidence: F32, reliability: F64) -> F64:
    sure = np.where(counts == 0, reliability[:, None, None], confidence.astype(np.float64))
    support: F64 = weight[:, None, None] * sure
    return support


def count_boxes(score: F32, label: I16, offsets: I64, components: int) -> tuple[F32, F32]:
    """Of each image and component: f32[B,C] how many boxes, and f32[B,C] their mean score (NaN for
    none): one source's counts and confidence for `vote_counts`."""
    images = len(offsets) - 1
    image = np.repeat(np.arange(images), np.diff(offsets))
    cell = image * components + label
    number = np.bincount(cell, minlength=images * components)
    total = np.bincount(cell, weights=score, minlength=images * components)
    mean = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    shape = (images, components)
    return number.reshape(shape).astype(np.float32), mean.reshape(shape).astype(np.float32)


def _iou(a: list[float], b: list[float]) -> float:
    across = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    down = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    either = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - across * down
    return across * down / either if either > 0 else 0.0


@lru_cache(maxsize=1)
def _compiled() -> tuple[Any, Any]:
    """The kernels, compiled on first use: importing this module does not import Numba."""
    from numba import njit

    jit = njit(cache=True, nogil=True, error_model="numpy")
    return jit(_suppress), jit(_vote)


def _suppress(xyxy: F32, label: I16, offsets: I64, order: I64, iou: float, keep: Bools) -> None:
    """`order` holds each image's boxes best first: the kernel only walks."""
    for image in range(offsets.shape[0] - 1):
        start, stop = offsets[image], offsets[image + 1]
        for m in range(start, stop):
            a = order[m]
            if not keep[a]:
                continue
            ax0, ay0 = np.float64(xyxy[a, 0]), np.float64(xyxy[a, 1])
            ax1, ay1 = np.float64(xyxy[a, 2]), np.float64(xyxy[a, 3])
            for n in range(m + 1, stop):
                b = order[n]
                if not keep[b] or label[a] != label[b]:
                    continue
                bx0, by0 = np.float64(xyxy[b, 0]), np.float64(xyxy[b, 1])
                bx1, by1 = np.float64(xyxy[b, 2]), np.float64(xyxy[b, 3])
                across, down = min(ax1, bx1) - max(ax0, bx0), min(ay1, by1) - max(ay0, by0)
                if across <= 0 or down <= 0:
                    continue
                shared = across * down
                either = (ax1 - ax0) * (ay1 - ay0) + (bx1 - bx0) * (by1 - by0) - shared
                if shared / either > iou:
                    keep[b] = False


def _vote(counts: F32, support: F64, fused: F32) -> None:
    """counts and support [S, cells]; quadratic in the sources, which are few."""
    for cell in range(counts.shape[1]):
        best = -1.0
        for k in range(counts.shape[0]):
            n = counts[k, cell]
            if math.isnan(n):
                continue
            total = 0.0
            for j in range(counts.shape[0]):
                if counts[j, cell] == n:
                    total += support[j, cell]
            if total > best:
                best = total
                fused[cell] = n
