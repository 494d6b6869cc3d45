"""How the server behind is. The health service says this, and new images are refused by it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import time
from collections.abc import Awaitable, Callable
from typing import Final

import numpy as np

from physgauge.contract import Options
from physgauge.errors import RequestError
from physgauge.gateway.checks import Work
from physgauge.gateway.forward import Forward
from physgauge.gateway.settings import Backend
from physgauge.log import log

PROBE_ID: Final = "physgauge-gateway-probe"
"""Request id of our own image. Not the supervisor's: the place that is kept for his is one."""


class Behind:
    """Looks at the server every few seconds.

    Args:
        backend: where it is, and how to ask.
        forward: for the image of our own.
        changed: told what is now so.
    """

    def __init__(
        self, backend: Backend, forward: Forward, changed: Callable[[bool], Awaitable[None]]
    ) -> None:
        self._backend, self._forward, self._changed = backend, forward, changed
        self._answered_s = 0.0
        self.ready = False
        """Whether any of the servers scores images."""

    def answered(self) -> None:
        """A row has come: whatever a probe says, the server works."""
        self._answered_s = time.monotonic()

    async def watch(self) -> None:
        """Until cancelled."""
        while True:
            began = time.monotonic()
            ready, why = await self._look()
            ready = ready or self._answered_s > began
            if ready != self.ready:
                self.ready = ready
                log("behind", ready=ready, why=why)
                await self._changed(ready)
            await asyncio.sleep(self._backend.check_s)

    async def _look(self) -> tuple[bool, str]:
        if not self._backend.status:
            return await self._probe()
        looks = (self._status(address) for address in self._backend.status)
        found = await asyncio.gather(*looks)
        return any(said == "ready" for said in found), ", ".join(found)

    async def _status(self, address: str) -> str:
        """`GET /ready` of `physgauge serve`."""
        host, _, port = address.rpartition(":")
        try:
            async with asyncio.timeout(self._backend.check_timeout_s):
                reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
                try:
                    writer.write(b"GET /ready HTTP/1.0\r\n\r\n")
                    first = await reader.readline()
                    return "ready" if first.split()[1:2] == [b"200"] else "not ready"
                finally:
                    writer.close()
                    with contextlib.suppress(OSError):
                        await writer.wait_closed()
        except (OSError, TimeoutError, ValueError) as error:
            return type(error).__name__

    async def _probe(self) -> tuple[bool, str]:
        deadline_s = time.monotonic() + self._backend.check_timeout_s
        work = Work(_IMAGE, "", Options(image_id=PROBE_ID), deadline_s)
        try:
            async with asyncio.timeout(self._backend.check_timeout_s):
                await self._forward.answer(work, PROBE_ID)
        except TimeoutError:
            return False, "no row of the probe in time"
        except RequestError as error:
            # A server that says it is full is there.
            return error.code == "overloaded", f"{error.code}: {error.message}"[:300]
        return True, "ready"


def _npy() -> bytes:
    """64 x 64 px of gray."""
    out = io.BytesIO()
    np.save(out, np.full((64, 64, 3), 128, np.uint8))
    return out.getvalue()


_IMAGE: Final = _npy()
