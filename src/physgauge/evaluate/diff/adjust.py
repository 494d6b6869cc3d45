"""From tests to findings: p values adjusted over each table, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.evaluate.diff.load import SCORES
from physgauge.evaluate.diff.numbers import TestedScore
from physgauge.evaluate.diff.result import Change, Compared, ScoreCompared, Tables
from physgauge.evaluate.diff.shares import Tested
from physgauge.evaluate.multiple import Correction, adjusted

_SHARES: Final = ("probes", "major", "rules", "outcomes")


@dataclass(frozen=True, slots=True)
class Tests:
    """Tests over some rows, by table."""

    probes: list[Tested]
    major: list[Tested]
    rules: list[Tested]
    outcomes: list[Tested]
    scores: list[TestedScore]


def adjust(
    found: Sequence[Tests], correction: Correction, level: float, margin: float
) -> list[Tables]:
    """Findings of all rows and of each group.

    Args:
        found: tests over all rows, then over each group; one table's tests are one family throughout.
        correction: how p values are adjusted.
        level: adjusted p values below it count.
        margin: smaller changes do not, as a part of the range.
    """
    made: list[dict[str, list[Compared]]] = [{} for _ in found]
    for table in _SHARES:
        tests: list[list[Tested]] = [getattr(one, table) for one in found]
        values = iter(adjusted([t.p for some in tests for t in some], correction))
        for some, tables in zip(tests, made, strict=True):
            tables[table] = [_share(t, next(values), level, margin) for t in some]
    values = iter(adjusted([t.found.p for one in found for t in one.scores], correction))
    return [
        Tables(**tables, scores=[_score(t, next(values), level, margin) for t in one.scores])
        for one, tables in zip(found, made, strict=True)
    ]


def _share(one: Tested, p: float | None, level: float, margin: float) -> Compared:
    return Compared(
        name=one.name, a=one.a, b=one.b, pairs=one.pairs, only_a=one.only_a, only_b=one.only_b,
        difference=one.difference, ci=one.ci, p=one.p, p_adjusted=p,
        change=_change(one.difference, p, level, margin, one.bad),
    )  # fmt: skip


def _score(one: TestedScore, p: float | None, level: float, margin: float) -> ScoreCompared:
    return ScoreCompared(
        name=one.name, a=one.a, b=one.b, pairs=one.pairs, difference=one.found.difference,
        ci=one.found.ci, p=one.found.p, p_adjusted=p,
        change=_change(one.found.difference, p, level, margin * SCORES[one.name], False),
    )  # fmt: skip


def _change(
    difference: float | None, p: float | None, level: float, margin: float, bad: bool | None
) -> Change:
    """What a difference means; `bad`: whether more of it is worse."""
    if difference is None or p is None or p >= level:
        return "none"
    if difference == 0 or abs(difference) < margin:
        return "none"
    if bad is None:
        return "other"
    return "worse" if (difference > 0) == bad else "better"
