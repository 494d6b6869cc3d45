"""How generated code carries a truth with what decided it, and how truths combine.

An outcome is (truth, measured, a, b): 0 false, 1 not applicable, 2 true; the number a report shows
(NaN: none); the places of up to two boxes that it points at (-1: none). Compiled like `geometry`.
"""

from __future__ import annotations

import math
from typing import Any

Outcome = tuple[int, float, int, int]


def lesser(f: Outcome, g: Outcome) -> Outcome:
    """`and`: the second only if it is lower."""
    if g[0] < f[0]:
        return g
    return f


def greater(f: Outcome, g: Outcome) -> Outcome:
    """`or`: the second only if it is higher."""
    if g[0] > f[0]:
        return g
    return f


def negated(f: Outcome) -> Outcome:
    """`not`."""
    return (2 - f[0], f[1], f[2], f[3])


def unclear(f: Outcome) -> Outcome:
    """Not applicable, whatever f was."""
    return (f[0] * 0 + 1, f[1], f[2], f[3])


def followed(f: Outcome, g: Outcome) -> Outcome:
    """The second outcome, with the first one's boxes where it points at none."""
    if g[2] < 0 and g[3] < 0:
        return (g[0], g[1], f[2], f[3])
    return g


def implied(f: Outcome, g: Outcome) -> Outcome:
    """Premise true or not applicable: the larger of "not premise" and conclusion."""
    if g[0] < 2 - f[0]:
        return (2 - f[0], f[1], f[2], f[3])
    return followed(f, g)


def alike(f: Outcome, g: Outcome) -> Outcome:
    """`iff`."""
    h = followed(f, g)
    if f[0] == 1 or g[0] == 1:
        return unclear(h)
    return (2 if f[0] == g[0] else 0, h[1], h[2], h[3])


def nearer(f: Outcome, g: Outcome, take: bool) -> Outcome:
    """`any` so far and one more body that is not true: g is reported if it is to be taken."""
    if take:
        return (max(f[0], g[0]), g[1], g[2], g[3])
    return (max(f[0], g[0]), f[1], f[2], f[3])


def settled(f: Outcome, empty: int) -> Outcome:
    """A quantifier that visited no box (its start value is no truth) has the value `empty`."""
    if f[0] < 0 or f[0] > 2:
        return (empty, f[1], f[2], f[3])
    return f


def fallback(f: Outcome, absent: bool, truth: int) -> Outcome:
    """The pack's policy for a rule that is undecided while a subject of it is absent."""
    if f[0] == 1 and absent:
        return (truth, math.nan, f[2] * 0 - 1, f[3] * 0 - 1)
    return f


def finish(
    f: Outcome, i: int, rule: int, order: Any, status: Any, measured: Any, witness: Any
) -> None:
    """Write one rule's outcome: places become rows, a repeated box is dropped."""
    truth, value, a, b = f
    if a < 0 or a == b:
        a, b = max(a, b), -1
    status[i, rule] = -1 if truth == 1 else truth // 2
    known = truth != 1 and abs(value) < 3.4e38
    measured[i, rule] = value if known else math.nan
    witness[i, rule, 0] = order[a] if truth != 1 and a >= 0 else -1
    witness[i, rule, 1] = order[b] if truth != 1 and b >= 0 else -1


DEVICE = (
    lesser, greater, negated, unclear, followed, implied, alike, nearer, settled, fallback, finish,
)  # fmt: skip
