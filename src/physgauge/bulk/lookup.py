"""One row out of a run's files: for twins, which may lie anywhere in them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from physgauge import wire
from physgauge.clients.runs import Run
from physgauge.clients.table import to_rows
from physgauge.errors import EnvironmentProblem

if TYPE_CHECKING:
    import pyarrow as pa

_UNITS: Final = 8
"""Tables in memory: twins often lie close together."""


class Lookup:
    """Of one worker."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._tables: OrderedDict[int, pa.Table] = OrderedDict()

    def row(self, unit: int, number: int) -> wire.Row | None:
        """A committed row by its number in its unit; None: it is not there (any more), or unreadable."""
        table = self._tables.get(unit)
        if table is None:
            try:
                table = self._run.table(unit)
            except (KeyError, EnvironmentProblem):  # its images are scored themselves
                return None
            self._tables[unit] = table
            if len(self._tables) > _UNITS:
                self._tables.popitem(last=False)
        self._tables.move_to_end(unit)
        return next(to_rows(table.slice(number, 1)), None)
