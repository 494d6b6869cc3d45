"""Hand-made ONNX detectors for contract tests: fixed answers for any image."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Arrays = dict[str, NDArray[Any]]


def answers(boxes: list[list[float]], scores: list[float], labels: list[int]) -> Arrays:
    """The three required outputs for one image."""
    return {
        "boxes": np.array(boxes, np.float32).reshape(-1, 4),
        "scores": np.array(scores, np.float32),
        "labels": np.array(labels, np.int64),
    }


def write(
    path: Path,
    outputs: Arrays,
    classes: list[str],
    size: int = 32,
    metadata: dict[str, str] | None = None,
    images_type: int = TensorProto.UINT8,
    images_shape: list[Any] | None = None,
) -> Path:
    """A model that gives `outputs` (per image, without batch axis) for every image of its batch."""
    nodes, constants, values = [], [], []
    nodes.append(helper.make_node("Shape", ["images"], ["shape"]))
    constants.append(numpy_helper.from_array(np.array([0], np.int64), "zero"))
    nodes.append(helper.make_node("Gather", ["shape", "zero"], ["count"], axis=0))
    for name, value in outputs.items():
        constants.append(numpy_helper.from_array(value[None], f"{name}_one"))
        ones = np.ones(value.ndim, np.int64)
        constants.append(numpy_helper.from_array(ones, f"{name}_ones"))
        nodes.append(
            helper.make_node("Concat", ["count", f"{name}_ones"], [f"{name}_times"], axis=0)
        )
        nodes.append(helper.make_node("Tile", [f"{name}_one", f"{name}_times"], [name]))
        kind = helper.np_dtype_to_tensor_dtype(value.dtype)
        values.append(helper.make_tensor_value_info(name, kind, ["batch", *value.shape]))
    shape: list[Any] = ["batch", size, size, 3] if images_shape is None else images_shape
    images = helper.make_tensor_value_info("images", images_type, shape)
    graph = helper.make_graph(nodes, "fixed", [images], values, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    props = {"classes": json.dumps(classes)} if metadata is None else metadata
    helper.set_model_props(model, props)
    onnx.save(model, str(path))
    return path
