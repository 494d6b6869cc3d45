"""How boxes overlap, all pairs of two sets at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physgauge.types import F64


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Of n boxes with m others, px²."""

    shared: F64
    """[n, m] area of the intersection."""
    first: F64
    """[n, 1] area of each box."""
    second: F64
    """[m] area of each other one."""

    @property
    def iou(self) -> F64:
        """[n, m] intersection over union."""
        share: F64 = self.shared / (self.first + self.second - self.shared)
        return share


def overlaps(a: F64, b: F64) -> Overlaps:
    """Of boxes xyxy [n, 4] and [m, 4], px; each must have an area."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    return Overlaps(
        np.clip(high - low, 0, None).prod(axis=2),
        (a[:, 2:] - a[:, :2]).prod(axis=1)[:, None],
        (b[:, 2:] - b[:, :2]).prod(axis=1),
    )
