"""Two judges as one: who is asked, what rows say of it, and what it costs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from physgauge import wire
from physgauge.cascade_settings import CascadeSettings, FirstSettings, Promise, kept
from physgauge.cli.main import group
from physgauge.clients.runs import read_run
from physgauge.config import check as check_profile
from physgauge.config import load_profile, parse
from physgauge.ensemble.judge.cascade.bands import Bands
from physgauge.ensemble.judge.cascade.judge import CascadeJudge
from physgauge.ensemble.judge.engine import EngineFault, Question, Reply
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import JudgeCard
from physgauge.ensemble.judge.terravis.judge import EngineJudge
from physgauge.ensemble.judge.terravis.result import Counting
from physgauge.errors import ConfigError
from physgauge.judge_settings import JudgeSettings
from physgauge.types import U8
from tests.terravis.scripted import Scripted, p
from tests.terravis.shared import probes, scored

SETTINGS = JudgeSettings(engine="onepass")
BANDS = Bands(0.6, 0.3, 0.9, 0.1, 0.8)


def answering(contact: float, eligible: float = 0.95) -> Scripted:
    def yes_no(image: U8, question: Question) -> Reply:
        if question.id == "eligible?":
            return p(eligible)
        return p(contact if question.id == "contact_state" else 0.002)

    return Scripted(yes_no=yes_no)


def both(first: Scripted, second: Scripted, method: wire.Method = "both") -> Look:
    def judge(engine: Scripted) -> EngineJudge:
        return EngineJudge(engine, probes(), SETTINGS)

    cascade = CascadeJudge(judge(first), judge(second), BANDS, Counting())
    image = np.zeros((32, 32, 3), np.uint8)

    async def work() -> Look:
        look = await cascade.look_for(method, image)
        await cascade.close()
        return look

    look = asyncio.run(work())
    assert (first.closed, second.closed) == (1, 1)
    return look


@pytest.mark.parametrize(
    ("contact", "eligible", "asked"),
    [
        (0.01, 0.95, False),  # passes surely
        (0.2, 0.95, True),  # passes, and the expected score is unsure
        (0.7, 0.95, True),
        (0.01, 0.7, True),  # eligibility is unsure
        (0.01, 0.05, False),  # surely not eligible
        (0.01, 0.3, True),
    ],
)
def test_the_second_is_asked_where_the_first_is_unsure(
    contact: float, eligible: float, asked: bool
) -> None:
    first, second = answering(contact, eligible), answering(0.9)
    look = both(first, second)
    assert bool(second.calls) == asked
    assert look.mode == ("cascade:second" if asked else "cascade:first")
    result = scored(look)
    assert (result.answers["contact_state"].p_yes == 0.9) == asked
    calls = len(first.calls) + len(second.calls)
    assert look.spent.calls == calls
    assert look.spent.tokens == 10 * calls


def test_a_first_judge_without_answers_or_alive_no_more_is_passed_over() -> None:
    lost = Scripted(yes_no=lambda i, q: p(0.95) if q.id == "eligible?" else Reply("timeout"))
    dead = Scripted(opening=lambda n: EngineFault("gone"))
    for first, fault in ((lost, None), (dead, "first judge: the engine has stopped: gone")):
        look = both(first, answering(0.02))
        assert look.mode == "cascade:second"
        assert look.fault == fault
        assert scored(look).status == "ok"


def test_one_method_reaches_the_judges() -> None:
    first, second = answering(0.01), answering(0.9)
    assert both(first, second, "pcmde").answers == {}
    assert first.calls == second.calls == []


def test_rows_name_both_and_the_bands() -> None:
    def judge(engine: Scripted) -> EngineJudge:
        return EngineJudge(engine, probes(), SETTINGS)

    first = Scripted(name="quick", models={"small": "1" * 64})
    cascade = CascadeJudge(judge(first), judge(Scripted()), BANDS, Counting())
    settings = CascadeSettings(gate=0.6, low=0.3, high=0.9)
    card = JudgeCard.of(cascade, msgspec.structs.replace(SETTINGS, gate=0.6), settings)
    signed = card.sign(wire.Provenance(physgauge="0", profile="x"))
    assert signed.engine == "cascade(quick, scripted)"
    assert signed.models == {"judge_scripted": "0" * 64, "judge_first_small": "1" * 64}
    assert signed.settings["gate"] == signed.settings["cascade.gate"] == 0.6
    assert signed.settings["cascade.high"] == 0.9
    assert signed.probe_version == probes().tag


PROFILE = """
name = "two"
[judge]
engine = "onepass"
[judge.onepass]
model = "tiny:smolvlm"
[cascade]
gate = 0.6
low = 0.2
high = 0.95
[cascade.first]
engine = "onepass"
[cascade.first.onepass]
model = "tiny:smolvlm"
"""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("high = 0.95", "high = 0.5"), r"cascade: expected low <= gate <= high, got 0\.2, 0\.6, 0\.5"),
        (('engine = "onepass"\n[judge', 'engine = "onepass"\ngate = 0.5\n[judge'),
         r"judge\.gate: expected that of \[cascade\] \(0\.6\) or none, got 0\.5"),
        (('engine = "onepass"\n[judge', 'engine = "onepass"\nmode = "direct"\n[judge'),
         r"judge\.mode: expected one with probes in a cascade, got 'direct'"),
        (("low = 0.2", "low = 0.2\nunsure_low = 0.8"), r"cascade\.unsure_low: expected at most"),
    ],
)  # fmt: skip
def test_settings_that_do_not_fit_are_said(change: tuple[str, str], message: str) -> None:
    text = PROFILE.replace(*change)
    assert text != PROFILE
    with pytest.raises(ConfigError, match=message):
        check_profile(parse(text.encode(), "profile"), "profile")
    alone = PROFILE[: PROFILE.index("[judge]")] + PROFILE[PROFILE.index("[cascade]") :]
    with pytest.raises(ConfigError, match=r"judge: expected a table for the second of \[cascade\]"):
        check_profile(parse(alone.encode(), "profile"), "profile")


def test_the_first_counts_as_the_second_does() -> None:
    second = JudgeSettings(engine="vllm", alpha=0.25, yes_from=0.7, max_in_flight=3, mode="paper")
    first = FirstSettings(engine="student", student={"model": "x"}).as_judge(second)
    assert Counting.of(first) == Counting.of(second)
    assert (first.engine, first.mode, first.max_in_flight) == ("student", "onepass", 3)
    assert first.student == {"model": "x"}


def test_what_may_be_said_after_a_run() -> None:
    assert "nobody has checked" in kept(None, "paper", wire.Provenance(physgauge="0", profile="p"))
    counted = {"yes_from": 0.5, "cascade.high": 0.9}
    promise = Promise(
        disagreement=0.01, confidence=0.95, images=800, disagreed=2, bound=0.0091, second_share=0.3,
        first="a", second="b", models={"m": "1", "first_s": "2"}, date="2026-11-30", mode="paper",
        probes="set-1", settings={"lambda": 1.0, "alpha": 0.5} | counted,
    )  # fmt: skip
    made = wire.Provenance(
        physgauge="0", profile="p", lambda_=1.0, alpha=0.5, probe_version="set-1",
        models={"judge_m": "1", "judge_first_s": "2"}, settings=counted | {"tau": 60.0, "gate": 0.6},
    )  # fmt: skip
    assert "at most 1.0% other decisions" in kept(promise, "paper", made)
    changes: dict[str, dict[str, Any]] = {
        "other models": {"models": made.models | {"judge_first_s": "3"}},
        "other probes": {"probe_version": "set-2"},
        "other thresholds or bands": {"alpha": 0.25},
        "other thresholds or bands:": {"settings": made.settings | {"cascade.high": 0.7}},
    }
    for words, change in changes.items():
        assert words in kept(promise, "paper", msgspec.structs.replace(made, **change))
    assert "other calls (judge.mode)" in kept(promise, "onepass", made)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    for k in range(3):
        np.save(folder / f"{k}.npy", np.full((48, 64, 3), 70 * k, np.uint8))
    return folder


def run(*given: Any) -> str:
    result = CliRunner().invoke(group, [str(one) for one in given], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_profile_with_a_cascade_runs(pictures: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    profile = tmp_path / "two.toml"
    profile.write_text(PROFILE, "utf-8")
    # Random weights sit near P = 0.5: with everything surely eligible the bands decide nothing.
    said = run("score", pictures, "--profile", profile, "-o", tmp_path / "out")
    assert "nobody has checked how often it decides otherwise" in said
    rows = list(read_run(tmp_path / "out"))
    assert {row.terravis.mode for row in rows} == {"cascade:second"}
    assert all(row.provenance.settings["cascade.low"] == 0.2 for row in rows)
    assert any(name.startswith("judge_first_") for name in rows[0].provenance.models)
    alone = tmp_path / "alone.toml"
    alone.write_text(PROFILE[: PROFILE.index("[cascade]")], "utf-8")
    run("score", pictures, "--profile", alone, "-o", tmp_path / "alone")
    single = list(read_run(tmp_path / "alone"))
    for one, other in zip(rows, single, strict=True):
        assert one.terravis.answers.keys() == other.terravis.answers.keys()
        for name, answer in one.terravis.answers.items():
            assert answer.p_yes == pytest.approx(other.terravis.answers[name].p_yes, abs=1e-4)
    assert load_profile(str(profile)).profile.cascade is not None


def test_the_command_refuses_a_small_set_and_writes_what_it_finds(tmp_path: Path) -> None:
    def row(n: int, score: float) -> wire.Row:
        yes = score < 0.6
        p_yes = 0.99 if yes else 0.0
        answers = {"contact_state": wire.Answer(
            outcome="answered", answer=yes, p_yes=p_yes, p_major=1.0 if yes else 0.0,
            severity="major" if yes else None,
        )}  # fmt: skip
        return wire.Row(
            image_id=str(n), source="", pixel_sha256=str(n), pcmde=wire.Pcmde(status="skipped"),
            terravis=wire.TerraVis(
                status="ok", score=score, low=score, high=score, answers=answers, mode="onepass",
                eligible=wire.Eligible(answer=True, p=0.999, outcome="answered"),
            ),
            provenance=wire.Provenance(physgauge="0", profile="p", engine="e", models={"judge_m": "1"}),
            cost=wire.Cost(ms={"look": 10.0}),
        )  # fmt: skip

    path = tmp_path / "rows.jsonl"
    rows = [row(n, (0.36, 1.0)[n % 2]) for n in range(600)]
    path.write_bytes(b"".join(wire.to_json(one) + b"\n" for one in rows))
    said = run("cascade-fit", path, path, "-o", tmp_path / "table.toml")
    assert "the second judge is asked about 0 of them (0.0%)" in said
    table = (tmp_path / "table.toml").read_text("utf-8")
    whole = PROFILE[: PROFILE.index("[cascade]")] + table
    made = check_profile(parse(whole.encode(), "profile"), "profile").cascade
    assert made is not None
    assert made.promise is not None
    assert made.promise.images == 600
    assert made.promise.models == {"m": "1", "first_m": "1"}
    assert made.promise.mode == "onepass"
    bands = Bands.of(made)
    assert made.promise.settings == bands.thresholds() | Counting().thresholds() | {
        "lambda": 1.0, "alpha": 0.5,
    }  # fmt: skip
    few = tmp_path / "few.jsonl"
    few.write_bytes(b"".join(wire.to_json(one) + b"\n" for one in rows[:50]))
    error = CliRunner().invoke(group, ["cascade-fit", str(few), str(few)]).exception
    assert isinstance(error, ConfigError)
    assert "expected at least 408 images" in str(error)
