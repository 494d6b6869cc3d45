"""The benchmark's 20 rules written by hand for NumPy: the fair alternative to a kernel.

Boxes are padded to [B, C, M] once a batch, then every rule is array arithmetic over all images. It
answers with statuses only (a kernel also says what was measured and which boxes decided), and a change
of a rule is a change of code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from physgauge.rules_kernel import ObservedArrays, PackedBoxes

A = npt.NDArray[Any]

HEAD, ENGINE, WING, TAIL, TAIL_WING, OTHER = range(6)


def statuses(boxes: PackedBoxes, seen: ObservedArrays) -> npt.NDArray[np.int8]:
    """i8[B,20], as the kernel of `benchmarks.kernels` gives them."""
    part, score, number = _padded(boxes, OTHER + 1)
    count = np.where(np.isnan(seen.counts), number, seen.counts)
    head, tail = (_best(part[:, c], score[:, c]) for c in (HEAD, TAIL))
    engine, wing, tail_wing = part[:, ENGINE], part[:, WING], part[:, TAIL_WING]
    wings = _hull(wing)
    fuselage = _span(_hull(part[:, HEAD]), _hull(part[:, TAIL]))
    length = (fuselage[..., 2] - fuselage[..., 0])[:, None]
    height = seen.size[:, 1].astype(np.float64)
    wide = engine[..., 2] - engine[..., 0]
    diagonal = np.hypot(wide, engine[..., 3] - engine[..., 1])
    near = np.abs(_cy(engine)[:, :, None] - _cy(wing)[:, None, :])
    large = _expanded(wing, 0.25)
    axis = _cy(fuselage)[:, None]
    along, aside = _beside(wings, head, tail)[0], _beside(wing, head[:, None], tail[:, None])[1]
    engines = _over(np.nanmean, wide) / length[:, 0]
    at_wing = np.maximum(
        _less(near, 0.08 * height[:, None, None]), _inside(engine[:, :, None], large[:, None])
    )
    there = [2 * (count[:, c] >= 1) for c in range(OTHER)]
    foreign = (seen.expected_max == 0) | (np.arange(OTHER + 1) == OTHER)
    low, high = seen.expected_min, seen.expected_max
    within = [_within(count[:, c], low[:, c], high[:, c]) for c in range(OTHER)]
    captioned = seen.tags[:, 0]
    truths = [
        _equal(count[:, HEAD], 1),
        _equal(count[:, TAIL], 1),
        np.minimum(_most(2, count[:, ENGINE]), _most(count[:, ENGINE], 4)),
        np.minimum(_most(1, count[:, WING]), _most(count[:, WING], 2)),
        _all(np.minimum(_most(0.05 * length, wide), _most(wide, 0.15 * length)), engine),
        _equal((count * foreign).sum(axis=1), 0),
        _all(_any(at_wing, wing[:, None]), engine),
        _most(0.3 * length[:, 0], _distance(head, tail)),
        _all(_most(_gap(tail_wing, tail[:, None]), 0.1 * length), tail_wing),
        _any(np.minimum(_most(wing[..., 1], axis), _most(axis, wing[..., 3])), wing),
        _all(_most(_gap(engine, wings[:, None]), 0.05 * length), engine),
        np.minimum(_most(0.15, along), _most(along, 1.15)),
        _all(_most(aside, 0.5 * length), wing),
        np.where(there[ENGINE] == 2, there[WING], 1),
        2 * (there[HEAD] == there[TAIL]),
        np.minimum(_most(0.05, engines), _most(engines, 0.15)),
        _most(_over(np.nanmax, diagonal), 2 * _over(np.nanmin, diagonal)),
        _most(_over(np.nanmax, _area(tail_wing)), _over(np.nanmax, _area(wing))),
        np.where(captioned, np.minimum(within[ENGINE], within[WING]), 1),
        np.where(captioned, np.minimum(within[HEAD], within[TAIL]), 1),
    ]  # fmt: skip
    status: npt.NDArray[np.int8] = np.array([0, -1, 1], np.int8)[np.stack(truths, axis=1)]
    return status


def _padded(boxes: PackedBoxes, components: int) -> tuple[A, A, A]:
    """Boxes f64[B,C,M,4] and scores [B,C,M], NaN where there is none, and how many [B,C]."""
    images = len(boxes.offsets) - 1
    image = np.repeat(np.arange(images), np.diff(boxes.offsets))
    cell = image * components + boxes.label
    order = np.argsort(cell, kind="stable")
    number = np.bincount(cell, minlength=images * components)
    rank = np.arange(len(cell)) - np.repeat(np.cumsum(number) - number, number)
    shape = (images * components, max(1, int(number.max(initial=0))))
    part, score = np.full((*shape, 4), np.nan), np.full(shape, np.nan)
    part[cell[order], rank] = boxes.xyxy[order]
    score[cell[order], rank] = boxes.score[order]
    parts = part.reshape(images, components, shape[1], 4)
    return parts, score.reshape(images, components, shape[1]), number.reshape(images, components)


def _best(part: A, score: A) -> A:
    at = np.argmax(np.where(np.isnan(score), -1, score), axis=1)
    best: A = np.take_along_axis(part, at[:, None, None], axis=1)[:, 0]
    return best


def _over(reduce: Any, values: A) -> A:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nothing to reduce: NaN is the answer
        out: A = reduce(values, axis=1)
    return out


def _hull(part: A) -> A:
    edges = [_over(np.nanmin if k < 2 else np.nanmax, part[..., k]) for k in range(4)]
    return np.stack(edges, axis=-1)


def _span(a: A, b: A) -> A:
    low, high = np.minimum(a[..., :2], b[..., :2]), np.maximum(a[..., 2:], b[..., 2:])
    return np.concatenate([low, high], axis=-1)


def _expanded(a: A, share: float) -> A:
    by = share * (a[..., 2:] - a[..., :2])
    return np.concatenate([a[..., :2] - by, a[..., 2:] + by], axis=-1)


def _cy(a: A) -> A:
    middle: A = (a[..., 1] + a[..., 3]) / 2
    return middle


def _area(a: A) -> A:
    area: A = (a[..., 2] - a[..., 0]) * (a[..., 3] - a[..., 1])
    return area


def _centre(a: A) -> A:
    centre: A = (a[..., :2] + a[..., 2:]) / 2
    return centre


def _distance(a: A, b: A) -> A:
    step = _centre(a) - _centre(b)
    return np.asarray(np.hypot(step[..., 0], step[..., 1]))


def _gap(a: A, b: A) -> A:
    step = np.maximum(0, np.maximum(b[..., :2] - a[..., 2:], a[..., :2] - b[..., 2:]))
    return np.asarray(np.hypot(step[..., 0], step[..., 1]))


def _beside(p: A, a: A, b: A) -> tuple[A, A]:
    u, v = _centre(b) - _centre(a), _centre(p) - _centre(a)
    square = (u**2).sum(axis=-1)
    with np.errstate(all="ignore"):
        along = (u * v).sum(axis=-1) / square
        aside = np.abs(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]) / np.sqrt(square)
    return along, aside


def _truth(holds: A, *operands: A | float) -> A:
    known = np.ones(holds.shape, np.bool_)
    for operand in operands:
        known &= np.isfinite(operand)
    return np.where(known, 2 * holds, 1)


def _slack(a: A | float, b: A | float) -> A:
    return np.asarray(1e-6 * np.maximum(np.abs(a), np.abs(b)))


def _less(a: A | float, b: A | float) -> A:
    return _truth(np.asarray(b - a > _slack(a, b)), a, b)


def _most(a: A | float, b: A | float) -> A:
    return _truth(np.asarray(a - b <= _slack(a, b)), a, b)


def _equal(a: A | float, b: A | float) -> A:
    return _truth(np.asarray(np.abs(a - b) <= _slack(a, b)), a, b)


def _inside(a: A, b: A) -> A:
    low, high = _most(b[..., :2], a[..., :2]), _most(a[..., 2:], b[..., 2:])
    return np.asarray(np.minimum(low.min(axis=-1), high.min(axis=-1)))


def _within(count: A, low: A, high: A) -> A:
    holds = ~(low - count > 1e-6 * low) & ~(count - high > 1e-6 * count)
    return np.where(np.isnan(low) & np.isnan(high), 1, 2 * holds)


def _all(truth: A, part: A) -> A:
    there = ~np.isnan(part[..., 0])
    least = np.where(there, truth, 3).min(axis=-1)
    return np.where(least == 3, 1, least)


def _any(truth: A, part: A) -> A:
    there = np.broadcast_to(~np.isnan(part[..., 0]), truth.shape)
    most = np.where(there, truth, -1).max(axis=-1)
    return np.where(most == -1, 1, most)
