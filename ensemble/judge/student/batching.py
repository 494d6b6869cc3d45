"""Waiting images answered together, in a thread: whoever waits meanwhile doesn't hold up the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Given = TypeVar("Given")
Got = TypeVar("Got")


class Batcher(Generic[Given, Got]):
    """Hands whatever waits to `work`, one batch after the other.

    Args:
        work: as many results as it gets things, in their order; runs in a thread of its own.
        most: things in a batch.
    """

    def __init__(self, work: Callable[[Sequence[Given]], Sequence[Got]], most: int) -> None:
        self._work, self._most = work, most
        self._waiting: list[tuple[Given, asyncio.Future[Got]]] = []
        self._thread = ThreadPoolExecutor(1, "student")
        self._running: asyncio.Task[None] | None = None

    async def get(self, thing: Given) -> Got:
        """The result for one thing.

        Raises:
            Exception: whatever `work` raised for its batch. Cancelled: it is left out, if it still waits.
        """
        future: asyncio.Future[Got] = asyncio.get_running_loop().create_future()
        self._waiting.append((thing, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            some, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            some = [(thing, future) for thing, future in some if not future.done()]
            if not some:
                continue
            try:
                results = await loop.run_in_executor(
                    self._thread, self._work, [thing for thing, _ in some]
                )
            except Exception as error:
                _tell(some, error)
                continue
            for (_, future), result in zip(some, results, strict=True):
                if not future.done():
                    future.set_result(result)

    async def close(self) -> None:
        """Wait for the batch that runs; whoever still waits is cancelled."""
        for _, future in self._waiting:
            future.cancel()
        self._waiting = []
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)
        self._thread.shutdown()


def _tell(some: Sequence[tuple[Given, asyncio.Future[Got]]], error: Exception) -> None:
    for _, future in some:
        if not future.done():
            future.set_exception(error)
