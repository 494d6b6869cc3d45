"""Early exit at a gate: what is left out could not have changed the decision."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge import wire
from physgauge.ensemble.judge.engine import Prompt, Question, Text
from physgauge.ensemble.reaggregate import THEN, Changes, reaggregate
from physgauge.errors import ConfigError
from physgauge.gate.bounds import decision
from physgauge.judge_settings import JudgeSettings, check_judge
from physgauge.types import U8
from tests.terravis.scripted import Scripted, p, report, word
from tests.terravis.shared import look, probes, scored

REACHED = sorted({math.exp(-(a + 0.5 * b)) for a in range(6) for b in range(6)})
"""Scores that images can have: a gate at one of them is the sharpest test."""
GATES = st.one_of(
    st.sampled_from(REACHED),
    st.sampled_from(REACHED).map(lambda s: min(1.0, s * (1 + 1e-12))),
    st.floats(0.01, 1.0),
)
SAID = st.lists(
    st.sampled_from(["no", "no", "no", "no", "major", "minor", "lost", "ungraded"]),
    min_size=18,
    max_size=18,
)


def scripted(said: list[str], eligible: str, probabilities: bool) -> Scripted:
    """An engine that answers as listed, in logits or in words."""
    kinds = dict(zip(probes().ids, said, strict=True))

    def yes_no(image: U8, question: Question) -> Any:
        if question.id == "eligible?":
            lost = eligible == "lost"
            return replace(word(False), outcome="refused") if lost else word(eligible == "yes")
        if question.id not in kinds:  # a family
            return word(False)
        kind = kinds[question.id]
        if question.text != {one.id: one.text for one in probes().probes}[question.id]:
            if kind == "ungraded":
                return replace(word(False), outcome="timeout")
            return p(0.8) if kind == "major" else p(0.3)
        if kind == "lost":
            return replace(word(False), outcome="refused")
        yes = kind != "no"
        return p(0.9 if yes else 0.2) if probabilities else word(yes)

    def write(image: U8, prompt: Prompt) -> Text:
        if prompt.id == "eligible":
            return Text("refused") if eligible == "lost" else report(eligible, "photo")
        kind = kinds[prompt.id]
        if "major" in prompt.text.lower():  # the severity prompt alone names it
            return Text("refused") if kind == "ungraded" else report(kind)
        return Text("refused") if kind == "lost" else report("no" if kind == "no" else "yes")

    return Scripted(yes_no=yes_no, write=write)


@settings(max_examples=60, deadline=None)
@given(
    said=SAID,
    gate=GATES,
    eligible=st.sampled_from(["yes", "yes", "yes", "no", "lost"]),
    how=st.sampled_from(["onepass", "words", "serial", "together"]),
)
def test_the_decision_is_that_of_the_full_run(
    said: list[str], gate: float, eligible: str, how: str
) -> None:
    mode: dict[str, Any] = {"mode": "onepass"}
    if how in ("serial", "together"):
        mode = {"mode": "paper", "paper_calls": how}
    asked = []
    results = []
    options: tuple[dict[str, Any], ...] = ({}, {"gate": gate})
    for more in options:
        engine = scripted(said, eligible, how == "onepass")
        seen = look(engine, **mode, **more)
        results.append(scored(seen))
        asked.append(sum(len(ids) for _, ids in engine.calls))
    full, early = results
    assert decision(early, gate) == decision(full, gate)
    assert asked[1] <= asked[0]
    assert (asked[1] < asked[0]) == (early.reason is not None and "the gate" in early.reason)
    if asked[1] == asked[0]:
        assert early == full
    if full.low is not None and early.low is not None:
        assert early.low <= full.low
        assert full.high is not None
        assert early.high is not None
        assert full.high <= early.high


def test_what_is_left_out_is_skipped_with_the_reason() -> None:
    engine = scripted(["minor", "minor", *["no"] * 16], "yes", True)
    seen = scored(look(engine, mode="paper", paper_calls="serial", gate=0.6))
    assert len(engine.calls) == 3  # eligibility and two probes: 0.37 at best
    assert [a.outcome for a in seen.answers.values()] == ["answered"] * 2 + ["skipped"] * 16
    assert seen.status == "partial"
    assert seen.reason is not None
    assert seen.reason.endswith(
        "whatever else is answered, the score stays on its side of the gate 0.6"
    )
    assert (seen.score, seen.score_soft) == (None, None)
    together = scripted(["minor", "minor", *["no"] * 16], "yes", True)
    failed = scored(look(together, mode="paper", paper_calls="together", gate=0.6))
    assert len(together.calls) == 19  # and no severity
    assert failed.reason == "2 found but not graded; " + seen.reason.rpartition("; ")[2]
    assert failed.high is not None
    assert failed.high < 0.6
    clean = Scripted(yes_no=lambda i, q: p(0.9 if q.id == "eligible?" else 0.2))
    passed = scored(look(clean, gate=0.6))
    assert [kind for kind, _ in clean.calls] == ["yes_no"]
    assert passed.score == 1.0
    assert passed.soft_low is not None
    assert passed.soft_low < 1


def test_decisions_need_bounds_on_one_side() -> None:
    seen = scored(look(scripted(["major", *["no"] * 17], "yes", True)))
    assert seen.score is not None
    assert decision(seen, seen.score) == "pass"
    assert decision(seen, float(np.nextafter(seen.score, 1))) == "fail"
    assert decision(scored(look(scripted(["no"] * 18, "no", True))), 0.5) == "not_applicable"
    assert decision(scored(look(scripted(["no"] * 18, "lost", True))), 0.5) is None


@pytest.mark.parametrize("mode", [{}, {"mode": "paper", "paper_calls": "serial"}])
def test_counted_anew_it_still_says_why_not_all_was_asked(mode: dict[str, Any]) -> None:
    seen = scored(look(scripted(["major", "minor", *["no"] * 16], "yes", True), gate=0.6, **mode))
    made = wire.Provenance(physgauge="0", profile="p", lambda_=1.0, alpha=0.5)
    row = wire.Row(
        image_id="a", source="", terravis=seen, pcmde=wire.Pcmde(status="skipped"), provenance=made
    )
    assert reaggregate(row, Changes()).terravis == seen
    assert decision(seen, 0.6) == "fail"
    mild = reaggregate(row, Changes(lambda_=0.35))
    assert decision(mild.terravis, 0.6) is None
    assert mild.terravis.left_out == f"{seen.left_out}{THEN}"
    assert reaggregate(mild, Changes(lambda_=0.1)).terravis.left_out == mild.terravis.left_out


def test_a_gate_where_all_is_asked_at_once_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"judge\.gate: expected none in the mode 'direct'"):
        check_judge(JudgeSettings(engine="onepass", mode="direct", gate=0.5), "profile x")
