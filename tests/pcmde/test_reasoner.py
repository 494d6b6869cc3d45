"""The judge as reasoner in the pipeline: without the image, in rounds, rows in order; and wrong settings."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

from physgauge import wire
from physgauge.config import PcmdeSettings, load_profile
from physgauge.ensemble.judge.engine import EngineFault, Features, Prompt, Text
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.reason_input import ReasonResult
from physgauge.ensemble.judge.reasoning import reasoned_of
from physgauge.errors import ConfigError
from physgauge.types import U8
from tests.pcmde.shared import (
    JUDGE,
    PLANE,
    REASON,
    SURE,
    engine,
    lines,
    record,
    score,
    score_record,
    with_language,
)
from tests.terravis.scripted import Scripted, p

NAMES = [f"{kind}_{n:02}.jpg" for n in (1, 2, 3) for kind in ("aircraft", "car", "animal")]


def test_the_judge_reasons_without_the_image() -> None:
    judge = engine()
    (row,) = score([PLANE], judge, with_language([JUDGE], REASON), captions={PLANE: "A Boeing 747"})
    assert row.pcmde.readings is not None
    assert row.pcmde.readings > 1
    assert row.pcmde.s_llm == 80  # of the likeliest reading, for all
    assert row.pcmde.reasoner == "judge:scripted"
    assert row.pcmde.explanation == "As it should be."
    assert [(run.round, run.score, run.outcome) for run in row.pcmde.llm_runs] == [
        (1, 80, "answered")
    ] * 3
    assert row.pcmde.s_final == pytest.approx(0.6 * (row.pcmde.s_rules or 0) + 32)
    assert judge.shapes[-1] == ()
    asked = judge.texts[-1]
    assert "A Boeing 747" in asked
    assert "judge: 3 engine below wing" in asked
    assert row.cost.calls == 3
    assert row.cost.ms["reason"] >= 0
    assert row.cost.usd == 1.0
    assert row.terravis.status == "ok"


def test_boxes_from_elsewhere_are_reasoned_about_and_not_looked_at() -> None:
    parts = [
        {"label": f"aircraft.{name}", "box": [10 * k, 10, 10 * k + 30, 40], "score": 0.9}
        for k, name in enumerate(("head", "wing", "wing", "engine", "engine", "tail", "tail_wing"))
    ]
    record = {"image_id": "a", "width": 320, "height": 240, "caption": "a plane", "boxes": parts}
    judge = engine()
    row = score_record(record, judge, with_language([JUDGE], REASON))
    assert (row.pcmde.s_llm, row.pcmde.reasoner) == (80, "judge:scripted")
    assert (row.terravis.status, row.pcmde.observers) == ("skipped", [])
    assert set(judge.shapes) == {()}


def test_a_score_holds_for_all_readings_of_its_subject() -> None:
    ruled: Any = SimpleNamespace(groups=[SimpleNamespace(images=np.array([0, 1, 2, 4]))])
    readings: Any = SimpleNamespace(image=np.array([0, 0, 1, 1, 2]))
    one, two = ReasonResult(70, "a", (), False, ()), ReasonResult(30, "b", (), False, ())
    (said,) = reasoned_of(ruled, readings, {0: one, 1: two}, "judge:x")
    assert said.results == (one, one, two, None)


def test_runs_have_temperature_seeds_and_a_limit() -> None:
    asked: list[Prompt] = []

    def write(image: U8 | None, prompt: Prompt) -> Text:
        asked.append(prompt)
        return lines(prompt.text, [0, 50, 100, 0, 50, 99, 10, 50, 90][int(prompt.id[7:])])

    (row,) = score([PLANE], Scripted(write=write), with_language(reason=REASON))
    assert (row.pcmde.s_llm, row.pcmde.unstable) == (50, True)
    assert [run.round for run in row.pcmde.llm_runs] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert {(one.temperature, one.max_tokens) for one in asked} == {(0.3, 500)}
    assert [one.seed for one in asked] == list(range(9))
    assert {one.schema is None for one in asked} == {True}


@pytest.mark.parametrize(
    "broken",
    ["Score: 100", Text("refused"), Text("timeout"), EngineFault("gone"), KeyError("x"), 7],
)
def test_a_broken_reasoner_leaves_bounds_and_never_a_pass(broken: Any) -> None:
    def write(image: U8 | None, prompt: Prompt) -> Any:
        return Text("answered", broken) if isinstance(broken, str) else broken

    (row,) = score([PLANE], Scripted(write=write), with_language(reason=REASON))
    found = row.pcmde
    assert (found.status, found.s_llm, found.s_final, found.verdict) == (
        "partial",
        None,
        None,
        None,
    )
    assert found.s_rules is not None
    assert found.low == pytest.approx(0.6 * found.s_rules)
    assert found.high == pytest.approx(0.6 * found.s_rules + 40)
    assert found.explanation is not None
    assert found.explanation.startswith("no score; round 1: 0 of 3")
    assert all(run.score is None for run in found.llm_runs)
    assert row.terravis.status == "ok"
    strict = PcmdeSettings(tau_c=99.9)
    (fails,) = score([PLANE], Scripted(write=write), with_language(reason=REASON, pcmde=strict))
    assert (fails.pcmde.status, fails.pcmde.verdict) == ("partial", "FAIL")


def test_a_low_score_fails_with_the_models_violations() -> None:
    def write(image: U8 | None, prompt: Prompt) -> Text:
        return lines(prompt.text, 20, "A 747 has four.", "three engines instead of four")

    (row,) = score([PLANE], Scripted(write=write), with_language(reason=REASON))
    assert row.pcmde.verdict == "FAIL"
    assert row.pcmde.diagnostics.specification == ["three engines instead of four"]


def test_what_rules_have_decided_may_be_skipped() -> None:
    judge = engine()
    settings = PcmdeSettings(tau_c=99.9, skip_reason_below_tau_c=True)
    (row,) = score([PLANE], judge, with_language(reason=REASON, pcmde=settings))
    assert (row.pcmde.verdict, row.pcmde.llm_runs) == ("FAIL", [])
    assert () not in judge.shapes


def test_engines_with_structure_get_schemas_for_both() -> None:
    schemas: dict[str, Any] = {}

    def write(image: U8 | None, prompt: Prompt) -> Text:
        schemas[prompt.id] = prompt.schema
        assert prompt.schema is not None
        if prompt.id == "observe":
            part = {
                "part": "engine",
                "count": 3,
                "relation": None,
                "reference": None,
                "attributes": [],
            }
            return Text(
                "answered", msgspec.json.encode({"kind": "aircraft", "parts": [part]}).decode()
            )
        answer = {
            "code": prompt.schema["properties"]["code"]["enum"][0], "explanation": "Fine.",
            "type_violations": [], "spatial_violations": [], "score": 91,
        }  # fmt: skip
        return Text("answered", msgspec.json.encode(answer).decode())

    judge = Scripted(write=write, features=Features(True, True))
    (row,) = score([PLANE], judge, with_language([SURE], REASON))
    assert (row.pcmde.counts["engine"], row.pcmde.s_llm) == (3, 91)
    assert set(schemas) == {"observe", "reason-0", "reason-1", "reason-2"}


def test_images_flow_through_on_their_own_and_keep_their_order() -> None:
    def write(image: U8 | None, prompt: Prompt) -> Text:
        if prompt.id == "observe":
            return Text("answered", "Kind: car\ntwo wheels")
        kinds = ["aircraft", "car", "animal"]
        shown = next(k for k in kinds if f"The picture shows: {k}." in prompt.text)
        return lines(prompt.text, 10 * kinds.index(shown) + 70)

    judge = Scripted(yes_no=lambda image, question: p(0.9 if question.id == "eligible?" else 0.0),
                     write=write, delay_s=0.03)  # fmt: skip
    rows = score(NAMES, judge, with_language([JUDGE], REASON), max_in_flight=8)
    assert [row.image_id for row in rows] == NAMES
    assert [row.pcmde.s_llm for row in rows] == [70, 80, 90] * 3
    assert judge.most_open > 2  # more than a batch holds
    assert judge.open_now == 0
    (alone,) = score([NAMES[4]], judge, with_language([JUDGE], REASON))
    assert msgspec.structs.replace(alone, cost=wire.Cost()) == msgspec.structs.replace(
        rows[4], cost=wire.Cost()
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[observers]]\nname = "a"', "judge: expected a table, since observers needs it, got none"),
        ('[reason]\nengine = "judge"', "judge: expected a table, since reason needs it, got none"),
        ('[judge]\nengine = "onepass"\n[[observers]]\nname = "a"\n[[observers]]\nname = "a"\nengine = "vllm"',
         "observers: expected different names, got 'a' twice"),
        ('[judge]\nengine = "onepass"\n[[observers]]\nname = "a"\n[[observers]]\nname = "b"',
         'observers: expected at most one with engine = "judge", got several'),
        ('[judge]\nengine = "onepass"\n[[observers]]\nname = "A b"', "name"),
        ('[[observers]]\nname = "a"\nconfidence = 1.5', "confidence"),
        ('[reason]\nengine = "gpt"', "engine"),
        ("[reason]\nrounds = 0", "rounds"),
    ],
)  # fmt: skip
def test_wrong_settings_say_so(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'name = "own"\n{text}\n', "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_profile(str(path))
    assert says in str(caught.value)


def test_a_judge_that_does_not_reason_is_told_so() -> None:
    from physgauge.ensemble.judge.looking import Looking
    from physgauge.ensemble.judge.runner import Runner
    from physgauge.judge_settings import JudgeSettings

    class Plain:
        name, models, probe_version = "plain", {"plain": "0"}, "none"

        async def look(
            self, image: U8, crops: object = (), deadline_s: float | None = None
        ) -> Look:
            return Look("onepass")

        async def close(self) -> None:
            pass

    async def make() -> Plain:
        return Plain()

    settings = JudgeSettings(engine="onepass")
    with Looking(settings, Runner(make, 1)) as looking:
        assert looking.begin(np.zeros((8, 8, 3), np.uint8)).result().mode == "onepass"
        with pytest.raises(ConfigError, match="expected a judge that reasons"):
            looking.begin_reasoning(record())
