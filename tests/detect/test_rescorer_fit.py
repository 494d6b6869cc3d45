"""Fitting a rescorer: which candidates are right, and a file that says what the trees say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from physgauge.config import DetectorSettings
from physgauge.ensemble.detect import OnnxDetector
from physgauge.ensemble.rescore import feature_names
from physgauge.errors import ConfigError
from physgauge.train.part_rescorer import fit
from physgauge.train.part_rescorer.data import Candidates, candidates, matched

from .onnx_files import answers, write

BOAT = ("boat.hull", "boat.mast")


def test_each_part_is_taken_once_by_the_surest() -> None:
    part = np.array([[0, 0, 10, 10], [20, 0, 30, 10]], float)
    found = np.array([[0, 0, 10, 9], [0, 0, 10, 10], [20, 0, 30, 3], [20, 0, 30, 9]], float)
    score = np.array([0.9, 0.8, 0.7, 0.6], np.float32)
    label = np.array([0, 0, 1, 1], np.int16)
    assert matched(found, score, label, part, np.array([0, 1])).tolist() == [
        True, False, False, True,
    ]  # fmt: skip
    assert not matched(found, score, label, part, np.array([1, 0])).any()
    assert not matched(found, score, label, part[:0], np.zeros(0, np.int64)).any()


def synthetic(count: int) -> Candidates:
    """Right where the logit is high, unless a surer box of the class covers it."""
    rng = np.random.default_rng(3)
    names = feature_names(BOAT)
    table = np.zeros((count, len(names)), np.float32)
    logit, covered = rng.normal(0, 2, count), rng.random(count) * (rng.random(count) < 0.4)
    table[:, names.index("logit")], table[:, names.index("own_covered")] = logit, covered
    right = rng.random(count) < 1 / (1 + np.exp(-logit)) * (covered < 0.5)
    score = (1 / (1 + np.exp(-logit))).astype(np.float32)
    return Candidates(table, right, score, np.arange(count, dtype=np.int64))


def test_the_file_says_what_the_trees_say_row_by_row(tmp_path: Path) -> None:
    found = synthetic(3000)
    rows = found.image < 2000
    model = fit.trees(found, rows, count=40, seed=1)
    p = model.predict_proba(found.features)[:, 1]
    before = fit.log_loss(found.score[~rows].astype(float), found.right[~rows])
    assert fit.log_loss(p[~rows], found.right[~rows]) < 0.9 * before

    path = write(tmp_path / "boats.onnx", answers([[0, 0, 9, 9]], [0.9], [0]), list(BOAT))
    settings = DetectorSettings(name="boats", model="boats.onnx")
    fit.export(model, OnnxDetector(path, settings, 1), tmp_path / "r.onnx", {"trees": 40})
    detector = OnnxDetector(path, settings, 1, tmp_path / "r.onnx")
    assert detector.rescorer is not None
    got = detector.rescorer.score(found.features[:300])
    np.testing.assert_allclose(got, p[:300], atol=2e-6)
    alone = np.concatenate([detector.rescorer.score(found.features[i : i + 1]) for i in range(300)])
    np.testing.assert_array_equal(alone, got)

    other = write(tmp_path / "other.onnx", answers([[0, 0, 9, 8]], [0.9], [0]), list(BOAT))
    with pytest.raises(ConfigError, match="expected one fitted on this detector"):
        OnnxDetector(other, settings, 1, tmp_path / "r.onnx")


def test_another_detector_s_classes_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "boats.onnx", answers([[0, 0, 9, 9]], [0.9], [0]), list(BOAT))
    detector = OnnxDetector(path, DetectorSettings(name="boats", model="x"), 1)
    with pytest.raises(ConfigError, match="expected the classes"):
        candidates(detector, [])
