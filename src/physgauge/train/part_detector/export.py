"""The trained network as an ONNX file that keeps the detector contract (docs/detector.md).

The exported graph looks at the image and at its mirror image and averages what it sees before it picks
boxes, so a mirrored image gives the mirrored answer. Class thresholds are part of the graph: scores are
`sigmoid(scale_c * logit_c + shift_c)` with constants fitted so that 0.5 is the best threshold
(calibrate.py). So is a floor of evidence: the image head may find a cup car-like, but without parts of a
car it is none.
"""

from __future__ import annotations

import copy
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from physgauge.train.part_detector.halves import store_halves
from physgauge.train.part_detector.model import PartNet, boxes_of, cell_centres
from physgauge.types import DOMAINS, F32, PART_CLASSES, VIEWS

OPSET = 17
TOP = 300
"""Boxes given per image."""


@dataclass(frozen=True)
class Calibration:
    """Per-class affine maps of the logits."""

    scale: F32
    """[C]."""
    shift: F32
    """[C]."""
    evidence: float = 0.0
    """A domain's probability is halved where the best scores of its classes add up to this; 0 = never."""

    @staticmethod
    def identity() -> Calibration:
        """Scores as trained."""
        n = len(PART_CLASSES)
        return Calibration(np.ones(n, np.float32), np.zeros(n, np.float32))


class Exported(nn.Module):
    """images [B, S, S, 3] uint8 -> boxes, scores, labels, domain, view."""

    def __init__(self, net: PartNet, size: int, calibration: Calibration, top: int = TOP) -> None:
        super().__init__()
        self.net = net
        self.size = size
        self.top = top
        centres, _ = cell_centres(size, size)
        self.register_buffer("centres", centres)
        self.register_buffer("scale", torch.from_numpy(calibration.scale))
        self.register_buffer("shift", torch.from_numpy(calibration.shift))
        self.register_buffer("member", torch.from_numpy(membership()))
        self.evidence = calibration.evidence

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        logits, distances, domain, view = self.symmetric(images)
        classes = logits.shape[2]
        scaled = logits * cast(Tensor, self.scale) + cast(Tensor, self.shift)
        best, index = scaled.flatten(1).topk(self.top, dim=1)
        cell = torch.div(index, classes, rounding_mode="floor")
        label = index - cell * classes
        boxes = boxes_of(cast(Tensor, self.centres), distances).clamp(0, float(self.size))
        chosen = boxes.gather(1, cell[:, :, None].expand(-1, -1, 4))
        return chosen, best.sigmoid(), label, self.gated(domain.softmax(1), scaled), view.softmax(1)

    def gated(self, domain: Tensor, scaled: Tensor) -> Tensor:
        """Domain probabilities [B, D+1], lowered where too few kinds of the domain's parts are seen.

        Evidence e is the sum over the domain's classes of the best score in the image; a probability is
        multiplied by `sigmoid(8 (e / floor - 1))`, and what is taken away goes to "none".
        """
        if self.evidence <= 0:
            return domain
        seen = scaled.amax(1).sigmoid() @ cast(Tensor, self.member)
        known = domain[:, :-1] * torch.sigmoid(8.0 * (seen / self.evidence - 1.0))
        none = (1.0 - known.sum(1, keepdim=True)).clamp(0.0, 1.0)
        return torch.cat([known, none], 1)

    def symmetric(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Dense outputs averaged over the image and its mirror image."""
        count = images.shape[0]
        levels, domain, view = self.net.dense(torch.cat([images, images.flip(2)]))
        logits, distances = [], []
        for level_logits, level_sides in levels:
            mirrored = level_sides[count:].flip(2)[..., [2, 1, 0, 3]]
            logits.append(((level_logits[:count] + level_logits[count:].flip(2)) / 2).flatten(1, 2))
            distances.append(((level_sides[:count] + mirrored) / 2).flatten(1, 2))
        return (
            torch.cat(logits, 1),
            torch.cat(distances, 1),
            (domain[:count] + domain[count:]) / 2,
            (view[:count] + view[count:]) / 2,
        )


def membership() -> F32:
    """[C, D] 1 where a class belongs to a domain."""
    owner = [name.partition(".")[0] for name in PART_CLASSES]
    return np.array([[o == d for d in DOMAINS] for o in owner], np.float32)


def export_onnx(
    net: PartNet,
    path: Path,
    size: int,
    calibration: Calibration,
    version: str,
    training: dict[str, Any],
    *,
    halves: bool = True,
) -> None:
    """Write the ONNX file with its metadata, its weights as float16 unless `halves` is false."""
    module = Exported(copy.deepcopy(net).eval().float(), size, calibration).eval()
    images = torch.randint(0, 256, (2, size, size, 3), dtype=torch.uint8)
    names = ["boxes", "scores", "labels", "domain", "view"]
    axes = {name: {0: "batch"} for name in ("images", *names)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), torch.no_grad():
        # The TorchScript exporter needs no further package and writes a plain opset-17 graph.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module, (images,), str(path), dynamo=False, opset_version=OPSET,
            input_names=["images"], output_names=names, dynamic_axes=axes,
        )  # fmt: skip
    model = onnx.load(str(path))
    if halves:
        store_halves(model)
    onnx.helper.set_model_props(model, _metadata(version, training))
    model.producer_name = "physgauge"
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _metadata(version: str, training: dict[str, Any]) -> dict[str, str]:
    return {
        "classes": json.dumps(PART_CLASSES),
        "domains": json.dumps(DOMAINS),
        "views": json.dumps(VIEWS),
        "name": "physgauge part detector",
        "version": version,
        "training": json.dumps(training, sort_keys=True),
    }
