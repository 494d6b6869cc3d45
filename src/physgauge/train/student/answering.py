"""What a network in torch says of many images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from physgauge.train.student.metrics import Answers
from physgauge.train.student.model import Raw
from physgauge.types import F32, U8

BATCH = 16


@dataclass(frozen=True)
class Logits:
    """Raw answers of N images as arrays; fields as in `Raw`."""

    eligible: F32
    yes: F32
    major: F32
    family: F32
    where: F32
    statistics: F32


@torch.no_grad()
def logits_of(net: nn.Module, pixels: U8, size: int = 0) -> Logits:
    """Of images [N, S, S, 3], shrunk to `size` first where that is given."""
    kept: dict[str, list[NDArray[np.float32]]] = {}
    for start in range(0, len(pixels), BATCH):
        images = torch.from_numpy(np.array(pixels[start : start + BATCH]))
        if size and size != images.shape[1]:
            shrunk = F.interpolate(
                images.permute(0, 3, 1, 2).float(), size=(size, size), mode="area"
            )
            images = shrunk.permute(0, 2, 3, 1)
        raw: Raw = net(images)
        for name in Logits.__annotations__:
            kept.setdefault(name, []).append(getattr(raw, name).float().numpy())
    return Logits(**{name: np.concatenate(parts) for name, parts in kept.items()})


def answers_of(net: nn.Module, pixels: U8, size: int = 0) -> Answers:
    """As probabilities, not calibrated."""
    raw = logits_of(net, pixels, size)
    return Answers(*(sigmoid(x) for x in (raw.eligible, raw.yes, raw.major)))


def sigmoid(x: NDArray[np.floating]) -> NDArray[np.float64]:
    """1 / (1 + e^-x), without overflow."""
    half: NDArray[np.float64] = 0.5 * (1 + np.tanh(0.5 * x.astype(np.float64)))
    return half
