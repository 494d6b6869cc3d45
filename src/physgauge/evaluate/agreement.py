"""How far two judges' yes and no agree: share, and Cohen's kappa."""

from __future__ import annotations

import msgspec
import numpy as np

from physgauge.evaluate.bootstrap import Interval, interval
from physgauge.types import F64, I8


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """On one category, or on all."""

    pairs: int
    """Images that both answered."""
    yes_a: int
    yes_b: int
    both_yes: int
    agree: float | None
    """Share of the pairs, 0..1."""
    agree_ci: Interval | None
    kappa: float | None
    """Cohen's: 1 agreed, 0 as by chance; None where chance alone would agree always."""
    kappa_ci: Interval | None


def tables(a: I8, b: I8) -> F64:
    """[n, 4] how often each image has no-no, no-yes, yes-no and yes-yes.

    Args:
        a: [n] or [n, C] answers: 1 yes, 0 no, -1 not answered (then the pair is left out).
        b: the other judge's.
    """
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    cells = [((a == i) & (b == j)).sum(axis=1) for i in (0, 1) for j in (0, 1)]
    return np.stack(cells, axis=1).astype(float)


def agreement(table: F64, resampled: F64) -> Agreement:
    """Agreement of two judges.

    Args:
        table: [4] the sum of :func:`tables` over images.
        resampled: [R, 4] the same over draws of images.
    """
    share, kappa = measures(table[None])
    shares, kappas = measures(resampled)
    nn, ny, yn, yy = (int(cell) for cell in table)
    return Agreement(
        pairs=nn + ny + yn + yy,
        yes_a=yn + yy,
        yes_b=ny + yy,
        both_yes=yy,
        agree=_number(share[0]),
        agree_ci=interval(shares),
        kappa=_number(kappa[0]),
        kappa_ci=interval(kappas),
    )


def measures(some: F64) -> tuple[F64, F64]:
    """Share agreed and Cohen's kappa.

    Args:
        some: [R, 4] counts of no-no, no-yes, yes-no, yes-yes.

    Returns:
        [R], [R]; NaN where undefined: nothing to agree on, or (kappa) one answer throughout, on both
        sides.
    """
    nn, ny, yn, yy = some.T
    n = some.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (nn + yy) / n
        chance = ((yn + yy) * (ny + yy) + (nn + ny) * (nn + yn)) / n**2
        kappa = (share - chance) / (1 - chance)
    return share, np.where(np.isclose(chance, 1.0), np.nan, kappa)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
