"""Shares in two runs: counted once in a table of codes against codes, then tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from physgauge.evaluate import rates
from physgauge.evaluate.bootstrap import Interval
from physgauge.evaluate.diff.result import Share

CODES: Final = 8
"""More than any code."""
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often two runs say what."""

    a: I64
    """[CODES] rows of A by code."""
    b: I64
    joint: I64 | None
    """[CODES, CODES] matched rows, by code in A and in B; None: none are matched."""


def count(a: U8, b: U8, pairs: tuple[U8, U8] | None) -> Counts:
    """Codes of all rows, and of the matched ones."""
    both = None if pairs is None else joint(*pairs)
    if both is not None and pairs is not None and len(pairs[0]) == len(a) == len(b):
        return Counts(both.sum(axis=1), both.sum(axis=0), both)
    return Counts(np.bincount(a, minlength=CODES), np.bincount(b, minlength=CODES), both)


def joint(a: U8, b: U8) -> I64:
    """[CODES, CODES] how often a code in A meets one in B."""
    found: I64 = np.bincount(a * np.uint8(CODES) + b, minlength=CODES * CODES)
    return found.reshape(CODES, CODES)


@dataclass(frozen=True, slots=True)
class Tested:
    """One comparison, before it is adjusted for the others."""

    name: str
    a: Share
    b: Share
    pairs: int | None
    only_a: int | None
    only_b: int | None
    difference: float | None
    ci: Interval | None
    p: float | None
    bad: bool | None
    """Whether more of it is worse; None: neither."""


def compare(
    name: str, counts: Counts, misses: Sequence[int], hits: Sequence[int], bad: bool | None
) -> Tested:
    """Compare a share.

    Args:
        name: of what is so.
        counts: of the codes.
        misses: codes that say that it is not so.
        hits: codes that say that it is so; all other rows have no answer.
        bad: whether more of it is worse.
    """
    m, h = list(misses), list(hits)
    a, b = _share(counts.a, m, h), _share(counts.b, m, h)
    if counts.joint is None:
        difference = None if a.share is None or b.share is None else b.share - a.share
        return Tested(
            name, a, b, None, None, None, difference,
            rates.newcombe(a.hits, a.n, b.hits, b.n), rates.two_shares(a.hits, a.n, b.hits, b.n), bad,
        )  # fmt: skip
    known = m + h
    n = int(counts.joint[np.ix_(known, known)].sum())
    only_a = int(counts.joint[np.ix_(h, m)].sum())
    only_b = int(counts.joint[np.ix_(m, h)].sum())
    return Tested(
        name, a, b, n, only_a, only_b, (only_b - only_a) / n if n else None,
        rates.bonett_price(only_a, only_b, n), rates.mcnemar(only_a, only_b) if n else None, bad,
    )  # fmt: skip


def _share(counts: I64, misses: list[int], hits: list[int]) -> Share:
    found = int(counts[hits].sum())
    n = found + int(counts[misses].sum())
    return Share(n, found, found / n if n else None, rates.wilson(found, n))
