"""What a batch of answers costs. Whatever is not known (NaN, -1) costs nothing."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from physgauge.train.student.draws import Batch
from physgauge.train.student.model import Raw


@dataclass(frozen=True)
class LossConfig:
    """Weights of the terms."""

    eligible: float = 0.5
    family: float = 0.3
    yes: float = 1.0
    about: float = 6.0
    """Weight of the category that a pair is about, beside 1 for each of the others."""
    rank: float = 0.7
    """Twins: the violated one's answer above the clean one's."""
    cells: float = 3.0
    major: float = 0.7


def losses(raw: Raw, batch: Batch, config: LossConfig) -> dict[str, Tensor]:
    """Terms by name, weighted."""
    ids = torch.arange(len(batch.about))
    paired = batch.about >= 0
    focus = torch.zeros_like(raw.yes)
    focus[ids[paired], batch.about[paired]] = 1.0
    terms = {
        "eligible": config.eligible * _binary(raw.eligible, batch.eligible),
        "family": config.family * _family(raw.family, batch),
        "yes": config.yes * _yes(raw.yes, batch.yes, 1 + (config.about - 1) * focus),
        "major": config.major * _binary(raw.major, batch.major),
        "cells": config.cells * _cells(raw.where, batch),
    }
    if len(batch.twins):
        terms["rank"] = config.rank * _rank(raw.yes, batch)
    return terms


def _binary(logits: Tensor, target: Tensor) -> Tensor:
    known = ~target.isnan()
    if not known.any():
        return logits.sum() * 0
    return F.binary_cross_entropy_with_logits(logits[known], target[known])


def _family(logits: Tensor, batch: Batch) -> Tensor:
    known = batch.family >= 0
    return F.cross_entropy(logits[known], batch.family[known]) if known.any() else logits.sum() * 0


def _yes(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Summed over the probes and divided by the weight of one image."""
    known = ~target.isnan()
    each = F.binary_cross_entropy_with_logits(logits, target.nan_to_num(), reduction="none")
    return (each * weight * known).sum() / (len(logits) * 6.0)


def _rank(yes: Tensor, batch: Batch) -> Tensor:
    """In the pair's own category, and over all of them: that is what scores are compared by."""
    violated, clean = yes[batch.twins[:, 0]], yes[batch.twins[:, 1]]
    about = batch.about[batch.twins[:, 0]].clamp(min=0)[:, None]
    hidden = batch.yes[batch.twins[:, 0]].gather(1, about)[:, 0].isnan()
    own = (violated - clean).gather(1, about)[:, 0]
    overall = violated.logsumexp(1) - clean.logsumexp(1)
    each = F.softplus(-own) + 0.5 * F.softplus(-overall)
    return (each * ~hidden).sum() / (~hidden).sum().clamp(min=1)


def _cells(logits: Tensor, batch: Batch) -> Tensor:
    """Where the violation covers a tenth of a cell, the cell is to say yes; all other cells, and those of
    all other categories, no. Covered cells weigh as much as all others together, in both twins alike."""
    count, probes = logits.shape[:2]
    target = (batch.where * 10).clamp(max=1)
    found = (batch.yes >= 0.5) & ~batch.yes.isnan()
    goal = target[:, None] * found[:, :, None, None]
    shared = _both(target, batch.twins)
    area = shared.sum((1, 2), keepdim=True).clamp(min=1)
    heavy = 1 + shared * (shared[0].numel() / area).clamp(max=40)
    weight = heavy / heavy.mean((1, 2), keepdim=True)
    each = F.binary_cross_entropy_with_logits(logits, goal, reduction="none")
    about = F.one_hot(batch.about.clamp(min=0), probes) * (batch.about >= 0)[:, None]
    per_map = torch.where(
        about[:, :, None, None] > 0, each * weight[:, None], each * 0.3
    ).mean((2, 3))  # fmt: skip
    known = batch.placed[:, None] & ~batch.yes.isnan()
    return (per_map * known).sum() / count


def _both(target: Tensor, twins: Tensor) -> Tensor:
    """Masks of violated twins, given to their clean twins too."""
    shared = target.clone()
    shared[twins[:, 1]] = target[twins[:, 0]]
    return shared
