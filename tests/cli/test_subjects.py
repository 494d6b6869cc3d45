"""Several subjects on the command line: score-boxes, rules explain, annotated pictures."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from physgauge import wire
from physgauge.cli.main import main
from physgauge.clients.runs import read_run
from physgauge.report.draw import ASIDE, BAD, annotate, findings
from tests.subjects.shapes import DOG, HEIGHT, WIDTH, at, record, without


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    assert isinstance(done.value.code, int)
    return done.value.code


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("several")
    boxes = folder / "boxes.json"
    pictures = [
        record(DOG + at(without(DOG, "animal.head"), 380), "two dogs", "two"),
        record(DOG, "a dog", "one"),
        record(DOG + at(DOG, 90), "two dogs", "mixed_up"),
    ]
    boxes.write_bytes(msgspec.json.encode(pictures))
    assert run("score-boxes", str(boxes), "-o", str(folder / "out")) == 0
    return folder / "out"


def rows(out: Path) -> dict[str, wire.Row]:
    return {row.image_id: row for row in read_run(out)}


def test_rows_list_the_subjects(out: Path) -> None:
    found = rows(out)
    assert [len(s.parts) for s in found["two"].pcmde.subjects] == [10, 11]
    assert found["one"].pcmde.subjects == []
    assert found["mixed_up"].pcmde.status == "not_applicable"
    schema = json.loads((out / "row.schema.json").read_text())
    assert "subjects" in schema["$defs"]["Pcmde"]["properties"]


def test_explain_says_which_subject_it_is_about(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("rules", "explain", str(out), "two") == 0
    text = capsys.readouterr().out
    assert "2 subjects, the worst first; the rules are about that one:\n  1. animal dog" in text
    assert "10 parts at x 435.0 to 679.0, y 71.0 to 242.0 px: " in text
    assert run("rules", "explain", str(out), "two", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [s["parts"] for s in told["subjects"]] == [10, 11]
    assert told["subjects"][0]["s_final"] == told["s_final"]
    assert run("rules", "explain", str(out), "one") == 0
    assert "subjects" not in capsys.readouterr().out
    assert run("rules", "explain", str(out), "mixed_up") == 0
    assert "cannot be told apart: the caption names 2" in capsys.readouterr().out


def test_annotated_pictures_show_the_others_in_gray(out: Path) -> None:
    row = rows(out)["two"]
    picture = np.asarray(annotate(np.zeros((HEIGHT, WIDTH, 3), np.uint8), row))
    gray = (picture == ASIDE).all(-1)
    assert gray[113:177, 183:253].any()
    assert not gray[:HEIGHT, 400:].any()
    assert (picture == BAD).all(-1)[:HEIGHT, 400:].any() or row.pcmde.verdict == "PASS"
    assert "(the worst of 2 subjects)" in findings(row)[0]
