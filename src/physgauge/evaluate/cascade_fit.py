"""Choosing when a first judge's word stands: rows of two judges in, the bands of a cascade out.

A disagreement is an image that the first judge decides and that the second decides otherwise; what
reaches the second judge agrees with him. The bands are widened in steps that are fixed beforehand, along
a few paths (`PATHS`), from "hardly anything is decided first" to "everything is"; on each path the count
of disagreements never falls. The last step whose exact upper bound is within what is asked for is a valid
choice at the stated confidence (fixed-sequence testing), the paths sharing the error probability equally.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from physgauge import wire
from physgauge.ensemble.judge.cascade.bands import Bands
from physgauge.errors import ConfigError
from physgauge.evaluate.binomial import at_most, fewest, upper_bound
from physgauge.evaluate.cascade_rows import Judged
from physgauge.types import I64

STEPS: Final = 256
PATHS: Final = (1.0, 4.0, 0.25)
"""How fast the lower band opens against the upper one: 1 = both alike."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What was chosen, and what it comes to on the calibration set."""

    bands: Bands
    images: int
    compared: int
    """Of them, those the second judge has a decision for."""
    disagreed: int
    bound: float
    """Upper bound of the share of disagreements, at the confidence, the choice among paths included."""
    reached: int
    """Images that reach the second judge."""
    cost: Mapping[str, float]
    """Mean over images: ms, tokens, calls, usd."""
    cost_alone: Mapping[str, float]
    """The same of the second judge alone."""


def fit(
    judged: Sequence[Judged],
    gate: float,
    disagreement: float = 0.01,
    confidence: float = 0.95,
    unsure: tuple[float, float] = (0.5, 0.5),
    eligible_from: float = 0.5,
) -> Fit:
    """The bands that leave most to the first judge.

    Args:
        judged: the calibration set.
        gate: an image passes from this score.
        disagreement: share of images that may be decided otherwise than by the second judge alone.
        confidence: that it is no more.
        unsure: P(yes) between which the second judge is asked anyway.
        eligible_from: P(eligible) from which an image counts as eligible.

    Raises:
        ConfigError: too few images to promise that, whatever they show.
    """
    compared = sum(one.second is not None for one in judged)
    level = _level(compared, disagreement, confidence)
    start = Bands(gate, 0.0, 1.0, 0.0, 1.0, *unsure)
    choices = []
    for path in PATHS:
        steps = [_widened(start, k / STEPS, path, eligible_from) for k in range(STEPS + 1)]
        settled, disagreed = _counts(judged, steps)
        for bands, left, wrong in zip(steps, settled.tolist(), disagreed.tolist(), strict=True):
            # The same as an upper bound above the promise, for less work.
            if at_most(wrong, compared, disagreement) > 1 - level:
                break
            choices.append((len(judged) - left, wrong, bands))
    if not choices:
        raise ConfigError(
            "expected a first judge that can be left some images, got one that decides too many "
            "otherwise where he is surest"
        )
    reached, hits, bands = min(choices, key=lambda one: one[:2])
    alone = [_sum(one.cost_second, None) for one in judged]
    both = [
        _sum(one.cost_first, one.cost_second if bands.stands(one.first) is None else None)
        for one in judged
    ]
    bound = upper_bound(hits, compared, level)
    return Fit(bands, len(judged), compared, hits, bound, reached, _mean(both), _mean(alone))


def _level(compared: int, disagreement: float, confidence: float) -> float:
    """Confidence of each path's test, if there are images enough."""
    level = 1 - (1 - confidence) / len(PATHS)
    least = fewest(disagreement, level)
    if compared < least:
        raise ConfigError(
            f"expected at least {least} images that the second judge has decided, to promise at most "
            f"{disagreement:.3%} disagreement with {confidence:.1%} confidence, got {compared}"
        )
    return level


def _counts(judged: Sequence[Judged], steps: Sequence[Bands]) -> tuple[I64, I64]:
    """Images decided first, and those of them decided otherwise than by the second, at each step; what is
    decided at a step is at all later ones."""
    settled, disagreed = (np.zeros(len(steps) + 1, np.int64) for _ in range(2))
    for one in judged:
        at = bisect_left(steps, True, key=lambda bands: bands.stands(one.first) is not None)
        settled[at] += 1
        if at < len(steps) and one.second is not None:
            disagreed[at] += steps[at].stands(one.first) != one.second
    return np.cumsum(settled[:-1]), np.cumsum(disagreed[:-1])


def _widened(start: Bands, u: float, path: float, eligible_from: float) -> Bands:
    """Bands at a step 0 (closed) to 1 (everything is decided first)."""
    # 1 - (1 - x) may come out below x.
    return replace(
        start,
        low=start.gate * u ** (1 / path),
        high=max(start.gate, 1 - (1 - start.gate) * u**path),
        eligible_low=eligible_from * u,
        eligible_high=max(eligible_from, 1 - (1 - eligible_from) * u),
    )


def _sum(one: wire.Cost, other: wire.Cost | None) -> dict[str, float]:
    both = [one] if other is None else [one, other]
    return {
        "look_ms": sum(c.ms.get("look", 0.0) for c in both),
        "calls": float(sum(c.calls for c in both)),
        "tokens": float(sum(c.tokens for c in both)),
        "usd": sum(c.usd or 0.0 for c in both),
    }


def _mean(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([cost[name] for cost in costs])) for name in costs[0]}
