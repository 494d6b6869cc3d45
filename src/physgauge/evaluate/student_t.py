"""Student's t distribution, for means of few images (for many it is the normal one)."""

from __future__ import annotations

import math
from typing import Final

_TINY: Final = 1e-300


def two_sided(t: float, degrees: float) -> float:
    """P(|T| >= |t|).

    Args:
        t: any.
        degrees: of freedom, above 0, whole or not.
    """
    whole = degrees + t * t
    return _beta(degrees / whole, t * t / whole, degrees / 2, 0.5)


def quantile(degrees: float, level: float = 0.95) -> float:
    """The t that |T| stays below with this probability."""
    low, high = 0.0, 2.0
    while two_sided(high, degrees) > 1 - level:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if two_sided(middle, degrees) > 1 - level:
            low = middle
        else:
            high = middle
    return high


def _beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b); `rest` is 1 - x, which near 1 says more."""
    if x <= 0.0 or rest <= 0.0:
        return float(x > 0.0)
    log_x = math.log(x) if x < 0.5 else math.log1p(-rest)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * log_x + b * math.log(rest)
    )
    if x < (a + 1) / (a + b + 2):  # where the fraction converges fast
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(rest, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction (DLMF 8.17.22), by Lentz' method."""
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = 1 + numerator / c
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
