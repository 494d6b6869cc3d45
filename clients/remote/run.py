"""One run over many inputs: reads them only as far ahead as there is room, and hands rows out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable
from contextlib import aclosing
from typing import Any, Final

from physgauge import wire
from physgauge.clients.remote.delivery import Delivery
from physgauge.clients.remote.dispatch import Dispatch, closed
from physgauge.clients.remote.inputs import as_input
from physgauge.clients.remote.source import each

AHEAD: Final = 4
"""Inputs read beyond what the servers take, so that the next one is there when a place is free."""


class Run:
    """Rows of some inputs: `next` until it says None, then `stop` (in any case).

    Args:
        images: the inputs.
        ordered: rows in the order of the inputs; otherwise as they come.
        most: inputs in hand and rows not yet taken, together.
        dispatch: says how much there is room for.
        delivery: gets the rows.
    """

    def __init__(
        self,
        images: AsyncIterable[Any] | Iterable[Any],
        ordered: bool,
        most: int,
        dispatch: Dispatch,
        delivery: Delivery,
    ) -> None:
        self._images = images
        self._ordered = ordered
        self._most = most
        self._dispatch = dispatch
        self._delivery = delivery
        self._rows: asyncio.Queue[asyncio.Task[wire.Row] | None] = asyncio.Queue()
        self._working: set[asyncio.Task[wire.Row]] = set()
        self._untaken = 0
        self._fed = False
        self._stopped = False
        self._room = asyncio.Event()
        self._unwatch = dispatch.watch(self._room.set)
        self._feeder = asyncio.get_running_loop().create_task(self._feed())

    async def next(self) -> wire.Row | None:
        """The next row; None = there are no more.

        Raises:
            RequestError: the client was closed.
            Exception: whatever the inputs raised, after the rows of those that came before.
        """
        task = await self._rows.get()
        if self._stopped:
            raise closed()
        if task is None:
            self._rows.put_nowait(None)
            await self._feeder
            return None
        row = await task
        self._untaken -= 1
        self._room.set()
        return row

    async def stop(self) -> None:
        """End what is still going on; who waits for a row is told."""
        self._stopped = True
        self._unwatch()
        tasks = [self._feeder, *self._working]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._rows.put_nowait(None)

    async def _feed(self) -> None:
        try:
            async with aclosing(each(self._images)) as inputs:
                number = 0
                await self._until_room()
                async for thing in inputs:
                    self._start(thing, number)
                    number += 1
                    await self._until_room()
        finally:
            self._fed = True
            if self._ordered or not self._working:
                self._rows.put_nowait(None)

    async def _until_room(self) -> None:
        await self._delivery.budget.room()
        while self._untaken >= self._most or len(self._working) >= self._dispatch.capacity + AHEAD:
            self._room.clear()
            await self._room.wait()

    def _start(self, thing: Any, number: int) -> None:
        work = self._delivery.row_or_error(as_input(thing, number))
        task = asyncio.get_running_loop().create_task(work)
        self._working.add(task)
        self._untaken += 1
        if self._ordered:
            self._rows.put_nowait(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[wire.Row]) -> None:
        self._working.discard(task)
        self._room.set()
        if not self._ordered:
            self._rows.put_nowait(task)
            if self._fed and not self._working:
                self._rows.put_nowait(None)
