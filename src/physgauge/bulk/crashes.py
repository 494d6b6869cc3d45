"""Which entries were in hand when workers died, kept in the run folder: also for the next session.

An entry that was in hand with others is a suspect: it is tried alone. One that was alone in hand when a
worker died, twice, is given up: it gets its error row. (Twice, because a worker may be killed by somebody
who does not know what it has in hand.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

from physgauge.bulk.work import Task
from physgauge.clients.storage import Store

CRASHES: Final = "crashes/"
TWICE: Final = 2
_FORGIVEN: Final = 5
"""Deaths with nothing in hand, one after the other, that a run takes."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What a dead worker had of a unit."""

    unit: int
    generation: int
    places: list[int]


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's death, in ``crashes/``."""

    how: str
    when: str
    """UTC, for people."""
    held: list[Held]

    @property
    def alone(self) -> bool:
        """Whether one entry only was in hand."""
        return sum(len(one.places) for one in self.held) == 1


class Crashes:
    """Of a run."""

    def __init__(self, store: Store, session: str) -> None:
        self._store, self._session, self._written = store, session, 0
        self._suspects: dict[tuple[int, int], dict[int, list[str]]] = {}
        """(unit, generation) to place to how workers died that had it alone."""
        self._in_vain = 0
        for found in store.list(CRASHES):
            self._count(msgspec.json.decode(store.get(found.key), type=Crash))

    def _count(self, crash: Crash) -> None:
        for held in crash.held:
            places = self._suspects.setdefault((held.unit, held.generation), {})
            for place in held.places:
                alone = places.setdefault(place, [])
                if crash.alone:
                    alone.append(crash.how)

    def add(self, tasks: Iterable[Task], in_hand: Mapping[int, list[int]], how: str) -> bool:
        """Note a death.

        Returns:
            False: workers die again and again with nothing in hand, so that no entry is to blame.
        """
        generations = {task.unit.number: task.generation for task in tasks}
        held = [
            Held(unit=unit, generation=generations[unit], places=places)
            for unit, places in sorted(in_hand.items())
            if unit in generations
        ]
        if not held:
            self._in_vain += 1
            return self._in_vain < _FORGIVEN
        crash = Crash(how=how, when=datetime.now(UTC).isoformat(timespec="seconds"), held=held)
        self._written += 1
        key = f"{CRASHES}{self._session}-{self._written:04d}.json"
        self._store.create(key, msgspec.json.encode(crash))
        self._count(crash)
        self._in_vain = 0
        return True

    def progress(self) -> None:
        """A unit is committed: workers are able to work."""
        self._in_vain = 0

    def alone(self, unit: int, generation: int) -> list[int]:
        """Places to be tried alone."""
        places = self._suspects.get((unit, generation), {})
        return sorted(place for place, deaths in places.items() if len(deaths) < TWICE)

    def given_up(self, unit: int, generation: int) -> dict[int, str]:
        """Place to how workers died of it."""
        places = self._suspects.get((unit, generation), {})
        return {place: deaths[-1] for place, deaths in places.items() if len(deaths) >= TWICE}
