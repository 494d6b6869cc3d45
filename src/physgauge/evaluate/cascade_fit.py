"""Choosing when a first judge's word stands: rows of two judges in, the bands of a cascade out.

A disagreement is an image that the first judge decides and that the second decides otherwise; what
reaches the second judge agrees with him. The bands are widened in steps that are fixed beforehand, along
a few paths (`PATHS`), from "hardly anything is decided first" to "everything is"; on each path the count
of disagreements never falls. The last step whose exact upper bound is within what is asked for is a valid
choice at the stated confidence (fixed-sequence testing), the paths sharing the error probability equally.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from physgauge import wire
from physgauge.ensemble.judge.cascade.bands import Bands
from physgauge.ensemble.judge.terravis.gate import Decision, decision
from physgauge.ensemble.judge.terravis.result import Counting, look_of, terravis_of
from physgauge.errors import ConfigError
from physgauge.evaluate.binomial import fewest, upper_bound
from physgauge.types import I64

STEPS: Final = 256
PATHS: Final = (1.0, 4.0, 0.25)
"""How fast the lower band opens against the upper one: 1 = both alike."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An image both judges have looked at."""

    first: wire.TerraVis
    """Counted as the second's answers are."""
    second: Decision | None
    """None: he has no decision either, so there is nothing to disagree with."""
    cost_first: wire.Cost
    cost_second: wire.Cost


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


def joined(first: Iterable[wire.Row], second: Iterable[wire.Row], gate: float) -> list[Judged]:
    """The images of both runs, by id; error rows and other pixels under the same name are left out.

    Args:
        first: rows of the quick judge.
        second: rows of the one whose decisions count.
        gate: an image passes from this score.

    Raises:
        ConfigError: an image twice in one run, rows that nobody looked at, or no image in both.
    """
    sides = [_by_id(rows, name) for rows, name in ((first, "first"), (second, "second"))]
    both = []
    for name, a in sides[0].items():
        b = sides[1].get(name)
        if b is None or a.error_code or b.error_code or a.pixel_sha256 != b.pixel_sha256:
            continue
        (counted,) = terravis_of([look_of(a.terravis)], Counting.of_row(b.provenance))
        both.append(Judged(counted, decision(b.terravis, gate), a.cost, b.cost))
    if not both:
        raise ConfigError(
            f"expected images that both judges have looked at, got none (first: {len(sides[0])}, second: "
            f"{len(sides[1])})"
        )
    return both


def _by_id(rows: Iterable[wire.Row], name: str) -> dict[str, wire.Row]:
    found: dict[str, wire.Row] = {}
    for row in rows:
        if row.image_id in found:
            raise ConfigError(f"{name}: expected each image once, got {row.image_id!r} twice")
        if row.terravis.status == "skipped":
            raise ConfigError(f"{name}: {row.image_id!r}: expected a judge's answers, got none")
        found[row.image_id] = row
    return found


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
    level = 1 - (1 - confidence) / len(PATHS)
    least = fewest(disagreement, level)
    if compared < least:
        raise ConfigError(
            f"expected at least {least} images that the second judge has decided, to promise at most "
            f"{disagreement:.3%} disagreement with {confidence:.1%} confidence, got {compared}"
        )
    start = Bands(gate, 0.0, 1.0, 0.0, 1.0, *unsure)
    choices = [(len(judged) + 1, 0, start)]
    for path in PATHS:
        steps = [_widened(start, k / STEPS, path, eligible_from) for k in range(STEPS + 1)]
        settled, disagreed = _counts(judged, steps)
        for k, bands in enumerate(steps):
            if upper_bound(int(disagreed[k]), compared, level) > disagreement:
                break
            choices.append((len(judged) - int(settled[k]), int(disagreed[k]), bands))
    reached, hits, bands = min(choices, key=lambda one: one[:2])
    if reached > len(judged):
        raise ConfigError(
            "expected a first judge that can be left some images, got one that decides too many "
            "otherwise where he is surest"
        )
    asked = [bands.word(one.first) is None for one in judged]
    return Fit(
        bands=bands,
        images=len(judged),
        compared=compared,
        disagreed=hits,
        bound=upper_bound(hits, compared, level),
        reached=reached,
        cost=_mean(
            [
                _sum(one.cost_first, one.cost_second if ask else None)
                for one, ask in zip(judged, asked, strict=True)
            ]
        ),
        cost_alone=_mean([_sum(one.cost_second, None) for one in judged]),
    )


def _counts(judged: Sequence[Judged], steps: Sequence[Bands]) -> tuple[I64, I64]:
    """Images decided first, and those of them decided otherwise than by the second, at each step; what is
    decided at a step is at all later ones."""
    settled, disagreed = (np.zeros(len(steps) + 1, np.int64) for _ in range(2))
    for one in judged:
        at = bisect_left(steps, True, key=lambda bands: bands.word(one.first) is not None)
        settled[at] += 1
        if at < len(steps) and one.second is not None:
            disagreed[at] += steps[at].word(one.first) != one.second
    return np.cumsum(settled[:-1]), np.cumsum(disagreed[:-1])


def _widened(start: Bands, u: float, path: float, eligible_from: float) -> Bands:
    """Bands at a step 0 (closed) to 1 (everything is decided first)."""
    return replace(
        start,
        low=start.gate * u ** (1 / path),
        high=1 - (1 - start.gate) * u**path,
        eligible_low=eligible_from * u,
        eligible_high=1 - (1 - eligible_from) * u,
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
