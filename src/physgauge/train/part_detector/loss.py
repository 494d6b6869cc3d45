"""Which cell learns which box, and how wrong it is.

Assignment is task-aligned (Feng et al., "TOOD: Task-aligned One-stage Object Detection", ICCV 2021): a
cell inside a box scores `p^alpha * IoU^beta` for it, the best `top` cells of each box learn it, and their
class target is that score scaled so that a box's best cell gets its best IoU. Boxes are compared by
complete IoU (Zheng et al., "Distance-IoU Loss", AAAI 2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from physgauge.train.part_detector.dataset import UNKNOWN, Batch
from physgauge.train.part_detector.model import RawOutput, boxes_of


@dataclass(frozen=True)
class LossConfig:
    """Weights and the assignment's constants."""

    top: int = 9
    alpha: float = 0.5
    beta: float = 4.0
    box: float = 5.0
    domain: float = 0.6
    view: float = 0.3
    smoothing: float = 0.02
    """Label smoothing of the image heads."""


@dataclass(frozen=True)
class Assignment:
    """Per cell; A cells, at most one box each."""

    box: Tensor
    """[B, A] index of the box, or -1."""
    target: Tensor
    """[B, A] class target 0..1 of that box's class."""
    silent: Tensor
    """[B, A, C] bool: class outputs that learn nothing (inside an ignored box of that class)."""


def pair_iou(a: Tensor, b: Tensor) -> Tensor:
    """IoU of boxes [..., 4] that broadcast against each other."""
    overlap = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(
        min=0
    )
    both = overlap.prod(-1)
    area_a = (a[..., 2:] - a[..., :2]).prod(-1)
    area_b = (b[..., 2:] - b[..., :2]).prod(-1)
    return both / (area_a + area_b - both + 1e-6)


def complete_iou(a: Tensor, b: Tensor) -> Tensor:
    """CIoU of boxes [N, 4]: IoU minus centre distance and aspect terms."""
    iou = pair_iou(a, b)
    hull = torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])
    centres = (a[:, :2] + a[:, 2:] - b[:, :2] - b[:, 2:]) / 2
    distance = centres.pow(2).sum(1) / (hull.pow(2).sum(1) + 1e-6)
    size_a, size_b = (a[:, 2:] - a[:, :2]).clamp(min=1e-3), (b[:, 2:] - b[:, :2]).clamp(min=1e-3)
    angle = torch.atan(size_a[:, 0] / size_a[:, 1]) - torch.atan(size_b[:, 0] / size_b[:, 1])
    v = 4 / math.pi**2 * angle.pow(2)
    weight = (v / (1 - iou + v + 1e-6)).detach()
    return iou - distance - weight * v


def assign(
    probability: Tensor, predicted: Tensor, batch: Batch, centres: Tensor, config: LossConfig
) -> Assignment:
    """Task-aligned assignment.

    Args:
        probability: [B, A, C].
        predicted: [B, A, 4] xyxy px.
        batch: boxes and labels.
        centres: [A, 2] px.
        config: constants.
    """
    boxes, labels = batch.boxes, batch.labels
    real = labels >= 0
    learn = real & ~batch.ignore
    offset = torch.cat([centres - boxes[:, :, None, :2], boxes[:, :, None, 2:] - centres], -1)
    inside = offset.amin(-1) > 0  # [B, M, A]
    # A box thinner than the cells may hold no centre: its nearest cell stands in.
    middle = (boxes[:, :, :2] + boxes[:, :, 2:]) / 2
    nearest = (middle[:, :, None] - centres).pow(2).sum(-1).argmin(-1, keepdim=True)
    candidate = inside.scatter(2, nearest, True) & learn[:, :, None]
    iou = pair_iou(predicted[:, None], boxes[:, :, None])  # [B, M, A]
    index = labels.clamp(min=0)[:, :, None].expand(-1, -1, probability.shape[1])
    p = probability.transpose(1, 2).gather(1, index)
    metric = (p.pow(config.alpha) * iou.clamp(min=1e-4).pow(config.beta)).masked_fill(~candidate, 0)
    best, cells = metric.topk(config.top, dim=-1)
    chosen = torch.zeros_like(candidate).scatter(2, cells, best > 0)
    # A cell that several boxes chose goes to the one it overlaps most.
    overlap = iou.masked_fill(~chosen, -1.0)
    cell_iou, cell_box = overlap.max(1)
    box = torch.where(cell_iou >= 0, cell_box, -1)
    kept = chosen & (cell_box[:, None] == torch.arange(boxes.shape[1])[None, :, None])
    metric = metric * kept
    scale = (iou * kept).amax(-1) / (metric.amax(-1) + 1e-9)
    target = (metric * scale[..., None]).amax(1)
    return Assignment(box, target, _silent(inside, batch, probability.shape))


def _silent(inside: Tensor, batch: Batch, shape: torch.Size) -> Tensor:
    hidden = (inside & (batch.ignore & (batch.labels >= 0))[:, :, None]).to(torch.float32)
    classes = F.one_hot(batch.labels.clamp(min=0), shape[2]).float()
    return torch.einsum("bma,bmc->bac", hidden, classes) > 0


def losses(
    output: RawOutput, batch: Batch, centres: Tensor, strides: Tensor, config: LossConfig
) -> dict[str, Tensor]:
    """Named loss terms, weighted; their sum is minimised."""
    predicted = boxes_of(centres, output.distances)
    with torch.no_grad():
        plan = assign(output.logits.sigmoid(), predicted, batch, centres, config)
    positive = plan.box >= 0
    row, cell = positive.nonzero(as_tuple=True)
    which = plan.box[row, cell]
    target = torch.zeros_like(output.logits)
    target[row, cell, batch.labels[row, which]] = plan.target[row, cell]
    weight = (~plan.silent | (target > 0)) & batch.parts_known[:, None, None]
    total = target.sum().clamp(min=1.0)
    p = output.logits.detach().sigmoid()
    # Quality focal weight |target - p|^1.5 (Li et al., "Generalized Focal Loss", NeurIPS 2020) keeps the
    # many easy empty cells from drowning the few parts.
    focus = (target - p).abs().pow(1.5)
    score = F.binary_cross_entropy_with_logits(output.logits, target, reduction="none")
    share = plan.target[row, cell]
    ciou = complete_iou(predicted[row, cell], batch.boxes[row, which])
    return {
        "score": 2.0 * (score * focus * weight).sum() / total,
        "box": config.box * ((1 - ciou) * share).sum() / total,
        "domain": config.domain * _image_loss(output.domain, batch.domain, config.smoothing),
        "view": config.view * _image_loss(output.view, batch.view, config.smoothing),
    }


def _image_loss(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    known = target != UNKNOWN
    if not bool(known.any()):
        return logits.sum() * 0.0
    return F.cross_entropy(logits[known], target[known], label_smoothing=smoothing)
