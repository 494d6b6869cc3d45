"""Which values a number can take: finds comparisons that nothing in an image could change."""

from __future__ import annotations

import math
from collections.abc import Mapping

from physgauge.rules_kernel.language.tree import (
    AliasUse,
    Arithmetic,
    Beside,
    Between,
    Const,
    Count,
    Fold,
    ImageSize,
    Measure,
    Tree,
)

Range = tuple[float, float]
ANY: Range = (-math.inf, math.inf)
POSITIVE: Range = (0.0, math.inf)


def range_of(node: Tree, aliases: Mapping[str, Range]) -> Range:
    """Bounds on every finite value of `node` (not-applicable aside), given those of the aliases: aliases
    may be made of aliases, so that what they stand for written out is too long to look at."""
    match node:
        case Const(value=value):
            return (value, value)
        case Count() | ImageSize():
            return POSITIVE
        case Measure(what=what):
            return POSITIVE if what in {"width", "height", "area", "diagonal"} else ANY
        case Between(what=what):
            return (0.0, 1.0) if what in {"iou", "containment"} else POSITIVE
        case Beside(what=what):
            return POSITIVE if what == "aside" else ANY
        case Fold(value=value):
            return range_of(value, aliases)
        case Arithmetic(op=op, args=args):
            return _arithmetic(op, [range_of(arg, aliases) for arg in args])
        case AliasUse(name=name):
            return aliases[name]
    return ANY


def _arithmetic(op: str, args: list[Range]) -> Range:
    low, high = args[0]
    match op:
        case "neg":
            return (-high, -low)
        case "abs":
            return (0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))
        case "sqrt":
            return (math.sqrt(max(low, 0.0)), math.sqrt(max(high, 0.0)))
        case "min":
            return (min(a for a, _ in args), min(b for _, b in args))
        case "max":
            return (max(a for a, _ in args), max(b for _, b in args))
        case "+":
            return (low + args[1][0], high + args[1][1])
        case "-":
            return (low - args[1][1], high - args[1][0])
        case "*":
            return _corners([a * b if a and b else 0.0 for a in args[0] for b in args[1]])
        case "/":
            if args[1][0] <= 0 <= args[1][1]:
                return _quotient(args[0], args[1])
            return _corners([_divide(a, b) for a in args[0] for b in args[1]])
        case "%":
            # The sign of the divisor, and nearer to 0 than it.
            return (min(args[1][0], 0.0), max(args[1][1], 0.0))
    return ANY


def _quotient(top: Range, bottom: Range) -> Range:
    """A denominator that can come close to 0 leaves only the sign."""
    if top[0] >= 0 and bottom[0] >= 0:
        return POSITIVE
    return ANY


def _divide(a: float, b: float) -> float:
    return 0.0 if math.isinf(b) else a / b


def _corners(values: list[float]) -> Range:
    return ANY if any(math.isnan(v) for v in values) else (min(values), max(values))


def verdict(op: str, left: Range, right: Range) -> bool | None:
    """True or False when every pair of values in the two ranges decides `left op right` alike."""
    (a, b), (c, d) = left, right
    always = {
        "<": b < c,
        "<=": b <= c,
        ">": a > d,
        ">=": a >= d,
        "==": a == b == c == d,
        "!=": b < c or a > d,
    }[op]
    never = {
        "<": a >= d,
        "<=": a > d,
        ">": b <= c,
        ">=": b < c,
        "==": b < c or a > d,
        "!=": a == b == c == d,
    }[op]
    # Infinite ends are open: "unbounded < unbounded" decides nothing.
    if always and not (math.isinf(a) and a == b):
        return True
    return False if never and not (math.isinf(a) and a == b) else None
