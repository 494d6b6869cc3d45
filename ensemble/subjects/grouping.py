"""How many subjects a set of parts shows, and which part is whose.

Two anchors must call for several subjects: a second head, a third wing or a leg that lies about are what
the rules look for, and no second subject. Then parts are cut in two as long as the cuts convince: the
sides together call for no more subjects than the whole, and stand clearly apart. Where the caption speaks
of several, they need only not overlap; where it says how many, one anchor is enough.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from physgauge.ensemble.subjects.cuts import Cut, Parts, best_cut
from physgauge.ensemble.subjects.told import Told
from physgauge.types import Bools

CLEAR: Final = 0.02
"""How far apart sides must be without a word of several subjects, in diagonals of the smaller one."""
TOUCHING: Final = -0.01
"""How far apart they must be where the caption speaks of several: detected boxes may touch."""
MOST_SUBJECTS: Final = 24
"""More are not told apart."""


def group(parts: Parts, told: Told) -> tuple[list[Bools], str | None]:
    """The subjects, as masks over the boxes, and why they cannot be told apart where they cannot.

    Args:
        parts: the clear boxes of one domain of one picture.
        told: what the caption says.
    """
    groups = [np.ones(len(parts.score), np.bool_)]
    while len(groups) < MOST_SUBJECTS:
        numbered = told.several and told.number is not None and len(groups) < told.number
        touching = told.several and (told.number is None or numbered)
        found = _next(parts, groups, 1 if numbered else 2, TOUCHING if touching else CLEAR)
        if found is None:
            break
        index, cut = found
        mine = np.flatnonzero(groups[index])
        second = np.zeros_like(groups[index])
        second[mine[~cut.first]] = True
        groups[index] = groups[index] & ~second
        groups.append(second)
    return groups, _doubt(parts, groups, told)


def _next(parts: Parts, groups: list[Bools], anchors: int, least: float) -> tuple[int, Cut] | None:
    """The group to cut next, and how: `anchors` must call for several subjects, and the sides be `least`
    apart."""
    found: tuple[int, Cut] | None = None
    for index, mine in enumerate(groups):
        own = parts.where(mine)
        calls = own.calls[anchors - 1]
        cut = best_cut(own) if calls > 1 else None
        if cut is None or cut.calls > calls or cut.apart < least:
            continue
        if found is None or cut.apart > found[1].apart:
            found = index, cut
    return found


def _doubt(parts: Parts, groups: list[Bools], told: Told) -> str | None:
    """Why the caption's subjects cannot be told apart; None where they can."""
    if not told.several:
        return None
    crowded = any(parts.where(mine).calls[1] > 1 for mine in groups)
    if told.number is None:
        return "the caption names several, and their parts overlap" if crowded else None
    if len(groups) >= told.number:
        return None
    if any(parts.where(mine).calls[0] > 1 for mine in groups):
        return f"the caption names {told.number}, and their parts overlap"
    return f"the caption names {told.number}, and parts of {len(groups)} are seen"
