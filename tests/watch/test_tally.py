"""Counts of units add up to those of the run, however it is cut into units."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge import wire
from physgauge.bulk.watch.events import AnyEvent, UnitDone
from physgauge.bulk.watch.group import BOUNDS_S, STEPS, Group, StageTimes
from physgauge.bulk.watch.ledger import Ledger
from physgauge.bulk.watch.tally import DOMAIN, MOST_VALUES, Spent, Tally
from tests.watch.rows import mixed, row, tally_of


def same(a: Tally, b: Tally) -> None:
    """Equal, but for the last digits of sums."""
    left, right = msgspec.to_builtins(a), msgspec.to_builtins(b)
    assert _rounded(left) == _rounded(right)


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items() if v}  # a zero may be left out
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8))
def test_units_add_up_to_their_rows(sizes: list[int]) -> None:
    rows = [mixed(number) for number in range(sum(sizes))]
    merged, at = Tally(), 0
    for size in sizes:
        merged.merge(tally_of(rows[at : at + size]))
        at += size
    whole = tally_of(rows)
    if merged.by["prompt"] is None or whole.by["prompt"] is None:
        assert len(rows) > MOST_VALUES  # a column of that many values has no groups, either way
    same(merged, whole)


def test_what_is_counted_of_a_row() -> None:
    tally = tally_of(
        [
            row(0, score=1.0, extra={"generator": "a"}),
            row(1, score=0.5, verdict="FAIL", extra={"generator": "b"}),
            row(2, score=None, verdict=None, extra={"generator": "a"}, domain="animal"),
            row(3, code="worker_crashed", extra={"generator": "a"}),
        ]
    )
    assert tally.rows == 4
    assert tally.errors == {"worker_crashed": 1}
    assert tally.quarantined == 1
    assert tally.total.verdicts == {"PASS": 1, "FAIL": 1, "ok": 1, "error": 1}
    assert (tally.total.scored, tally.total.score_sum) == (2, 1.5)
    assert tally.terravis == {"ok": 2, "partial": 1, "error": 1}
    assert tally.probes == {"texture": [3, 2, 2]}
    assert tally.rules == {"car P1": [2, 1], "animal P1": [1, 1]}
    groups = tally.by["generator"]
    assert groups is not None
    assert {name: group.rows for name, group in groups.items()} == {"a": 3, "b": 1}
    domains = tally.by[DOMAIN]
    assert domains is not None
    assert {name: group.rows for name, group in domains.items()} == {"car": 2, "animal": 1}


def test_pcmde_that_was_not_asked_for_is_no_verdict() -> None:
    skipped = msgspec.structs.replace(row(0), pcmde=wire.Pcmde(status="skipped"))
    assert tally_of([skipped]).total.verdicts == {}


@settings(deadline=None)
@given(st.floats(0, 1), st.integers(0, STEPS))
def test_a_score_is_below_a_threshold_exactly_when_it_is_less(score: float, step: int) -> None:
    group, threshold = Group(), step / STEPS
    group.add(row(0, score=score))
    assert group.below(threshold) == (score < threshold)


@pytest.mark.parametrize("threshold", [0.29, 0.57, 0.58, 0.6, 0.7])
def test_a_score_at_the_threshold_is_not_below_it(threshold: float) -> None:
    group = Group()
    group.add(row(0, score=threshold))
    group.add(row(0, score=math.nextafter(threshold, 0)))
    assert group.below(threshold) == 1


def test_a_column_with_many_or_long_values_has_no_groups() -> None:
    many = tally_of(row(n, extra={"seed": str(n)}) for n in range(MOST_VALUES + 1))
    assert many.by["seed"] is None
    assert tally_of([row(0, extra={"prompt": "x" * 201})]).by["prompt"] is None
    few = tally_of(row(n, extra={"seed": str(n)}) for n in range(MOST_VALUES))
    assert len(few.by["seed"] or ()) == MOST_VALUES
    few.merge(tally_of([row(0, extra={"seed": "another"})]))
    assert few.by["seed"] is None
    few.merge(tally_of([row(0, extra={"seed": "0"})]))
    assert few.by["seed"] is None  # once too many, always too many


def test_stage_times_fall_into_buckets_with_their_upper_bound() -> None:
    times = StageTimes()
    for seconds in (*BOUNDS_S, 31.0):
        times.add(seconds)
    assert times.buckets == [1] * (len(BOUNDS_S) + 1)
    assert (times.images, times.seconds) == (len(BOUNDS_S) + 1, sum(BOUNDS_S) + 31.0)


def test_money_is_null_where_no_server_names_it() -> None:
    silent = Spent.of(wire.Cost(calls=1, tokens=10, cached_tokens=3))
    charged = Spent.of(wire.Cost(calls=1, tokens=20, usd=0.5))
    assert (silent + silent).usd is None
    both = silent + charged
    assert (both.usd, both.tokens, both.uncharged_tokens) == (0.5, 30, 10)
    assert both.uncharged_cached_tokens == 3
    assert (charged + charged).usd == 1.0


def test_events_go_through_json() -> None:
    done = UnitDone(
        unit=3, entries=4, scored=4, seconds=1.5, tally=tally_of(mixed(n) for n in range(50))
    )
    assert msgspec.json.decode(msgspec.json.encode(done), type=AnyEvent) == done
    assert done.made is done.tally


def made(unit: int, generation: int, rows: list[wire.Row], kept: int = 0) -> UnitDone:
    return UnitDone(
        unit=unit, generation=generation, entries=len(rows), scored=len(rows) - kept, kept=kept,
        seconds=1.0, tally=tally_of(rows), fresh=tally_of(rows[kept:]) if kept else None,
    )  # fmt: skip


def test_a_unit_counts_once_in_its_highest_generation() -> None:
    ledger, old, new = Ledger(), [mixed(n) for n in range(8)], [mixed(n + 100) for n in range(8)]
    assert ledger.add(made(0, 0, old), "s1")
    assert not ledger.add(made(0, 0, old), "s2")  # the same news, read again
    assert ledger.add(made(0, 1, old[:6] + new[:2], kept=6), "s2")
    assert not ledger.add(made(0, 0, old), "s1")
    same(ledger.tally(), tally_of(old[:6] + new[:2]))
    # What was spent stays spent, and what was kept was spent once.
    assert ledger.made == {"s1": 8, "s2": 2}
    assert ledger.spent["s1"] == tally_of(old).spent
    assert ledger.spent["s2"] == tally_of(new[:2]).spent
    assert ledger.fresh.rows == 10


def test_a_late_event_of_a_lower_generation_does_not_count() -> None:
    ledger = Ledger()
    ledger.add(made(0, 2, [mixed(1)]), "s2")
    assert not ledger.add(made(0, 1, [mixed(2), mixed(3)]), "s1")
    assert ledger.tally().rows == 1
    assert ledger.made == {"s2": 1, "s1": 2}


def test_units_that_are_gone_are_not_counted() -> None:
    ledger = Ledger()
    for unit in range(4):
        ledger.add(made(unit, 0, [mixed(unit)]), "s")
    ledger.drop({0, 3})
    assert (len(ledger), ledger.tally().rows, ledger.generation(1)) == (2, 2, -1)


def test_a_copy_does_not_change_any_more() -> None:
    ledger = Ledger()
    ledger.add(made(0, 0, [mixed(0)]), "s")
    before = ledger.copy()
    ledger.add(made(1, 0, [mixed(1)]), "s")
    assert (before.rows, ledger.copy().rows) == (1, 2)
