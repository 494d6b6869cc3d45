"""The images whose scores changed most."""

from __future__ import annotations

from typing import Final

import numpy as np

from physgauge.clients.runs.arrays import Matched
from physgauge.evaluate.diff import load
from physgauge.evaluate.diff.load import Run
from physgauge.evaluate.diff.result import Mover
from physgauge.types import F64

SCORES: Final = ("terravis.score", "pcmde.s_final")
_VERDICTS: Final = {load.MISSING: None, load.FAIL: "FAIL", load.PASS: "PASS"}


def movers(a: Run, b: Run, matched: Matched, most: int) -> list[Mover]:
    """The matched rows with the largest changes, `most` for each score, the largest first."""
    found = []
    for score in SCORES:
        change = np.abs(b.scores[score][matched.b] - a.scores[score][matched.a])
        change[np.isnan(change)] = 0.0
        count = min(most, int(np.count_nonzero(change)))
        if count:
            found += [_mover(a, b, matched, k, score) for k in _largest(change, count)]
    return found


def _largest(change: F64, count: int) -> list[int]:
    """Where the largest are, the largest first; of equal ones, the first."""
    least = np.partition(change, len(change) - count)[-count]
    above = np.flatnonzero(change > least)
    places = np.concatenate([above, np.flatnonzero(change == least)[: count - len(above)]])
    return [int(k) for k in places[np.lexsort((places, -change[places]))]]


def _mover(a: Run, b: Run, matched: Matched, k: int, score: str) -> Mover:
    i, j = int(matched.a[k]), int(matched.b[k])
    appeared, gone = [], []
    for name in (*a.probes, *a.rules):
        if name not in b.codes:
            continue
        # Probes: no is 1; rules: satisfied is 1. What is above was found, or is violated.
        before, after = int(a.codes[name][i]), int(b.codes[name][j])
        if before == 1 < after:
            appeared.append(name)
        elif after == 1 < before:
            gone.append(name)
    return Mover(
        image_id=a.ids[i].as_py(),
        score=score,
        a=float(a.scores[score][i]),
        b=float(b.scores[score][j]),
        verdict_a=_VERDICTS[int(a.codes[load.VERDICT][i])],
        verdict_b=_VERDICTS[int(b.codes[load.VERDICT][j])],
        appeared=appeared,
        gone=gone,
    )
