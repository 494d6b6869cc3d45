"""What generated rule code calls on numbers and boxes: plain functions, compiled by Numba for the CPU
and for CUDA.

Truths are three-valued integers, so that `and` is min, `or` is max and `not v` is 2 - v:
0 false, 1 not applicable, 2 true. Numbers are float64 with NaN = not applicable. A box is a tuple
(x0, y0, x1, y1) in px; an absent one is all NaN. `DEVICE` lists the functions in an order in which each
calls only earlier ones: a backend compiles them one by one and hands them on by name.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Box = tuple[float, float, float, float]

TOLERANCE = 1e-6
"""Relative: `<=` holds up to this much beyond its bound, `<` needs this much below it."""

HUGE = 1.7e308
"""Operands whose magnitudes sum to more are overflow: the comparison is not applicable."""

SAME_POINT = 1e-9
"""Two centres closer than this share of their coordinates give a line no direction."""

ABSENT: Box = (math.nan, math.nan, math.nan, math.nan)

# Truths of numbers


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


def within(count: float, low: float, high: float) -> int:
    """low <= count <= high, where a NaN end is open; not applicable when both are."""
    if math.isnan(low) and math.isnan(high):
        return 1
    if low - count > TOLERANCE * low or count - high > TOLERANCE * count:
        return 0
    return 2


# Numbers


def quotient(a: float, b: float) -> float:
    """a / b; NaN for a zero denominator."""
    if b == 0:
        return math.nan
    return a / b


def remainder(a: float, b: float) -> float:
    """a modulo b, with the sign of b; NaN for b = 0."""
    if b == 0:
        return math.nan
    return a % b


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


# Boxes


def box_at(placed: Any, place: int) -> Box:
    """The box at a place of the grouped boxes; absent for place -1."""
    if place < 0:
        return ABSENT
    return (
        np.float64(placed[place, 0]),
        np.float64(placed[place, 1]),
        np.float64(placed[place, 2]),
        np.float64(placed[place, 3]),
    )


def x0(a: Box) -> float:
    """Left edge."""
    return a[0]


def y0(a: Box) -> float:
    """Top edge."""
    return a[1]


def x1(a: Box) -> float:
    """Right edge."""
    return a[2]


def y1(a: Box) -> float:
    """Bottom edge."""
    return a[3]


def cx(a: Box) -> float:
    """Centre, across."""
    return (a[0] + a[2]) * 0.5


def cy(a: Box) -> float:
    """Centre, down."""
    return (a[1] + a[3]) * 0.5


def width(a: Box) -> float:
    """Width."""
    return a[2] - a[0]


def height(a: Box) -> float:
    """Height."""
    return a[3] - a[1]


def area(a: Box) -> float:
    """Area in px²."""
    return (a[2] - a[0]) * (a[3] - a[1])


def diagonal(a: Box) -> float:
    """Length of the diagonal."""
    across, down = a[2] - a[0], a[3] - a[1]
    return math.sqrt(across * across + down * down)


def joined(a: Box, b: Box) -> Box:
    """Hull of the boxes that are present."""
    if math.isnan(a[0]):
        return b
    if math.isnan(b[0]):
        return a
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def spanned(a: Box, b: Box) -> Box:
    """Hull of two boxes; absent if either is."""
    if math.isnan(a[0]) or math.isnan(b[0]):
        return ABSENT
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def expanded(a: Box, share: float) -> Box:
    """Every edge moved outwards by `share` of the width or height."""
    across, down = share * (a[2] - a[0]), share * (a[3] - a[1])
    return (a[0] - across, a[1] - down, a[2] + across, a[3] + down)


# Pairs of boxes


def overlap(a: Box, b: Box) -> float:
    """Shared area in px²."""
    across = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    return across * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def iou(a: Box, b: Box) -> float:
    """Intersection over union; NaN for two boxes without area."""
    if math.isnan(a[0]) or math.isnan(b[0]):
        return math.nan
    both = overlap(a, b)
    return quotient(both, area(a) + area(b) - both)


def containment(a: Box, b: Box) -> float:
    """The share of a's area that lies in b; NaN for an `a` without area."""
    if math.isnan(a[0]) or math.isnan(b[0]):
        return math.nan
    return quotient(overlap(a, b), area(a))


def gap(a: Box, b: Box) -> float:
    """Distance in px between the nearest points of two boxes; 0 when they touch or overlap."""
    if math.isnan(a[0]) or math.isnan(b[0]):
        return math.nan
    across = max(0.0, b[0] - a[2], a[0] - b[2])
    down = max(0.0, b[1] - a[3], a[1] - b[3])
    return math.sqrt(across * across + down * down)


def distance(a: Box, b: Box) -> float:
    """Distance in px between the centres of two boxes."""
    across, down = cx(a) - cx(b), cy(a) - cy(b)
    return math.sqrt(across * across + down * down)


def no_line(a: Box, b: Box) -> bool:
    """The two centres coincide, or a box is absent."""
    reach = abs(cx(b) - cx(a)) + abs(cy(b) - cy(a))
    return not reach > SAME_POINT * (abs(cx(a)) + abs(cy(a)) + abs(cx(b)) + abs(cy(b)))


def along(p: Box, a: Box, b: Box) -> float:
    """Where p's centre falls on the line from a's centre (0) to b's (1); NaN if these coincide."""
    if no_line(a, b):
        return math.nan
    ux, uy, vx, vy = cx(b) - cx(a), cy(b) - cy(a), cx(p) - cx(a), cy(p) - cy(a)
    return (ux * vx + uy * vy) / (ux * ux + uy * uy)


def aside(p: Box, a: Box, b: Box) -> float:
    """Distance in px of p's centre from the line through a's and b's; NaN if these coincide."""
    if no_line(a, b):
        return math.nan
    ux, uy, vx, vy = cx(b) - cx(a), cy(b) - cy(a), cx(p) - cx(a), cy(p) - cy(a)
    return abs(ux * vy - uy * vx) / math.sqrt(ux * ux + uy * uy)


def inside(a: Box, b: Box) -> int:
    """Box a lies in box b, edges included, within the tolerance."""
    if math.isnan(a[0]) or math.isnan(b[0]):
        return 1
    return min(at_most(b[0], a[0]), at_most(b[1], a[1]), at_most(a[2], b[2]), at_most(a[3], b[3]))


def intersects(a: Box, b: Box) -> int:
    """Boxes a and b share at least a point: touching counts, within the tolerance."""
    if math.isnan(a[0]) or math.isnan(b[0]):
        return 1
    return min(at_most(a[0], b[2]), at_most(b[0], a[2]), at_most(a[1], b[3]), at_most(b[1], a[3]))


def cut(a: Box, across: float, down: float) -> int:
    """The box reaches to within 1 % of the edge of an image of `across` x `down` px."""
    if math.isnan(a[0]):
        return 1
    if a[0] <= 0.01 * across or a[2] >= 0.99 * across:
        return 2
    if a[1] <= 0.01 * down or a[3] >= 0.99 * down:
        return 2
    return 0


DEVICE = (
    less, at_most, equal, within, quotient, remainder, root, lower, upper, box_at, x0, y0, x1, y1, cx, cy,
    width, height, area, diagonal, joined, spanned, expanded, overlap, iou, containment, gap, distance,
    no_line, along, aside, inside, intersects, cut,
)  # fmt: skip
