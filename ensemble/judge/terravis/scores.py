"""The aggregations of TerraVis over arrays of answers, each with the bounds that what is not known
leaves.

    hard                   S = exp(-lambda (N_major + alpha N_minor))
    uniform_exponential    exp(-lambda N)
    uniform_pass_rate      1 - N / Q
    severity_pass_rate     1 - (N_major + alpha N_minor) / Q
    soft                   prod_c [1 - p_c (1 - q_c e^-lambda - (1 - q_c) e^(-lambda alpha))]

N counts what was found among Q probes, p_c is P(found), q_c is P(major given found). `soft` is the
expected hard score if probes err independently, and equals it where all p and q are 0 or 1. All but
`soft` are the published rules (arXiv 2610.02959). `tests/terravis/plain.py` is the plain twin.

What is not known: an unanswered probe may have found something major, or nothing; a find that was not
graded may be major or minor. The value is a number only where nothing like that is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physgauge.types import F64, Bools, JudgeAnswers


@dataclass(frozen=True, slots=True)
class Bounded:
    """A score of B images."""

    value: F64
    """[B] NaN where it is not known."""
    low: F64
    """[B] what it is at least."""
    high: F64
    """[B] what it is at most."""

    @classmethod
    def where(cls, known: Bools, low: F64, high: F64) -> Bounded:
        """Bounds, and their lower one as the value where `known` [B]."""
        return cls(np.where(known, low, np.nan), low, high)


@dataclass(frozen=True, slots=True)
class Scores:
    """All aggregations of B images."""

    hard: Bounded
    uniform_exponential: Bounded
    uniform_pass_rate: Bounded
    severity_pass_rate: Bounded
    soft: Bounded
    """NaN throughout for an image without any probability. Probes that nobody had to grade count as
    major, so `value` is the lower bound: never better than the truth."""
    n_major: F64
    """[B] NaN where something was not answered or graded."""
    n_minor: F64
    """[B] likewise."""


def aggregate(answers: JudgeAnswers, lambda_: float, alpha: float, grade_from: float) -> Scores:
    """Score a batch.

    Args:
        answers: [B, Q], Q at least 1.
        lambda_: penalty of a major violation, above 0.
        alpha: what a minor one counts beside it, 0..1.
        grade_from: P(found) from which severity had to be asked.

    Raises:
        ValueError: a number out of range.
    """
    _check(answers, lambda_, alpha)
    answer, major = answers.answer, answers.major
    found, unknown = answer == 1, answer == -1
    graded_major, graded_minor = found & (major == 1), found & (major == 0)
    ungraded = found & (major == -1)
    least = _count(graded_major) + alpha * (_count(graded_minor) + _count(ungraded))
    most = _count(graded_major | ungraded | unknown) + alpha * _count(graded_minor)
    fewest, highest = _count(found), _count(found | unknown)
    probes = answer.shape[1]
    answered = ~unknown.any(axis=1)
    known = answered & ~ungraded.any(axis=1)
    of = Bounded.where
    return Scores(
        hard=of(known, np.exp(-lambda_ * most), np.exp(-lambda_ * least)),
        uniform_exponential=of(answered, np.exp(-lambda_ * highest), np.exp(-lambda_ * fewest)),
        uniform_pass_rate=of(answered, 1 - highest / probes, 1 - fewest / probes),
        severity_pass_rate=of(known, 1 - most / probes, 1 - least / probes),
        soft=_soft(answers, lambda_, alpha, grade_from),
        n_major=np.where(known, _count(graded_major), np.nan),
        n_minor=np.where(known, _count(graded_minor), np.nan),
    )


def _soft(answers: JudgeAnswers, lambda_: float, alpha: float, grade_from: float) -> Bounded:
    p, q = answers.p_yes, answers.p_major
    sure = ~np.isnan(p) & (answers.answer != -1)
    graded = ~np.isnan(q)
    at_least, at_most = np.where(sure, p, 1.0), np.where(sure, p, 0.0)
    # The factor falls in p and in q: the worst case is the largest of each.
    low = _product(at_least, np.where(graded, q, 1.0), lambda_, alpha)
    high = _product(at_most, np.where(graded, q, 0.0), lambda_, alpha)
    must = (p >= grade_from) | (answers.answer == 1)
    known = (sure & (graded | ~must)).all(axis=1)
    none = ~sure.any(axis=1)
    low, high = np.where(none, np.nan, low), np.where(none, np.nan, high)
    return Bounded.where(known, low, high)


def _product(p: F64, q: F64, lambda_: float, alpha: float) -> F64:
    kept = q * np.exp(-lambda_) + (1 - q) * np.exp(-lambda_ * alpha)
    product: F64 = np.prod(1 - p * (1 - kept), axis=1)
    return product


def _count(flags: Bools) -> F64:
    count: F64 = flags.sum(axis=1).astype(np.float64)
    return count


def _check(answers: JudgeAnswers, lambda_: float, alpha: float) -> None:
    if not (np.isfinite(lambda_) and lambda_ > 0):
        raise ValueError(f"lambda: expected a number above 0, got {lambda_!r}")
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha: expected 0 to 1, got {alpha!r}")
    if answers.answer.ndim != 2 or answers.answer.shape[1] < 1:
        raise ValueError(
            f"answer: expected [B, Q] with Q of at least 1, got {answers.answer.shape}"
        )
    for name, values in (("p_yes", answers.p_yes), ("p_major", answers.p_major)):
        if ((values < 0) | (values > 1)).any():
            raise ValueError(f"{name}: expected 0 to 1 or NaN, got {values.tolist()!r:.120}")
