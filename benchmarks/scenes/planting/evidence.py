"""Is a planted violation evident in the picture, and is a clean picture really clean?

Everything is decided on segmentations of the violated scene and of its clean twin (the same subject,
camera and frame without the planting); the thresholds are documented in docs/scenes.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.scenes.geometry.subject import Part, Subject
from benchmarks.scenes.measure import Seen

from .plant import Planting

MIN_FRACTION: Final = 0.5

MIN_AREA: Final = 0.003
"""Share of the image that a planted part covers, unless its kind of part is small by nature:"""

SMALL_AREA: Final = {
    "animal.eye": 0.0009,
    "animal.ear": 0.0015,
    "animal.horn": 0.0015,
    "animal.nose": 0.0015,
    "animal.beak": 0.0015,
    "animal.tail": 0.002,
    "car.headlight": 0.0016,
    "car.taillight": 0.0014,
    "car.mirror": 0.002,
    "aircraft.engine": 0.0022,
    "aircraft.head": 0.0025,
    "aircraft.tail_wing": 0.002,
}

MIN_MOVE: Final = 0.13
"""Displacement of a misplaced part in shares of the subject's larger side in the picture."""

MAX_IOU: Final = 0.35
"""An extra part's box must not coincide with a natural one of its class."""

MIN_FRAMED: Final = 0.4
"""The frame leaves at least this share of every part's box."""
MIN_GAP: Final = 0.028
"""Gap round a detached part in shares of the frame."""


def _area(cls: str, size: int, small: float = 1.0) -> float:
    return SMALL_AREA.get(cls, MIN_AREA) * small * size * size


def _iou(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    inter = w * h
    return inter / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter)


def _middle(box: tuple[float, float, float, float]) -> NDArray[np.float64]:
    return np.array([box[0] + box[2], box[1] + box[3]]) / 2


def _well_seen(s: Seen, size: int, small: float = 1.0) -> bool:
    return s.fraction >= MIN_FRACTION and s.px >= _area(s.cls, size, small) and s.annotated


def evident(
    planting: Planting,
    seen: Sequence[Seen],
    twin: Sequence[Seen],
    parts: Sequence[Part],
    seg: NDArray[np.int32],
    size: int | None = None,
) -> bool:
    """Whether a person can tell from the picture; `twin` is what the clean twin shows.

    `size`: side (px) of the frame that areas and gaps are shares of, where that is not the picture's.
    """
    frame = int(seg.shape[0]) if size is None else size
    now, before = {s.key: s for s in seen}, {s.key: s for s in twin}
    if any(k not in before or before[k].fraction < MIN_FRACTION for k in planting.reference):
        return False
    if planting.kind == "missing":
        return all(k in before and _well_seen(before[k], frame) for k in planting.removed)
    shrunk = planting.kind == "rescaled" and "shrunk" in planting.detail
    for key in planting.principal:
        if key not in now or not _well_seen(now[key], frame, 0.3 if shrunk else 1.0):
            return False
    if shrunk and any(k not in before or not _well_seen(before[k], frame) for k in planting.origin):
        return False
    if planting.kind == "extra":
        naturals = [s for s in seen if s.cls == planting.cls and not s.planted and s.px > 0]
        return all(_iou(now[k].box, s.box) < MAX_IOU for k in planting.principal for s in naturals)
    if planting.kind in ("misplaced", "detached"):
        boxes = np.array([s.full for s in twin if s.px > 0])
        extent = max(float(np.ptp(boxes[:, [0, 2]])), float(np.ptp(boxes[:, [1, 3]])))
        for key in planting.principal:
            if (
                key in before
                and np.linalg.norm(_middle(now[key].full) - _middle(before[key].full))
                < MIN_MOVE * extent
            ):
                return False
    return planting.kind != "detached" or _apart(parts, seg, frame)


def _apart(parts: Sequence[Part], seg: NDArray[np.int32], size: int) -> bool:
    """Whether the planted pixels keep their distance from the rest of the subject."""
    planted = np.isin(seg, [i + 1 for i, p in enumerate(parts) if p.planted])
    rest = np.isin(
        seg,
        [i + 1 for i, p in enumerate(parts) if not p.planted and not p.key.startswith("backdrop")],
    )
    gap = max(2, round(MIN_GAP * size))
    # Dilation by a (2 gap + 1)² square through window sums: any planted pixel within reach counts.
    sums = np.pad(planted, gap).astype(np.int32).cumsum(0).cumsum(1)
    sums = np.pad(sums, ((1, 0), (1, 0)))
    w = 2 * gap + 1
    window = sums[w:, w:] - sums[:-w, w:] - sums[w:, :-w] + sums[:-w, :-w]
    return not bool(((window > 0) & rest).any())


MIN_CHANGE: Final = 24
"""Levels of 255 by which a pixel must differ between the clean twin's picture and the violated one."""

MIN_CHANGED: Final = 0.4
"""Share of the planted (or removed) parts' pixels that must differ by that much."""


def visibly_different(
    pixels: NDArray[np.uint8], clean: NDArray[np.uint8], where: NDArray[np.bool_]
) -> bool:
    """Whether the planting shows in colours too: a black wing missing from a black body does not.

    `where` masks the planted parts in the violated picture, or the removed ones in the clean twin.
    """
    change = np.abs(pixels.astype(np.int16) - clean.astype(np.int16)).max(-1)
    return bool(where.any()) and float((change[where] >= MIN_CHANGE).mean()) >= MIN_CHANGED


def planted_mask(
    planting: Planting,
    parts: Sequence[Part],
    seg: NDArray[np.int32],
    twin_parts: Sequence[Part],
    twin_seg: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Pixels of the principal planted parts, or of the removed (for missing) in the clean twin."""
    if planting.kind == "missing":
        keys = set(planting.removed) or set(planting.reference) - {p.key for p in parts}
        return np.isin(twin_seg, [i + 1 for i, p in enumerate(twin_parts) if p.key in keys])
    return np.isin(seg, [i + 1 for i, p in enumerate(parts) if p.key in planting.principal])


_LEAST: Final[dict[str, dict[str, tuple[tuple[str, int], ...]]]] = {
    "aircraft": {
        "side": (("head", 1), ("tail", 1), ("wing", 1)),
        "front_quarter": (("head", 1), ("tail", 1), ("wing", 1)),
        "rear_quarter": (("tail", 1), ("wing", 1), ("head", 1)),
        "front": (("head", 1), ("wing", 2)),
        "rear": (("tail", 1), ("wing", 2)),
    },
    "car": {
        "side": (("wheel", 2), ("door", 1), ("side_window", 1), ("roof", 1)),
        "front_quarter": (
            ("wheel", 2),
            ("door", 1),
            ("windshield", 1),
            ("bonnet", 1),
            ("headlight", 1),
            ("roof", 1),
        ),
        "rear_quarter": (("wheel", 2), ("door", 1), ("taillight", 1), ("trunk", 1), ("roof", 1)),
        "front": (("headlight", 2), ("windshield", 1), ("bonnet", 1), ("grille", 1)),
        "rear": (("taillight", 2), ("trunk", 1), ("bumper", 1)),
    },
    "animal": {
        "side": (("head", 1), ("chest", 1), ("belly", 1), ("leg", 2)),
        "front_quarter": (("head", 1), ("chest", 1), ("leg", 2)),
        "rear_quarter": (("head", 1), ("belly", 1), ("leg", 2)),
        "front": (("head", 1), ("chest", 1), ("leg", 2)),
        "rear": (("belly", 1), ("leg", 2)),
    },
}


def least_shown(domain: str, view: str) -> tuple[tuple[str, int], ...]:
    """Components (and how many of each) that a clean picture of this view must show annotated."""
    return _LEAST[domain][view]


def complete(domain: str, view: str, seen: Sequence[Seen]) -> bool:
    """Whether a clean picture shows at least what its view must."""
    for component, n in least_shown(domain, view):
        if sum(s.annotated for s in seen if s.cls == f"{domain}.{component}") < n:
            return False
    return True


def hidden_too_much(before: Sequence[Seen], after: Sequence[Seen]) -> bool:
    """Whether an occluder hides more than 60 % of the visible pixels of any annotated part."""
    now = {s.key: s for s in after}
    return any(
        now[s.key].px < 0.4 * s.px or not now[s.key].annotated for s in before if s.annotated
    )


def still_evident(planting: Planting, after: Sequence[Seen], twin: Sequence[Seen]) -> bool:
    """Whether the planting stays evident behind an occluder (`twin`: the clean twin behind it)."""
    now, before = {s.key: s for s in after}, {s.key: s for s in twin}
    shown = [now[k] for k in planting.principal]
    if planting.kind == "missing":
        shown = [before[k] for k in (*planting.removed, *planting.reference)]
    return all(s.fraction >= MIN_FRACTION and s.annotated for s in shown)


def cut_off(seen: Sequence[Seen]) -> bool:
    """Whether the frame cuts off most of any part."""
    return any(s.framed < MIN_FRAMED for s in seen)


def legs_shown(subject: Subject, view: str, seen: Sequence[Seen]) -> bool:
    """Whether every leg shows where the view allows it (true for what has no legs)."""
    if subject.domain != "animal" or view in ("front", "rear"):
        return True
    return sum(s.annotated for s in seen if s.cls == "animal.leg") >= subject.facts["legs"]
