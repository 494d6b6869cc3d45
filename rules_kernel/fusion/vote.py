"""The count vote of several sources."""

from __future__ import annotations

from typing import Final

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I8, I16, I64, Bools
from physgauge.rules_kernel.errors import ArrayError

SAME: Final = 1e-6
"""Totals that differ by a smaller share are tied: they are sums of rounded scores."""


def vote_counts(counts: F32, weight: F64, confidence: F32, reliability: F64) -> F32:
    """Fused counts by a confidence-weighted vote over integers (DESIGN section 7).

    Source k votes for its count n_k with weight w_k s_k: s_k is the mean confidence of what it
    counted, or its stated reliability where it looked and saw none. The largest total wins; a tie
    goes to the detector (source 0) if its count is among the tied, else to the earliest source.

    Args:
        counts: f32[S,B,C] whole numbers >= 0; NaN where the source did not look.
        weight: f64[S] >= 0.
        confidence: f32[S,B,C] 0..1; read only where the count is above 0.
        reliability: f64[S] 0..1.

    Returns:
        f32[B,C], NaN where none looked.

    Raises:
        ArrayError: arrays that break this; says where.
    """
    _check(counts, weight, confidence, reliability)
    support = _support(counts, weight, confidence, reliability)
    same = counts[:, None] == counts[None]
    totals = np.where(np.isnan(counts), -1.0, (same * support[None]).sum(axis=1))
    # The first source whose count has, all but rounding, the largest total.
    first = (totals * (1 + SAME) >= totals.max(axis=0)).argmax(axis=0)
    fused: F32 = np.take_along_axis(counts, first[None], axis=0)[0].astype(np.float32)
    return fused


def count_by_source(
    score: F32, label: I16, source: I8, offsets: I64, looks: Bools
) -> tuple[F32, F32]:
    """What each source counts: f32[S,B,C] its boxes of each label in each image, NaN where it does not
    look, and f32[S,B,C] their mean score, NaN where it has none. For `vote_counts`.

    score f32[N], label i16[N] 0..C-1, source i8[N] 0..S-1, offsets i64[B+1]; looks bool[S,C].
    """
    sources, labels = looks.shape
    images = len(offsets) - 1
    image = np.repeat(np.arange(images), np.diff(offsets))
    cell = (source.astype(np.int64) * images + image) * labels + label
    cells = sources * images * labels
    number = np.bincount(cell, minlength=cells).astype(np.float32)
    total = np.bincount(cell, weights=score, minlength=cells)
    mean = np.divide(total, number, out=np.full(cells, np.nan), where=number > 0)
    shape = (sources, images, labels)
    counts = np.where(looks[:, None, :], number.reshape(shape), np.float32(np.nan))
    return counts, mean.reshape(shape).astype(np.float32)


def _support(counts: F32, weight: F64, confidence: F32, reliability: F64) -> F64:
    """[S,B,C] the weight of each vote; 0 where there is none."""
    sure = np.where(counts > 0, confidence.astype(np.float64), reliability[:, None, None])
    support: F64 = np.where(np.isnan(counts), 0.0, weight[:, None, None] * sure)
    return support


def _check(counts: F32, weight: F64, confidence: F32, reliability: F64) -> None:
    sources = counts.shape[0] if counts.ndim == 3 else -1
    if sources < 1 or confidence.shape != counts.shape:
        raise ArrayError(
            "vote_counts", expected="counts and confidence [S,B,C], S >= 1",
            got=f"{list(counts.shape)} and {list(confidence.shape)}",
        )  # fmt: skip
    if weight.shape != (sources,) or reliability.shape != (sources,):
        raise ArrayError(
            "vote_counts", expected=f"weight and reliability [{sources}]",
            got=f"{list(weight.shape)} and {list(reliability.shape)}",
        )  # fmt: skip
    looked = ~np.isnan(counts)
    whole = (counts >= 0) & (np.floor(counts) == counts) & ~np.isinf(counts)
    _all(whole | ~looked, "a count", "a whole number >= 0, or NaN", counts)
    _all(np.isfinite(weight) & (weight >= 0), "a source's weight", "finite and >= 0", weight)
    _all((reliability >= 0) & (reliability <= 1), "a source's reliability", "0 to 1", reliability)
    sure = (confidence >= 0) & (confidence <= 1)
    _all(sure | ~looked | (counts == 0), "the confidence of a count", "0 to 1", confidence)


def _all(good: Bools, what: str, expected: str, values: F32 | F64) -> None:
    if not good.all():
        at = tuple(int(k) for k in np.argwhere(~good)[0])
        raise ArrayError(f"{what}, at {list(at)}", expected=expected, got=str(float(values[at])))
