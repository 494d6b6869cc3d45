"""What generated rule code calls: plain functions that Numba compiles for the CPU and for CUDA.

Truths are three-valued integers, so that `and` is min, `or` is max and `not v` is 2 - v:
0 false, 1 not applicable, 2 true. Numbers are float64 with NaN = not applicable; a box that is
absent has NaN coordinates. The functions do not call each other: each backend compiles them one
by one (`DEVICE` lists them) and hands them to the generated module by name.
"""

from __future__ import annotations

import math

import numpy as np

TOLERANCE = 1e-6
"""Relative: `<=` holds up to this much beyond its bound, `<` needs this much below it."""

HUGE = 1.7e308
"""Operands whose magnitudes sum to more are overflow: the comparison is not applicable."""

SAME_POINT = 1e-9
"""Two centres closer than this share of their coordinates give a line no direction."""


def less(a: float, b: float) -> int:
    """a < b by more than the tolerance."""
    if not abs(a) + abs(b) < HUGE:
        return 1
    return 2 if b - a > TOLERANCE * max(abs(a), abs(b)) else 0


def at_most(a: float, b: float) -> int:
    """a <= b within the tolerance."""
    if not abs(a) + abs(b) < HUGE:
        return 1
    return 0 if a - b > TOLERANCE * max(abs(a), abs(b)) else 2


def equal(a: float, b: float) -> int:
    """a == b within the tolerance."""
    if not abs(a) + abs(b) < HUGE:
        return 1
    return 2 if abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) else 0


def quotient(a: float, b: float) -> float:
    """a / b; NaN for a zero denominator."""
    if b == 0:
        return math.nan
    return a / b


def root(a: float) -> float:
    """Square root; NaN below zero."""
    if a < 0:
        return math.nan
    return math.sqrt(a)


def lower(a: float, b: float) -> float:
    """The smaller number; NaN if either is."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return min(a, b)


def upper(a: float, b: float) -> float:
    """The larger number; NaN if either is."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return max(a, b)


def lower_known(a: float, b: float) -> float:
    """The smaller of the numbers that are not NaN."""
    if math.isnan(a):
        return b
    if math.isnan(b):
        return a
    return min(a, b)


def upper_known(a: float, b: float) -> float:
    """The larger of the numbers that are not NaN."""
    if math.isnan(a):
        return b
    if math.isnan(b):
        return a
    return max(a, b)


def counted(count: float, boxes: int) -> float:
    """The fused count, or the number of boxes where nobody counted."""
    if math.isnan(count):
        return np.float64(boxes)
    return np.float64(count)


def within(count: float, low: float, high: float) -> int:
    """low <= count <= high, where a NaN end is open; not applicable when both are."""
    if math.isnan(low) and math.isnan(high):
        return 1
    if low - count > TOLERANCE * low or count - high > TOLERANCE * count:
        return 0
    return 2


def diagonal(x0: float, y0: float, x1: float, y1: float) -> float:
    """Length in px of a box's diagonal."""
    return math.sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0))


def iou(
    ax0: float, ay0: float, ax1: float, ay1: float, bx0: float, by0: float, bx1: float, by1: float
) -> float:
    """Intersection over union; NaN for two boxes without area."""
    if math.isnan(ax0) or math.isnan(bx0):
        return math.nan
    both = max(0.0, min(ax1, bx1) - max(ax0, bx0)) * max(0.0, min(ay1, by1) - max(ay0, by0))
    either = (ax1 - ax0) * (ay1 - ay0) + (bx1 - bx0) * (by1 - by0) - both
    if either == 0:
        return math.nan
    return both / either


def containment(
    ax0: float, ay0: float, ax1: float, ay1: float, bx0: float, by0: float, bx1: float, by1: float
) -> float:
    """The share of a's area that lies in b; NaN for an `a` without area."""
    if math.isnan(ax0) or math.isnan(bx0):
        return math.nan
    both = max(0.0, min(ax1, bx1) - max(ax0, bx0)) * max(0.0, min(ay1, by1) - max(ay0, by0))
    own = (ax1 - ax0) * (ay1 - ay0)
    if own == 0:
        return math.nan
    return both / own


def gap(
    ax0: float, ay0: float, ax1: float, ay1: float, bx0: float, by0: float, bx1: float, by1: float
) -> float:
    """Distance in px between the nearest points of two boxes; 0 when they touch or overlap."""
    if math.isnan(ax0) or math.isnan(bx0):
        return math.nan
    dx = max(0.0, bx0 - ax1, ax0 - bx1)
    dy = max(0.0, by0 - ay1, ay0 - by1)
    return math.sqrt(dx * dx + dy * dy)


def distance(
    ax0: float, ay0: float, ax1: float, ay1: float, bx0: float, by0: float, bx1: float, by1: float
) -> float:
    """Distance in px between the centres of two boxes."""
    dx = (ax0 + ax1) * 0.5 - (bx0 + bx1) * 0.5
    dy = (ay0 + ay1) * 0.5 - (by0 + by1) * 0.5
    return math.sqrt(dx * dx + dy * dy)


def along(
    px0: float, py0: float, px1: float, py1: float,
    ax0: float, ay0: float, ax1: float, ay1: float,
    bx0: float, by0: float, bx1: float, by1: float,
) -> float:  # fmt: skip
    """Where p's centre falls on the line from a's centre (0) to b's (1); NaN if these coincide."""
    ax, ay, bx, by = (ax0 + ax1) * 0.5, (ay0 + ay1) * 0.5, (bx0 + bx1) * 0.5, (by0 + by1) * 0.5
    ux, uy = bx - ax, by - ay
    if abs(ux) + abs(uy) <= SAME_POINT * (abs(ax) + abs(ay) + abs(bx) + abs(by)):
        return math.nan
    vx, vy = (px0 + px1) * 0.5 - ax, (py0 + py1) * 0.5 - ay
    square = ux * ux + uy * uy
    return (ux * vx + uy * vy) / square


def aside(
    px0: float, py0: float, px1: float, py1: float,
    ax0: float, ay0: float, ax1: float, ay1: float,
    bx0: float, by0: float, bx1: float, by1: float,
) -> float:  # fmt: skip
    """Distance in px of p's centre from the line through a's and b's; NaN if these coincide."""
    ax, ay, bx, by = (ax0 + ax1) * 0.5, (ay0 + ay1) * 0.5, (bx0 + bx1) * 0.5, (by0 + by1) * 0.5
    ux, uy = bx - ax, by - ay
    if abs(ux) + abs(uy) <= SAME_POINT * (abs(ax) + abs(ay) + abs(bx) + abs(by)):
        return math.nan
    vx, vy = (px0 + px1) * 0.5 - ax, (py0 + py1) * 0.5 - ay
    square = ux * ux + uy * uy
    return abs(ux * vy - uy * vx) / math.sqrt(square)


def inside(
    ax0: float, ay0: float, ax1: float, ay1: float, bx0: float, by0: float, bx1: float, by1: float
) -> int:
    """Box a lies in box b, edges included, within the tolerance."""
    if math.isnan(ax0) or math.isnan(bx0):
        return 1
    if bx0 - ax0 > TOLERANCE * max(abs(ax0), abs(bx0)):
        return 0
    if by0 - ay0 > TOLERANCE * max(abs(ay0), abs(by0)):
        return 0
    if ax1 - bx1 > TOLERANCE * max(abs(ax1), abs(bx1)):
        return 0
    if ay1 - by1 > TOLERANCE * max(abs(ay1), abs(by1)):
        return 0
    return 2


def intersects(
    ax0: float, ay0: float, ax1: float, ay1: float, bx0: float, by0: float, bx1: float, by1: float
) -> int:
    """Boxes a and b share at least a point: touching counts, within the tolerance."""
    if math.isnan(ax0) or math.isnan(bx0):
        return 1
    if ax0 - bx1 > TOLERANCE * max(abs(ax0), abs(bx1)):
        return 0
    if bx0 - ax1 > TOLERANCE * max(abs(bx0), abs(ax1)):
        return 0
    if ay0 - by1 > TOLERANCE * max(abs(ay0), abs(by1)):
        return 0
    if by0 - ay1 > TOLERANCE * max(abs(by0), abs(ay1)):
        return 0
    return 2


def cut(x0: float, y0: float, x1: float, y1: float, width: float, height: float) -> int:
    """The box reaches to within 1 % of the edge of an image of width x height px."""
    if math.isnan(x0):
        return 1
    if x0 <= 0.01 * width or x1 >= 0.99 * width:
        return 2
    if y0 <= 0.01 * height or y1 >= 0.99 * height:
        return 2
    return 0


DEVICE = (
    less, at_most, equal, quotient, root, lower, upper, lower_known, upper_known, counted, within,
    diagonal, iou, containment, gap, distance, along, aside, inside, intersects, cut,
)  # fmt: skip
