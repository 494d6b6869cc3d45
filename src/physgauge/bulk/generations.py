"""What the generations of a run ask of a unit: `--update` and `retry` make some of its rows again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from physgauge.bulk.work import Keep, Retry
from physgauge.clients.runs import RunFile

EVERY: Final = -1
"""In the place of all places of an archive."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """In the options of a generation's record: what is made again."""

    everything: bool = False
    """All rows: the fingerprint is another one."""
    again: dict[str, list[int]] = {}
    """Unit to places of entries whose files are others now; no places: all of an archive."""
    gone: dict[str, list[int]] = {}
    """Unit to places of entries that the inputs do not hold (any more): all of them, not the new ones;
    EVERY for an archive."""
    retry: Retry | None = None


def asked_of(record: RunFile) -> Asked:
    """What a record asks."""
    return msgspec.convert(record.options.get("asked", {}), Asked)


class Generations:
    """All records of a run."""

    def __init__(self, records: Sequence[RunFile]) -> None:
        self._records = [(record, asked_of(record)) for record in records]

    def gone(self, unit: int, generation: int) -> list[int]:
        """Places without a row in a unit made under this generation."""
        for record, asked in reversed(self._records):
            if record.generation <= generation and record.reason == "update":
                return asked.gone.get(str(unit), [])
        return []

    def all_gone(self) -> dict[int, list[int]]:
        """Unit to places that have no row now."""
        for record, asked in reversed(self._records):
            if record.reason == "update":
                return {int(unit): places for unit, places in asked.gone.items()}
        return {}

    def keep(self, unit: int, generation: int, committed: int) -> Keep | None:
        """What to keep of the rows committed under `committed` when the unit is made under `generation`;
        None: nothing."""
        again: set[int] = set()
        retry: list[Retry] = []
        for record, asked in self._records:
            named = record.units is None or unit in record.units
            if not named or not committed < record.generation <= generation:
                continue
            if asked.everything or asked.again.get(str(unit)) == []:
                return None
            again.update(asked.again.get(str(unit), ()))
            if asked.retry is not None:
                retry.append(asked.retry)
        before, now = self.gone(unit, committed), self.gone(unit, generation)
        if EVERY in before:
            return None
        again.update(set(before) - set(now))  # these are back
        return Keep(generation=committed, gone=before, again=sorted(again), retry=retry)
