"""What the compiled loops of the layout kernels take on trust."""

from __future__ import annotations

import numpy as np

from physgauge.rules_kernel.arrays import (
    F32,
    I8,
    I16,
    I64,
    PackedBoxes,
    check_box_shapes,
    expect_array,
)
from physgauge.rules_kernel.errors import ArrayError


def checked_boxes(xyxy: F32, label: I16, offsets: I64) -> tuple[F32, I16, I64]:
    """The arrays, each in one piece. Raises ArrayError for other types, shapes, offsets, or NaN."""
    score = np.zeros(len(xyxy), np.float32)  # no kernel of arrangements looks at it
    check_box_shapes(PackedBoxes(xyxy, score, label, offsets))
    finite = np.isfinite(xyxy).all(axis=1)
    if not finite.all():
        at = int(np.argmin(finite))
        raise ArrayError(
            f"box {at} is not finite", expected="finite px", got=str(xyxy[at].tolist())
        )
    return np.ascontiguousarray(xyxy), np.ascontiguousarray(label), np.ascontiguousarray(offsets)


def checked_view(view: I8, images: int, views: int) -> I64:
    """The views as int64. Raises ArrayError for another type or number, or an index beyond."""
    expect_array("view", view, np.int8, (images,))
    bad = (view < 0) | (view >= views)
    if bad.any():
        at = int(np.argmax(bad))
        raise ArrayError(
            f"view of image {at}", expected=f"0 to {views - 1}", got=str(int(view[at]))
        )
    return view.astype(np.int64)
