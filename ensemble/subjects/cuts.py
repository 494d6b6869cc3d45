"""Straight cuts between part boxes: is there one that leaves a whole subject on either side?

A cut puts the boxes whose centres are before a line on one side and the others on the other; lines of
four directions are tried between each two neighbours. What ranks cuts are counts and ratios of lengths,
and the directions are each other's mirror images: a mirrored or enlarged picture is cut alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from physgauge.types import F32, F64, I64, Bools

DIRECTIONS: Final = np.array([[1, 0], [0, 1], [1, 1], [1, -1]], np.float64) / np.array(
    [[1.0], [1.0], [2**0.5], [2**0.5]]
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The boxes of one domain of one picture; n boxes, K anchors."""

    xyxy: F32
    """[n, 4] px."""
    score: F32
    """[n] 0..1."""
    component: I64
    """[n] index of the pack's component."""
    anchor: Bools
    """[n, K] whether a box is of an anchor, a component of `Single.most`."""
    most: I64
    """[K] how many of an anchor one subject has."""
    least: int
    """So many different anchors make a subject."""
    floor: tuple[int, int]
    """Fewest different components and fewest boxes of a subject (`Pack.evidence`)."""

    def where(self, mine: Bools) -> Parts:
        """The boxes where `mine` [n]."""
        return Parts(
            self.xyxy[mine], self.score[mine], self.component[mine], self.anchor[mine],
            self.most, self.least, self.floor,
        )  # fmt: skip

    @property
    def calls(self) -> tuple[int, int]:
        """How many subjects the anchors call for: the most that any one of them does, and the most that
        two of them do."""
        two, one = np.sort(called(self.anchor.sum(0), self.most))[-2:]
        return int(one), int(two)

    @property
    def whole(self) -> bool:
        """Whether there are enough for a subject."""
        components, boxes = self.floor
        anchors = int(self.anchor.any(0).sum())
        return (
            anchors >= self.least
            and len(self.score) >= boxes
            and len(np.unique(self.component)) >= components
        )


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to cut parts in two, with enough for a subject on either side."""

    first: Bools
    """[n] the boxes of one side."""
    calls: int
    """How many subjects two anchors or more call for, on either side together."""
    apart: float
    """How far apart the sides are across the line, in diagonals of the smaller; below 0: they overlap."""
    rank: tuple[float, ...]
    """The lower, the better: fewest subjects called for, fewest surplus parts, farthest apart."""


def best_cut(parts: Parts) -> Cut | None:
    """The best cut of all; None where none leaves a whole subject on either side."""
    if len(parts.score) < 2 * parts.least:
        return None
    cuts = [cut for direction in DIRECTIONS for cut in _along(parts, direction)]
    return min(cuts, key=lambda cut: cut.rank, default=None)


def _along(parts: Parts, direction: F64) -> list[Cut]:
    """The best cuts across one direction: those that call for the fewest subjects and, of these, leave
    the fewest surplus parts."""
    box = parts.xyxy.astype(np.float64)
    middle = (box[:, :2] + box[:, 2:]) / 2 @ direction
    # How far a box reaches from its middle, either way.
    reach = (box[:, 2:] - box[:, :2]) / 2 @ np.abs(direction)
    order = np.argsort(middle, kind="stable")
    middle, reach, box, anchor = middle[order], reach[order], box[order], parts.anchor[order]
    before = np.cumsum(anchor, axis=0)[:-1]
    after = anchor.sum(0) - before
    calls, surplus = np.zeros(len(before), np.int64), np.zeros(len(before), np.int64)
    for side in (before, after):
        called_for = np.sort(called(np.asarray(side, np.int64), parts.most), axis=1)[:, -2]
        calls += called_for
        surplus += np.maximum(side - called_for[:, None] * parts.most, 0).sum(1)
    good = (np.diff(middle) > 0) & ((before > 0).sum(1) >= parts.least)
    good &= (after > 0).sum(1) >= parts.least
    good &= _enough(parts.component[order], parts.floor)
    if not good.any():
        return []
    good &= calls == calls[good].min()
    good &= surplus == surplus[good].min()
    gap = _running(middle - reach, np.minimum)[1] - _running(middle + reach, np.maximum)[0]
    size = np.minimum(*_diagonals(box))
    return [
        _cut(parts, order[: i + 1], int(calls[i]), gap[i] / size[i], int(surplus[i]))
        for i in np.flatnonzero(good)
    ]


def called(count: I64, most: I64) -> I64:
    """[..., K] how many subjects so many of each anchor call for, at least one."""
    return np.asarray(np.maximum(-(-count // most), 1), np.int64)


def _cut(parts: Parts, side: I64, calls: int, gap: float, surplus: int) -> Cut:
    first = np.zeros(len(parts.score), np.bool_)
    first[side] = True
    gap = round(float(gap), 6)
    mass = sorted((float(parts.score[first].sum()), float(parts.score[~first].sum())))
    # `mass` settles ties, so that a picture and its mirror image settle them alike.
    return Cut(first, calls, gap, (calls, surplus, -gap, *mass))


def _enough(component: I64, floor: tuple[int, int]) -> Bools:
    """[n - 1] whether both sides of each cut have the fewest components and boxes."""
    count = len(component)
    sides = np.arange(1, count)
    new = np.zeros((2, count), np.int64)
    for row, seen in enumerate((component, component[::-1])):
        new[row, np.unique(seen, return_index=True)[1]] = 1
    kinds = new.cumsum(1)[:, :-1]
    return np.asarray(
        (np.minimum(sides, count - sides) >= floor[1])
        & (np.minimum(kinds[0], kinds[1][::-1]) >= floor[0])
    )


def _running(values: F64, ufunc: np.ufunc) -> tuple[F64, F64]:
    """`ufunc` over what is before and over what is after each of the n - 1 cuts."""
    return (
        np.asarray(ufunc.accumulate(values))[:-1],
        np.asarray(ufunc.accumulate(values[::-1]))[::-1][1:],
    )


def _diagonals(box: F64) -> tuple[F64, F64]:
    """Diagonals of the hulls before and after each cut."""
    low, high = _running(box[:, :2], np.minimum), _running(box[:, 2:], np.maximum)
    before, after = (np.hypot(*(b - a).T) for a, b in zip(low, high, strict=True))
    return before, after


def apart(a: F32, b: F32) -> float:
    """How far apart two sets of boxes ([n, 4] and [m, 4]) are across the best of the lines, in diagonals
    of the smaller one; below 0 where they overlap across each."""
    spans = []
    for boxes in (a, b):
        box = boxes.astype(np.float64)
        middle = (box[:, :2] + box[:, 2:]) / 2 @ DIRECTIONS.T
        reach = (box[:, 2:] - box[:, :2]) / 2 @ np.abs(DIRECTIONS.T)
        size = float(np.hypot(*(box[:, 2:].max(0) - box[:, :2].min(0))))
        spans.append(((middle - reach).min(0), (middle + reach).max(0), size))
    (low_a, high_a, size_a), (low_b, high_b, size_b) = spans
    gap = np.maximum(low_b - high_a, low_a - high_b).max()
    return round(float(gap) / min(size_a, size_b), 6)
