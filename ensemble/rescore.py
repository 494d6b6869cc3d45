"""Contextual rescoring: how probable a candidate part is in view of all others in its image.

A detector scores each box by its pixels. Whether it is right also shows in its company: a third wing
where two sure ones are, a box that a surer one of another class covers, a wheel above the roof.
Felzenszwalb et al. (Object Detection with Discriminatively Trained Part Based Models, TPAMI 2010,
"Contextual Information") rescore boxes from such a context; here gradient-boosted trees do, fitted on a
detector's own boxes in scenes that it was not trained on (`physgauge.train.part_rescorer`). Knows the
model as a function only: `detect.py` runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from physgauge.ensemble.detector_contract import Contract
from physgauge.ensemble.overlap import overlaps
from physgauge.rules_kernel.fusion import nms
from physgauge.types import F32, F64, I16, VIEWS, Bools, Boxes

CANDIDATE: Final = 0.03
"""Boxes from this score are rescored, and are the context of others; others go."""
DUPLICATE_IOU: Final = 0.5
"""Candidates that overlap a surer one of their class this much go before."""
SURE: Final = 0.5
"""Candidates above this score span the subject."""
DIGITS: Final = 3
"""Decimal places of features."""
LEAST_P: Final = 1e-4
"""Scores are kept this far from 0 and 1, so that their logits are finite."""
GENERAL: Final = (
    "logit",
    "own_iou", "own_covered", "own_covers", "other_iou", "other_covered", "other_covers",
    "own_others", "own_surer", "own_surer_count",
    "domain_p", "none_p", "best_domain",
    "log_width", "log_height", "aside", "below", "border", "log_side", "log_subject", "subject_parts",
)  # fmt: skip


def feature_names(classes: Sequence[str]) -> tuple[str, ...]:
    """The columns of `features`, in order."""
    per_class = [
        f"{kind} {name}" for kind in ("is", "shares with", "number of") for name in classes
    ]
    return (*GENERAL, *per_class, *(f"view {name}" for name in VIEWS))


@dataclass(frozen=True, slots=True)
class Rescorer:
    """Fits a detector's classes; made by `detect.py`."""

    score: Callable[[F32], F32]
    """[N, F] features to [N] probabilities."""
    sha256: str

    def __call__(
        self, boxes: Boxes, contract: Contract, domain_p: F32, view_p: F32, size: F32
    ) -> Boxes:
        """The candidates of a batch without duplicates, with new scores, best first in each image.

        Args:
            boxes: a detector's boxes from CANDIDATE up.
            contract: the detector's classes and domains.
            domain_p: [B, D+1].
            view_p: [B, V].
            size: [B, 2] width and height of the images, px.
        """
        boxes = boxes.where(
            nms(boxes.xyxy, boxes.score, boxes.label, boxes.offsets, DUPLICATE_IOU, threads=1)
        )
        table = batch_features(boxes, contract, domain_p, view_p, size)
        score = np.round(self.score(table), 4) if len(table) else boxes.score
        image = np.repeat(np.arange(len(boxes)), np.diff(boxes.offsets))
        order = np.lexsort((-score, image))
        return Boxes(
            boxes.xyxy[order], score[order].astype(np.float32), boxes.label[order],
            boxes.source[order], boxes.offsets,
        )  # fmt: skip


def batch_features(boxes: Boxes, contract: Contract, domain_p: F32, view_p: F32, size: F32) -> F32:
    """[N, F] of all boxes of a batch; arguments as for `Rescorer`."""
    names = [name.partition(".")[0] for name in contract.classes]
    owner = np.array([contract.domains.index(name) for name in names])
    tables = [
        features(
            boxes.xyxy[boxes.of(i)].astype(np.float64), boxes.score[boxes.of(i)],
            boxes.label[boxes.of(i)], owner, domain_p[i], view_p[i], float(size[i].max()), size[i],
        )
        for i in range(len(boxes))
    ]  # fmt: skip
    empty = np.zeros((0, len(feature_names(contract.classes))), np.float32)
    return np.concatenate([empty, *tables])


def features(
    xyxy: F64, score: F32, label: I16, owner: np.ndarray, domain_p: F32, view_p: F32, longest: float,
    size: F32,
) -> F32:  # fmt: skip
    """Of n candidates of one image; lengths are relative to the subject or to the image's longest side.

    Args:
        xyxy: [n, 4] px.
        score: [n].
        label: [n] index into the K classes.
        owner: [K] the domain of each class, an index into `domain_p`.
        domain_p: [D+1], none last.
        view_p: [V].
        longest: longest side of the image, px.
        size: [2] width and height, px.
    """
    n, k = len(score), len(owner)
    if not n:
        return np.zeros((0, len(GENERAL) + 3 * k + len(view_p)), np.float32)
    p = np.clip(score.astype(np.float64), LEAST_P, 1 - LEAST_P)
    iou, covered, covers = _overlaps(xyxy)
    same = label[:, None] == label[None]
    np.fill_diagonal(same, False)
    surer = p[None] > p[:, None]
    own = np.where(same & surer, p[None], 0)
    other = np.where((label[:, None] != label[None]) & surer, p[None], 0)
    domain = owner[label]
    best = int(np.argmax(domain_p[:-1]))
    x0, y0, x1, y1 = xyxy.T
    hull = _subject(p, domain == best)
    hx0, hy0, hx1, hy1 = x0[hull].min(initial=np.inf), y0[hull].min(initial=np.inf), x1[hull].max(
        initial=-np.inf), y1[hull].max(initial=-np.inf)  # fmt: skip
    span = max(np.hypot(hx1 - hx0, hy1 - hy0), 1.0)
    border = np.minimum.reduce([x0, y0, size[0] - x1, size[1] - y1])
    one = np.ones(n)
    general = [
        np.log(p / (1 - p)),
        *((m * w).max(axis=1, initial=0) for w in (own, other) for m in (iou, covered, covers)),
        np.where(same, p[None], 0).sum(axis=1), own.sum(axis=1), (own > 0).sum(axis=1),
        domain_p[domain], domain_p[-1] * one, domain == best,
        np.log((x1 - x0) / span + 1e-3), np.log((y1 - y0) / span + 1e-3),
        np.abs((x0 + x1) - (hx0 + hx1)) / 2 / span, ((y0 + y1) - (hy0 + hy1)) / 2 / span,
        border / longest, np.log(np.minimum(x1 - x0, y1 - y0) / longest),
        np.log(span / longest) * one, hull.sum() * one,
    ]  # fmt: skip
    is_class = label[:, None] == np.arange(k)[None]
    # [n, K]: "shares with", the greatest IoU times score of a box of another class, surer or not;
    # "number of", the sum of the scores of each class's others.
    by_class = np.zeros((n, k))
    np.maximum.at(by_class.T, label, (iou * np.where(same, 0, p[None])).T)
    number = np.tile((is_class * p[:, None]).sum(axis=0), (n, 1)) - is_class * p[:, None]
    table = np.column_stack([*general, is_class, by_class, number, np.tile(view_p, (n, 1))])
    # Trees cut at numbers: the last digits, which a mirror image changes, must hardly ever matter.
    return np.round(table, DIGITS).astype(np.float32)


def _overlaps(xyxy: F64) -> tuple[F64, F64, F64]:
    """[n, n] of each pair: intersection over union, over the first's area, over the second's; 0 of one
    with itself."""
    pairs = overlaps(xyxy, xyxy)
    np.fill_diagonal(pairs.shared, 0)
    return pairs.iou, pairs.shared / pairs.first, pairs.shared / pairs.second


def _subject(p: F64, best: Bools) -> Bools:
    """The boxes that span the subject: the sure ones of its domain, or what comes nearest to that."""
    sure = p > SURE
    if (sure & best).sum() >= 2:
        return sure & best
    return sure if sure.any() else np.ones(len(p), np.bool_)
