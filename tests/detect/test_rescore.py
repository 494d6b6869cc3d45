"""Rescoring in context: the features, the file's contract, and the way from candidates to kept boxes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from physgauge.config import DetectorSettings
from physgauge.ensemble.detect import OnnxDetector
from physgauge.ensemble.detector_contract import Contract
from physgauge.ensemble.rescore import batch_features, feature_names
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.types import VIEWS, Boxes

from .onnx_files import answers, write

CLASSES = ("boat.hull", "boat.mast", "car.wheel")
CONTRACT = Contract("x", "1", CLASSES, ("boat", "car"), 32, True, True)
IMAGE = np.zeros((64, 64, 3), np.uint8)
Box = tuple[int, float, float, float, float, float]


def packed(*images: list[Box]) -> Boxes:
    every = [box for image in images for box in image]
    return Boxes(
        np.array([b[2:] for b in every], np.float32).reshape(-1, 4),
        np.array([b[1] for b in every], np.float32),
        np.array([b[0] for b in every], np.int16),
        np.zeros(len(every), np.int8),
        np.cumsum([0, *map(len, images)]).astype(np.int64),
    )


def table(*images: list[Box], width: float = 100, height: float = 80) -> np.ndarray:
    n = len(images)
    domain = np.tile(np.array([[0.7, 0.2, 0.1]], np.float32), (n, 1))
    view = np.tile(np.eye(len(VIEWS), dtype=np.float32)[1], (n, 1))
    size = np.tile(np.array([[width, height]], np.float32), (n, 1))
    return batch_features(packed(*images), CONTRACT, domain, view, size)


def column(name: str) -> int:
    return feature_names(CLASSES).index(name)


def test_by_hand() -> None:
    hull: Box = (0, 0.9, 10, 40, 50, 70)
    half: Box = (0, 0.6, 10, 40, 30, 70)  # the left half of the hull
    wheel: Box = (2, 0.2, 50, 40, 70, 70)
    row = dict(zip(feature_names(CLASSES), table([hull, half, wheel])[1].tolist(), strict=True))
    expected = {
        "logit": np.log(1.5), "own_iou": 0.45, "own_covered": 0.9, "own_covers": 0.45,
        "other_iou": 0, "own_others": 0.9, "own_surer": 0.9, "own_surer_count": 1,
        "domain_p": 0.7, "none_p": 0.1, "best_domain": 1,
        # The hull of the sure ones is 40 x 30: 50 px; the image's longest side is 100.
        "log_width": np.log(0.4 + 1e-3), "log_height": np.log(0.6 + 1e-3), "aside": 0.2, "below": 0,
        "border": 0.1, "log_side": np.log(0.2), "log_subject": np.log(0.5), "subject_parts": 2,
        "is boat.hull": 1, "is boat.mast": 0, "shares with boat.hull": 0, "shares with car.wheel": 0,
        "number of boat.hull": 0.9, "number of boat.mast": 0, "number of car.wheel": 0.2,
        "view side": 1, "view front": 0,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=6e-4)


def test_a_box_of_another_class() -> None:
    hull: Box = (0, 0.9, 0, 0, 40, 40)
    mast: Box = (1, 0.4, 0, 0, 20, 20)
    row = table([hull, mast])[1]
    assert row[column("other_covered")] == pytest.approx(0.9)
    assert row[column("shares with boat.hull")] == pytest.approx(0.9 / 4)
    assert row[column("own_iou")] == 0


def test_of_equal_ones_none_is_surer() -> None:
    hull: Box = (0, 0.9, 0, 0, 40, 40)
    rows = table([hull, (0, 0.9, 0, 0, 40, 20), (1, 0.9, 0, 0, 20, 40)])
    for name in ("own_iou", "other_iou", "own_surer", "own_surer_count"):
        assert not rows[:, column(name)].any(), name
    assert rows[0, column("own_others")] == pytest.approx(0.9)


def test_the_subject_is_what_the_sure_ones_span() -> None:
    """Two sure ones of the likeliest domain; or all sure ones; or, where nothing is sure, everything."""
    hull: Box = (0, 0.9, 10, 10, 40, 50)
    mast: Box = (1, 0.8, 40, 10, 70, 20)
    wheel: Box = (2, 0.8, 70, 10, 90, 50)
    faint: Box = (0, 0.4, 0, 0, 100, 80)
    for image, width, height, parts in (
        ([hull, mast, wheel, faint], 60, 40, 2),
        ([hull, wheel, faint], 80, 40, 2),
        ([faint, (1, 0.3, 0, 0, 5, 5)], 100, 80, 2),
    ):
        row = table(image)[0]
        assert row[column("log_subject")] == pytest.approx(
            np.log(np.hypot(width, height) / 100), abs=6e-4
        )
        assert row[column("subject_parts")] == parts


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x0, y0 = draw(st.integers(0, 90)), draw(st.integers(0, 70))
    w, h = draw(st.integers(1, 100 - x0)), draw(st.integers(1, 80 - y0))
    score = draw(st.integers(30, 1000)) / 1000
    return (draw(st.integers(0, 2)), score, x0, y0, x0 + w, y0 + h)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(boxes(), max_size=6), min_size=1, max_size=3))
def test_alone_mirrored_enlarged_or_in_another_order(images: list[list[Box]]) -> None:
    whole = table(*images)
    assert np.isfinite(whole).all()
    np.testing.assert_array_equal(whole, np.concatenate([table(image) for image in images]))
    first = images[0]
    mirrored: list[Box] = [(c, s, 100 - x1, y0, 100 - x0, y1) for c, s, x0, y0, x1, y1 in first]
    np.testing.assert_allclose(table(first), table(mirrored), atol=1.1e-3)
    doubled: list[Box] = [(c, s, 2 * x0, 2 * y0, 2 * x1, 2 * y1) for c, s, x0, y0, x1, y1 in first]
    np.testing.assert_allclose(table(first), table(doubled, width=200, height=160), atol=1.1e-3)
    np.testing.assert_allclose(table(first)[::-1], table(first[::-1]), atol=1.1e-3)


BOAT = ["boat.hull", "boat.mast"]


def write_rescorer(
    path: Path, weight: dict[str, float], classes: list[str] = BOAT, bias: float = 0.0, **props: Any
) -> Path:
    """score = sigmoid(bias + weights . features)."""
    names = feature_names(classes)
    w = np.array([[weight.get(name, 0.0)] for name in names], np.float32)
    constants = [
        numpy_helper.from_array(w, "w"),
        numpy_helper.from_array(np.array([bias], np.float32), "b"),
        numpy_helper.from_array(np.array([-1], np.int64), "flat"),
    ]
    nodes = [
        helper.make_node("MatMul", ["features", "w"], ["product"]),
        helper.make_node("Add", ["product", "b"], ["sum"]),
        helper.make_node("Sigmoid", ["sum"], ["p"]),
        helper.make_node("Reshape", ["p", "flat"], ["score"]),
    ]
    graph = helper.make_graph(
        nodes, "linear",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", len(names)])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, ["batch"])], constants,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    meta = {"classes": json.dumps(classes), "features": json.dumps(list(names))} | props
    helper.set_model_props(model, meta)
    onnx.save(model, str(path))
    return path


GOOD = answers(
    [[4, 8, 12, 16], [0, 0, 32, 32], [4, 8, 12, 15], [20, 20, 30, 30]], [0.9, 0.4, 0.8, 0.02],
    [1, 0, 1, 0],
)  # fmt: skip


def detector(tmp_path: Path, rescorer: Path | None, **settings: Any) -> OnnxDetector:
    path = write(tmp_path / "boats.onnx", GOOD, BOAT)
    given = DetectorSettings(name="boats", model="boats.onnx", **settings)
    return OnnxDetector(path, given, 1, rescorer)


def test_new_scores_decide(tmp_path: Path) -> None:
    """The mast loses its double and its place; the faint hull wins; what is no candidate is gone."""
    rescorer = write_rescorer(tmp_path / "r.onnx", {"is boat.hull": 3.0, "is boat.mast": -0.2})
    plain = detector(tmp_path, None).detect([IMAGE])
    assert plain.boxes.label.tolist() == [1, 1]
    found = detector(tmp_path, rescorer).detect([IMAGE, IMAGE])
    assert found.boxes.label.tolist() == [0, 0]
    assert found.boxes.score.tolist() == pytest.approx([0.9526] * 2)
    every = detector(tmp_path, rescorer).detect([IMAGE], min_score=0.0)
    assert every.boxes.label.tolist() == [0, 1]
    assert every.boxes.score.tolist() == pytest.approx([0.9526, 0.4502])


def test_lengths_are_of_each_image_s_own_sides(tmp_path: Path) -> None:
    """Width and height, and the longest side, of the image itself, whatever else is in the batch."""
    rescorer = write_rescorer(tmp_path / "r.onnx", {"border": 9.0, "log_side": 0.5})
    wide, high, small = (np.zeros((h, w, 3), np.uint8) for h, w in ((32, 64), (128, 64), (32, 32)))
    it = detector(tmp_path, rescorer)
    together = it.detect([wide, high, small], min_score=0.0).boxes
    for i, (width, height) in enumerate(((64, 32), (64, 128), (32, 32))):
        alone = it.detect([[wide, high, small][i]], min_score=0.0).boxes
        assert together.score[together.of(i)].tolist() == alone.score.tolist()
        for (x0, y0, x1, y1), score in zip(alone.xyxy.tolist(), alone.score, strict=True):
            longest = max(width, height)
            border = min(x0, y0, width - x1, height - y1) / longest
            side = np.log(min(x1 - x0, y1 - y0) / longest)
            assert score == pytest.approx(1 / (1 + np.exp(-9 * border - side / 2)), abs=1e-3)


def test_no_images_and_no_candidates(tmp_path: Path) -> None:
    rescorer = write_rescorer(tmp_path / "r.onnx", {})
    assert len(detector(tmp_path, rescorer).detect([]).boxes) == 0
    path = write(tmp_path / "none.onnx", answers([[0, 0, 9, 9]], [0.0], [0]), BOAT)
    none = OnnxDetector(path, DetectorSettings(name="boats", model="x"), 1, rescorer)
    assert len(none.detect([IMAGE]).boxes.score) == 0


def test_what_does_not_belong_to_the_detector_is_refused(tmp_path: Path) -> None:
    other = write_rescorer(tmp_path / "classes.onnx", {}, ["boat.hull", "boat.sail"])
    with pytest.raises(
        ConfigError, match=r"rescorer classes\.onnx: metadata 'classes': .* with 'boat.sail'"
    ):
        detector(tmp_path, other)
    more = write_rescorer(tmp_path / "width.onnx", {}, [*BOAT, "boat.sail"])
    with pytest.raises(ConfigError, match=r"inputs: expected features tensor\(float\)"):
        detector(tmp_path, more)
    names = json.dumps([f"f{i}" for i in range(len(feature_names(BOAT)))])
    odd = write_rescorer(tmp_path / "features.onnx", {}, features=names)
    with pytest.raises(ConfigError, match="metadata 'features'"):
        detector(tmp_path, odd)
    renamed = onnx.load(str(write_rescorer(tmp_path / "r.onnx", {})))
    renamed.graph.node[-1].output[0] = renamed.graph.output[0].name = "p2"
    onnx.save(renamed, str(tmp_path / "renamed.onnx"))
    with pytest.raises(ConfigError, match="outputs: expected score"):
        detector(tmp_path, tmp_path / "renamed.onnx")
    one = onnx.load(str(write_rescorer(tmp_path / "r.onnx", {})))
    one.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(one, str(tmp_path / "one.onnx"))
    with pytest.raises(ConfigError, match=r"inputs: expected features .*got .*\[1, "):
        detector(tmp_path, tmp_path / "one.onnx")
    with pytest.raises(EnvironmentProblem, match="cannot be read"):
        detector(tmp_path, tmp_path / "missing.onnx")


def test_a_score_that_is_none_stops_the_run(tmp_path: Path) -> None:
    bad = detector(tmp_path, write_rescorer(tmp_path / "r.onnx", {"logit": float("nan")}))
    with pytest.raises(
        ConfigError, match=r"score: expected \[2\] numbers in 0\.\.1, got \[2\] in nan"
    ):
        bad.detect([IMAGE])


def test_fainter_boxes_than_candidates_cannot_be_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"min_score: expected at least 0\.03 with a rescorer"):
        detector(tmp_path, write_rescorer(tmp_path / "r.onnx", {}), min_score=0.02)
