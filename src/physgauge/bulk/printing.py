"""Rows on standard output, in input order, each once: as they are made where they come in order, and out
of the run's files otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from physgauge import wire
from physgauge.bulk.watch.events import UnitDone
from physgauge.bulk.work import RowMade
from physgauge.clients.runs import Run
from physgauge.clients.table import named, to_rows


class Printer:
    """Of one session.

    Args:
        run: whose rows.
        units: of the run.
        out: takes a row's JSON.
    """

    def __init__(self, run: Run, units: int, out: Callable[[bytes], object]) -> None:
        self._run, self._units, self._out = run, units, out
        self._next = 0
        """Unit."""
        self._printed = 0
        """Rows of it."""
        self._generation: Mapping[int, int] = {}

    def begin(self, pending: Mapping[int, int]) -> None:
        """Print what is there already, up to the first unit that is open."""
        self._generation = pending
        self._go_on(pending)

    def made(self, row: RowMade) -> None:
        """A row, before its commit."""
        # A unit of a higher generation keeps rows that are not told: it is printed when it is whole.
        fresh = self._generation.get(row.unit, 0) == 0
        if fresh and row.unit == self._next and row.place == self._printed:
            self._out(row.json)
            self._printed += 1

    def done(self, done: UnitDone) -> None:
        """A unit is committed."""
        if done.unit == self._next:
            self.end()

    def end(self) -> None:
        """Nothing more will be committed by this session."""
        self._go_on(self._run.pending(range(self._next, self._units)))

    def _go_on(self, pending: Mapping[int, int]) -> None:
        """What is left of the next unit, and the units after it up to the first that is open."""
        units = range(self._next, self._units)
        end = next((unit for unit in units if unit in pending), self._units)
        if end == self._next:
            return
        for found, table in self._run.parts(units=range(self._next, end)):
            if found.unit != self._next:  # replaced while it was listed: in its turn, the next time
                return
            where = self._run.store.where(found.key)
            for row in named(where, to_rows(table.slice(self._printed))):
                self._out(wire.to_json(row))
            self._next, self._printed = self._next + 1, 0
