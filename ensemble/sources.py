"""Several sources of boxes: each one's duplicates go, counts are voted on, boxes become one set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from physgauge.config import DetectorSettings, FuseSettings
from physgauge.rules_kernel.fusion import count_by_source, nms, vote_counts, weighted_box_fusion
from physgauge.types import F32, F64, Bools, Boxes, Detections


@dataclass(frozen=True, slots=True)
class Ballots:
    """What each source counts in a batch, and how much its word weighs; S sources, C classes."""

    counts: F32
    """[S, B, C] NaN where it did not look."""
    confidence: F32
    """[S, B, C] 0..1 how sure it is of a count above 0."""
    weight: F64
    """[S] > 0."""
    reliability: F64
    """[S] 0..1 how sure it is where it counts none."""

    def elect(self) -> F32:
        """[B, C] counts by the confidence-weighted vote; NaN where no source looks."""
        return vote_counts(self.counts, self.weight, self.confidence, self.reliability)


@dataclass(frozen=True, slots=True)
class Sources:
    """Who looked at a batch, and how far each is trusted; S sources, C classes."""

    looks: Bools
    """[S, C] which source looks for which class."""
    weight: F64
    """[S] > 0."""
    reliability: F64
    """[S] 0..1, the weight of a source's word that there is none."""
    threshold: F32
    """[S] the score from which a source's box counts."""
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
            threshold=np.array([d.min_score if detectors else 0 for d in trusted], np.float32),
            method=settings.method or ("nms" if len(looks) == 1 else "wbf"),
            nms_iou=settings.nms_iou,
            wbf_iou=settings.wbf_iou,
        )

    def suppress(self, boxes: Boxes) -> Boxes:
        """Of a source's boxes of one class that overlap, the surest stays."""
        keep = np.zeros(len(boxes.score), np.bool_)
        for k in range(len(self.looks)):
            mine = boxes.source == k
            own = boxes.where(mine)
            keep[mine] = nms(own.xyxy, own.score, own.label, own.offsets, self.nms_iou)
        return boxes.where(keep)

    def clear(self, boxes: Boxes) -> Bools:
        """[N] which boxes count, by the threshold of their source."""
        return boxes.score >= self.threshold[boxes.source]

    def settle(self, boxes: Boxes) -> tuple[Ballots, Boxes, Bools]:
        """The votes about counts, one set of boxes, and which of them count. Unsure boxes stay with a
        single source only: fused scores are no longer what a source's threshold is about."""
        sure = self.clear(boxes)
        ballots = self.vote(boxes.where(sure))
        if len(self.looks) == 1:
            joined = self.join(boxes)
            return ballots, joined, self.clear(joined)
        joined = self.join(boxes.where(sure))
        return ballots, joined, np.ones(len(joined.score), np.bool_)

    def vote(self, boxes: Boxes) -> Ballots:
        """What each source counts."""
        counts, confidence = count_by_source(
            boxes.score, boxes.label, boxes.source, boxes.offsets, self.looks
        )
        return Ballots(counts, confidence, self.weight, self.reliability)

    def join(self, boxes: Boxes) -> Boxes:
        """One box where several sources see one thing. A fused box's score is the weighted mean over the
        sources that look for its class, with 0 for those that do not see it."""
        if self.method == "nms":
            if len(self.looks) == 1:
                return boxes
            order = boxes.score * self.weight.astype(np.float32)[boxes.source]
            return boxes.where(nms(boxes.xyxy, order, boxes.label, boxes.offsets, self.nms_iou))
        fused = weighted_box_fusion(
            boxes.xyxy, boxes.score, boxes.label, boxes.source, boxes.offsets,
            self.weight[:, None] * self.looks,
            iou_thr=self.wbf_iou, conf_type="absent_model_aware_avg",
        )  # fmt: skip
        return Boxes(fused.xyxy, fused.score, fused.label, fused.source, fused.offsets)
