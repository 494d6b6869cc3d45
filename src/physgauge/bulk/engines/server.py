"""The engine `server`: units go through the streaming client to a fleet of servers, and their rows are
committed here, by this process, in the way all workers do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from physgauge import wire
from physgauge.bulk.bench import Bench, Drained
from physgauge.bulk.engines.fleet import ask_all
from physgauge.bulk.engines.server_stage import ServerStage
from physgauge.bulk.watch.events import AnyEvent, Beat, Retried
from physgauge.bulk.work import GivenUp, RowMade, Task, Work
from physgauge.clients.remote.address import Tls, addresses
from physgauge.clients.remote.blocking import Client
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from physgauge.errors import ConfigError

BEAT_S: Final = 2.0
DRAIN_S: Final = 30.0
"""How long units in hand may take to be finished once the user wants to end."""
IDLE_S: Final = 1.0
MAX_TRIES: Final = 100


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Of the engine."""

    servers: str
    """``host:port`` of each, with commas between them; all run the same deployment."""
    token: str | None = None
    tls: Tls | None = None
    timeout_s: float = 60.0
    """For each image, the client's own retries included."""
    tries: int = 3
    """Times that an image which no server could answer for is sent once more, when one answers again
    (0 to 100); then it gets an error row, for `physgauge retry`."""
    away_s: float = 600.0
    """How long no server may answer before the run ends with an error; the same command goes on."""

    def check(self) -> None:
        """Raises ConfigError: an address or number that is wrong."""
        addresses(self.servers)
        if not 0 <= self.tries <= MAX_TRIES:
            raise ConfigError(f"tries: expected 0 to {MAX_TRIES}, got {self.tries}")
        if not self.away_s >= 0:
            raise ConfigError(f"away_s: expected 0 s or more, got {self.away_s!r}")

    def connect(self, servers: str) -> Client:
        """A client of some of them."""
        return Client(servers, token=self.token, tls=self.tls, timeout_s=self.timeout_s)


class ServerEngine:
    """See Engine.

    Args:
        settings: where the servers are.
        warn: told of servers that don't answer at the start, while others do.
        domain: the run's.
        method: the run's.
    """

    def __init__(
        self,
        settings: ServerSettings,
        warn: Callable[[str], None],
        *,
        domain: str = "auto",
        method: wire.Method = "both",
    ) -> None:
        settings.check()
        self._settings, self._warn = settings, warn
        self._asked = {"domain": domain, "method": method}
        self._parts: dict[str, str] | None = None

    def fingerprint(self) -> dict[str, str]:
        """What the servers say they run.

        Raises:
            ConfigError: servers that differ, and in what.
            EnvironmentProblem: none answers.
        """
        if self._parts is None:
            servers = addresses(self._settings.servers)
            self._parts, silent = ask_all(servers, self._settings.connect)
            for problem in silent:
                self._warn(
                    f"{problem}; the run begins without it, and its rows are looked at as they come"
                )
        return self._parts | self._asked

    def run(self, work: Work) -> None:
        """See Engine; raises as `fingerprint` does."""
        setup, line = work.setup, _Line(work)
        self.fingerprint()
        stage = ServerStage(
            self._settings.connect(self._settings.servers),
            domain=setup.domain,
            method=setup.method,
            parts=self._parts or {},
            tick=line.tick,
            again=lambda: work.tell(Retried(what="server")),
            tries=self._settings.tries,
            away_s=self._settings.away_s,
        )
        try:
            run = Run.open(open_store(setup.output), setup.session, setup.run)
            bench = Bench(stage, run, line, setup.sourcing, rows=setup.rows)
            line.standing = lambda: bench.standing
            bench.work()
        finally:
            stage.close()


class _Line:
    """The bench's line: the coordinator is in the same thread."""

    worker = "server"
    standing: Callable[[], tuple[int | None, int, int]]

    def __init__(self, work: Work) -> None:
        self._work = work
        self._told_s = 0.0
        self._drained_s: float | None = None

    @property
    def finish_by(self) -> float | None:
        """See Line."""
        drain = self._work.drain
        if drain == "no":
            return None
        now = time.monotonic()
        if self._drained_s is None:
            self._drained_s = now + DRAIN_S
        return now if drain == "stop" else self._drained_s

    def take(self, *, wait: bool) -> Task | None:
        """See Line."""
        while self.finish_by is None:
            task = self._work.take()
            if task is not None or not wait or self._work.over():
                return task
            self._beat()
            time.sleep(IDLE_S)
        return None

    def tell(self, event: AnyEvent | RowMade | GivenUp) -> None:
        """See Line."""
        self._work.tell(event)

    def tick(self) -> None:
        """While rows are waited for.

        Raises:
            Drained: there is no more time.
        """
        self._beat()
        self._work.ahead()
        end = self.finish_by
        if end is not None and time.monotonic() >= end:
            raise Drained

    def _beat(self) -> None:
        if (now := time.monotonic()) - self._told_s < BEAT_S:
            return
        self._told_s = now
        unit, done, errors = self.standing()
        used = os.times()
        cpu_s = used.user + used.system
        self._work.tell(Beat(worker=self.worker, unit=unit, done=done, errors=errors, cpu_s=cpu_s))
