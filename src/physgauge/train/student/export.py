"""A trained student as one ONNX file with everything in it: calibration, and what it does not know."""

from __future__ import annotations

import copy
import io
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from physgauge.errors import ConfigError
from physgauge.train.part_detector.halves import store_halves
from physgauge.train.student.answering import BATCH, Logits
from physgauge.train.student.calibrate import Calibration
from physgauge.train.student.known import Known
from physgauge.train.student.layout import FAMILIES
from physgauge.train.student.model import Student
from physgauge.types import F32, U8

OPSET = 17
OUTPUTS = ("eligible", "p_yes", "p_major", "where", "family", "known")
RAW = tuple(Logits.__annotations__)
KNOWN_FROM = 0.5
"""`known` is made so that it is 0.5 at the limit."""
TOLERANCE = 0.02
"""Probabilities of the file may differ by this from the network's: its weights are stored as float16."""


class Exported(nn.Module):
    """image [B, 3, S, S] float32 0..1 -> OUTPUTS."""

    yes_map: Tensor
    major_map: Tensor

    def __init__(self, net: Student, calibration: Calibration, known: Known) -> None:
        super().__init__()
        self.net, self.known, self.calibration = net, known, calibration
        self.register_buffer("yes_map", torch.from_numpy(calibration.yes).float())
        self.register_buffer("major_map", torch.from_numpy(calibration.major).float())

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        raw = self.net((image * 255.0).permute(0, 2, 3, 1))
        c = self.calibration
        eligible = torch.sigmoid(c.eligible[0] * raw.eligible + c.eligible[1])
        return (
            eligible,
            torch.sigmoid(self.yes_map[:, 0] * raw.yes + self.yes_map[:, 1]),
            torch.sigmoid(self.major_map[:, 0] * raw.major + self.major_map[:, 1]),
            torch.sigmoid(c.where[0] * raw.where + c.where[1]),
            (c.family * raw.family).softmax(1),
            self.known(raw.statistics, eligible),
        )


@dataclass(frozen=True)
class About:
    """What the file says of itself."""

    version: str
    probes: tuple[str, ...]
    probe_set: Mapping[str, Any]
    """Name and version."""
    trained_on: Mapping[str, Any]
    figures: Mapping[str, Any]
    """For the model card; nobody computes with them."""


def write(path: Path, exported: Exported, about: About, sample: U8) -> float:
    """Write the file; says how far its answers for `sample` [N, S, S, 3] are from the network's, at most.

    Raises:
        ConfigError: they are too far.
    """
    module = copy.deepcopy(exported).eval().float()
    size = module.net.config.size
    example = torch.rand(2, 3, size, size)
    axes = {name: {0: "batch"} for name in ("image", *OUTPUTS)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), torch.no_grad():
        # The TorchScript exporter needs no further package and writes a plain opset-17 graph.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module, (example,), str(path), dynamo=False, opset_version=OPSET, input_names=["image"],
            output_names=list(OUTPUTS), dynamic_axes=axes,
        )  # fmt: skip
    model = onnx.load(str(path))
    store_halves(model)
    meta = {"physgauge_student": json.dumps(_about(about, module), sort_keys=True)}
    onnx.helper.set_model_props(model, meta)
    model.producer_name = "physgauge"
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    apart = distance(path, module, sample)
    if not apart <= TOLERANCE:
        raise ConfigError(
            f"{path}: expected the network's answers within {TOLERANCE}, got {apart:.3g} apart"
        )
    return apart


def _about(about: About, module: Exported) -> dict[str, Any]:
    return {
        "version": about.version,
        "probes": list(about.probes),
        "probe_set": dict(about.probe_set),
        "families": list(FAMILIES),
        "size": module.net.config.size,
        "trained_on": dict(about.trained_on),
        "known_threshold": KNOWN_FROM,
        "temperatures": module.calibration.temperatures(),
        "figures": dict(about.figures),
    }


class RawGraph(nn.Module):
    """images [B, S, S, 3] uint8 -> the fields of `Logits`, in their order."""

    def __init__(self, net: Student) -> None:
        super().__init__()
        self.net = net

    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        raw = self.net(images)
        return tuple(getattr(raw, name) for name in RAW)


def quick(net: Student, threads: int) -> Callable[[U8], Logits]:
    """The network as a function of images [N, S, S, 3], run by onnxruntime, which is faster."""
    from physgauge.ensemble.detect import open_session

    size = net.config.size
    buffer: Any = io.BytesIO()
    axes = {name: {0: "batch"} for name in ("images", *RAW)}
    example = torch.zeros((2, size, size, 3), dtype=torch.uint8)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            RawGraph(copy.deepcopy(net).eval()), (example,), buffer, dynamo=False,
            opset_version=OPSET, input_names=["images"], output_names=list(RAW), dynamic_axes=axes,
        )  # fmt: skip
    # With the rounded weights that the written file will have: `known` measures small differences.
    model = onnx.load_from_string(buffer.getvalue())
    store_halves(model)
    session = open_session(
        model.SerializeToString(), ["CPUExecutionProvider"], threads, "the network"
    )

    def ask(pixels: U8) -> Logits:
        parts = [
            session.run(list(RAW), {"images": np.array(pixels[start : start + BATCH])})
            for start in range(0, len(pixels), BATCH)
        ]
        return Logits(*(np.concatenate(some) for some in zip(*parts, strict=True)))

    return ask


def as_input(pixels: U8) -> F32:
    """[N, S, S, 3] uint8 as the file takes it: [N, 3, S, S] float32 in 0..1."""
    channels = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)).astype(np.float32)
    scaled: F32 = channels / np.float32(255)
    return scaled


def distance(path: Path, module: nn.Module, sample: U8) -> float:
    """The greatest difference between what the file and the network say of images [N, S, S, 3]; `known`,
    which was fitted to the file's rounded weights, is left out."""
    from physgauge.ensemble.detect import open_session

    image = as_input(sample)
    session = open_session(path.read_bytes(), ["CPUExecutionProvider"], 1, path.name)
    said = session.run(list(OUTPUTS), {"image": image})
    with torch.no_grad():
        wanted = module(torch.from_numpy(image))
    return max(
        float(np.abs(a - b.numpy()).max())
        for name, a, b in zip(OUTPUTS, said, wanted, strict=True)
        if name != "known"
    )
