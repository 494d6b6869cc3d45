"""Who may have how much in hand: places at the server, a queue before them, each client's share.

An image is refused at once when the gateway, or its client's share of it, is full. Those that are
taken wait in one line per client, and the lines get places in turn: a client that floods makes only
its own line longer.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from typing import Final

from physgauge.gateway.refusal import Refused
from physgauge.gateway.settings import Shares

_LEAST_MS: Final = 100
_MOST_MS: Final = 10_000


class Place:
    """One image in hand. Whoever took it leaves or closes it."""

    __slots__ = ("_at_server", "_closed", "_places", "client", "size")

    def __init__(self, places: Places, client: str, size: int) -> None:
        self._places, self.client, self.size = places, client, size
        self._at_server = self._closed = False

    async def turn(self) -> None:
        """Wait until it may go to the server."""
        await self._places._turn(self.client)
        self._at_server = True

    def leave(self) -> None:
        """Give everything back, but what is at the server: whoever sent it there does."""
        if not self._at_server:
            self.close()

    def close(self) -> None:
        """Give everything back; harmless twice."""
        if not self._closed:
            self._closed = True
            self._places._give_back(self, self._at_server)


class Places:
    """The bookkeeping; for one event loop.

    Args:
        shares: the bounds.
    """

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._images: dict[str, int] = {}
        self._bytes: dict[str, int] = {}
        self._free = shares.places
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._done: deque[float] = deque(maxlen=64)
        self.in_hand = 0
        """Images, waiting and at the server."""
        self.bytes_in_hand = 0

    @property
    def at_server(self) -> int:
        """Images that have a place."""
        return self._shares.places - self._free

    @property
    def waiting(self) -> int:
        """Images that wait for a place."""
        return self.in_hand - self.at_server

    @property
    def by_client(self) -> dict[str, int]:
        """Images in hand of each client that has any."""
        return self._images

    def take(self, client: str, size: int) -> Place:
        """Take an image in hand.

        Args:
            client: whose it is.
            size: its bytes.

        Raises:
            Refused: overloaded; with a hint when there may be room.
        """
        shares = self._shares
        own, own_bytes = self._images.get(client, 0), self._bytes.get(client, 0)
        if own >= shares.per_client:
            raise self._full(own, f"{shares.per_client} images of this client in hand")
        if self.in_hand >= shares.capacity:
            raise self._full(self.in_hand, f"{shares.capacity} images in hand")
        if own and own_bytes + size > shares.bytes_per_client:
            most = shares.bytes_per_client
            raise self._full(own, f"{most:,} bytes of this client in hand")
        if self.in_hand and self.bytes_in_hand + size > shares.max_bytes:
            raise self._full(self.in_hand, f"{shares.max_bytes:,} bytes in hand")
        self._images[client] = own + 1
        self._bytes[client] = own_bytes + size
        self.in_hand += 1
        self.bytes_in_hand += size
        return Place(self, client, size)

    def window(self, client: str, streams: int) -> int:
        """Images that each of a client's streams should have, in hand and credited.

        All who have something in hand share alike; each stream may always have one.
        """
        busy = len(self._images) + (client not in self._images)
        fair = min(self._shares.per_client, self._shares.capacity // busy)
        return max(1, min(self._shares.window, fair // max(1, streams)))

    def _full(self, ahead: int, most: str) -> Refused:
        return Refused("overloaded", f"expected at most {most}, got more", self._hint_ms(ahead))

    def _hint_ms(self, ahead: int) -> int:
        """When half of those ahead will be done, by the pace of the last ones."""
        if len(self._done) < 2:
            return 1_000
        pace_s = (time.monotonic() - self._done[0]) / len(self._done)
        return min(_MOST_MS, max(_LEAST_MS, int(1000 * pace_s * ahead / 2)))

    async def _turn(self, client: str) -> None:
        if self._free and not self._lines:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(client, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._leave(client, turn)
            else:  # it came just now: pass it on
                self._free += 1
                self._next()
            raise

    def _leave(self, client: str, turn: asyncio.Future[None]) -> None:
        line = self._lines.get(client)
        if line is not None and turn in line:
            line.remove(turn)
            if not line:
                del self._lines[client]

    def _next(self) -> None:
        """Give free places to the lines, one each in turn."""
        while self._free and self._lines:
            client, line = self._lines.popitem(last=False)
            turn = line.popleft()
            if line:
                self._lines[client] = line  # at the end: the others come first
            if not turn.done():  # else whoever waited is just going
                self._free -= 1
                turn.set_result(None)

    def _give_back(self, place: Place, at_server: bool) -> None:
        client = place.client
        self.in_hand -= 1
        self.bytes_in_hand -= place.size
        self._images[client] -= 1
        self._bytes[client] -= place.size
        if not self._images[client]:
            del self._images[client], self._bytes[client]
        if at_server:
            self._done.append(time.monotonic())
            self._free += 1
            self._next()
