"""The plain twin of `ensemble.judge.terravis.scores`: one image, loops, the formulas as they are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What is known of one probe."""

    hit: int
    """1, 0, or -1: not answered."""
    major: int = -1
    """1, 0, or -1: not graded."""
    p: float | None = None
    q: float | None = None


Triple = tuple[float | None, float | None, float | None]
"""Value, low, high."""


def exponential(weight: float, lambda_: float) -> float:
    return math.exp(-lambda_ * weight)


def weights(said: Sequence[Said], alpha: float) -> tuple[float, float, bool]:
    """Least and most N_major + alpha N_minor, and whether they are known to be one."""
    least = most = 0.0
    known = True
    for one in said:
        if one.hit == -1:
            most += 1
            known = False
        elif one.hit == 1 and one.major == -1:
            least += alpha
            most += 1
            known = False
        elif one.hit == 1:
            least += 1 if one.major else alpha
            most += 1 if one.major else alpha
    return least, most, known


def hard(said: Sequence[Said], lambda_: float, alpha: float) -> Triple:
    least, most, known = weights(said, alpha)
    low, high = exponential(most, lambda_), exponential(least, lambda_)
    return (low if known else None), low, high


def severity_pass_rate(said: Sequence[Said], alpha: float) -> Triple:
    least, most, known = weights(said, alpha)
    low, high = 1 - most / len(said), 1 - least / len(said)
    return (low if known else None), low, high


def uniform(said: Sequence[Said], lambda_: float) -> tuple[Triple, Triple]:
    """Pass rate and exponential."""
    fewest = sum(one.hit == 1 for one in said)
    most = fewest + sum(one.hit == -1 for one in said)
    rate = 1 - most / len(said), 1 - fewest / len(said)
    exp = exponential(most, lambda_), exponential(fewest, lambda_)
    known = fewest == most
    return (rate[0] if known else None, *rate), (exp[0] if known else None, *exp)


def factor(p: float, q: float, lambda_: float, alpha: float) -> float:
    return 1 - p * (1 - q * math.exp(-lambda_) - (1 - q) * math.exp(-lambda_ * alpha))


def soft(said: Sequence[Said], lambda_: float, alpha: float, grade_from: float) -> Triple:
    low = high = 1.0
    known, any_p = True, False
    for one in said:
        if one.hit == -1 or one.p is None:
            known = False
            low *= factor(1, 1 if one.q is None else one.q, lambda_, alpha)
            continue
        any_p = True
        if one.q is None:
            low *= factor(one.p, 1, lambda_, alpha)
            high *= factor(one.p, 0, lambda_, alpha)
            known = known and not (one.p >= grade_from or one.hit == 1)
        else:
            low *= factor(one.p, one.q, lambda_, alpha)
            high *= factor(one.p, one.q, lambda_, alpha)
    if not any_p:
        return None, None, None
    return (low if known else None), low, high
