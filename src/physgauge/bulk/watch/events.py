"""What the parts of a bulk run tell the one who watches: plain data that goes through any queue or pipe.

A worker sends a :class:`Beat` every few seconds and a :class:`UnitDone` after each unit **it** has
committed (``commit`` said True), never for an attempt that lost. Counts of images come from `UnitDone`
alone, one a (unit, generation), so nothing is counted twice; a `UnitDone` that was lost with its process
is made again from the unit's rows.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from physgauge.bulk.watch.tally import Tally


class Event(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Base of the events."""


class Beat(Event, frozen=True, kw_only=True):
    """A worker is alive; every two seconds or so, and after each batch at most that often."""

    worker: str
    """Stable name of its place ("0", "1", "ray-3"): a worker that replaces a dead one has the same."""
    unit: int | None = None
    """In hand, the first where there are several; None: it waits."""
    done: int = 0
    """Rows that are made or copied (not kept) and not yet committed, of all units in its hands."""
    errors: int = 0
    """... of which error rows."""
    resident_bytes: int | None = None
    cpu_s: float | None = None
    """Processor seconds of its process and its children since they began."""


class UnitDone(Event, frozen=True, kw_only=True):
    """A unit's rows are committed."""

    unit: int
    generation: int = 0
    worker: str = ""
    entries: int
    """Rows of the unit's file."""
    scored: int
    """Rows that a pipeline made for it."""
    copied: int = 0
    """Rows copied from an equal image of this run."""
    kept: int = 0
    """Rows kept from the generation before. scored + copied + kept = entries, but for input errors."""
    seconds: float
    """From taking the unit to its commit, by a monotonic clock."""
    tally: Tally
    """Counts over all its rows."""
    fresh: Tally | None = None
    """Counts over the rows that were made or copied now, where some are kept; None: over all of them.
    What they took is counted as spent, also when a later generation replaces them."""

    @property
    def made(self) -> Tally:
        """Counts over the rows that were made or copied now."""
        return self.tally if self.fresh is None else self.fresh


class WorkerLost(Event, frozen=True, kw_only=True):
    """A worker died or stood still."""

    worker: str
    unit: int | None = None
    reason: Literal["died", "stalled", "memory"] = "died"
    replaced: bool = True


class Quarantined(Event, frozen=True, kw_only=True):
    """An entry that killed its worker twice has its error row."""

    unit: int
    image_id: str


class Retried(Event, frozen=True, kw_only=True):
    """A request, a read or a write was tried again."""

    what: Literal["server", "storage", "unit"]


class Waiting(Event, frozen=True, kw_only=True):
    """The coordinator's queue: units that are open and in no hand, workers that run."""

    units: int
    workers: int


AnyEvent = Beat | UnitDone | WorkerLost | Quarantined | Retried | Waiting
