"""Which rows pass a gate: numbers, bounds, and rows without either."""

from __future__ import annotations

import itertools
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge import wire
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.result import Counting, terravis_of
from physgauge.errors import ConfigError
from physgauge.gate.bounds import decision, found_bounds
from physgauge.gate.rule import Rule, decide
from tests.gate.rows import answer, judged, row

SIXTY = Rule(min_terravis=0.6)
PASS = Rule(require_pcmde=True)


def codes(some: wire.Row, rule: Rule) -> list[str]:
    """Empty: it passes without a reservation."""
    made = decide(some, rule)
    assert made.passed == (not made.reasons)
    return [reason.code for reason in made.reasons]


@pytest.mark.parametrize(
    ("score", "low", "high", "expected"),
    [
        (0.6, 0.6, 0.6, []),
        (0.5999999, 0.5999999, 0.5999999, ["terravis:fails"]),
        (None, 0.6, 1.0, []),  # whatever is missing, it passes
        (None, 0.1, 0.5999, ["terravis:fails"]),
        (None, 0.1, 0.6, ["terravis:undecided"]),
        (None, 0.5999, 1.0, ["terravis:undecided"]),
        (None, None, None, ["terravis:undecided"]),
        (math.nan, math.nan, math.nan, ["terravis:undecided"]),
        (None, math.nan, 1.0, ["terravis:undecided"]),
        (None, 0.7, math.nan, []),
    ],
)
def test_numbers_and_bounds(score: Any, low: Any, high: Any, expected: list[str]) -> None:
    status: wire.Status = "ok" if score is not None else "partial"
    said = wire.TerraVis(status=status, score=score, low=low, high=high)
    assert codes(row(terravis=said), SIXTY) == expected


@pytest.mark.parametrize(
    ("said", "code", "accepted_by"),
    [
        (wire.TerraVis(status="not_applicable", reason="not eligible: a chart"),
         "terravis:not_applicable", "not_applicable"),
        (wire.TerraVis(status="partial", low=0.1, high=0.9), "terravis:undecided", "partial"),
        (wire.TerraVis(status="partial", low=0.1, high=0.9, abstained="unlike its training pictures"),
         "terravis:abstained", "abstained"),
        (wire.TerraVis(status="error", low=0.0, high=1.0, fault="down"), "terravis:error", None),
        (wire.TerraVis(status="skipped", reason="this profile has no judge"), "terravis:skipped", None),
        (wire.TerraVis(status="partial", low=0.9, high=1.0,
                       eligible=wire.Eligible(answer=None, outcome="timeout")),
         "terravis:undecided", "partial"),
    ],
)  # fmt: skip
def test_rows_without_a_number(said: wire.TerraVis, code: str, accepted_by: str | None) -> None:
    one = row(terravis=said)
    assert codes(one, SIXTY) == [code]
    for choice in ("partial", "not_applicable", "abstained"):
        made = decide(one, msgspec.structs.replace(SIXTY, **{choice: "accept"}))
        assert made.passed == (choice == accepted_by)
        assert [reason.code for reason in made.reasons] == [code]  # said in either case


def test_what_accepts_partial_rows_accepts_none_that_fails() -> None:
    all_of_it = Rule(
        min_terravis=0.6, partial="accept", not_applicable="accept", abstained="accept"
    )
    said = wire.TerraVis(status="partial", low=0.1, high=0.59, abstained="unlike anything")
    assert codes(row(terravis=said), all_of_it) == ["terravis:fails"]
    error = wire.error_row(
        image_id="a", source="a", code="image_empty", message="a: no bytes",
        provenance=row().provenance,
    )  # fmt: skip
    made = decide(error, all_of_it)
    assert (made.passed, made.about_image) == (False, True)
    assert made.reasons[0].code == "error:image_empty"
    lost = msgspec.structs.replace(error, error_code="unavailable")
    assert not decide(lost, all_of_it).about_image


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (wire.Pcmde(status="ok", verdict="PASS", s_final=60.0), []),
        (wire.Pcmde(status="ok", verdict="FAIL", s_final=69.0), ["pcmde:fails"]),
        (wire.Pcmde(status="partial", verdict="FAIL", low=20.0, high=60.0), ["pcmde:fails"]),
        (wire.Pcmde(status="partial", low=20.0, high=90.0), ["pcmde:undecided"]),
        (wire.Pcmde(status="not_applicable", reason="no known domain"), ["pcmde:not_applicable"]),
        (wire.Pcmde(status="skipped"), ["pcmde:skipped"]),
        (wire.Pcmde(status="error"), ["pcmde:error"]),
    ],
)
def test_pcmde(said: wire.Pcmde, expected: list[str]) -> None:
    assert codes(row(pcmde=said), PASS) == expected


def test_points_of_pcmde() -> None:
    rule = Rule(min_pcmde=70)
    assert codes(row(pcmde=wire.Pcmde(status="ok", s_final=70.0)), rule) == []
    assert codes(row(pcmde=wire.Pcmde(status="partial", low=71.0, high=90.0)), rule) == []
    assert codes(row(pcmde=wire.Pcmde(status="partial", low=20.0, high=69.0)), rule) == [
        "s_final:fails"
    ]
    assert codes(row(pcmde=wire.Pcmde(status="partial", low=20.0, high=70.0)), rule) == [
        "s_final:undecided"
    ]


def test_the_expected_score_decides_where_it_is_a_number() -> None:
    rule = Rule(min_terravis=0.6, soft=True)
    said = wire.TerraVis(status="ok", score=1.0, score_soft=0.59, soft_low=0.59, soft_high=0.9)
    assert codes(row(terravis=said), rule) == ["terravis:fails"]
    partial = wire.TerraVis(
        status="partial", score=1.0, low=1.0, high=1.0, soft_low=0.61, soft_high=0.7
    )
    assert codes(row(terravis=partial), rule) == []
    none = wire.TerraVis(
        status="ok", score=1.0, low=1.0, high=1.0
    )  # an engine without probabilities
    assert codes(row(terravis=none), rule) == ["terravis:undecided"]


def test_violations_are_counted_with_what_is_missing() -> None:
    some = judged(
        a=answer("major"), b=answer("minor"), c=answer(None), d=answer("clean"), e=answer("lost"),
    )  # fmt: skip
    assert found_bounds(some) == (3, 4)
    assert found_bounds(some, major=True) == (1, 3)
    one = row(terravis=some)
    for most, expected in ((2, ["violations:fails"]), (3, ["violations:undecided"]), (4, [])):
        assert codes(one, Rule(max_violations=most)) == expected
    for most, expected in (
        (0, ["major:fails"]),
        (1, ["major:undecided"]),
        (2, ["major:undecided"]),
        (3, []),
    ):
        assert codes(one, Rule(max_major=most)) == expected
    assert codes(row(terravis=wire.TerraVis(status="ok", score=0.5)), Rule(max_major=3)) == [
        "major:undecided"
    ]


def test_every_condition_that_does_not_hold_is_said() -> None:
    rule = Rule(min_terravis=0.9, max_violations=0, require_pcmde=True)
    said = judged(a=answer("major"))
    made = decide(
        row(terravis=said, pcmde=wire.Pcmde(status="ok", verdict="FAIL", s_final=41.0)), rule
    )
    assert [(reason.code, reason.says) for reason in made.reasons] == [
        ("terravis:fails", "expected score of at least 0.9, got 0.3679"),
        ("violations:fails", "expected at most 0 violations, got 1"),
        ("pcmde:fails", "expected PASS, got FAIL, S_final 41"),
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["clean", "minor", "major", None, "lost"]), min_size=1, max_size=6),
    st.floats(0, 1),
    st.integers(0, 6),
)
def test_a_decision_is_that_of_every_way_to_fill_the_gaps(
    kinds: list[str | None], least: float, most: int
) -> None:
    """A row passes if and only if it would whatever the missing answers were, and fails likewise."""
    rules = [Rule(min_terravis=least), Rule(max_violations=most), Rule(max_major=most)]
    fill = {None: ["minor", "major"], "lost": ["clean", "minor", "major"]}
    ways = itertools.product(*(fill.get(kind, [kind]) for kind in kinds))
    whole = [row(terravis=_of(way)) for way in ways]
    one = row(terravis=_of(kinds))
    for rule in rules:
        every = {decide(full, rule).passed for full in whole}
        made = decide(one, rule)
        if every == {True}:
            assert made.passed
        else:
            assert not made.passed
            (reason,) = made.reasons
            assert reason.code.endswith(":fails" if every == {False} else ":undecided")
    assert (decision(one.terravis, least) == "pass") == decide(one, rules[0]).passed


def _of(kinds: Any) -> wire.TerraVis:
    answers = {str(k): answer(kind) for k, kind in enumerate(kinds)}
    eligible = wire.Eligible(answer=True, outcome="answered")
    (said,) = terravis_of([Look("onepass", eligible, answers)], Counting())
    return said


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "gate: expected a condition"),
        ({"partial": "accept"}, "gate: expected a condition"),
        ({"min_terravis": 1.5}, "gate: min_terravis: expected 0 to 1, got 1.5"),
        ({"min_terravis": math.nan}, "gate: min_terravis: expected 0 to 1, got nan"),
        ({"min_pcmde": -1}, "gate: min_pcmde: expected 0 to 100, got -1"),
        ({"max_major": -1}, "gate: max_major: expected 0 or more, got -1"),
        ({"soft": True, "max_major": 1}, "gate: soft: expected min_terravis with it"),
        ({"require_pcmde": True, "partial": "maybe"}, "gate: partial: expected reject or accept, got 'maybe'"),
    ],
)  # fmt: skip
def test_rules_that_make_no_sense(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match="gate: ") as error:
        Rule(**wrong)
    assert message in str(error.value)
