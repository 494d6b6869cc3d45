"""The engine `onepass`: sessions of many coroutines in front of one worker (see `judge/engine.py`)."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import numpy as np

from physgauge.ensemble.judge.engine import (
    EngineFault,
    Features,
    Shown,
)
from physgauge.ensemble.judge.engines.onepass.pixels import Picture
from physgauge.ensemble.judge.engines.onepass.prompts import Prompts
from physgauge.ensemble.judge.engines.onepass.running import Runner
from physgauge.ensemble.judge.engines.onepass.session import OnePassSession
from physgauge.ensemble.judge.engines.onepass.time_left import time_left
from physgauge.ensemble.judge.engines.onepass.worker import Worker
from physgauge.types import U8

Value = TypeVar("Value")


class OnePassEngine:
    """A model with its worker, ready.

    Args:
        name: for rows.
        models: model name to hash.
        runner: the model.
        worker: runs it.
        prompts: writes prompts.
        prepare: image to picture, in any thread.
        decode: token ids to text.
        shared: whether an image's prompts share its prefix; without, each is a call of its own with the
            image read again (the mode `paper`).
        max_prompt: most tokens of one prompt and its text.
        max_sessions: open at a time.
        prepare_workers: threads that prepare images.
    """

    def __init__(
        self,
        name: str,
        models: Mapping[str, str],
        runner: Runner,
        worker: Worker,
        prompts: Prompts,
        prepare: Callable[[U8], Picture],
        decode: Callable[[Sequence[int]], str],
        shared: bool,
        max_prompt: int,
        max_sessions: int,
        prepare_workers: int,
    ) -> None:
        self._name, self._models = name, dict(models)
        self.runner, self.worker, self.prompts = runner, worker, prompts
        self.shared, self.max_prompt = shared, max_prompt
        self._prepare, self._decode = prepare, decode
        self._pool = ThreadPoolExecutor(prepare_workers, thread_name_prefix="onepass-prepare")
        self._places = asyncio.Semaphore(max_sessions)
        self._examples: dict[Shown, Picture] = {}
        self._is_closed = False

    @property
    def name(self) -> str:
        """Kind, model, type, strategy and whatever else changes answers."""
        return self._name

    @property
    def models(self) -> Mapping[str, str]:
        """Model name to a hash of its folder."""
        return self._models

    @property
    def features(self) -> Features:
        """Probabilities, but no JSON schemas."""
        return Features(probabilities=True, structured=False)

    def open(
        self, image: U8 | None, preamble: str = "", deadline_s: float | None = None
    ) -> AbstractAsyncContextManager[OnePassSession]:
        """See `judge.engine.Engine.open`."""
        return self.open_behind((), image, preamble, deadline_s)

    def open_behind(
        self,
        shown: Sequence[Shown],
        image: U8 | None,
        preamble: str = "",
        deadline_s: float | None = None,
    ) -> AbstractAsyncContextManager[OnePassSession]:
        """See `judge.engine.Shows.open_behind`."""
        if image is not None and (
            image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3
        ):
            raise ValueError(
                f"image: expected uint8 [H, W, 3], got {image.dtype} {list(image.shape)}"
            )
        return self._opened(image, preamble, deadline_s, shown)

    @contextlib.asynccontextmanager
    async def _opened(
        self, image: U8 | None, preamble: str, deadline: float | None, shown: Sequence[Shown]
    ) -> AsyncIterator[OnePassSession]:
        self.check_alive()
        late = not await _by(deadline, self._places.acquire())
        until = -math.inf if late else deadline
        session = OnePassSession(self, image, preamble, until, shown)
        try:
            yield session
        finally:
            session.leave()
            if not late:
                self._places.release()

    def check_alive(self) -> None:
        """Raises `EngineFault` for an engine that is closed or broken."""
        if self.worker.fault is not None:
            raise self.worker.fault
        if self._is_closed:
            raise EngineFault("the engine is closed")

    def decode(self, ids: Sequence[int]) -> str:
        """Token ids to text."""
        return self._decode(ids)

    async def picture(self, image: U8) -> Picture:
        """Prepare an image in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._prepare, image)

    async def examples(self, shown: Sequence[Shown]) -> list[Picture]:
        """Prepare examples; those that were prepared before are kept."""
        for one in shown:
            if one not in self._examples:
                self._examples[one] = await self.picture(one.image)
        return [self._examples[one] for one in shown]

    async def close(self) -> None:
        """Free everything; later calls raise `EngineFault`."""
        if self._is_closed:
            return
        self._is_closed = True
        await asyncio.to_thread(self.worker.stop)
        self._pool.shutdown(wait=False, cancel_futures=True)


async def _by(deadline: float | None, work: Any) -> bool:
    """Whether it was done by then."""
    try:
        async with asyncio.timeout(time_left(deadline)):
            await work
    except TimeoutError:
        return False
    return True
