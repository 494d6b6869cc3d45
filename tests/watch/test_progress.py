"""Rates, time left and the words for them; no number is made up."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.bulk.watch import words
from physgauge.bulk.watch.hints import HINTS
from physgauge.bulk.watch.money import Costs
from physgauge.bulk.watch.progress import WINDOW_S, Progress, Speed, worked_s
from physgauge.bulk.watch.tally import Tally
from physgauge.errors import ERROR_CODES
from tests.watch.rows import mixed, row, tally_of


def moment(**fields: Any) -> Progress:
    """A moment of a run of 1,000,000 images, at a quarter."""
    given: dict[str, Any] = {
        "total": 1_000_000, "total_units": 1954, "done": 250_000, "units": 489, "in_flight": 0,
        "rate": 50.0, "overall_rate": 41.0, "elapsed_s": 5000.0, "tally": Tally(), "costs": Costs(),
        "workers": 4, "waiting_units": 1461, "restarts": 0, "retries": 0, "resident_bytes": None,
        "last_commit_age_s": None,
    }  # fmt: skip
    return Progress(**(given | fields))


def test_the_rate_is_that_of_the_last_minute() -> None:
    speed = Speed()
    for second in range(200):
        speed.note(second, 10 * second if second < 100 else 1000 + 50 * (second - 100))
    assert speed.rate() == pytest.approx(50.0)


def test_the_rate_is_null_until_there_is_one() -> None:
    speed = Speed()
    assert speed.rate() is None
    speed.note(0.0, 0)
    assert speed.rate() is None
    speed.note(0.0, 7)  # no time has gone by
    assert speed.rate() is None
    speed.note(0.5, 10)
    assert speed.rate() is None
    speed.note(4.0, 40)
    assert speed.rate() == 10.0


def test_a_run_that_stands_still_has_rate_0_and_no_time_left() -> None:
    speed = Speed()
    for second in range(0, 300, 10):
        speed.note(second, min(500, 10 * second))
    assert speed.rate() == 0.0
    assert moment(rate=0.0).left_s is None


def test_rows_that_were_lost_do_not_count_as_speed_twice() -> None:
    speed = Speed()
    speed.note(0.0, 0)
    speed.note(10.0, 100)
    speed.note(11.0, 20)  # a worker died with 80 rows in hand
    speed.note(20.0, 110)
    assert speed.rate() == pytest.approx(110 / 20)
    speed.note(21.0, 0)  # all is lost: nobody can say a rate below 0
    assert speed.rate() == 0.0
    fresh = Speed()
    fresh.note(0.0, 50)
    fresh.note(10.0, 20)
    assert fresh.rate() is None


@given(st.lists(st.tuples(st.floats(0, 500), st.integers(0, 10**6)), max_size=40))
def test_a_rate_is_never_negative_or_nan(points: list[tuple[float, int]]) -> None:
    speed = Speed()
    for now, made in sorted(points, key=lambda one: one[0]):
        speed.note(now, made)
        rate = speed.rate()
        assert rate is None or (rate >= 0 and math.isfinite(rate))


def test_the_window_does_not_grow() -> None:
    speed = Speed()
    for tick in range(100_000):
        speed.note(tick / 10, tick)
    assert len(speed._points) < 15 * WINDOW_S


def test_time_left() -> None:
    assert moment().left_s == 15_000
    assert moment(in_flight=250_000).left_s == 10_000
    assert moment(done=1_000_000).left_s == 0
    assert moment(rate=None).left_s is None
    # Archives that nobody has read: from the size of the units so far.
    assert moment(total=None, total_units=4, units=1, done=500, rate=10.0).left_s == 150
    assert moment(total=None, total_units=None).left_s is None
    assert moment(total=None, total_units=4, units=0, done=0).left_s is None


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(0, 1e5)), max_size=6))
def test_worked_seconds_stay_between_the_longest_and_the_sum(
    spans: list[tuple[float, float]],
) -> None:
    found, lengths = worked_s(spans), [seconds for _, seconds in spans]
    assert max(lengths, default=0) - 1e-3 <= found <= sum(lengths) + 1e-3


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"), (0.4, "0 s"), (59.6, "1 min"), (61, "1 min 1 s"), (3600, "1 h"), (-5, "0 s"),
        (6 * 3600 + 22 * 60 + 31, "6 h 22 min"), (3 * 86_400 + 4 * 3600, "3 d 4 h"), (86_399.9, "1 d"),
    ],
)  # fmt: skip
def test_durations(seconds: float, said: str) -> None:
    assert words.duration(seconds) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "-"),
        (0.0, "0.0%"),
        (0.5, "50.0%"),
        (0.0004, "0.04%"),
        (1e-7, "<0.01%"),
        (1.0, "100.0%"),
    ],
)
def test_shares(share: float | None, said: str) -> None:
    assert words.percent(share) == said


def test_prices_in_words() -> None:
    assert [words.dollars(x) for x in (0.0, 0.004, 3.2, 12345.6)] == [
        "0.00 USD", "0.004 USD", "3.20 USD", "12,346 USD",
    ]  # fmt: skip
    assert words.price(Costs()) == []
    assert words.price(Costs(usd=1.5)) == ["1.50 USD"]
    assert words.price(Costs(usd=1.5, usd_per_million_images=30.0)) == [
        "1.50 USD, 30.00 USD a million images"
    ]
    assert words.price(Costs(gpu_s_per_million_images=36_000.0)) == [
        "10 GPU hours a million images"
    ]
    assert words.price(Costs(gpu_s_per_million_images=0.0, cpu_s_per_million_images=3600.0)) == [
        "1 CPU hours a million images"
    ]


def test_the_line_of_a_log() -> None:
    tally = tally_of([row(n, score=0.5 if n < 25 else 1.0) for n in range(99)])
    tally.merge(tally_of([row(100, code="image_empty")]))
    costs = Costs(usd=4.0, usd_per_million_images=16.0)
    said = words.line(moment(tally=tally, costs=costs, restarts=2, retries=3), 0.6)
    assert said == (
        "250,000 of 1,000,000, 50.0 images/s (41 overall), 4 h 10 min left, 1.0% errors, "
        "PASS 100.0% FAIL 0.0%, TerraVis 0.874, 25.3% below 0.6, 4.00 USD, 16.00 USD a million images, "
        "2 workers replaced, 3 retries"
    )


def test_the_line_before_the_first_row() -> None:
    start = moment(done=0, units=0, rate=None, overall_rate=None, total=10)
    assert words.line(start, 0.6) == "0 of 10, - images/s"
    unknown = moment(done=7, units=1, total=None, total_units=3, rate=None, overall_rate=None)
    assert words.line(unknown, 0.6) == "7 (1 of 3 units), - images/s"


def test_the_line_of_rows_without_scores_has_no_mean() -> None:
    tally = tally_of([row(0, score=None)])
    assert not any("TerraVis" in one for one in words.summary(moment(tally=tally), 0.6))
    assert "nan" not in words.line(moment(tally=tally), 0.6)


def test_every_error_code_says_what_to_do() -> None:
    assert HINTS.keys() == ERROR_CODES.keys()


def test_the_line_of_a_mixed_run_is_one_line() -> None:
    said = words.line(moment(tally=tally_of(mixed(n) for n in range(300))), 0.6)
    assert "\n" not in said
