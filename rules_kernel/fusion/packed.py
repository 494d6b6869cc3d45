"""Checks and scratch room that the box kernels share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I16, I64
from physgauge.rules_kernel.errors import ArrayError, quoted
from physgauge.rules_kernel.fusion.loops.layout import FIELDS, KEYS, WHOLE
from physgauge.rules_kernel.threads import thread_count

MAX_BOXES = 16_384
"""Boxes of one image: work grows with the square of those of one label."""

MIN_GRID = 96
"""Fewest boxes of one label and image for a grid: with fewer it is quicker to look at all."""

MIN_BOXES = 32_768
"""Fewest boxes for another thread: some milliseconds of work."""


def chunks_for(threads: int | None, boxes: int) -> int:
    """How many threads are worth their start."""
    return min(thread_count(threads), boxes // MIN_BOXES)


def check_packed(xyxy: F32, score: F32, label: I16, offsets: I64) -> int:
    """Raise ArrayError unless types, shapes and offsets fit; returns the boxes of the fullest image."""
    if offsets.ndim != 1 or len(offsets) == 0 or offsets.dtype != np.int64 or offsets[0] != 0:
        raise ArrayError(
            "offsets", expected="int64 [B+1] from 0",
            got=f"{offsets.dtype} {quoted(offsets[:2].tolist())}",
        )  # fmt: skip
    steps = np.diff(offsets)
    if steps.size and steps.min() < 0:
        raise ArrayError(
            f"offsets fall at image {int(steps.argmin())}", expected="a rising sequence"
        )
    n = int(offsets[-1])
    wanted: tuple[tuple[str, Any, type, tuple[int, ...]], ...] = (
        ("xyxy", xyxy, np.float32, (n, 4)),
        ("score", score, np.float32, (n,)),
        ("label", label, np.int16, (n,)),
    )
    for name, array, dtype, shape in wanted:
        if array.dtype != dtype or array.shape != shape:
            raise ArrayError(
                name, expected=f"{np.dtype(dtype).name} {list(shape)}",
                got=f"{array.dtype} {list(array.shape)}",
            )  # fmt: skip
    longest = int(steps.max()) if steps.size else 0
    if longest > MAX_BOXES:
        raise ArrayError(
            f"image {int(steps.argmax())} has too many boxes to fuse",
            expected=f"at most {MAX_BOXES}", got=str(longest),
        )  # fmt: skip
    return longest


def explain(xyxy: F32, score: F32, label: I16, labels: int) -> None:
    """Raise ArrayError for the first box that a kernel refused: the kernel only counts them."""
    finite = np.isfinite(xyxy).all(axis=1)
    _first(~finite, "is not finite", "finite px", xyxy)
    turned = (xyxy[:, 2] < xyxy[:, 0]) | (xyxy[:, 3] < xyxy[:, 1])
    _first(turned, "is inverted", "x1 >= x0 and y1 >= y0", xyxy)
    _first(~(np.isfinite(score) & (score >= 0)), "has a wrong score", "a finite score >= 0", score)
    _first((label < 0) | (label >= labels), "has a wrong label", f"0 to {labels - 1}", label)


def _first(bad: Any, what: str, expected: str, values: Any) -> None:
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise ArrayError(f"box {at} {what}", expected=expected, got=quoted(values[at].tolist()))


def explain_sources(score: F32, label: I16, source: Any, weight: F64) -> None:
    """`explain` for what only fusion checks."""
    _first(score > 1, "has a wrong score", "0 to 1", score)
    wrong = (source < 0) | (source >= len(weight))
    _first(wrong, "has a wrong source", f"0 to {len(weight) - 1}", source)
    _first(
        weight[source, label] <= 0, "is of a source that does not look for its label",
        "a source whose weight for the label is above 0", source,
    )  # fmt: skip


@dataclass(frozen=True)
class Scratch:
    """Room for one image's boxes per chunk (`loops.layout`). Rows end in unused bytes: threads that write
    to one cache line halve each other's speed."""

    start: I64
    """[chunks, labels + 2 and more]."""
    whole: I64
    """[chunks, WHOLE, longest and more]."""
    keys: F64
    """[chunks, KEYS, longest and more]."""
    clusters: F64
    """[chunks, longest and more, FIELDS]."""

    @classmethod
    def of(cls, chunks: int, labels: int, longest: int) -> Scratch:
        """For images of up to `longest` boxes."""
        return cls(
            np.zeros((chunks, labels + 2 + 32), np.int64),
            np.zeros((chunks, WHOLE, longest + 32), np.int64),
            np.zeros((chunks, KEYS, longest + 32), np.float64),
            np.zeros((chunks, longest + 2, FIELDS), np.float64),
        )

    def first(self) -> tuple[Any, ...]:
        """The first chunk's."""
        return self.start[0], self.whole[0], self.keys[0], self.clusters[0]

    def all(self) -> tuple[Any, ...]:
        """Every chunk's."""
        return self.start, self.whole, self.keys, self.clusters
