"""Three runs a round, and what they come to (PCMDE's spread rule). Nothing here knows a model.

    round of `runs` scores -> spread <= `spread`: their mean
                           -> else another round, at most `rounds`
                           -> still apart: the median of the last round, flagged unstable

A run without a score is asked for again within its round, `retries` times, where that may help. A round
that is still short has no score, and then there is none: scores of earlier rounds, which were too far
apart, do not stand in for it.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.judge.language.answers import Said
from physgauge.language_settings import ReasonSettings
from physgauge.wire import LlmRun

AGAIN: Final = frozenset({"unparseable", "refused"})
"""Outcomes that another run may better; an engine that is gone or late stays so."""
ROUNDING: Final = 1e-6

Ask = Callable[[Sequence[int]], Awaitable[Sequence[Said]]]
"""Answers of the runs with these numbers, in their order; never raises."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What all runs come to."""

    score: float | None
    """0..100."""
    unstable: bool
    runs: tuple[LlmRun, ...]
    """All, in the order they were asked in."""
    speaks: Said | None
    """Of the last round, the answer nearest to the score."""
    reason: str | None = None
    """Why there is no score."""


async def in_rounds(ask: Ask, settings: ReasonSettings) -> Decided:
    """Run until it is decided."""
    runs: list[LlmRun] = []
    scored: list[Said] = []
    for number in range(1, settings.rounds + 1):
        scored, told = await _round(ask, settings, number, len(runs))
        runs += told
        if len(scored) < settings.runs:
            return Decided(None, False, tuple(runs), None, _short(told, number, settings))
        scores = [_points(one) for one in scored]
        if max(scores) - min(scores) <= settings.spread + ROUNDING:
            mean = round(statistics.fmean(scores), 6)
            return Decided(mean, False, tuple(runs), _nearest(scored, mean))
    median = round(statistics.median(_points(one) for one in scored), 6)
    return Decided(median, True, tuple(runs), _nearest(scored, median))


async def _round(
    ask: Ask, settings: ReasonSettings, number: int, asked: int
) -> tuple[list[Said], list[LlmRun]]:
    """The scored answers of a round, and all its runs."""
    scored: list[Said] = []
    runs: list[LlmRun] = []
    wanted = settings.runs
    for _ in range(1 + settings.retries):
        first = asked + len(runs)
        said = await ask(range(first, first + wanted))
        runs += [
            LlmRun(round=number, score=s.score, explanation=s.explanation, outcome=s.outcome)
            for s in said
        ]
        scored += [s for s in said if s.score is not None]
        wanted = settings.runs - len(scored)
        lost = [s.outcome for s in said if s.score is None]
        if not wanted or any(outcome not in AGAIN for outcome in lost):
            break
    return scored, runs


def _points(said: Said) -> float:
    assert said.score is not None
    return said.score


def _nearest(scored: Sequence[Said], score: float) -> Said:
    return min(scored, key=lambda one: abs(_points(one) - score))


def _short(runs: Sequence[LlmRun], number: int, settings: ReasonSettings) -> str:
    lost = Counter(run.outcome for run in runs if run.score is None)
    kinds = ", ".join(f"{n} {outcome}" for outcome, n in sorted(lost.items()))
    good = sum(run.score is not None for run in runs)
    return f"round {number}: {good} of {settings.runs} runs have a score ({kinds})"
