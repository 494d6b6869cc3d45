"""One row out of a run's files: for twins, which may lie anywhere in them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from physgauge import wire
from physgauge.clients.runs import Committed, Run
from physgauge.clients.runs.names import rows_key
from physgauge.clients.runs.reading import table
from physgauge.clients.table import to_rows
from physgauge.errors import EnvironmentProblem

if TYPE_CHECKING:
    from physgauge.clients.table import Table

_UNITS: Final = 8
"""Tables in memory: twins often lie close together."""


def rows_before(run: Run, unit: int, generation: int) -> list[wire.Row] | None:
    """A unit's rows of a generation; None: those of a higher one have replaced them."""
    rows = list(to_rows(_table(run, unit, generation)))
    there = run.store.stat(rows_key(unit, generation)) is not None
    return rows if there else None


def _table(run: Run, unit: int, generation: int) -> Table:
    """A unit's rows, of this generation or a higher one."""
    place = Committed(unit, generation, rows_key(unit, generation), entries=0, size=0)
    return table(run.store, place, None)


class Lookup:
    """Of one worker."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._tables: OrderedDict[tuple[int, int], Table] = OrderedDict()

    def row(self, unit: int, generation: int, number: int) -> wire.Row | None:
        """A committed row by its number in its unit; None: it is not there (any more), or unreadable."""
        found = self._tables.get((unit, generation))
        if found is None:
            try:
                found = _table(self._run, unit, generation)
            except EnvironmentProblem:  # its images are scored themselves
                return None
            self._tables[unit, generation] = found
            if len(self._tables) > _UNITS:
                self._tables.popitem(last=False)
        self._tables.move_to_end((unit, generation))
        return next(to_rows(found.slice(number, 1)), None)
