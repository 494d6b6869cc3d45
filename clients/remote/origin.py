"""Which deployment error rows of the client's own are about: what the server's error rows say."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from physgauge import __version__, wire
from physgauge.clients.remote.inputs import Input
from physgauge.errors import InputError

_UNKNOWN: Final = wire.Provenance(physgauge=__version__, profile="")
"""No server has said anything."""


class Origin:
    """The provenance that a server's error rows have. (Its other rows' say more: which pack judged.)

    Args:
        send: gets the row of an image; asked for that of an empty one, at most once.
        ask_s: how long that may take.
    """

    def __init__(self, send: Callable[[Input, bytes], Awaitable[object]], ask_s: float) -> None:
        self._send = send
        self._ask_s = ask_s
        self._known: wire.Provenance | None = None
        self._asking = asyncio.Lock()
        self._in_vain = False

    def learn(self, row: wire.Row) -> None:
        """A row that a server made."""
        self._in_vain = False
        if row.error_code is not None:
            self._known = row.provenance

    async def provenance(self, ask: bool) -> wire.Provenance:
        """For an error row.

        Args:
            ask: whether to ask a server, if nothing is known yet.
        """
        if self._known is None and ask:
            async with self._asking:  # others may have asked meanwhile
                await self._ask()
        return self._known or _UNKNOWN

    async def _ask(self) -> None:
        if self._known is not None or self._in_vain:
            return
        try:
            await self._send(Input(b"", image_id="?", source="", timeout_s=self._ask_s), b"")
        except InputError:
            self._in_vain = (
                True  # until a server has answered something: do not wait for each row anew
            )
