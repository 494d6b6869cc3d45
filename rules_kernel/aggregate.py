"""Rule outcomes to scores: category shares and S_rules (DESIGN section 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physgauge.rules_kernel.arrays import F64, I8, I64, Bools, BoxesLike
from physgauge.rules_kernel.pack import CATEGORIES, Pack


@dataclass(frozen=True)
class RuleScores:
    """Scores of B images."""

    s_category: F64
    """f64[B,4] 0..1, weighted share of applicable rules that are satisfied, in the order of CATEGORIES;
    NaN where a category has no applicable rule."""
    s_rules: F64
    """f64[B] 0..100; NaN where fewer than the minimum of rules apply."""
    weights: F64
    """f64[B,4] the category weights as used: 0 for a category that dropped out, sum 1 (all 0 where
    nothing applies)."""
    applicable: I64
    """i64[B] how many rules apply."""


def rule_scores(
    status: I8,
    category_index: I8,
    weights: F64,
    minimum_rules: int = 4,
    rule_weights: F64 | None = None,
) -> RuleScores:
    """S_rules = 100 Σ_c w_c s_c over the categories with an applicable rule, w renormalised.

    status i8[B,R] of a kernel; category_index i8[R]; weights f64[4] (0.35 presence, 0.25 spatial,
    0.25 relational, 0.15 caption in the publication); rule_weights f64[R] > 0 of the rules within
    their category (default: all 1, as published).
    """
    if status.ndim != 2 or category_index.shape != status.shape[1:] or weights.shape != (4,):
        raise ValueError(
            "rule_scores: expected status [B,R], category_index [R], weights [4], got "
            f"{list(status.shape)}, {list(category_index.shape)}, {list(weights.shape)}"
        )
    of_category = (category_index[:, None] == np.arange(len(CATEGORIES))).astype(np.float64)
    if rule_weights is not None:
        of_category *= rule_weights[:, None]
    applies = status >= 0
    satisfied = (status == 1).astype(np.float64) @ of_category
    counted = applies.astype(np.float64) @ of_category
    share = np.full(satisfied.shape, np.nan)
    np.divide(satisfied, counted, out=share, where=counted > 0)
    used = np.where(counted > 0, weights, 0.0)
    total = used.sum(axis=1, keepdims=True)
    used = np.divide(used, total, out=np.zeros_like(used), where=total > 0)
    applicable = applies.sum(axis=1).astype(np.int64)
    s_rules = 100.0 * (used * np.where(counted > 0, share, 0.0)).sum(axis=1)
    s_rules[(applicable < minimum_rules) | (total[:, 0] <= 0)] = np.nan
    return RuleScores(share, s_rules, used, applicable)


def accepted(pack: Pack, boxes: BoxesLike) -> Bools:
    """bool[B]: the image shows enough of the domain to be judged by this pack (its evidence
    floor). Boxes labelled "other" count for nothing."""
    images, own = len(boxes.offsets) - 1, len(pack.components) - 1
    image = np.repeat(np.arange(images), np.diff(boxes.offsets))
    seen = np.zeros((images, own + 1), np.int64)
    np.add.at(seen, (image, boxes.label.astype(np.int64)), 1)
    floor = pack.evidence
    enough: Bools = ((seen[:, :own] > 0).sum(axis=1) >= floor.components) & (
        seen[:, :own].sum(axis=1) >= floor.boxes
    )
    if floor.any_of:
        enough &= (seen[:, [pack.label(name) for name in floor.any_of]] > 0).any(axis=1)
    return enough
