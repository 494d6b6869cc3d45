"""From truth and answers to a report, each number with an interval over draws of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from physgauge import wire
from physgauge.evaluate.bootstrap import interval
from physgauge.selftest.pairs import Truth
from physgauge.selftest.ranks import Curve
from physgauge.selftest.result import Bin, Category, Measure, Report
from physgauge.selftest.said import Said, said
from physgauge.types import F64, I64, Bools

BINS: Final = 10


def measured(
    truth: Sequence[Truth],
    answers: Sequence[wire.TerraVis],
    resamples: int = 500,
    seed: int = 0,
    **about: object,
) -> Report:
    """The report.

    Args:
        truth: n pictures.
        answers: [n] what was said of each.
        resamples: of the bootstrap.
        seed: of its draws.
        about: the report's own words: judge, models, probes, seconds.
    """
    s = said(truth, answers)
    m = _Measurer(s, resamples, seed)
    pairs, clean = s.category >= 0, s.eligible & ~s.violated
    own = np.zeros_like(s.found, bool)
    own[np.flatnonzero(pairs), s.category[pairs]] = True
    found = own & (s.found == 1)
    right = found & (s.major == s.severity[:, None])
    graded = found & (s.major >= 0) & (s.severity[:, None] >= 0) & s.violated[:, None]
    violated = own & s.violated[:, None]
    bins = [_bin(s, k) for k in range(BINS)]
    categories = {}
    for c, name in enumerate(s.categories):
        mine, wrong = own[:, c], s.violated & (s.category != c)
        categories[name] = Category(
            pairs=int(violated[:, c].sum()),
            recall=m.share(found[:, c] & s.violated, violated[:, c]),
            precision=m.share(found[:, c] & s.violated, found[:, c]),
            auroc=m.area(np.where(mine, s.sure[:, c], np.nan)),
            pair_accuracy=m.twins(mine),
            severity_accuracy=m.share(right[:, c] & graded[:, c], graded[:, c]),
            elsewhere=m.share((s.found[:, c] == 1) & wrong, wrong),
        )
    return Report(
        pairs=int(violated.sum()),
        others=int((~s.eligible).sum()),
        missing=[name for name, asked in zip(s.categories, s.asked, strict=True) if not asked],
        recall=m.share((found & violated).sum(1), violated.sum(1)),
        precision=m.share((found & violated).sum(1), found.sum(1)),
        auroc=m.area(np.where(s.violated | clean, -s.score, np.nan)),
        pair_accuracy=m.twins(pairs),
        severity_accuracy=m.share((right & graded).sum(1), graded.sum(1)),
        eligibility=m.share(s.told == s.eligible, np.ones(len(s.told), bool)),
        abstained=m.share(s.abstained & s.eligible, s.eligible & (s.told != 0)),
        ece=m.calibration(),
        reliability=[one for one in bins if one.answers],
        categories=categories,
        **about,  # type: ignore[arg-type]
    )


class _Measurer:
    """Statistics of the whole set, and of draws of its units."""

    def __init__(self, s: Said, resamples: int, seed: int) -> None:
        self._said = s
        units = int(s.unit.max()) + 1
        rng = np.random.default_rng(seed)
        drawn = [
            np.bincount(rng.integers(0, units, units), minlength=units) for _ in range(resamples)
        ]
        self._weights: F64 = np.array(drawn, float).reshape(resamples, units)[:, s.unit]
        self._one = np.ones((1, len(s.unit)))

    def share(self, part: F64 | Bools, whole: F64 | Bools) -> Measure:
        """Sum of `part` [n] over that of `whole` [n]."""
        part, whole = part.astype(float), whole.astype(float)

        def of(weights: F64) -> F64:
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray((weights @ part) / (weights @ whole))

        return self._measure(of, int(whole.sum()))

    def area(self, scores: F64) -> Measure:
        """AUROC of scores [n], violated against the rest; NaN is left out."""
        curve = Curve(scores, self._said.violated)
        return self._measure(lambda some: np.array([curve.area(w) for w in some]), curve.count)

    def twins(self, of: Bools) -> Measure:
        """Share of the pairs among these pictures [n] whose violated one scores less."""
        s = self._said
        won, there = np.zeros(len(s.unit)), np.zeros(len(s.unit))
        other = {int(s.unit[i]): i for i in np.flatnonzero(of & ~s.violated)}
        for i in np.flatnonzero(of & s.violated):
            bad, good = s.score[i], s.score[other[int(s.unit[i])]]
            if not np.isnan(bad) and not np.isnan(good):
                there[i], won[i] = 1, 1.0 if bad < good else 0.5 if bad == good else 0.0
        return self.share(won, there)

    def calibration(self) -> Measure:
        """Expected calibration error of P(yes) over all probes of eligible pictures."""
        p, true, which = _answers(self._said)
        level = np.minimum((p * BINS).astype(int), BINS - 1)

        def of(weights: F64) -> F64:
            errors = []
            for drawn in weights:  # one by one: there are Q answers to each picture
                w = drawn[which]
                gap = np.abs(np.bincount(level, w * (p - true), BINS))
                errors.append(gap.sum() / w.sum() if w.sum() > 0 else np.nan)
            return np.array(errors)

        if not len(p):
            return Measure(value=None)
        return self._measure(of, len(p))

    def _measure(self, of: Callable[[F64], F64], count: int) -> Measure:
        value = float(of(self._one)[0])
        if np.isnan(value):
            return Measure(value=None, of=count)
        return Measure(value=value, ci=interval(of(self._weights)), of=count)


def _answers(s: Said) -> tuple[F64, F64, I64]:
    """P(yes), whether it is violated, and the picture, of each answer that has a probability, on eligible
    pictures, whatever the judge takes them for."""
    use = s.eligible[:, None] & ~np.isnan(s.p)
    true = (s.category[:, None] == np.arange(len(s.categories))) & s.violated[:, None]
    return s.p[use], true[use].astype(float), np.nonzero(use)[0]


def _bin(s: Said, k: int) -> Bin:
    p, true, _ = _answers(s)
    mine = np.minimum((p * BINS).astype(int), BINS - 1) == k
    count = int(mine.sum())
    return Bin(
        low=k / BINS, high=(k + 1) / BINS, answers=count,
        said=float(p[mine].mean()) if count else None,
        true=float(true[mine].mean()) if count else None,
    )  # fmt: skip
