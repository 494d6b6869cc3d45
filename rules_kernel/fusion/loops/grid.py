"""Which cluster a box overlaps most: looking only where it can be.

The clusters of one label lie in the cells of a grid, each by its upper left corner. Two boxes with an
intersection over union above t are not far apart: what they share is wider than t times the wider one, so
the corner of the one is at most (1 - t) of the other's width to its right, and at most (1/t - 1) of it to
its left; the same down. MARGIN is far above what rounding can do to that, so a cluster that is not looked
at would not have been found. A grid spans the corners of the label's boxes. A fused box is a mean, so it
stays inside; what rounding puts outside counts as on the border, here as there.

Where all boxes are in one cell (one far away stretches the grid), this looks at every cluster again.
"""

from __future__ import annotations

import math
from typing import Any

from physgauge.rules_kernel.fusion.loops.layout import BACK, CELL, HEAD, NEXT, ORDER, X0, Y0
from physgauge.rules_kernel.fusion.loops.overlap import box, overlap

MARGIN = 1e-6
"""Share of the threshold. A box is at least 2^-24 of its coordinates wide (float32), sums are float64."""
CROWD = 2
"""Boxes a cell."""


def lay(low: int, first: int, last: int, xyxy: Any, whole: Any) -> tuple[Any, Any, int]:
    """An empty grid for the items order[first:last]: across and down (low, high, cells a px), and cells
    a side."""
    order, head = whole[ORDER], whole[HEAD]
    side = max(1, int(math.sqrt((last - first) / CROWD)))
    x_low = y_low = math.inf
    x_high = y_high = -math.inf
    for place in range(first, last):
        x0, y0, _, _ = box(low + order[place], xyxy)
        x_low, x_high = min(x_low, x0), max(x_high, x0)
        y_low, y_high = min(y_low, y0), max(y_high, y0)
    for cell in range(side * side):
        head[cell] = -1
    across = (x_low, x_high, side / (x_high - x_low) if x_high > x_low else 0.0)
    down = (y_low, y_high, side / (y_high - y_low) if y_high > y_low else 0.0)
    return across, down, side


def cell_of(value: float, axis: Any, side: int) -> int:
    """Row or column of a corner; rises with the value."""
    low, high, scale = axis
    return min(int((min(max(value, low), high) - low) * scale), side - 1)


def settle(k: int, clusters: Any, grid: Any, whole: Any) -> None:
    """Put cluster k into the cell where its box is now."""
    across, down, side = grid
    head, next_, back = whole[HEAD], whole[NEXT], whole[BACK]
    cell = cell_of(clusters[k, Y0], down, side) * side + cell_of(clusters[k, X0], across, side)
    old = whole[CELL, k]
    if cell == old:
        return
    if old >= 0:
        if back[k] >= 0:
            next_[back[k]] = next_[k]
        else:
            head[old] = next_[k]
        if next_[k] >= 0:
            back[next_[k]] = back[k]
    next_[k], back[k] = head[cell], -1
    if head[cell] >= 0:
        back[head[cell]] = k
    head[cell] = k
    whole[CELL, k] = cell


def nearest_in_grid(
    n: int, xyxy: Any, least: float, any_: bool, clusters: Any, grid: Any, whole: Any
) -> int:
    """What `nearest` finds among the clusters in the grid; with `any_` any one above `least`."""
    across, down, side = grid
    head, next_ = whole[HEAD], whole[NEXT]
    found, best = -1, least
    x0, y0, x1, y1 = box(n, xyxy)
    wide, tall = x1 - x0, y1 - y0
    area = wide * tall
    share = least * (1 - MARGIN)
    before, after = 1 / share - 1 if share > 0 else math.inf, 1 - share
    first = cell_of(x0 - before * wide, across, side)
    last = cell_of(x0 + after * wide, across, side)
    top = cell_of(y0 - before * tall, down, side)
    bottom = cell_of(y0 + after * tall, down, side)
    for row in range(top, bottom + 1):
        for cell in range(row * side + first, row * side + last + 1):
            k = head[cell]
            while k >= 0:
                iou = overlap(k, x0, y0, x1, y1, area, clusters)
                # Clusters come in any order here: of equals, the first one is wanted.
                if iou > best or (iou == best and k < found):
                    found, best = int(k), iou
                    if any_:
                        return found
                k = next_[k]
    return found
