"""Stored rows counted anew equal the rows of a run with those settings, to the last bit."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from physgauge import wire
from physgauge.cli.main import main
from physgauge.clients.runs import read_run
from physgauge.config import load_profile
from physgauge.ensemble.judge.engine import Question, Reply
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.ensemble.reaggregate import Changes, reaggregate
from physgauge.errors import ConfigError
from physgauge.types import U8, Item
from tests.runs.folders import write_run
from tests.terravis.scripted import Scripted, p
from tests.terravis.test_pipeline import looking

EXAMPLES = Path(__file__).parents[2] / "examples/scenes"
NAMES = [
    "aircraft_02.jpg",
    "aircraft_08.jpg",
    "animal_04.jpg",
    "animal_06.jpg",
    "car_01.jpg",
    "car_04.jpg",
    "car_06.jpg",
]


def chance(image: U8, question: Question) -> Reply:
    """A probability that depends on image and question and nothing else."""
    said = hashlib.sha256(f"{int(image[::7, ::7].sum())} {question.text}".encode()).digest()
    value = int.from_bytes(said[:4], "big") / 2**32
    if question.id == "eligible?":
        return p(0.6 + 0.4 * value)
    return p(value if "draws the eye" in question.text else value**4)


def run(pcmde: dict[str, float], judge: dict[str, float]) -> list[wire.Row]:
    loaded = load_profile("tiny")
    profile = msgspec.structs.replace(
        loaded.profile, pcmde=msgspec.structs.replace(loaded.profile.pcmde, **pcmde)
    )
    with (EXAMPLES / "captions.csv").open(encoding="utf-8", newline="") as file:
        captions = {line["file"]: line["caption"] for line in csv.DictReader(file)}
    items = [Item(n, (EXAMPLES / n).read_bytes(), n, captions[n]) for n in NAMES]
    items.append(Item("broken", b"", "broken"))
    with Pipeline(
        msgspec.structs.replace(loaded, profile=profile),
        Options(workers=1, threads=1),
        looking=looking(Scripted(yes_no=chance), **judge),
    ) as pipeline:
        rows = [scored.row for scored in pipeline.score(items)]
    return [msgspec.structs.replace(row, cost=wire.Cost()) for row in rows]


@pytest.fixture(scope="module")
def rows() -> list[wire.Row]:
    return run({}, {})


CASES: list[tuple[dict[str, float], dict[str, float]]] = [
    ({"tau": 95.0, "tau_c": 80.0}, {"lambda": 2.5, "alpha": 0.2}),
    ({"rules_weight": 0.1, "tau": 85.0}, {"yes_from": 0.2, "major_from": 0.8, "alpha": 1.0}),
    ({"tau": 0.0, "tau_c": 0.0}, {"yes_from": 0.9}),
]


@pytest.mark.parametrize(("pcmde", "judge"), CASES)
def test_a_rescored_row_is_the_row_of_a_fresh_run(
    rows: list[wire.Row], pcmde: dict[str, float], judge: dict[str, float]
) -> None:
    changes = msgspec.convert(
        pcmde | {("lambda_" if k == "lambda" else k): v for k, v in judge.items()}, Changes
    )
    fresh = run(pcmde, judge)
    anew = [reaggregate(row, changes) for row in rows]
    assert anew == fresh
    assert anew != rows
    verdicts = [row.pcmde.verdict for row in rows], [row.pcmde.verdict for row in anew]
    if "tau" in pcmde:
        assert verdicts[0] != verdicts[1]


def test_nothing_given_changes_nothing(rows: list[wire.Row]) -> None:
    assert [reaggregate(row, Changes()) for row in rows] == rows
    assert {row.terravis.status for row in rows} >= {"ok", "error"}


def test_what_was_never_graded_leaves_bounds(rows: list[wire.Row]) -> None:
    for row in rows[:-1]:
        low = reaggregate(row, Changes(yes_from=0.01))
        extra = sum(0.01 <= (a.p_yes or 0) < 0.1 for a in row.terravis.answers.values())
        assert extra
        assert (low.terravis.score, low.terravis.status) == (None, "partial")
        assert low.terravis.reason is not None
        assert low.terravis.reason.startswith(f"{extra} found but not graded")
        assert low.terravis.low is not None
        assert low.terravis.high is not None
        assert low.terravis.low < low.terravis.high
        assert row.terravis.score is None or low.terravis.high <= row.terravis.score


def test_eligibility_can_be_counted_anew(rows: list[wire.Row]) -> None:
    strict = [reaggregate(row, Changes(eligible_from=0.8)).terravis for row in rows[:-1]]
    for row, anew in zip(rows, strict, strict=False):
        eligible = row.terravis.eligible
        assert eligible is not None
        assert eligible.p is not None
        assert (anew.status == "not_applicable") == (eligible.p < 0.8)
        assert (anew.score is None) == (eligible.p < 0.8)


def subject(s_rules: float | None, s_llm: float | None, domain: str) -> wire.SubjectResult:
    return wire.SubjectResult(
        domain=domain, box=[0, 0, 1, 1], status="ok", s_rules=s_rules, s_llm=s_llm
    )


def test_another_subject_may_become_the_worst() -> None:
    stored = {"rules_weight": 0.9, "tau": 60.0, "tau_c": 40.0}
    row = wire.Row(
        image_id="a", source="a", terravis=wire.TerraVis(status="skipped"),
        pcmde=wire.Pcmde(
            status="ok", domain="car", s_rules=70.0, s_llm=100.0, s_final=73.0, verdict="PASS",
            rules=[wire.RuleResult(id="P1", category="presence", status="violated")],
            subjects=[subject(70.0, 100.0, "car"), subject(100.0, 50.0, "animal"), subject(None, None, "car")],
        ),
        provenance=wire.Provenance(physgauge="0", profile="x", settings=stored),
    )  # fmt: skip
    same = reaggregate(row, Changes(tau=70.0)).pcmde
    assert (same.domain, same.verdict, len(same.rules)) == ("car", "PASS", 1)
    other = reaggregate(row, Changes(rules_weight=0.1, tau=60.0)).pcmde
    assert (other.domain, other.s_final, other.verdict) == ("animal", 55.0, "FAIL")
    assert other.rules == []
    assert other.reason is not None
    assert other.reason.endswith("the rules of this subject are not in the row it was counted from")
    assert [s.domain for s in other.subjects] == ["animal", "car", "car"]


def test_a_row_that_does_not_say_its_settings_needs_them() -> None:
    row = wire.Row(
        image_id="a", source="a", terravis=wire.TerraVis(status="skipped"),
        pcmde=wire.Pcmde(status="ok", s_rules=70.0, s_llm=60.0),
        provenance=wire.Provenance(physgauge="0", profile="x"),
    )  # fmt: skip
    with pytest.raises(ConfigError, match="row 'a': expected the rules_weight it was made with"):
        reaggregate(row, Changes(tau=50))
    given = reaggregate(row, Changes(rules_weight=0.5, tau=50, tau_c=40))
    assert (given.pcmde.s_final, given.pcmde.verdict) == (65.0, "PASS")


def command(*arguments: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        main(["rescore", *arguments])
    return ended.value.code


def test_the_command(
    rows: list[wire.Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    write_run(old, rows)
    assert command(str(old), "-o", str(new), "--alpha", "0.25", "--tau", "95") == 0
    written = list(read_run(new))
    assert written == [reaggregate(row, Changes(alpha=0.25, tau=95.0)) for row in rows]
    assert (new / "row.schema.json").exists()
    capsys.readouterr()
    for arguments, message in (
        ([str(new), "-o", str(new)], "expected another folder"),
        (
            [str(tmp_path), "-o", str(tmp_path / "x")],
            "expected a run of physgauge (run.json), got none",
        ),
        ([str(old), "-o", str(new)], "a run is there"),
        ([str(old), "-o", str(new), "--lambda", "0"], "'--lambda': 0.0 is not in the range"),
        *(
            (
                [str(old), "-o", str(tmp_path / "n"), f"--{name}", "nan"],
                "expected a finite number, got nan",
            )
            for name in ("lambda", "alpha", "yes-from", "eligible-from", "major-from", "tau")
        ),
        ([str(old)], "expected a place for the rows"),
    ):
        assert command(*arguments) == 2
        assert message in capsys.readouterr().err.replace("\n", "")
    (file,) = (old / "rows").iterdir()
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 3] ^= 0xFF
    file.write_bytes(damaged)
    assert command(str(old), "-o", str(tmp_path / "y")) in (2, 3)
    assert not (tmp_path / "y/run.json").exists()
    assert not any((tmp_path / "y/rows").glob("*"))
