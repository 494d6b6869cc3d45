"""What a user's ONNX detector may look like, and what is said when it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from physgauge.config import DetectorSettings
from physgauge.ensemble.detect import OnnxDetector
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.types import VIEWS

from .onnx_files import answers, write

BOAT = ["boat.hull", "boat.mast"]
GOOD = answers([[4, 8, 12, 16], [0, 0, 32, 32], [5, 5, 5, 9]], [0.9, 0.4, 0.8], [1, 0, 0])
SETTINGS = DetectorSettings(name="boats", model="boats.onnx")
IMAGE = np.zeros((64, 64, 3), np.uint8)


def load(path: Path, **settings: Any) -> OnnxDetector:
    return OnnxDetector(path, DetectorSettings(name="boats", model="x", **settings), threads=1)


def test_boxes_come_back_in_px_of_the_image_best_first_without_empty_ones(tmp_path: Path) -> None:
    detector = load(write(tmp_path / "boats.onnx", GOOD, BOAT))
    wide = np.zeros((32, 64, 3), np.uint8)  # fills rows 8..24 of the square
    d = detector.detect([IMAGE, wide], min_score=0.3)
    assert d.classes == ("boat.hull", "boat.mast")
    assert d.boxes.offsets.tolist() == [0, 2, 4]
    assert d.boxes.xyxy[0].tolist() == [8, 16, 24, 32]
    assert d.boxes.xyxy[2].tolist() == [8, 0, 24, 16]
    assert d.boxes.xyxy[3].tolist() == [0, 0, 64, 32], "clipped to the image"
    assert d.boxes.score.tolist() == pytest.approx([0.9, 0.4, 0.9, 0.4])
    assert d.boxes.label.tolist() == [1, 0, 1, 0]


def test_the_profile_s_threshold_holds(tmp_path: Path) -> None:
    path = write(tmp_path / "boats.onnx", GOOD, BOAT)
    assert len(load(path).detect([IMAGE]).boxes.score) == 1
    assert len(load(path, min_score=0.95).detect([IMAGE]).boxes.score) == 0


def test_no_images(tmp_path: Path) -> None:
    d = load(write(tmp_path / "boats.onnx", GOOD, BOAT)).detect([])
    assert len(d.boxes) == 0
    assert d.domain_p.shape == (0, 2)
    assert d.view_p.shape == (0, len(VIEWS))


def test_without_heads_one_domain_is_taken_where_parts_are_seen_and_the_view_is_unknown(
    tmp_path: Path,
) -> None:
    detector = load(write(tmp_path / "boats.onnx", GOOD, BOAT))
    assert detector.detect([IMAGE]).domain_p[0].tolist() == pytest.approx([0.9, 0.1])
    assert detector.detect([IMAGE], min_score=0.99).domain_p[0].tolist() == [0, 1]
    assert detector.detect([IMAGE]).view_p[0].tolist() == [1, 0, 0, 0, 0, 0]


def test_without_a_domain_head_two_domains_are_never_guessed(tmp_path: Path) -> None:
    detector = load(write(tmp_path / "both.onnx", GOOD, ["boat.hull", "train.wheel"]))
    assert detector.detect([IMAGE]).domain_p[0].tolist() == [0, 0, 1]


def test_heads_are_used(tmp_path: Path) -> None:
    heads = {"domain": np.array([0.7, 0.3], np.float32), "view": np.eye(6, dtype=np.float32)[1]}
    meta = {
        "classes": json.dumps(BOAT),
        "domains": '["boat"]',
        "views": json.dumps(VIEWS),
        "name": "Boats",
        "version": "3",
    }
    detector = load(write(tmp_path / "boats.onnx", {**GOOD, **heads}, BOAT, metadata=meta))
    d = detector.detect([IMAGE, IMAGE])
    assert d.domain_p[1].tolist() == pytest.approx([0.7, 0.3])
    assert d.view_p[1].argmax() == 1
    assert (detector.contract.name, detector.contract.version) == ("Boats", "3")
    assert len(detector.sha256) == 64


def test_a_missing_file_is_the_environment_s_problem(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"boats.*cannot be read \(No such file"):
        load(tmp_path / "none.onnx")


@pytest.mark.parametrize("data", [b"", b"not a model", bytes(2000)])
def test_not_an_onnx_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.onnx"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match="expected an ONNX model") as caught:
        load(path)
    assert "0x" not in str(caught.value)


def test_an_unknown_provider(tmp_path: Path) -> None:
    path = write(tmp_path / "boats.onnx", GOOD, BOAT)
    with pytest.raises(EnvironmentProblem, match=r"providers: expected some of .*'NopeProvider'"):
        load(path, providers=["NopeProvider"])


META = {"classes": json.dumps(BOAT)}
BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "input type": ({"images_type": TensorProto.FLOAT}, r"inputs: expected images tensor\(uint8\)"),
    "input layout": ({"images_shape": ["batch", 3, 32, 32]}, "inputs: expected"),
    "fixed batch": ({"images_shape": [1, 32, 32, 3]}, "inputs: expected"),
    "odd size": ({"images_shape": ["batch", 33, 33, 3]}, "even S"),
    "missing output": ({"outputs": {k: GOOD[k] for k in ("boxes", "scores")}}, "outputs: expected boxes, scores, labels"),
    "output type": ({"outputs": {**GOOD, "scores": GOOD["scores"].astype(np.float64)}}, r"'scores': expected tensor\(float\)"),
    "no metadata": ({"metadata": {}}, "metadata: expected 'classes'"),
    "not JSON": ({"metadata": {"classes": "boat.hull"}}, "expected a JSON list of different names"),
    "same name twice": ({"metadata": {"classes": '["a.b", "a.b"]'}}, "different names"),
    "class form": ({"metadata": {"classes": '["hull", "boat.mast"]'}}, "expected 'domain.component', got 'hull'"),
    "domain list": (
        {"outputs": {**GOOD, "domain": np.array([0.5, 0.5], np.float32)}, "metadata": {**META, "domains": '["ship"]'}},
        r"'domains': expected those of the classes, \['boat'\], got \['ship'\]",
    ),
    "view list": (
        {"outputs": {**GOOD, "view": np.zeros(6, np.float32)}, "metadata": {**META, "views": '["side"]'}},
        "'views': expected",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_breaks_the_contract_is_refused_when_loaded(tmp_path: Path, case: str) -> None:
    change, message = BROKEN[case]
    path = write(tmp_path / "bad.onnx", **{"outputs": GOOD, "classes": BOAT, **change})
    with pytest.raises(ConfigError, match=message) as caught:
        load(path)
    assert "detector 'boats' (bad.onnx)" in str(caught.value)


NAN = float("nan")
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "NaN score": (answers([[0, 0, 9, 9]], [NAN], [0]), "scores: expected finite numbers, got NaN"),
    "NaN box": (answers([[0, NAN, 9, 9]], [0.9], [0]), "boxes: expected finite numbers"),
    "score over 1": (answers([[0, 0, 9, 9]], [1.5], [0]), r"scores: expected 0\.\.1, got 1\.5"),
    "label": (answers([[0, 0, 9, 9]], [0.9], [2]), r"labels: expected 0\.\.1, got 2\.\.2"),
    "counts": (
        {**GOOD, "labels": np.array([0], np.int64)},
        r"labels: expected shape \(1, 3\), got \(1, 1\)",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_stops_the_run(tmp_path: Path, case: str) -> None:
    outputs, message = WRONG[case]
    detector = load(write(tmp_path / "bad.onnx", outputs, BOAT))
    with pytest.raises(ConfigError, match=message):
        detector.detect([IMAGE])
