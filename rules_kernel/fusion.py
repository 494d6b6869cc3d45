"""Fusion over packed batches: class-wise non-maximum suppression and the count vote of several sources."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .arrays import F32, I16, I64, Bools


def nms(xyxy: F32, score: F32, label: I16, offsets: I64, iou: float) -> Bools:
    """Greedy class-wise suppression: of two boxes of one image and label whose intersection over union is
    above `iou`, the one with the higher score stays (the first one, where scores are equal).

    Args:
        xyxy: f32 [N, 4] px.
        score: f32 [N].
        label: i16 [N].
        offsets: i64 [B+1].
        iou: 0..1; at 1 nothing is suppressed.

    Returns:
        bool [N], the boxes that stay.
    """
    keep = np.ones(len(score), np.bool_)
    if len(score):
        # Best first within each image, ties in given order: the kernel only walks.
        image = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        order = np.lexsort((np.arange(len(score)), -score, image))
        _suppress()(xyxy, label, offsets, order, np.float32(iou), keep)
    return keep


@lru_cache(maxsize=1)
def _suppress() -> Any:
    """The kernel, compiled when first asked for: importing this module does not import Numba."""
    from numba import njit  # noqa: PLC0415

    return njit(cache=True, nogil=True)(_walk)


def _walk(xyxy: F32, label: I16, offsets: I64, order: I64, iou: float, keep: Bools) -> None:
    for image in range(offsets.shape[0] - 1):
        start, stop = offsets[image], offsets[image + 1]
        for m in range(start, stop):
            a = order[m]
            if not keep[a]:
                continue
            area_a = (xyxy[a, 2] - xyxy[a, 0]) * (xyxy[a, 3] - xyxy[a, 1])
            for n in range(m + 1, stop):
                b = order[n]
                if not keep[b] or label[a] != label[b]:
                    continue
                w = min(xyxy[a, 2], xyxy[b, 2]) - max(xyxy[a, 0], xyxy[b, 0])
                h = min(xyxy[a, 3], xyxy[b, 3]) - max(xyxy[a, 1], xyxy[b, 1])
                if w <= 0 or h <= 0:
                    continue
                area_b = (xyxy[b, 2] - xyxy[b, 0]) * (xyxy[b, 3] - xyxy[b, 1])
                shared = w * h
                # Multiplied out: a zero-area union divides by nothing.
                if shared > iou * (area_a + area_b - shared):
                    keep[b] = False
