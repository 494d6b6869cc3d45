"""`physgauge score-boxes`: boxes from elsewhere, end to end in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from physgauge import wire
from physgauge.cli.main import main
from physgauge.clients.runs import read_run

RUN = (sys.executable, "-c", "from physgauge.cli.main import main; main()")


def physgauge(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def part(label: str, x0: float, y0: float, x1: float, y1: float) -> dict[str, Any]:
    return {"label": label, "box": [x0, y0, x1, y1]}


# A horse seen from the left, drawn by hand on a 400 x 300 px picture.
HORSE = [
    part("animal.head", 40, 40, 100, 90),
    part("animal.eye", 62, 52, 70, 60),
    part("animal.ear", 80, 22, 92, 44),
    part("animal.chest", 110, 100, 190, 180),
    part("animal.belly", 180, 105, 290, 180),
    part("animal.leg", 120, 170, 140, 270),
    part("animal.leg", 155, 170, 175, 270),
    part("animal.leg", 235, 170, 255, 270),
    part("animal.leg", 265, 170, 285, 270),
    part("animal.tail", 285, 110, 310, 200),
]


def record(name: str, boxes: list[dict[str, Any]], caption: str = "a horse") -> dict[str, Any]:
    return {
        "image_id": name,
        "width": 400,
        "height": 300,
        "caption": caption,
        "view": "side",
        "boxes": boxes,
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("boxes")
    two_more = [part("animal.leg", 195, 170, 212, 270), part("animal.leg", 215, 170, 230, 270)]
    records = [
        record("whole", HORSE),
        record("six_legs", HORSE + two_more),
        record("horns", [*HORSE, part("animal.horn", 50, 10, 60, 44)]),
        record("nothing", []),
        record("broken", [part("animal.leg", 5, 5, 5, 9)]),
        record("unknown", [part("animal.fin", 5, 5, 9, 9)]),
        record("long", HORSE, "x" * 100_000),
    ]
    file = folder / "boxes.json"
    file.write_text(json.dumps(records), encoding="utf-8")
    return folder, physgauge("score-boxes", str(file), "-o", str(folder / "out"))


def rows(folder: Path) -> dict[str, wire.Row]:
    return {row.image_id: row for row in read_run(folder / "out")}


def test_every_record_has_its_row(run: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = run
    assert done.returncode == 0, done.stderr
    assert list(rows(folder)) == [
        "whole",
        "six_legs",
        "horns",
        "nothing",
        "broken",
        "unknown",
        "long",
    ]


def test_verdicts(run: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    of = rows(run[0])
    assert of["whole"].pcmde.verdict == "PASS"
    assert of["whole"].pcmde.s_rules == 100
    assert [r.id for r in of["whole"].pcmde.rules if r.status == "violated"] == []
    assert of["whole"].pcmde.subtype == "horse"
    assert of["whole"].pcmde.reasoner == "specification"
    assert of["six_legs"].pcmde.verdict == "FAIL"
    assert of["six_legs"].pcmde.counts["leg"] == 6
    assert any("leg" in s for s in of["six_legs"].pcmde.diagnostics.specification)
    assert of["horns"].pcmde.verdict == "FAIL"
    whole, horns = of["whole"].pcmde.s_final, of["horns"].pcmde.s_final
    assert whole is not None
    assert horns is not None
    assert horns < whole
    assert of["whole"].terravis.status == "skipped"


def test_rule_witnesses_are_the_rows_own_boxes(
    run: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    for row in rows(run[0]).values():
        for rule in row.pcmde.rules:
            assert all(0 <= index < len(row.detections) for index in rule.boxes)
    assert [d.label for d in rows(run[0])["whole"].detections] == [p["label"] for p in HORSE]


def test_what_cannot_be_scored_says_why(
    run: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    of = rows(run[0])
    assert of["nothing"].pcmde.status == "not_applicable"
    assert of["nothing"].pcmde.s_final is None
    assert of["nothing"].pcmde.reason is not None
    assert of["broken"].error_code == "boxes_invalid"
    assert "expected x1 > x0 and y1 > y0" in (of["broken"].error or "")
    assert of["unknown"].error_code == "boxes_invalid"
    assert "expected one of animal.head" in (of["unknown"].error or "")
    assert of["long"].error_code == "caption_too_long"
    assert of["long"].pcmde.status == "error"


def test_summary_names_verdicts_and_rules(
    run: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    out = run[1].stdout
    assert "7 images in" in out
    assert "FAIL 2" in out
    assert "Most violated rules" in out
    assert "Worst images" in out
    assert "caption_too_long" in out


def test_json_on_standard_output_is_rows_only(tmp_path: Path) -> None:
    file = tmp_path / "boxes.json"
    file.write_text(json.dumps([record("whole", HORSE)]), encoding="utf-8")
    done = physgauge("score-boxes", str(file), "--json")
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    assert wire.from_json(line.encode()).pcmde.verdict == "PASS"
    assert "1 images in" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("score-boxes", "missing.json", "--json"), 2, "missing.json: cannot be read"),
        (("score-boxes", "b.json"), 2, "expected a place for the rows: -o DIR, or --json"),
        (("score-boxes", "b.json", "--json", "--domain", "boat"), 2,
         "domain: expected one of auto, aircraft, car, animal, got 'boat'"),
        (("score-boxes", "b.json", "--json", "--profile", "huge"), 2, "profile: expected one of"),
        (("score-boxes", "b.json", "--json", "--pack", "boat"), 2, "no pack named 'boat'"),
        (("score", "nowhere/*.png", "--json"), 2, "found none"),
        (("score", "b.json", "--draw", "--json"), 2, "expected -o DIR"),
        (("score", "b.json", "--json", "--captions", "none.csv"), 2, "none.csv: cannot be read"),
        (("score",), 2, "Missing argument"),
        (("score", "", "--json"), 2, "expected a file, a folder or a glob pattern, got an empty path"),
        (("score", "b.json", "--json", "--workers", "257"), 2, "257 is not in the range"),
        (("score", "b.json", "--json", "--threads", "1025"), 2, "1025 is not in the range"),
        (("score-boxes", "b.json", "-o", "x" * 300), 3, "cannot be read (File name too long)"),
        (("score-boxes", "b.json", "--json", "--profile", "x" * 300), 2, "profile: expected one of"),
        (("score-boxes", "b.json", "-o", "taken", "--overwrite"), 2,
         "taken/run.json: expected the record of a run"),
        (("score-boxes", "b.json", "--json", "--profile", "deep.toml"), 2, "got arrays nested too deeply"),
        (("score-boxes", "b.json", "--json", "--profile", "digits.toml"), 2, "digits.toml: not TOML"),
        (("score-boxes", "b.json", "--json", "--profile", "layout.toml"), 2,
         "layouts: expected a domain of [specifications] (car), got 'boat'"),
        (("score-boxes", "b.json", "--json", "--profile", "swapped.toml"), 2,
         "specifications.car: expected one of the domain 'car', got one of 'animal'"),
        (("score-boxes", "b.json", "--json", "--profile", "endless.toml"), 2, "$.decode.base_s"),
        (("rules", "explain", "x" * 300, "a"), 3, "File name too long"),
    ],
)  # fmt: skip
def test_wrong_use_says_what_was_expected(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.json").write_text("[]", encoding="utf-8")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/run.json").write_text("{}", encoding="utf-8")
    known = 'name = "mine"\n[packs]\ncar = "car"\n[specifications]\ncar = '
    for name, text in {
        "deep": "x = " + "[" * 5000,
        "digits": "x = " + "9" * 5000,
        "layout": known + '"car"\n[layouts]\nboat = "x.npz"\n',
        "endless": 'name = "mine"\n[decode]\nbase_s = inf\n',
        "swapped": known + '"animal"\n',
    }.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as exit_info:
        main(arguments)
    assert exit_info.value.code == code
    assert says in capsys.readouterr().err


def test_a_full_standard_output_is_said(tmp_path: Path) -> None:
    file = tmp_path / "boxes.json"
    file.write_text(json.dumps([record("whole", HORSE)]), encoding="utf-8")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*RUN, "score-boxes", str(file), "--json"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_names_that_standard_output_cannot_say(tmp_path: Path) -> None:
    file = tmp_path / "boxes.json"
    file.write_text(json.dumps([record("\u05d0 \U0001f415", HORSE)]), encoding="utf-8")
    out = tmp_path / os.fsdecode(b"caf\xe9")
    for encoding in ("ascii", "utf-8"):
        done = subprocess.run(
            [*RUN, "score-boxes", str(file), "-o", str(out), "--overwrite"], check=False,
            capture_output=True, timeout=120, env={**os.environ, "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert b"caf" in done.stdout
    assert [row.image_id for row in read_run(out)] == ["\u05d0 \U0001f415"]


def test_rows_of_an_earlier_run_are_not_replaced_unasked(tmp_path: Path) -> None:
    file = tmp_path / "boxes.json"
    file.write_text(json.dumps([record("whole", HORSE)]), encoding="utf-8")
    out = str(tmp_path / "out")
    assert physgauge("score-boxes", str(file), "-o", out).returncode == 0
    again = physgauge("score-boxes", str(file), "-o", out)
    assert again.returncode == 2
    assert "a run is there: expected another -o DIR, or --overwrite" in again.stderr
    assert physgauge("score-boxes", str(file), "-o", out, "--overwrite").returncode == 0


def test_rows_can_be_scored_again_from_their_own_boxes(
    run: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    folder = run[0]
    done = physgauge("score-boxes", str(folder / "out"), "--json")
    assert done.returncode == 0, done.stderr
    names = [wire.from_json(line.encode()).image_id for line in done.stdout.splitlines()]
    assert names == ["whole", "six_legs", "horns", "nothing"]
