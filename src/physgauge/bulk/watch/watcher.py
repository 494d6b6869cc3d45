"""Hears what happens in a session, keeps the folder's record of it, and knows where the run stands."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

import msgspec

from physgauge import __version__
from physgauge.bulk.watch.events import (
    AnyEvent,
    Beat,
    Quarantined,
    Retried,
    UnitDone,
    Waiting,
    WorkerLost,
)
from physgauge.bulk.watch.folder import Folder
from physgauge.bulk.watch.money import NO_PRICES, costs
from physgauge.bulk.watch.progress import Progress, Speed
from physgauge.bulk.watch.session import Ending, Journal, SessionState, state_key
from physgauge.bulk.watch.standing import bills, overall_rate
from physgauge.bulk.watch.tally import Tally
from physgauge.bulk.watch.usage import Usage
from physgauge.clients.runs import Run
from physgauge.cost_settings import CostSettings
from physgauge.errors import PhysgaugeError

BEAT_S: Final = 2.0
"""How often a session says that it lives."""
OTHERS_S: Final = 20.0
"""How often it looks what others have committed."""
RECOUNT_S: Final = 10.0
"""Time at the start for units that no event tells of."""


class Watcher:
    """One session's. A context manager: its thread writes while it is entered.

    What it writes helps those who watch and nobody else, so a store that refuses it never stops the run.

    Args:
        run: worked on.
        token: of the session.
        total: entries of the run; None: not known.
        total_units: units of the run.
        engine: `local`, `server` or `ray`.
        prices: of this session.
        gpus: that it holds; None: unknown.
        by: carried columns to show groups of.
    """

    def __init__(
        self,
        run: Run,
        token: str,
        *,
        total: int | None,
        total_units: int | None,
        engine: str = "local",
        prices: CostSettings = NO_PRICES,
        gpus: float | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self.folder = Folder(run, own=token)
        self._lock = self.folder.lock
        self._journal = Journal(run.store, token)
        self._new: list[UnitDone] = []
        self._fresh = Tally()
        self._start = time.monotonic()
        self._speed, self._usage = Speed(), Usage()
        self._in_flight: dict[str, int] = {}
        self._retries: Counter[str] = Counter()
        self._restarts: Counter[str] = Counter()
        self._last_commit_s: float | None = None
        self._state = SessionState(
            token=token, host=socket.gethostname(), pid=os.getpid(), physgauge=__version__,
            engine=engine, started=datetime.now(UTC).isoformat(timespec="seconds"),
            started_unix_s=time.time(), elapsed_s=0.0, beats=0, status="running", gpus=gpus,
            prices=prices, total_entries=total, total_units=total_units, by=list(by),
        )  # fmt: skip
        self.failed_writes = 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._write_on, name="watcher", daemon=True)

    def __enter__(self) -> Self:
        self.folder.refresh()
        for done in self.folder.recount(self.folder.uncounted(), RECOUNT_S):
            self._journal.add(done)
        self._write()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.end("done")
        elif isinstance(error, (KeyboardInterrupt, SystemExit)):
            self.end("stopped")
        else:
            self.end("failed", str(error) or kind.__name__)

    def tell(self, event: AnyEvent) -> None:
        """Something has happened. Quick, and safe from any thread; writes nothing itself."""
        with self._lock:
            match event:
                case Beat(worker=worker, done=done):
                    self._in_flight[worker] = done
                    self._usage.note(event)
                case UnitDone():
                    self._done(event)
                case WorkerLost(worker=worker, reason=reason):
                    self._in_flight.pop(worker, None)
                    self._usage.lost(worker)
                    self._restarts[reason] += 1
                case Quarantined():
                    self._change(quarantined=self._state.quarantined + 1)
                case Retried(what=what):
                    self._retries[what] += 1
                case Waiting(units=units, workers=workers):
                    self._change(waiting_units=units, workers=workers)
            self._speed.note(self._elapsed(), self._state.rows + sum(self._in_flight.values()))

    def _done(self, done: UnitDone) -> None:
        self.folder.add(done, self._state.token)
        self._fresh.merge(done.made)
        self._new.append(done)
        rows = done.entries - done.kept
        self._in_flight[done.worker] = max(0, self._in_flight.get(done.worker, 0) - rows)
        self._last_commit_s = self._elapsed()
        self._change(
            rows=self._state.rows + rows,
            scored=self._state.scored + done.scored,
            units=self._state.units + 1,
        )

    def planned(self, total: int | None, total_units: int | None) -> None:
        """The plan is another one now."""
        with self._lock:
            self._change(total_entries=total, total_units=total_units)

    def drain(self) -> None:
        """The user has asked to stop after what is in hand."""
        with self._lock:
            self._change(status="draining")

    def progress(self) -> Progress:
        """Where the run stands; safe from any thread."""
        with self._lock:
            state = self._now()
            states = {**self.folder.states, state.token: state}
            ledger, rows = self.folder.ledger, self.folder.rows
            return Progress(
                total=state.total_entries,
                total_units=state.total_units,
                done=rows,
                units=len(self.folder.committed),
                in_flight=state.in_flight,
                rate=state.images_per_s,
                overall_rate=overall_rate(states.values(), ledger.made, state.in_flight),
                elapsed_s=state.elapsed_s,
                tally=ledger.copy(exact=False),
                costs=costs(bills(states, ledger), rows),
                workers=state.workers,
                waiting_units=state.waiting_units,
                restarts=self._restarts.total(),
                retries=self._retries.total(),
                resident_bytes=state.resident_bytes,
                last_commit_age_s=None
                if self._last_commit_s is None
                else state.elapsed_s - self._last_commit_s,
                draining=state.status == "draining",
            )

    def fresh(self) -> Tally:
        """Counts over the rows that this session made or copied; safe from any thread."""
        with self._lock:
            return msgspec.msgpack.decode(msgspec.msgpack.encode(self._fresh), type=Tally)

    def restarts(self) -> dict[str, int]:
        """Why workers were replaced, to how often; safe from any thread."""
        with self._lock:
            return dict(self._restarts)

    def retries(self) -> dict[str, int]:
        """What was tried again, to how often; safe from any thread."""
        with self._lock:
            return dict(self._retries)

    @property
    def by(self) -> list[str]:
        """Carried columns to show groups of."""
        return self._state.by

    def end(self, status: Ending, why: str | None = None) -> None:
        """Say how it ended, and stop writing; further calls do nothing."""
        if self._ending.is_set():
            return
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._lock:
            self._in_flight.clear()
            self._change(status=status, why=why)
        self._write()

    @property
    def state(self) -> SessionState:
        """Of the session, as it was last written."""
        return self._state

    @property
    def token(self) -> str:
        """Of the session."""
        return self._state.token

    def _elapsed(self) -> float:
        return time.monotonic() - self._start

    def _change(self, **fields: object) -> None:
        self._state = msgspec.structs.replace(self._state, **fields)

    def _now(self) -> SessionState:
        """The state of this moment; the lock is held."""
        elapsed = self._elapsed()
        in_flight = sum(self._in_flight.values())
        self._speed.note(elapsed, self._state.rows + in_flight)
        return msgspec.structs.replace(
            self._state,
            elapsed_s=elapsed,
            in_flight=in_flight,
            images_per_s=self._speed.rate(),
            restarts=dict(self._restarts),
            retries=dict(self._retries),
            resident_bytes=self._usage.resident_bytes,
            cpu_s=self._usage.cpu_s,
            last_commit_s=self._last_commit_s,
        )

    def _write_on(self) -> None:
        looked = time.monotonic()
        while not self._ending.wait(BEAT_S):
            self._write()
            if time.monotonic() - looked >= OTHERS_S:
                self._refresh()
                looked = time.monotonic()

    def _refresh(self) -> None:
        with suppress(PhysgaugeError, OSError):  # looked at again in a while
            self.folder.refresh()

    def _write(self) -> None:
        with self._lock:
            new, self._new = self._new, []
            self._change(beats=self._state.beats + 1)
            state = self._state = self._now()
        for done in new:
            self._journal.add(done)
        try:
            self._journal.flush()
            self.folder.run.store.replace(state_key(state.token), msgspec.json.encode(state))
        except (PhysgaugeError, OSError):
            self.failed_writes += 1
