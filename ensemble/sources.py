"""Several sources of boxes: each one's duplicates go, counts are voted on, boxes become one set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from physgauge.config import DetectorSettings, FuseSettings
from physgauge.rules_kernel.fusion import count_by_source, nms, vote_counts, weighted_box_fusion
from physgauge.types import F32, Bools, Boxes, Detections

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sources:
    """Who looked at a batch, and how far each is trusted; S sources, C classes."""

    looks: Bools
    """[S, C] which source looks for which class."""
    weight: F64
    """[S] > 0."""
    reliability: F64
    """[S] 0..1, the weight of a source's word that there is none."""
    method: Literal["nms", "wbf"]
    nms_iou: float
    wbf_iou: float

    @classmethod
    def of(
        cls, found: Detections, settings: FuseSettings, detectors: Sequence[DetectorSettings] = ()
    ) -> Sources:
        """The detectors behind `found`, in their order; without `detectors`, all trusted alike.

        Raises:
            ValueError: `detectors` of another number than the sources of `found`.
        """
        looks = np.ones((1, len(found.classes)), np.bool_) if found.looks is None else found.looks
        trusted = detectors or [DetectorSettings(name="", model="")] * len(looks)
        if len(trusted) != len(looks):
            raise ValueError(f"fuse: expected {len(looks)} detectors, got {len(trusted)}")
        return cls(
            looks=looks,
            weight=np.array([d.weight for d in trusted], np.float64),
            reliability=np.array([d.reliability for d in trusted], np.float64),
            method=settings.method or ("nms" if len(looks) == 1 else "wbf"),
            nms_iou=settings.nms_iou,
            wbf_iou=settings.wbf_iou,
        )

    def suppress(self, boxes: Boxes) -> Boxes:
        """Of a source's boxes of one class that overlap, the surest stays."""
        keep = np.zeros(len(boxes.score), np.bool_)
        for k in range(len(self.looks)):
            mine = boxes.source == k
            own = select(boxes, mine)
            keep[mine] = nms(own.xyxy, own.score, own.label, own.offsets, self.nms_iou)
        return select(boxes, keep)

    def vote(self, boxes: Boxes) -> F32:
        """[B, C] counts by the confidence-weighted vote; NaN where no source looks."""
        counts, confidence = count_by_source(
            boxes.score, boxes.label, boxes.source, boxes.offsets, self.looks
        )
        return vote_counts(counts, self.weight, confidence, self.reliability)

    def join(self, boxes: Boxes) -> Boxes:
        """One box where several sources see one thing. A fused box's score is the weighted mean over the
        sources that look for its class, with 0 for those that do not see it."""
        if self.method == "nms":
            if len(self.looks) == 1:
                return boxes
            order = boxes.score * self.weight.astype(np.float32)[boxes.source]
            return select(boxes, nms(boxes.xyxy, order, boxes.label, boxes.offsets, self.nms_iou))
        fused = weighted_box_fusion(
            boxes.xyxy, boxes.score, boxes.label, boxes.source, boxes.offsets,
            self.weight[:, None] * self.looks,
            iou_thr=self.wbf_iou, conf_type="absent_model_aware_avg",
        )  # fmt: skip
        return Boxes(fused.xyxy, fused.score, fused.label, fused.source, fused.offsets)


def select(boxes: Boxes, keep: Bools) -> Boxes:
    """The boxes where `keep` [N] is true, packed anew."""
    kept_before = np.concatenate([[0], np.cumsum(keep)])
    return Boxes(
        boxes.xyxy[keep],
        boxes.score[keep],
        boxes.label[keep],
        boxes.source[keep],
        kept_before[boxes.offsets].astype(np.int64),
    )
