"""Which server gets the next call, and when: places are given out first come, first served."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from physgauge.clients.remote.connection import Connection, Door
from physgauge.clients.remote.endpoint import Endpoint, pick
from physgauge.clients.remote.faults import CallFailed
from physgauge.clients.remote.kserve import Call
from physgauge.clients.remote.servers import Server, Servers
from physgauge.clients.remote.stats import EndpointStats
from physgauge.errors import RequestError


class Lease(NamedTuple):
    """A place in a server's window, for one call."""

    server: Server
    connection: Connection
    number: int

    @property
    def endpoint(self) -> Endpoint:
        """Of the server."""
        return self.server.endpoint


class Dispatch:
    """Calls to all servers of a client, within one event loop.

    Args:
        addresses: ``host:port`` of each.
        door: TLS and token.
        most: calls at a time, to each and in all.
    """

    def __init__(self, addresses: Iterable[str], door: Door, most: int) -> None:
        self._servers = Servers(addresses, door, most, self._changed)
        self._most = most
        self._out = 0
        self._waiting: deque[tuple[asyncio.Future[Lease], Endpoint | None]] = deque()
        self._watchers: set[Callable[[], None]] = set()
        self._turn = 0
        self._closed = False
        self._servers.connect()

    @property
    def capacity(self) -> int:
        """Calls that may be out at a time."""
        return min(self._most, sum(server.endpoint.capacity for server in self._servers.all))

    @property
    def gone_s(self) -> float | None:
        """Since when no server has been up (the loop's time); None = one is."""
        return self._servers.gone_s

    def problems(self) -> str:
        """Why servers could not be reached, in one line."""
        return self._servers.problems()

    def stats(self) -> list[EndpointStats]:
        """Of each server."""
        return [server.stats() for server in self._servers.all]

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Be told when there may be more room; returns what ends it."""
        self._watchers.add(changed)
        return lambda: self._watchers.discard(changed)

    async def lease(self, avoid: Endpoint | None = None) -> Lease:
        """A place for one call, when there is one; `call` or `give_back` takes it.

        Args:
            avoid: a server taken only if no other has room.

        Raises:
            RequestError: the client was closed.
        """
        if self._closed:
            raise closed()
        if not self._waiting and (lease := self._take(avoid)):
            return lease
        future: asyncio.Future[Lease] = asyncio.get_running_loop().create_future()
        self._waiting.append((future, avoid))
        try:
            return await future
        except asyncio.CancelledError:
            with suppress(ValueError):
                self._waiting.remove((future, avoid))
            if future.done() and not future.cancelled() and not future.exception():
                self._ended(future.result(), None, dropped=True)  # it came as the caller went
            raise

    async def call(self, lease: Lease, call: Call, within_s: float) -> bytes:
        """The row as JSON; gives the place back.

        Raises:
            CallFailed: why there is none.
        """
        began = asyncio.get_running_loop().time()
        try:
            data = await lease.connection.score(call, within_s)
        except CallFailed as failed:
            self._ended(lease, failed, began)
            raise
        except BaseException:
            self._ended(lease, None, dropped=True)
            raise
        self._ended(lease, None, began)
        return data

    def _take(self, avoid: Endpoint | None) -> Lease | None:
        by_endpoint = {s.endpoint: s for s in self._servers.all if s.connection is not None}
        endpoint = pick(by_endpoint, avoid) if self._out < self._most else None
        if endpoint is None:
            return None
        server = by_endpoint[endpoint]
        if server.connection is None:
            return None
        self._turn += 1
        self._out += 1
        return Lease(server, server.connection, endpoint.send(self._turn))

    def _ended(
        self, lease: Lease, failed: CallFailed | None, began_s: float = 0.0, dropped: bool = False
    ) -> None:
        self._out -= 1
        if dropped:
            lease.endpoint.dropped(lease.number)
        else:
            blame = None if failed is None else failed.blame
            self._servers.ended(lease.server, lease.connection, lease.number, blame, began_s)
        self._changed()

    def _changed(self) -> None:
        while self._waiting:
            future, avoid = self._waiting[0]
            if not future.done():
                lease = self._take(avoid)
                if lease is None:
                    break
                future.set_result(lease)
            self._waiting.popleft()
        for watcher in list(self._watchers):
            watcher()

    async def close(self) -> None:
        """Calls in hand and those that wait end with an error."""
        self._closed = True
        for future, _ in self._waiting:
            if not future.done():
                future.set_exception(closed())
        self._waiting.clear()
        await self._servers.close()


def closed() -> RequestError:
    """What a closed client says."""
    return RequestError("unavailable", "expected an open client, got one that was closed")
