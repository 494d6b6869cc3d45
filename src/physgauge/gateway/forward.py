"""The server behind: one image there, its row back.

A thin layer over the client (docs/client.md), which keeps as many calls in a server's hands as it can
use, tries again what is safe to try again, and knows which of several are there.
"""

from __future__ import annotations

import asyncio
import time

from physgauge.clients import Answered, AsyncClient, Input, Stats
from physgauge.gateway.checks import Work
from physgauge.gateway.places import Place
from physgauge.gateway.settings import Backend

_ATTEMPT_S = 30.0
"""For one call of an image with more time than this; then another server, or another try."""
_LINGER_S = 10.0
"""After an image's time is over: until then the server has said so itself."""


class Forward:
    """Calls the servers.

    Args:
        backend: where they are.
        most: images at a time.
        most_s: the longest time that an image may have.

    Raises:
        ConfigError: an address or a TLS file that is wrong.
    """

    def __init__(self, backend: Backend, most: int, most_s: float) -> None:
        self._client = AsyncClient(
            backend.servers,
            token=backend.token,
            tls=backend.tls,
            max_window=most,
            timeout_s=most_s,
            attempt_s=_ATTEMPT_S,
            linger_s=_LINGER_S,
        )
        self._sent: set[asyncio.Task[Answered]] = set()

    @property
    def stats(self) -> Stats:
        """What the client has done so far."""
        return self._client.stats

    async def answer(self, work: Work, request_id: str) -> Answered:
        """An image's row, perhaps an error row, and its JSON as the server sent it.

        Args:
            work: the image.
            request_id: for the logs of all steps of the server.

        Raises:
            RequestError: there is none.
        """
        options = work.options
        return await self._client.answer(
            Input(
                work.image,
                options.image_id,
                work.caption,
                options.source,
                options.extra,
                options.domain,
                max(0.001, work.deadline_s - time.monotonic()),
                request_id,
            )
        )

    async def send(self, work: Work, request_id: str, place: Place) -> Answered:
        """The same for an image of a caller, who may stop waiting at any time.

        The server goes on, and so the place is his until it is done: else whoever hangs up, or gives his
        images no time, could have more in its hands than his share.

        Args:
            work: the image.
            request_id: for the logs of all steps of the server.
            place: whose turn it is; it is given back here.

        Raises:
            RequestError: there is none.
        """
        task = asyncio.create_task(self._until_done(work, request_id, place))
        self._sent.add(task)
        task.add_done_callback(self._sent.discard)
        return await asyncio.shield(task)

    async def _until_done(self, work: Work, request_id: str, place: Place) -> Answered:
        try:
            return await self.answer(work, request_id)
        finally:
            place.close()

    async def close(self) -> None:
        """Hang up."""
        await self._client.close()
        await asyncio.gather(*self._sent, return_exceptions=True)
