"""Packing, completing and merging of `Detections`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from physgauge.types import F32, VIEWS, Boxes, Detections

HEADLESS_P: Final = 0.9
"""Probability of the only domain of a detector without a domain head, once it sees a part."""


def pack(found: Sequence[tuple[F32, F32, NDArray[np.int64]]]) -> Boxes:
    """Boxes of a batch from (xyxy, score, label) per image; source 0."""
    counts = [len(score) for _, score, _ in found]
    total = sum(counts)
    return Boxes(
        xyxy=np.concatenate([np.zeros((0, 4), np.float32), *(f[0] for f in found)]),
        score=np.concatenate([np.zeros(0, np.float32), *(f[1] for f in found)]),
        label=np.concatenate([np.zeros(0, np.int16), *(f[2].astype(np.int16) for f in found)]),
        source=np.zeros(total, np.int8),
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )


def headless_domain(boxes: Boxes, domains: int) -> F32:
    """Domain probabilities of a detector without a domain head: known only if it has one domain."""
    p = np.zeros((len(boxes), domains + 1), np.float32)
    if domains == 1:
        p[:, 0] = np.where(np.diff(boxes.offsets) > 0, np.float32(HEADLESS_P), np.float32(0))
    p[:, -1] = 1 - p[:, :-1].sum(1)
    return p


def unknown_view(count: int) -> F32:
    """View probabilities where nothing looked: [B, V], column 0 is 1."""
    view = np.zeros((count, len(VIEWS)), np.float32)
    view[:, 0] = 1
    return view


def merge(several: Sequence[Detections]) -> Detections:
    """One record from what several detectors say about the same batch.

    Boxes keep their detector as `source` (its place in the list); suppressing or fusing duplicates is
    left to the fusion. With P_k(d) what detector k says of domain d, and P_g(none) the mean for none
    among the group g of detectors that know the same domains, a domain weighs

        w(d) = mean over the detectors that know d of P_k(d), times the product of P_g(none) of the groups
               that do not know it

    and "none" weighs the product of all P_g(none); the weights are normalised. (By group, so that a
    detector that says the same as another changes nothing.) The view is that of the detector with a view
    head that is surest of a domain.
    """
    if len(several) == 1:
        return several[0]
    if not several:
        raise ValueError("merge: expected at least one record, got none")
    count = len(several[0].boxes)
    if any(len(d.boxes) != count for d in several):
        raise ValueError(
            f"merge: expected {count} images in each record, got {[len(d.boxes) for d in several]}"
        )
    classes = tuple(dict.fromkeys(name for d in several for name in d.classes))
    domains = tuple(dict.fromkeys(name for d in several for name in d.domains))
    return Detections(
        boxes=_merged_boxes(several, classes, count),
        classes=classes,
        domains=domains,
        domain_p=_merged_domain(several, domains),
        view_p=_merged_view(several),
        looks=np.array([[name in d.classes for name in classes] for d in several], np.bool_),
    )


def _merged_boxes(several: Sequence[Detections], classes: tuple[str, ...], count: int) -> Boxes:
    image = np.concatenate([np.repeat(np.arange(count), np.diff(d.boxes.offsets)) for d in several])
    order = np.argsort(image, kind="stable")  # within an image: detector after detector, best first
    maps = [np.array([classes.index(name) for name in d.classes], np.int16) for d in several]
    label = np.concatenate([m[d.boxes.label] for m, d in zip(maps, several, strict=True)])
    source = np.concatenate(
        [np.full(len(d.boxes.score), k, np.int8) for k, d in enumerate(several)]
    )
    return Boxes(
        xyxy=np.concatenate([d.boxes.xyxy for d in several])[order],
        score=np.concatenate([d.boxes.score for d in several])[order],
        label=label[order],
        source=source[order],
        offsets=np.concatenate([[0], np.cumsum(np.bincount(image, minlength=count))]).astype(
            np.int64
        ),
    )


def _merged_domain(several: Sequence[Detections], domains: tuple[str, ...]) -> F32:
    groups: dict[frozenset[str], list[Detections]] = {}
    for d in several:
        groups.setdefault(frozenset(d.domains), []).append(d)
    none = {
        known: np.stack([d.domain_p[:, -1].astype(np.float64) for d in group]).mean(0)
        for known, group in groups.items()
    }
    columns = []
    for name in domains:
        p = np.stack([d.domain_p[:, d.domains.index(name)] for d in several if name in d.domains])
        others = [p_none for known, p_none in none.items() if name not in known]
        columns.append(np.prod([p.mean(0, dtype=np.float64), *others], axis=0))
    table = np.stack([*columns, np.prod(list(none.values()), axis=0)], axis=1)
    if len(groups) == 1:
        return table.astype(np.float32)
    total = table.sum(1, keepdims=True)
    table[total[:, 0] <= 0, -1] = 1.0  # detectors that flatly contradict each other: none
    return (table / np.where(total > 0, total, 1.0)).astype(np.float32)


def _merged_view(several: Sequence[Detections]) -> F32:
    view = several[0].view_p.copy()
    surest = np.full(len(view), -1.0, np.float32)
    for d in several:
        looked = d.view_p[:, 0] < 1
        better = looked & (1 - d.domain_p[:, -1] > surest)
        view[better] = d.view_p[better]
        surest[better] = 1 - d.domain_p[better, -1]
    return view
