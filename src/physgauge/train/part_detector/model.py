"""The network: a small residual CNN with three detection levels and two image heads.

A plain-convolution backbone (strides 4 to 32), a top-down neck, and at strides 8, 16 and 32 an
anchor-free head that gives, for each cell, one logit per class and the distances from the cell's
centre to the four sides of the box. Image heads (domain, view) read pooled features of the backbone
and of the neck. The stem goes straight to stride 4: on a CPU, training time is spent on moving large
feature maps, not on multiplying.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

STRIDES = (8, 16, 32)
"""Strides of the detection levels, in px of the network's input."""


@dataclass(frozen=True)
class ModelConfig:
    """Widths and depths; the defaults are the shipped model's."""

    classes: int
    domains: int
    """Domains without "none"; the head has one output more."""
    views: int
    widths: tuple[int, int, int, int] = (64, 112, 160, 192)
    """Channels at strides 4, 8, 16, 32."""
    hidden: tuple[int, int, int, int] = (32, 64, 96, 96)
    """Channels inside the residual blocks at the same strides."""
    depths: tuple[int, int, int, int] = (1, 3, 3, 1)
    neck: int = 96
    neck_hidden: int = 48
    """Channels inside the neck's residual blocks."""


@dataclass(frozen=True)
class RawOutput:
    """What the network says, before any decoding; A cells over all levels."""

    logits: Tensor
    """[B, A, C] class logits."""
    distances: Tensor
    """[B, A, 4] left, top, right, bottom from the cell's centre, px of the input, >= 0."""
    domain: Tensor
    """[B, D+1] logits."""
    view: Tensor
    """[B, V] logits."""


def convolution(
    inputs: int, outputs: int, kernel: int = 3, stride: int = 1, padding: int | None = None
) -> nn.Sequential:
    """Convolution, batch norm, ReLU; half of the kernel is padded by default."""
    pad = kernel // 2 if padding is None else padding
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, pad, bias=False),
        nn.BatchNorm2d(outputs, momentum=0.03),
        nn.ReLU(inplace=True),
    )


class Residual(nn.Module):
    """Two 3x3 convolutions around a narrower middle, with a shortcut."""

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.narrow = convolution(channels, hidden)
        self.wide = nn.Sequential(
            nn.Conv2d(hidden, channels, 3, 1, 1, bias=False),
            nn.BatchNorm2d(channels, momentum=0.03),
        )
        nn.init.zeros_(cast(nn.BatchNorm2d, self.wide[1]).weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.wide(self.narrow(x)))


class Backbone(nn.Module):
    """Features at strides 4, 8, 16, 32 from an RGB image in about -1..1."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        stages = []
        before = 3
        for index, (width, hidden, depth) in enumerate(
            zip(config.widths, config.hidden, config.depths, strict=True)
        ):
            # 6x6 with stride 4 and padding 1 reads overlapping patches centred on the cells.
            down = (
                convolution(before, width, 6, 4, 1)
                if index == 0
                else convolution(before, width, 3, 2)
            )
            stages.append(nn.Sequential(down, *(Residual(width, hidden) for _ in range(depth))))
            before = width
        self.stages = nn.ModuleList(stages)

    def forward(self, x: Tensor) -> list[Tensor]:
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return features


class LevelHead(nn.Module):
    """Class logits and side distances of one level."""

    def __init__(self, channels: int, classes: int, stride: int) -> None:
        super().__init__()
        self.stride = stride
        self.shared = convolution(channels, channels)
        self.score = nn.Sequential(
            convolution(channels, channels, 1), nn.Conv2d(channels, classes, 1)
        )
        self.sides = nn.Sequential(convolution(channels, channels, 1), nn.Conv2d(channels, 4, 1))
        # Few cells hold a part: start from p = 0.01, and from boxes about two cells wide.
        nn.init.constant_(cast(Tensor, self.score[1].bias), -4.6)
        nn.init.constant_(cast(Tensor, self.sides[1].bias), 1.0)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """[B, H, W, C] logits and [B, H, W, 4] distances in px."""
        x = self.shared(x)
        logits = self.score(x).permute(0, 2, 3, 1).float()
        sides = F.softplus(self.sides(x).permute(0, 2, 3, 1).float()) * self.stride
        return logits, sides


class PartNet(nn.Module):
    """uint8 images in, :class:`RawOutput` out."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        _, w8, w16, w32 = config.widths
        n = config.neck
        self.backbone = Backbone(config)
        self.context = nn.Linear(w32, n)
        self.lateral32 = convolution(w32, n, 1)
        self.lateral16 = convolution(w16, n, 1)
        self.lateral8 = convolution(w8, n, 1)
        self.fuse16 = convolution(n, n)
        self.fuse8 = convolution(n, n)
        self.refine16 = Residual(n, config.neck_hidden)
        self.refine8 = Residual(n, config.neck_hidden)
        self.skip4 = convolution(config.widths[0], n, 2, 2, 0)
        self.heads = nn.ModuleList(LevelHead(n, config.classes, s) for s in STRIDES)
        self.image = nn.Sequential(nn.Linear(2 * w32 + n, 96), nn.ReLU(inplace=True))
        self.domain = nn.Linear(96, config.domains + 1)
        self.view = nn.Linear(96, config.views)

    def dense(self, images: Tensor) -> tuple[list[tuple[Tensor, Tensor]], Tensor, Tensor]:
        """Per level (logits [B, H, W, C], distances [B, H, W, 4] px), then domain and view logits.

        Args:
            images: [B, H, W, 3] uint8 RGB (or float in 0..255); sides multiples of 32.
        """
        x = images.permute(0, 3, 1, 2).float().sub(114.0).div(70.0)
        f4, f8, f16, f32 = self.backbone(x)
        pooled = f32.mean((2, 3))
        top = self.lateral32(f32) + self.context(pooled)[:, :, None, None]
        mid = self.refine16(self.fuse16(self.lateral16(f16) + F.interpolate(top, scale_factor=2.0)))
        fine = self.lateral8(f8) + self.skip4(f4) + F.interpolate(mid, scale_factor=2.0)
        fine = self.refine8(self.fuse8(fine))
        levels = [head(f) for head, f in zip(self.heads, (fine, mid, top), strict=True)]
        summary = torch.cat([pooled, f32.amax((2, 3)), fine.amax((2, 3))], 1)
        hidden = self.image(summary)
        return levels, self.domain(hidden).float(), self.view(hidden).float()

    def forward(self, images: Tensor) -> RawOutput:
        levels, domain, view = self.dense(images)
        return RawOutput(
            logits=torch.cat([logits.flatten(1, 2) for logits, _ in levels], 1),
            distances=torch.cat([sides.flatten(1, 2) for _, sides in levels], 1),
            domain=domain,
            view=view,
        )


def cell_centres(height: int, width: int) -> tuple[Tensor, Tensor]:
    """Centres [A, 2] (x, y) in px of the input and strides [A] of all cells, in output order."""
    centres, strides = [], []
    for stride in STRIDES:
        y = (torch.arange(height // stride) + 0.5) * stride
        x = (torch.arange(width // stride) + 0.5) * stride
        grid = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1).reshape(-1, 2)
        centres.append(grid)
        strides.append(torch.full((len(grid),), float(stride)))
    return torch.cat(centres), torch.cat(strides)


def boxes_of(centres: Tensor, distances: Tensor) -> Tensor:
    """xyxy boxes from cell centres [A, 2] and side distances [..., A, 4]."""
    return torch.cat([centres - distances[..., :2], centres + distances[..., 2:]], -1)
