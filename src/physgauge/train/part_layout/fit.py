"""Mixtures of Gaussians over pairs of parts, and the tables that make tail probabilities of densities."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from physgauge.rules_kernel.layout import FEATURES, LayoutModel, PairTable, pair_features, strangest
from physgauge.rules_kernel.layout.loops import BEYOND_IMAGE, BEYOND_PAIR
from physgauge.types import F32, F64, I8, I16, I64

SPREAD: Final = 2e-4
"""Added to every variance: boxes are whole px, and no two pictures are equal."""
FEWEST: Final = 60
"""Pairs per Gaussian; what was seen less often than one Gaussian needs is not judged."""
LOG_TAIL: Final = np.append(np.linspace(math.log(1e-3), math.log(0.9), 27), 0.0)


@dataclass(frozen=True, slots=True)
class Layouts:
    """Boxes of B pictures without fault, of one domain."""

    xyxy: F32
    label: I16
    offsets: I64
    view: I8
    """[B] index into the views; 0 = unknown."""

    def __len__(self) -> int:
        return len(self.view)

    def at(self, images: I64) -> Layouts:
        """Some of the pictures."""
        spans = [np.arange(int(self.offsets[i]), int(self.offsets[i + 1])) for i in images]
        rows = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        offsets = np.concatenate([[0], np.cumsum([len(s) for s in spans])]).astype(np.int64)
        return Layouts(self.xyxy[rows], self.label[rows], offsets, self.view[images])


def fit(
    layouts: Layouts, components: Sequence[str], views: Sequence[str], *, gaussians: int, seed: int
) -> LayoutModel:
    """Fit mixtures on half of the pictures, pairs' tables on a quarter, images' on the last: each step
    sees pictures that those before it were not fitted on, so that its probabilities hold for new ones."""
    order = np.random.default_rng(seed).permutation(len(layouts))
    quarter = len(order) // 4
    held, last, fitted = (
        layouts.at(np.sort(part)) for part in np.split(order, [quarter, 2 * quarter])
    )
    table = pair_features(fitted.xyxy, fitted.label, fitted.offsets, len(components))
    against = pair_features(held.xyxy, held.label, held.offsets, len(components))
    shape = (len(views), len(components), len(components))
    pair = np.full(shape, -1, np.int64)
    weights: list[F64] = []
    means: list[F64] = []
    whitens: list[F64] = []
    tails: list[F64] = []
    for v, part, other in np.ndindex(shape):
        x = _of(table, fitted, v, part, other)
        z = _of(against, held, v, part, other)
        if len(x) < FEWEST or len(z) < FEWEST // 3:
            continue
        mixture = _mixture(x, min(gaussians, len(x) // FEWEST), seed)
        weight, mean, whiten = _padded(mixture, gaussians)
        pair[v, part, other] = len(means)
        weights.append(weight)
        means.append(mean)
        whitens.append(whiten)
        tails.append(_tail(mixture.score_samples(z), BEYOND_PAIR))
    k, f = gaussians, len(FEATURES)
    model = LayoutModel(
        tuple(components), tuple(views), pair, np.array(weights).reshape(-1, k),
        np.array(means).reshape(-1, k, f), np.array(whitens).reshape(-1, k, f, f), LOG_TAIL,
        np.array(tails).reshape(-1, len(LOG_TAIL)), np.zeros((len(views), len(LOG_TAIL))),
    )  # fmt: skip
    return _with_image_tail(model, last)


def _of(table: PairTable, layouts: Layouts, view: int, part: int, other: int) -> F64:
    here = (layouts.label[table.part] == part) & (table.other == other)
    if view:
        here &= layouts.view[table.image] == view
    features: F64 = table.features[here]
    return features


def _mixture(x: F64, gaussians: int, seed: int) -> GaussianMixture:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few steps more change little
        return GaussianMixture(
            gaussians, reg_covar=SPREAD, max_iter=60, init_params="k-means++", random_state=seed
        ).fit(x)


def _padded(mixture: Any, gaussians: int) -> tuple[F64, F64, F64]:
    """Weights with the normalisation in them, means and whitening; absent Gaussians weigh nothing."""
    whiten, used = mixture.precisions_cholesky_, len(mixture.weights_)
    features = whiten.shape[1]
    weight, mean = np.full(gaussians, -np.inf), np.zeros((gaussians, features))
    padded = np.zeros((gaussians, features, features))
    log_scale = np.log(np.diagonal(whiten, axis1=1, axis2=2)).sum(axis=1)
    weight[:used] = np.log(mixture.weights_) + log_scale - features / 2 * math.log(2 * math.pi)
    mean[:used], padded[:used] = mixture.means_, whiten
    return weight, mean, padded


def _tail(values: F64, beyond: float) -> F64:
    """The value at each of LOG_TAIL; rarer than was seen, along the slope that is assumed beyond."""
    tail: F64 = np.quantile(values, np.exp(LOG_TAIL))
    rarest = -math.log(len(values) + 1)
    unseen = rarest > LOG_TAIL
    tail[unseen] = values.min() - (rarest - LOG_TAIL[unseen]) / beyond
    return tail


def _with_image_tail(model: LayoutModel, held: Layouts) -> LayoutModel:
    """With the table of an image's strangest pair, per view: then an image's log_p is spread evenly."""
    rows: list[F64] = []
    for v in range(len(model.views)):
        seen = held.at(np.flatnonzero(held.view == v) if v else np.arange(len(held)))
        view = np.full(len(seen), v, np.int8)
        least = strangest(model, seen.xyxy, seen.label, seen.offsets, view).log_p
        least = least[~np.isnan(least)]
        # Of a view that was hardly seen, the table of all views ("unknown", the first) must do.
        enough = len(least) >= FEWEST or not rows
        rows.append(_tail(least, BEYOND_IMAGE) if enough else rows[0])
    return replace(model, image_tail=np.array(rows))
