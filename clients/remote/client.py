"""The asynchronous client: images in, one row each out, whatever happens on the wire (docs/client.md)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from types import TracebackType
from typing import Any, Final, Self

import numpy as np

from physgauge import wire
from physgauge.clients.remote.address import Tls, addresses
from physgauge.clients.remote.connection import Door
from physgauge.clients.remote.delivery import Answered, Delivery, Policy
from physgauge.clients.remote.dispatch import Dispatch, closed
from physgauge.clients.remote.inputs import MAX_TIMEOUT_S, Input, as_input
from physgauge.clients.remote.run import Run
from physgauge.clients.remote.source import check
from physgauge.clients.remote.stats import Counters, Stats
from physgauge.config import DecodeLimits
from physgauge.errors import ConfigError, InputError, RequestError
from physgauge.gate.rule import Gated, Rule, decide
from physgauge.wire import Method

CHECK_S: Final = 20.0
"""How long `check` waits, at the most."""
LEAST_ATTEMPT_S: Final = 20.0
"""For one call, if nothing is said: a busy server may take seconds."""
READERS: Final = 4
"""Threads that read files and encode arrays."""
MAX_WINDOW: Final = 4096
MAX_RETRIES: Final = 1000


class AsyncClient:
    """A client of one or more servers, within one event loop; use as an async context manager.

    Args:
        servers: ``host:port`` of each, in a list or with commas between them. All run the same
            deployment: an input goes to whichever has room.
        token: the servers' access token.
        tls: TLS, with or without a certificate of one's own; None = none.
        max_window: calls at a time, to each server and in all (1 to 4,096). How many there are adapts.
        timeout_s: for each input, from its turn to its row, retries included (0.001 to 3,600 s).
        attempt_s: for one call of an input; then another is made. None = a third of `timeout_s`, but no
            less than 20 s.
        retries: how often an input is sent again after it was lost or failed in a server's hands (0 to
            1,000). Servers that are full or away do not count: then it is sent again until its time is
            over. 0 = an input is never sent again, whatever happened.
        max_bytes: files larger than this are not read.
        linger_s: how much longer than its time a call is waited for (0 to 3,600 s). The server says
            itself when the time is over, and then has the image no more; one that is hung up on cannot
            tell for a while. For callers who keep to a share of the server.

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
        linger_s: float = 0.0,
    ) -> None:
        self._addresses = addresses(servers)
        _check("max_window", max_window, 1, MAX_WINDOW)
        _check("timeout_s", timeout_s, 0.001, MAX_TIMEOUT_S)
        _check("retries", retries, 0, MAX_RETRIES)
        attempt_s = max(LEAST_ATTEMPT_S, timeout_s / 3) if attempt_s is None else attempt_s
        _check("attempt_s", attempt_s, 0.0001, MAX_TIMEOUT_S)
        _check("linger_s", linger_s, 0.0, MAX_TIMEOUT_S)
        limits = DecodeLimits()
        most = max(limits.max_encoded_bytes, limits.max_npy_bytes)
        self._policy = Policy(
            timeout_s, attempt_s, retries, most if max_bytes is None else max_bytes, linger_s
        )
        self._max_window = max_window
        self._door = Door.of(token, tls)
        self._counters = Counters()
        self._open: _Open | None = None
        self._closed = False

    async def row(self, image: Any) -> wire.Row:
        """The row of one input (see `score`). A row of an image that cannot be scored is an error row.

        Raises:
            RequestError: no server answered with a row, or the request breaks the contract.
        """
        return (await self.answer(image)).row

    async def answer(self, image: Any) -> Answered:
        """The row of one input (see `row`), and its JSON as the server sent it.

        Raises:
            RequestError: as `row` does.
        """
        delivery = self._opened().delivery
        given = as_input(image, 0)
        try:
            return await delivery.answer(given)
        except RequestError:
            raise
        except InputError as error:
            row = await delivery.error_row(given, error)
            return Answered(row, wire.to_json(row))

    async def score(
        self, images: AsyncIterable[Any] | Iterable[Any], *, ordered: bool = False
    ) -> AsyncGenerator[wire.Row]:
        """One row an input, an error row if it finally fails.

        Args:
            images: encoded bytes, paths, NumPy arrays uint8 [H, W, 3], PIL images,
                ``(id, image[, caption[, options]])`` with `options` a dictionary of the fields of
                :class:`physgauge.contract.Options`, or :class:`Input` records; from any iterable or async
                iterable, which is read only as far ahead as there is room.
            ordered: rows in the order of the inputs; otherwise as they come.

        Raises:
            TypeError: `images` is one image.
            RequestError: the client was closed meanwhile.
            Exception: whatever the inputs raised, after the rows of those that came before.
        """
        run = self.start(images, ordered)
        try:
            while (row := await run.next()) is not None:
                yield row
        finally:
            await self.stop(run)

    async def gate(
        self, images: AsyncIterable[Any] | Iterable[Any], rule: Rule, *, ordered: bool = False
    ) -> AsyncGenerator[Gated]:
        """Rows as from `score`, each with the decision of a rule: a filter for generators, which make the
        images that are rejected again (:func:`physgauge.clients.regenerate_async` does that in rounds).
        """
        async with aclosing(self.score(images, ordered=ordered)) as rows:
            async for row in rows:
                yield Gated(row, decide(row, rule))

    async def check(self, domain: str = "auto", method: Method = "both") -> None:
        """Have a small image scored: that there is a server, that it is the right one to talk to, that it
        takes the token, knows the domain, and has what the method needs.

        Raises:
            RequestError: what is wrong.
        """
        probe = np.full((64, 64, 3), 128, np.uint8)
        within_s = min(CHECK_S, self._policy.timeout_s)
        await self.row(Input(probe, "check", domain=domain, timeout_s=within_s, method=method))

    def start(self, images: AsyncIterable[Any] | Iterable[Any], ordered: bool) -> Run:
        """A run of `score`, to go through by hand; it must be stopped."""
        opened = self._opened()
        run = Run(check(images), ordered, self._max_window, opened.dispatch, opened.delivery)
        opened.runs.add(run)
        return run

    async def stop(self, run: Run) -> None:
        """End a run."""
        if self._open is not None:
            self._open.runs.discard(run)
        await run.stop()

    @property
    def stats(self) -> Stats:
        """What has been done so far."""
        opened = self._open
        return self._counters.stats([] if opened is None else opened.dispatch.stats())

    async def close(self) -> None:
        """Hang up. Runs and rows under way end with an error; no task, call or thread is left."""
        opened, self._open, self._closed = self._open, None, True
        if opened is not None:
            await opened.close()

    def _opened(self) -> _Open:
        if self._closed:
            raise closed()
        if self._open is None:
            dispatch = Dispatch(self._addresses, self._door, self._max_window)
            self._open = _Open(dispatch, self._policy, self._counters)
        if self._open.loop is not asyncio.get_running_loop():
            raise RuntimeError(
                "expected one event loop for a client's whole life, got a second one"
            )
        return self._open

    async def __aenter__(self) -> Self:
        self._opened()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class _Open:
    """What a client has while it is open."""

    def __init__(self, dispatch: Dispatch, policy: Policy, counters: Counters) -> None:
        self.loop = asyncio.get_running_loop()
        self.dispatch = dispatch
        self.runs: set[Run] = set()
        self._readers = ThreadPoolExecutor(READERS, "physgauge-read")
        self.delivery = Delivery(dispatch, policy, self._readers, counters)

    async def close(self) -> None:
        for run in list(self.runs):
            await run.stop()
        await self.dispatch.close()
        self._readers.shutdown(wait=False, cancel_futures=True)


def _check(name: str, value: Any, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ConfigError(f"{name}: expected {least:g} to {most:,g}, got {value!r:.80}")
