"""Fuse: one set of boxes, counts, a domain and a view per image, from all that looked at it.

With a single detector this is class-wise non-maximum suppression and a count of what remains; the
confidence-weighted count vote over several sources is `rules_kernel.fusion.vote_counts`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physgauge.config import FuseSettings
from physgauge.rules_kernel.fusion import nms
from physgauge.types import F32, I8, Bools, Boxes, Detections

CROSS_DOMAIN_IOU = 0.5
"""A part of another domain that overlaps a part of the image's own domain this much is the same thing
seen twice under two names; the own one stays."""


@dataclass(frozen=True, slots=True)
class Fused:
    """What a batch shows."""

    boxes: Boxes
    """After suppression; labels index `classes`."""
    classes: tuple[str, ...]
    """``domain.component`` names."""
    counts: F32
    """[B, len(classes)] instances of each class; NaN where nobody looked."""
    domain: tuple[str | None, ...]
    """The accepted domain of each image."""
    domain_p: F32
    """[B] how sure it is; 1 where the caller said so, 0 without one."""
    reason: tuple[str | None, ...]
    """Why there is none."""
    view: I8
    """[B] index into VIEWS."""


def fuse(detections: Detections, settings: FuseSettings | None, domain: str | None = None) -> Fused:
    """Suppress duplicates, count, and decide each image's domain and view.

    Args:
        detections: what the detectors say.
        settings: thresholds; None = take boxes, domains and views as given (no detector made them).
        domain: the caller's word for all images; None = the detector decides.
    """
    images = len(detections.boxes)
    names: tuple[str | None, ...] = (domain,) * images
    reasons: tuple[str | None, ...] = (None,) * images
    if domain is None:
        names, reasons = choose_domains(detections, settings.min_domain_p if settings else 0.0)
    boxes = suppress(detections, names, settings.nms_iou) if settings else detections.boxes
    return Fused(
        boxes=boxes,
        classes=detections.classes,
        counts=count(boxes, len(detections.classes)),
        domain=names,
        domain_p=_probability_of(names, detections)
        if domain is None
        else np.ones(images, np.float32),
        reason=reasons,
        view=choose_views(detections.view_p, settings.min_view_p if settings else 0.0),
    )


def choose_domains(
    detections: Detections, min_p: float
) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
    """The most probable domain of each image, or None and why."""
    names: list[str | None] = []
    reasons: list[str | None] = []
    known = ", ".join(detections.domains)
    for p in detections.domain_p:
        best = int(np.argmax(p[:-1])) if len(p) > 1 else -1
        if best >= 0 and p[best] >= min_p and p[best] >= p[-1]:
            names.append(detections.domains[best])
            reasons.append(None)
        else:
            names.append(None)
            reasons.append(f"no known domain: the image shows none of {known} clearly enough")
    return tuple(names), tuple(reasons)


def _probability_of(names: tuple[str | None, ...], detections: Detections) -> F32:
    columns = {name: column for column, name in enumerate(detections.domains)}
    return np.array(
        [
            0.0 if n is None else p[columns[n]]
            for n, p in zip(names, detections.domain_p, strict=True)
        ],
        np.float32,
    )


def choose_views(view_p: F32, min_p: float) -> I8:
    """[B] the most probable view; 0 (unknown) below `min_p`."""
    best = view_p.argmax(axis=1) if len(view_p) else np.zeros(0, np.int64)
    sure = np.take_along_axis(view_p, best[:, None], axis=1)[:, 0] >= min_p
    return np.where(sure, best, 0).astype(np.int8)


def suppress(detections: Detections, domains: tuple[str | None, ...], iou: float) -> Boxes:
    """Class-wise non-maximum suppression, then other domains' names for the same thing."""
    boxes = detections.boxes
    keep = nms(boxes.xyxy, boxes.score, boxes.label, boxes.offsets, iou)
    owner = np.array([name.partition(".")[0] for name in detections.classes])
    for image, domain in enumerate(domains):
        if domain is None:
            continue
        span = boxes.of(image)
        foreign = owner[boxes.label[span]] != domain
        own = boxes.xyxy[span][~foreign & keep[span]]
        for index in np.flatnonzero(foreign & keep[span]):
            if overlaps(boxes.xyxy[span][index], own, CROSS_DOMAIN_IOU):
                keep[span.start + index] = False
    return select(boxes, keep)


def overlaps(box: F32, others: F32, iou: float) -> bool:
    """Whether `box` [4] has at least this IoU with any of `others` [N, 4]."""
    size = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.maximum(size, 0).prod(axis=1)
    area = (others[:, 2:] - others[:, :2]).prod(axis=1) + (box[2:] - box[:2]).prod()
    return bool((shared >= iou * (area - shared)).any())


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


def count(boxes: Boxes, classes: int) -> F32:
    """[B, classes] boxes of each class."""
    images = len(boxes)
    owner = np.repeat(np.arange(images), np.diff(boxes.offsets))
    counted = np.bincount(owner * classes + boxes.label, minlength=images * classes)
    return counted.reshape(images, classes).astype(np.float32)
