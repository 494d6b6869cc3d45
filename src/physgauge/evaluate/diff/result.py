"""What a comparison of two runs comes to; B is held against A throughout."""

from __future__ import annotations

from typing import Literal

import msgspec

from physgauge.clients.runs.record import Difference
from physgauge.evaluate.bootstrap import Interval
from physgauge.evaluate.multiple import Correction

Change = Literal["worse", "better", "other", "none"]
"""`none`: no difference that the data can tell from chance (or one below the margin); `other`: one that
is neither better nor worse (more images of no known domain)."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    name: str
    rows: int
    repeated: int
    """Rows whose id came before."""
    unmatched: int
    """Rows without a partner in the other run."""
    errors: dict[str, int]
    """Error code to rows."""


class Share(msgspec.Struct, frozen=True):
    """Of one run's rows, all of them, matched or not."""

    n: int
    """Rows that have an answer."""
    hits: int
    share: float | None
    ci: Interval | None
    """Wilson, 95 %."""


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """How often something is so, in both runs."""

    name: str
    a: Share
    b: Share
    pairs: int | None
    """Matched rows that both have an answer for; None: compared as independent samples."""
    only_a: int | None
    """Pairs in which it is so in A alone."""
    only_b: int | None
    difference: float | None
    """B less A: over the pairs where there are any, else of the shares."""
    ci: Interval | None
    """95 %, of each by itself: Bonett and Price (pairs), Newcombe (independent)."""
    p: float | None
    """Two-sided: McNemar's mid-p (pairs); score test or Fisher's (independent)."""
    p_adjusted: float | None
    """Over all lines of the table, those of groups included."""
    change: Change


class Numbers(msgspec.Struct, frozen=True):
    """A score of one run's rows, all of them."""

    n: int
    mean: float | None
    ci: Interval | None
    """Of the mean: Student's t, 95 %."""
    quantiles: dict[str, float]
    quantile_ci: dict[str, Interval]
    """By order statistics, 95 %; left out where there are too few rows."""


class ScoreCompared(msgspec.Struct, frozen=True, kw_only=True):
    """A score in both runs."""

    name: str
    a: Numbers
    b: Numbers
    pairs: int | None
    difference: float | None
    """Mean, B less A: over the pairs where there are any, else of the means."""
    ci: Interval | None
    """Paired t, else Welch's, 95 %."""
    p: float | None
    p_adjusted: float | None
    change: Change


class Tables(msgspec.Struct, frozen=True, kw_only=True):
    """All comparisons, of all rows or of one group."""

    probes: list[Compared]
    """Violations found, of the images that the probe was answered for."""
    major: list[Compared]
    """Major ones among the same images; found and not graded counts as unknown."""
    rules: list[Compared]
    """Violated, of the images that the rule applies to."""
    outcomes: list[Compared]
    """PASS, of the images with a verdict; eligible; and each status, of all images."""
    scores: list[ScoreCompared]


class Mover(msgspec.Struct, frozen=True, kw_only=True):
    """An image whose score changed most."""

    image_id: str
    score: str
    a: float
    b: float
    verdict_a: str | None
    verdict_b: str | None
    appeared: list[str]
    """Probes and rules that found something in B and nothing in A."""
    gone: list[str]


class Diff(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison."""

    a: Side
    b: Side
    made_otherwise: list[Difference] | None
    """Parts of the runs' fingerprints that differ; None: not known, one of them is a file by itself."""
    paired: bool
    matched: int
    """Rows with a partner, in each run."""
    same_pixels: float | None
    """Share of the matched rows that show the same pixels, where both runs know them."""
    correction: Correction
    level: float
    margin: float
    tables: Tables
    by: str | None
    groups: dict[str, Tables]
    groups_left_out: int
    """Groups beyond the largest ones."""
    status_moves: dict[str, dict[str, dict[str, int]]]
    """``terravis.status`` and ``pcmde.status``: of matched rows, status in A to status in B to rows; the
    equal ones, too."""
    movers: list[Mover]
