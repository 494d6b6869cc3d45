"""Which units are counted, and what they add up to: each unit once, in its highest generation."""

from __future__ import annotations

import time
from collections.abc import Container

import msgspec

from physgauge.bulk.watch.events import UnitDone
from physgauge.bulk.watch.tally import Spent, Tally

_PATIENCE = 20
"""A sum is made anew after so many times the time that it takes: at most a twentieth of a core."""
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Tally)


class Ledger:
    """Takes in units as they are committed, in any order, also the same one twice.

    Memory: about 1 KB a unit. Not for several threads at once.

    Attributes:
        fresh: counts over rows as they were made: kept ones left out, replaced ones not.
        spent: session to what its rows took when they were made.
        made: session to rows that it made or copied, replaced ones too.
    """

    def __init__(self) -> None:
        self.fresh = Tally()
        self.spent: dict[str, Spent] = {}
        self.made: dict[str, int] = {}
        self._sum = Tally()
        self._stale = False
        self._again = 0.0
        """When the sum may be made anew."""
        self._units: dict[int, tuple[int, bytes]] = {}
        self._seen: set[tuple[int, int]] = set()

    def __len__(self) -> int:
        return len(self._units)

    def add(self, done: UnitDone, session: str) -> bool:
        """Count a unit.

        Args:
            done: the unit.
            session: token of the session that committed it.

        Returns:
            False: it was counted before, in this or a higher generation.
        """
        if (done.unit, done.generation) not in self._seen:
            self._seen.add((done.unit, done.generation))
            self.spent[session] = self.spent.get(session, Spent()) + done.made.spent
            self.made[session] = self.made.get(session, 0) + done.entries - done.kept
            self.fresh.merge(done.made)
        before = self._units.get(done.unit)
        if before is not None and before[0] >= done.generation:
            return False
        self._units[done.unit] = (done.generation, _encoder.encode(done.tally))
        if before is None:
            self._sum.merge(done.tally)
        else:
            self._stale = True
        return True

    def drop(self, there: Container[int]) -> None:
        """Forget the units that are not there (any more); what they took stays spent."""
        for unit in [unit for unit in self._units if unit not in there]:
            del self._units[unit]
            self._stale = True

    def generation(self, unit: int) -> int:
        """In which a unit is counted; -1: it is not."""
        found = self._units.get(unit)
        return -1 if found is None else found[0]

    def tally(self, exact: bool = True) -> Tally:
        """Counts over the rows that count, to read only.

        Args:
            exact: False: may count replaced rows for a while yet.
        """
        now = time.monotonic()
        if self._stale and (exact or now >= self._again):
            self._sum, self._stale = Tally(), False
            for _, packed in self._units.values():
                self._sum.merge(_decoder.decode(packed))
            self._again = time.monotonic() + _PATIENCE * (time.monotonic() - now)
        return self._sum

    def copy(self, exact: bool = True) -> Tally:
        """The same, to keep."""
        return _decoder.decode(_encoder.encode(self.tally(exact)))
