"""Several looks at an image become one: suppression, weighted box fusion, the count vote.

Kernels over packed batches; none loops over images in Python, and importing them does not import Numba.
"""

from __future__ import annotations

from physgauge.rules_kernel.fusion.nms import nms, nms_plain
from physgauge.rules_kernel.fusion.vote import count_by_source, vote_counts
from physgauge.rules_kernel.fusion.wbf import (
    CONF_TYPES,
    SEVERAL,
    ConfType,
    FusedBoxes,
    weighted_box_fusion,
)

__all__ = [
    "CONF_TYPES", "SEVERAL", "ConfType", "FusedBoxes", "count_by_source", "nms", "nms_plain",
    "vote_counts", "weighted_box_fusion",
]  # fmt: skip
