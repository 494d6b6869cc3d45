"""A domain that physgauge has never heard of: a rule pack, a type specification, an ONNX detector, and a
profile that names the three. No line of code.

The detector is made here and keeps the contract of docs/detector.md. It sees a bicycle of two wheels in
a dark picture and a third wheel in a bright one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from physgauge import wire
from physgauge.clients.runs import read_run

RUN = (sys.executable, "-c", "from physgauge.cli.main import main; main()")
SIZE = 64
PARTS = (
    ("wheel", 4, 34, 24, 54), ("wheel", 40, 34, 60, 54), ("saddle", 18, 12, 28, 17),
    ("handlebar", 42, 8, 54, 16), ("frame", 12, 16, 50, 46), ("wheel", 22, 34, 42, 54),
)  # fmt: skip
"""In px of the detector's input; the last one's score is the picture's brightness."""
CLASSES = ["bicycle.wheel", "bicycle.saddle", "bicycle.handlebar", "bicycle.frame"]

PACK = """
name = "bicycle"
version = 1
domain = "bicycle"
components = ["wheel", "saddle", "handlebar", "frame"]
tags = ["captioned", "two_wheels"]
weights = { presence = 0.35, spatial = 0.25, relational = 0.25, caption = 0.15 }

[aliases]
whole = "union(wheel, saddle, handlebar, frame)"

[evidence]
components = 2
boxes = 2
any_of = ["wheel"]

[[presence]]
id = "P1"
says = "the wheels that the type has"
rule = "expected(wheel)"

[[presence]]
id = "P2"
says = "one saddle and one handlebar"
rule = "count(saddle) == 1 and count(handlebar) == 1"

[[spatial]]
id = "S1"
says = "wheels are below the saddle"
rule = "all(wheel, cy(wheel) > cy(saddle))"

[[spatial]]
id = "S2"
says = "no wheel of a two-wheeler overlaps another"
rule = "tag(two_wheels) implies all(wheel as a, all(wheel as b, a == b or gap(a, b) > 2% * diagonal(whole)))"

[[relational]]
id = "R1"
says = "every wheel is at the frame"
rule = "all(wheel, gap(wheel, frame) <= 5% * diagonal(whole))"

[[caption]]
id = "C1"
says = "the parts that the caption names"
rule = "tag(captioned) implies (not named(wheel) or expected(wheel))"
"""

SPECIFICATION = """
domain = "bicycle"
names = ["bicycle", "bike", "cycle"]
tags = ["two_wheels"]
default_reference = "frame"

[components.wheel]
names = ["tyre"]
adjectives = ["wheeled"]
salience = 0.9

[components.saddle]
names = ["seat"]

[components.handlebar]
names = ["handle"]

[components.frame]
names = []

[counts]
wheel = 2
saddle = 1
handlebar = 1
frame = 1

[[types]]
id = "city_bike"
names = ["city bike"]
tags = ["two_wheels"]
source = "two wheels in line, as in ISO 4210-1"

[[types]]
id = "tricycle"
names = ["tricycle", "trike"]
counts = { wheel = 3 }
common = false
source = "three wheels, as the name says"
"""

PROFILE = """
name = "bikes"

[[detectors]]
name = "bikes"
model = "bikes.onnx"

[packs]
bicycle = "bicycle.toml"

[specifications]
bicycle = "bike_types.toml"
"""


def write_detector(path: Path) -> None:
    """boxes and labels are fixed; scores are 0.9, the last one the mean brightness 0..1."""
    count = len(PARTS)
    fixed: dict[str, np.ndarray[Any, Any]] = {
        "boxes_one": np.array([[p[1:] for p in PARTS]], np.float32),
        "labels_one": np.array([[CLASSES.index(f"bicycle.{p[0]}") for p in PARTS]], np.int64),
        "zero": np.array([0], np.int64),
        "ones2": np.ones(2, np.int64),
        "ones1": np.ones(1, np.int64),
        "column": np.array([-1, 1], np.int64),
        "gain": np.array([[0] * (count - 1) + [1 / 255]], np.float32),
        "base": np.array([[0.9] * (count - 1) + [0]], np.float32),
    }
    node = helper.make_node
    nodes = [
        node("Shape", ["images"], ["shape"]),
        node("Gather", ["shape", "zero"], ["batch"], axis=0),
        node("Concat", ["batch", "ones2"], ["times3"], axis=0),
        node("Concat", ["batch", "ones1"], ["times2"], axis=0),
        node("Tile", ["boxes_one", "times3"], ["boxes"]),
        node("Tile", ["labels_one", "times2"], ["labels"]),
        node("Cast", ["images"], ["real"], to=TensorProto.FLOAT),
        node("ReduceMean", ["real"], ["mean"], axes=[1, 2, 3], keepdims=0),
        node("Reshape", ["mean", "column"], ["bright"]),
        node("MatMul", ["bright", "gain"], ["raised"]),
        node("Add", ["raised", "base"], ["scores"]),
    ]
    shape: list[str | int | None] = ["batch", SIZE, SIZE, 3]
    outputs: tuple[tuple[str, Any, list[str | int | None]], ...] = (
        ("boxes", TensorProto.FLOAT, ["batch", count, 4]),
        ("scores", TensorProto.FLOAT, ["batch", count]),
        ("labels", TensorProto.INT64, ["batch", count]),
    )
    graph = helper.make_graph(
        nodes, "bikes", [helper.make_tensor_value_info("images", TensorProto.UINT8, shape)],
        [helper.make_tensor_value_info(*output) for output in outputs],
        [numpy_helper.from_array(value, name) for name, value in fixed.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"classes": json.dumps(CLASSES), "name": "bikes", "version": "1"})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def physgauge(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, *arguments], capture_output=True, text=True, timeout=600, check=False, cwd=folder
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bikes")
    (folder / "bicycle.toml").write_text(PACK, encoding="utf-8")
    (folder / "bike_types.toml").write_text(SPECIFICATION, encoding="utf-8")
    (folder / "bikes.toml").write_text(PROFILE, encoding="utf-8")
    write_detector(folder / "bikes.onnx")
    (folder / "pictures").mkdir()
    for name, grey in (("dark", 40), ("bright", 230), ("trike", 230)):
        picture = np.full((2 * SIZE, 2 * SIZE, 3), grey, np.uint8)
        Image.fromarray(picture).save(folder / f"pictures/{name}.png")
    captions = {"dark.png": "a bike with two wheels", "bright.png": "a bike with two wheels",
                "trike.png": "a red tricycle"}  # fmt: skip
    (folder / "captions.json").write_text(json.dumps(captions), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, wire.Row]:
    done = physgauge(
        folder, "score", "pictures", "--profile", "bikes.toml", "--captions", "captions.json",
        "-o", "out", "--workers", "1", "--threads", "1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "bicycle" in done.stdout
    return {Path(row.image_id).stem: row for row in read_run(folder / "out")}


def broken(row: wire.Row) -> list[str]:
    return [rule.id for rule in row.pcmde.rules if rule.status == "violated"]


def test_the_new_domain_is_judged(rows: dict[str, wire.Row]) -> None:
    dark = rows["dark"]
    assert dark.error is None
    assert (dark.pcmde.status, dark.pcmde.domain, dark.pcmde.verdict) == ("ok", "bicycle", "PASS")
    assert dark.pcmde.s_rules == 100
    assert dark.pcmde.counts["wheel"] == 2
    assert {rule.status for rule in dark.pcmde.rules} == {"satisfied"}
    assert dark.provenance.pack == "bicycle"
    # The detector's px are those of its 64 px square; the row's are the picture's 128.
    wheels = [d.box for d in dark.detections if d.label == "bicycle.wheel"]
    assert sorted(wheels) == [[8, 68, 48, 108], [80, 68, 120, 108]]


def test_a_third_wheel_is_wrong_on_a_bicycle(rows: dict[str, wire.Row]) -> None:
    bright = rows["bright"]
    assert bright.pcmde.counts["wheel"] == 3
    assert broken(bright) == ["P1", "S2", "C1"]
    assert bright.pcmde.s_final is not None
    assert rows["dark"].pcmde.s_final is not None
    assert bright.pcmde.s_final < rows["dark"].pcmde.s_final
    says = " ".join(bright.pcmde.diagnostics.specification)
    assert bright.pcmde.verdict == "PASS" or "wheel" in says


def test_and_right_on_a_tricycle(rows: dict[str, wire.Row]) -> None:
    trike = rows["trike"]
    assert trike.pcmde.subtype == "tricycle"
    assert trike.pcmde.counts["wheel"] == 3
    assert broken(trike) == []
    assert {r.id: r.status for r in trike.pcmde.rules}["S2"] == "not_applicable"
    assert trike.pcmde.verdict == "PASS"


def test_its_rules_are_checked_and_explained(folder: Path, rows: dict[str, wire.Row]) -> None:
    assert rows
    done = physgauge(folder, "rules", "check", "bicycle.toml")
    assert done.stdout == "bicycle.toml: a good pack: bicycle, domain bicycle, 6 rules\n"
    done = physgauge(folder, "rules", "explain", "out", "bright", "--draw", "why.png")
    assert done.returncode == 0, done.stderr
    assert "FAIL  S2   no wheel of a two-wheeler overlaps another" in done.stdout
    assert "bicycle.wheel at x 44.0 to 84.0, y 68.0 to 108.0 px" in done.stdout
    assert (folder / "why.png").is_file()


def test_boxes_from_elsewhere_are_judged_too(folder: Path) -> None:
    boxes = [{"label": c, "box": list(box)} for c, *box in PARTS[:5]]
    record = {"image_id": "a", "width": 64, "height": 64, "domain": "bicycle", "boxes": boxes}
    (folder / "boxes.json").write_text(json.dumps([record]), encoding="utf-8")
    done = physgauge(folder, "score-boxes", "boxes.json", "--profile", "bikes.toml", "--json")
    assert done.returncode == 0, done.stderr
    row = wire.from_json(done.stdout.encode())
    assert (row.pcmde.domain, row.pcmde.verdict) == ("bicycle", "PASS")
