"""A session: one image's prompts, made into work for the worker and back into replies."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from physgauge.ensemble.judge.engine import (
    EngineFault,
    Prompt,
    Question,
    Reply,
    Shown,
    Spent,
    Text,
)
from physgauge.ensemble.judge.engines.onepass.pixels import Picture
from physgauge.ensemble.judge.engines.onepass.prompts import Kind, Prompts, Tail
from physgauge.ensemble.judge.engines.onepass.running import Opened, Runner, Wanted, Written
from physgauge.ensemble.judge.engines.onepass.time_left import time_left
from physgauge.ensemble.judge.engines.onepass.work import Ask, Expired, Write
from physgauge.ensemble.judge.engines.onepass.worker import Worker
from physgauge.log import log
from physgauge.types import F64, U8
from physgauge.wire import Outcome

Value = TypeVar("Value")


class Host(Protocol):
    """What a session needs of its engine."""

    runner: Runner
    worker: Worker
    prompts: Prompts
    shared: bool
    max_prompt: int

    def decode(self, ids: Sequence[int]) -> str:
        """Token ids to text."""
        ...

    def check_alive(self) -> None:
        """Raises `EngineFault` for an engine that is closed or broken."""
        ...

    async def picture(self, image: U8) -> Picture:
        """Prepare an image in a thread."""
        ...

    async def examples(self, shown: Sequence[Shown]) -> list[Picture]:
        """Prepare examples, once."""
        ...


class OnePassSession:
    """One image (or none) and its prompts."""

    def __init__(
        self,
        engine: Host,
        image: U8 | None,
        preamble: str,
        deadline: float | None,
        shown: Sequence[Shown] = (),
    ) -> None:
        self._engine, self._image, self._preamble = engine, image, preamble
        self._shown = () if image is None else tuple(shown)
        self._said = tuple(one.text for one in self._shown)
        self._deadline = deadline
        self._opening: asyncio.Task[Opened] | None = None
        self._running: set[Ask | Write] = set()
        self._spent = Spent()
        self._left = False

    @property
    def spent(self) -> Spent:
        """Up to now."""
        return self._spent

    async def yes_no(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """All in one pass; each as if asked alone."""
        self._engine.check_alive()
        if not questions:
            return []
        tails = [self._tail(q.text, "yes_no") for q in questions]
        odds = await self._guarded(self._ask(tails))
        if isinstance(odds, Reply):
            return [replace(odds, id=q.id) for q in questions]
        return [replace(_reply(float(o)), id=q.id) for q, o in zip(questions, odds, strict=True)]

    async def write(self, prompts: Sequence[Prompt]) -> Sequence[Text]:
        """All together; each as if written alone."""
        self._engine.check_alive()
        if not prompts:
            return []
        some = [(p, self._tail(p.text, "text")) for p in prompts]
        written = await self._guarded(self._write(some))
        if isinstance(written, Reply):
            # `unparseable` is for the readers of texts to say.
            outcome: Outcome = "timeout" if written.outcome == "timeout" else "refused"
            return [Text(outcome, id=p.id) for p in prompts]
        return [replace(self._text(w), id=p.id) for p, w in zip(prompts, written, strict=True)]

    def leave(self) -> None:
        """Stop what is still running and free what is held."""
        self._left = True
        for item in self._running:
            item.cancelled = True
        if self._opening is not None:
            if self._opening.done() and not self._opening.cancelled():
                if self._opening.exception() is None:
                    self._close([self._opening.result()])
            else:
                self._opening.cancel()
            self._opening = None

    def _tail(self, text: str, kind: Kind) -> Tail:
        prompts, image = self._engine.prompts, self._image is not None
        return prompts.tail(self._preamble, image, text, kind, self._said)

    def _fits(self, opened: Opened, tail: Tail, room: int) -> bool:
        """Whether the model can take a prompt and `room` tokens more."""
        return opened.sees(tail) + len(tail.ids) + room <= self._engine.max_prompt

    async def _guarded(self, work: Any) -> Any:
        """What `work` gives; a Reply that says what went wrong with all of it instead."""
        if self._left:
            work.close()
            raise RuntimeError("expected an open session, got one that was left")
        try:
            async with asyncio.timeout(time_left(self._deadline)):
                return await work
        except (TimeoutError, Expired):
            return Reply("timeout")
        except EngineFault:
            raise
        except Exception as error:
            log("judge_no_answer", error=f"{error!r:.300}")
            return Reply("unparseable")

    async def _open(self, tail: Tail) -> Opened:
        """The session's prefix; where prompts don't share it, a new one each time, as long as the tail
        sees it."""
        engine = self._engine
        prefix = engine.prompts.prefix(self._preamble, self._image is not None, self._said)

        async def make() -> Opened:
            picture = None if self._image is None else await engine.picture(self._image)
            return engine.runner.open(prefix, picture, await engine.examples(self._shown))

        if not engine.shared:
            prefix = replace(prefix, ids=prefix.ids[: tail.sees])
            return await make()
        if self._opening is None:
            self._opening = asyncio.create_task(make())
        return await asyncio.shield(self._opening)

    async def _ask(self, tails: Sequence[Tail]) -> F64:
        if self._engine.shared:
            return await self._asked(await self._open(tails[0]), tails)
        odds = []
        alone = [await self._open(tail) for tail in tails]
        try:
            odds = await asyncio.gather(
                *(self._asked(o, [t]) for o, t in zip(alone, tails, strict=True))
            )
        finally:
            self._close(alone)
        return np.concatenate(odds)

    async def _asked(self, opened: Opened, tails: Sequence[Tail]) -> F64:
        """Log-odds; NaN for a question longer than the model can take."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[F64, bool]] = loop.create_future()

        def done(result: F64 | BaseException, fresh: bool) -> None:
            _deliver(loop, future, result if isinstance(result, BaseException) else (result, fresh))

        fits = np.array([self._fits(opened, tail, 0) for tail in tails])
        odds = np.full(len(tails), np.nan)
        some = [tail for tail, fit in zip(tails, fits, strict=True) if fit]
        if some:
            odds[fits], fresh = await self._in_hand(Ask(opened, some, self._deadline, done), future)
            self._count([opened] * len(some), some, 1, fresh)
        return odds

    async def _write(self, some: Sequence[tuple[Prompt, Tail]]) -> Sequence[Written]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Sequence[Written]] = loop.create_future()
        opened = [await self._open(tail) for _, tail in some]
        try:
            fits = [
                (i, Wanted(o, tail, p.max_tokens, p.temperature, p.seed))
                for i, (o, (p, tail)) in enumerate(zip(opened, some, strict=True))
                if self._fits(o, tail, p.max_tokens)
            ]
            texts = [Written(failed=True) for _ in some]
            if not fits:
                return texts
            wanted, fresh = [w for _, w in fits], opened[0].kept is None
            write = Write(wanted, self._deadline, lambda result: _deliver(loop, future, result))
            made = await self._in_hand(write, future)
            for (i, _), written in zip(fits, made, strict=True):
                texts[i] = written
        finally:
            if not self._engine.shared:
                self._close(opened)
        calls = 1 if self._engine.shared else len(wanted)
        self._count([w.opened for w in wanted], [w.tail for w in wanted], calls, fresh)
        more = sum(len(w.ids) for w in texts)
        self._spent = replace(self._spent, tokens=self._spent.tokens + more)
        return texts

    def _close(self, opened: Sequence[Opened]) -> None:
        for one in opened:
            self._engine.worker.close(one)

    async def _in_hand(self, item: Ask | Write, future: asyncio.Future[Value]) -> Value:
        self._running.add(item)
        try:
            self._engine.worker.submit(item)
            return await future
        finally:
            item.cancelled = True  # without effect once it is done
            self._running.discard(item)

    def _count(
        self, opened: Sequence[Opened], tails: Sequence[Tail], calls: int, fresh: bool
    ) -> None:
        """A prefix is computed once for all that share it; the others take it from there."""
        seen = sum(o.sees(t) for o, t in zip(opened, tails, strict=True))
        prefixes = {id(o): len(o.ids) for o in opened}
        new = sum(prefixes.values()) if fresh else 0
        spent = self._spent
        self._spent = Spent(
            spent.calls + calls,
            spent.tokens + new + sum(len(t.ids) for t in tails),
            spent.cached_tokens + max(0, seen - new),
        )

    def _text(self, written: Written) -> Text:
        if written.failed:
            return Text("refused")
        return Text("answered", self._engine.decode(written.ids), written.whole)


def _reply(odds: float) -> Reply:
    """Of log-odds."""
    if not math.isfinite(odds):
        return Reply("unparseable")
    p = 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))
    return Reply("answered", p >= 0.5, p)


def _deliver(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Value], result: Value | BaseException
) -> None:
    def give() -> None:
        if future.done():
            return
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)

    # RuntimeError: the loop has ended, and nobody waits.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(give)
