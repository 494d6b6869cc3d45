"""The reasoner's answers, read strictly: a score from 0 to 100 with its explanation, or no answer."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final

from physgauge.ensemble.judge.engine import Text
from physgauge.ensemble.judge.strict import clean, read_object, texts
from physgauge.wire import Outcome

MAX_EXPLANATION_CHARS: Final = 2000
MAX_VIOLATIONS: Final = 8
MAX_VIOLATION_CHARS: Final = 300
_KEYS: Final = frozenset({"code", "explanation", "type_violations", "spatial_violations", "score"})
_LABELS: Final = ("explanation:", "type violations:", "spatial violations:")
_SCORE: Final = re.compile(
    r"score (?P<code>[0-9a-f]{12}):\s*(?P<score>\d{1,3}(?:\.\d{1,6})?)(?:\s*/\s*100)?\.?",
    re.IGNORECASE,
)
_LIKE_SCORE: Final = re.compile(r"\W*score\b", re.IGNORECASE)
_NOTHING: Final = frozenset({"", "none", "no", "n/a", "-"})


@dataclass(frozen=True, slots=True)
class Said:
    """One answer."""

    outcome: Outcome
    score: float | None = None
    """0..100; None unless answered."""
    explanation: str | None = None
    violations: tuple[str, ...] = ()
    spatial: tuple[str, ...] = ()


def read_answer(text: Text, code: str, structured: bool) -> Said:
    """Read one.

    Args:
        text: what was written.
        code: what it must carry.
        structured: JSON was asked for, not lines.
    """
    if text.outcome != "answered":
        return Said(text.outcome)
    said = _from_json(text, code) if structured else _from_lines(text, code)
    return said or Said("unparseable")


def _from_json(text: Text, code: str) -> Said | None:
    found = read_object(text)
    if found is None or set(found) != _KEYS or found["code"] != code:
        return None
    score, explanation = _points(found["score"]), found["explanation"]
    violations, spatial = (
        texts(found[name], MAX_VIOLATIONS, MAX_VIOLATION_CHARS)
        for name in ("type_violations", "spatial_violations")
    )
    if score is None or not isinstance(explanation, str) or violations is None or spatial is None:
        return None
    return _said(score, explanation, violations, spatial)


def _from_lines(text: Text, code: str) -> Said | None:
    lines = [line.strip() for line in (text.text or "").splitlines() if line.strip()]
    if not text.whole or len(lines) < 4:
        return None
    *told, kinds, places, last = lines
    labelled = [
        line[len(label) :] if line.lower().startswith(label) else None
        for label, line in zip(_LABELS, (told[0], kinds, places), strict=True)
    ]
    first, violations, spatial = labelled
    found = _SCORE.fullmatch(last)
    if first is None or violations is None or spatial is None or found is None:
        return None
    # Two lines that look like a score: nobody knows which is the answer.
    if found["code"].lower() != code or any(_LIKE_SCORE.match(line) for line in lines[:-1]):
        return None
    score = _points(float(found["score"]))
    if score is None:
        return None
    explanation = " ".join([first, *told[1:]])
    return _said(score, explanation, _listed(violations), _listed(spatial))


def _said(
    score: float, explanation: str, violations: tuple[str, ...], spatial: tuple[str, ...]
) -> Said | None:
    told = clean(explanation, MAX_EXPLANATION_CHARS)
    return Said("answered", score, told, violations, spatial) if told else None


def _points(value: Any) -> float | None:
    """0..100; None for anything else, NaN included."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 0 <= value <= 100 or math.isnan(value):
        return None
    return round(float(value), 6) + 0.0


def _listed(line: str) -> tuple[str, ...]:
    found = [clean(one, MAX_VIOLATION_CHARS) for one in line.split(";")]
    return tuple(one for one in found if one.lower().rstrip(".") not in _NOTHING)[:MAX_VIOLATIONS]
