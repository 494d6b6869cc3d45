"""What a self-test comes to."""

from __future__ import annotations

import msgspec

from physgauge.evaluate.bootstrap import Interval


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A number, and what it would be on other pairs of the same kind."""

    value: float | None
    """None where it is undefined."""
    ci: Interval | None = None
    of: int = 0
    """Pictures, answers or pairs that it is of."""


class Category(msgspec.Struct, frozen=True, kw_only=True):
    """Of one category's own pairs, half of which are violated."""

    pairs: int
    recall: Measure
    """Of the violated pictures, the share in which it was found; without an answer is not found."""
    precision: Measure
    """Of the pictures in which it was found, the share that is violated."""
    auroc: Measure
    """That a violated picture has the higher P(yes) than a clean one; ties count half."""
    pair_accuracy: Measure
    """Pairs whose violated picture has the lower score; ties count half."""
    severity_accuracy: Measure
    """Of the finds that were graded, the share of the planted severity."""
    elsewhere: Measure
    """Of the pictures violated in another category, the share in which it was found too."""


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of about one probability."""

    low: float
    high: float
    answers: int
    said: float | None
    """Mean P(yes)."""
    true: float | None
    """Share of them that is violated."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A judge on a set of pairs."""

    judge: str
    models: dict[str, str]
    probes: str
    pairs: int
    others: int
    """Pictures that are not eligible."""
    missing: list[str]
    """Categories of the set that the judge does not know: its profile does not ask, or none was
    answered."""
    recall: Measure
    """Over all categories' pairs together."""
    precision: Measure
    auroc: Measure
    """Of the score (expected score where there is one), violated against clean."""
    pair_accuracy: Measure
    severity_accuracy: Measure
    eligibility: Measure
    """Share of all pictures whose eligibility was told rightly; no answer is not right."""
    abstained: Measure
    """Share of eligible pictures, told to be eligible or without an answer to that, without a score."""
    ece: Measure
    """Expected calibration error of P(yes), every probe of every eligible picture, ten bins."""
    reliability: list[Bin]
    categories: dict[str, Category]
    injection: dict[str, float | int | None] = {}
    """What words painted into pictures change (physgauge.selftest.injection); empty: not tried."""
    seconds: float
    """Of the judge's work on the pairs."""
