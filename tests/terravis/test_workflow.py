"""What is asked, when, and what comes of it: one pass, the published calls, the baselines, views."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from physgauge.ensemble.judge.engine import Features, Prompt, Question, Reply, Text
from physgauge.ensemble.judge.look import Judge
from physgauge.ensemble.judge.terravis import baselines, onepass, paper
from physgauge.ensemble.judge.terravis.judge import EngineJudge
from physgauge.ensemble.judge.views import around, place, tiles
from physgauge.judge_settings import ViewSettings
from physgauge.types import U8
from tests.terravis.scripted import Scripted, p, report, word
from tests.terravis.shared import look, probes, scored

ALL = list(probes().ids)


def yes_to(**found: float) -> Any:
    """A script: these P(yes), and severity questions (which come second) answered by 0.8."""

    def script(image: U8, question: Question) -> Reply:
        if (
            question.text.startswith("Is the")
            and question.id in found
            and "draws the eye" in question.text
        ):
            return p(0.8)
        return p(
            {"eligible?": 0.9}.get(question.id, 0.01)
            if question.id not in found
            else found[question.id]
        )

    return script


def test_no_function_that_asks_gets_a_caption() -> None:
    for function in (
        onepass.look_onepass, paper.look_paper, baselines.look_direct,
        baselines.look_single_prompt, EngineJudge.look, Judge.look,
    ):  # fmt: skip
        assert not any("caption" in name for name in inspect.signature(function).parameters)
    folder = Path(onepass.__file__).parent
    for file in (
        *folder.glob("*.py"),
        *(folder.parent / n for n in ("guarded.py", "views.py", "runner.py")),
    ):
        assert "caption" not in file.read_text("utf-8"), file


def test_one_pass_is_one_call_and_a_second_for_what_may_be_there() -> None:
    engine = Scripted(yes_no=yes_to(contact_state=0.7, energy_source=0.1, optical_effect=0.0999))
    seen = look(engine)
    assert engine.calls == [
        ("yes_no", ["eligible?", *ALL]),
        ("yes_no", ["contact_state", "energy_source"]),
    ]
    assert len(engine.shapes) == 1
    assert engine.preambles == [probes().preamble]
    row = scored(seen)
    assert (row.status, row.n_major, row.n_minor) == ("ok", 1, 0)
    assert row.answers["contact_state"].severity == "major"
    assert row.answers["energy_source"].severity is None
    assert row.answers["energy_source"].p_major == 0.8
    assert row.answers["optical_effect"].p_major is None
    assert row.score == row.low == row.high == pytest.approx(np.exp(-1))
    assert row.score_soft is not None
    assert row.soft_high is not None
    assert row.soft_low == row.score_soft
    assert row.soft_high > row.score_soft


def test_an_engine_without_probabilities_gives_hard_answers_only() -> None:
    found = {"eligible?", "contact_state", "relative_scale"}

    def script(image: U8, question: Question) -> Reply:
        if "draws the eye" in question.text:
            return word(question.id == "contact_state")
        return word(question.id in found)

    row = scored(look(Scripted(yes_no=script)))
    assert (row.n_major, row.n_minor) == (1, 1)
    assert row.score == pytest.approx(np.exp(-1.5))
    assert (row.status, row.score_soft, row.soft_low, row.soft_high) == ("ok", None, None, None)
    assert all(answer.p_yes is None for answer in row.answers.values())


def test_what_is_not_eligible_is_not_graded_but_named() -> None:
    def script(image: U8, question: Question) -> Reply:
        return p(
            {"eligible?": 0.2, "infographic": 0.8, "layout": 0.9, "symbol": 0.3}.get(
                question.id, 0.6
            )
        )

    engine = Scripted(yes_no=script)
    row = scored(look(engine))
    assert [ids for _, ids in engine.calls][1] == [f.id for f in probes().families]
    assert row.status == "not_applicable"
    assert row.reason == "not eligible: layout"
    assert row.eligible is not None
    assert (row.eligible.answer, row.eligible.p, row.eligible.family) == (False, 0.2, "layout")
    assert (row.score, row.low, row.high, row.score_soft, row.n_major) == (None,) * 5


def test_evidence_is_written_for_finds_only_and_changes_no_score() -> None:
    script = yes_to(contact_state=0.7, energy_source=0.3)
    told = Text("answered", "Object: a mug\nEvidence: the thumb is inside its wall")
    engine = Scripted(yes_no=script, write=lambda image, prompt: told)
    row = scored(look(engine, evidence=True))
    assert engine.calls[-1] == ("write", ["contact_state"])
    assert row.answers["contact_state"].objects == ["a mug"]
    assert row.answers["contact_state"].evidence == "the thumb is inside its wall"
    plain = scored(look(Scripted(yes_no=script)))
    for bad in (
        Text("refused"),
        Text("answered", "I see a mug"),
        Text("answered", "Object: a\nEvidence:"),
    ):
        other = scored(look(Scripted(yes_no=script, write=_always(bad)), evidence=True))
        assert other == plain
    structured = Scripted(
        yes_no=script, features=Features(True, True),
        write=lambda image, prompt: Text("answered", json.dumps({"object": "a mug", "evidence": str((prompt.schema or {})["required"])})),
    )  # fmt: skip
    row = scored(look(structured, evidence=True))
    assert row.answers["contact_state"].evidence == "['object', 'evidence']"
    for text in (
        '{"object": "", "evidence": "a"}',
        '{"object": "a"}',
        '["a", "b"]',
        '{"object": "a", "evidence": NaN}',
    ):
        structured.write = _always(Text("answered", text))
        assert scored(look(structured, evidence=True)) == plain
    structured.write = _always(
        Text("answered", '{"object": "a\\n<b>", "evidence": "%s"}' % ("x" * 999))
    )
    told_long = scored(look(structured, evidence=True)).answers["contact_state"]
    assert told_long.objects == ["a b"]
    assert len(told_long.evidence or "") == 200


def _always(text: Text) -> Any:
    return lambda image, prompt: text


def paper_script(found: dict[str, str], eligible: Text | None = None) -> Any:
    """Finds, by id, with their severity."""

    def script(image: U8, prompt: Prompt) -> Text:
        if prompt.id == "eligible":
            return eligible or report("yes", "none", "a street")
        if "<<" in prompt.text:
            return report(found[prompt.id])
        return report("yes" if prompt.id in found else "no")

    return script


@pytest.mark.parametrize(("calls", "most_open"), [("serial", 1), ("together", 18)])
def test_paper_mode_asks_as_published(calls: str, most_open: int) -> None:
    engine = Scripted(
        write=paper_script({"contact_state": "major", "energy_source": "minor"}), delay_s=0.002
    )
    seen = look(engine, mode="paper", paper_calls=calls)
    # Every call has the image anew: a session each, and three barriers.
    assert [ids for _, ids in engine.calls[:1]] == [["eligible"]]
    assert sorted(ids[0] for _, ids in engine.calls[1:19]) == sorted(ALL)
    assert [ids for _, ids in engine.calls[19:]] == [["contact_state"], ["energy_source"]]
    assert {kind for kind, _ in engine.calls} == {"write"}
    assert len(engine.shapes) == 21
    assert engine.most_open == most_open
    row = scored(seen)
    assert (row.status, row.mode, row.n_major, row.n_minor) == ("ok", "paper", 1, 1)
    assert row.score == pytest.approx(np.exp(-1.5))
    assert row.score_soft is None
    assert row.answers["energy_source"].objects == ["a cup"]
    assert row.answers["energy_source"].evidence == "it hovers"
    assert row.answers["relative_scale"].objects == []
    assert seen.spent.calls == 21
    noted = [text for text in engine.texts if "<<a cup>>" in text]
    assert len(noted) == 2


def test_paper_mode_stops_at_what_is_not_eligible() -> None:
    no = report("no", "Infographic", "a bar chart")
    engine = Scripted(write=paper_script({}, no))
    row = scored(look(engine, mode="paper"))
    assert len(engine.calls) == 1
    assert (row.status, row.reason) == ("not_applicable", "not eligible: infographic")
    other = scored(look(Scripted(write=paper_script({}, report("no", "a hat", "x"))), mode="paper"))
    assert other.reason == "not eligible"


@pytest.mark.parametrize(
    "text",
    [
        "yes", "Answer: yes", "Answer: yes\nObject: a cup", "Answer: perhaps\nObject: a\nEvidence: b",
        "Object: a cup\nAnswer: yes\nEvidence: b", "Answer: yes\nObject: none\nEvidence: it hovers",
        "Answer: yes\nObject: a cup\nEvidence: none", "Answer: yes\nObject: \nEvidence: it hovers",
        "Sure!\nAnswer: yes\nObject: a\nEvidence: b", "Answer: yes\nObject: a\nEvidence: b\nDone.",
        "Answer: yes and no\nObject: a\nEvidence: b", "Answer:\nObject: a\nEvidence: b",
        "Answer yes\nObject: a\nEvidence: b", "", "\n\n", "no", "Answer: no", "**Answer:** no\nObject: x\nEvidence: y",
        "I can't help with that.", "Answer: nein\nObject: none\nEvidence: none", "null", "{}",
    ],
)  # fmt: skip
def test_anything_but_three_lines_is_no_answer(text: str) -> None:
    def script(image: U8, prompt: Prompt) -> Text:
        return (
            Text("answered", text)
            if prompt.id == "contact_state"
            else paper_script({})(image, prompt)
        )

    row = scored(look(Scripted(write=script), mode="paper"))
    assert row.answers["contact_state"].outcome == "unparseable"
    assert row.answers["contact_state"].answer is None
    assert (row.status, row.score) == ("partial", None)
    assert row.low == pytest.approx(np.exp(-1))
    assert row.high == 1.0
    assert row.reason == "1 of 18 probes without an answer (1 unparseable)"


@pytest.mark.parametrize(
    "text",
    ["Answer: No.\nObject: none\nEvidence: none", "answer: NO\n\nobject: -\n evidence: nothing.\n"],
)
def test_a_plain_no_needs_no_evidence(text: str) -> None:
    engine = Scripted(
        write=lambda image, prompt: (
            Text("answered", text) if prompt.id != "eligible" else report("yes")
        )
    )
    assert scored(look(engine, mode="paper")).score == 1.0


def test_a_text_that_was_cut_off_is_no_answer() -> None:
    engine = Scripted(
        write=lambda image, prompt: (
            Text("answered", "Answer: no\nObject: none\nEvidence: non", whole=False)
            if prompt.id != "eligible"
            else report("yes")
        )
    )
    assert scored(look(engine, mode="paper")).score is None


FINDS = '{"eligible": true, "found": [{"number": 8, "severity": "minor", "object": "a hand", "evidence": "e"}]}'


@pytest.mark.parametrize("text", [FINDS, f"```json\n{FINDS}\n```", f"  {FINDS}\n"])
def test_single_prompt_gives_the_workflow_s_output(text: str) -> None:
    engine = Scripted(write=lambda image, prompt: Text("answered", text))
    row = scored(look(engine, mode="single_prompt"))
    assert len(engine.calls) == 1
    assert all(probe.question in engine.texts[0] for probe in probes().probes)
    assert (row.status, row.n_minor) == ("ok", 1)
    assert row.score == pytest.approx(np.exp(-0.5))
    assert list(row.answers) == ALL
    assert row.answers["contact_state"].objects == ["a hand"]


@pytest.mark.parametrize(
    "text",
    [
        "[]", "{}", "nothing found", '{"eligible": true}', '{"eligible": "yes", "found": []}',
        '{"eligible": true, "found": [{"number": 19, "severity": "minor", "object": "a", "evidence": "b"}]}',
        '{"eligible": true, "found": [{"number": 0, "severity": "minor", "object": "a", "evidence": "b"}]}',
        '{"eligible": true, "found": [{"number": 1, "severity": "huge", "object": "a", "evidence": "b"}]}',
        '{"eligible": true, "found": [{"number": NaN, "severity": "minor", "object": "a", "evidence": "b"}]}',
        '{"eligible": true, "found": [], "score": 1.0}', FINDS + " That is all.", FINDS[:-2],
        FINDS.replace("}]", '}, {"number": 8, "severity": "major", "object": "a", "evidence": "b"}]'),
        FINDS[:-1] + ', "found": []}', FINDS.replace("true", "false"), FINDS[:-1] + ', "eligible": false}',
    ],
)  # fmt: skip
def test_single_prompt_garbage_is_no_clean_image(text: str) -> None:
    row = scored(
        look(Scripted(write=lambda image, prompt: Text("answered", text)), mode="single_prompt")
    )
    assert (row.status, row.score, row.high) == ("partial", None, 1.0)
    assert {a.outcome for a in row.answers.values()} == {"unparseable"}


def test_single_prompt_cut_off_is_no_answer() -> None:
    engine = Scripted(write=_always(Text("answered", FINDS, whole=False)))
    assert scored(look(engine, mode="single_prompt")).score is None


@pytest.mark.parametrize(("text", "score"), [("1", 0.0), ("3", 0.5), (" 5.\n", 1.0)])
def test_direct_is_a_rating(text: str, score: float) -> None:
    row = scored(look(Scripted(write=lambda image, prompt: Text("answered", text)), mode="direct"))
    assert (row.status, row.score, row.rating) == ("ok", score, round(1 + 4 * score))


@pytest.mark.parametrize(
    "text", ["", "6", "0", "5/5", "4.5", "five", "nan", "5 5", "Rating: 5", "٥"]
)
def test_direct_garbage_is_no_rating(text: str) -> None:
    row = scored(look(Scripted(write=lambda image, prompt: Text("answered", text)), mode="direct"))
    assert (row.status, row.score, row.low, row.high) == ("partial", None, 0.0, 1.0)
    assert row.reason == "rating unparseable"


def test_any_view_may_find_something() -> None:
    def script(image: U8, question: Question) -> Reply:
        crop = image.shape[:2] == (48, 64)
        if question.id == "eligible?":
            return p(0.9)
        if "draws the eye" in question.text:
            return p(0.3)
        return p(
            {"contact_state": 0.9 if crop else 0.2, "relative_scale": 0.05 if crop else 0.8}.get(
                question.id, 0.0
            )
        )

    engine = Scripted(yes_no=script)
    row = scored(look(engine, crops=[(64, 48, 128, 96)]))
    assert engine.shapes == [(48, 64, 3), (96, 128, 3)]
    assert "eligible?" not in engine.calls[0][1]
    found = row.answers["contact_state"]
    assert (found.answer, found.p_yes, found.box) == (True, 0.9, [64.0, 48.0, 128.0, 96.0])
    assert found.severity == "minor"
    assert any("in the lower right" in text for text in engine.texts)
    assert row.answers["relative_scale"].box is None
    assert (row.n_major, row.n_minor) == (0, 2)


def test_a_view_without_an_answer_is_not_clean() -> None:
    def script(image: U8, question: Question) -> Reply:
        if image.shape[0] == 48 and question.id in ("contact_state", "optical_effect"):
            return Reply("refused")
        return p(0.9 if question.id in ("eligible?", "optical_effect") else 0.0)

    row = scored(look(Scripted(yes_no=script), crops=[(0, 0, 64, 48)]))
    assert row.answers["contact_state"].outcome == "refused"
    assert (row.status, row.score) == ("partial", None)
    # What another view has found stands; how sure it is of all views, nobody knows.
    assert row.answers["optical_effect"].answer is True
    assert row.answers["optical_effect"].p_yes is None


def test_tiles_and_crops_lie_in_the_image() -> None:
    settings = ViewSettings(kind="tiles", columns=2, rows=2, margin=0.1, min_side_px=8)
    found = tiles(101, 60, settings)
    assert len(found) == 4
    assert all(0 <= x0 < x1 <= 101 and 0 <= y0 < y1 <= 60 for x0, y0, x1, y1 in found)
    covered = np.zeros((60, 101), bool)
    for x0, y0, x1, y1 in found:
        covered[y0:y1, x0:x1] = True
    assert covered.all()
    around_two = around([(0, 0, 20, 20), (30, 10, 90, 50), (0, 0, 101, 60)], 101, 60, settings)
    assert around_two == ((24, 6, 96, 54), (0, 0, 22, 22))  # the whole image shows nothing new
    assert around(
        [(0, 0, 20, 20), (30, 10, 90, 50)],
        101,
        60,
        ViewSettings(kind="subjects", most=1, min_side_px=8, margin=0),
    ) == ((30, 10, 90, 50),)
    assert tiles(40, 40, ViewSettings(kind="tiles")) == ()
    assert place(None, 10, 10) == ""
    assert place((0, 0, 2, 2), 10, 10) == " in the upper left"
