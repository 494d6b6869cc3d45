"""A worker's bench: takes tasks, reads their entries, has them scored, and commits each unit whole.

    take -> read -> stage (decode ... row) -> settle (twins) -> tray -> commit

Entries of consecutive units flow through the stage in one stream, so that it is never empty between them.
Entries that were in hand when a worker died go first, one by one.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import Protocol

from physgauge import wire
from physgauge.bulk.commits import Commits
from physgauge.bulk.flight import IDLE, WORKING, Flight
from physgauge.bulk.lookup import rows_before
from physgauge.bulk.tray import Tray
from physgauge.bulk.twins import Twins
from physgauge.bulk.watch.events import AnyEvent, Quarantined
from physgauge.bulk.work import GivenUp, RowMade, Stage, Task
from physgauge.clients.runs import Run
from physgauge.clients.sources import Sourcing
from physgauge.types import KNOWN, Item


class Line(Protocol):
    """A worker's line to its engine."""

    @property
    def worker(self) -> str:
        """The worker's name."""
        ...

    @property
    def finish_by(self) -> float | None:
        """`time.monotonic` until which units may be committed; None: nobody has said to end."""
        ...

    def take(self, *, wait: bool) -> Task | None:
        """The next task; None: none is free now, or where it waits, there will be none."""
        ...

    def tell(self, event: AnyEvent | RowMade | GivenUp) -> None:
        """Say something."""
        ...


class Drained(Exception):
    """There is no time left for the units in hand."""


class Bench:
    """Works until its line has no more.

    Args:
        stage: makes rows.
        run: where they are committed.
        line: where tasks come from.
        sourcing: how entries are read.
        twins: finds equal images; None: each image is scored.
        flight: keeps what is in hand; None: nobody looks.
        rows: whether rows are told one by one.
    """

    def __init__(
        self,
        stage: Stage,
        run: Run,
        line: Line,
        sourcing: Sourcing,
        twins: Twins | None = None,
        flight: Flight | None = None,
        rows: bool = False,
    ) -> None:
        self._stage, self._run, self._line, self._sourcing = stage, run, line, sourcing
        self._twins, self._flight, self._rows = twins, flight or Flight(), rows
        self._commits = Commits(run, line.worker)
        self._next: Tray | None = None
        """To be read."""
        self._open: dict[int, Tray] = {}
        """Not whole, by unit."""
        self._tickets: deque[tuple[Tray, int, str]] = deque()
        """Entries in the stage with their ids, oldest first."""
        self._again: deque[tuple[Tray, int]] = deque()
        """Entries whose twin's row could not be taken."""
        self._began = time.monotonic()
        self._made = 0

    @property
    def number(self) -> int:
        """Of the image whose row comes next, in the run."""
        tray, place, _ = self._tickets[0]
        return tray.number * self._sourcing.unit_size + place

    @property
    def standing(self) -> tuple[int | None, int, int]:
        """The first unit in hand, rows made and not committed, error rows among them."""
        trays = list(self._open.values())
        rows = [row for tray in trays for row in list(tray.rows.values())]
        first = min((tray.number for tray in trays), default=None)
        return first, len(rows), sum(row.error_code is not None for row in rows)

    def work(self) -> None:
        """Take tasks until there are no more, or the time is over."""
        try:
            while True:
                self._flight.phase = IDLE
                task = self._line.take(wait=True)
                self._flight.phase = WORKING
                if task is None:
                    break
                self._begin(task)
                while self._next is not None or self._again:
                    self._one_by_one()
                    self._stream()
                self._reap(wait=True)
                if self._open or self._tickets:  # waiting for them would never end
                    raise RuntimeError("expected a row for each entry, got fewer")
        except Drained:
            self._give_up()
        finally:
            self._commits.close()

    def _begin(self, task: Task) -> None:
        old: list[wire.Row] | None = []
        if task.keep is not None:
            old = rows_before(self._run, task.unit.number, task.keep.generation)
        if old is None:  # somebody else has committed it since
            self._line.tell(GivenUp(unit=task.unit.number, lost=True))
            return
        self._next = self._open[task.unit.number] = Tray(task, old)

    def _one_by_one(self) -> None:
        """The entries that may have killed a worker."""
        tray = self._next
        for place in [] if tray is None else tray.task.alone:
            if tray is not None and tray.needs(place) and place not in tray.task.crashed:
                for item in self._read(tray, [place]):
                    self._tickets.append((tray, place, item.image_id))
                    for row in self._stage.score([item], None):
                        self._take(row)
                    self._reap()

    def _stream(self) -> None:
        """Everything else, as long as tasks come."""
        if self._twins is not None:
            self._twins.start()
        known = None if self._twins is None else self._twins.known
        for row in self._stage.score(self._items(), known):
            self._take(row)
            self._reap()

    def _items(self) -> Iterator[Item]:
        while True:
            while self._again:
                tray, place = self._again.popleft()
                for item in self._read(tray, [place]):
                    self._tickets.append((tray, place, item.image_id))
                    yield item
            if self._next is None:
                task = self._line.take(wait=False)
                if task is None:
                    return
                self._begin(task)
                if task.alone:
                    return
            if self._next is None:
                continue
            tray, self._next = self._next, None
            yield from self._read(tray, None)
            self._check(tray)

    def _read(self, tray: Tray, only: list[int] | None) -> Iterator[Item]:
        """Entries of a unit, noted as in hand before they are read."""
        noted = False
        for place, item in tray.read(self._sourcing, only):
            if item is None:
                if noted:
                    self._flight.undo()
                self._hurry()
                self._flight.begin(tray.number, place)
                noted = True
                continue
            noted = False
            if only is None:
                self._tickets.append((tray, place, item.image_id))
            yield item
        if noted:
            self._flight.undo()

    def _take(self, row: wire.Row) -> None:
        """A row comes out of the stage."""
        tray, place, image_id = self._tickets.popleft()
        if row.image_id != image_id:
            raise RuntimeError("expected the row of the oldest entry, got another's")
        self._flight.end()
        self._made += 1
        stub = row.pcmde.reason == KNOWN and row.terravis.reason == KNOWN
        settled = row if self._twins is None else self._twins.settle(row, stub=stub)
        if settled is None:
            self._again.append((tray, place))
            return
        tray.put(place, settled, copied=stub)
        if self._rows:
            self._line.tell(
                RowMade(unit=tray.number, place=place, json=wire.to_json(tray.row(place)))
            )
        if settled.error_code == "worker_crashed":
            self._line.tell(Quarantined(unit=tray.number, image_id=settled.image_id))
        self._check(tray)

    def _check(self, tray: Tray) -> None:
        if tray.whole and tray.number in self._open:
            del self._open[tray.number]
            self._flight.beat()
            self._commits.add(tray)
            self._flight.beat()

    def _reap(self, *, wait: bool = False) -> None:
        """Hear of units that are committed."""
        for tray, report in self._commits.done(wait=wait):
            rows = [tray.rows[place] for place in sorted(tray.rows)]
            if report is not None:
                if self._twins is not None:
                    self._twins.committed(tray.number, tray.task.generation, rows)
                self._line.tell(report)
            else:
                if self._twins is not None:
                    self._twins.let_go(rows)
                self._line.tell(GivenUp(unit=tray.number, lost=True))
        self._hurry()

    def _hurry(self) -> None:
        """Raises `Drained` where what is in hand will not be done in time."""
        end, now = self._line.finish_by, time.monotonic()
        if end is None or not self._open:
            return
        left = sum(tray.left or 0 for tray in self._open.values())
        pace = (now - self._began) / self._made if self._made else 0.0
        if now + left * pace > end:
            raise Drained

    def _give_up(self) -> None:
        """What is whole is committed, the rest is open again."""
        self._flight.clear()
        for unit in self._open:
            self._line.tell(GivenUp(unit=unit))
        self._open.clear()
        self._reap(wait=True)
