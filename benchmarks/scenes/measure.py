"""Ground truth of an image: part boxes from the segmentation, visible fractions from silhouettes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .geometry.camera import Camera
from .geometry.silhouette import outline
from .geometry.subject import Part

MIN_PX = 12

MIN_SIDE = 4

MIN_FRACTION = 0.15


@dataclass(frozen=True, slots=True)
class Seen:
    """What the image shows of one part."""

    key: str
    cls: str
    instance: int
    """Running number within its class, in the order of the subject's parts."""
    box: tuple[int, int, int, int]
    """x0, y0, x1, y1 px, pixel edges; zeros when nothing is visible."""
    px: int
    alone: float
    """px² of the part alone, frame or not."""
    full: tuple[float, float, float, float]
    """Box of the part alone, frame or not."""
    planted: bool
    size: int
    """Side of the image, px."""

    @property
    def fraction(self) -> float:
        """Visible share, 0..1."""
        return min(1.0, self.px / max(self.alone, 1.0))

    @property
    def framed(self) -> float:
        """Share of the part's own box that lies inside the frame, 0..1."""
        x0, y0, x1, y1 = self.full
        w = max(0.0, min(x1, self.size) - max(x0, 0.0))
        h = max(0.0, min(y1, self.size) - max(y0, 0.0))
        return w * h / max((x1 - x0) * (y1 - y0), 1e-6)

    @property
    def annotated(self) -> bool:
        """Large and visible enough to be annotated."""
        w, h = self.box[2] - self.box[0], self.box[3] - self.box[1]
        return self.px >= MIN_PX and min(w, h) >= MIN_SIDE and self.fraction >= MIN_FRACTION


def boxes_of(seg: NDArray[np.int32], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pixel counts [count + 1] and boxes [count + 1, 4] per segmentation id."""
    ys, xs = np.nonzero(seg)
    ids = seg[ys, xs]
    n = np.bincount(ids, minlength=count + 1)[: count + 1]
    boxes = np.zeros((count + 1, 4), np.int64)
    order = np.argsort(ids, kind="stable")
    ids, xs, ys = ids[order], xs[order], ys[order]
    starts = (
        np.nonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))[0]
        if len(ids)
        else np.zeros(0, np.int64)
    )
    if len(starts):
        who = ids[starts]
        boxes[who, 0] = np.minimum.reduceat(xs, starts)
        boxes[who, 1] = np.minimum.reduceat(ys, starts)
        boxes[who, 2] = np.maximum.reduceat(xs, starts) + 1
        boxes[who, 3] = np.maximum.reduceat(ys, starts) + 1
    return n, boxes


Outlines = dict[tuple[int, ...], tuple[float, tuple[float, float, float, float]]]
"""Silhouettes by the identity of the parts they join, valid for one camera and living parts."""


def measure(
    parts: Sequence[Part], seg: NDArray[np.int32], camera: Camera, known: Outlines | None = None
) -> list[Seen]:
    """What `seg` (ids = index + 1 into `parts`) shows of every classed part.

    `known` carries silhouettes from one call to the next with the same camera.
    """
    known = {} if known is None else known
    size = seg.shape[0]
    n, boxes = boxes_of(seg, len(parts))
    index = {p.key: i for i, p in enumerate(parts)}
    joined: dict[str, list[int]] = {}
    for i, p in enumerate(parts):
        if (
            p.joins is not None
            and p.joins in index
            and not (p.planted and not parts[index[p.joins]].planted)
        ):
            joined.setdefault(p.joins, []).append(i)
    counters: dict[str, int] = {}
    out = []
    for i, p in enumerate(parts):
        if p.cls is None:
            continue
        members = [i, *joined.get(p.key, [])]
        shown = [boxes[m + 1] for m in members if n[m + 1] > 0]
        px = int(sum(n[m + 1] for m in members))
        box = (0, 0, 0, 0)
        if shown:
            s = np.stack(shown)
            box = (int(s[:, 0].min()), int(s[:, 1].min()), int(s[:, 2].max()), int(s[:, 3].max()))
        key = tuple(id(parts[m]) for m in members)
        if key not in known:
            known[key] = outline([parts[m] for m in members], camera, size)
        alone, full = known[key]
        k = counters.get(p.cls, 0)
        counters[p.cls] = k + 1
        out.append(Seen(p.key, p.cls, k, box, px, alone, full, p.planted, size))
    return out
