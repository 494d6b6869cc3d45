"""A unit in a worker's hands: which of its entries have their row, and what is kept of an earlier one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final

from physgauge import wire
from physgauge.bulk.generations import EVERY
from physgauge.bulk.streaming import item_of, with_warning
from physgauge.bulk.watch.events import UnitDone
from physgauge.bulk.watch.tally import Tally
from physgauge.bulk.work import Keep, Task
from physgauge.clients.sources import Entry, Loaded, Sourcing, Unit, read_unit
from physgauge.errors import InputError
from physgauge.types import Item

CRASHED: Final = (
    "expected a row, got dead workers: {how}, twice with this image alone in hand; "
    "`physgauge retry DIR --code worker_crashed` tries it again"
)


class Tray:
    """One task's rows.

    Args:
        task: what to do.
        old: the rows committed before, where some are to be kept.
    """

    def __init__(self, task: Task, old: Sequence[wire.Row] = ()) -> None:
        self.task = task
        self.began = time.monotonic()
        self.rows: dict[int, wire.Row] = {}
        """By place."""
        self.kept: set[int] = set()
        self.copied: set[int] = set()
        self.warnings: dict[int, str] = {}
        self._gone = set(task.gone) - {EVERY}
        dropped = EVERY in task.gone
        self._count = 0 if dropped else task.unit.count
        if task.keep is not None and not dropped:
            self._take_over(task.keep, old)

    def _take_over(self, keep: Keep, old: Sequence[wire.Row]) -> None:
        before, again = set(keep.gone), set(keep.again)
        total = len(old) + len(before)
        if self._count is not None and self._count != total:
            raise ValueError(f"expected {self._count} rows and gone entries, got {total}")
        places = (place for place in range(total) if place not in before)
        entries = self.task.unit.entries
        for place, row in zip(places, old, strict=True):
            if place in self._gone or place in again or any(one.means(row) for one in keep.retry):
                continue
            if entries and row.image_id != entries[place].image_id:  # an archive: as it is read
                continue
            self.rows[place] = row
            self.kept.add(place)

    @property
    def number(self) -> int:
        """The unit's."""
        return self.task.unit.number

    @property
    def left(self) -> int | None:
        """Entries without a row; None: nobody knows yet."""
        return None if self._count is None else self._count - len(self._gone) - len(self.rows)

    @property
    def whole(self) -> bool:
        """Whether every entry that is to have a row has it."""
        return self.left == 0

    def needs(self, place: int) -> bool:
        """Whether an entry has no row yet and is to have one."""
        return place not in self.rows and place not in self._gone

    def read(
        self, sourcing: Sourcing, only: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Item | None]]:
        """Entries that need a row, with their bytes, in order; each first as (place, None), before it is
        read.

        Args:
            sourcing: how to read.
            only: places; None: all. An archive is read through for them.
        """
        unit, crashed = self.task.unit, self.task.crashed
        if self._count == 0:
            return
        if unit.shard is not None:
            yield from self._read_archive(sourcing, None if only is None else set(only))
            return
        places = [p for p in (range(len(unit.entries)) if only is None else only) if self.needs(p)]
        for place in places:
            if place in crashed:
                yield place, None
                yield place, self._crashed(place, unit.entries[place])
        places = [place for place in places if place not in crashed]
        part = Unit(number=unit.number, entries=[unit.entries[place] for place in places])
        loaded = read_unit(part, sourcing)
        for place in places:
            yield place, None
            yield place, self._item(place, next(loaded))

    def _read_archive(
        self, sourcing: Sourcing, only: set[int] | None
    ) -> Iterator[tuple[int, Item | None]]:
        loaded, place = read_unit(self.task.unit, sourcing), 0
        while True:
            yield place, None
            one = next(loaded, None)
            if one is None:
                break
            if place in self.kept and self.rows[place].image_id != one.entry.image_id:
                self._drop(place)  # another archive lies there now
            if self.needs(place) and (only is None or place in only):
                if place in self.task.crashed:
                    yield place, self._crashed(place, one.entry)
                else:
                    yield place, self._item(place, one)
            place += 1
        self._count = place
        for beyond in [one for one in self.rows if one >= place]:
            self._drop(beyond)

    def _drop(self, place: int) -> None:
        del self.rows[place]
        self.kept.discard(place)
        self.copied.discard(place)

    def _item(self, place: int, loaded: Loaded) -> Item:
        self._note(place, loaded.entry)
        return item_of(loaded)

    def _crashed(self, place: int, entry: Entry) -> Item:
        self._note(place, entry)
        error = InputError("worker_crashed", CRASHED.format(how=self.task.crashed[place]))
        return item_of(Loaded(entry, None, error))

    def _note(self, place: int, entry: Entry) -> None:
        if entry.warning is not None:
            self.warnings[place] = entry.warning

    def put(self, place: int, row: wire.Row, *, copied: bool) -> None:
        """An entry's row."""
        self.rows[place] = row
        if copied:
            self.copied.add(place)

    def finished(self) -> list[wire.Row]:
        """All rows, in order."""
        return [self.row(place) for place in sorted(self.rows)]

    def row(self, place: int) -> wire.Row:
        """One row as it is committed: with what its source warns of."""
        return with_warning(self.rows[place], self.warnings.get(place))

    def report(self, worker: str) -> UnitDone:
        """What to tell once it is committed."""
        tally, fresh = Tally(), Tally()
        for place in sorted(self.rows):
            tally.add(self.row(place))
            if self.kept and place not in self.kept:
                fresh.add(self.row(place))
        return UnitDone(
            unit=self.number,
            generation=self.task.generation,
            worker=worker,
            entries=len(self.rows),
            scored=len(self.rows) - len(self.kept | self.copied),
            copied=len(self.copied),
            kept=len(self.kept),
            seconds=time.monotonic() - self.began,
            tally=tally,
            fresh=fresh if self.kept else None,
        )
