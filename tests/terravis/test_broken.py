"""A judge that answers garbage, refuses, is late, gives NaN or dies never raises a score.

Each property takes sound answers with their score, breaks some, and looks at what is left: a score with
something broken in it is null, and what it was lies between the bounds.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge import wire
from physgauge.ensemble.judge.engine import EngineFault, Prompt, Question, Reply, Text
from physgauge.ensemble.judge.terravis.result import Counting, look_of, terravis_of
from physgauge.types import U8
from tests.terravis.scripted import Scripted, p, report, word
from tests.terravis.shared import look, probes, scored

NAN = math.nan
ALL = list(probes().ids)
LOST: tuple[wire.Outcome, ...] = ("unparseable", "refused", "blocked", "timeout", "skipped")
BROKEN: list[Any] = [
    *(Reply(outcome) for outcome in LOST),
    *(Reply(outcome, False, 0.0) for outcome in LOST),
    Reply("answered"),
    Reply("answered", False, NAN),
    Reply("answered", False, -0.2),
    Reply("answered", True, 1.5),
    Reply("answered", False, math.inf),
    Reply("answered", False, "0.0"),  # type: ignore[arg-type]
    Reply("answered", "no"),  # type: ignore[arg-type]
    Reply("answered", 0),  # type: ignore[arg-type]
    Reply("fine", False, 0.0),  # type: ignore[arg-type]
    Reply([], False, 0.0),  # type: ignore[arg-type]
    None,
    "no",
    Text("answered", "no"),
    Reply("answered", False, 0.0, "another question"),
    NAN,
]
BROKEN_TEXTS: list[Any] = [
    *(Text(outcome) for outcome in LOST),
    *(Text(outcome, "Answer: no\nObject: none\nEvidence: none") for outcome in LOST),
    Text("answered"),
    Text("answered", ""),
    Text("answered", "no"),
    Text("answered", "NaN"),
    Text("answered", 3),  # type: ignore[arg-type]
    Text("answered", "Answer: no\nObject: none\nEvidence: none", False),
    Text("answered", "Answer: no\nObject: none\nEvidence: none", True, "another"),
    Text("answered", "x" * 100_000),
    None,
    "Answer: no",
]


def severity(question: Question) -> bool:
    return "draws the eye" in question.text


def script_of(said: dict[str, Any], graded: dict[str, Any]) -> Any:
    def script(image: U8, question: Question) -> Any:
        return (graded if severity(question) else said)[question.id]

    return script


P = st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 0.09), st.floats(0.1, 1))
PROBABLE = st.builds(p, P)
WORDS = st.builds(word, st.booleans())


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Sound answers and grades, and the same with something broken."""
    reply = draw(st.sampled_from([PROBABLE, WORDS]))
    said = {name: draw(reply) for name in ALL} | {
        "eligible?": draw(st.sampled_from([p(0.9), word(True)]))
    }
    graded = {name: draw(reply) for name in ALL}
    worse, worse_grades = dict(said), dict(graded)
    for name in draw(st.lists(st.sampled_from([*ALL, "eligible?"]), min_size=1, max_size=4)):
        broken = draw(st.sampled_from(BROKEN))
        if name == "eligible?" or draw(st.booleans()):
            worse[name] = broken
        else:
            worse_grades[name] = broken
    return said, graded, worse, worse_grades


def between(low: float | None, value: float | None, high: float | None) -> bool:
    if value is None:
        return True
    return low is not None and high is not None and low - 1e-12 <= value <= high + 1e-12


def holds(good: wire.TerraVis, bad: wire.TerraVis) -> None:
    """`bad` is `good` with something broken in it."""
    assert between(bad.low, good.score, bad.high)
    if bad.soft_low is not None:
        assert between(bad.soft_low, good.score_soft, bad.soft_high)
    if bad.score is not None:
        assert bad.score == good.score
        assert bad.status in ("ok", "partial")
    if bad.status == "ok":
        assert (bad.score, bad.score_soft) == (good.score, good.score_soft)
        lost = [a for a in bad.answers.values() if a.outcome != "answered"]
        assert not lost
    for number in (bad.score, bad.score_soft, bad.low, bad.high, bad.soft_low, bad.soft_high):
        assert number is None or 0 <= number <= 1
    assert wire.from_json(wire.to_json(row_of(bad))).terravis == bad
    # Re-aggregation of what was stored says the same.
    assert terravis_of([look_of(bad)], Counting())[0] == bad


def row_of(terravis: wire.TerraVis) -> wire.Row:
    return wire.Row(
        image_id="a", source="a", terravis=terravis, pcmde=wire.Pcmde(status="skipped"),
        provenance=wire.Provenance(physgauge="0", profile="x"),
    )  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(cases())
def test_broken_replies_never_raise_a_score(case: Any) -> None:
    said, graded, worse, worse_grades = case
    good = scored(look(Scripted(yes_no=script_of(said, graded))))
    assert good.status == "ok"
    bad = scored(look(Scripted(yes_no=script_of(worse, worse_grades))))
    holds(good, bad)
    # A reply that is no reply at all spoils its whole call: nobody knows which is whose.
    odd = [r for r in worse.values() if not isinstance(r, Reply) or r.id is not None]
    if odd:
        assert all(a.outcome == "unparseable" for a in bad.answers.values())
    elif any(worse[name] is not said[name] for name in [*ALL, "eligible?"]):
        assert bad.score is None
        assert bad.status == "partial"


SPOILT: list[Any] = [
    lambda replies: replies[:-1],
    lambda replies: [*replies, replies[0]],
    lambda replies: [],
    lambda replies: None,
    lambda replies: dict(enumerate(replies)),
    lambda replies: "no" * len(replies),
    lambda replies: 0,
    lambda replies: [None] * len(replies),
    iter,
]


@pytest.mark.parametrize("spoil", SPOILT)
@pytest.mark.parametrize("call", [1, 2])
def test_a_wrong_number_of_replies_is_none(spoil: Any, call: int) -> None:
    script = script_of({n: p(0.7) for n in (*ALL, "eligible?")}, {n: p(0.2) for n in ALL})
    engine = Scripted(yes_no=script)
    engine.change = lambda replies: spoil(replies) if len(engine.calls) == call else replies
    good, bad = scored(look(Scripted(yes_no=script))), scored(look(engine))
    assert bad.score is None
    assert bad.status == "partial"
    holds(good, bad)


def test_replies_out_of_order_are_seen_where_they_have_ids() -> None:
    def script(image: U8, question: Question) -> Reply:
        return Reply(
            "answered", question.id == "eligible?", float(question.id == "eligible?"), question.id
        )

    assert scored(look(Scripted(yes_no=script))).score == 1.0
    turned = scored(look(Scripted(yes_no=script, change=lambda replies: replies[::-1])))
    assert (turned.score, turned.status) == (None, "partial")


FAULTS = [
    EngineFault("the process is gone"),
    RuntimeError("0x7fabc"),
    TimeoutError(),
    MemoryError(),
    KeyError("a"),
]


@settings(deadline=None, max_examples=150)
@given(
    st.lists(P, min_size=18, max_size=18),
    st.sampled_from(FAULTS),
    st.integers(1, 4),
    st.booleans(),
)
def test_an_engine_that_dies_half_way(
    found: list[float], fault: Exception, call: int, entering: bool
) -> None:
    said = {"eligible?": p(1.0)} | {n: p(v) for n, v in zip(ALL, found, strict=True)}
    sound = script_of(said, {n: p(0.5) for n in ALL})
    good = scored(look(Scripted(yes_no=sound), evidence=True))
    engine = Scripted(yes_no=sound)
    if entering:
        engine.opening = lambda number: fault
    else:
        engine.yes_no = lambda image, q: fault if len(engine.calls) == call else sound(image, q)
        engine.write = lambda image, prompt: fault if len(engine.calls) == call else Text("refused")
    bad = scored(look(engine, evidence=True))
    holds(good, bad)
    if entering or call == 1:
        assert bad.score is None
        lost = "timeout" if isinstance(fault, TimeoutError) else "skipped"
        assert {a.outcome for a in bad.answers.values()} == {lost}
        assert bad.status == ("partial" if lost == "timeout" else "error")
        assert "0x7fabc" not in (bad.fault or "")
    assert engine.open_now == 0


@settings(deadline=None, max_examples=100)
@given(
    st.dictionaries(st.sampled_from(ALL), st.sampled_from(["major", "minor"]), max_size=6),
    st.dictionaries(
        st.sampled_from([*ALL, "eligible"]),
        st.tuples(st.booleans(), st.sampled_from(BROKEN_TEXTS)),
        min_size=1,
        max_size=4,
    ),
)
def test_broken_texts_never_raise_a_score(
    found: dict[str, str], broken: dict[str, tuple[bool, Any]]
) -> None:
    def sound(image: U8, prompt: Prompt) -> Text:
        if "<<" in prompt.text:
            return report(found[prompt.id])
        return report("yes" if prompt.id == "eligible" or prompt.id in found else "no")

    def worse(image: U8, prompt: Prompt) -> Any:
        in_grade, text = broken.get(prompt.id, (False, None))
        return (
            text
            if prompt.id in broken and in_grade == ("<<" in prompt.text)
            else sound(image, prompt)
        )

    good = scored(look(Scripted(write=sound), mode="paper"))
    assert good.score == pytest.approx(
        math.exp(-sum(1 if s == "major" else 0.5 for s in found.values()))
    )
    holds(good, scored(look(Scripted(write=worse), mode="paper")))


def test_a_late_engine_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physgauge.ensemble.judge.guarded.GRACE_S", 0.05)
    start = time.monotonic()
    row = scored(look(Scripted(delay_s=60), timeout_s=0.1))
    assert time.monotonic() - start < 10
    assert {a.outcome for a in row.answers.values()} == {"timeout"}
    assert row.eligible is not None
    assert row.eligible.outcome == "timeout"
    assert (row.status, row.score, row.high, row.fault) == ("partial", None, 1.0, None)
    # The caller's deadline counts where it is sooner.
    assert scored(look(Scripted(delay_s=60), left_s=0.01)).status == "partial"
    for mode in ("paper", "single_prompt", "direct"):
        assert scored(look(Scripted(delay_s=60), mode=mode, timeout_s=0.02)).score is None


def test_an_engine_that_hangs_on_the_way_out_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physgauge.ensemble.judge.guarded.GRACE_S", 0.05)

    class Hangs(Scripted):
        def open(self, image: Any, preamble: str = "", deadline_s: float | None = None) -> Any:
            inner = super().open(image, preamble, deadline_s)

            class Manager:
                async def __aenter__(self) -> Any:
                    return await inner.__aenter__()

                async def __aexit__(self, *error: object) -> None:
                    await asyncio.sleep(60)

            return Manager()

    assert scored(look(Hangs())).score == 1.0


def test_costs_that_make_no_sense_are_not_reported() -> None:
    class Odd(Scripted):
        def open(self, image: Any, preamble: str = "", deadline_s: float | None = None) -> Any:
            inner = super().open(image, preamble, deadline_s)

            class Manager:
                async def __aenter__(self) -> Any:
                    session = await inner.__aenter__()
                    return type(
                        "S", (), {"yes_no": session.yes_no, "write": session.write, "spent": None}
                    )()

                async def __aexit__(self, *error: object) -> None:
                    await inner.__aexit__(None, None, None)

            return Manager()

    seen = look(Odd())
    assert scored(seen).score == 1.0
    assert seen.spent.calls == 0


def test_numpy_numbers_are_numbers() -> None:
    def script(image: U8, question: Question) -> Reply:
        yes: Any = np.bool_(question.id == "eligible?")
        sure: Any = np.float32(yes)
        return Reply("answered", yes, sure)

    assert scored(look(Scripted(yes_no=script))).score == 1.0


def test_a_sum_of_floats_may_exceed_one_by_a_rounding() -> None:
    engine = Scripted(yes_no=lambda image, q: Reply("answered", True, 1.0000001))
    row = scored(look(engine))
    assert row.answers["contact_state"].p_yes == 1.0
