"""Inputs that were in a server's hands each time it failed: one of them may be what brings servers down.
They are sent one at a time, so that it takes no other of them with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

SUSPECT: Final = 2
"""Losses after which an input is one."""


class Suspects:
    """Gives them their turns, within one event loop."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, losses: int, deadline: float) -> AsyncIterator[None]:
        """For one call of an input that was lost so often. Ends the wait at the deadline (the loop's
        time): then there is no time for a call either."""
        if losses < SUSPECT:
            yield
            return
        try:
            async with asyncio.timeout_at(deadline):
                await self._one.acquire()
        except TimeoutError:
            yield
            return
        try:
            yield
        finally:
            self._one.release()
