"""Maps that turn logits into probabilities, fitted on images that the network was not trained on.

Platt scaling (J. Platt, "Probabilistic outputs for support vector machines", 1999), whose scale is a
temperature's inverse: one scale and one shift for a kind of head by least log loss, then one pair for
each of its categories, drawn towards that of all. Training weighs twins above everything else, so logits
come out of it too sure; these maps make probabilities come true on pair sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physgauge.train.part_detector.calibrate import platt
from physgauge.train.student.answering import Logits, sigmoid
from physgauge.train.student.metrics import Answers, Reliability, reliability
from physgauge.train.student.records import Targets
from physgauge.types import F64

PRIOR = 8.0
"""Strength of the pull of a category's map towards that of all."""
LEAST_SCALE = 0.05
"""A map must not turn the order of answers round."""
TEMPERATURES = np.exp(np.linspace(-2.5, 2.5, 101))
Map = tuple[float, float]
"""Scale and shift of a logit."""


@dataclass(frozen=True)
class Calibration:
    """All maps of a student; Q probes."""

    eligible: Map
    yes: F64
    """[Q, 2]."""
    major: F64
    """[Q, 2]."""
    where: Map
    """Of every cell."""
    family: float
    """Scale of the logits; no shift."""

    @staticmethod
    def identity(probes: int) -> Calibration:
        """As trained."""
        plain = np.tile([1.0, 0.0], (probes, 1))
        return Calibration((1.0, 0.0), plain, plain.copy(), (1.0, 0.0), 1.0)

    def temperatures(self) -> dict[str, Any]:
        """For the file: 1 / scale of each head, and the shifts."""
        return {
            "eligible": round(1 / self.eligible[0], 4),
            "yes": np.round(1 / self.yes[:, 0], 4).tolist(),
            "major": np.round(1 / self.major[:, 0], 4).tolist(),
            "where": round(1 / self.where[0], 4),
            "family": round(1 / self.family, 4),
            "shifts": {
                "eligible": round(self.eligible[1], 4),
                "yes": np.round(self.yes[:, 1], 4).tolist(),
                "major": np.round(self.major[:, 1], 4).tolist(),
                "where": round(self.where[1], 4),
            },
        }

    def answers(self, raw: Logits) -> Answers:
        """Calibrated probabilities."""
        return Answers(
            sigmoid(self.eligible[0] * raw.eligible + self.eligible[1]),
            sigmoid(self.yes[:, 0] * raw.yes + self.yes[:, 1]),
            sigmoid(self.major[:, 0] * raw.major + self.major[:, 1]),
        )


def fit(raw: Logits, targets: Targets) -> Calibration:
    """Of logits and what the images are; heads of which nothing is known stay as trained."""
    return Calibration(
        eligible=_one(raw.eligible, targets.eligible),
        yes=_each(raw.yes, targets.yes),
        major=_each(raw.major, targets.major),
        where=_places(raw.where, targets),
        family=_family(raw.family, targets.family),
    )


def _each(logits: NDArray[Any], target: NDArray[Any]) -> F64:
    """[Q, 2]."""
    common = _one(logits, target)
    return np.array(
        [_one(z, y, common, PRIOR) for z, y in zip(logits.T, target.T, strict=True)], np.float64
    )


def _one(
    logits: NDArray[Any], target: NDArray[Any], prior: Map = (1.0, 0.0), pull: float = 1.0
) -> Map:
    known = ~np.isnan(target)
    if not known.any():
        return prior
    z, y = logits[known].astype(np.float64), target[known].astype(np.float64)
    scale, shift = platt(np.clip(z, -15, 15), y, prior, pull)
    return (scale, shift) if scale >= LEAST_SCALE else (LEAST_SCALE, _shift(LEAST_SCALE * z, y))


def _shift(z: F64, y: F64) -> float:
    """The shift that gives the logits `z` the mean probability of `y`, by bisection."""
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sigmoid(z + middle).mean() < y.mean() else (low, middle)
    return middle


def _places(logits: NDArray[Any], targets: Targets) -> Map:
    """Of the maps of the violated categories, a cell being right where a tenth of it is covered."""
    found = (targets.yes >= 0.5) & targets.placed[:, None]
    image, category = np.nonzero(found)
    if not len(image):
        return (1.0, 0.0)
    covered = (targets.where[image] >= 26).astype(np.float64)
    return _one(logits[image, category].ravel(), covered.ravel())


def _family(logits: NDArray[Any], family: NDArray[np.int64]) -> float:
    known = family >= 0
    if not known.any():
        return 1.0
    z, y = logits[known].astype(np.float64), family[known]

    def loss(scale: float) -> float:
        scaled = scale * z
        top = scaled.max(1, keepdims=True)
        log_p = scaled - top - np.log(np.exp(scaled - top).sum(1, keepdims=True))
        return float(-log_p[np.arange(len(y)), y].mean())

    return float(min(TEMPERATURES, key=loss))


def tables(answers: Answers, targets: Targets, probes: Sequence[str]) -> dict[str, Reliability]:
    """Reliability of every kind of head, and of each category's yes."""
    known = {
        "eligible": reliability(answers.eligible, targets.eligible),
        "yes": reliability(answers.yes, targets.yes),
        "major": reliability(answers.major, targets.major),
    }
    each = {
        name: reliability(answers.yes[:, k], targets.yes[:, k]) for k, name in enumerate(probes)
    }
    return known | each
