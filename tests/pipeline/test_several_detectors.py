"""Several detectors in one profile: what they agree on, the vote where they do not, who looked at all."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import pytest

from physgauge import wire
from physgauge.config import (
    DetectorSettings,
    FuseSettings,
    LoadedProfile,
    ReadingSettings,
    check,
    load_profile,
)
from physgauge.ensemble.detections import merge, pack, unknown_view
from physgauge.ensemble.fuse import Fused, fuse
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.errors import ConfigError
from physgauge.types import Detections, Item
from tests.detect.onnx_files import answers, write

EXAMPLES = Path(__file__).parents[2] / "examples/scenes"
NAMES = sorted(path.name for path in EXAMPLES.glob("*.jpg"))[::5]
TINY = load_profile("tiny")
EMBEDDED = msgspec.structs.replace(
    TINY.profile.detectors[0], model=str(TINY.path(TINY.profile.detectors[0].model))
)
Method = Literal["nms", "wbf"]


def profile(detectors: list[DetectorSettings], method: Method | None = None) -> LoadedProfile:
    fusing = msgspec.structs.replace(TINY.profile.fuse, method=method)
    once = ReadingSettings(draws=1)  # several detectors have no one probability of a box
    made = msgspec.structs.replace(TINY.profile, detectors=detectors, fuse=fusing, readings=once)
    check(made, "test")
    return msgspec.structs.replace(TINY, profile=made)


def score(loaded: LoadedProfile, names: list[str]) -> list[wire.Row]:
    items = [Item(name, (EXAMPLES / name).read_bytes(), name) for name in names]
    with Pipeline(loaded, Options(workers=1, threads=1)) as pipeline:
        rows = [scored.row for scored in pipeline.score(items)]
    return [msgspec.structs.replace(row, cost=wire.Cost()) for row in rows]


@pytest.fixture(scope="module")
def once() -> list[wire.Row]:
    return score(profile([EMBEDDED]), NAMES)


def named(name: str, model: Path, weight: float = 1.0) -> DetectorSettings:
    return DetectorSettings(name=name, model=str(model), weight=weight)


def unordered(row: wire.Row) -> wire.Row:
    """The row with its boxes by place: those of equal score may come in any order."""
    box = [tuple(d.box) for d in row.detections]
    order = sorted(range(len(box)), key=lambda i: (row.detections[i].label, box[i]))
    place = {old: new for new, old in enumerate(order)}
    rules = [msgspec.structs.replace(r, boxes=[place[i] for i in r.boxes]) for r in row.pcmde.rules]
    return msgspec.structs.replace(
        row,
        detections=[row.detections[i] for i in order],
        pcmde=msgspec.structs.replace(row.pcmde, rules=rules),
    )


@pytest.mark.parametrize("method", ["nms", "wbf", None])
def test_a_detector_listed_twice_changes_nothing(
    once: list[wire.Row], method: Method | None
) -> None:
    assert any(row.pcmde.verdict == "PASS" for row in once)
    again = msgspec.structs.replace(EMBEDDED, name="again", weight=3.0)
    twice = score(profile([EMBEDDED, again], method), NAMES)
    for row, other in zip(once, twice, strict=True):
        both = {name for name in other.provenance.models if not name.startswith("layout_")}
        files = {EMBEDDED.name, f"{EMBEDDED.name}_rescorer", "again", "again_rescorer"}
        assert both == files
        same = msgspec.structs.replace(other, provenance=row.provenance)
        assert unordered(same) == unordered(row)


PARTS = ["car.wheel", "car.door", "car.bonnet", "car.windshield"]
# In px of the 32 x 32 input: two wheels below, a bonnet and a windshield above.
CAR = answers(
    [[2, 22, 8, 28], [22, 22, 28, 28], [1, 14, 8, 20], [9, 8, 14, 14]],
    [0.9, 0.7, 0.8, 0.6],
    [0, 0, 2, 3],
)
"""For any picture; no door."""


def a_car(once: list[wire.Row]) -> wire.Row:
    return next(row for row in once if row.pcmde.domain == "car" and row.pcmde.status == "ok")


@pytest.mark.parametrize(
    ("mine", "theirs", "wins"), [(1.0, 20.0, True), (20.0, 1.0, False)], ids=["other", "embedded"]
)
def test_the_heavier_detector_wins_the_vote(
    once: list[wire.Row], tmp_path: Path, mine: float, theirs: float, wins: bool
) -> None:
    car = a_car(once)
    first = msgspec.structs.replace(EMBEDDED, weight=mine)
    other = named("other", write(tmp_path / "other.onnx", CAR, PARTS), weight=theirs)
    (row,) = score(profile([first, other]), [car.image_id])
    alone, counts = car.pcmde.counts, row.pcmde.counts
    assert alone["door"], "the picture shows a door that the other detector does not see"
    said = {"wheel": 2.0, "door": 0.0, "bonnet": 1.0, "windshield": 1.0}
    for part in said:
        assert counts[part] == (said if wins else alone)[part], part
    # The other detector does not look for these.
    assert {k: v for k, v in counts.items() if k not in said and k != "other"} == {
        k: v for k, v in alone.items() if k not in said and k != "other"
    }
    labels = [d.label for d in row.detections]
    assert labels.count("car.wheel") >= 2
    assert "car.door" in labels, "boxes are fused, only counts are voted on"


def test_a_part_that_nobody_looks_for_has_no_count(tmp_path: Path, once: list[wire.Row]) -> None:
    only = named("only", write(tmp_path / "only.onnx", CAR, PARTS))
    (row,) = score(profile([only]), [a_car(once).image_id])
    counts = row.pcmde.counts
    assert row.pcmde.status != "error"
    assert (counts["wheel"], counts["door"], counts["bonnet"]) == (2, 0, 1)
    assert counts["mirror"] is None
    assert counts["roof"] is None


# The stage alone

Part = tuple[str, tuple[float, float, float, float], float]
WHEEL, NEAR, FAR = (0.0, 0.0, 10.0, 10.0), (0.0, 0.0, 10.0, 9.0), (50.0, 0.0, 60.0, 10.0)


def seen(classes: tuple[str, ...], parts: list[Part]) -> Detections:
    """One image of a car."""
    one = (
        np.array([p[1] for p in parts], np.float32).reshape(-1, 4),
        np.array([p[2] for p in parts], np.float32),
        np.array([classes.index(p[0]) for p in parts], np.int64),
    )
    domain = np.array([[0.9, 0.1]], np.float32)
    return Detections(pack([one]), classes, ("car",), domain, unknown_view(1))


def fused(
    method: Method, several: list[Detections], weight: float = 1.0, reliability: float = 0.5
) -> Fused:
    """With the second one's trust."""
    detectors = [
        DetectorSettings(name="a", model=""),
        DetectorSettings(name="b", model="", weight=weight, reliability=reliability),
    ]
    return fuse(merge(several), FuseSettings(method=method), "car", detectors)


TWO = ("car.wheel", "car.roof")
A = seen(TWO, [("car.wheel", WHEEL, 0.9), ("car.wheel", NEAR, 0.8), ("car.wheel", FAR, 0.6)])
B = seen(("car.wheel",), [("car.wheel", NEAR, 0.7)])


def test_boxes_of_one_thing_become_one() -> None:
    by_nms = fused("nms", [A, B])
    assert by_nms.boxes.xyxy.tolist() == [list(WHEEL), list(FAR)]
    assert by_nms.boxes.source.tolist() == [0, 0]
    by_wbf = fused("wbf", [A, B])
    # A's own duplicate is gone before: the mean of 10 (0.9) and 9 (0.7).
    assert by_wbf.boxes.xyxy[0].tolist() == pytest.approx([0, 0, 10, 15.3 / 1.6])
    assert by_wbf.boxes.source.tolist() == [-1, 0]
    assert by_wbf.boxes.score.tolist() == pytest.approx([0.8, 0.3])
    # Only A looks for a roof: nobody's absence lowers its score.
    roofed = seen(TWO, [("car.roof", WHEEL, 0.8)])
    assert fused("wbf", [roofed, B]).boxes.score.tolist() == pytest.approx([0.8, 0.35])
    assert by_wbf.clear.all(), "0.3 is what is left of 0.6: the threshold was for that"
    heavy = fused("nms", [A, B], weight=2.0)
    assert heavy.boxes.xyxy.tolist() == [list(FAR), list(NEAR)]


@pytest.mark.parametrize(
    ("reliability", "roofs"), [(0.5, 1.0), (0.65, 1.0), (0.7, 0.0)], ids=["less", "tie", "more"]
)
def test_a_detector_that_saw_none_votes_with_its_reliability(
    reliability: float, roofs: float
) -> None:
    roof = seen(TWO, [("car.roof", WHEEL, 0.65)])
    assert fused("wbf", [roof, seen(TWO, [])], reliability=reliability).counts.tolist() == [
        [0, roofs]
    ]


@pytest.mark.parametrize("method", ["nms", "wbf"])
def test_counts_are_of_whoever_looks(method: Method) -> None:
    assert fused(method, [A, B]).counts.tolist() == [[2, 0]]
    assert fused(method, [A, B], weight=3.0).counts.tolist() == [[1, 0]]
    roofed = seen(TWO, [("car.roof", WHEEL, 0.8)])
    assert fused(method, [roofed, B], reliability=1.0).counts.tolist() == [[1, 1]], (
        "B knows no roof"
    )


def test_settings_of_the_wrong_number_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 detectors, got 1"):
        fuse(merge([A, B]), FuseSettings(), "car", [DetectorSettings(name="a", model="")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[fuse]\nmethod = "soft"', "'soft'"),
        ('[[detectors]]\nname = "a"\nmodel = "a"\nweight = 0', "weight"),
        ('[[detectors]]\nname = "a"\nmodel = "a"\nweight = inf', "weight"),
        ('[[detectors]]\nname = "a"\nmodel = "a"\nweight = nan', "weight"),
        ('[[detectors]]\nname = "a"\nmodel = "a"\nreliability = 1.5', "reliability"),
        ("".join(f'[[detectors]]\nname = "{k}"\nmodel = "a"\n' for k in range(65)), "at most 64, got 65"),
    ],
)  # fmt: skip
def test_settings_out_of_range(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'name = "p"\n{text}', encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_profile(str(path))
