"""The servers of a client and their connections: connects them, ejects those that fail, and connects them
again after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable

from physgauge.clients.remote.backoff import Backoff
from physgauge.clients.remote.connection import Connection, Door
from physgauge.clients.remote.endpoint import Endpoint
from physgauge.clients.remote.faults import Blame
from physgauge.clients.remote.stats import EndpointStats

REACH_S = 5.0
"""How long a server may take to say that it is there."""
LINGER_S = 1.0
"""How often connections of ejected servers are looked at, until their last answers have come."""


class Server:
    """An endpoint with its connection (None while it is down)."""

    def __init__(self, address: str, most: int) -> None:
        self.endpoint = Endpoint(address, most)
        self.connection: Connection | None = None
        self.ejections = 0
        self.problem: str | None = None
        """Why it could not be reached last time."""

    def stats(self) -> EndpointStats:
        """As it is now."""
        endpoint = self.endpoint
        return EndpointStats(
            endpoint.address, endpoint.state == "up", endpoint.window.limit,
            endpoint.window.in_flight, self.ejections,
        )  # fmt: skip


class Servers:
    """All of them, within one event loop.

    Args:
        addresses: ``host:port`` of each.
        door: TLS and token.
        most: calls at a time to each, at the most.
        changed: is told when a server has come up.
    """

    def __init__(
        self, addresses: Iterable[str], door: Door, most: int, changed: Callable[[], None]
    ) -> None:
        self.all = [Server(address, most) for address in addresses]
        self._door = door
        self._changed = changed
        self._backoff = Backoff(first_s=0.2, most_s=5.0)
        self._tasks: set[asyncio.Task[None]] = set()
        self._gone_s = 0.0

    def connect(self) -> None:
        """Begin to connect all."""
        self._gone_s = asyncio.get_running_loop().time()
        for server in self.all:
            self._spawn(self._connect(server))

    @property
    def gone_s(self) -> float | None:
        """Since when no server has been up; None = one is."""
        return None if any(s.endpoint.state == "up" for s in self.all) else self._gone_s

    def ended(
        self,
        server: Server,
        connection: Connection,
        number: int,
        blame: Blame | None,
        began_s: float,
    ) -> None:
        """A call came to its end.

        Args:
            server: that had it.
            connection: that it went through.
            number: the endpoint's for it.
            blame: why there is no row; None = there is one.
            began_s: when it was sent.
        """
        now, endpoint = asyncio.get_running_loop().time(), server.endpoint
        if connection is not server.connection:
            endpoint.dropped(number)  # the server has been ejected since
        elif blame is None:
            endpoint.answered(number, now)
        elif blame is Blame.FULL:
            endpoint.rejected(number, now)
        elif blame in (Blame.LOST, Blame.AWAY):
            self._eject(server, connection)  # the calls in its hands may still be answered
        elif blame is Blame.SILENT and endpoint.answered_s < began_s:
            self._eject(server, connection)
            connection.drop()  # to nobody it says anything
        elif blame in (Blame.SILENT, Blame.MOVED):
            endpoint.dropped(number)
        else:
            endpoint.refused(number, now)

    def _eject(self, server: Server, connection: Connection) -> None:
        if server.endpoint.state == "up":
            self._gone_s = asyncio.get_running_loop().time()
        server.connection = None
        server.ejections += 1
        server.endpoint.eject()
        self._spawn(self._leave(connection))
        self._spawn(self._connect(server))

    async def _leave(self, connection: Connection) -> None:
        try:
            while not connection.idle:
                await asyncio.sleep(LINGER_S)
        finally:
            await connection.close()

    async def _connect(self, server: Server) -> None:
        endpoint = server.endpoint
        while True:
            if endpoint.failures:
                await asyncio.sleep(self._backoff.wait_s(endpoint.failures))
            connection = Connection(endpoint.address, self._door)
            problem: str | None = "not reached yet"
            try:
                server.problem = problem = await connection.problem(REACH_S)
            finally:
                if problem is not None:
                    await connection.close()
            if problem is None:
                break
            endpoint.unreachable()
        server.connection = connection
        endpoint.reached()
        self._changed()

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def problems(self) -> str:
        """Why servers could not be reached, in one line."""
        found = [f"{s.endpoint.address}: {s.problem}" for s in self.all if s.problem]
        return "; ".join(found)[:600] or "all are busy"

    async def close(self) -> None:
        """Hang up everywhere; calls in hand end."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for server in self.all:
            if server.connection is not None:
                await server.connection.close()
                server.connection = None
