"""The arithmetic of the serving benchmark: what it makes of calls, and the calls of its generator."""

from __future__ import annotations

import itertools
import math
import os
from typing import Any

import pytest

from benchmarks.serving import load, overload, pictures, processes
from benchmarks.serving.load import Call, Load
from physgauge.config import load_profile
from tests.serving.server import Server


def calls(*times: tuple[float, float, str]) -> Load:
    """Calls due at, taking so many seconds, ending in a code; the run began at 100."""
    made = [Call(100 + due, 100 + due, 100 + due + took, code) for due, took, code in times]
    return Load(made, 100.0, 0.0)


def test_a_call_is_timed_from_when_it_was_due() -> None:
    """A generator that sent late must not hide the wait."""
    assert Call(due_s=10.0, sent_s=12.0, done_s=12.5, code="").ms == pytest.approx(2500)


def test_arrivals_are_poisson() -> None:
    moments = load.poisson(50.0, 200.0)
    gaps = [b - a for a, b in itertools.pairwise(moments)]
    mean = sum(gaps) / len(gaps)
    assert len(moments) == pytest.approx(10_000, rel=0.05)
    # Exponential gaps: deviation as large as the mean. (A metronome's would be 0.)
    deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    assert deviation == pytest.approx(mean, rel=0.05)
    assert moments == sorted(moments)
    assert load.poisson(50.0, 200.0) == moments  # and the same each time


def test_a_rate_counts_rows_of_its_stretch_only() -> None:
    seen = calls((0, 0.5, ""), (1, 0.5, ""), (2, 0.5, ""), (2, 0.1, "overloaded"), (3, 9, ""))
    assert seen.rate(1.0, 3.0) == pytest.approx(2 / 2)
    assert len(seen.answered) == 4
    assert calls((0, 1, "overloaded")).rate() == 0
    assert load.percentiles([], 50, 99) == [None, None]


def test_an_overload_is_judged_once_it_has_settled() -> None:
    """Rows at 5 a second throughout; memory that grows only in the first quarter does not count."""
    rows = [(k / 5, 0.1, "") for k in range(200)]
    rejects = [(k / 5, 0.02, "overloaded") for k in range(200)]
    memory = [(100 + at, 500.0 if at >= 10 else 100.0) for at in range(0, 42, 2)]
    result = overload.overload_of(calls(*rows, *rejects), memory, 40.0, 10.0)
    assert result["goodput"] == pytest.approx(5, rel=0.02)
    assert result["goodput_ratio"] == pytest.approx(0.5, rel=0.02)
    assert result["rejects"] == 200
    assert result["reject_p99_ms"] == pytest.approx(20, rel=0.01)
    assert result["memory_growth_mib"] == 0
    assert result["other_failures"] == 0
    growing = [(100 + at, 500.0 + at) for at in range(0, 42, 2)]
    result = overload.overload_of(calls(*rows), growing, 40.0, 10.0)
    assert result["memory_growth_mib"] > 15
    assert result["reject_p99_ms"] is None


def test_a_burst_is_over_when_the_last_second_is_normal() -> None:
    before = [(k / 10, 0.1, "") for k in range(80)]
    slow = [(10 + k / 10, 2.0, "") for k in range(30)]
    after = [(13 + k / 10, 0.15, "") for k in range(70)]
    recovered = overload.recovery_of(calls(*before, *slow, *after), 8.0, 10.0, 20.0)
    assert recovered["burst_recovered_s"] == 3
    refused = [(15.5, 0.01, "overloaded")]
    recovered = overload.recovery_of(calls(*before, *slow, *after, *refused), 8.0, 10.0, 20.0)
    assert recovered["burst_recovered_s"] == 6
    assert recovered["burst_refused"] == 1
    assert overload.recovery_of(calls(*before, *after), 8.0, 10.0, 20.0)["burst_recovered_s"] == 0


def test_a_trees_memory_and_time_are_its_own_processes() -> None:
    assert os.getpid() in processes.tree(os.getppid())
    assert processes.pss_mib(os.getpid()) > 10
    assert processes.cpu_s(os.getpid()) > 0


def test_the_generator_gets_rows_and_says_why_not(server: Server) -> None:
    profile = load_profile("tiny").profile
    requests = itertools.cycle([pictures.request(item) for item in pictures.examples()])
    rows: list[Any] = []
    seen = load.closed(
        server.address, requests, 4, 1.0, lambda answer: rows.append(pictures.row(answer))
    )
    assert seen.calls
    assert not seen.refused
    assert len(rows) == len(seen.calls)
    assert all(row.error_code is None for row in rows)
    assert {row.provenance.profile for row in rows} == {profile.name}
    schedule = load.poisson(10.0, 1.0)
    seen = load.opened(server.address, requests, schedule)
    assert [call.due_s - seen.began_s for call in seen.calls] == pytest.approx(schedule)
    assert not seen.refused
    # More at once than the server of the tests has places (64).
    flood = load.opened(server.address, requests, [0.0] * 160)
    assert {call.code for call in flood.calls} == {"", "overloaded"}
    assert len(flood.answered) >= 64
