"""Fit class maps so that score >= 0.5 is each class's best threshold, and scores mean something.

Per class: the threshold t* of highest F_beta on the validation set becomes 0.5 (a shift of the logit by
-logit(t*)), then one scale per class is fitted so that, above and below, the score is close to the share
of right detections (least log loss, scale within 0.5..4). A scale does not move the 0.5 point.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from physgauge.train.part_detector.evaluate import Judged
from physgauge.train.part_detector.export import Calibration, membership
from physgauge.train.part_detector.metrics import ClassCurve
from physgauge.types import DOMAINS

BETA = 1.4
"""Recall counts this many times as much as precision: rules ask for parts that should be there, and one
that is missed turns a sound image into a violation."""
EVIDENCE_SHARE = 0.65
PRIOR = 15.0
"""Detections' worth of belief that a class's threshold is the median class's."""


def fit(judged: Sequence[ClassCurve], beta: float = BETA) -> Calibration:
    """Calibration from curves of *uncalibrated* scores (identity export, low threshold)."""
    best = np.array([_logit(c.best_threshold(beta)) for c in judged])
    known = np.array([c.truths > 0 for c in judged])
    middle = float(np.median(best[known])) if known.any() else 0.0
    weight = np.array([c.truths / (c.truths + PRIOR) for c in judged])
    threshold = weight * best + (1 - weight) * middle
    scale = np.array([_scale(c, float(t)) for c, t in zip(judged, threshold, strict=True)])
    return Calibration(scale.astype(np.float32), (-scale * threshold).astype(np.float32))


def floor_of_evidence(judged: Judged, calibration: Calibration) -> float:
    """The evidence at which a domain's probability is halved: EVIDENCE_SHARE of what all but 1 % of the
    images of a known domain show. `judged` holds uncalibrated scores."""
    known = np.flatnonzero(judged.domain < len(DOMAINS))
    if not len(known):
        return 0.0
    found = judged.best[known] > 0
    q = np.clip(judged.best[known], 1e-4, 1 - 1e-4)
    z = calibration.scale * np.log(q / (1 - q)) + calibration.shift
    evidence = np.where(found, 1 / (1 + np.exp(-z)), 0) @ membership()
    own = evidence[np.arange(len(known)), judged.domain[known]]
    return float(np.quantile(own, 0.01)) * EVIDENCE_SHARE


def _logit(p: float) -> float:
    q = min(max(p, 1e-4), 1 - 1e-4)
    return float(np.log(q / (1 - q)))


def _scale(curve: ClassCurve, threshold: float) -> float:
    """The scale of least log loss around a fixed threshold, by search over a grid."""
    if len(curve.score) < 50:
        return 1.0
    score = np.clip(np.array(curve.score), 1e-4, 1 - 1e-4)
    z = np.log(score / (1 - score)) - threshold
    right = np.array(curve.right)
    grid = np.linspace(0.5, 4.0, 36)
    return float(grid[int(np.argmin([_log_loss(s * z, right) for s in grid]))])


def _log_loss(z: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    return float(np.logaddexp(0, np.where(right, -z, z)).mean())
