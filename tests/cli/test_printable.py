"""What others wrote does not steer the terminal, wherever it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from physgauge.cli.main import main
from physgauge.report.printable import printable

STEER = "\x1b[31mred\x07\u202e"


def test_escapes() -> None:
    assert printable("dog ä 🐕.png") == "dog ä 🐕.png"
    assert printable("a\x1b[2J\nb\udc80\u202e") == "a\\x1b[2J\\nb\\udc80\\u202e"
    assert printable("a\nb\r", lines=True) == "a\nb\\r"


def told(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit):
        main(arguments)
    out, err = capfd.readouterr()
    return out + err


def test_names_and_captions(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wheels = [{"label": "car.wheel", "box": [x, 80, x + 15, 95]} for x in (5, 40, 60, 80)]
    door = {"label": "car.door", "box": [30, 40, 60, 80]}
    record = {
        "image_id": f"{STEER}.png", "width": 100, "height": 100, "domain": "car",
        "caption": f"a {STEER} car", "boxes": [*wheels, door],
    }  # fmt: skip
    boxes = tmp_path / "boxes.json"
    boxes.write_text(json.dumps([record]), "utf-8")
    run = str(tmp_path / "run")
    summary = told(capfd, "score-boxes", str(boxes), "-o", run)
    explained = told(capfd, "rules", "explain", run, f"{STEER}.png")
    wrong = told(capfd, "rules", "explain", run, f"{STEER}.jpg")
    pack = tmp_path / "pack.toml"
    pack.write_text(f'name = "{STEER.encode("unicode_escape").decode()}"\n', "utf-8")
    checked = told(capfd, "rules", "check", str(pack))
    for text in (summary, explained, wrong, checked):
        assert "red" in text
        assert not set(STEER) - set("[31mred") & set(text)
