"""How much evidence carries: detection scores, distance beyond a bound, what a view or border hides."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

from physgauge.ensemble.judge.reason_input import PartBox, ReasonInput

SCORE_FLOOR: Final = 0.3
SCORE_FULL: Final = 0.85
"""A box with SCORE_FLOOR carries nothing, one with SCORE_FULL everything; linear between."""
BORDER: Final = 0.01
"""A subject nearer to the border than this share of the image may go on outside."""
CUT_OFF: Final = 0.5
"""What "not seen" still carries then."""

_NUMBER: Final = re.compile(r"(<=|>=|==|!=|<|>)\s?(\d{1,9}(?:\.\d{1,9})?)\s?(%?)$")


def carries(score: float) -> float:
    """What one box of this score carries, 0..1."""
    return _clip((score - SCORE_FLOOR) / (SCORE_FULL - SCORE_FLOOR))


def any_of(strengths: Iterable[float]) -> float:
    """Strength that at least one holds: 1 - prod(1 - s)."""
    return 1 - math.prod(1 - _clip(s) for s in strengths)


def all_of(strengths: Iterable[float]) -> float:
    """Strength that rests on all of them: the weakest; 1 for none."""
    return min((_clip(s) for s in strengths), default=1.0)


def surplus(boxes: Sequence[PartBox], component: str, most: float, sure: float) -> float:
    """Strength of "more than `most`": any of the boxes beyond the `most` best is real.

    A box that mostly repeats a better one of its kind is likely a double detection and carries less.
    """
    own = sorted((b for b in boxes if b.component == component), key=lambda b: -b.score)
    spare = own[int(most) :]
    if not spare:
        return sure
    better = own[: int(most)]
    return any_of(
        carries(b.score) * (1 - max((iou(b, a) for a in better), default=0)) for b in spare
    )


def shortage(given: ReasonInput, component: str, fewer: float, sure: float) -> float:
    """Strength of "not seen": the component's salience, less where the subject is cut off."""
    salience = given.spec.components[component].salience * sure
    strength = any_of([salience] * round(min(fewer, 8))) if fewer >= 1 else salience * fewer
    unsure_view = CUT_OFF if given.view == "unknown" else 1.0
    return strength * unsure_view * (CUT_OFF if cut_off(given) else 1.0) * eyesight(given)


def eyesight(given: ReasonInput) -> float:
    """How well this picture's parts are seen, 0..1: who sees little misses more."""
    own = [carries(b.score) for b in given.boxes if b.component in given.spec.components]
    return sum(own) / len(own) if own else 1.0


def cut_off(given: ReasonInput) -> bool:
    """Whether the subject reaches the image's border."""
    if given.size is None or not given.boxes:
        return False
    width, height = given.size
    x0, y0, x1, y1 = hull(given.boxes)
    dx, dy = BORDER * width, BORDER * height
    return x0 <= dx or y0 <= dy or x1 >= width - dx or y1 >= height - dy


def beyond(measured: float | None, bound: str) -> float | None:
    """How far a measured value is beyond a plain numeric bound, relative to it; None if unknown."""
    match = _NUMBER.search(bound.strip())
    if measured is None or match is None:
        return None
    limit = float(match.group(2)) / (100 if match.group(3) else 1)
    return abs(measured - limit) / max(abs(limit), 1.0 if limit == 0 else 1e-9)


def hull(boxes: Iterable[PartBox]) -> tuple[float, float, float, float]:
    """The smallest box around some."""
    x0, y0, x1, y1 = zip(*(b.xyxy for b in boxes), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def iou(a: PartBox, b: PartBox) -> float:
    """Intersection over union."""
    shared = _overlap(a.xyxy, b.xyxy)
    union = _area(a.xyxy) + _area(b.xyxy) - shared
    return shared / union if union > 0 else 0.0


def gap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Shortest distance between two boxes, px; 0 where they touch."""
    dx = max(a[0] - b[2], b[0] - a[2], 0.0)
    dy = max(a[1] - b[3], b[1] - a[3], 0.0)
    return math.hypot(dx, dy)


def middle_of(a: tuple[float, ...]) -> tuple[float, float]:
    """A box's centre."""
    return (a[0] + a[2]) / 2, (a[1] + a[3]) / 2


def containment(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Share of a's area inside b."""
    area = _area(a)
    return _overlap(a, b) / area if area > 0 else 0.0


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    return max(w, 0.0) * max(h, 0.0)


def _area(a: tuple[float, ...]) -> float:
    return max(a[2] - a[0], 0.0) * max(a[3] - a[1], 0.0)


def _clip(value: float) -> float:
    # NaN carries nothing.
    return min(max(value, 0.0), 1.0) if value == value else 0.0  # noqa: PLR0124
