"""Bands and their choice: what is promised holds, too small a set is refused, and the bound is exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from physgauge import wire
from physgauge.ensemble.judge.cascade.bands import Bands, Glance
from physgauge.errors import ConfigError
from physgauge.evaluate.binomial import fewest, upper_bound
from physgauge.evaluate.cascade_fit import Fit, fit
from physgauge.evaluate.cascade_rows import Judged

GATE = 0.6


def said(
    soft: float, eligible: float = 0.99, p: float | None = None, **more: object
) -> wire.TerraVis:
    """A first judge's word with an expected score; the hard score is on the side the expected one is."""
    hard = 1.0 if soft >= GATE else 0.2
    if eligible < 0.5:
        return wire.TerraVis(
            status="not_applicable",
            eligible=wire.Eligible(answer=False, p=eligible, outcome="answered"),
        )
    values = {
        "status": "ok", "score": hard, "low": hard, "high": hard, "score_soft": soft,
        "eligible": wire.Eligible(answer=True, p=eligible, outcome="answered"),
        "answers": {} if p is None else {"x": wire.Answer(outcome="answered", answer=p >= 0.5, p_yes=p)},
    }  # fmt: skip
    return wire.TerraVis(**values | more)  # type: ignore[arg-type]


def calibration(n: int, sharp: float, seed: int) -> list[Judged]:
    """Images whose first judge errs less the further his score is from the gate."""
    rng = np.random.default_rng(seed)
    made = []
    for score in rng.random(n):
        odds = sharp * (score - GATE)
        right = rng.random() < 1 / (1 + math.exp(-odds))
        second = wire.Cost(calls=2, tokens=1000, ms={"look": 900.0})
        first = wire.Cost(calls=1, ms={"look": 30.0})
        seen = Glance.of(said(float(score)), GATE)
        made.append(Judged(seen, "pass" if right else "fail", first, second))
    return made


def errs(found: Fit, judged: list[Judged]) -> float:
    words = [found.bands.stands(one.first) for one in judged]
    wrong = sum(w is not None and w != one.second for w, one in zip(words, judged, strict=True))
    return wrong / len(judged)


def test_bands() -> None:
    bands = Bands(GATE, 0.3, 0.9, 0.1, 0.8, 0.4, 0.6)
    assert bands.word(said(0.95)) == "pass"
    assert bands.word(said(0.9)) == "pass"
    assert bands.word(said(0.89)) is None
    assert bands.word(said(0.3)) == "fail"
    assert bands.word(said(0.31)) is None
    assert bands.word(said(0.95, eligible=0.79)) is None
    assert bands.word(said(0.95, eligible=0.1)) == "not_applicable"
    assert bands.word(said(0.95, eligible=0.11)) is None
    assert bands.word(said(0.95, p=0.5)) is None
    assert bands.word(said(0.95, p=0.6)) == "pass"
    # A hard score on the other side than the expected one is no sure word.
    assert bands.word(said(0.95, score=0.2, low=0.2, high=0.2)) is None
    assert bands.word(said(0.95, status="partial", score=None, low=0.9)) is None
    assert bands.word(said(0.95, status="error")) is None
    silent = wire.Eligible(outcome="timeout")
    assert bands.word(said(0.95, eligible=0.9)) == "pass"
    assert bands.word(wire.TerraVis(status="partial", eligible=silent, low=1.0, high=1.0)) is None


def test_what_is_promised_holds_on_other_images() -> None:
    broken = 0
    for seed in range(40):
        found = fit(calibration(900, 20, seed), GATE, 0.02)
        assert found.bound <= 0.02
        broken += errs(found, calibration(20_000, 20, 1000 + seed)) > 0.02
        assert 0 < found.reached < found.images
    assert broken <= 5  # 5 % of 40 are 2


def test_more_is_left_to_a_better_first_judge() -> None:
    dull, sharp = (fit(calibration(2000, s, 3), GATE, 0.02) for s in (8, 60))
    assert sharp.reached < dull.reached
    perfect = [
        Judged(one.first, "pass" if (one.first.score or 0) >= GATE else "fail", *costs)
        for one in calibration(2000, 1, 4)
        for costs in [(one.cost_first, one.cost_second)]
    ]
    found = fit(perfect, GATE)
    assert found.reached == 0
    assert (found.bands.low, found.bands.high) == (GATE, GATE)
    assert found.cost["look_ms"] == pytest.approx(30)
    assert found.cost_alone["look_ms"] == pytest.approx(900)
    assert found.cost["tokens"] == 0


def test_a_first_judge_who_is_wrong_is_left_nothing() -> None:
    wrong = [
        Judged(one.first, "fail" if (one.first.score or 0) >= GATE else "pass", *costs)
        for one in calibration(1000, 1, 4)
        for costs in [(one.cost_first, one.cost_second)]
    ]
    found = fit(wrong, GATE)
    assert found.reached >= found.images - found.disagreed
    assert found.disagreed <= 4
    assert found.bound <= 0.01


def test_too_small_a_set_is_refused() -> None:
    least = fewest(0.01, 1 - 0.05 / 3)
    some = calibration(least, 60, 1)
    fit(some, GATE)
    with pytest.raises(
        ConfigError,
        match=rf"expected at least {least} images .* at most 1\.000% .* got {least - 1}",
    ):
        fit(some[1:], GATE)
    undecided = [Judged(one.first, None, one.cost_first, one.cost_second) for one in some]
    with pytest.raises(ConfigError, match="got 0"):
        fit(undecided, GATE)


@pytest.mark.parametrize(
    ("hits", "n"), [(0, 1), (0, 299), (3, 700), (40, 900), (17, 17), (500, 4000)]
)
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.9833])
def test_the_bound_is_clopper_and_pearsons(hits: int, n: int, confidence: float) -> None:
    wanted = 1.0 if hits == n else float(stats.beta.ppf(confidence, hits + 1, n - hits))
    assert upper_bound(hits, n, confidence) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("share", "confidence"), [(0.01, 0.95), (0.1, 0.9), (0.001, 0.99), (0.5, 0.5)]
)
def test_the_fewest_are_enough_and_one_less_is_not(share: float, confidence: float) -> None:
    n = fewest(share, confidence)
    assert upper_bound(0, n, confidence) <= share
    assert n == 1 or upper_bound(0, n - 1, confidence) > share


@pytest.mark.parametrize("gate", [0.08, 0.09, 0.6, 1.0])
def test_bands_that_are_wide_open_meet_at_the_gate(gate: float) -> None:
    perfect = [
        Judged(Glance("pass" if score >= gate else "fail", 0.99, float(score)),
               "pass" if score >= gate else "fail", wire.Cost(), wire.Cost())
        for score in np.linspace(0, 1, 500)
    ]  # fmt: skip
    found = fit(perfect, gate, eligible_from=0.08)
    assert found.reached == 0
    assert (found.bands.low, found.bands.high) == (gate, gate)
    assert found.bands.eligible_low <= found.bands.eligible_high


def test_the_least_share_and_the_greatest_confidence() -> None:
    assert fewest(1e-6, 0.999999) == 13_815_504
    assert fewest(1e-17, 0.95) > 10**17


def test_a_count_of_many() -> None:
    assert upper_bound(49_000, 100_000, 0.95) == pytest.approx(
        float(stats.beta.ppf(0.95, 49_001, 51_000)), rel=1e-9
    )
