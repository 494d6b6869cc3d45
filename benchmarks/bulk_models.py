"""A profile whose rule path is the shipped one and whose networks are tiny: what costs time is ours.

Detector, rescorer and student keep the contracts of the shipped files (docs/detector.md,
docs/student.md). What they say follows from an image's mean colour, summed in whole numbers: it is the
same in every batch, and differs from image to image.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import physgauge
from physgauge.ensemble.rescore import feature_names
from physgauge.train.student.layout import CELLS, FAMILIES, probe_ids
from physgauge.types import DOMAINS, PART_CLASSES, VIEWS

SIDE: Final = 64
"""Of the square that the networks see, px."""
_SHIPPED: Final = Path(physgauge.__file__).parent / "profiles"
_SEEN: Final = (
    "aircraft.head", "aircraft.engine", "aircraft.engine", "aircraft.wing", "aircraft.tail",
    "aircraft.tail_wing",
    "car.wheel", "car.wheel", "car.bonnet", "car.windshield", "car.door", "car.roof", "car.headlight",
    "car.taillight",
    "animal.head", "animal.eye", "animal.ear", "animal.leg", "animal.leg", "animal.leg", "animal.tail",
    "animal.belly",
)  # fmt: skip
"""One box each."""
_PROFILE: Final = """\
name = "bulk-benchmark"
description = "The rule path of `tiny` with a judge, on networks that cost next to nothing."

[[detectors]]
name = "part_detector"
model = "detector.onnx"
rescorer = "rescorer.onnx"
min_score = 0.5

[readings]
draws = {draws}
sure = 0.96

[fuse]
nms_iou = 0.5
min_domain_p = 0.5
min_view_p = 0.5

{rules}
[judge]
engine = "student"
yes_from = 0.3

[judge.student]
model = "student.onnx"
"""


def make_profile(folder: Path, draws: int = 1, *, rules: bool = True) -> Path:
    """Write the profile and its models into a folder; returns the profile's path.

    Args:
        folder: made where it is not there.
        draws: readings of an image's unsure boxes (docs/readings.md): 1, the default of a profile, judges
            each image once; `tiny` has 32.
        rules: whether there are rule packs; a process without starts seconds sooner.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _detector(folder / "detector.onnx")
    _rescorer(folder / "rescorer.onnx")
    _student(folder / "student.onnx")
    tables = ""
    if rules:
        same = "".join(f'{name} = "{name}"\n' for name in DOMAINS)
        layouts = "".join(f'{name} = "{_SHIPPED}/models/layout_{name}.npz"\n' for name in DOMAINS)
        tables = f"[packs]\n{same}\n[specifications]\n{same}\n[layouts]\n{layouts}"
    profile = folder / "bulk.toml"
    profile.write_text(_PROFILE.format(rules=tables, draws=draws))
    return profile


class _Graph:
    """Nodes and constants, as they are added."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._random = np.random.default_rng(seed)

    def constant(self, name: str, value: NDArray[Any] | np.generic) -> str:
        """Add a constant; returns its name."""
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node; returns its output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def colour(self, pixels: str, axes: list[int], pixels_in_all: int) -> str:
        """[B, 3, 1] mean of whole numbers 0..255, as -1..1, exact."""
        whole = self.node("Cast", [pixels], "whole", to=TensorProto.INT32)
        at = self.constant("axes", np.array(axes, np.int64))
        total = self.node("ReduceSum", [whole, at], "total", keepdims=0)
        real = self.node("Cast", [total], "real", to=TensorProto.FLOAT)
        scale = self.constant("scale", np.float32(2 / (255 * pixels_in_all)))
        scaled = self.node("Mul", [real, scale], "scaled")
        mean = self.node("Sub", [scaled, self.constant("one", np.float32(1))], "mean")
        shape = self.constant("column", np.array([-1, 3, 1], np.int64))
        return self.node("Reshape", [mean, shape], "colour")

    def linear(self, colour: str, name: str, bias: NDArray[np.float32], gain: float) -> str:
        """[B, N]: bias [N] and a random part by colour."""
        weights = self._random.normal(0, gain, (1, 3, len(bias))).astype(np.float32)
        parts = self.node("Mul", [colour, self.constant(f"{name}_w", weights)], f"{name}_parts")
        over = self.constant(f"{name}_axis", np.array([1], np.int64))
        swing = self.node("ReduceSum", [parts, over], f"{name}_swing", keepdims=0)
        return self.node("Add", [swing, self.constant(f"{name}_b", bias)], f"{name}_linear")

    def save(
        self,
        path: Path,
        given: Any,
        outputs: dict[str, tuple[int, list[Any]]],
        told: dict[str, str],
    ) -> None:
        """Write the model; `outputs` by name: type and shape."""
        values = [
            helper.make_tensor_value_info(name, kind, shape)
            for name, (kind, shape) in outputs.items()
        ]
        graph = helper.make_graph(self.nodes, "bulk", [given], values, self.constants)
        opsets = [helper.make_opsetid("", 17)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        helper.set_model_props(model, told)
        onnx.save(model, str(path))


def _boxes() -> NDArray[np.float32]:
    """[K, 4], each part somewhere of its own."""
    random = np.random.default_rng(7)
    corner = random.uniform(4, 40, (len(_SEEN), 2))
    extent = random.uniform(6, 16, (len(_SEEN), 2))
    return np.concatenate([corner, corner + extent], axis=1).astype(np.float32)


def _detector(path: Path) -> None:
    one, count = _Graph(1), len(_SEEN)
    colour = one.colour("images", [1, 2], SIDE * SIDE)
    shift = one.linear(colour, "shift", np.zeros(1, np.float32), 2.0)
    once = one.constant("once", np.array([-1, 1, 1], np.int64))
    moved = one.node("Reshape", [shift, once], "moved")
    one.node("Add", [moved, one.constant("base", _boxes()[None])], "boxes")
    one.node(
        "Sigmoid", [one.linear(colour, "score", np.full(count, 1.5, np.float32), 1.5)], "scores"
    )
    labels = np.array([[PART_CLASSES.index(name) for name in _SEEN]], np.int64)
    shape = one.node("Shape", ["colour"], "shape")
    first = one.constant("first", np.array([0], np.int64))
    batch = one.node("Gather", [shape, first], "batch_size", axis=0)
    times = one.node(
        "Concat", [batch, one.constant("single", np.ones(1, np.int64))], "times", axis=0
    )
    one.node("Tile", [one.constant("label", labels), times], "labels")
    domain = one.linear(colour, "domain", np.array([1, 1, 1, -1], np.float32), 5.0)
    one.node("Softmax", [domain], "domain", axis=1)
    view = one.linear(colour, "view", np.array([0, 2, 1, 0, 0, 0], np.float32), 2.0)
    one.node("Softmax", [view], "view", axis=1)
    told = {
        "classes": json.dumps(PART_CLASSES), "domains": json.dumps(DOMAINS),
        "views": json.dumps(VIEWS), "name": "bulk benchmark", "version": "1",
    }  # fmt: skip
    images = helper.make_tensor_value_info("images", TensorProto.UINT8, ["batch", SIDE, SIDE, 3])
    real = TensorProto.FLOAT
    one.save(
        path,
        images,
        {
            "boxes": (real, ["batch", count, 4]),
            "scores": (real, ["batch", count]),
            "labels": (TensorProto.INT64, ["batch", count]),
            "domain": (real, ["batch", len(DOMAINS) + 1]),
            "view": (real, ["batch", len(VIEWS)]),
        },
        told,
    )


def _rescorer(path: Path) -> None:
    one, names = _Graph(2), feature_names(PART_CLASSES)
    at = one.constant("at", np.array(names.index("logit"), np.int64))
    logit = one.node("Gather", ["features", at], "logit", axis=1)
    one.node("Sigmoid", [logit], "score")
    features = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", len(names)])
    told = {"classes": json.dumps(PART_CLASSES), "features": json.dumps(names)}
    one.save(path, features, {"score": (TensorProto.FLOAT, ["batch"])}, told)


def _student(path: Path) -> None:
    one, probes = _Graph(3), probe_ids()
    count = len(probes)
    bytes_ = one.node("Mul", ["image", one.constant("byte", np.float32(255))], "bytes")
    colour = one.colour(one.node("Round", [bytes_], "rounded"), [2, 3], SIDE * SIDE)

    def answer(name: str, bias: float, gain: float, wide: int) -> str:
        linear = one.linear(colour, name, np.full(wide, bias, np.float32), gain)
        return one.node("Sigmoid", [linear], f"{name}_p")

    flat = one.constant("flat", np.array([-1], np.int64))
    one.node("Reshape", [answer("e", 3.0, 2.0, 1), flat], "eligible")
    one.node("Identity", [answer("yes", -2.0, 1.5, count)], "p_yes")
    one.node("Identity", [answer("major", 0.0, 1.5, count)], "p_major")
    one.node("Reshape", [answer("k", 6.0, 0.1, 1), flat], "known")
    family = one.linear(colour, "family", np.zeros(len(FAMILIES), np.float32), 2.0)
    one.node("Softmax", [family], "family", axis=1)
    square = one.constant("square", np.array([-1, count, CELLS, CELLS], np.int64))
    one.node("Reshape", [answer("map", -1.0, 2.0, count * CELLS * CELLS), square], "where")
    told = {
        "probes": probes, "families": FAMILIES, "size": SIDE, "version": "bulk", "known_threshold": 0.5,
    }  # fmt: skip
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, SIDE, SIDE])
    shapes = {
        "eligible": [], "p_yes": [count], "p_major": [count], "where": [count, CELLS, CELLS],
        "family": [len(FAMILIES)], "known": [],
    }  # fmt: skip
    outputs: dict[str, tuple[int, list[Any]]] = {
        name: (TensorProto.FLOAT, ["batch", *shape]) for name, shape in shapes.items()
    }
    one.save(path, image, outputs, {"physgauge_student": json.dumps(told)})
