"""Rows for gates and comparisons: small, and valid."""

from __future__ import annotations

import math
from typing import Any

from physgauge import wire

PROVENANCE = wire.Provenance(
    physgauge="0.1.0", profile="test", engine="onepass", probe_version="p1"
)


def row(image_id: str = "a.png", **fields: Any) -> wire.Row:
    """A row; both methods skipped unless given."""
    given: dict[str, Any] = {
        "source": image_id,
        "terravis": wire.TerraVis(status="skipped"),
        "pcmde": wire.Pcmde(status="skipped"),
        "provenance": PROVENANCE,
    } | fields
    return wire.Row(image_id=image_id, **given)


def answer(kind: str | None) -> wire.Answer:
    """ "clean", "minor", "major", None (found, not graded) or "lost"."""
    if kind == "lost":
        return wire.Answer(outcome="timeout")
    if kind == "clean":
        return wire.Answer(answer=False, outcome="answered")
    severity: Any = kind
    return wire.Answer(answer=True, outcome="answered", severity=severity)


def judged(**answers: wire.Answer) -> wire.TerraVis:
    """With the hard score of λ = 1, α = 0.5 where nothing is missing."""
    some = list(answers.values())
    whole = all(one.answer is False or one.severity is not None for one in some)
    cost = sum({"major": 1.0, "minor": 0.5}.get(one.severity or "", 0.0) for one in some)
    worst = sum(one.answer is None or (one.answer and one.severity is None) for one in some)
    high = math.exp(-cost)
    score = high if whole else None
    return wire.TerraVis(
        status="ok" if whole else "partial",
        eligible=wire.Eligible(answer=True, outcome="answered"),
        answers=answers, score=score, low=math.exp(-cost - worst), high=high,
    )  # fmt: skip
