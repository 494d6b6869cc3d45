"""Truth and answers of a self-test as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physgauge import wire
from physgauge.selftest.pairs import Truth
from physgauge.types import F64, I8, I64, Bools

_FLAG = {True: 1, False: 0, None: -1}


@dataclass(frozen=True, slots=True)
class Said:
    """n pictures and Q categories."""

    categories: tuple[str, ...]
    """[Q] of the set's pairs."""
    unit: I64
    """[n] twins are one unit, other pictures one each: what the bootstrap draws."""
    violated: Bools
    """[n]"""
    eligible: Bools
    """[n] truth."""
    category: I64
    """[n] of the pair; -1 for others."""
    severity: I8
    """[n] 1 major, 0 minor, -1 not violated or not said."""
    told: I8
    """[n] eligibility as told: 1, 0, -1 no answer."""
    found: I8
    """[n, Q] 1 found, 0 not, -1 no answer, or told not to be eligible."""
    p: F64
    """[n, Q] P(yes); NaN where there is none."""
    major: I8
    """[n, Q] graded major 1, minor 0, -1 not graded."""
    score: F64
    """[n] expected score, else the score; NaN without one."""
    asked: Bools
    """[Q] whether any picture got an answer."""
    abstained: Bools
    """[n] no score, though not told to be not eligible."""

    @property
    def sure(self) -> F64:
        """[n, Q] P(yes), or the plain answer where there is no probability; NaN without an answer."""
        plain = np.where(self.found >= 0, self.found, np.nan)
        return np.where(np.isnan(self.p) | (self.found < 0), plain, self.p)


def said(truth: Sequence[Truth], answers: Sequence[wire.TerraVis]) -> Said:
    """Arrays of pictures and what was said of them."""
    categories = tuple(dict.fromkeys(t.pair_category for t in truth if t.pair_category is not None))
    each = [[a.answers.get(c) for c in categories] for a in answers]
    told = [a.eligible.answer if a.eligible else None for a in answers]
    alive = np.array([[e is not False] for e in told])
    known = {c: k for k, c in enumerate(categories)}
    units: dict[object, int] = {}
    unit = [units.setdefault(t.image_id if t.pair is None else t.pair, len(units)) for t in truth]
    found = _table([[-1 if a is None else _FLAG[a.answer] for a in some] for some in each])
    score = [a.score if a.score_soft is None else a.score_soft for a in answers]
    severity = [_grade(t.severity) if t.twin == "violated" else -1 for t in truth]
    return Said(
        categories=categories,
        unit=np.array(unit),
        violated=np.array([t.twin == "violated" for t in truth]),
        eligible=np.array([t.eligible for t in truth]),
        category=np.array([known.get(t.pair_category or "", -1) for t in truth]),
        severity=np.array(severity, np.int8),
        told=np.array([_FLAG[e] for e in told], np.int8),
        found=np.where(alive, found, -1),
        p=np.array([[np.nan if a is None or a.p_yes is None else a.p_yes for a in s] for s in each]),
        major=_table([[-1 if a is None else _grade(a.severity) for a in some] for some in each]),
        score=np.array([np.nan if s is None else s for s in score], float),
        asked=np.array([any(a is not None and a.outcome == "answered" for a in some)
                        for some in zip(*each, strict=True)]),
        abstained=np.array([e is not False and s is None for e, s in zip(told, score, strict=True)]),
    )  # fmt: skip


def _grade(severity: wire.Severity | None) -> int:
    return -1 if severity is None else int(severity == "major")


def _table(values: list[list[int]]) -> I8:
    return np.array(values, np.int8)
