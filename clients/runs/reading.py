"""Rows of committed units, in order, some of them fetched ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from physgauge import wire
from physgauge.clients.runs.listing import Committed, list_committed
from physgauge.clients.storage import Missing, Store
from physgauge.errors import EnvironmentProblem

if TYPE_CHECKING:
    from physgauge.clients.table import Table

_AHEAD: Final = 8
"""Units in memory beside the one that is being used."""
_THREADS: Final = 4
_WHOLE: Final = 8 * 2**20
"""Bytes up to which a file is fetched at once: hopping about in it takes longer."""


def table(store: Store, unit: Committed, columns: Sequence[str] | None) -> Table:
    """One unit's rows; of a higher generation, if that has replaced the one listed.

    Raises:
        EnvironmentProblem: damaged, unreadable or gone; names the file.
        ConfigError: an unknown column.
    """
    from physgauge.clients.table import read_table

    while True:
        try:
            if unit.size <= _WHOLE:
                return read_table(store.get(unit.key), store.where(unit.key), columns)
            with store.open(unit.key) as file:
                return read_table(file, store.where(unit.key), columns)
        except Missing:
            now = list_committed(store).get(unit.unit)
            if now is None or now.generation <= unit.generation:
                raise EnvironmentProblem(
                    f"{store.where(unit.key)}: was there a moment ago, and is gone"
                ) from None
            unit = now


def tables(
    store: Store, units: Sequence[Committed], columns: Sequence[str] | None
) -> Iterator[Table]:
    """One table a unit, in the order given; see :func:`table`."""
    waiting: deque[Future[Table]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            for unit in units:
                waiting.append(pool.submit(table, store, unit, columns))
                if len(waiting) > _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()


def rows(store: Store, units: Sequence[Committed]) -> Iterator[wire.Row]:
    """The rows of units, in order, every field checked.

    Raises:
        EnvironmentProblem: as :func:`table`.
        ConfigError: rows of another version.
    """
    from physgauge.clients.table import named, to_rows

    for unit, found in zip(units, tables(store, units, None), strict=True):
        yield from named(store.where(unit.key), to_rows(found))
