"""A judge in a thread of its own: images in as they are decoded, futures out, many at a time.

Judges are asynchronous, the pipeline is not. The runner keeps an event loop in a background thread,
makes the judge there (engines bind to the loop they are made in), and bounds how many images are looked
at together. It takes what it is given: how far ahead to hand images in is the caller's to bound.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from physgauge.ensemble.judge.look import Crop, Judge, Look, Watcher
from physgauge.types import U8
from physgauge.wire import Method

Result = TypeVar("Result")
CLOSE_S: Final = 30.0
"""What a judge gets to close; then it is left behind with its thread, which is a daemon."""


class Runner:
    """Runs looks; use as a context manager.

    Args:
        make: makes the judge, in the runner's loop.
        max_in_flight: images looked at at a time.

    Raises:
        Exception: whatever `make` raises.
    """

    def __init__(self, make: Callable[[], Awaitable[Judge]], max_in_flight: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="judge", daemon=True)
        self._thread.start()
        self._turn = asyncio.Semaphore(max_in_flight)
        self.max_in_flight = max_in_flight
        try:
            self.judge: Judge = self._call(_made(make)).result()
        except BaseException:
            self._stop()
            raise

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def submit(
        self,
        image: U8,
        crops: Sequence[Crop] = (),
        deadline_s: float | None = None,
        method: Method = "both",
    ) -> Future[Look]:
        """A look at an image, begun when its turn comes; arguments as of `Judge.look` and
        `Watcher.look_for`. Cancelling the future stops it."""
        return self._call(self._look(image, crops, deadline_s, method))

    def run(self, work: Callable[[], Awaitable[Result]]) -> Future[Result]:
        """Anything else of the judge's, begun when its turn comes; `work` does not raise."""
        return self._call(self._in_turn(work))

    async def _in_turn(self, work: Callable[[], Awaitable[Result]]) -> Result:
        async with self._turn:
            return await work()

    async def _look(
        self, image: U8, crops: Sequence[Crop], deadline_s: float | None, method: Method
    ) -> Look:
        async with self._turn:
            try:
                if method != "both" and isinstance(self.judge, Watcher):
                    return await self.judge.look_for(method, image, crops, deadline_s)
                return await self.judge.look(image, crops, deadline_s)
            except Exception as error:  # a judge's fault is its image's, and not the run's
                return Look("", fault=f"the judge failed ({type(error).__name__})")

    def _call(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Stop what runs, close the judge, end the thread."""
        if not self._thread.is_alive():
            return
        try:
            with suppress(TimeoutError):
                self._call(self._wind_up()).result(CLOSE_S)
        finally:
            self._stop()

    async def _wind_up(self) -> None:
        mine = asyncio.current_task()
        running = [task for task in asyncio.all_tasks() if task is not mine]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.judge.close()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


async def _made(make: Callable[[], Awaitable[Judge]]) -> Judge:
    return await make()
