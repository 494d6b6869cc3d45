"""What a comparison of two judges comes to."""

from __future__ import annotations

import msgspec

from physgauge.evaluate.agreement import Agreement
from physgauge.evaluate.bootstrap import Interval


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """Who said it."""

    name: str
    engine: str | None
    mode: str | None
    models: dict[str, str]
    probes: str | None
    rows: int
    only_here: list[str]
    """Images that the other side doesn't have."""
    unanswered: int
    """Probe answers that are missing, over the images of both."""


class Correlation(msgspec.Struct, frozen=True, kw_only=True):
    """Of a score."""

    pairs: int
    """Images where both sides have it."""
    spearman: float | None
    spearman_ci: Interval | None
    kendall: float | None
    kendall_ci: Interval | None
    mean_difference: float | None
    """B less A."""
    mean_difference_ci: Interval | None


class Flip(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that differs."""

    image_id: str
    category: str
    a: bool
    b: bool
    p_a: float | None
    p_b: float | None


class Parity(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison."""

    a: Side
    b: Side
    images: int
    """On both sides, without an error."""
    other_pixels: list[str]
    """Left out: the two sides saw different pixels under one name."""
    resamples: int
    all: Agreement
    """Over all probes together, images drawn whole."""
    categories: dict[str, Agreement]
    severity: Agreement
    """Of what both found: major (yes) or minor."""
    scores: dict[str, Correlation]
    flips: list[Flip]
    """The surest first."""
