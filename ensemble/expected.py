"""Expected scores: means over an image's readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physgauge.ensemble.judge.reasoning import Reasoned
from physgauge.ensemble.readings import Readings
from physgauge.ensemble.rules import DomainRules, Ruled, number
from physgauge.types import F64, I64


@dataclass(frozen=True, slots=True)
class ImageScores:
    """One image's; 0..100, None where no reading has the score."""

    categories: tuple[float | None, float | None, float | None, float | None]
    """Presence, spatial, relational, caption."""
    s_rules: float | None
    s_llm: float | None
    readings: int
    """How many different ones."""


@dataclass(frozen=True, slots=True)
class BatchScores:
    """Means over the readings of B images; NaN where no reading has the score."""

    categories: F64
    """[B, 4] 0..1."""
    s_rules: F64
    """[B] 0..100."""
    s_llm: F64
    """[B] 0..100."""
    readings: I64
    """[B]."""

    def of(self, image: int) -> ImageScores:
        """The scores of one image."""
        a, b, c, d = (number(100 * share) for share in self.categories[image])
        return ImageScores(
            (a, b, c, d),
            number(self.s_rules[image]),
            number(self.s_llm[image]),
            int(self.readings[image]),
        )


def expect(readings: Readings, ruled: Ruled, reasoned: Sequence[Reasoned]) -> BatchScores:
    """The expected scores of a batch."""
    count = len(readings.image)
    categories, s_llm = np.full((count, 4), np.nan), np.full(count, np.nan)
    for group, said in zip(ruled.groups, reasoned, strict=True):
        categories[group.images] = group.outcomes.category_score
        s_llm[group.images] = [
            np.nan if r is None or r.score is None else r.score for r in said.results
        ]
    return BatchScores(
        readings.mean(categories),
        readings.mean(ruled.s_rules()),
        readings.mean(s_llm),
        np.bincount(readings.image, readings.share > 0, len(readings.likeliest)).astype(np.int64),
    )


def violated_share(readings: Readings, group: DomainRules) -> F64:
    """[B, R] in what share of its readings an image violates each of a group's rules; NaN for images of
    other groups."""
    violated = np.full((len(readings.image), len(group.domain.pack.rules)), np.nan)
    violated[group.images] = group.outcomes.status == 0
    return readings.mean(violated)
