"""The compiled loops of the layout kernels. Importing this module imports Numba.

They are in one file, since Numba's cache looks at the file of the function it compiles only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

LEAST = 1e-3
"""Least width and height of a part, in the size of the whole: a flat box is thin, not impossible."""
MIN_BOXES = 3
"""Fewer boxes are no arrangement."""
BEYOND_PAIR = 0.5
"""Beyond the least log density of a pair's table, the log tail probability falls by this for each unit: a
Gaussian's falls faster, in five dimensions by about 0.7."""
BEYOND_IMAGE = 1.0
"""The same for an image's table, whose values are log tail probabilities already."""


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compiled on the first call, then kept on disk where there is a place for it."""
    options = {"nogil": True, "error_model": "numpy", **options}
    jit: Any = numba.njit
    try:
        return jit(cache=True, **options)(function)
    except RuntimeError:
        return jit(**options)(function)


def _size(xyxy: Any, label: Any, low: int, high: int, components: int) -> float:
    """Diagonal of the hull of the image's known parts; NaN where they are no arrangement."""
    x0, y0, x1, y1, known = np.inf, np.inf, -np.inf, -np.inf, 0
    for n in range(low, high):
        if 0 <= label[n] < components:
            known += 1
            x0, y0 = min(x0, xyxy[n, 0]), min(y0, xyxy[n, 1])
            x1, y1 = max(x1, xyxy[n, 2]), max(y1, xyxy[n, 3])
    size = math.hypot(float(x1) - float(x0), float(y1) - float(y0))
    return size if known >= MIN_BOXES and 0.0 < size < np.inf else np.nan


size_of = compiled(_size)


def _features(
    xyxy: Any, label: Any, low: int, high: int, n: int, other: int, size: float, out: Any
) -> bool:
    """FEATURES of box n beside the hull of the boxes of `other`, its own aside; whether there is one."""
    x0, y0, x1, y1 = np.inf, np.inf, -np.inf, -np.inf
    for m in range(low, high):
        if label[m] == other and m != n:
            x0, y0 = min(x0, float(xyxy[m, 0])), min(y0, float(xyxy[m, 1]))
            x1, y1 = max(x1, float(xyxy[m, 2])), max(y1, float(xyxy[m, 3]))
    if not x1 >= x0 or not y1 >= y0:
        return False
    a0, b0, a1, b1 = float(xyxy[n, 0]), float(xyxy[n, 1]), float(xyxy[n, 2]), float(xyxy[n, 3])
    out[0] = abs((a0 + a1) - (x0 + x1)) / 2 / size
    out[1] = ((b0 + b1) - (y0 + y1)) / 2 / size
    out[2] = math.log(max((a1 - a0) / size, LEAST))
    out[3] = math.log(max((b1 - b0) / size, LEAST))
    out[4] = math.log(max(math.hypot(x1 - x0, y1 - y0) / size, LEAST))
    return True


features_of = compiled(_features)


def _pairs(
    xyxy: Any,
    label: Any,
    offsets: Any,
    components: int,
    image: Any,
    part: Any,
    other: Any,
    out: Any,
) -> int:
    """Fill the table of all pairs; returns how many there are (the arrays may be too short for them)."""
    count, room, row = 0, len(image), np.empty(5)
    for i in range(len(offsets) - 1):
        low, high = offsets[i], offsets[i + 1]
        size = size_of(xyxy, label, low, high, components)
        if not size > 0.0:
            continue
        for n in range(low, high):
            if not 0 <= label[n] < components:
                continue
            for c in range(components):
                if features_of(xyxy, label, low, high, n, c, size, row):
                    if count < room:
                        image[count], part[count], other[count] = i, n, c
                        out[count] = row
                    count += 1
    return count


pairs = compiled(_pairs)


def _log_density(x: Any, log_weight: Any, mean: Any, whiten: Any) -> float:
    """Of a mixture of Gaussians at x."""
    top, total, features = -np.inf, 0.0, len(x)
    for k in range(len(log_weight)):
        if log_weight[k] == -np.inf:
            continue
        square = 0.0
        for b in range(features):
            y = 0.0
            for a in range(b + 1):
                y += (x[a] - mean[k, a]) * whiten[k, a, b]
            square += y * y
        value = log_weight[k] - square / 2
        if value > top:
            total = total * math.exp(top - value) + 1.0 if top > -np.inf else 1.0
            top = value
        else:
            total += math.exp(value - top)
    return top + math.log(total)


log_density = compiled(_log_density)


def _log_tail(value: float, tail: Any, log_p: Any, beyond: float) -> float:
    """The log probability of at most `value`, between the table's values and beyond its least."""
    if not value < tail[-1]:
        return 0.0
    if value <= tail[0]:
        return float(log_p[0] + beyond * (value - tail[0]))
    low, high = 0, len(tail) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if tail[middle] <= value:
            low = middle
        else:
            high = middle
    step = tail[high] - tail[low]
    share = (value - tail[low]) / step if step > 0.0 else 1.0
    return float(log_p[low] + share * (log_p[high] - log_p[low]))


log_tail = compiled(_log_tail)


def _least(
    xyxy: Any, label: Any, offsets: Any, view: Any, pair: Any, log_weight: Any, mean: Any, whiten: Any,
    log_p: Any, pair_tail: Any, least: Any, where: Any,
) -> None:  # fmt: skip
    """The least log tail probability of each image's pairs, NaN where none is known, and its pair."""
    components, row = pair.shape[1], np.empty(mean.shape[2])
    for i in range(len(view)):
        low, high = offsets[i], offsets[i + 1]
        least[i], where[i, 0], where[i, 1] = np.nan, -1, -1
        size = size_of(xyxy, label, low, high, components)
        if not size > 0.0:
            continue
        for n in range(low, high):
            if not 0 <= label[n] < components:
                continue
            for c in range(components):
                m = pair[view[i], label[n], c]
                if m < 0 or not features_of(xyxy, label, low, high, n, c, size, row):
                    continue
                density = log_density(row, log_weight[m], mean[m], whiten[m])
                value = log_tail(density, pair_tail[m], log_p, BEYOND_PAIR)
                if not least[i] <= value:
                    least[i], where[i, 0], where[i, 1] = value, n, c


least = compiled(_least)


def _image_tail(least: Any, view: Any, image_tail: Any, log_p: Any, out: Any) -> None:
    """The log tail probability of each image's least one."""
    for i in range(len(least)):
        out[i] = np.nan
        if least[i] == least[i]:
            out[i] = log_tail(least[i], image_tail[view[i]], log_p, BEYOND_IMAGE)


image_log_p = compiled(_image_tail)
