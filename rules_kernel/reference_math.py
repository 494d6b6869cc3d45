"""Plain numbers, truths and boxes of the oracle. None: not applicable, or absent."""

from __future__ import annotations

import math
from collections.abc import Callable

BoxTuple = tuple[float, float, float, float]


Number = float | None


Truth = bool | None


Point = tuple[float, float]


def known(value: float) -> Number:
    return None if math.isnan(value) else value


def negated(value: Truth) -> Truth:
    return None if value is None else not value


def all_of(values: list[Truth]) -> Truth:
    if any(value is False for value in values):
        return False
    return None if any(value is None for value in values) else True


def any_of(values: list[Truth]) -> Truth:
    return negated(all_of([negated(value) for value in values]))


def compare(a: Number, op: str, b: Number) -> Truth:
    """Bounds hold within 1e-6 relative; strict ones need that much to spare."""
    if a is None or b is None or not abs(a) + abs(b) < 1.7e308:
        return None
    slack = 1e-6 * max(abs(a), abs(b))
    return {
        "<": b - a > slack,
        "<=": a - b <= slack,
        ">": a - b > slack,
        ">=": b - a <= slack,
        "==": abs(a - b) <= slack,
        "!=": abs(a - b) > slack,
    }[op]


def arithmetic(op: str, args: list[float]) -> float:
    a = args[0]
    match op:
        case "neg":
            return -a
        case "abs":
            return abs(a)
        case "sqrt":
            return math.nan if a < 0 else math.sqrt(a)
        case "min":
            return min(args)
        case "max":
            return max(args)
        case "+":
            return a + args[1]
        case "-":
            return a - args[1]
        case "*":
            return a * args[1]
    if args[1] == 0:
        return math.nan
    return a % args[1] if op == "%" else a / args[1]


MEASURES: dict[str, Callable[[float, float, float, float], float]] = {
    "x0": lambda x0, y0, x1, y1: x0,
    "y0": lambda x0, y0, x1, y1: y0,
    "x1": lambda x0, y0, x1, y1: x1,
    "y1": lambda x0, y0, x1, y1: y1,
    "cx": lambda x0, y0, x1, y1: (x0 + x1) / 2,
    "cy": lambda x0, y0, x1, y1: (y0 + y1) / 2,
    "width": lambda x0, y0, x1, y1: x1 - x0,
    "height": lambda x0, y0, x1, y1: y1 - y0,
    "area": lambda x0, y0, x1, y1: (x1 - x0) * (y1 - y0),
    "diagonal": lambda x0, y0, x1, y1: math.hypot(x1 - x0, y1 - y0),
}


def hull(boxes: list[BoxTuple]) -> BoxTuple | None:
    if not boxes:
        return None
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return (min(x0), min(y0), max(x1), max(y1))


def overlap(a: BoxTuple, b: BoxTuple) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def between(what: str, a: BoxTuple, b: BoxTuple) -> Number:
    area_a, area_b = (MEASURES["area"](*box) for box in (a, b))
    match what:
        case "iou":
            either = area_a + area_b - overlap(a, b)
            return None if either == 0 else known(overlap(a, b) / either)
        case "containment":
            return None if area_a == 0 else known(overlap(a, b) / area_a)
        case "gap":
            across = max(0.0, b[0] - a[2], a[0] - b[2])
            down = max(0.0, b[1] - a[3], a[1] - b[3])
            return math.hypot(across, down)
    return distance(a, b)


def distance(a: BoxTuple, b: BoxTuple) -> float:
    return math.hypot((a[0] + a[2]) / 2 - (b[0] + b[2]) / 2, (a[1] + a[3]) / 2 - (b[1] + b[3]) / 2)


def inside(a: BoxTuple, b: BoxTuple) -> bool:
    pairs = ((b[0], a[0]), (b[1], a[1]), (a[2], b[2]), (a[3], b[3]))
    return all(compare(low, "<=", high) is True for low, high in pairs)


def intersects(a: BoxTuple, b: BoxTuple) -> bool:
    pairs = ((a[0], b[2]), (b[0], a[2]), (a[1], b[3]), (b[1], a[3]))
    return all(compare(low, "<=", high) is True for low, high in pairs)


def cut(box: BoxTuple, size: tuple[float, float]) -> bool:
    across, down = 0.01 * size[0], 0.01 * size[1]
    return (
        box[0] <= across or box[1] <= down or box[2] >= 0.99 * size[0] or box[3] >= 0.99 * size[1]
    )


def centre(box: BoxTuple) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def beside(what: str, p: Point, a: Point, b: Point) -> Number:
    axis = (b[0] - a[0], b[1] - a[1])
    if sum(map(abs, axis)) <= 1e-9 * sum(map(abs, a + b)):
        return None
    step = (p[0] - a[0], p[1] - a[1])
    if what == "along":
        return (axis[0] * step[0] + axis[1] * step[1]) / (axis[0] ** 2 + axis[1] ** 2)
    return abs(axis[0] * step[1] - axis[1] * step[0]) / math.hypot(*axis)
