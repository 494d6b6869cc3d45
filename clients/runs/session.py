"""Who works on what. Claims save work; that rows exist once rests on the exclusive create alone."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from physgauge.clients.runs.names import (
    ATTEMPTS,
    CLAIMS,
    MAX_TURN,
    SESSIONS,
    claim_key,
    claim_of,
    claim_prefix,
    owner_of,
    rows_key,
    session_key,
    session_of,
)
from physgauge.clients.runs.sweep import Sweeper
from physgauge.clients.storage import Missing, Store
from physgauge.errors import EnvironmentProblem

LEASE_S: Final = 60.0
"""How long a counter stands still before its session counts as dead."""
_BEATS: Final = 6
"""Of the counter, in the time of a lease."""

Unit = tuple[int, int]
"""Number and generation."""


class Beat(msgspec.Struct, frozen=True):
    """What a session says of itself."""

    counter: int
    host: str
    """For people."""
    pid: int
    place: str = ""
    """Where the process id means something (:func:`_place`); empty: nowhere but there."""


class _Claim(msgspec.Struct, frozen=True):
    session: str
    token: str
    """Of this claim alone: two sessions never write the same."""


class Session:
    """A coordinator's time with a run; a context manager. A thread moves its counter while it lives.

    Attributes:
        token: names it; workers pass it to ``Run.open(store, session=token)``.

    Args:
        store: the run folder.
        lease_s: how long another session's counter stands still, on this process's monotonic clock,
            before its claims are taken over. Wall clocks are not looked at: they jump.
        clock: seconds that only go up.
    """

    def __init__(
        self, store: Store, lease_s: float = LEASE_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.token = secrets.token_hex(8)
        self._store, self._lease_s, self._clock = store, lease_s, clock
        self._counter = 0
        self._mine: dict[Unit, int] = {}
        self._sweeper = Sweeper(store, lease_s, clock)
        self._seen: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live, name="physgauge-session", daemon=True)

    def __enter__(self) -> Session:
        self.beat()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        with suppress(EnvironmentProblem):  # then it looks dead in a while, which does as well
            for unit, generation in list(self._mine):
                self.release(unit, generation)
            for one in list(self._store.list(ATTEMPTS)):  # of workers that were killed
                if owner_of(one.key) == self.token:
                    self._store.delete(one.key)
            self._store.delete(session_key(self.token))

    def _live(self) -> None:
        while not self._over.wait(self._lease_s / _BEATS):
            with suppress(EnvironmentProblem):  # full or out of reach: maybe not the next time
                self.beat()

    def beat(self) -> None:
        """Move the counter."""
        self._counter += 1
        said = Beat(self._counter, socket.gethostname(), os.getpid(), _place())
        self._store.replace(session_key(self.token), msgspec.json.encode(said))

    def claim(self, wanted: Iterable[Unit], most: int) -> list[Unit]:
        """Take up to `most` of the units that nobody alive holds and nobody has committed, in the order
        given. Claims of the dead are taken over.
        """
        with self._lock:
            turns = self._turns()
            alive = set(self._living())
            taken: list[Unit] = []
            for unit in wanted:
                if len(taken) >= most:
                    break
                if self._take(unit, turns.get(unit), alive):
                    taken.append(unit)
            return taken

    def _take(self, unit: Unit, turn: int | None, alive: set[str]) -> bool:
        """Whether the unit is now claimed by this session, and still to be worked."""
        if unit in self._mine:
            return False
        if turn is not None:
            holder = self._holder(claim_key(*unit, turn))
            if holder in alive:
                return False
        mine = 0 if turn is None else min(turn + 1, MAX_TURN)
        claim = msgspec.json.encode(_Claim(self.token, secrets.token_hex(8)))
        if not self._store.create(claim_key(*unit, mine), claim, durable=False):
            return False
        if self._store.stat(rows_key(*unit)) is not None:  # committed since the caller looked
            self._drop(unit, mine)
            return False
        self._mine[unit] = mine
        return True

    def release(self, unit: int, generation: int) -> None:
        """Give a claim back, after the commit or instead of it."""
        with self._lock:
            turn = self._mine.pop((unit, generation), None)
        if turn is not None:
            self._drop((unit, generation), turn)

    def _drop(self, unit: Unit, turn: int) -> None:
        """Take the claims on a unit away up to this turn, which goes last: what is left on the way is
        a dead one's, for the next one to take over."""
        for one in list(self._store.list(claim_prefix(*unit))):
            claim = claim_of(one.key)
            if claim is not None and claim[2] <= turn:
                self._store.delete(one.key)

    def _turns(self) -> dict[Unit, int]:
        """(unit, generation) -> its highest turn, of all claims there are."""
        found: dict[Unit, int] = {}
        for one in self._store.list(CLAIMS):
            claim = claim_of(one.key)
            if claim is not None:
                found[claim[:2]] = max(claim[2], found.get(claim[:2], 0))
        return found

    def _holder(self, key: str) -> str | None:
        try:
            return msgspec.json.decode(self._store.get(key), type=_Claim).session
        except (Missing, msgspec.DecodeError):
            return None

    def held(self) -> dict[Unit, str]:
        """(unit, generation) -> token of its session, of all claims of others who live."""
        alive = set(self.living()) - {self.token}
        holders = {u: self._holder(claim_key(*u, t)) for u, t in self._turns().items()}
        return {unit: holder for unit, holder in holders.items() if holder in alive}

    def living(self) -> list[str]:
        """Tokens of the sessions that are not known to be dead, this one included."""
        with self._lock:
            return self._living()

    def sweep(self) -> int:
        """Take away what the dead left (attempts, claims, sessions) and rows of lower generations; never
        what counts. At the start and at the end of a run.

        Returns:
            How many objects.
        """
        alive = set(self.living())
        turns = self._turns()
        dead = [u for u, turn in turns.items() if self._holder(claim_key(*u, turn)) not in alive]
        for unit in dead:
            self._drop(unit, turns[unit])
        return len(dead) + self._sweeper(alive)

    def _living(self) -> list[str]:
        now = self._clock()
        alive = [self.token]
        seen: dict[str, tuple[int, float]] = {}
        for one in self._store.list(SESSIONS):
            token = session_of(one.key)
            if token is None or token == self.token:
                continue
            said = self._said(one.key)
            counter = -1 if said is None else said.counter
            before, since = self._seen.get(token, (None, now))
            seen[token] = (counter, since if counter == before else now)
            if now - seen[token][1] < self._lease_s and not _gone(said):
                alive.append(token)
        self._seen = seen
        return alive

    def _said(self, key: str) -> Beat | None:
        try:
            return msgspec.json.decode(self._store.get(key), type=Beat)
        except (Missing, msgspec.DecodeError):
            return None


def _place() -> str:
    """This boot of this machine, and the namespace of its process ids: two containers may share a host's
    name and not its processes. Empty where that cannot be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _gone(said: Beat | None) -> bool:
    """Whether a session's process has ended, as far as this machine knows: its lease need not run out."""
    if said is None or not said.place or said.place != _place() or said.pid <= 0:
        return False
    try:
        os.kill(said.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's
        return False
    return False
