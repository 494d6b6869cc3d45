"""``run.json``: what a run was made with. One record a generation, created exclusively, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

FORMAT: Final = 1

Reason = Literal["score", "update", "retry"]


class RunFile(msgspec.Struct, frozen=True, kw_only=True):
    """The record of one generation."""

    format: int
    """Of the folder; readers refuse a higher one."""
    generation: int
    reason: Reason
    token: str
    """Of this record alone."""
    physgauge: str
    when: str
    """UTC, ISO 8601; for people only."""
    fingerprint: dict[str, str]
    """What rows depend on, by part: ``model parts``, ``pack car``, ``probes``, ``judge mode`` ..."""
    options: dict[str, Any]
    """Of the command, for `--update`, `retry` and people."""
    units: list[int] | None = None
    """The units that this generation makes again; None: all, those that are added too."""
    complete: bool = False
    """Of a run without a plan: recorded when its last row was there."""


class Difference(msgspec.Struct, frozen=True):
    """A part of the fingerprint that is another one now."""

    part: str
    was: str | None
    """None: the run has no such part."""
    now: str | None


def differences(was: Mapping[str, str], now: Mapping[str, str]) -> list[Difference]:
    """The parts that differ, sorted."""
    return [
        Difference(part, was.get(part), now.get(part))
        for part in sorted({*was, *now})
        if was.get(part) != now.get(part)
    ]
