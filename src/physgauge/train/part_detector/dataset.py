"""Samples to batches of tensors, in worker processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from physgauge.train.part_detector import augment, negatives
from physgauge.train.part_detector.records import NONE_DOMAIN, Sample
from physgauge.types import F32, U8

UNKNOWN = -1
"""Domain or view target of an input that teaches that head nothing."""
WHOLE_SHARE = 0.6
"""An input that keeps fewer of its image's parts teaches the image heads nothing."""


@dataclass(frozen=True)
class Batch:
    """B network inputs, up to M boxes each."""

    images: Tensor
    """[B, S, S, 3] uint8."""
    boxes: Tensor
    """[B, M, 4] float32 px; zeros behind the last."""
    labels: Tensor
    """[B, M] int64; -1 behind the last."""
    ignore: Tensor
    """[B, M] bool."""
    domain: Tensor
    """[B] int64, UNKNOWN to skip."""
    view: Tensor
    """[B] int64, UNKNOWN to skip."""
    parts_known: Tensor
    """[B] bool; False where the tiles were shuffled: nothing is learned about parts there."""


@dataclass(frozen=True)
class Item:
    """One network input before stacking; see Batch."""

    image: U8
    boxes: F32
    labels: NDArray[np.int64]
    ignore: NDArray[np.bool_]
    domain: int
    view: int
    parts_known: bool = True


class TrainSet(Dataset[Item]):
    """Random views of samples with procedural negatives mixed in; index = number of the draw.

    Args:
        samples: the images.
        size: side of the network's input, px.
        bank: [N, P, P, 3] procedural negatives.
        seed: of everything random; draw k of a seed is always the same input.
        negative_share: share of inputs replaced by a procedural negative.
        shuffle_share: share of inputs whose tiles are shuffled (domain none).
        plain_share: share of inputs framed as at inference, neither scaled nor moved.
    """

    def __init__(
        self, samples: Sequence[Sample], size: int, bank: U8, seed: int,
        negative_share: float = 0.06, shuffle_share: float = 0.03, plain_share: float = 0.3,
    ) -> None:  # fmt: skip
        self.samples = samples
        self.size = size
        self.bank = bank
        self.seed = seed
        self.negative_share = negative_share
        self.shuffle_share = shuffle_share
        self.plain_share = plain_share
        self._epoch = -1
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)

    def sample_of(self, draw: int) -> Sample:
        """The sample behind a draw: each epoch is one permutation."""
        epoch, place = divmod(draw, len(self.samples))
        if epoch != self._epoch:
            self._order = np.random.default_rng((self.seed, epoch)).permutation(len(self.samples))
            self._epoch = epoch
        return self.samples[int(self._order[place])]

    def __getitem__(self, draw: int) -> Item:
        rng = np.random.default_rng((self.seed, 1, draw))
        kind = rng.random()
        if kind < self.negative_share:
            return self._negative(rng)
        sample = self.sample_of(draw)
        with Image.open(sample.path) as file:
            view = augment.random_view(
                file.convert("RGB"), sample.xyxy, self.size, rng, self.plain_share
            )
        if len(sample.label) and kind < self.negative_share + self.shuffle_share:
            tiles = negatives.shuffled(rng, view.image, int(rng.integers(8, 15)))
            empty = augment.View(tiles, view.xyxy[:0], view.ignore[:0])
            return _item(empty, sample.label[:0], NONE_DOMAIN, 0, parts_known=False)
        whole = view.ignore.sum() <= (1 - WHOLE_SHARE) * len(view.ignore)
        domain, angle = (sample.domain, sample.view) if whole else (UNKNOWN, UNKNOWN)
        return _item(view, sample.label, domain, angle)

    def _negative(self, rng: np.random.Generator) -> Item:
        image = Image.fromarray(self.bank[rng.integers(len(self.bank))])
        view = augment.random_view(image, np.zeros((0, 4), np.float32), self.size, rng)
        return _item(view, np.zeros(0, np.int64), NONE_DOMAIN, 0)


def _item(
    view: augment.View, labels: NDArray[np.int64], domain: int, angle: int, parts_known: bool = True
) -> Item:
    there = (view.xyxy[:, 2:] > view.xyxy[:, :2]).all(1)
    return Item(
        view.image, view.xyxy[there], labels[there], view.ignore[there], domain, angle, parts_known
    )


def collate(items: Sequence[Item]) -> Batch:
    """Stack items; boxes are padded to the longest list."""
    count, most = len(items), max(1, *(len(i.labels) for i in items))
    boxes = np.zeros((count, most, 4), np.float32)
    labels = np.full((count, most), -1, np.int64)
    ignore = np.zeros((count, most), np.bool_)
    for row, item in enumerate(items):
        n = len(item.labels)
        boxes[row, :n], labels[row, :n], ignore[row, :n] = item.boxes, item.labels, item.ignore
    return Batch(
        images=torch.from_numpy(np.stack([i.image for i in items])),
        boxes=torch.from_numpy(boxes),
        labels=torch.from_numpy(labels),
        ignore=torch.from_numpy(ignore),
        domain=torch.tensor([i.domain for i in items]),
        view=torch.tensor([i.view for i in items]),
        parts_known=torch.tensor([i.parts_known for i in items]),
    )


@dataclass(frozen=True)
class Share:
    """One process's part of each step's draws."""

    batch_size: int
    """Inputs per step of this process."""
    rank: int = 0
    size: int = 1


def batches(
    dataset: TrainSet, share: Share, first: int, last: int, workers: int
) -> DataLoader[Item]:
    """The batches of steps `first`..`last` - 1 (so that a run can be resumed) for one process."""
    step = share.batch_size * share.size
    starts = range(first * step + share.rank * share.batch_size, last * step, step)
    return DataLoader(
        dataset,
        batch_sampler=[list(range(s, s + share.batch_size)) for s in starts],
        num_workers=workers,
        collate_fn=collate,
        prefetch_factor=4 if workers else None,
        worker_init_fn=_one_thread,
    )


def _one_thread(_worker: int) -> None:
    torch.set_num_threads(1)
