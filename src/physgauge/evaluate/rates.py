"""Shares and how two of them differ: intervals and tests for counts, without SciPy.

Wilson: J. Am. Stat. Assoc. 22 (1927); two independent shares: Newcombe, Stat. Med. 17 (1998) 873, method
10; paired: Bonett and Price, Brit. J. Math. Stat. Psychol. 65 (2012) 479; McNemar's test with mid-p:
Fagerland, Lydersen, Laake, BMC Med. Res. Methodol. 13 (2013) 91.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from physgauge.evaluate.binomial import at_most
from physgauge.evaluate.bootstrap import Interval

Z: Final = 1.959963984540054
"""Of the standard normal distribution at 95 %, two-sided."""
EXACT: Final = 100_000
"""Pairs that differ up to which the exact binomial distribution is summed."""
FEW: Final = 5.0
"""Expected counts below which the normal approximation is no good."""


def wilson(hits: int, n: int) -> Interval | None:
    """Of a share, at 95 %; None where n is 0."""
    if n == 0:
        return None
    share = hits / n
    middle = share + Z * Z / (2 * n)
    half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    whole = 1 + Z * Z / n
    low = 0.0 if hits == 0 else (middle - half) / whole
    return Interval(low, 1.0 if hits == n else (middle + half) / whole)


def newcombe(hits_a: int, n_a: int, hits_b: int, n_b: int) -> Interval | None:
    """Of the difference B less A of two independent shares, at 95 %; None where one has no cases."""
    a, b = wilson(hits_a, n_a), wilson(hits_b, n_b)
    if a is None or b is None:
        return None
    p_a, p_b = hits_a / n_a, hits_b / n_b
    difference = p_b - p_a
    return Interval(
        difference - math.hypot(p_b - b.low, a.high - p_a),
        difference + math.hypot(b.high - p_b, p_a - a.low),
    )


def bonett_price(only_a: int, only_b: int, n: int) -> Interval | None:
    """Of the difference B less A of two paired shares, at 95 %; None where there are no pairs.

    Args:
        only_a: pairs in which A alone is a hit.
        only_b: pairs in which B alone is.
        n: all pairs.
    """
    if n == 0:
        return None
    a, b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = Z * math.sqrt((a + b - (b - a) ** 2) / (n + 2))
    return Interval(max(-1.0, b - a - half), min(1.0, b - a + half))


def mcnemar(only_a: int, only_b: int) -> float:
    """Two-sided mid-p of McNemar's test: that hits moved by chance alone.

    Args:
        only_a: pairs in which A alone is a hit.
        only_b: pairs in which B alone is.
    """
    n, fewer = only_a + only_b, min(only_a, only_b)
    if only_a == only_b:
        return 1.0
    if n > EXACT:
        return normal_p((only_b - only_a) / math.sqrt(n))
    below = at_most(fewer - 1, n, 0.5) if fewer else 0.0
    return min(1.0, below + at_most(fewer, n, 0.5))


def two_shares(hits_a: int, n_a: int, hits_b: int, n_b: int) -> float | None:
    """Two-sided p of two independent shares: the score test (chi squared, uncorrected), or Fisher's exact
    one where an expected count is below `FEW`; None where one has no cases."""
    if n_a == 0 or n_b == 0:
        return None
    n, hits = n_a + n_b, hits_a + hits_b
    if hits in (0, n):
        return 1.0
    if min(hits, n - hits) * min(n_a, n_b) / n < FEW:
        return _fisher(hits_a, n_a, hits, n)
    pooled = hits / n
    error = math.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    return normal_p((hits_b / n_b - hits_a / n_a) / error)


def normal_p(z: float) -> float:
    """Two-sided, of the standard normal distribution."""
    return math.erfc(abs(z) / math.sqrt(2))


def _fisher(hits_a: int, n_a: int, hits: int, n: int) -> float:
    """Tables as likely as this one, and less likely ones."""
    least, most = max(0, hits - (n - n_a)), min(hits, n_a)
    k = np.arange(least, most)
    # Each table's probability follows from the one before.
    steps = np.log(hits - k) + np.log(n_a - k) - np.log(k + 1) - np.log(n - n_a - hits + k + 1)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    mine = weights[hits_a - least]
    return min(1.0, float(weights[weights <= mine * (1 + 1e-7)].sum() / weights.sum()))
