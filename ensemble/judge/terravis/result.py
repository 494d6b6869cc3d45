"""From a judge's look to TerraVis' part of a row: thresholds, counts, scores. Nothing is asked here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec
import numpy as np

from physgauge import wire
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.scores import Bounded, Scores, aggregate
from physgauge.judge_settings import THRESHOLDS, JudgeSettings
from physgauge.types import OUTCOMES, JudgeAnswers

RATINGS: Final = 5


@dataclass(frozen=True, slots=True)
class Counting:
    """How answers count; fields as in :class:`physgauge.judge_settings.JudgeSettings`."""

    lambda_: float = 1.0
    alpha: float = 0.5
    yes_from: float = 0.5
    eligible_from: float = 0.5
    major_from: float = 0.5
    grade_from: float = 0.1

    @classmethod
    def of(cls, settings: JudgeSettings) -> Counting:
        """Of a profile."""
        return cls(*(getattr(settings, name) for name in cls.__slots__))

    def thresholds(self) -> dict[str, float]:
        """For the row's provenance; lambda and alpha have fields of their own there."""
        return {name: float(getattr(self, name)) for name in THRESHOLDS}

    @classmethod
    def of_row(cls, provenance: wire.Provenance) -> Counting:
        """What a row was made with (defaults where it does not say)."""
        stored: dict[str, float] = {
            name: provenance.settings[name] for name in THRESHOLDS if name in provenance.settings
        }
        if provenance.lambda_ is not None and provenance.alpha is not None:
            stored |= {"lambda_": provenance.lambda_, "alpha": provenance.alpha}
        return cls(**stored)


def look_of(stored: wire.TerraVis) -> Look:
    """The look behind a row, as far as rows keep it (not its cost, nor a `direct` rating's outcome)."""
    return Look(
        mode=stored.mode or "",
        eligible=stored.eligible,
        answers=stored.answers,
        rating=stored.rating,
        fault=stored.fault,
        abstained=stored.abstained,
        left_out=stored.left_out,
    )


def terravis_of(looks: Sequence[Look], counting: Counting) -> list[wire.TerraVis]:
    """TerraVis' part of the rows of a batch; looks at equal probes are counted together."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for k, look in enumerate(looks):
        groups.setdefault(tuple(look.answers), []).append(k)
    results: dict[int, wire.TerraVis] = {}
    for probes, members in groups.items():
        if not probes:
            results |= {k: _rated(looks[k]) for k in members}
            continue
        decided = [_decided(looks[k], counting) for k in members]
        arrays = _arrays(decided)
        scores = aggregate(arrays, counting.lambda_, counting.alpha, counting.grade_from)
        for row, k in enumerate(members):
            results[k] = _result(decided[row], scores, row)
    return [results[k] for k in range(len(looks))]


def answer_arrays(looks: Sequence[Look], counting: Counting) -> JudgeAnswers:
    """Looks at equal probes as arrays.

    Raises:
        ValueError: looks at different probes.
    """
    if len({tuple(look.answers) for look in looks}) > 1:
        raise ValueError("looks: expected equal probes throughout")
    return _arrays([_decided(look, counting) for look in looks])


def _decided(look: Look, counting: Counting) -> Look:
    """With answers and severities by these thresholds. Where an engine gives probabilities, they
    decide."""
    answers = {}
    for probe, answer in look.answers.items():
        found = _yes(answer.outcome, answer.answer, answer.p_yes, counting.yes_from)
        severity = answer.severity if found else None
        if found and answer.p_major is not None:
            severity = "major" if answer.p_major >= counting.major_from else "minor"
        answers[probe] = msgspec.structs.replace(answer, answer=found, severity=severity)
    eligible = look.eligible
    if eligible is not None:
        yes = _yes(eligible.outcome, eligible.answer, eligible.p, counting.eligible_from)
        eligible = msgspec.structs.replace(
            eligible, answer=yes, family=eligible.family if yes is False else None
        )
    return replace(look, eligible=eligible, answers=answers)


def _yes(
    outcome: wire.Outcome, answer: bool | None, p: float | None, yes_from: float
) -> bool | None:
    if outcome != "answered":
        return None
    return answer if p is None else p >= yes_from


_FLAG: Final[Mapping[bool | None, int]] = {True: 1, False: 0, None: -1}
_GRADE: Final = {"major": 1, "minor": 0, None: -1}


def _arrays(looks: Sequence[Look]) -> JudgeAnswers:
    each = [list(look.answers.values()) for look in looks]
    nan = math.nan
    return JudgeAnswers(
        eligible=np.array([_eligible_p(look.eligible) for look in looks]),
        outcome=np.array([[OUTCOMES.index(a.outcome) for a in some] for some in each], np.int8),
        answer=np.array([[_FLAG[a.answer] for a in some] for some in each], np.int8),
        major=np.array([[_GRADE[a.severity] for a in some] for some in each], np.int8),
        p_yes=np.array([[nan if a.p_yes is None else a.p_yes for a in some] for some in each]),
        p_major=np.array(
            [[nan if a.p_major is None else a.p_major for a in some] for some in each]
        ),
    )


def _eligible_p(eligible: wire.Eligible | None) -> float:
    if eligible is None or eligible.answer is None:
        return math.nan
    return float(eligible.answer) if eligible.p is None else eligible.p


def _result(look: Look, scores: Scores, row: int) -> wire.TerraVis:
    """One image's part."""
    eligible = look.eligible.answer if look.eligible else None
    told = wire.TerraVis(
        status="not_applicable", mode=look.mode, fault=look.fault, abstained=look.abstained,
        left_out=look.left_out, eligible=look.eligible, answers=dict(look.answers),
    )  # fmt: skip
    if eligible is False:
        family = look.eligible.family if look.eligible else None
        reason = "not eligible" if family is None else f"not eligible: {family}"
        return msgspec.structs.replace(told, reason=reason)
    hard, soft = (_numbers(one, row) for one in (scores.hard, scores.soft))
    missing = [look.abstained] if look.abstained else _missing(look, soft)
    whole = not missing
    nobody = look.fault is not None and not any(
        a.outcome == "answered" for a in (*look.answers.values(), look.eligible) if a is not None
    )
    return msgspec.structs.replace(
        told,
        status="error" if nobody else "ok" if whole else "partial",
        reason="; ".join([*missing, *(why for why in (look.left_out, look.fault) if why)]) or None,
        score=hard[0] if eligible else None,
        score_soft=soft[0] if eligible else None,
        low=hard[1], high=hard[2], soft_low=soft[1], soft_high=soft[2],
        n_major=_whole(scores.n_major[row]), n_minor=_whole(scores.n_minor[row]),
    )  # fmt: skip


def _missing(look: Look, soft: tuple[float | None, ...]) -> list[str]:
    """What keeps the scores from being whole, in words."""
    missing = []
    if look.eligible is None or look.eligible.answer is None:
        missing.append(f"eligibility {look.eligible.outcome if look.eligible else 'skipped'}")
    lost = Counter(a.outcome for a in look.answers.values() if a.answer is None)
    if lost:
        kinds = ", ".join(f"{n} {outcome}" for outcome, n in sorted(lost.items()))
        missing.append(f"{lost.total()} of {len(look.answers)} probes without an answer ({kinds})")
    ungraded = sum(a.answer is True and a.severity is None for a in look.answers.values())
    if ungraded:
        missing.append(f"{ungraded} found but not graded")
    if not missing and soft[1] is not None and soft[0] is None:
        missing.append("the expected score lacks a probability")
    return missing


def _rated(look: Look) -> wire.TerraVis:
    """Of the baseline `direct`."""
    if look.rating is None:
        reason = look.fault or f"rating {look.rating_outcome or 'skipped'}"
        status: wire.Status = "error" if look.fault else "partial"
        return wire.TerraVis(
            status=status,
            mode=look.mode or None,
            fault=look.fault,
            reason=reason,
            low=0.0,
            high=1.0,
        )
    score = (look.rating - 1) / (RATINGS - 1)
    return wire.TerraVis(
        status="ok", mode=look.mode, rating=look.rating, score=score, low=score, high=score
    )


def _numbers(bounded: Bounded, row: int) -> tuple[float | None, float | None, float | None]:
    value, low, high = (float(x[row]) for x in (bounded.value, bounded.low, bounded.high))
    return (
        None if math.isnan(value) else value,
        None if math.isnan(low) else low,
        None if math.isnan(high) else high,
    )


def _whole(count: float) -> int | None:
    return None if math.isnan(count) else int(count)
