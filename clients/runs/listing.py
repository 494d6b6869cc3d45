"""Which units are committed, by the names in a run folder."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from physgauge.clients.runs.names import COUNTS, ROWS, count_key, count_of, rows_of
from physgauge.clients.storage import Listed, Missing, Store
from physgauge.errors import EnvironmentProblem

_THREADS: Final = 8


@dataclass(frozen=True, slots=True)
class Committed:
    """The rows of a unit that count."""

    unit: int
    generation: int
    key: str
    entries: int
    """Rows in it: one an entry."""
    size: int
    """Bytes."""


def list_committed(store: Store) -> dict[int, Committed]:
    """Unit -> its rows of the highest generation, sorted by unit.

    Raises:
        EnvironmentProblem: a file has no count, and can't be read to make one.
    """
    highest: dict[int, tuple[int, Listed]] = {}
    for one in store.list(ROWS):
        place = rows_of(one.key)
        if place is not None and place[1] >= highest.get(place[0], (0,))[0]:
            highest[place[0]] = (place[1], one)
    counts = {
        found[:2]: found[2]
        for one in store.list(COUNTS)
        if (found := count_of(one.key)) is not None
    }
    uncounted = [(u, g, one) for u, (g, one) in highest.items() if (u, g) not in counts]
    counts.update(_count(store, uncounted))
    return {
        unit: Committed(unit, generation, one.key, counts[unit, generation], one.size)
        for unit, (generation, one) in sorted(highest.items())
        if (unit, generation) in counts
    }


def _count(
    store: Store, uncounted: Iterable[tuple[int, int, Listed]]
) -> dict[tuple[int, int], int]:
    """Counts by the files' footers, noted for the next time."""

    def count(one: tuple[int, int, Listed]) -> tuple[tuple[int, int], int] | None:
        unit, generation, listed = one
        try:
            entries = count_rows(store, listed.key)
        except Missing:  # replaced by a higher generation since the listing, or taken back
            return None
        with suppress(EnvironmentProblem):  # read-only: then it is counted again next time
            store.create(count_key(unit, generation, entries), b"", durable=False)
        return (unit, generation), entries

    with ThreadPoolExecutor(_THREADS) as pool:
        return dict(found for found in pool.map(count, uncounted) if found is not None)


def count_rows(store: Store, key: str) -> int:
    """Rows of a file, by its footer.

    Raises:
        Missing: it is not there.
        EnvironmentProblem: damaged or unreadable.
    """
    from physgauge.clients.table import arrow, reading

    pa = arrow()
    with store.open(key) as file, reading(store.where(key)):
        return int(pa.parquet.ParquetFile(file).metadata.num_rows)
