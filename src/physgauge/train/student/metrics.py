"""How good answers are: ranks, agreement of probabilities with what happens, and pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physgauge.train.student.records import Records
from physgauge.types import F64, Bools

BINS = 10


@dataclass(frozen=True)
class Answers:
    """What a student says of N images, as probabilities."""

    eligible: F64
    """[N]."""
    yes: F64
    """[N, Q]."""
    major: F64
    """[N, Q]."""

    @property
    def soft(self) -> F64:
        """[N] expected score, lambda 1 and alpha 0.5 (docs/terravis.md)."""
        kept = self.major * np.exp(-1.0) + (1 - self.major) * np.exp(-0.5)
        product: F64 = np.prod(1 - self.yes * (1 - kept), axis=1)
        return product

    @property
    def hard(self) -> F64:
        """[N] score of the decisions at 0.5."""
        found, grave = self.yes >= 0.5, self.major >= 0.5
        score: F64 = np.exp(-((found & grave).sum(1) + 0.5 * (found & ~grave).sum(1)).astype(float))
        return score


def auroc(positive: NDArray[Any], negative: NDArray[Any]) -> float | None:
    """P(a positive ranks above a negative), ties half; None without both."""
    if not len(positive) or not len(negative):
        return None
    every = np.concatenate([positive, negative])
    _, place, count = np.unique(every, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    n, m = len(positive), len(negative)
    return float((rank[:n].sum() - n * (n + 1) / 2) / (n * m))


@dataclass(frozen=True)
class Reliability:
    """Probabilities against what happens, in `BINS` equal bins."""

    count: NDArray[np.int64]
    said: F64
    """Mean probability of each bin; NaN where it is empty."""
    happened: F64

    @property
    def ece(self) -> float:
        """Expected calibration error: mean distance, weighted by count."""
        full = self.count > 0
        apart = np.abs(self.said[full] - self.happened[full]) * self.count[full]
        return float(apart.sum() / max(1, self.count.sum()))


def reliability(p: NDArray[Any], happened: NDArray[Any]) -> Reliability:
    """Of probabilities and outcomes of the same shape; unknown outcomes (NaN) are left out."""
    known = ~np.isnan(happened)
    p, happened = p[known].astype(float), happened[known].astype(float)
    place = np.clip((p * BINS).astype(int), 0, BINS - 1)
    count = np.bincount(place, minlength=BINS)
    with np.errstate(invalid="ignore", divide="ignore"):
        said = np.bincount(place, p, BINS) / count
        seen = np.bincount(place, happened, BINS) / count
    return Reliability(count, said, seen)


def pairs_of(records: Records) -> NDArray[np.int64]:
    """[P, 2] violated and clean images of whole pairs."""
    violated: Bools = np.any(records.targets.yes >= 0.5, axis=1)
    first: dict[int, int] = {
        int(p): i for i, p in enumerate(records.pair) if p >= 0 and violated[i]
    }
    other = {int(p): i for i, p in enumerate(records.pair) if p >= 0 and not violated[i]}
    found = [(i, other[p]) for p, i in first.items() if p in other]
    return np.array(found, np.int64).reshape(-1, 2)


def summary(answers: Answers, records: Records) -> dict[str, float | None]:
    """The figures that training is watched by."""
    t, soft = records.targets, answers.soft
    violated, clean = pairs_of(records).T
    per = [category_auroc(answers.yes, records, k) for k in range(t.yes.shape[1])]
    known = [x for x in per if x is not None]
    eligible = (answers.eligible >= 0.5) == (t.eligible >= 0.5)
    return {
        "auroc": auroc(-soft[violated], -soft[clean]),
        "pair_accuracy": beats(soft[clean], soft[violated]),
        "own_auroc": float(np.mean(known)) if known else None,
        "own_auroc_least": min(known) if known else None,
        "eligibility": float(eligible.mean()),
        "ece": reliability(answers.yes, t.yes).ece,
        "severity": _severity(answers.major, t.major),
    }


def category_auroc(yes: NDArray[Any], records: Records, category: int) -> float | None:
    """P(yes) of the category: its violated images against all eligible images without it."""
    target = records.targets.yes[:, category]
    return auroc(yes[target >= 0.5, category], yes[target < 0.5, category])


def beats(higher: F64, lower: F64) -> float | None:
    """Share of pairs in the right order, ties half; None without pairs."""
    if not len(higher):
        return None
    return float(((higher > lower) + 0.5 * (higher == lower)).mean())


def _severity(major: F64, target: NDArray[Any]) -> float | None:
    known: Bools = ~np.isnan(target)
    if not known.any():
        return None
    return float(((major[known] >= 0.5) == (target[known] >= 0.5)).mean())
