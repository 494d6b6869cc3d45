"""The spread rule as a table, and that no broken answer ever raises a score."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.ensemble.judge.language.answers import Said
from physgauge.ensemble.judge.language.rounds import Decided, in_rounds
from physgauge.language_settings import ReasonSettings
from physgauge.types import OUTCOMES

X, R, T = "unparseable", "refused", "timeout"


def said(answer: Any) -> Said:
    outcome: Any = answer
    if isinstance(answer, str):
        return Said(outcome)
    return Said("answered", float(answer), f"says {answer}")


def run(answers: Sequence[Any], **settings: Any) -> tuple[Decided, list[list[int]]]:
    """Runs answered by a list, by run number: a score or an outcome."""
    asked: list[list[int]] = []

    async def ask(numbers: Sequence[int]) -> list[Said]:
        asked.append(list(numbers))
        return [said(answers[n]) for n in numbers]

    return asyncio.run(in_rounds(ask, ReasonSettings(**settings))), asked


@pytest.mark.parametrize(
    ("answers", "score", "unstable", "asked"),
    [
        ([80, 80, 80], 80, False, 3),
        ([80, 85, 90], 85, False, 3),  # 10 points apart are not too far
        ([80, 85, 90.001, 70, 71, 72], 71, False, 6),
        ([0, 50, 100, 90, 90, 93], 91, False, 6),
        ([0, 50, 100, 0, 50, 99, 60, 64, 70], 64.666667, False, 9),
        ([0, 50, 100, 0, 51, 100, 0, 52, 100], 52, True, 9),
        ([0, 100, 100, 0, 0, 100, 30, 41, 30.5], 30.5, True, 9),
        ([X, 80, 82, 81], 81, False, 4),  # one more in its own round
        ([X, R, X, 80, 82, 81], 81, False, 6),
        ([X, 80, 100, 60, 70, 70, X, 70], 70, False, 8),
        ([X, 80, 82, X], None, False, 4),
        ([X, X, X, X, X, X], None, False, 6),
        ([T, 80, 82], None, False, 3),  # nothing helps against being late
        (["skipped", "skipped", "skipped"], None, False, 3),
        (["blocked", 100, 100], None, False, 3),
        ([0, 50, 100, X, 90, 90, X], None, False, 7),  # the first round does not stand in
    ],
)
def test_the_spread_rule(
    answers: list[Any], score: float | None, unstable: bool, asked: int
) -> None:
    decided, calls = run(answers)
    assert decided.score == score
    assert decided.unstable is unstable
    assert len(decided.runs) == sum(map(len, calls)) == asked
    assert [n for call in calls for n in call] == list(range(asked))  # every run its own seed
    for run_, answer in zip(decided.runs, answers, strict=False):
        broken = isinstance(answer, str)
        assert run_.score == (None if broken else answer)
        assert run_.outcome == (answer if broken else "answered")


def test_runs_know_their_round_and_the_nearest_one_speaks() -> None:
    decided, calls = run([0, 50, 100, X, 70, 80, 74])
    assert [one.round for one in decided.runs] == [1, 1, 1, 2, 2, 2, 2]
    assert calls == [[0, 1, 2], [3, 4, 5], [6]]
    assert decided.score == 74.666667
    assert decided.speaks is not None
    assert decided.speaks.explanation == "says 74"


def test_settings_move_the_rule() -> None:
    assert run([0, 100], runs=2, spread=100)[0].score == 50
    assert run([50, 61, 70, 75], runs=2, rounds=2)[0].score == 72.5
    assert run([X, X, X], retries=0)[1] == [[0, 1, 2]]
    assert run([40], runs=1)[0].score == 40


def test_a_missing_score_says_why() -> None:
    assert (
        run([X, R, 80, X, R])[0].reason
        == "round 1: 1 of 3 runs have a score (2 refused, 2 unparseable)"
    )


ANSWER = st.one_of(
    st.floats(0, 100).map(lambda v: round(v, 3)),
    st.sampled_from([o for o in OUTCOMES if o != "answered"]),
)


@given(st.lists(ANSWER, min_size=18, max_size=18))
def test_a_broken_answer_never_raises_a_score(answers: list[Any]) -> None:
    decided, _ = run(answers)
    used = answers[: len(decided.runs)]
    kept = [one for one in used if not isinstance(one, str)]
    if decided.score is None:
        assert any(isinstance(one, str) for one in used)
        return
    # The same as if the broken ones had never been given: they count for nothing.
    assert decided.score == run([*kept, *["skipped"] * 18])[0].score
    last = kept[-3:]
    mean, median = statistics.fmean(last), statistics.median(last)
    assert decided.score == pytest.approx(median if decided.unstable else mean, abs=1e-6)
    assert min(last) - 1e-6 <= decided.score <= max(last) + 1e-6


@given(st.lists(st.floats(0, 100).map(lambda v: round(v, 3)), min_size=9, max_size=9), st.integers(0, 8),
       st.sampled_from(["timeout", "blocked", "skipped"]))  # fmt: skip
def test_an_answer_that_fails_for_good_leaves_no_score(
    answers: list[float], at: int, outcome: str
) -> None:
    whole, _ = run(answers)
    broken = [outcome if k == at else one for k, one in enumerate(answers)]
    now, _ = run(broken)
    assert now.score in (None, whole.score)
    assert (now.score is None) == (at < len(whole.runs))
