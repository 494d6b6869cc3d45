"""Scores in two runs: means, quantiles, and how far apart they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physgauge.evaluate import rates, student_t
from physgauge.evaluate.bootstrap import Interval
from physgauge.evaluate.diff.result import Numbers

F64 = NDArray[np.float64]
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
_NO_SPREAD: Final = 1e-12
"""Of the largest difference: below it, differences are one number, and rounding."""


class Found(NamedTuple):
    """B less A."""

    difference: float | None
    ci: Interval | None
    p: float | None


@dataclass(frozen=True, slots=True)
class TestedScore:
    """One comparison, before it is adjusted for the others."""

    name: str
    a: Numbers
    b: Numbers
    pairs: int | None
    found: Found


def numbers(values: F64) -> Numbers:
    """Of scores [n]; NaN = none, left out."""
    some = values[~np.isnan(values)]
    n = len(some)
    if n == 0:
        return Numbers(0, None, None, {}, {})
    mean = float(some.mean())
    ci = None if n < 2 else _around(mean, float(some.std(ddof=1)) / math.sqrt(n), n - 1)
    ranks = {q: _ranks(q, n) for q in QUANTILES}
    wanted = {rank for pair in ranks.values() if pair is not None for rank in pair}
    lows = {q: (n - 1) * q for q in QUANTILES}
    wanted |= {f(place) for place in lows.values() for f in (math.floor, math.ceil)}
    some.partition(sorted(wanted))
    return Numbers(
        n, mean, ci,
        {f"{q:g}": _between(some, place) for q, place in lows.items()},
        {
            f"{q:g}": Interval(float(some[pair[0]]), float(some[pair[1]]))
            for q, pair in ranks.items()
            if pair is not None
        },
    )  # fmt: skip


def compare(name: str, a: F64, b: F64, pairs: tuple[F64, F64] | None) -> TestedScore:
    """Compare a score.

    Args:
        name: of the score.
        a: [n] of all rows of A, NaN where there is none.
        b: [m] of all rows of B.
        pairs: [k], [k] of the matched rows.
    """
    sides = numbers(a), numbers(b)
    if pairs is None:
        return TestedScore(name, *sides, None, _welch(a, b))
    differences = pairs[1] - pairs[0]
    differences = differences[~np.isnan(differences)]
    return TestedScore(name, *sides, len(differences), _paired(differences))


def _paired(differences: F64) -> Found:
    n = len(differences)
    if n == 0:
        return Found(None, None, None)
    mean = float(differences.mean())
    if n == 1:
        return Found(mean, None, None)
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    if error * math.sqrt(n) <= _NO_SPREAD * float(np.abs(differences).max()):
        # No spread, no t: all one number, whose sign is what there is to test.
        moved = 0 if mean == 0 else n
        return Found(mean, Interval(mean, mean), rates.mcnemar(0, moved))
    p = student_t.two_sided(mean / error, n - 1)
    return Found(mean, _around(mean, error, n - 1), p)


def _welch(a: F64, b: F64) -> Found:
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    if len(a) == 0 or len(b) == 0:
        return Found(None, None, None)
    difference = float(b.mean() - a.mean())
    if len(a) < 2 or len(b) < 2:
        return Found(difference, None, None)
    of_a, of_b = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    error = math.sqrt(of_a + of_b)
    largest = max(abs(float(a[0])), abs(float(b[0])))
    if error <= _NO_SPREAD * largest:  # both constant: nothing to measure a difference by
        return Found(difference, None, 1.0 if abs(difference) <= _NO_SPREAD * largest else None)
    degrees = (of_a + of_b) ** 2 / (of_a**2 / (len(a) - 1) + of_b**2 / (len(b) - 1))
    p = student_t.two_sided(difference / error, degrees)
    return Found(difference, _around(difference, error, degrees), p)


def _around(middle: float, error: float, degrees: float) -> Interval:
    half = student_t.quantile(degrees) * error
    return Interval(middle - half, middle + half)


def _ranks(q: float, n: int) -> tuple[int, int] | None:
    """Places (from 0) between which a quantile lies with 95 %, by the normal approximation of how many
    values are below it; None: too few."""
    half = rates.Z * math.sqrt(n * q * (1 - q))
    low, high = math.floor(n * q - half), math.ceil(n * q + half)
    return (low, high) if low >= 0 and high < n else None


def _between(some: F64, place: float) -> float:
    low = math.floor(place)
    part = place - low
    first = float(some[low])
    return first if part == 0 else first + part * (float(some[low + 1]) - first)
