"""Many tests at once: p values such that chance finds seem as rare over all of them as over one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Correction = Literal["holm", "bh"]


def adjusted(values: Sequence[float | None], how: Correction) -> list[float | None]:
    """P values of a family of tests, adjusted.

    Args:
        values: p of each; None = it could not be made, and does not count.
        how: `holm`: the probability of any false find stays at the level (Holm, 1979); `bh`: the expected
            share of false ones among the finds does (Benjamini and Hochberg, 1995).
    """
    made = sorted((p, k) for k, p in enumerate(values) if p is not None)
    found: list[float | None] = [None] * len(values)
    m, bound = len(made), 0.0 if how == "holm" else 1.0
    if how == "holm":
        for rank, (p, k) in enumerate(made):
            bound = max(bound, min(1.0, (m - rank) * p))
            found[k] = bound
    else:
        for rank, (p, k) in reversed(list(enumerate(made, 1))):
            bound = min(bound, p * m / rank)
            found[k] = bound
    return found
