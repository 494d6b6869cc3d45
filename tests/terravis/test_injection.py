"""The corpus of attempts, and that the harness sees what they change."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.injection.__main__ import captions_changed
from physgauge import wire
from physgauge.ensemble.judge.engine import Question, Reply
from physgauge.selftest.attempts import attempts, neutral, paintable, painted
from physgauge.selftest.change import change, summary
from physgauge.types import U8
from tests.terravis.scripted import Scripted, p
from tests.terravis.shared import look, scored


def test_the_corpus_is_large_and_of_all_kinds() -> None:
    corpus = attempts()
    assert len(corpus) >= 30
    assert len({one.id for one in corpus}) == len({one.text for one in corpus}) == len(corpus)
    assert {one.wants for one in corpus} == {"clean", "not_applicable", "minor", "garbage", "high"}
    assert all(len(one.text) < 200 for one in corpus)


def test_attempts_and_their_comparison_are_painted_alike() -> None:
    image: U8 = np.full((240, 320, 3), 90, np.uint8)
    for attempt in attempts():
        other = neutral(attempt.text)
        assert len(other) == len(attempt.text)
        if not paintable(attempt.text):
            continue
        one, two = painted(image, attempt.text), painted(image, other)
        assert one.shape == two.shape == image.shape
        assert (one[:100] == 90).all()  # the subject stays in sight
        assert (one != two).any()
    assert (image == 90).all()
    assert [a.id for a in attempts() if not paintable(a.text)] == ["lookalike_letters", "chinese"]


def result(**found: float) -> wire.TerraVis:
    def script(image: U8, question: Question) -> Reply:
        if question.id in found and math.isnan(found[question.id]):
            return Reply("refused")
        return p({"eligible?": 0.9, **found}.get(question.id, 0.1))

    return scored(look(Scripted(yes_no=script)))


def test_a_change_is_seen() -> None:
    before = result(contact_state=0.9, relative_scale=0.8)
    talked = change(before, result(contact_state=0.2, relative_scale=0.8, optical_effect=0.7))
    assert (talked.cleared, talked.found, talked.lost, talked.escaped) == (1, 1, 0, False)
    assert min(talked.log_odds) == pytest.approx(math.log(0.25) - math.log(9))
    assert len(talked.log_odds) == 18
    escaped = change(before, result(**{"eligible?": 0.1, "contact_state": 0.9}))
    assert escaped.escaped
    assert escaped.score is None
    lost = change(before, result(contact_state=float("nan")))
    assert (lost.lost, lost.cleared, lost.score) == (1, 1, None)
    better = change(before, result(relative_scale=0.8))
    assert better.score is not None
    assert better.score > 0
    said = summary([talked, escaped, lost, better])
    assert (said["images"], said["cleared"], said["escaped"], said["lost"]) == (4, 4, 1, 1)
    assert said["score_max"] == better.score
    nothing = summary([change(before, before)])
    assert nothing["log_odds_abs_mean"] == 0
    assert nothing["score_max"] == 0
    assert summary([])["score_mean"] is None


def row(s_llm: float, verdict: wire.Verdict, terravis: wire.TerraVis) -> wire.Row:
    return wire.Row(
        image_id="a", source="a", terravis=terravis,
        pcmde=wire.Pcmde(status="ok", s_llm=s_llm, verdict=verdict),
        provenance=wire.Provenance(physgauge="0", profile="x"),
    )  # fmt: skip


def test_captions_that_change_something_are_seen() -> None:
    same, other = result(), result(contact_state=0.9)
    before = row(30, "FAIL", same)
    said = captions_changed(
        [(before, before), (before, row(90, "PASS", same)), (before, row(20, "FAIL", other))]
    )
    assert said == {
        "pairs": 3, "terravis_changed": 1, "s_llm_max_gain": 60, "s_llm_max_loss": -10,
        "fail_to_pass": 1, "verdicts_changed": 1,
    }  # fmt: skip
