"""Readings: which of the boxes that a detector is unsure of are there.

A score is the probability that a box is a part. To cut at one threshold is to take one reading of the
image for the truth: an ear that the detector gave 0.4 is missing, and a sound animal breaks a rule. So
each image is read several times, every unsure box being there in as many readings as its score says, and
the scores of the image are the means over its readings: the expected score if boxes are independent, as
TerraVis' soft score is over its probes. Boxes over one thing are not: they are alternatives, of which a
reading has one, and several only as often as their scores add up to more than one. What a row says of
single rules is of the likeliest reading.

The draws are fixed and stratified (a box of 0.4 is in 12 or 13 of 32, whatever else is drawn), and those
of a box depend on its rank among the unsure ones and on its alternatives alone: the same boxes always get
the same readings, in whatever batch, mirrored or not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from physgauge.config import DetectorSettings, ReadingSettings
from physgauge.ensemble.fuse import Fused, count
from physgauge.ensemble.overlap import overlaps
from physgauge.types import F32, F64, I64, Bools, Boxes

SEED = 5
"""Of the order in which a rank's strata are drawn."""
NAMES_IOU, BOXES_IOU, BOXES_INSIDE = 0.4, 0.15, 0.5
"""Unsure boxes are alternatives above this intersection over union; those of one class, already above the
second, or where the smaller has this share of its area inside the other."""
MOST_UNSURE = 256
"""Of more unsure boxes than this, only the surest are drawn; the rest count by the threshold."""


@dataclass(frozen=True, slots=True)
class Readings:
    """R readings of B images, those of an image together, its likeliest first."""

    fused: Fused
    """The readings as images of their own."""
    image: I64
    """[R] the image that each reading is of."""
    share: F64
    """[R] share of the image's draws, summing to 1; 0 for a likeliest reading that was not drawn."""
    likeliest: I64
    """[B] the reading with every box that reaches its detector's threshold, and no other."""

    def mean(self, values: NDArray[np.floating]) -> F64:
        """[B, ...] means of `values` [R, ...] over each image's readings, those that are NaN left out;
        NaN where all are."""
        known = ~np.isnan(values)
        share = self.share.reshape(-1, *[1] * (values.ndim - 1)) * known
        shape = (len(self.likeliest), *values.shape[1:])
        total, weight = np.zeros(shape), np.zeros(shape)
        np.add.at(total, self.image, share * np.where(known, values, 0.0))
        np.add.at(weight, self.image, share)
        with np.errstate(invalid="ignore"):
            return np.where(weight > 0, total / weight, np.nan)


def floor(detector: DetectorSettings, settings: ReadingSettings) -> float:
    """The least score of a box that any reading may have."""
    drawn = 1 - settings.sure if settings.draws > 1 else 1.0
    return min(detector.min_score, drawn)


def read(
    fused: Fused, settings: ReadingSettings, literal: frozenset[str] = frozenset()
) -> Readings:
    """The readings of a batch.

    Args:
        fused: what the batch shows, unsure boxes included.
        settings: how many draws, and from which score on a box is beyond doubt.
        literal: domains whose boxes count or do not, by the threshold alone.
    """
    images = len(fused.domain)
    keep: list[Bools] = []
    image: list[int] = []
    share: list[float] = []
    for i in range(images):
        span = fused.boxes.of(i)
        clear = fused.clear[span]
        drawn: list[tuple[Bools, float]] = [(clear, 1.0)]
        judged = fused.domain[i] is not None and fused.reason[i] is None
        if settings.draws > 1 and judged and fused.domain[i] not in literal:
            drawn = _draw(fused.boxes, span, clear, settings)
        for one, part in drawn:
            keep.append(one)
            image.append(i)
            share.append(part)
    owner = np.array(image, np.int64)
    return Readings(
        fused=_as_images(fused, owner, keep),
        image=owner,
        share=np.array(share, np.float64),
        likeliest=np.searchsorted(owner, np.arange(images)).astype(np.int64),
    )


def _draw(
    boxes: Boxes, span: slice, clear: Bools, settings: ReadingSettings
) -> list[tuple[Bools, float]]:
    """Which boxes of one image are in each of its readings, and the readings' shares."""
    score = boxes.score[span]
    unsure = np.flatnonzero((score > 1 - settings.sure) & (score < settings.sure))
    if not len(unsure):
        return [(clear, 1.0)]
    # By what a mirror image keeps, so that it is read alike.
    side = boxes.xyxy[span][unsure]
    area = (side[:, 2:] - side[:, :2]).prod(axis=1)
    unsure = unsure[np.lexsort((area, boxes.label[span][unsure], -score[unsure]))]
    unsure = unsure[:MOST_UNSURE]
    levels = _levels(settings.draws)[: len(unsure)]
    there = score[unsure] > _in_turn(levels, boxes, unsure + span.start).T
    counted: dict[bytes, int] = {clear[unsure].tobytes(): 0}
    for row in there:
        counted[row.tobytes()] = counted.get(row.tobytes(), 0) + 1
    readings = []
    for pattern, times in counted.items():
        one = clear.copy()
        one[unsure] = np.frombuffer(pattern, np.bool_)
        readings.append((one, times / settings.draws))
    return readings


def _in_turn(levels: F32, boxes: Boxes, unsure: I64) -> F32:
    """The levels [n, draws] of boxes in order, such that alternatives take turns.

    Systematic sampling: on a circle of circumference 1 the scores of alternatives are laid end to end,
    and a draw has those boxes on whose stretch its level falls. Each box keeps its share of the draws.
    """
    levels = levels.copy()
    over = _alternatives(boxes, unsure)
    group = np.arange(len(unsure))
    taken = np.zeros(len(unsure), np.float32)
    for n in range(len(unsure)):
        earlier = np.flatnonzero(over[n, :n])
        if len(earlier):
            first = group[n] = group[earlier[0]]
            levels[n] = (levels[first] - taken[first]) % 1
        taken[group[n]] += boxes.score[unsure[n]]
    return levels


def _alternatives(boxes: Boxes, unsure: I64) -> Bools:
    """[n, n] which boxes are over one thing: two names for it, or two boxes of one name."""
    box, label = boxes.xyxy[unsure].astype(np.float64), boxes.label[unsure]
    pairs = overlaps(box, box)
    inside = pairs.shared / np.minimum(pairs.first, pairs.second)
    same = label[:, None] == label
    of_class = same & ((pairs.iou > BOXES_IOU) | (inside > BOXES_INSIDE))
    over: Bools = (pairs.iou > NAMES_IOU) | of_class
    return over


@lru_cache(maxsize=8)
def _levels(draws: int) -> F32:
    """[MOST_UNSURE, draws] the score above which the box of a rank is there, in each draw: one level from
    the middle of every stratum, in an order of its own for each rank."""
    middle = (np.arange(draws, dtype=np.float32) + 0.5) / draws
    rng = np.random.default_rng(SEED)
    return np.stack([rng.permutation(middle) for _ in range(MOST_UNSURE)]).astype(np.float32)


def _as_images(fused: Fused, owner: I64, keep: list[Bools]) -> Fused:
    """The readings as a batch of images."""
    boxes = fused.boxes
    first = boxes.offsets[:-1][owner]
    index = (
        np.concatenate([start + np.flatnonzero(k) for start, k in zip(first, keep, strict=True)])
        if keep
        else np.zeros(0, np.int64)
    )
    offsets = np.concatenate([[0], np.cumsum([int(k.sum()) for k in keep])]).astype(np.int64)
    read = Boxes(
        boxes.xyxy[index], boxes.score[index], boxes.label[index], boxes.source[index], offsets
    )
    # The counts are of the clear boxes; a reading has so many more or fewer.
    clear = boxes.where(fused.clear)
    extra = count(read, len(fused.classes)) - count(clear, len(fused.classes))[owner]
    return replace(
        fused,
        boxes=read,
        clear=np.ones(len(index), np.bool_),
        counts=(fused.counts[owner] + extra).astype(np.float32),
        domain=tuple(fused.domain[i] for i in owner),
        likely=tuple(fused.likely[i] for i in owner),
        domain_p=fused.domain_p[owner],
        reason=tuple(fused.reason[i] for i in owner),
        view=fused.view[owner],
        looked=fused.looked[owner],
    )
