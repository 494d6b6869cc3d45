"""The pairs of a batch as a table: what a layout model is fitted on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I16, I64
from physgauge.rules_kernel.layout.check import checked_boxes
from physgauge.rules_kernel.layout.model import FEATURES


@dataclass(frozen=True, slots=True)
class PairTable:
    """P pairs, image after image."""

    image: I64
    """[P]"""
    part: I64
    """[P] packed index of the part's box."""
    other: I64
    """[P] index of the component that it stands beside."""
    features: F64
    """[P, F] (FEATURES)."""


def pair_features(xyxy: F32, label: I16, offsets: I64, components: int) -> PairTable:
    """All pairs of all images. Boxes whose label is not below `components` are no part of the whole.

    xyxy f32[N,4] px, finite; label i16[N]; offsets i64[B+1]. Raises ArrayError for other arrays.
    """
    from physgauge.rules_kernel.layout import loops

    boxes = checked_boxes(xyxy, label, offsets)
    room = 0
    while True:
        image, part, other = (np.zeros(room, np.int64) for _ in range(3))
        features = np.zeros((room, len(FEATURES)))
        needed = loops.pairs(*boxes, components, image, part, other, features)
        if needed <= room:
            return PairTable(image, part, other, features)
        room = needed
