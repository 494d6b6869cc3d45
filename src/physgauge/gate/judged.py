"""The rows of a run at a gate, each with the place its image lies in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from physgauge import wire
from physgauge.clients.runs import Run
from physgauge.clients.sources import Entry, Plan, Shard, Sourcing, Unit, Where, open_plan
from physgauge.clients.storage import is_remote
from physgauge.errors import ConfigError
from physgauge.gate.rule import Decision, Rule, decide


@dataclass(frozen=True, slots=True)
class Judged:
    """A row and what is decided about it."""

    row: wire.Row
    decision: Decision
    entry: Entry | None
    """Where its bytes lie; None: in an archive, or the run does not say."""


@dataclass(frozen=True, slots=True)
class JudgedUnit:
    """The rows of a unit, in order."""

    images: list[Judged]
    shard: Shard | None = None
    """The archive that all of them are in ..."""
    archive: str = ""
    """... as the run calls it: what ids made of its members' names begin with."""


class JudgedRun:
    """A run at a gate.

    Args:
        run: with rows.
        rule: what passes.

    Raises:
        EnvironmentProblem: a damaged plan.
    """

    def __init__(self, run: Run, rule: Rule) -> None:
        self._run, self._rule = run, rule
        self._plan: Plan | None = open_plan(run.store)
        options: dict[str, Any] = run.records[0].options
        self._folder = str(options.get("folder", ""))
        self.sourcing = msgspec.convert(options.get("sourcing") or {}, Sourcing)
        """How its images are read."""
        self._committed = run.committed()

    @property
    def missing(self) -> int | None:
        """Images that have no row yet: of units that are not committed; None: nobody knows how many."""
        if self._plan is None:
            return 0
        counts = self._plan.counts()
        left = [count for unit, count in enumerate(counts) if unit not in self._committed]
        return None if None in left else sum(count or 0 for count in left)

    @property
    def rows(self) -> int:
        """Rows to come."""
        return sum(one.entries for one in self._committed.values())

    def units(self) -> Iterator[JudgedUnit]:
        """Unit by unit, in order.

        Raises:
            EnvironmentProblem: rows that cannot be read.
            ConfigError: rows of another version.
        """
        for number in self._committed:
            rows = list(self._run.rows([number]))
            decisions = [decide(row, self._rule) for row in rows]
            unit = None if self._plan is None else self._plan.unit(number)
            if unit is not None and unit.shard is not None:
                shard = msgspec.structs.replace(unit.shard, where=self._at(unit.shard.where))
                images = [Judged(r, d, None) for r, d in zip(rows, decisions, strict=True)]
                yield JudgedUnit(images, shard, unit.shard.where.place)
                continue
            entries = self._entries(rows, unit)
            yield JudgedUnit([Judged(*one) for one in zip(rows, decisions, entries, strict=True)])

    def _entries(self, rows: Sequence[wire.Row], unit: Unit | None) -> list[Entry | None]:
        if unit is None:
            return [self._named(row) for row in rows]
        entries = iter(unit.entries)
        found: list[Entry | None] = []
        for row in rows:  # entries that the inputs no longer hold have no rows
            entry = next((one for one in entries if one.image_id == row.image_id), None)
            if entry is None:
                raise ConfigError(
                    f"{self._run.store.address}: unit {unit.number}: expected rows of its plan's images, "
                    f"got {row.image_id!r:.200}"
                )
            found.append(msgspec.structs.replace(entry, where=self._at(entry.where)))
        return found

    def _named(self, row: wire.Row) -> Entry | None:
        """By the row alone, in a run without a plan (`rescore`): a file, if its source is one."""
        where = self._at(Where(kind="file", place=row.source))
        if not row.source or is_remote(row.source) or not os.path.isfile(where.place):
            return None
        return Entry(image_id=row.image_id, source=row.source, origin=row.source, where=where)

    def _at(self, where: Where) -> Where:
        """Local paths count from where the run was started."""
        if where.kind not in ("file", "cell", "member") or is_remote(where.place):
            return where
        raw = os.path.join(os.fsencode(self._folder), where.raw) if where.raw else b""
        return msgspec.structs.replace(
            where, place=os.path.join(self._folder, where.place), raw=raw
        )
