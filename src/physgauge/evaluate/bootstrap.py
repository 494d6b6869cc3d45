"""Percentile bootstrap over images: what a number would be on other images of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from physgauge.types import F64, I64

LEVEL = 0.95
ENOUGH = 0.95
"""Share of the resamples in which a number must be defined for it to have an interval."""


class Interval(NamedTuple):
    """Between these, at `LEVEL`."""

    low: float
    high: float


def resamples(n: int, count: int, seed: int) -> Iterator[I64]:
    """Indices [n] of `count` draws of n images with replacement."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield rng.integers(0, n, n)


def sums(values: F64, count: int, seed: int) -> F64:
    """[count, K] column sums of values [n, K] over the draws of :func:`resamples`."""
    n = len(values)
    drawn = [np.bincount(draw, minlength=n) @ values for draw in resamples(n, count, seed)]
    return np.array(drawn).reshape(count, values.shape[1])


def interval(values: F64) -> Interval | None:
    """The interval of a statistic.

    Args:
        values: one value a resample, NaN where it was undefined.
    """
    defined = values[~np.isnan(values)]
    if len(values) == 0 or len(defined) < ENOUGH * len(values):
        return None
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def of_pairs(
    statistic: Callable[[F64, F64], float | None], a: F64, b: F64, count: int, seed: int
) -> Interval | None:
    """The interval of a statistic of paired scores [n], [n]."""
    if len(a) < 2:
        return None
    values = [statistic(a[draw], b[draw]) for draw in resamples(len(a), count, seed)]
    return interval(np.array([np.nan if value is None else value for value in values]))
