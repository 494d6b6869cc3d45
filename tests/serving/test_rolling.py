"""Threads that answer requests as they get free."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from physgauge.ensemble.served.rolling import Rolling

Answers = dict[int, Any]


def ask(rolling: Rolling, answers: Answers, *numbers: int) -> None:
    for n in numbers:
        rolling.start("r", 0.0, {"n": n}, partial(answers.__setitem__, n))


def test_what_waits_is_taken_together_and_a_fault_is_one_requests_own() -> None:
    first, seen, answers = threading.Event(), [], Answers()

    def work(batch: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        numbers = [one["n"] for one in batch]
        seen.append(numbers)
        if numbers == [0]:
            first.wait(10)
        if 3 in numbers:
            raise ValueError("three")
        return [{"twice": 2 * n} for n in numbers]

    rolling = Rolling(work, threads=1, most=4)
    ask(rolling, answers, 0)
    while not seen:
        pass
    ask(rolling, answers, 1, 2, 3, 4, 5)
    first.set()
    rolling.close()
    assert seen == [[0], [1, 2, 3, 4], [1], [2], [3], [4], [5]]
    assert {n: a for n, a in answers.items() if n != 3} == {
        n: {"twice": 2 * n} for n in (0, 1, 2, 4, 5)
    }
    assert isinstance(answers[3], ValueError)
    with pytest.raises(RuntimeError, match="expected an open step"):
        ask(rolling, answers, 6)


def test_threads_work_side_by_side() -> None:
    both = threading.Barrier(2)

    def work(batch: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        both.wait(10)
        return [{} for _ in batch]

    answers = Answers()
    rolling = Rolling(work, threads=2, most=1)
    ask(rolling, answers, 1, 2)
    rolling.close()
    assert answers == {1: {}, 2: {}}
