"""The blocking client: the asynchronous one in a thread of its own, so that it works from any thread,
with or without an event loop in it."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncIterable, Coroutine, Generator, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import closing, suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from physgauge import wire
from physgauge.clients.remote.address import Tls
from physgauge.clients.remote.client import AsyncClient
from physgauge.clients.remote.dispatch import closed
from physgauge.clients.remote.run import Run
from physgauge.clients.remote.stats import Stats
from physgauge.errors import RequestError
from physgauge.gate.rule import Gated, Rule, decide

Result = TypeVar("Result")


class Client:
    """A client of one or more servers; use as a context manager. Thread-safe.

    Takes what :class:`AsyncClient` takes.

    Raises:
        ConfigError: an address, a TLS file or a number that is wrong.
    """

    def __init__(
        self,
        servers: str | Iterable[str],
        *,
        token: str | None = None,
        tls: Tls | None = None,
        max_window: int = 256,
        timeout_s: float = 60.0,
        attempt_s: float | None = None,
        retries: int = 5,
        max_bytes: int | None = None,
    ) -> None:
        self._client = AsyncClient(
            servers, token=token, tls=tls, max_window=max_window, timeout_s=timeout_s,
            attempt_s=attempt_s, retries=retries, max_bytes=max_bytes,
        )  # fmt: skip
        self._loop = _LoopThread()
        # Also when nobody closes it, and at exit: gRPC must not be running when Python goes.
        self._finalizer = weakref.finalize(self, _close, self._client, self._loop)

    def score(
        self, images: AsyncIterable[Any] | Iterable[Any], *, ordered: bool = False
    ) -> Generator[wire.Row]:
        """One row an input, as :meth:`AsyncClient.score`. The inputs are read in another thread."""
        run = self._loop.call(_started(self._client, images, ordered))
        try:
            while (row := self._loop.call(run.next())) is not None:
                yield row
        finally:
            with suppress(RequestError):  # closing has stopped it
                self._loop.call(self._client.stop(run))

    def gate(
        self, images: AsyncIterable[Any] | Iterable[Any], rule: Rule, *, ordered: bool = False
    ) -> Generator[Gated]:
        """Rows with decisions, as :meth:`AsyncClient.gate`."""
        with closing(self.score(images, ordered=ordered)) as rows:
            for row in rows:
                yield Gated(row, decide(row, rule))

    def row(self, image: Any) -> wire.Row:
        """One row, as :meth:`AsyncClient.row`."""
        return self._loop.call(self._client.row(image))

    def check(self, domain: str = "auto", method: wire.Method = "both") -> None:
        """See :meth:`AsyncClient.check`."""
        self._loop.call(self._client.check(domain, method))

    @property
    def stats(self) -> Stats:
        """What has been done so far."""
        return self._client.stats

    def close(self) -> None:
        """Hang up; runs under way end with an error."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


async def _started(client: AsyncClient, images: Any, ordered: bool) -> Run:
    return client.start(images, ordered)


def _close(client: AsyncClient, loop: _LoopThread) -> None:
    loop.close(client.close())


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="physgauge-client", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(_end_tasks())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def call(self, work: Coroutine[Any, Any, Result]) -> Result:
        """What the coroutine returns or raises; cancels it if this thread is interrupted meanwhile.

        Raises:
            RequestError: closed.
        """
        with self._lock:
            if self._closed:
                work.close()
                raise closed()
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return _result(future)

    def close(self, last: Coroutine[Any, Any, None]) -> None:
        """Run this, then end."""
        with self._lock:
            self._closed = True
            future = asyncio.run_coroutine_threadsafe(last, self._loop)
        try:
            _result(future)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except CancelledError:
        raise closed() from None
    except BaseException:
        future.cancel()
        raise


async def _end_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
