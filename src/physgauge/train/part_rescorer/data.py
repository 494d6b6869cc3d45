"""A detector's candidates in scenes with known truth: their features, and which of them are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from physgauge.ensemble.detect import OnnxDetector
from physgauge.ensemble.overlap import overlaps
from physgauge.ensemble.rescore import CANDIDATE, DUPLICATE_IOU, batch_features
from physgauge.errors import ConfigError
from physgauge.rules_kernel.fusion import nms
from physgauge.train.part_detector.evaluate import pixels
from physgauge.train.part_detector.records import Sample
from physgauge.types import F32, F64, I16, I64, PART_CLASSES, Bools

RIGHT_IOU: Final = 0.4
"""A candidate is right if it overlaps a part of its class this much that no surer one has taken. Less
than for mAP50: a small part that is found a little beside its place is found."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """N candidates of all images."""

    features: F32
    """[N, F]."""
    right: Bools
    """[N]."""
    score: F32
    """[N] the detector's own."""
    image: I64
    """[N] index of the image."""


def candidates(detector: OnnxDetector, samples: Sequence[Sample], batch: int = 8) -> Candidates:
    """Run a detector without rescorer over scenes that it was not trained on.

    Raises:
        ConfigError: a detector of other classes than the scenes'.
    """
    if detector.contract.classes != PART_CLASSES:
        raise ConfigError(f"{detector.where}: expected the classes {PART_CLASSES}, got others")
    tables, right, scores, images = [], [], [], []
    for first in range(0, len(samples), batch):
        group = samples[first : first + batch]
        rgb = [pixels(s) for s in group]
        found = detector.detect(rgb, min_score=CANDIDATE)
        b = found.boxes
        b = b.where(nms(b.xyxy, b.score, b.label, b.offsets, DUPLICATE_IOU))
        size = np.array([(image.shape[1], image.shape[0]) for image in rgb], np.float32)
        tables.append(batch_features(b, detector.contract, found.domain_p, found.view_p, size))
        for i, sample in enumerate(group):
            span = b.of(i)
            right.append(
                matched(
                    b.xyxy[span].astype(np.float64), b.score[span], b.label[span],
                    sample.xyxy.astype(np.float64), sample.label,
                )
            )  # fmt: skip
            images.append(np.full(span.stop - span.start, first + i, np.int64))
        scores.append(b.score)
    return Candidates(*(np.concatenate(x) for x in (tables, right, scores, images)))


def matched(xyxy: F64, score: F32, label: I16, truth: F64, truth_label: I64) -> Bools:
    """[n] which candidates are right: greedily, the surest first, each part once."""
    right, taken = np.zeros(len(score), np.bool_), np.zeros(len(truth), np.bool_)
    if not len(truth):
        return right
    iou = overlaps(xyxy, truth).iou
    iou[label[:, None] != truth_label[None]] = 0
    for n in np.argsort(-score, kind="stable"):
        best = int(np.argmax(np.where(taken, 0, iou[n])))
        if not taken[best] and iou[n, best] >= RIGHT_IOU:
            right[n] = taken[best] = True
    return right
