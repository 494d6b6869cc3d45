"""What a profile may claim of its judge: whether its quick mode was held against its `paper` mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

from physgauge.settings import Fraction, Positive, Settings

SELFTEST: Final = (
    "judge: a student knows what it was trained on, no more "
    "(physgauge selftest-judge says how well)"
)
"""What is said of a judge that has no other mode to be held against."""
Correlation = Annotated[float, msgspec.Meta(ge=-1, le=1)]


class ParityRecord(Settings, frozen=True, kw_only=True):
    """``[judge.parity]``: what `physgauge parity PROFILE PROFILE@paper IMAGES` found and printed."""

    images: Positive
    agreement: Fraction
    """Share of all probe answers that were the same."""
    kappa: Correlation | None = None
    """Cohen's; None: undefined."""
    spearman: Correlation | None = None
    """Of the hard scores; None: undefined."""
    probes: str
    """Version of the probe set."""
    models: dict[str, str]
    """Name and hash of what was checked."""
    date: str


def claim(
    record: ParityRecord | None,
    mode: str,
    models: Mapping[str, str] | None = None,
    probes: str | None = None,
) -> tuple[bool, str]:
    """Whether quality may be claimed, and the sentence that says so.

    Args:
        record: of the profile.
        mode: how the profile asks its judge.
        models: what has run; None: not known yet.
        probes: what has been asked; None: not known yet.
    """
    if mode == "paper":
        return True, "asks as published (mode paper)"
    if record is None or mode != "onepass":
        return False, (
            f"mode {mode} has not been checked against its paper mode: only its speed may be claimed "
            "(physgauge parity PROFILE PROFILE@paper IMAGES)"
        )
    stale = _stale(record, models, probes)
    if stale is not None:
        return False, (
            f"mode {mode} was checked against its paper mode with {stale}: only its speed may be claimed"
        )
    kappa = "undefined" if record.kappa is None else f"{record.kappa:.3f}"
    rho = "undefined" if record.spearman is None else f"{record.spearman:.3f}"
    return True, (
        f"mode {mode} checked against its paper mode on {record.images} images ({record.date}): "
        f"agreement {record.agreement:.3f}, kappa {kappa}, Spearman {rho}"
    )


def _stale(
    record: ParityRecord, models: Mapping[str, str] | None, probes: str | None
) -> str | None:
    if probes is not None and probes != record.probes:
        return f"the probes {record.probes}, not {probes}"
    if models is not None and any(models.get(name) != sha for name, sha in record.models.items()):
        return "another model"
    return None


def claim_of_run(
    record: ParityRecord | None, mode: str, models: Mapping[str, str], probes: str | None
) -> str:
    """The sentence of :func:`claim` after a run.

    Args:
        record: of the profile.
        mode: how the profile asks its judge.
        models: of a row's provenance, where the judge's begin with ``judge_``.
        probes: of the same.
    """
    judges = {
        name.removeprefix("judge_"): sha
        for name, sha in models.items()
        if name.startswith("judge_")
    }
    return f"judge: {claim(record, mode, judges, probes)[1]}"
