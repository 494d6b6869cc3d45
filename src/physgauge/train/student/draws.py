"""Batches in which both twins of a pair meet, in worker processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from physgauge.train.part_detector.dataset import Share
from physgauge.train.student import augment
from physgauge.train.student.records import Records, Targets
from physgauge.types import U8, Bools


@dataclass(frozen=True)
class Batch:
    """B inputs; twins next to each other, the violated one first. Fields as in `Targets`."""

    images: Tensor
    """[B, S, S, 3] uint8."""
    eligible: Tensor
    yes: Tensor
    major: Tensor
    family: Tensor
    about: Tensor
    where: Tensor
    """[B, 16, 16] float32, 0..1."""
    placed: Tensor
    twins: Tensor
    """[P, 2] int64: places of violated and clean twins in the batch."""


Unit = tuple[int, int]
"""Two images that are drawn together: twins, the violated one first, or any two that have no twin."""


def units(records: Records, lone: NDArray[np.int64]) -> list[Unit]:
    """All pairs, then the images without twins two by two, in the order of `lone`."""
    violated: Bools = np.any(records.targets.yes >= 0.5, axis=1)
    by_pair: dict[int, list[int]] = {}
    for i in np.flatnonzero(records.pair >= 0):
        by_pair.setdefault(int(records.pair[i]), []).append(int(i))
    pairs = [sorted(p, key=lambda i: not violated[i]) for p in by_pair.values() if len(p) == 2]
    single = [int(i) for i in lone] + [p[0] for p in by_pair.values() if len(p) != 2]
    if len(single) % 2:
        single.append(single[0])
    return [(a, b) for a, b in pairs] + list(zip(single[::2], single[1::2], strict=True))


class Draws(Dataset[tuple[list[U8], Targets, bool]]):
    """Index k: the k-th unit that is drawn; each epoch is one permutation.

    Args:
        pixels: [N, S, S, 3].
        records: of the same N images.
        seed: of everything random; draw k of a seed is always the same.
        plain_share: share of the draws framed as at inference.
        mirrored: index of the probe about lettering, whose answer a mirrored image hides; None: there
            is none.
        size: side of the inputs, px; smaller than S: shrunk, and close looks are cut out unshrunk.
        close: share of the other draws that look closely at a part.
    """

    def __init__(
        self, pixels: U8, records: Records, seed: int, plain_share: float, mirrored: int | None,
        size: int, close: float = 0.0,
    ) -> None:  # fmt: skip
        self.pixels, self.records, self.seed = pixels, records, seed
        self.plain_share, self.mirrored, self.size, self.close = plain_share, mirrored, size, close
        self._epoch, self._units = -1, list[Unit]()
        self.count = len(units(records, np.flatnonzero(records.pair < 0)))

    def __getstate__(self) -> dict[str, Any]:
        """For worker processes: pixels that are mapped from a file are mapped again, not copied."""
        pixels: Any = self.pixels
        sent = pixels.filename if isinstance(pixels, np.memmap) else pixels
        return {**self.__dict__, "pixels": sent}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if not isinstance(self.pixels, np.ndarray):
            self.pixels = np.load(self.pixels, mmap_mode="r")

    def unit(self, draw: int) -> Unit:
        """The images of a draw."""
        epoch, place = divmod(draw, self.count)
        if epoch != self._epoch:
            rng = np.random.default_rng((self.seed, epoch))
            all_units = units(self.records, rng.permutation(np.flatnonzero(self.records.pair < 0)))
            self._units = [all_units[i] for i in rng.permutation(self.count)]
            self._epoch = epoch
        return self._units[place]

    def __getitem__(self, draw: int) -> tuple[list[U8], Targets, bool]:
        pair = self.unit(draw)
        targets = self.records.targets.of(np.array(pair))
        twins = (
            self.records.pair[pair[0]] >= 0 and len({int(self.records.pair[i]) for i in pair}) == 1
        )
        views = self._views(np.random.default_rng((self.seed, 1, draw)), targets, twins)
        images = [
            view.pixels(np.asarray(self.pixels[i]), self.size)
            for view, i in zip(views, pair, strict=True)
        ]
        return (
            images,
            self._shown(targets, views),
            bool(twins) and bool(_in_view(targets, views)[0]),
        )

    def _views(self, rng: np.random.Generator, targets: Targets, twins: bool) -> list[augment.View]:
        """One a picture, the same for twins."""

        def drawn(k: int) -> augment.View:
            side = self.size / self.pixels.shape[1]
            return augment.draw(rng, targets.where[k], self.plain_share, self.close, side)

        views = [drawn(0)]
        if self.mirrored is not None and targets.about[0] == self.mirrored:
            views = [replace(views[0], flip=False)]
        return views + (views if twins else [drawn(1)])

    def _shown(self, targets: Targets, views: Sequence[augment.View]) -> Targets:
        """What the views show of the targets: a violation out of view is none."""
        where = np.stack([v.where(m) for v, m in zip(views, targets.where, strict=True)])
        yes, major = targets.yes.copy(), targets.major.copy()
        gone = ~_in_view(targets, views)
        yes[gone] = np.where(np.isnan(yes[gone]), np.nan, 0)
        major[gone] = np.nan
        where[gone] = 0
        if self.mirrored is not None:
            yes[[view.flip for view in views], self.mirrored] = np.nan
        return replace(targets, yes=yes, major=major, where=where)


def _in_view(targets: Targets, views: Sequence[augment.View]) -> Bools:
    """[N] whether the violation is in the view, or there is none."""
    return np.array([v.shows(m) > augment.LOST for v, m in zip(views, targets.where, strict=True)])


def collate(items: Sequence[tuple[list[U8], Targets, bool]]) -> Batch:
    """Stack units."""
    every = [targets for _, targets, _ in items]

    def joined(name: str) -> Tensor:
        return torch.from_numpy(np.concatenate([getattr(t, name) for t in every]))

    twins = [[2 * k, 2 * k + 1] for k, (_, _, together) in enumerate(items) if together]
    return Batch(
        images=torch.from_numpy(np.stack([image for images, _, _ in items for image in images])),
        where=joined("where").float() / 255,
        twins=torch.tensor(twins, dtype=torch.int64).reshape(-1, 2),
        **{n: joined(n) for n in ("eligible", "yes", "major", "family", "about", "placed")},
    )


def batches(
    draws: Draws, share: Share, first: int, last: int, workers: int
) -> DataLoader[tuple[list[U8], Targets, bool]]:
    """The batches of steps `first`..`last` - 1 for one process; `share` counts images."""
    own = share.batch_size // 2
    step = own * share.size
    starts = range(first * step + share.rank * own, last * step, step)
    return DataLoader(
        draws,
        batch_sampler=[list(range(s, s + own)) for s in starts],
        num_workers=workers,
        collate_fn=collate,
        prefetch_factor=4 if workers else None,
        worker_init_fn=_one_thread,
    )


def _one_thread(_worker: int) -> None:
    torch.set_num_threads(1)
