"""Areas under ROC curves with weighted pictures: a bootstrap draws some of them more than once."""

from __future__ import annotations

import numpy as np

from physgauge.types import F64, Bools


class Curve:
    """Scores of pictures, sorted once.

    Args:
        scores: [n] NaN is left out.
        positive: [n] which should have the higher score.
    """

    def __init__(self, scores: F64, positive: Bools) -> None:
        self._kept = np.flatnonzero(~np.isnan(scores))
        kept = scores[self._kept]
        self.count = len(kept)
        order = np.argsort(kept, kind="stable")
        self._order, self._positive = self._kept[order], positive[self._kept][order]
        ordered = kept[order]
        self._group = np.cumsum(np.r_[False, ordered[1:] > ordered[:-1]]) if len(kept) else order

    def area(self, weight: F64) -> float:
        """That a positive beats a negative; a tie counts half. NaN without one of each.

        Args:
            weight: [n] how often each picture counts, 0 or more.
        """
        if not self.count:
            return np.nan
        mine = weight[self._order]
        groups = int(self._group[-1]) + 1
        wins = np.bincount(self._group, np.where(self._positive, mine, 0), groups)
        losses = np.bincount(self._group, np.where(self._positive, 0, mine), groups)
        total = wins.sum() * losses.sum()
        if total <= 0:
            return np.nan
        below = np.cumsum(losses) - losses
        return float((wins * (below + 0.5 * losses)).sum() / total)
