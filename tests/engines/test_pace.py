"""Rate limits and waits, on a clock of the test's own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.ensemble.judge.engines.endpoint.pace import Bucket, backoff, retry_after_s


@given(
    st.floats(1, 100_000),
    st.lists(st.tuples(st.floats(0, 5), st.floats(0.1, 5000)), min_size=1, max_size=60),
)
def test_a_bucket_never_lets_more_through(
    per_minute: float, asked: list[tuple[float, float]]
) -> None:
    """Whatever is asked when: what has been used by any time is at most what that time brings, one second's
    worth, and the one request that is larger than this."""
    now = 0.0
    bucket = Bucket(per_minute, lambda: now)
    rate, burst = per_minute / 60, max(1.0, per_minute / 60)
    used = []
    for pause, amount in asked:
        now += pause
        used.append((now + bucket.take(amount), amount))
    for at, _ in used:
        before = [amount for when, amount in used if when <= at]
        largest = max(before)
        assert sum(before) <= rate * at + burst + largest + 1e-6 * sum(before)


def test_a_bucket_is_no_slower_than_it_must_be() -> None:
    now = 0.0
    bucket = Bucket(600, lambda: now)  # ten a second
    waits = [bucket.take(1) for _ in range(30)]
    assert waits[:10] == [0.0] * 10
    assert waits[29] == pytest.approx(2.0)
    bucket.settle(20, 0)  # twenty of them were not used after all
    assert bucket.take(1) == pytest.approx(0.1)


@given(st.integers(1, 40), st.floats(0, 1))
def test_backoff_doubles_up_to_its_limit(attempt: int, random: float) -> None:
    wait = backoff(attempt, 0.5, 30, random)
    whole = min(30, 0.5 * 2 ** (attempt - 1))
    assert whole / 2 <= wait <= whole


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("1e9", None),
        ("soon", None),
        ("", None),
        ("9" * 400, None),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("Mon, 99 Nov 2026 11:00:00 GMT", None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, datetime(2026, 11, 30, 12, tzinfo=UTC)) == seconds
