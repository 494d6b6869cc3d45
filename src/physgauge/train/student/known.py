"""What lies outside a student's knowledge: a distance from its training images, and a trained rejector.

Both read means and spreads of features at all depths. The distance (Mahalanobis, 1936; for networks
K. Lee et al., "A simple unified framework for detecting out-of-distribution samples", 2018) is that in
the directions in which training images differ, and what is left beside them. The rejector has learned
training images against pictures of nothing. An image is known if it is neither far nor rejected.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from physgauge.train.part_detector import negatives
from physgauge.types import F32, F64, U8

DIRECTIONS = 96
HIDDEN = 32
STEEPNESS = 4.0
"""`known` is sigmoid(-STEEPNESS u), u the excess over the limits: 0.5 at a limit."""
EPOCHS = 300


@dataclass(frozen=True)
class Fitted:
    """A fitted detector of what is unknown."""

    module: Known
    false_rejection: float
    """Share of the images that it was fitted on, but not with, which it rejects."""
    rejected: float
    """Share of pictures of nothing that it rejects, others than those it has learned."""


class Known(nn.Module):
    """Statistics [B, T] to P(known) [B]."""

    mean: Tensor
    spread: Tensor
    axes: Tensor
    size: Tensor
    limit: Tensor
    unit: Tensor

    def __init__(self, statistics: int, directions: int = DIRECTIONS) -> None:
        super().__init__()
        k = min(directions, statistics)
        self.register_buffer("mean", torch.zeros(statistics))
        self.register_buffer("spread", torch.ones(statistics))
        self.register_buffer("axes", torch.zeros(statistics, k))
        self.register_buffer("size", torch.ones(k))
        self.register_buffer("limit", torch.full((3,), 1e9))
        self.register_buffer("unit", torch.ones(3))
        self.reject = nn.Sequential(nn.Linear(k, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def strangeness(self, statistics: Tensor) -> Tensor:
        """[B, 3]: log distance along the axes, log distance beside them, and the rejector's logit."""
        x = ((statistics - self.mean) / self.spread).clamp(-30, 30)
        along = x @ self.axes
        white = along / self.size
        rest = ((x * x).sum(1) - (along * along).sum(1)).clamp(min=1e-6)
        far = (white * white).mean(1).clamp(min=1e-6)
        return torch.stack([far.log(), rest.log(), self.reject(white.clamp(-6, 6))[:, 0]], 1)

    def forward(self, statistics: Tensor) -> Tensor:
        excess = ((self.strangeness(statistics) - self.limit) / self.unit).amax(1)
        return torch.sigmoid(-STEEPNESS * excess)


Look = Callable[[U8], F32]
"""Images [N, S, S, 3] to statistics [N, T]."""


def fit(look: Look, training: U8, aside: U8, false_rejection: float, seed: int = 0) -> Fitted:
    """Fit on images and on pictures of nothing.

    Args:
        look: the network.
        training: [N, S, S, 3] images that it was trained on.
        aside: [M, S, S, 3] such images that it was not trained on: limits come from them.
        false_rejection: share of them that may be rejected, by all limits together.
        seed: of the pictures of nothing.
    """
    rng = np.random.default_rng((seed, 7))
    usual = np.concatenate([look(training), look(changed(training, rng))])
    strange = look(nothing(training, rng, min(600, max(64, len(training) // 2))))
    module = Known(usual.shape[1])
    _axes(module, usual)
    _learn(module, usual, strange, seed)
    own = np.concatenate([look(aside), look(changed(aside, rng))])
    other = look(nothing(aside, rng, max(32, len(aside) // 4)))
    _limits(module, own, false_rejection)
    with torch.no_grad():
        known, unknown = (module(torch.from_numpy(s)).numpy() < 0.5 for s in (own, other))
    return Fitted(module.eval(), float(known.mean()), float(unknown.mean()))


def changed(images: U8, rng: np.random.Generator) -> U8:
    """As the same pictures might come from elsewhere: another resolution, another JPEG, a little lighter.

    Mild: whatever is allowed here widens what counts as known."""
    return np.stack([_changed(np.array(image), rng) for image in images])


def _changed(image: U8, rng: np.random.Generator) -> U8:
    side = image.shape[0]
    picture = Image.fromarray(image)
    if rng.random() < 0.6:
        small = int(side * rng.uniform(0.6, 1.0))
        picture = picture.resize((small, small), Image.Resampling.BILINEAR)
        picture = picture.resize((side, side), Image.Resampling.BICUBIC)
    if rng.random() < 0.5:
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=int(rng.integers(60, 96)))
        picture = Image.open(buffer)
    gain = np.exp(rng.normal(0, 0.06))
    lighter: U8 = np.clip(np.asarray(picture) * gain, 0, 255).astype(np.uint8)
    return lighter


def nothing(images: U8, rng: np.random.Generator, count: int) -> U8:
    """Procedural pictures, noise, and images whose tiles are shuffled or which noise covers."""
    side = images.shape[1]
    return np.stack([_nothing(images, rng, side) for _ in range(count)])


def _nothing(images: U8, rng: np.random.Generator, side: int) -> U8:
    kind = rng.random()
    if kind < 0.5:
        return negatives.draw(rng, side)
    if kind < 0.7:
        return _noise(rng, side)
    image = np.array(images[rng.integers(len(images))])
    if kind < 0.85:
        return negatives.shuffled(rng, image, int(rng.integers(4, 20)))
    grain = rng.normal(0, rng.uniform(25, 90), (side, side, 1 if rng.random() < 0.5 else 3))
    noisy: U8 = np.clip(image + grain, 0, 255).astype(np.uint8)
    return noisy


def _noise(rng: np.random.Generator, side: int) -> U8:
    """Independent pixels or blocks of them, grey or coloured, evenly or normally distributed."""
    block = int(rng.choice([1, 1, 2, 4, 8]))
    n = -(-side // block)
    shape = (n, n, 1 if rng.random() < 0.3 else 3)
    if rng.random() < 0.5:
        field = rng.uniform(0, 255, shape)
    else:
        field = rng.normal(rng.uniform(60, 190), rng.uniform(20, 80), shape)
    full = np.clip(field, 0, 255).repeat(block, 0).repeat(block, 1)[:side, :side]
    return np.ascontiguousarray(np.broadcast_to(full, (side, side, 3)).astype(np.uint8))


def _axes(module: Known, usual: F32) -> None:
    """Standard scores, and the directions in which they differ most."""
    mean, spread = usual.mean(0), usual.std(0) + 1e-4
    scores = ((usual - mean) / spread).clip(-30, 30).astype(np.float64)
    values, vectors = np.linalg.eigh(np.cov(scores, rowvar=False))
    k = module.axes.shape[1]
    module.mean.copy_(torch.from_numpy(mean))
    module.spread.copy_(torch.from_numpy(spread))
    module.axes.copy_(torch.from_numpy(vectors[:, ::-1][:, :k].copy()))
    module.size.copy_(torch.from_numpy(np.sqrt(np.maximum(values[::-1][:k], 1e-4)).copy()))


def _learn(module: Known, usual: F32, strange: F32, seed: int) -> None:
    """The rejector: > 0 is strange."""
    torch.manual_seed(seed)
    with torch.no_grad():
        x = torch.from_numpy(np.concatenate([usual, strange]))
        scores = ((x - module.mean) / module.spread).clamp(-30, 30)
        white = (scores @ module.axes / module.size).clamp(-6, 6)
    target = torch.cat([torch.zeros(len(usual)), torch.ones(len(strange))])
    weight = torch.where(target > 0, len(usual) / len(strange), 1.0)
    optimizer = torch.optim.AdamW(module.reject.parameters(), lr=3e-3, weight_decay=1e-2)
    loss = nn.BCEWithLogitsLoss(weight)
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        value = loss(module.reject(white)[:, 0], target)
        torch.autograd.backward([value])
        optimizer.step()


def _limits(module: Known, own: F32, false_rejection: float) -> None:
    """The tightest limits, at one quantile for all, that reject no more than this share of `own`."""
    with torch.no_grad():
        strangeness: F64 = module.strangeness(torch.from_numpy(own)).numpy().astype(np.float64)
    for share in np.linspace(false_rejection, 0, 61):
        limit = np.quantile(strangeness, 1 - share, axis=0)
        if _beyond(strangeness, limit) <= false_rejection:
            break
    limit = limit + 1e-6
    unit = np.maximum(limit - np.median(strangeness, axis=0), 1e-3)
    module.limit.copy_(torch.from_numpy(limit))
    module.unit.copy_(torch.from_numpy(unit))


def _beyond(strangeness: F64, limit: NDArray[np.float64]) -> float:
    return float((strangeness > limit).any(1).mean())
