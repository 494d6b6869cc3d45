"""Correlations of scores that tie a lot, from SciPy (the only file that imports it)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from physgauge.errors import EnvironmentProblem
from physgauge.types import F64

LEAST: Final = 3
"""Fewer pairs have no correlation worth a number."""


def spearman(a: F64, b: F64) -> float | None:
    """Spearman's rank correlation, ties at their mid-rank.

    Args:
        a: [n] scores.
        b: [n] scores of the same images.

    Returns:
        -1..1; None where it is undefined: fewer than three pairs, or one side constant.
    """
    return None if _undefined(a, b) else float(_stats().spearmanr(a, b).statistic)


def kendall(a: F64, b: F64) -> float | None:
    """Kendall's tau-b, which counts ties; as :func:`spearman`."""
    return None if _undefined(a, b) else float(_stats().kendalltau(a, b, variant="b").statistic)


def _undefined(a: F64, b: F64) -> bool:
    return len(a) < LEAST or bool(np.all(a == a[0]) or np.all(b == b[0]))


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise EnvironmentProblem("correlations need SciPy: pip install 'physgauge[eval]'") from None
    return stats
