"""What a cluster of weighted box fusion is: its members' weights, how it grows, its score."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physgauge.rules_kernel.fusion.loops.layout import (
    COUNT,
    MASK,
    SURE,
    SX0,
    SX1,
    SY0,
    SY1,
    TOP,
    UNIQUE,
    WEIGHT,
)
from physgauge.rules_kernel.fusion.loops.overlap import box, put, unsound

AVG, MAX, BOX_AND_MODEL, ABSENT_MODEL = range(4)
"""Kinds of score, as in `wbf.CONF_TYPES`."""


def weigh(low: int, high: int, labels: int, least: float, boxes: Any, weight: Any, key: Any) -> int:
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


def join(
    k: int, n: int, fresh: bool, s: float, w: float, boxes: Any, whole: Any, clusters: Any
) -> None:
    """Box n, of weighted score s and weight w, opens cluster k or joins it."""
    x0, y0, x1, y1 = box(n, boxes[0])
    source, cluster = boxes[3][n], clusters[k]
    if fresh:
        for field in range(SX0, TOP + 1):
            cluster[field] = 0
        whole[MASK, k] = 0
        put(k, x0, y0, x1, y1, clusters)
    cluster[SX0] += s * x0
    cluster[SY0] += s * y0
    cluster[SX1] += s * x1
    cluster[SY1] += s * y1
    cluster[SURE] += s
    cluster[WEIGHT] += w
    cluster[COUNT] += 1
    cluster[TOP] = max(cluster[TOP], s)
    if not (whole[MASK, k] >> source) & 1:
        whole[MASK, k] |= np.int64(1) << source
        cluster[UNIQUE] += w
    sure = cluster[SURE]
    if not fresh and sure > 0:
        put(
            k,
            cluster[SX0] / sure,
            cluster[SY0] / sure,
            cluster[SX1] / sure,
            cluster[SY1] / sure,
            clusters,
        )


def confidence(k: int, kind: int, overflow: bool, totals: Any, clusters: Any) -> float:
    """The score of cluster k; totals[3]: of the label's sources, the sum and the highest of their weights
    and their number."""
    sure, count = clusters[k, SURE], clusters[k, COUNT]
    if kind == MAX:
        return float(clusters[k, TOP] / totals[1])
    if kind == BOX_AND_MODEL:
        return float(sure / clusters[k, WEIGHT] * clusters[k, UNIQUE] / totals[0])
    if kind == ABSENT_MODEL:
        return float(sure / (clusters[k, WEIGHT] + (totals[0] - clusters[k, UNIQUE])))
    counted = count if overflow else min(count, totals[2])
    return float(sure / count * counted / totals[0])
