"""Averaged weights, and averaged terms of a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import torch
from torch import nn

Net = TypeVar("Net", bound=nn.Module)


def channels_last(net: Net) -> Net:
    """Convolution weights in the layout that the CPU's matrix units like."""
    for p in net.parameters():
        if p.ndim == 4:
            p.data = p.data.contiguous(memory_format=torch.channels_last)
    return net


@torch.no_grad()
def average(mean: nn.Module, net: nn.Module, decay: float) -> None:
    """mean <- decay * mean + (1 - decay) * net, running statistics included."""
    for old, new in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
        if old.dtype.is_floating_point:
            old.lerp_(new, 1 - decay)
        else:
            old.copy_(new)


def mean_terms(totals: Mapping[str, float], count: int) -> dict[str, float]:
    """Sums of loss terms over `count` steps as rounded means."""
    return {name: round(value / count, 4) for name, value in totals.items()}
