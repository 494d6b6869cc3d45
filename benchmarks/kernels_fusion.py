"""Weighted box fusion beside the `ensemble-boxes` package of its authors, on the same boxes.

3 detectors see the same 300 things in an image of 1024 x 1024 px, each a little off; a detector misses
some and sees others of its own (10 %), so that boxes fuse to about 330. Labels are the 30 classes of the
embedded part detector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I8, I16, I64
from physgauge.rules_kernel.fusion import FusedBoxes, weighted_box_fusion

SOURCES, BOXES, LABELS, SIDE = 3, 300, 30, 1024
WEIGHTS = (1.0, 0.8, 0.6)


@dataclass(frozen=True)
class Input:
    """Boxes of B images, [B, SOURCES, BOXES, ...]."""

    xyxy: F32
    score: F32
    label: I16


def make(images: int, labels: int = LABELS, seed: int = 1) -> Input:
    """Random things and what the detectors make of them; scores all differ, as ties are left open."""
    rng = np.random.default_rng(seed)
    shape = (images, SOURCES, BOXES)
    corner = rng.uniform(0, 900, (images, 1, BOXES, 2))
    size = rng.uniform(20, 120, (images, 1, BOXES, 2))
    label = np.broadcast_to(rng.integers(0, labels, (images, 1, BOXES)), shape)
    own = rng.random(shape) < 0.1
    first = np.where(own[..., None], rng.uniform(0, 900, (*shape, 2)), corner)
    first = first + rng.normal(0, 3, (*shape, 2))
    last = first + size * rng.uniform(0.9, 1.1, (*shape, 2))
    each = rng.permuted(np.tile(np.arange(SOURCES * BOXES), (images, 1)), axis=1)
    return Input(
        np.concatenate([first, last], axis=-1).clip(0, SIDE).astype(np.float32),
        (0.05 + 0.9 * each.reshape(shape) / (SOURCES * BOXES)).astype(np.float32),
        np.ascontiguousarray(label, np.int16),
    )


def ours(given: Input) -> Callable[[], FusedBoxes]:
    """The kernel on one core, over the whole batch; packing the input is not timed: it comes packed."""
    images = len(given.score)
    source = np.empty(given.score.shape, np.int8)
    source[:] = np.arange(SOURCES)[:, None]
    offsets: I64 = np.arange(images + 1, dtype=np.int64) * (SOURCES * BOXES)
    flat: tuple[F32, F32, I16, I8] = (
        given.xyxy.reshape(-1, 4), given.score.reshape(-1), given.label.reshape(-1), source.reshape(-1),
    )  # fmt: skip
    weight: F64 = np.repeat(np.array(WEIGHTS)[:, None], int(given.label.max()) + 1, axis=1)
    return lambda: weighted_box_fusion(*flat, offsets, weight, threads=1)


def theirs(given: Input) -> Callable[[], list[tuple[F64, F64, F64]]]:
    """The package, image after image; scaling to its 0..1 is not timed."""
    from ensemble_boxes import weighted_boxes_fusion

    inputs = [
        ([*(xyxy.astype(np.float64) / SIDE)], [*score.astype(np.float64)], [*label])
        for xyxy, score, label in zip(given.xyxy, given.score, given.label, strict=True)
    ]
    return lambda: [weighted_boxes_fusion(*one, weights=list(WEIGHTS)) for one in inputs]


def check(given: Input) -> None:
    """Both give the same boxes, to the float32 sums of the package."""
    got = ours(given)()
    for i, (boxes, scores, labels) in enumerate(theirs(given)()):
        rows = slice(int(got.offsets[i]), int(got.offsets[i + 1]))
        assert len(scores) == rows.stop - rows.start, f"image {i}: {len(scores)} boxes"
        order, order_ = (
            np.lexsort((boxes[:, 0], labels)),
            np.lexsort((got.xyxy[rows, 0], got.label[rows])),
        )
        np.testing.assert_array_equal(got.label[rows][order_], labels[order])
        np.testing.assert_allclose(got.score[rows][order_], scores[order], atol=1e-5)
        np.testing.assert_allclose(got.xyxy[rows][order_], boxes[order] * SIDE, atol=1e-2)
