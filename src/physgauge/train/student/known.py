"""What lies outside a student's knowledge: distances from its training images, and a trained rejector.

Distances are Mahalanobis' (1936; for networks K. Lee et al., "A simple unified framework for detecting
out-of-distribution samples", 2018): of the traces of a picture's making (`traces.py`), from eligible or
from other training images, whichever the student takes it for; and of means and spreads of features at
all depths, in the directions in which training images differ and beside them. The rejector has
learned training images against pictures of nothing. An image is known if no limit is passed.
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

from physgauge.ensemble.letterbox import letterbox
from physgauge.train.part_detector import negatives
from physgauge.train.student.traces import COUNT
from physgauge.types import F32, F64, U8, Bools

DIRECTIONS = 96
HIDDEN = 32
STEEPNESS = 4.0
"""`known` is sigmoid(-STEEPNESS u), u the excess over the limits: 0.5 at a limit."""
EPOCHS = 300
SHRINK = 0.02
"""Share of the mean variance that is added to every direction of the traces."""
PARTS = (1.0, 0.2, 0.2, 0.2)
"""How the limits share the images that may be rejected: traces, along, beside, rejector."""


@dataclass(frozen=True)
class Fitted:
    """A fitted detector of what is unknown."""

    module: Known
    false_rejection: float
    """Share of the images that its limits come from which it rejects."""
    rejected: float
    """Share of pictures of nothing that it rejects, others than those it has learned."""


class Known(nn.Module):
    """Statistics [B, T] and P(eligible) [B] to P(known) [B].

    The last `COUNT` statistics are the traces.
    """

    mean: Tensor
    spread: Tensor
    axes: Tensor
    size: Tensor
    trace_mean: Tensor
    trace_white: Tensor
    limit: Tensor
    unit: Tensor

    def __init__(self, statistics: int, directions: int = DIRECTIONS) -> None:
        super().__init__()
        deep = statistics - COUNT
        k = min(directions, deep)
        self.register_buffer("mean", torch.zeros(deep))
        self.register_buffer("spread", torch.ones(deep))
        self.register_buffer("axes", torch.zeros(deep, k))
        self.register_buffer("size", torch.ones(k))
        self.register_buffer("trace_mean", torch.zeros(2, COUNT))
        self.register_buffer("trace_white", torch.zeros(2, COUNT, COUNT))
        self.register_buffer("limit", torch.full((2, 4), 1e9))
        self.register_buffer("unit", torch.ones(2, 4))
        self.reject = nn.Sequential(nn.Linear(k + COUNT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def strangeness(self, statistics: Tensor, kind: int) -> Tensor:
        """[B, 4], taken for eligible (0) or not (1): log distance of the traces, log distance along the
        axes of the features and beside them, and the rejector's logit."""
        deep, traces = statistics[:, :-COUNT], statistics[:, -COUNT:]
        x = ((deep - self.mean) / self.spread).clamp(-30, 30)
        along = x @ self.axes
        white = along / self.size
        rest = ((x * x).sum(1) - (along * along).sum(1)).clamp(min=1e-6)
        trace = (traces - self.trace_mean[kind]) @ self.trace_white[kind]
        own = (traces - self.trace_mean[0]) @ self.trace_white[0]
        logit = self.reject(torch.cat([white.clamp(-6, 6), own.clamp(-12, 12)], 1))[:, 0]
        far = (white * white).mean(1).clamp(min=1e-6)
        made = (trace * trace).mean(1).clamp(min=1e-6)
        return torch.stack([made.log(), far.log(), rest.log(), logit], 1)

    def excess(self, statistics: Tensor) -> Tensor:
        """[B, 2] over the limits, in units of what is usual; 0 at a limit."""
        found = [
            ((self.strangeness(statistics, k) - self.limit[k]) / self.unit[k]).amax(1)
            for k in (0, 1)
        ]
        return torch.stack(found, 1)

    def forward(self, statistics: Tensor, eligible: Tensor) -> Tensor:
        excess = self.excess(statistics)
        taken = torch.where(eligible >= 0.5, excess[:, 0], excess[:, 1])
        return torch.sigmoid(-STEEPNESS * taken)


Look = Callable[[U8], tuple[F32, F32]]
"""Images [N, S, S, 3] to statistics [N, T] and P(eligible) [N]."""


def fit(look: Look, training: U8, aside: U8, false_rejection: float, seed: int = 0) -> Fitted:
    """Fit on images and on pictures of nothing.

    Args:
        look: the network; which kind an image is, it says itself.
        training: [N, S, S, 3] images that it was trained on.
        aside: [M, S, S, 3] such images that it was not trained on: limits come from them.
        false_rejection: share of them that may be rejected, by all limits together.
        seed: of the pictures of nothing.
    """
    rng = np.random.default_rng((seed, 7))
    usual, kind = _both(look(training), look(changed(training, rng)))
    strange, _ = look(nothing(training, rng, min(600, max(64, len(training) // 2))))
    module = Known(usual.shape[1])
    _axes(module, usual[:, :-COUNT])
    _traces(module, usual[:, -COUNT:], kind)
    _learn(module, usual, strange, seed)
    own, taken = _both(look(aside), look(changed(aside, rng)))
    other, as_ = look(nothing(aside, rng, max(16, len(aside) // 4)))
    _limits(module, own, taken, false_rejection)
    with torch.no_grad():
        known, unknown = (
            module(torch.from_numpy(s), torch.from_numpy(p)).numpy() < 0.5
            for s, p in ((own, 1.0 - taken.astype(np.float32)), (other, as_))
        )
    return Fitted(module.eval(), float(known.mean()), float(unknown.mean()))


def _both(a: tuple[F32, F32], b: tuple[F32, F32]) -> tuple[F32, Bools]:
    """Statistics of two looks, and which images are taken for not eligible."""
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]]) < 0.5


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
    return _other_shape(lighter, rng) if rng.random() < 0.4 else lighter


def _other_shape(image: U8, rng: np.random.Generator) -> U8:
    """Cut to another aspect, and put into the square with bars."""
    side = image.shape[0]
    kept = int(side * rng.uniform(0.5, 0.95))
    start = int(rng.integers(0, side - kept + 1))
    wide = rng.random() < 0.5
    part = image[start : start + kept] if wide else image[:, start : start + kept]
    return letterbox(np.ascontiguousarray(part), side)[0]


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


def _traces(module: Known, usual: F32, other: Bools) -> None:
    """Whitening of the traces of eligible images and of the others; of all, where one kind is rare."""
    for kind in (0, 1):
        own = usual[other == bool(kind)].astype(np.float64)
        some = own if len(own) >= 2 * COUNT else usual.astype(np.float64)
        spread = some.std(0) + 1e-3
        covariance = np.cov((some - some.mean(0)) / spread, rowvar=False)
        values, vectors = np.linalg.eigh(covariance + SHRINK * np.eye(COUNT))
        white = vectors / np.sqrt(np.maximum(values, SHRINK)) / spread[:, None]
        module.trace_mean[kind].copy_(torch.from_numpy(some.mean(0)))
        module.trace_white[kind].copy_(torch.from_numpy(white))


def _learn(module: Known, usual: F32, strange: F32, seed: int) -> None:
    """The rejector: > 0 is strange."""
    torch.manual_seed(seed)
    with torch.no_grad():
        every = torch.from_numpy(np.concatenate([usual, strange]))
        deep, traces = every[:, :-COUNT], every[:, -COUNT:]
        scores = ((deep - module.mean) / module.spread).clamp(-30, 30)
        white = (scores @ module.axes / module.size).clamp(-6, 6)
        own = ((traces - module.trace_mean[0]) @ module.trace_white[0]).clamp(-12, 12)
        x = torch.cat([white, own], 1)
    target = torch.cat([torch.zeros(len(usual)), torch.ones(len(strange))])
    weight = torch.where(target > 0, len(usual) / len(strange), 1.0)
    optimizer = torch.optim.AdamW(module.reject.parameters(), lr=3e-3, weight_decay=1e-2)
    loss = nn.BCEWithLogitsLoss(weight)
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        value = loss(module.reject(x)[:, 0], target)
        torch.autograd.backward([value])
        optimizer.step()


def _limits(module: Known, own: F32, other: Bools, false_rejection: float) -> None:
    """The tightest limits in the proportions of `PARTS` that reject no more than this share of `own`."""
    for kind in (0, 1):
        some = own[other == bool(kind)]
        some = some if len(some) >= 20 else own
        with torch.no_grad():
            found: F64 = module.strangeness(torch.from_numpy(some), kind).numpy().astype(np.float64)
        for share in np.linspace(false_rejection, 0, 61):
            limit = np.array(
                [np.quantile(f, 1 - share * p) for f, p in zip(found.T, PARTS, strict=True)]
            )
            if _beyond(found, limit) <= false_rejection:
                break
        limit = limit + 1e-6
        unit = np.maximum(limit - np.median(found, axis=0), 1e-3)
        module.limit[kind].copy_(torch.from_numpy(limit))
        module.unit[kind].copy_(torch.from_numpy(unit))


def _beyond(strangeness: F64, limit: NDArray[np.float64]) -> float:
    return float((strangeness > limit).any(1).mean())
