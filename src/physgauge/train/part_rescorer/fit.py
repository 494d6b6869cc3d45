"""Gradient-boosted trees over candidates' features, and their ONNX file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType
from sklearn.ensemble import HistGradientBoostingClassifier

from physgauge.ensemble.detect import OnnxDetector
from physgauge.ensemble.rescore import feature_names
from physgauge.train.part_rescorer.data import Candidates
from physgauge.types import F64, Bools

OPSETS = {"": 17, "ai.onnx.ml": 3}


def trees(
    found: Candidates, rows: Bools, *, count: int, seed: int
) -> HistGradientBoostingClassifier:
    """Fit on some of the candidates."""
    never: Any = False  # its stub knows "auto" only
    return HistGradientBoostingClassifier(
        max_iter=count, learning_rate=0.06, max_leaf_nodes=16, l2_regularization=2.0,
        min_samples_leaf=30, early_stopping=never, random_state=seed,
    ).fit(found.features[rows], found.right[rows])  # fmt: skip


def log_loss(p: F64, right: Bools) -> float:
    """Mean negative log likelihood, natural logarithm; p is kept 1e-4 from 0 and 1."""
    p = np.clip(p, 1e-4, 1 - 1e-4)
    return float(-np.log(np.where(right, p, 1 - p)).mean())


def export(
    model: HistGradientBoostingClassifier, detector: OnnxDetector, path: Path, facts: Mapping[str, Any]
) -> None:  # fmt: skip
    """Write what docs/detector.md asks of a rescorer: features f32[N, F] to score f32[N]."""
    classes = detector.contract.classes
    names = feature_names(classes)
    inputs: Any = [("features", FloatTensorType([None, len(names)]))]
    made: Any = to_onnx(
        model, initial_types=inputs,
        options={"zipmap": False}, target_opset=OPSETS,
    )  # fmt: skip
    graph = made.graph
    probabilities = graph.output[1].name
    del graph.output[:]
    graph.initializer.append(helper.make_tensor("right", TensorProto.INT64, [], [1]))
    graph.node.append(helper.make_node("Gather", [probabilities, "right"], ["score"], axis=1))
    graph.output.append(helper.make_tensor_value_info("score", TensorProto.FLOAT, ["batch"]))
    graph.name = "part_rescorer"
    meta = {
        "classes": json.dumps(list(classes)),
        "features": json.dumps(list(names)),
        "detector": detector.sha256,
        "training": json.dumps(dict(facts)),
    }
    del made.metadata_props[:]
    for key, value in meta.items():
        made.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(made)
    path.write_bytes(made.SerializeToString())
