"""`--pack animal@paper`: the published rules through the whole path, from boxes to row."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from physgauge import wire
from tests.kernels.paper_scenes import HOUND, SIZE

RUN = (sys.executable, "-c", "from physgauge.cli.main import main; main()")
PROFILE = """
name = "animals"
[packs]
animal = "animal"
[specifications]
animal = "animal"
"""


def record(
    name: str, caption: str | None, *more: dict[str, Any], flip: bool = False
) -> dict[str, Any]:
    scene = HOUND.mirrored() if flip else HOUND
    boxes = [{"label": f"animal.{c}", "box": list(box)} for c, *box in scene.boxes]
    width, height = map(int, SIZE)
    return {"image_id": name, "width": width, "height": height, "domain": "animal", "view": "side",
            "boxes": [*boxes, *more], **({} if caption is None else {"caption": caption})}  # fmt: skip


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, wire.Row]:
    folder = tmp_path_factory.mktemp("paper")
    (folder / "animals.toml").write_text(PROFILE, encoding="utf-8")
    unsure = {"label": "animal.leg", "box": [300, 280, 325, 400], "score": 0.49}
    records = [
        record("dog", "a dog with four legs"),
        record("unsure", "a dog with four legs", unsure),
        record("sure", "a dog with four legs", {**unsure, "score": 0.5}),
        record("six", "a dog with six legs"),
        record("mute", None),
        record("flipped", "a dog with four legs", flip=True),
    ]
    (folder / "boxes.json").write_text(json.dumps(records), encoding="utf-8")
    done = subprocess.run(
        [*RUN, "score-boxes", "boxes.json", "--profile", "animals.toml", "--pack", "animal@paper", "--json"],
        capture_output=True, text=True, timeout=600, check=False, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {
        r.image_id: r for r in (wire.from_json(line.encode()) for line in done.stdout.splitlines())
    }


def broken(row: wire.Row) -> list[str]:
    return [rule.id for rule in row.pcmde.rules if rule.status == "violated"]


def test_a_right_dog_keeps_every_published_rule(rows: dict[str, wire.Row]) -> None:
    for name in ("dog", "flipped"):
        assert rows[name].provenance.pack == "animal@paper"
        assert rows[name].pcmde.s_rules == 100
        assert [rule.status for rule in rows[name].pcmde.rules] == ["satisfied"] * 14


def test_boxes_below_a_half_are_not_looked_at(rows: dict[str, wire.Row]) -> None:
    assert rows["unsure"].detections == rows["dog"].detections
    assert rows["unsure"].pcmde.counts["leg"] == 4
    assert rows["sure"].pcmde.counts["leg"] == 5
    assert broken(rows["sure"]) == ["P2", "C1", "C2"]


def test_the_captions_number_counts_even_against_the_type(rows: dict[str, wire.Row]) -> None:
    assert broken(rows["six"]) == ["C1"]
    c1 = next(rule for rule in rows["six"].pcmde.rules if rule.id == "C1")
    assert c1.measured == 4


def test_without_a_caption_the_category_drops_out(rows: dict[str, wire.Row]) -> None:
    mute = rows["mute"].pcmde
    assert mute.s_caption is None
    assert mute.s_rules == 100
    assert {rule.id for rule in mute.rules if rule.status == "not_applicable"} == {"C1", "C2"}


def test_the_reasoner_tells_the_captions_number_from_the_types(rows: dict[str, wire.Row]) -> None:
    """A dog has four legs; that five must be seen is the caption's word."""
    said = rows["six"].pcmde.diagnostics.specification
    assert "the caption wants at least 5 legs: 4 seen" in said
    assert "contradiction: the caption says 6 legs ('six legs'); a dog has 4 legs" in said
    text = rows["six"].pcmde.explanation or ""
    assert "shows at least" not in text
    assert "one leg may be hidden (measured 4)" in text
    assert "bound )" not in text
