"""Fit class maps that turn scores into probabilities: the share of boxes of a score that are right.

Platt scaling (J. Platt, "Probabilistic outputs for support vector machines", 1999): one scale and one
shift of the logit for all classes, by least log loss on the validation set, then one pair per class,
drawn towards that of all. Readings (docs/readings.md) weigh every box by its score, so a score has to
mean what it says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from physgauge.train.part_detector.evaluate import Judged
from physgauge.train.part_detector.export import Calibration, membership
from physgauge.train.part_detector.metrics import ClassCurve
from physgauge.types import DOMAINS

EVIDENCE_SHARE = 0.65
PRIOR = 8.0
"""Strength of the pull of a class's scale and shift towards those of all classes."""
LEAST_SCALE = 0.3
"""A map must not turn the order of scores round."""


def fit(judged: Sequence[ClassCurve]) -> Calibration:
    """Calibration from curves of *uncalibrated* scores (identity export, low threshold), parts of every
    size counted."""
    logits = [_logit(np.array(c.score, np.float64)) for c in judged]
    right = [np.array(c.right, np.float64) for c in judged]
    common = platt(np.concatenate(logits), np.concatenate(right), (1.0, 0.0), 1e-3)
    maps = np.array([platt(z, y, common, PRIOR) for z, y in zip(logits, right, strict=True)])
    return Calibration(
        np.maximum(maps[:, 0], LEAST_SCALE).astype(np.float32), maps[:, 1].astype(np.float32)
    )


def platt(
    z: NDArray[np.float64], right: NDArray[np.float64], prior: tuple[float, float], pull: float
) -> tuple[float, float]:
    """Scale and shift of the logits `z` of least log loss plus `pull` / 2 times the squared distance from
    `prior`, by Newton's method."""
    centre = np.array(prior)
    value = centre.copy()
    design = np.stack([z, np.ones_like(z)])

    def loss(at: NDArray[np.float64]) -> float:
        logit = at @ design
        apart = np.logaddexp(0, logit) - right * logit
        return float(apart.sum() + pull / 2 * ((at - centre) ** 2).sum())

    here = loss(value)
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(value @ design, -30, 30)))
        slope = design @ (p - right) + pull * (value - centre)
        curvature = (design * (p * (1 - p))) @ design.T + pull * np.eye(2)
        step = np.asarray(np.linalg.solve(curvature, slope), np.float64)
        # Where the logits are far off, the curvature is near nothing and a whole step goes too far.
        while (there := loss(value - step)) > here and np.abs(step).max() > 1e-12:
            step = step / 2
        value, here = value - step, there
        if np.abs(step).max() < 1e-9:
            break
    return float(value[0]), float(value[1])


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


def _logit(p: NDArray[np.float64]) -> NDArray[np.float64]:
    q = np.clip(p, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(q / (1 - q)), np.float64)
