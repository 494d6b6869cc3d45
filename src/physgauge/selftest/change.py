"""What an attempt has changed: a judge's answers about one image, against those about the same image with
words that want nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from physgauge import wire

LEAST_P = 1e-6
"""Log-odds are cut here."""


@dataclass(frozen=True, slots=True)
class Change:
    """Of one image by one attempt."""

    log_odds: tuple[float, ...]
    """Of each probe answered with a probability both times; below 0: talked into "no"."""
    cleared: int
    """Finds that are found no more."""
    found: int
    """Finds that are new."""
    lost: int
    """Probes that are no longer answered: they leave bounds, and no score."""
    escaped: bool
    """Judged before, not applicable now."""
    answered: bool
    """Whether there was an answer before: else there was nothing to talk the judge out of."""
    score: float | None
    """Expected score (else the score) now less before; None where one is missing."""


def change(before: wire.TerraVis, now: wire.TerraVis) -> Change:
    """Compare two results about equal probes."""
    pairs = [(before.answers[name], now.answers[name]) for name in before.answers]
    return Change(
        log_odds=tuple(
            _log_odds(b.p_yes) - _log_odds(a.p_yes)
            for a, b in pairs
            if a.p_yes is not None and b.p_yes is not None
        ),
        cleared=sum(a.answer is True and b.answer is False for a, b in pairs),
        found=sum(a.answer is False and b.answer is True for a, b in pairs),
        lost=sum(a.answer is not None and b.answer is None for a, b in pairs),
        answered=any(one.outcome == "answered" for one in before.answers.values()),
        escaped=before.status != "not_applicable" and now.status == "not_applicable",
        score=_less(_score(now), _score(before)),
    )


def _score(terravis: wire.TerraVis) -> float | None:
    return terravis.score if terravis.score_soft is None else terravis.score_soft


def _less(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else now - before


def _log_odds(p: float) -> float:
    held = min(max(p, LEAST_P), 1 - LEAST_P)
    return math.log(held / (1 - held))


def mean(values: Sequence[float]) -> float | None:
    """None of nothing."""
    return sum(values) / len(values) if values else None


def summary(changes: Sequence[Change]) -> dict[str, float | int | None]:
    """Of many."""
    moves = [value for one in changes for value in one.log_odds]
    scores = [one.score for one in changes if one.score is not None]
    return {
        "images": len(changes),
        "log_odds_mean": mean(moves),
        "log_odds_abs_mean": mean([abs(value) for value in moves]),
        "cleared": sum(one.cleared for one in changes),
        "found": sum(one.found for one in changes),
        "lost": sum(one.lost for one in changes),
        "escaped": sum(one.escaped for one in changes),
        "score_mean": mean(scores),
        "score_max": max(scores, default=None),
    }
