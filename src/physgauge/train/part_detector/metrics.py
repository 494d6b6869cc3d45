"""Average precision, precision and recall of detections, with ignored truth. NumPy only.

Matching follows COCO's evaluation (https://cocodataset.org/#detection-eval): per image and class, by
falling score, a detection takes the free truth box of highest IoU >= 0.5; truth that counts comes before
truth that is ignored. A detection on ignored truth, or an unmatched one smaller than the smallest size
that counts, is neither right nor wrong. AP is the mean precision at 101 recalls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from physgauge.ensemble.overlap import overlaps
from physgauge.types import F32

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Truth:
    """What is in one image."""

    xyxy: F32
    """[n, 4]."""
    label: NDArray[np.int64]
    """[n]."""
    ignore: Bools
    """[n]."""


@dataclass(frozen=True)
class Found:
    """What a detector says about one image (after suppression of duplicates)."""

    xyxy: F32
    """[m, 4]."""
    score: F32
    """[m]."""
    label: NDArray[np.int64]
    """[m]."""


@dataclass
class ClassCurve:
    """Judged detections of one class over a data set."""

    score: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    truths: int = 0

    def sorted(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Scores, falling, and whether each detection is right."""
        score = np.array(self.score)
        order = np.argsort(-score, kind="stable")
        return score[order], np.array(self.right, np.bool_)[order]

    def average_precision(self) -> float:
        """AP at IoU 0.5; NaN without truth."""
        if not self.truths:
            return float("nan")
        _, right = self.sorted()
        hits = np.cumsum(right)
        precision = hits / np.maximum(np.arange(1, len(right) + 1), 1)
        envelope = np.maximum.accumulate(precision[::-1])[::-1]
        place = np.searchsorted(hits / self.truths, np.linspace(0, 1, 101), side="left")
        return float(np.append(envelope, 0.0)[np.minimum(place, len(envelope))].mean())

    def at(self, threshold: float) -> tuple[float, float]:
        """Precision and recall of detections with score >= threshold; NaN where undefined."""
        kept = np.array(self.score) >= threshold
        hits = int(np.array(self.right, np.bool_)[kept].sum()) if len(kept) else 0
        precision = hits / kept.sum() if kept.any() else float("nan")
        return float(precision), hits / self.truths if self.truths else float("nan")

    def best_threshold(self) -> float:
        """The threshold that maximises F1, half-way to the next lower score; 0.5 without truth."""
        score, right = self.sorted()
        if not self.truths or not right.any():
            return 0.5
        hits = np.cumsum(right)
        f = 2 * hits / (np.arange(1, len(right) + 1) + self.truths)
        # Detections with equal scores are kept or dropped together.
        last = np.append(score[1:] < score[:-1], True)
        best = int(np.argmax(np.where(last, f, -1)))
        below = score[best + 1] if best + 1 < len(score) else 0.0
        return float((score[best] + below) / 2)


def iou(a: F32, b: F32) -> NDArray[np.float64]:
    """IoU [len(a), len(b)] of boxes xyxy."""
    return overlaps(a.astype(np.float64), b.astype(np.float64)).iou


def curves(
    truth: Sequence[Truth],
    found: Sequence[Found],
    classes: int,
    min_size: float,
    match_iou: float = 0.5,
) -> list[ClassCurve]:
    """Judge every detection; `min_size` px is the smallest sqrt(area) of an unmatched one that counts."""
    out = [ClassCurve() for _ in range(classes)]
    for t, f in zip(truth, found, strict=True):
        for label in np.union1d(t.label, f.label):
            _judge(out[int(label)], t, f, int(label), min_size, match_iou)
    return out


def _judge(
    curve: ClassCurve, t: Truth, f: Found, label: int, min_size: float, match_iou: float
) -> None:
    mine, theirs = np.flatnonzero(t.label == label), np.flatnonzero(f.label == label)
    mine = mine[np.argsort(t.ignore[mine], kind="stable")]  # truth that counts first
    ignored = t.ignore[mine]
    curve.truths += int((~ignored).sum())
    theirs = theirs[np.argsort(-f.score[theirs], kind="stable")]
    overlap = iou(f.xyxy[theirs], t.xyxy[mine])
    free = np.ones(len(mine), np.bool_)
    sizes = np.sqrt(np.clip(f.xyxy[theirs, 2:] - f.xyxy[theirs, :2], 0, None).prod(1))
    for row, detection in enumerate(theirs):
        match = _match(overlap[row], free, ignored, match_iou)
        if match >= 0:
            free[match] = False
            if ignored[match]:
                continue
        elif sizes[row] < min_size:
            continue
        curve.score.append(float(f.score[detection]))
        curve.right.append(match >= 0)


def _match(overlap: NDArray[np.float64], free: Bools, ignored: Bools, match_iou: float) -> int:
    """Index of the truth box that a detection takes, or -1."""
    for group in (~ignored, ignored):
        fit = np.where(free & group, overlap, -1.0)
        if len(fit) and fit.max() >= match_iou:
            return int(fit.argmax())
    return -1


def mean_ap(judged: Sequence[ClassCurve]) -> float:
    """Mean AP over the classes that have truth."""
    values = [c.average_precision() for c in judged if c.truths]
    return float(np.mean(values)) if values else float("nan")
