"""The network: a trunk that turns the image into a grid of features, and heads that answer from it.

The trunk is the part detector's backbone and neck (so its trained weights can begin it) with two
attention blocks at stride 32, because a shadow is wrong by what stands elsewhere. The heads give every
category a map of where it is violated; the image's answer is pooled from that map, so a yes always has a
place. Severity is read where the map points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from physgauge.train.part_detector.model import Backbone, ModelConfig, Residual, convolution
from physgauge.train.student.layout import CELLS, FAMILIES
from physgauge.train.student.traces import Traces

GREY = 114.0
SPREAD = 70.0
"""Pixels enter as (value - GREY) / SPREAD, as in the part detector."""


@dataclass(frozen=True)
class StudentConfig:
    """Widths and depths; the defaults are the shipped model's."""

    probes: int = 18
    size: int = 320
    """Side of the input, px; a multiple of 32."""
    neck: int = 96
    neck_hidden: int = 48
    attention: int = 2
    """Attention blocks at stride 32."""
    cells: int = 128
    """Channels of the grid that the heads read."""
    hidden: int = 128
    """Of the heads' image branch."""


@dataclass(frozen=True)
class Features:
    """What a trunk gives of B images."""

    grid: Tensor
    """[B, C, h, w]."""
    summary: Tensor
    """[B, S] of the whole image."""
    statistics: Tensor
    """[B, T] means and spreads of early and late features: what tells a photograph from a rendering."""


@dataclass(frozen=True)
class Raw:
    """Logits, uncalibrated; Q probes."""

    eligible: Tensor
    """[B]."""
    yes: Tensor
    """[B, Q]."""
    major: Tensor
    """[B, Q]."""
    where: Tensor
    """[B, Q, 16, 16]."""
    family: Tensor
    """[B, 6]."""
    statistics: Tensor
    """[B, T] as in `Features`, and the traces of the picture's making behind them."""


class Trunk(Protocol):
    """Any network that can stand in front of the heads."""

    channels: int
    summary: int
    statistics: int

    def __call__(self, images: Tensor) -> Features:
        """[B, S, S, 3] uint8 (or float in 0..255)."""
        ...


class Attention(nn.Module):
    """One transformer block over all cells of a grid [B, C, h, w]; begins as the identity."""

    def __init__(self, channels: int, side: int, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.side = heads, side
        self.place = nn.Parameter(torch.randn(1, side * side, channels) * 0.02)
        self.before = nn.LayerNorm(channels)
        self.mix = nn.Linear(channels, 3 * channels)
        self.out = nn.Linear(channels, channels)
        self.between = nn.LayerNorm(channels)
        self.wide = nn.Linear(channels, 2 * channels)
        self.narrow = nn.Linear(2 * channels, channels)
        for last in (self.out, self.narrow):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, x: Tensor) -> Tensor:
        count, channels, height, width = x.shape
        cells = height * width
        tokens = x.flatten(2).transpose(1, 2)
        mixed = self.mix(self.before(tokens + self._places(height)))
        q, k, v = mixed.reshape(count, cells, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(2, 3) * (channels // self.heads) ** -0.5).softmax(-1)
        tokens = tokens + self.out((weights @ v).transpose(1, 2).reshape(count, cells, channels))
        tokens = tokens + self.narrow(F.relu(self.wide(self.between(tokens))))
        out: Tensor = tokens.transpose(1, 2).reshape(count, channels, height, width)
        return out

    def _places(self, side: int) -> Tensor:
        """[1, cells, C]; in a smaller or larger image, between the learned ones."""
        if side == self.side:
            return self.place
        grid = self.place.transpose(1, 2).reshape(1, -1, self.side, self.side)
        grid = F.interpolate(grid, size=(side, side), mode="bilinear", align_corners=False)
        places: Tensor = grid.flatten(2).transpose(1, 2)
        return places


class SmallTrunk(nn.Module):
    """Ours. Names of layers that the part detector has too are the part detector's."""

    def __init__(self, config: StudentConfig) -> None:
        super().__init__()
        shape = ModelConfig(classes=1, domains=1, views=1)
        w4, w8, w16, w32 = shape.widths
        n = config.neck
        self.backbone = Backbone(shape)
        self.attention = nn.Sequential(
            *(Attention(w32, config.size // 32) for _ in range(config.attention))
        )
        self.context = nn.Linear(w32, n)
        self.lateral32 = convolution(w32, n, 1)
        self.lateral16 = convolution(w16, n, 1)
        self.lateral8 = convolution(w8, n, 1)
        self.fuse16 = convolution(n, n)
        self.fuse8 = convolution(n, n)
        self.refine16 = Residual(n, config.neck_hidden)
        self.refine8 = Residual(n, config.neck_hidden)
        self.skip4 = convolution(w4, n, 2, 2, 0)
        self.down = convolution(n, config.cells, 3, 2)
        self.across = convolution(n, config.cells, 1)
        self.settle = nn.Sequential(*(Residual(config.cells, config.cells // 2) for _ in range(2)))
        self.channels = config.cells
        self.summary = 2 * w32 + config.cells
        self.statistics = 2 * (w4 + w8 + w16 + w32)

    def forward(self, images: Tensor) -> Features:
        x = images.permute(0, 3, 1, 2).float().sub(GREY).div(SPREAD)
        f4, f8, f16, f32 = self.backbone(x)
        with torch.no_grad():
            statistics = torch.cat([t for f in (f4, f8, f16, f32) for t in _moments(f)], 1)
        f32 = self.attention(f32)
        pooled = f32.mean((2, 3))
        top = self.lateral32(f32) + self.context(pooled)[:, :, None, None]
        mid = self.refine16(self.fuse16(self.lateral16(f16) + F.interpolate(top, scale_factor=2.0)))
        fine = self.lateral8(f8) + self.skip4(f4) + F.interpolate(mid, scale_factor=2.0)
        fine = self.refine8(self.fuse8(fine))
        grid = self.settle(self.down(fine) + self.across(mid))
        summary = torch.cat([pooled, f32.amax((2, 3)), grid.amax((2, 3))], 1)
        return Features(grid, summary, statistics)


def _moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation over the image, [B, C] each, float32."""
    x = x.float()
    mean = x.mean((2, 3))
    square = (x * x).mean((2, 3)) - mean * mean
    return mean, (square.clamp(min=0) + 1e-6).sqrt()


class Heads(nn.Module):
    """From features to logits."""

    def __init__(self, config: StudentConfig, trunk: Trunk) -> None:
        super().__init__()
        q = config.probes
        self.cell = nn.Conv2d(trunk.channels, q, 1)
        self.grade = nn.Conv2d(trunk.channels, q + 1, 1)
        self.image = nn.Sequential(nn.Linear(trunk.summary, config.hidden), nn.ReLU(inplace=True))
        self.overall = nn.Linear(config.hidden, q)
        self.eligible = nn.Linear(config.hidden, 1)
        self.family = nn.Linear(config.hidden, len(FAMILIES))
        self.sharpness = nn.Parameter(torch.full((q,), math.log(2.0)))
        self.weight = nn.Parameter(torch.ones(q))
        self.shift = nn.Parameter(torch.zeros(q))
        nn.init.constant_(cast(Tensor, self.cell.bias), -4.0)
        nn.init.zeros_(self.overall.weight)
        nn.init.zeros_(self.overall.bias)

    def forward(self, features: Features) -> Raw:
        cells = self.cell(features.grid).float()
        yes, hidden = self._yes(cells, features.summary)
        grades = self.grade(features.grid).float()
        there = cells.detach().flatten(2).softmax(2)
        major = ((grades[:, :-1] + grades[:, -1:]).flatten(2) * there).sum(2)
        down, across = (area_weights(side, CELLS).to(cells.device) for side in cells.shape[2:])
        where = down @ cells @ across.T
        return Raw(
            eligible=self.eligible(hidden).float()[:, 0],
            yes=yes,
            major=major,
            where=where,
            family=self.family(hidden).float(),
            statistics=features.statistics,
        )

    def _yes(self, cells: Tensor, summary: Tensor) -> tuple[Tensor, Tensor]:
        """A soft maximum over the cells (log-mean-exp, its sharpness learned), and the image branch."""
        sharp = self.sharpness.exp()[None, :, None]
        flat = cells.flatten(2)
        pooled = ((flat * sharp).logsumexp(2) - math.log(flat.shape[2])) / sharp[..., 0]
        hidden = self.image(summary.float())
        return pooled * self.weight + self.overall(hidden).float() + self.shift, hidden


def area_weights(source: int, target: int) -> Tensor:
    """[target, source] rows that average a line of `source` cells into `target` ones by overlap."""
    edges = torch.arange(target + 1) * source / target
    left = torch.maximum(edges[:-1, None], torch.arange(source)[None].float())
    right = torch.minimum(edges[1:, None], torch.arange(1, source + 1)[None].float())
    shared = (right - left).clamp(min=0)
    return shared / shared.sum(1, keepdim=True)


class Student(nn.Module):
    """uint8 images [B, S, S, 3] in, :class:`Raw` out."""

    def __init__(
        self, config: StudentConfig, trunk: nn.Module | None = None, grid: int = 0
    ) -> None:
        super().__init__()
        self.config = config
        self.trunk = trunk or SmallTrunk(config)
        self.heads = Heads(config, cast(Trunk, self.trunk))
        self.traces = Traces()

    def forward(self, images: Tensor) -> Raw:
        """While training, `statistics` is without the traces: nothing there reads them."""
        features: Features = self.trunk(images)
        if not self.training:
            seen = torch.cat([features.statistics.float(), self.traces(images)], 1)
            features = replace(features, statistics=seen)
        raw: Raw = self.heads(features)
        return raw
