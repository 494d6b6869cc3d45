"""Exact bounds of a share (Clopper and Pearson, one-sided)."""

from __future__ import annotations

import math

import numpy as np


def upper_bound(hits: int, n: int, confidence: float) -> float:
    """The largest share p for which `hits` or fewer of n have at least the probability 1 - confidence.

    Args:
        hits: 0 to n.
        n: at least 1.
        confidence: above 0, below 1.
    """
    if hits >= n:
        return 1.0
    low, high = hits / n, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if at_most(hits, n, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def fewest(share: float, confidence: float) -> int:
    """How many there must be so that none of them having it bounds its share by `share`."""
    n = max(1, math.ceil(math.log(1 - confidence) / math.log1p(-share)))
    return n if upper_bound(0, n, confidence) <= share else n + 1


def at_most(hits: int, n: int, p: float) -> float:
    """P(X <= hits) for X binomial (n, p)."""
    if p <= 0 or hits >= n:
        return 1.0
    if p >= 1:
        return 0.0
    k = np.arange(1, hits + 1)
    odds = math.log(p) - math.log1p(-p)
    logs = n * math.log1p(-p) + np.cumsum(np.r_[0.0, np.log(n - k + 1) - np.log(k) + odds])
    return min(1.0, float(np.exp(logs).sum()))
