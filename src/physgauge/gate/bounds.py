"""Between which numbers a row's TerraVis result lies, whatever the answers are that it lacks."""

from __future__ import annotations

from typing import Literal, NamedTuple

from physgauge import wire

Decision = Literal["pass", "fail", "not_applicable"]


class Bounds(NamedTuple):
    """At least `low`, at most `high`; equal where nothing is missing."""

    low: float
    high: float

    def reaches(self, least: float) -> bool | None:
        """Whether a number between them is at least this; None: it depends (and where one is NaN)."""
        return True if self.low >= least else False if self.high < least else None

    def within(self, most: float) -> bool | None:
        """Whether a number between them is at most this; None: it depends."""
        return True if self.high <= most else False if self.low > most else None


def score_bounds(said: wire.TerraVis, soft: bool = False) -> Bounds | None:
    """Of the score; None: nobody knows whether the image is eligible, or there are none.

    Args:
        said: an image's result.
        soft: of the expected score.
    """
    if said.eligible is not None and said.eligible.answer is None:
        return None
    score = said.score_soft if soft else said.score
    low, high = (said.soft_low, said.soft_high) if soft else (said.low, said.high)
    if (
        score is not None
    ):  # an expected score has bounds, too; the number that stands in the row decides
        low = high = score
    return None if low is None or high is None else Bounds(low, high)


def found_bounds(said: wire.TerraVis, major: bool = False) -> Bounds | None:
    """Of the number of violations; None as above, and where no probe was asked by itself.

    Args:
        said: an image's result.
        major: of the major ones.
    """
    if said.eligible is not None and said.eligible.answer is None:
        return None
    if not said.answers:
        return None
    answers = said.answers.values()
    missing = sum(one.answer is None for one in answers)
    found = [one.severity for one in answers if one.answer]
    sure = found.count("major") if major else len(found)
    unsure = found.count(None) if major else 0
    return Bounds(sure, sure + unsure + missing)


def decision(said: wire.TerraVis, gate: float) -> Decision | None:
    """What a result means at a gate.

    Args:
        said: an image's result.
        gate: an image passes from this score.

    Returns:
        None: its bounds lie on both sides, or nobody knows whether the image is eligible.
    """
    if said.status == "not_applicable":
        return "not_applicable"
    bounds = score_bounds(said)
    reached = None if bounds is None else bounds.reaches(gate)
    return None if reached is None else "pass" if reached else "fail"
