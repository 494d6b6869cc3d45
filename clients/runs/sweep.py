"""What the dead left in a run folder is taken away; what counts, never."""

from __future__ import annotations

from collections.abc import Callable, Set

from physgauge.clients.runs.names import (
    ATTEMPTS,
    COUNTS,
    ROWS,
    SESSIONS,
    count_of,
    owner_of,
    rows_key,
    rows_of,
    session_of,
)
from physgauge.clients.storage import Listed, Store


class Sweeper:
    """Sweeps one run folder, again and again.

    Args:
        store: the run folder.
        lease_s: how long an attempt of nobody known stays as it is before it counts as left behind.
        clock: seconds that only go up.
    """

    def __init__(self, store: Store, lease_s: float, clock: Callable[[], float]) -> None:
        self._store, self._lease_s, self._clock = store, lease_s, clock
        self._still: dict[Listed, float] = {}

    def __call__(self, alive: Set[str]) -> int:
        """Sweep once.

        Args:
            alive: tokens of the sessions that are not known to be dead.

        Returns:
            How many objects were taken away.
        """
        gone = [*self._attempts(alive), *self._sessions(alive), *self._rows()]
        for key in gone:
            self._store.delete(key)
        return len(gone)

    def _attempts(self, alive: Set[str]) -> list[str]:
        now = self._clock()
        still: dict[Listed, float] = {}
        gone = []
        for one in self._store.list(ATTEMPTS):
            owner = owner_of(one.key)
            if owner is None or owner in alive:
                continue
            if (
                owner != "x"
                or now - still.setdefault(one, self._still.get(one, now)) >= self._lease_s
            ):
                gone.append(one.key)
        self._still = still
        return gone

    def _sessions(self, alive: Set[str]) -> list[str]:
        found = [(one.key, session_of(one.key)) for one in self._store.list(SESSIONS)]
        return [key for key, token in found if token is not None and token not in alive]

    def _rows(self) -> list[str]:
        """Rows of lower generations, and counts of what is not there. Counts are listed first: theirs are
        in the second listing then, or have been replaced."""
        counts = [one.key for one in self._store.list(COUNTS)]
        there = [place for one in self._store.list(ROWS) if (place := rows_of(one.key)) is not None]
        highest: dict[int, int] = {}
        for unit, generation in there:
            highest[unit] = max(generation, highest.get(unit, 0))
        lower = [rows_key(unit, g) for unit, g in there if g < highest[unit]]
        stale = [
            key
            for key in counts
            if (found := count_of(key)) is not None and highest.get(found[0]) != found[1]
        ]
        return [*lower, *stale]
