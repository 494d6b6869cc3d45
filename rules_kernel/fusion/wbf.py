"""Weighted box fusion over packed batches (Solovyev, Wang and Gabruseva, Image and Vision Computing 107,
2021; arXiv:1910.13302), with the results of the authors' `ensemble-boxes` package.

Boxes of one label, surest first, join the fused box that they overlap most, if by more than `iou_thr`,
or open a new one; a fused box is the mean of its members by weighted score. What differs from the
package:

* coordinates are px, not shares of the image, and are not clipped; sums are float64 (there float32);
* of boxes with equal weighted score, the earlier in the packed order comes first (there: by the sort);
* NaN, infinite, inverted boxes and scores outside 0..1 are refused (there: swapped, clipped, let
  through);
* a cluster of scores 0 keeps its first box (there 0 / 0);
* a source may look for some labels only; then only those who look for a label weigh in its scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I8, I16, I64
from physgauge.rules_kernel.errors import ArrayError
from physgauge.rules_kernel.fusion import packed
from physgauge.rules_kernel.fusion.compiled import loop
from physgauge.rules_kernel.fusion.packed import (
    Scratch,
    check_packed,
    chunks_for,
    explain,
    explain_sources,
)
from physgauge.rules_kernel.threads import parallel_turn

ConfType = Literal["avg", "max", "box_and_model_avg", "absent_model_aware_avg"]
CONF_TYPES: Final[tuple[ConfType, ...]] = (
    "avg", "max", "box_and_model_avg", "absent_model_aware_avg",
)  # fmt: skip

SEVERAL: Final = -1
"""The source of a box that several sources support."""

MAX_SOURCES: Final = 64

_FUSE, _FUSE_PARALLEL, _CLOSE_UP = loop("fuse"), loop("fuse_parallel"), loop("close_up")


@dataclass(frozen=True)
class FusedBoxes:
    """Fused boxes of B images, packed, best first in each image; equal scores by label."""

    xyxy: F32
    """[M, 4] px."""
    score: F32
    """[M]; above 1 only where the package's would be ("avg" with unequal weights or overflow)."""
    label: I16
    """[M]."""
    source: I8
    """[M] the only source that supports the box, or SEVERAL."""
    support: I16
    """[M] how many sources support it."""
    offsets: I64
    """[B+1]."""


def weighted_box_fusion(
    xyxy: F32,
    score: F32,
    label: I16,
    source: I8,
    offsets: I64,
    weight: F64,
    *,
    iou_thr: float = 0.55,
    skip_box_thr: float = 0.0,
    conf_type: ConfType = "avg",
    allows_overflow: bool = False,
    threads: int | None = None,
) -> FusedBoxes:
    """Fuse the boxes of several sources, class by class. See the module for what a fused box is.

    With w the weights and s the scores of a cluster's n boxes, U its sources and S all that look for the
    label, a fused score is

        avg                     sum(w s) / n * min(n, |S|) / sum(w of S)   (n for the min, with overflow)
        max                     max(w s) / max(w of S)
        box_and_model_avg       sum(w s) / sum(w) * sum(w of U) / sum(w of S)
        absent_model_aware_avg  sum(w s) / (sum(w) + sum(w of S without U))

    Args:
        xyxy: f32[N,4] px; boxes without area are dropped.
        score: f32[N] 0..1.
        label: i16[N] 0..L-1.
        source: i8[N] 0..S-1.
        offsets: i64[B+1]; image i owns rows offsets[i]:offsets[i+1].
        weight: f64[S,L], finite: above 0, or 0 where a source does not look for a label.
        iou_thr: 0..1, a box joins where it overlaps more.
        skip_box_thr: boxes of lower score (before weighting) are dropped.
        conf_type: see above.
        allows_overflow: see above; for "avg" only.
        threads: at most this many (None: all cores), and one unless the batch is large.

    Raises:
        ArrayError: arrays or settings that break this; says which box.
    """
    longest = check_packed(xyxy, score, label, offsets)
    _check_settings(iou_thr, skip_box_thr, conf_type)
    _check_sources(source, weight, len(score))
    n, images, labels = len(score), len(offsets) - 1, weight.shape[1]
    how = (
        labels,
        float(iou_thr),
        float(skip_box_thr),
        CONF_TYPES.index(conf_type),
        bool(allows_overflow),
        packed.MIN_GRID,
    )
    boxes = tuple(np.ascontiguousarray(a) for a in (xyxy, score, label, source, offsets))
    weight = np.ascontiguousarray(weight)
    totals = np.stack([weight.sum(0), weight.max(0), (weight > 0).sum(0)], axis=1).astype(
        np.float64
    )
    fused = np.zeros(images, np.int64)
    out = (*_rows(n), fused)
    with parallel_turn(chunks_for(threads, n)) as chunks:
        scratch = Scratch.of(chunks, labels, longest)
        if chunks > 1:
            bad = _FUSE_PARALLEL(how, boxes, weight, totals, out, *scratch.all())
        else:
            bad = _FUSE(0, images, how, boxes, weight, totals, out, *scratch.first())
    if bad:
        explain(xyxy, score, label, labels)
        explain_sources(score, label, source, weight)
        raise ArrayError("the arrays changed while they were read")
    close = np.concatenate([[0], np.cumsum(fused)]).astype(np.int64)
    rows = _rows(int(close[-1]))
    _CLOSE_UP(boxes[4], close, out[:5], rows)
    return FusedBoxes(*rows, close)


def _rows(n: int) -> tuple[F32, F32, I16, I8, I16]:
    return (
        np.empty((n, 4), np.float32), np.empty(n, np.float32), np.empty(n, np.int16),
        np.empty(n, np.int8), np.empty(n, np.int16),
    )  # fmt: skip


def _check_settings(iou_thr: float, skip_box_thr: float, conf_type: str) -> None:
    for name, value in (("iou_thr", iou_thr), ("skip_box_thr", skip_box_thr)):
        if not 0 <= value <= 1:
            raise ArrayError(name, expected="0 to 1", got=str(value))
    if conf_type not in CONF_TYPES:
        raise ArrayError(
            "conf_type", expected=f"one of {', '.join(CONF_TYPES)}", got=repr(conf_type)
        )


def _check_sources(source: I8, weight: F64, n: int) -> None:
    if source.dtype != np.int8 or source.shape != (n,):
        raise ArrayError(
            "source", expected=f"int8 [{n}]", got=f"{source.dtype} {list(source.shape)}"
        )
    if weight.dtype != np.float64 or weight.ndim != 2 or not 1 <= len(weight) <= MAX_SOURCES:
        raise ArrayError(
            "weight", expected=f"float64 [S,L] of 1 to {MAX_SOURCES} sources",
            got=f"{weight.dtype} {list(weight.shape)}",
        )  # fmt: skip
    good = np.isfinite(weight) & (weight >= 0)
    if not good.all():
        k, c = (int(i) for i in np.argwhere(~good)[0])
        raise ArrayError(
            f"weight of source {k} for label {c}", expected="finite and >= 0", got=str(weight[k, c])
        )
