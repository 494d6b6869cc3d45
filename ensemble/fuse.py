"""Fuse: one set of boxes, counts, a domain and a view per image, from all that looked at it.

Each detector's own duplicates go first; then the detectors vote on counts, and their boxes become one set
(`sources.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physgauge.config import DetectorSettings, FuseSettings
from physgauge.ensemble.sources import Ballots, Sources
from physgauge.rules_kernel.arrays import MAX_BOXES_PER_IMAGE
from physgauge.types import F32, I8, Bools, Boxes, Detections

CROSS_DOMAIN_IOU = 0.5
"""A part of another domain that overlaps a part of the image's own domain this much is the same thing
seen twice under two names; the own one stays."""


@dataclass(frozen=True, slots=True)
class Fused:
    """What a batch shows."""

    boxes: Boxes
    """After suppression and fusion; labels index `classes`."""
    clear: Bools
    """[N] which boxes reach their detector's threshold: the others only count in readings."""
    classes: tuple[str, ...]
    """``domain.component`` names."""
    counts: F32
    """[B, len(classes)] instances of each class among the clear boxes, by the vote of those who look for
    it; NaN where nobody does."""
    domain: tuple[str | None, ...]
    """The accepted domain of each image."""
    likely: tuple[str | None, ...]
    """Without an accepted domain, the likeliest one of an image that clearly shows one or another."""
    domain_p: F32
    """[B] how sure it is; 1 where the caller said so, 0 without one."""
    reason: tuple[str | None, ...]
    """Why there is none."""
    view: I8
    """[B] index into VIEWS."""
    looked: Bools
    """[B] whether a detector has a view head, or the caller said."""
    ballots: Ballots | None = None
    """The detectors' votes on the pictures of the batch (not on subjects or readings of them), for
    whoever votes besides (`observations.py`); None: boxes that no detector made."""


def fuse(
    detections: Detections,
    settings: FuseSettings | None,
    domain: str | Sequence[str | None] | None = None,
    detectors: Sequence[DetectorSettings] = (),
) -> Fused:
    """Suppress duplicates, count, and decide each image's domain and view.

    Args:
        detections: what the detectors say.
        settings: thresholds; None = take boxes, domains and views as given (no detector made them).
        domain: the caller's word, for all images or [B] for each; None = the detector decides.
        detectors: the settings of each source; () = all are trusted alike.
    """
    images = len(detections.boxes)
    least_p = settings.min_domain_p if settings else 0.0
    said: Words = (domain,) * images if domain is None or isinstance(domain, str) else tuple(domain)
    names, reasons = _named(said, *choose_domains(detections, least_p))
    boxes = detections.boxes
    if settings is None:
        clear = np.ones(len(boxes.score), np.bool_)
        counts, ballots = count(boxes, len(detections.classes)), None
    else:
        sources = Sources.of(detections, settings, detectors)
        seen = sources.suppress(boxes)
        seen = without_foreign(seen, sources.clear(seen), detections.classes, names)
        ballots, boxes, clear = sources.settle(seen)
        counts = ballots.elect()
    likely = _likely(names, detections, least_p)
    names, likely, reasons = _not_too_many(boxes, names, likely, reasons)
    return Fused(
        boxes=boxes,
        clear=clear,
        classes=detections.classes,
        counts=counts,
        domain=names,
        likely=likely,
        domain_p=_probability_of(names, said, detections),
        reason=reasons,
        view=choose_views(detections.view_p, settings.min_view_p if settings else 0.0),
        looked=detections.view_p[:, 0] < 1,
        ballots=ballots,
    )


Words = tuple[str | None, ...]


def _not_too_many(
    boxes: Boxes, names: Words, likely: Words, reasons: Words
) -> tuple[Words, Words, Words]:
    """The three, [B]; an image of more boxes than a rule kernel takes is judged by no domain."""
    number = np.diff(boxes.offsets)
    if not np.any(number > MAX_BOXES_PER_IMAGE):
        return names, likely, reasons
    three = [
        (
            None,
            None,
            f"too many parts to judge: expected at most {MAX_BOXES_PER_IMAGE} boxes, got {n}",
        )
        if n > MAX_BOXES_PER_IMAGE
        else (names[i], likely[i], reasons[i])
        for i, n in enumerate(number.tolist())
    ]
    one, two, why = zip(*three, strict=True)
    return one, two, why


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


def _likely(
    names: tuple[str | None, ...], detections: Detections, min_p: float
) -> tuple[str | None, ...]:
    """Two subjects share the probability: neither domain is sure, and that it is none is unlikely."""
    return tuple(
        detections.domains[int(np.argmax(p[:-1]))]
        if name is None and len(p) > 2 and 1 - p[-1] >= min_p
        else None
        for name, p in zip(names, detections.domain_p, strict=True)
    )


def _named(said: Words, chosen: Words, reasons: Words) -> tuple[Words, Words]:
    """Domains and why there is none, [B]: the caller's word counts where there is one."""
    return (
        tuple(one or other for one, other in zip(said, chosen, strict=True)),
        tuple(None if one else why for one, why in zip(said, reasons, strict=True)),
    )


def _probability_of(names: Words, said: Words, detections: Detections) -> F32:
    columns = {name: column for column, name in enumerate(detections.domains)}
    return np.array(
        [
            1.0 if word else 0.0 if name is None else p[columns[name]]
            for name, word, p in zip(names, said, detections.domain_p, strict=True)
        ],
        np.float32,
    )


def choose_views(view_p: F32, min_p: float) -> I8:
    """[B] the most probable view; 0 (unknown) below `min_p`."""
    best = view_p.argmax(axis=1) if len(view_p) else np.zeros(0, np.int64)
    sure = np.take_along_axis(view_p, best[:, None], axis=1)[:, 0] >= min_p
    return np.where(sure, best, 0).astype(np.int8)


def without_foreign(
    boxes: Boxes, clear: Bools, classes: Sequence[str], domains: Sequence[str | None]
) -> Boxes:
    """Without other domains' names for a thing that a clear box of the image's own domain names."""
    keep = np.ones(len(boxes.score), np.bool_)
    owner = np.array([name.partition(".")[0] for name in classes])
    for image, domain in enumerate(domains):
        if domain is None:
            continue
        span = boxes.of(image)
        foreign = owner[boxes.label[span]] != domain
        own = boxes.xyxy[span][~foreign & clear[span]]
        for index in np.flatnonzero(foreign):
            if overlaps(boxes.xyxy[span][index], own, CROSS_DOMAIN_IOU):
                keep[span.start + index] = False
    return boxes.where(keep)


def overlaps(box: F32, others: F32, iou: float) -> bool:
    """Whether `box` [4] has at least this IoU with any of `others` [N, 4]."""
    size = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.maximum(size, 0).prod(axis=1)
    area = (others[:, 2:] - others[:, :2]).prod(axis=1) + (box[2:] - box[:2]).prod()
    return bool((shared >= iou * (area - shared)).any())


def count(boxes: Boxes, classes: int) -> F32:
    """[B, classes] boxes of each class."""
    images = len(boxes)
    owner = np.repeat(np.arange(images), np.diff(boxes.offsets))
    counted = np.bincount(owner * classes + boxes.label, minlength=images * classes)
    return counted.reshape(images, classes).astype(np.float32)
