"""The numbers of a self-test, from judges whose numbers are known."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from physgauge import wire
from physgauge.report.selftest_picture import draw
from physgauge.selftest.measure import measured
from physgauge.selftest.pairs import Truth
from physgauge.selftest.ranks import Curve
from physgauge.selftest.result import Report
from tests.selftest.shared import CATEGORIES, Says, answered, judged, oracle, records, truth

ABOUT: dict[str, Any] = {"judge": "test", "models": {}, "probes": "p", "seconds": 1.0}
GOOD = ("auroc", "pair_accuracy", "recall", "precision", "severity_accuracy")


def report(says: Says, pairs: int = 60, eligible: float | None = None, others: int = 12) -> Report:
    some = records(truth(pairs, others))
    told = lambda t: float(t.eligible) if eligible is None else eligible  # noqa: E731
    return measured(some, judged(some, says, told), 200, **ABOUT)


def test_an_oracle_is_right_everywhere() -> None:
    made = report(oracle)
    for name in (*GOOD, "eligibility"):
        assert getattr(made, name).value == 1.0, name
        assert getattr(made, name).ci == (1.0, 1.0), name
    assert made.abstained.value == 0
    assert made.ece.value == 0
    assert made.missing == []
    assert (made.pairs, made.others) == (60, 12)
    assert made.eligibility.of == 132
    for one in made.categories.values():
        assert one.pairs == 20
        assert all(getattr(one, name).value == 1.0 for name in GOOD)
        assert one.elsewhere.value == 0


def test_a_coin_is_a_coin() -> None:
    rng = np.random.default_rng(5)

    def coin(one: Truth, name: str) -> wire.Answer:
        return answered(float(rng.random()), float(rng.random()))

    made = report(coin, pairs=1500)
    for name in GOOD:
        measure = getattr(made, name)
        assert measure.value == pytest.approx(0.5, abs=0.06), name
        assert measure.ci is not None
        assert measure.ci.low < measure.value < measure.ci.high
        assert measure.ci.high - measure.ci.low < 0.12
    assert made.ece.value == pytest.approx(0.5 - 1 / 6, abs=0.12)
    for one in made.categories.values():
        assert all(getattr(one, n).value == pytest.approx(0.5, abs=0.1) for n in GOOD), one


def test_ties_count_half() -> None:
    made = report(lambda one, name: answered(0.7, 0.6))
    assert made.pair_accuracy.value == 0.5
    assert made.auroc.value == 0.5
    assert all(c.auroc.value == 0.5 for c in made.categories.values())
    assert made.precision.value == 0.5
    assert made.recall.value == 1.0


def test_a_backward_judge_is_wrong_everywhere() -> None:
    made = report(lambda one, name: answered(0.1 if one.category == name else 0.9, 0.5))
    assert made.recall.value == 0
    assert made.precision.value == 0
    assert made.auroc.value == 0
    assert made.pair_accuracy.value == 0
    assert all(c.auroc.value == 0 for c in made.categories.values())


def test_what_is_not_answered_is_no_find_and_an_abstention() -> None:
    def silent(one: Truth, name: str) -> wire.Answer:
        mute = name == "optical_effect" and one.pair_category == name
        return wire.Answer(outcome="timeout") if mute else oracle(one, name)

    made = report(silent)
    assert made.recall.value == pytest.approx(2 / 3)
    assert made.precision.value == 1.0
    assert made.categories["optical_effect"].recall.value == 0
    assert made.categories["optical_effect"].precision.value is None
    assert made.categories["optical_effect"].pair_accuracy.value is None
    assert made.abstained.value == pytest.approx(1 / 3)
    assert made.pair_accuracy.of == 40
    nothing = report(lambda one, name: wire.Answer(outcome="refused"))
    assert nothing.missing == list(CATEGORIES)
    assert nothing.ece.value is None
    assert nothing.reliability == []
    assert nothing.abstained.value == 1.0


def test_an_escape_as_not_eligible_is_an_error_and_no_find() -> None:
    made = report(oracle, eligible=0.2)
    assert made.eligibility.value == pytest.approx(12 / 132)
    assert made.recall.value == 0
    assert made.pair_accuracy.value is None
    made = report(oracle, eligible=0.9)
    assert made.eligibility.value == pytest.approx(120 / 132)


def test_hard_answers_have_everything_but_calibration() -> None:
    def words(one: Truth, name: str) -> wire.Answer:
        yes = one.category == name
        return wire.Answer(outcome="answered", answer=yes, severity=one.severity if yes else None)

    made = report(words)
    assert all(getattr(made, name).value == 1.0 for name in GOOD)
    assert made.ece.value is None


def test_calibration_error_is_the_gap() -> None:
    made = report(lambda one, name: answered(0.95 if one.category == name else 0.15))
    assert made.ece.value == pytest.approx((0.05 * 60 + 0.15 * 300) / 360)
    (low, high) = made.reliability
    assert (low.answers, low.true, high.answers, high.true) == (300, 0.0, 60, 1.0)
    assert low.said == pytest.approx(0.15)


def test_area_with_weights_is_that_of_repeated_pictures() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 6, 40).astype(float)
    scores[::7] = np.nan
    positive = rng.random(40) < 0.4
    weight = rng.integers(0, 4, 40)
    again = np.repeat(np.arange(40), weight)
    kept = again[~np.isnan(scores[again])]
    good, bad = scores[kept[positive[kept]]], scores[kept[~positive[kept]]]
    plain = np.mean([(a > b) + 0.5 * (a == b) for a in good for b in bad])
    assert Curve(scores, positive).area(weight.astype(float)) == pytest.approx(plain)
    assert np.isnan(Curve(scores, np.ones(40, bool)).area(np.ones(40)))


def test_the_report_is_strict_json_and_a_picture() -> None:
    made = report(oracle)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Report) == made
    picture = draw(made)
    flat = np.asarray(picture)
    assert (flat == (45, 105, 180)).all(axis=2).sum() > 3 * 2 * 150 * 8  # full bars
    worse = np.asarray(draw(report(lambda one, name: answered(0.7, 0.6))))
    assert (worse == (200, 60, 50)).all(axis=2).any()
