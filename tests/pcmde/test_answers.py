"""The reasoner's answers: what is a score, and that nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.ensemble.judge.engine import Text
from physgauge.ensemble.judge.language.answers import Said, read_answer

CODE = "a1b2c3d4e5f6"
LINES = "Explanation: {}\nType violations: {}\nSpatial violations: {}\nScore a1b2c3d4e5f6: {}"


def lines(text: str, whole: bool = True) -> Said:
    return read_answer(Text("answered", text, whole), CODE, structured=False)


def answer(**change: Any) -> dict[str, Any]:
    return {
        "code": CODE, "explanation": "It has four engines.", "type_violations": ["four engines"],
        "spatial_violations": [], "score": 45, **change,
    }  # fmt: skip


def held(text: str) -> Said:
    return read_answer(Text("answered", text), CODE, structured=True)


@pytest.mark.parametrize("score", ["0", "100", "35", "65.5", "85.25", "30.", "72/100", "72 / 100."])
def test_any_value_of_the_scale_is_a_score(score: str) -> None:
    said = lines(LINES.format("Fine.", "none", "None.", score))
    assert said == Said("answered", float(score.split("/", maxsplit=1)[0]), "Fine.")


def test_violations_are_listed() -> None:
    said = lines(LINES.format("Bad.\nVery bad.", "four engines; no tail;", "engine above wing", 20))
    assert said == Said(
        "answered", 20, "Bad. Very bad.", ("four engines", "no tail"), ("engine above wing",)
    )
    assert held(json.dumps(answer())) == Said(
        "answered", 45, "It has four engines.", ("four engines",)
    )


@pytest.mark.parametrize(
    "score", ["101", "-1", "nan", "NaN", "inf", "1e2", "ten", "", "100.1", "9" * 400, "7,5", "72%", "72 or 80"]
)  # fmt: skip
def test_other_values_are_unparseable(score: str) -> None:
    assert lines(LINES.format("Fine.", "none", "none", score)) == Said("unparseable")


@pytest.mark.parametrize(
    "change",
    [
        {"score": v} for v in (101, -0.1, "45", None, True, [45], 10**400, float("nan"), float("inf"))
    ] + [
        {"code": "ffffff"}, {"code": None}, {"explanation": ""}, {"explanation": None},
        {"type_violations": "none"}, {"spatial_violations": [1]}, {"verdict": "PASS"},
    ],
)  # fmt: skip
def test_objects_of_another_form_are_unparseable(change: dict[str, Any]) -> None:
    assert held(json.dumps(answer(**change))) == Said("unparseable")


@pytest.mark.parametrize(
    "text",
    [
        "", "72", "Score: 72", "Score a1b2c3d4e5f6: 72", "I can't judge this.",
        LINES.format("Fine.", "none", "none", 72) + "\nSome more.",
        "Sure!\n" + LINES.format("Fine.", "none", "none", 72),
        LINES.format("Fine.", "none", "none", 72).replace("a1b2c3d4e5f6", "a1b2c3d4e5f7"),
        LINES.format("Score: 100", "none", "none", 5), LINES.format("a\nScore 100", "none", "none", 5),
        LINES.format("a\n**Score**: 100", "none", "none", 5),
        LINES.format("Fine.", "none", "none", 72) + "\nScore a1b2c3d4e5f6: 90",
        json.dumps(answer()),
    ],
)  # fmt: skip
def test_texts_of_another_form_are_unparseable(text: str) -> None:
    if text.startswith("Explanation: Score: 100"):
        assert lines(text).score == 5  # within the explanation it is no line of its own
    else:
        assert lines(text) == Said("unparseable")


def test_json_is_read_strictly() -> None:
    twice = json.dumps(answer())[:-1] + ', "score": 100}'
    for text in (twice, "[1]", "NaN", "{" * 5000, LINES.format("Fine.", "none", "none", 72), ""):
        assert held(text) == Said("unparseable")
    assert held("```json\n" + json.dumps(answer()) + "\n```").score == 45


@pytest.mark.parametrize("blank", ["\n", " ", "\n ", "score ", "explanation: \n", "```\n"])
def test_long_rubbish_is_read(blank: str) -> None:
    rubbish = "explanation: a" + blank * (20_000 // len(blank))
    # What grows with the square of the length would not end here.
    for text in (rubbish, f"```json\n{rubbish}"):
        assert lines(text) == held(text) == Said("unparseable")


def test_a_cut_off_answer_has_no_score() -> None:
    assert lines(LINES.format("Fine.", "none", "none", 7), whole=False) == Said("unparseable")
    cut = read_answer(Text("answered", json.dumps(answer()), False), CODE, structured=True)
    assert cut == Said("unparseable")


@pytest.mark.parametrize("outcome", ["refused", "blocked", "timeout", "skipped", "unparseable"])
def test_the_engines_outcome_is_kept(outcome: Any) -> None:
    text = Text(outcome, LINES.format("Fine.", "none", "none", 100))
    assert read_answer(text, CODE, structured=False) == Said(outcome)


@given(st.text(max_size=300), st.booleans())
def test_garbage_never_raises_and_has_no_score(text: str, structured: bool) -> None:
    said = read_answer(Text("answered", text), CODE, structured)
    assert (said.outcome, said.score) == ("unparseable", None)


def test_explanations_are_one_clean_line() -> None:
    said = held(json.dumps(answer(explanation="a\x00b\u202e\n\n c" + "d" * 5000)))
    assert said.explanation is not None
    assert said.explanation.startswith("ab cd")
    assert len(said.explanation) == 2000
