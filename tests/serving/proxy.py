"""A TCP proxy that does what networks do: it delays, stalls, cuts and resets connections."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from dataclasses import dataclass
from typing import Self

CHUNK = 16 * 1024


@dataclass
class Weather:
    """What happens to bytes, from now on."""

    delay_s: float = 0.0
    """Of each piece, either way."""
    stalled: bool = False
    """Connections stay open, and nothing passes any more."""


class Proxy:
    """Passes TCP connections on to `target`; use as a context manager.

    Args:
        target: ``host:port``.
    """

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self.weather = Weather()
        self.connections = 0
        self.passed = 0
        """Bytes, both ways."""
        self._cut_at: int | None = None
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._loop = asyncio.new_event_loop()
        self._clear = asyncio.Event()
        self._clear.set()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)
        self.address = "{}:{}".format(*self._server.sockets[0].getsockname()[:2])

    def reset(self) -> int:
        """Reset all connections there are (RST, not FIN); returns how many."""
        return asyncio.run_coroutine_threadsafe(self._break(abruptly=True), self._loop).result(10)

    def cut_after(self, count: int) -> None:
        """Close all connections once that many more bytes have passed, in the middle of whatever it is."""
        self._loop.call_soon_threadsafe(setattr, self, "_cut_at", self.passed + count)

    def stall(self, on: bool) -> None:
        """Let nothing pass; or let connections made from now on, and old ones, pass again."""
        self.weather.stalled = on
        self._loop.call_soon_threadsafe(self._clear.clear if on else self._clear.set)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=CHUNK)

    async def _connected(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            far, forth = await asyncio.open_connection(*self._target, limit=CHUNK)
        except OSError:
            back.close()
            return
        pair = (back, forth)
        self._pairs.add(pair)
        ways = [asyncio.ensure_future(self._pass(near, forth)),
                asyncio.ensure_future(self._pass(far, back))]  # fmt: skip
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._pairs.discard(pair)
            for way in ways:
                way.cancel()
            for writer in pair:
                writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                if self.weather.delay_s:
                    await asyncio.sleep(self.weather.delay_s)
                await self._clear.wait()
                if self._cut_at is not None and self.passed + len(data) >= self._cut_at:
                    writer.write(data[: max(0, self._cut_at - self.passed)])
                    self._cut_at = None
                    await self._break(abruptly=False)
                    return
                self.passed += len(data)
                writer.write(data)
                await writer.drain()

    async def _break(self, abruptly: bool) -> int:
        count = len(self._pairs)
        for pair in list(self._pairs):
            for writer in pair:
                if abruptly:  # a close that does not linger is a reset
                    sock: socket.socket = writer.get_extra_info("socket")
                    linger = struct.pack("ii", 1, 0)
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    writer.transport.abort()
                else:
                    writer.close()
        return count

    async def _end(self) -> None:
        self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
