"""What is counted of any group of rows: verdicts, scores, and how low the scores are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final

import msgspec

from physgauge import wire

STEPS: Final = 100
"""Steps in which TerraVis scores (0..1) are counted: thresholds are multiples of 1 / STEPS."""
_EDGES: Final = tuple(step / STEPS for step in range(STEPS + 1))
BOUNDS_S: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
)
"""Upper bounds of the buckets of stage times, seconds; one more bucket is above them."""
OTHER: Final = "(other)"


def count(into: dict[str, int], name: str, most: int, n: int = 1) -> None:
    """Add `n` under a name; names beyond the first `most` are counted together."""
    if name not in into and len(into) >= most:
        name = OTHER
    into[name] = into.get(name, 0) + n


class Group(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Counts over some rows."""

    rows: int = 0
    errors: int = 0
    """Rows with an error code."""
    verdicts: dict[str, int] = {}
    """PCMDE's PASS and FAIL, or the status of a row without; rows that were not asked for it left out."""
    finals: int = 0
    """Rows with an S_final ..."""
    final_sum: float = 0.0
    """... and its sum, points 0..100."""
    scored: int = 0
    """Rows with a TerraVis score ..."""
    score_sum: float = 0.0
    """... and its sum, 0..1."""
    steps: dict[int, int] = {}
    """k to rows whose TerraVis score is in [k / STEPS, (k + 1) / STEPS)."""

    def add(self, row: wire.Row) -> None:
        """Count one row."""
        self.rows += 1
        self.errors += row.error_code is not None
        pcmde, score = row.pcmde, row.terravis.score
        if pcmde.status != "skipped" or row.terravis.status == "skipped":
            label = pcmde.verdict or pcmde.status
            self.verdicts[label] = self.verdicts.get(label, 0) + 1
        if pcmde.s_final is not None:
            self.finals += 1
            self.final_sum += pcmde.s_final
        if score is not None:
            self.scored += 1
            self.score_sum += score
            step = bisect_right(_EDGES, score) - 1
            self.steps[step] = self.steps.get(step, 0) + 1

    def merge(self, other: Group) -> None:
        """Take the counts of other rows in."""
        self.rows += other.rows
        self.errors += other.errors
        self.finals += other.finals
        self.final_sum += other.final_sum
        self.scored += other.scored
        self.score_sum += other.score_sum
        for label, n in other.verdicts.items():
            self.verdicts[label] = self.verdicts.get(label, 0) + n
        for step, n in other.steps.items():
            self.steps[step] = self.steps.get(step, 0) + n

    def below(self, threshold: float) -> int:
        """Rows whose TerraVis score is below a threshold, a multiple of 1 / STEPS."""
        edge = bisect_left(_EDGES, threshold)
        return sum(n for step, n in self.steps.items() if step < edge)


class StageTimes(msgspec.Struct, kw_only=True):
    """What a stage took, image by image; of a batched stage the image's share."""

    images: int = 0
    seconds: float = 0.0
    buckets: list[int] = msgspec.field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    """Images by BOUNDS_S; the last are above all bounds."""

    def add(self, seconds: float) -> None:
        """Count one image."""
        self.images += 1
        self.seconds += seconds
        self.buckets[bisect_left(BOUNDS_S, seconds)] += 1

    def merge(self, other: StageTimes) -> None:
        """Take other images in."""
        self.images += other.images
        self.seconds += other.seconds
        self.buckets = [a + b for a, b in zip(self.buckets, other.buckets, strict=True)]
