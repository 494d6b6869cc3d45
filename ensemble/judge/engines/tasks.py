"""The tasks of a session: what is still running when it is left is stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from types import TracebackType
from typing import Any, TypeVar

from physgauge.wire import Outcome

Value = TypeVar("Value")


class Tasks:
    """Used as a context manager: leaving it cancels its tasks and waits for them."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._left = False

    def start(self, work: Coroutine[Any, Any, Value]) -> asyncio.Task[Value]:
        """Run a coroutine until it ends or the session is left."""
        if self._left:
            work.close()
            raise RuntimeError("expected an open session, got one that was left")
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def all(self, work: Sequence[Coroutine[Any, Any, Value]]) -> list[Value]:
        """Run several at once; their results in order.

        The first that raises is raised, and the others of the call are stopped.
        """
        tasks = [self.start(one) for one in work]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def __aenter__(self) -> Tasks:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._left = True
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def within(
    deadline_s: float | None, ask: Callable[[], Awaitable[Value]]
) -> tuple[Outcome, Value | None]:
    """What is asked, or `timeout` when the deadline (`time.monotonic`) passes; it is stopped then."""
    left = None if deadline_s is None else deadline_s - time.monotonic()
    if left is not None and left <= 0:
        return "timeout", None
    try:
        async with asyncio.timeout(left):
            return "answered", await ask()
    except TimeoutError:
        return "timeout", None
