"""Boxes, and which cluster a box overlaps most: looking at every cluster."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physgauge.rules_kernel.fusion.loops.layout import AREA, X0, X1, Y0, Y1


def unsound(n: int, labels: int, xyxy: Any, score: Any, label: Any) -> bool:
    """Box n breaks the contract (see `packed.explain`)."""
    x0, y0, x1, y1, s = xyxy[n, 0], xyxy[n, 1], xyxy[n, 2], xyxy[n, 3], score[n]
    finite = math.isfinite(x0) and math.isfinite(y0) and math.isfinite(x1) and math.isfinite(y1)
    sound = finite and x0 <= x1 and y0 <= y1 and s >= 0 and math.isfinite(s)
    return not (sound and label[n] >= 0 and label[n] < labels)


def box(n: int, xyxy: Any) -> tuple[float, float, float, float]:
    """Packed box n."""
    return (
        np.float64(xyxy[n, 0]),
        np.float64(xyxy[n, 1]),
        np.float64(xyxy[n, 2]),
        np.float64(xyxy[n, 3]),
    )


def put(k: int, x0: float, y0: float, x1: float, y1: float, clusters: Any) -> None:
    """Give cluster k a box."""
    cluster = clusters[k]
    cluster[X0], cluster[Y0], cluster[X1], cluster[Y1] = x0, y0, x1, y1
    cluster[AREA] = (x1 - x0) * (y1 - y0)


def overlap(
    k: int, x0: float, y0: float, x1: float, y1: float, area: float, clusters: Any
) -> float:
    """Intersection over union of a box of this area with cluster k's; -1 where they share no area."""
    across = min(x1, clusters[k, X1]) - max(x0, clusters[k, X0])
    down = min(y1, clusters[k, Y1]) - max(y0, clusters[k, Y0])
    if min(across, down) > 0:
        shared = across * down
        return float(shared / (area + clusters[k, AREA] - shared))
    return -1.0


def nearest(
    first: int, last: int, n: int, xyxy: Any, least: float, any_: bool, clusters: Any
) -> int:
    """Of the clusters first:last the one whose intersection over union with box n is highest (the first
    of equals) and above `least`; with `any_` the first above it; -1 for none."""
    found, best = -1, least
    x0, y0, x1, y1 = box(n, xyxy)
    area = (x1 - x0) * (y1 - y0)
    for k in range(first, last):
        iou = overlap(k, x0, y0, x1, y1, area, clusters)
        if iou > best:
            found, best = k, iou
            if any_:
                break
    return found
