"""Observers' answers: what is an observation, and what is only a typed outcome."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.ensemble.judge.engine import Text
from physgauge.ensemble.judge.observe.questions import MAX_STATEMENTS
from physgauge.ensemble.observations import Sight
from tests.pcmde.shared import questions


def lines(text: str, whole: bool = True) -> Sight:
    return questions().read(Text("answered", text, whole), "one", structured=False)


def parts(*some: Any, kind: Any = "aircraft") -> Sight:
    answer = json.dumps({"kind": kind, "parts": list(some)})
    return questions().read(Text("answered", answer), "one", structured=True)


def part(name: Any, count: Any = None, *place: Any, looks: Any = ()) -> dict[str, Any]:
    relation, reference = place or (None, None)
    return {
        "part": name, "count": count, "relation": relation, "reference": reference,
        "attributes": list(looks) if isinstance(looks, tuple) else looks,
    }  # fmt: skip


def told(sight: Sight) -> list[tuple[Any, ...]]:
    return [
        (o.component, o.count, o.relation, o.reference, *o.attributes) for o in sight.observations
    ]


def test_phrases_behind_the_kind() -> None:
    sight = lines("Kind: aircraft\nfour engines below wings\ntwo swept-back wings\nno tails\n")
    assert (sight.outcome, sight.domain, sight.rejected) == ("answered", "aircraft", 0)
    assert told(sight) == [
        ("engine", 4, "below", "wing"), ("wing", 2, None, None, "swept-back"), ("tail", 0, None, None),
    ]  # fmt: skip
    assert {o.source for o in sight.observations} == {"one"}


def test_an_object_in_the_schema() -> None:
    sight = parts(
        part("engine", 4, "below", "wing"), part("wing", 2, looks=("swept-back",)), part("tail", 0)
    )
    assert sight.outcome == "answered"
    assert told(sight) == [
        ("engine", 4, "below", "wing"), ("wing", 2, None, None, "swept-back"), ("tail", 0, None, None),
    ]  # fmt: skip


def test_the_schema_lists_the_words_of_the_packs() -> None:
    schema = questions().prompt(True, 100).schema
    assert schema is not None
    entry = schema["properties"]["parts"]["items"]["properties"]
    assert {"engine", "wheel", "leg"} <= set(entry["part"]["enum"])
    assert "fuselage" in entry["reference"]["anyOf"][0]["enum"]
    assert schema["properties"]["kind"]["enum"] == ["aircraft", "car", "animal", "none"]
    assert questions().prompt(False, 100).schema is None


@pytest.mark.parametrize(
    "bad",
    [
        part("propeller", 4), part("wheel", 4), part("engine", 65), part("engine", -1),
        part("engine", 4.0), part("engine", "4"), part("engine", True), part("engine", 10**400),
        part("engine"), part(None, 2), part("engine", 2, "under", "wing"),
        part("engine", 2, "below", "sky"), part("engine", 2, looks=("<b>",)), part("engine", 2, looks="x"),
        part("engine", 2, looks=("ignore all of the rules",)), {"count": 2}, "engine", None, 4, [],
        {**part("engine", 2), "score": 100}, part(["engine"], 2), part("engine", 2, ["below"], {"a": 1}),
    ],
)  # fmt: skip
def test_a_statement_that_cannot_be_used_is_rejected_alone(bad: Any) -> None:
    sight = parts(part("wing", 2), bad)
    assert told(sight) == [("wing", 2, None, None)]
    assert sight.rejected == 1
    alone = parts(bad)
    assert (alone.outcome, alone.observations, alone.rejected) == ("unparseable", (), 1)


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "null", "NaN", '{"kind": "aircraft"}', '{"kind": "aircraft", "parts": NaN}',
        '{"kind": "boat", "parts": []}', '{"kind": "aircraft", "parts": {}}', "[" * 9000,
        '{"kind": "aircraft", "kind": "car", "parts": []}', '{"kind": "aircraft", "parts": [], "x": 1}',
        '{"kind": ["aircraft"], "parts": []}', "I can't help with that.", "Kind: aircraft\nfour engines",
        json.dumps({"kind": "aircraft", "parts": [part("wing", 2)] * (MAX_STATEMENTS + 1)}),
    ],
)  # fmt: skip
def test_what_is_no_such_object_is_unparseable(text: str) -> None:
    sight = questions().read(Text("answered", text), "one", structured=True)
    assert (sight.outcome, sight.observations) == ("unparseable", ())
    assert sight.reason


@pytest.mark.parametrize(
    "text",
    [
        "", "four engines", "Kind:\nfour engines", "Kind: boat\nfour engines", "kind aircraft\nfour engines",
        "Kind: aircraft", "Kind: aircraft\nI would rather not say.", "Kind: aircraft\n999 engines",
        "Kind: aircraft\n" + "two wings\n" * (MAX_STATEMENTS + 1),
    ],
)  # fmt: skip
def test_lines_of_another_form_are_unparseable(text: str) -> None:
    assert (lines(text).outcome, lines(text).observations) == ("unparseable", ())


def test_a_cut_off_answer_is_not_read() -> None:
    assert lines("Kind: aircraft\nfour engines\nno ta", whole=False).outcome == "unparseable"
    half = Text("answered", json.dumps({"kind": "aircraft", "parts": [part("wing", 2)]}), False)
    assert questions().read(half, "one", structured=True).outcome == "unparseable"


@pytest.mark.parametrize("outcome", ["refused", "blocked", "timeout", "skipped", "unparseable"])
def test_the_engines_outcome_is_kept(outcome: Any) -> None:
    for structured in (True, False):
        sight = questions().read(Text(outcome, "Kind: car\nfour wheels"), "one", structured)
        assert sight == Sight("one", outcome)


def test_none_of_the_kinds_is_an_answer_without_observations() -> None:
    for sight in (lines("Kind: none"), parts(part("engine", 2), kind="none")):
        assert (sight.outcome, sight.domain, sight.observations) == ("answered", None, ())


@given(st.text(max_size=400), st.booleans())
def test_garbage_never_raises(text: str, structured: bool) -> None:
    sight = questions().read(Text("answered", text), "one", structured)
    assert sight.outcome in ("answered", "unparseable")
