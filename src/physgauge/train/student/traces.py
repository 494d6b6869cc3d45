"""What a picture's making leaves in it: fine differences of brightness at four scales, and colours.

Lenses and sensors leave other traces than a renderer. They are computed by fixed filters, not learned, so
training cannot become blind to them, and padding is left out, so an image's shape does not matter.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from physgauge.ensemble.letterbox import GREY

LEVELS = 4
FINE, COARSE = (2.0, 8.0, 32.0), (1.0, 4.0, 16.0, 64.0)
"""Differences of brightness, 0..255, at which shares of px are counted, at the image's own scale and at
coarser ones."""
BLOCKS = 16
"""Rows and columns of blocks whose energies are compared."""
FILTERS = (
    ((-1, 2, -1), (2, -4, 2), (-1, 2, -1)),
    ((0, 0, 0), (-1, 1, 0), (0, 0, 0)),
    ((0, -1, 0), (0, 1, 0), (0, 0, 0)),
)
SIZES = (4.0, 1.0, 1.0)
COUNT = len(FILTERS) * (len(FINE) + 3 + (LEVELS - 1) * (len(COARSE) + 3)) + 10


class Traces(nn.Module):
    """Images [B, S, S, 3] in 0..255 to [B, COUNT] numbers; nothing here is learned or stored."""

    kernels: Tensor
    luma: Tensor

    def __init__(self) -> None:
        super().__init__()
        sizes = torch.tensor(SIZES).reshape(-1, 1, 1, 1)
        kernels = torch.tensor(FILTERS).float()[:, None] / sizes
        self.register_buffer("kernels", kernels, persistent=False)
        luma = torch.tensor([0.299, 0.587, 0.114]).reshape(1, 3, 1, 1)
        self.register_buffer("luma", luma, persistent=False)

    @torch.no_grad()
    def forward(self, images: Tensor) -> Tensor:
        x = images.permute(0, 3, 1, 2).float()
        padded = ((x - GREY).abs().amax(1, keepdim=True) < 0.5).float()
        # A px of that very grey inside the picture is no padding: only whole rows and columns are.
        bars = torch.maximum(
            padded.amin(3, keepdim=True).expand_as(padded),
            padded.amin(2, keepdim=True).expand_as(padded),
        )
        shown = 1.0 - F.max_pool2d(bars, 3, 1, 1)
        light = (x * self.luma).sum(1, keepdim=True)
        found = []
        level, mask = light, shown
        for k in range(LEVELS):
            found += self._level(level, mask, FINE if k == 0 else COARSE, 2 if k == 0 else 1)
            level, mask = F.avg_pool2d(level, 2), -F.max_pool2d(-mask, 2)
        return torch.cat([*found, *_colours(x, light, shown)], 1)

    def _level(
        self, light: Tensor, shown: Tensor, at: tuple[float, ...], every: int
    ) -> list[Tensor]:
        """Differences at each `every`-th px: a quarter of the finest scale's says the same."""
        shown = shown[:, :, ::every, ::every]
        apart = F.conv2d(light, self.kernels, padding=1, stride=every).abs() * shown
        count = shown.sum((2, 3)).clamp(min=1)
        found = [(apart / (apart + one)).sum((2, 3)) / count for one in at]
        side = shown.shape[2] // BLOCKS
        weight = F.avg_pool2d(shown, side)
        whole = (weight > 0.99).float()
        energy = (F.avg_pool2d(apart, side) / weight.clamp(min=0.01)).clamp(min=0.05).log()
        blocks = whole.sum((2, 3)).clamp(min=1)
        mean = (energy * whole).sum((2, 3)) / blocks
        spread = (((energy - mean[:, :, None, None]) ** 2) * whole).sum((2, 3)) / blocks
        smooth = (torch.sigmoid(-4 * energy) * whole).sum((2, 3)) / blocks
        return [*found, mean, (spread + 1e-6).sqrt(), smooth]


def _colours(x: Tensor, light: Tensor, shown: Tensor) -> list[Tensor]:
    """Mean and spread of the channels, of the saturation, and how fine the colours change."""
    count = shown.sum((2, 3)).clamp(min=1)

    def mean(values: Tensor) -> Tensor:
        return (values * shown).sum((2, 3)) / count

    level = mean(x)
    spread = (mean((x - level[:, :, None, None]) ** 2) + 1e-6).sqrt()
    colourful = x.amax(1, keepdim=True) - x.amin(1, keepdim=True)
    apart = x - light
    step = (apart[:, ::2, :, 1:] - apart[:, ::2, :, :-1]).abs()
    return [
        level / 50, spread / 20, mean(colourful) / 20,
        (mean((colourful - mean(colourful)[:, :, None, None]) ** 2) + 1e-6).sqrt() / 20,
        (step * shown[..., 1:]).sum((2, 3)) / count,
    ]  # fmt: skip
