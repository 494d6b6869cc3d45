"""What is on its way to a caller, in order, one write at a time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from physgauge.v1 import gateway_pb2 as v1


class Outbox:
    """The responses of one stream.

    Args:
        context: gRPC's.
        leaving: told of each response just before it is written, and whether it answers an image that
            took a credit; says how many credits go with it.
        sent: told the bytes of each response that has been written.
    """

    def __init__(
        self, context: Any, leaving: Callable[[bool], int], sent: Callable[[int], None]
    ) -> None:
        self._context, self._leaving, self._sent = context, leaving, sent
        self._waiting: deque[tuple[v1.StreamResponse, bool]] = deque()
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self._since_s: float | None = None
        self._closed = False

    def __len__(self) -> int:
        """Responses that have not been written."""
        return len(self._waiting) + (self._since_s is not None)

    def push(self, response: v1.StreamResponse, credited: bool = False) -> None:
        """Write it when those before have been written.

        Args:
            response: what.
            credited: it answers an image that took a credit.
        """
        self._waiting.append((response, credited))
        self._news.set()

    def close(self) -> None:
        """Write no more than what is being written."""
        self._closed = True
        self._news.set()

    def wake(self) -> None:
        """Something about `done` has changed."""
        self._news.set()

    def stalled_s(self, now_s: float) -> float:
        """How long the caller has not taken the response that is being written."""
        return 0.0 if self._since_s is None else now_s - self._since_s

    async def room(self, most: int) -> None:
        """Wait until fewer than `most` wait."""
        while len(self._waiting) >= most:
            self._room.clear()
            await self._room.wait()

    async def run(self, done: Callable[[], bool]) -> None:
        """Write until it is closed, or all is written and `done` says that nothing more will come."""
        while True:
            while self._waiting and not self._closed:
                response, credited = self._waiting.popleft()
                response.credits = self._leaving(credited)
                data = response.SerializeToString()
                self._since_s = time.monotonic()
                await self._context.write(data)
                self._since_s = None
                self._sent(len(data))
                self._room.set()
            if self._closed or done():
                return
            self._news.clear()
            await self._news.wait()
