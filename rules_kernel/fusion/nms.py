"""Class-wise suppression over packed batches."""

from __future__ import annotations

import numpy as np

from physgauge.rules_kernel.arrays import F32, I16, I64, Bools
from physgauge.rules_kernel.errors import ArrayError
from physgauge.rules_kernel.fusion import packed
from physgauge.rules_kernel.fusion.compiled import loop
from physgauge.rules_kernel.fusion.packed import Scratch, check_packed, chunks_for, explain
from physgauge.rules_kernel.threads import parallel_turn

_SUPPRESS, _SUPPRESS_PARALLEL = loop("suppress"), loop("suppress_parallel")


def nms(
    xyxy: F32, score: F32, label: I16, offsets: I64, iou: float, *, threads: int | None = None
) -> Bools:
    """Greedy class-wise suppression: of two boxes of one image and label whose intersection over
    union is above `iou`, the one with the higher score stays (the first, where scores are equal).

    xyxy f32[N,4] px; score f32[N] >= 0; label i16[N]; offsets i64[B+1]; iou 0..1, at 1 nothing goes;
    threads: at most this many (None: all cores), and one unless the batch is large.
    Returns bool[N]: the boxes that stay. Raises ArrayError for arrays that break this.
    """
    if not 0 <= iou <= 1:
        raise ArrayError("iou", expected="0 to 1", got=str(iou))
    longest = check_packed(xyxy, score, label, offsets)
    keep = np.ones(len(score), np.bool_)
    if not len(score):
        return keep
    labels = max(int(label.max()), 0) + 1
    how = (labels, float(iou), packed.MIN_GRID)
    boxes = tuple(np.ascontiguousarray(a) for a in (xyxy, score, label, offsets))
    with parallel_turn(chunks_for(threads, len(score))) as chunks:
        scratch = Scratch.of(chunks, labels, longest)
        if chunks > 1:
            bad = _SUPPRESS_PARALLEL(how, boxes, keep, *scratch.all())
        else:
            bad = _SUPPRESS(0, len(offsets) - 1, how, boxes, keep, *scratch.first())
    if bad:
        explain(xyxy, score, label, labels)
        raise ArrayError("the arrays changed while they were read")
    return keep


def nms_plain(xyxy: F32, score: F32, label: I16, offsets: I64, iou: float) -> Bools:
    """`nms` in plain Python, for the tests."""
    keep = np.ones(len(score), np.bool_)
    for low, high in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        kept: list[int] = []
        for n in sorted(range(low, high), key=lambda n: -score[n]):
            rivals = [m for m in kept if label[m] == label[n]]
            if any(_iou(xyxy[m].tolist(), xyxy[n].tolist()) > iou for m in rivals):
                keep[n] = False
            else:
                kept.append(n)
    return keep


def _iou(a: list[float], b: list[float]) -> float:
    across = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    down = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    either = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - across * down
    return across * down / either if either > 0 else 0.0
