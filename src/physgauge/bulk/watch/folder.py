"""A run folder as one who watches sees it: what is committed, what it adds up to, who works on it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from physgauge.bulk.watch.events import UnitDone
from physgauge.bulk.watch.ledger import Ledger
from physgauge.bulk.watch.session import EVENTS, SessionState, decode_events, decode_state
from physgauge.bulk.watch.tally import Tally
from physgauge.clients.runs import Committed, Run, reading
from physgauge.clients.storage import Missing
from physgauge.errors import PhysgaugeError

RECOUNTED = ""
"""In place of a session's token: of units that were counted from their rows."""


@dataclass
class _News:
    """What a look at the folder brought."""

    committed: dict[int, Committed]
    states: dict[str, SessionState]
    events: list[tuple[str, UnitDone]] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


class Folder:
    """Looks at a run folder again and again; reads an object again only when it has changed.

    Args:
        run: to look at.
        own: token of a session whose events come by :meth:`add`, not from the folder.

    Attributes:
        ledger: the counts.
        committed: unit to its rows that count.
        states: token to state of the sessions.
        rows: in the committed units.
        damaged: what cannot be read, in words.
        lock: to be held while any of these is read.
    """

    def __init__(self, run: Run, own: str | None = None) -> None:
        self.run = run
        self.ledger = Ledger()
        self.committed: dict[int, Committed] = {}
        self.states: dict[str, SessionState] = {}
        self.rows = 0
        self.damaged: list[str] = []
        self.lock = threading.RLock()
        self._own = own
        self._versions: dict[str, str] = {}
        self._mine: dict[int, Committed] = {}
        self._broken: dict[str, str] = {}

    def refresh(self) -> None:
        """Look again.

        Raises:
            EnvironmentProblem: the folder cannot be reached.
        """
        news = self._look()
        with self.lock:
            self.states = news.states
            self.damaged = [*news.damaged, *self._broken.values()]
            for token, done in news.events:
                self.ledger.add(done, token)
            for unit, mine in self._mine.items():  # committed since the listing began
                there = news.committed.get(unit)
                if there is None or there.generation < mine.generation:
                    news.committed[unit] = mine
            self._mine = {}
            self.committed = news.committed
            self.rows = sum(one.entries for one in self.committed.values())
            self.ledger.drop(self.committed)

    def _look(self) -> _News:
        store = self.run.store
        with self.lock:
            self._mine = {}
        news = _News(self.run.committed(), dict(self.states))
        for listed in list(store.list(EVENTS)):
            name = listed.key.removeprefix(EVENTS)
            token, slash, _ = name.partition("/")
            if token == self._own or name == f"{self._own}.json":
                continue
            if self._versions.get(listed.key) == listed.version:
                continue
            try:
                data = store.get(listed.key)
                if slash:
                    news.events += [(token, one) for one in decode_events(data)]
                else:
                    state = decode_state(data)
                    news.states[state.token] = state
            except Missing:
                continue
            except msgspec.DecodeError:
                news.damaged.append(
                    f"{listed.key}: not a record of physgauge's (counted from the rows)"
                )
                continue
            self._versions[listed.key] = listed.version
        return news

    def add(self, done: UnitDone, token: str, key: str = "") -> None:
        """A unit that was committed just now."""
        with self.lock:
            self.ledger.add(done, token)
            one = Committed(done.unit, done.generation, key, done.entries, 0)
            there = self.committed.get(done.unit)
            if there is None or there.generation < one.generation:
                self.rows += one.entries - (there.entries if there else 0)
                self.committed[done.unit] = self._mine[done.unit] = one

    def pending(self, units: int) -> int:
        """How many of the run's units are not committed as its records want them."""
        with self.lock:
            return sum(
                unit not in self.committed or self.committed[unit].generation < generation
                for unit, generation in self.run.wanted(range(units)).items()
            )

    def uncounted(self) -> list[Committed]:
        """Committed units that no event tells of, in order."""
        with self.lock:
            return [
                one
                for unit, one in sorted(self.committed.items())
                if self.ledger.generation(unit) < one.generation
            ]

    def verify(self, each: Callable[[int, int], None] | None = None) -> None:
        """Count all units from their rows; what is counted elsewhere goes only into what was spent.

        Args:
            each: told after each unit: how many are verified, of how many.
        """
        with self.lock:
            units = [one for _, one in sorted(self.committed.items())]
            self.ledger.drop(())
        for number, one in enumerate(units, 1):
            self._recount(one)
            if each is not None:
                each(number, len(units))

    def recount(self, units: Iterable[Committed], budget_s: float) -> list[UnitDone]:
        """Count units from their rows, as many as there is time for.

        Returns:
            What was counted, for the record. A unit that cannot be read is in `damaged`.
        """
        made, until = [], time.monotonic() + budget_s
        for one in units:
            if time.monotonic() >= until:
                break
            if (done := self._recount(one)) is not None:
                made.append(done)
        return made

    def _recount(self, unit: Committed) -> UnitDone | None:
        try:
            done = count_unit(self.run, unit)
        except PhysgaugeError as error:
            self._broken[unit.key] = str(error)
            with self.lock:
                self.damaged = [*dict.fromkeys([*self.damaged, str(error)])]
            return None
        with self.lock:
            if done.entries != unit.entries:
                noted = f"expected {unit.entries} rows, as noted at its commit"
                self.damaged.append(f"{unit.key}: {noted}, got {done.entries}")
            self.ledger.add(done, RECOUNTED)
        return done


def count_unit(run: Run, unit: Committed) -> UnitDone:
    """A unit's event, made again from its rows; checksums are verified.

    Which rows of a later generation were made and which kept, nobody can tell then: none of what they
    took is counted as spent, so that nothing is counted twice.

    Raises:
        EnvironmentProblem: it is damaged.
        ConfigError: rows of another version.
    """
    tally = Tally()
    for row in reading.rows(run.store, [unit]):
        tally.add(row)
    later = unit.generation > 0
    return UnitDone(
        unit=unit.unit,
        generation=unit.generation,
        entries=tally.rows,
        scored=0 if later else tally.rows,
        kept=tally.rows if later else 0,
        seconds=0.0,
        tally=tally,
        fresh=Tally() if later else None,
    )
