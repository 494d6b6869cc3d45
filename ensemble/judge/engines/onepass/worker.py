"""The thread that runs the model: it takes what is waiting, whoever's it is, and runs it as one pass.

Waiting questions behind a prefix that is already computed (an image's second call) go first, so an
image never waits for another longer than one pass. Texts are written a token at a time between the
passes.

What fails: a pass that fails is taken apart, and only the item that fails alone has failed; memory that
runs out halves the pass. When an item has failed alone, a check question is asked: no answer to that,
and the engine is broken: everybody gets `EngineFault`, now and later.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from physgauge.ensemble.judge.engine import EngineFault
from physgauge.ensemble.judge.engines.onepass.prompts import Tail
from physgauge.ensemble.judge.engines.onepass.running import (
    Opened,
    Runner,
    Wanted,
    Writing,
    Written,
)
from physgauge.log import log
from physgauge.types import F64

_T = TypeVar("_T")
MAX_WRITING: Final = 64
"""Texts that are written at a time."""


class Expired(Exception):
    """Nobody wants it any more: its time is over."""


class Failed(Exception):
    """This item alone makes the model fail."""


Answered = Callable[[F64 | BaseException, bool], None]
"""Called from the worker's thread: log-odds or what went wrong, and whether the prefix was computed."""
Wrote = Callable[[Sequence[Written] | BaseException], None]


@dataclass(slots=True, eq=False)
class Ask:
    """Questions about one image."""

    opened: Opened
    tails: Sequence[Tail]
    deadline: float | None
    done: Answered
    cancelled: bool = False

    @property
    def tokens(self) -> int:
        """That a pass would compute."""
        new = len(self.opened.ids) if self.opened.kept is None else 0
        return new + sum(len(t.ids) for t in self.tails)


@dataclass(slots=True, eq=False)
class Write:
    """Texts about one image."""

    wanted: Sequence[Wanted]
    deadline: float | None
    done: Wrote
    cancelled: bool = False


@dataclass(slots=True, eq=False)
class _Group:
    writing: Writing
    owners: list[tuple[Write, int, int]]
    """Whose, start, stop among the texts."""


class Worker:
    """Owns the runner from `start` to `stop`.

    Args:
        runner: the model.
        check: asks it a question that always has an answer; raises where it has none.
        max_images: new prefixes a pass.
        max_tokens: tokens a pass.
        cache_bytes: for kept prefixes.
    """

    def __init__(
        self,
        runner: Runner,
        check: Callable[[], None],
        max_images: int,
        max_tokens: int,
        cache_bytes: int,
    ) -> None:
        self._runner, self._check = runner, check
        self._max_images, self._max_tokens = max_images, max_tokens
        self._cache_bytes = cache_bytes
        self._asks: deque[Ask] = deque()
        self._writes: deque[Write] = deque()
        self._groups: list[_Group] = []
        self._kept: OrderedDict[int, Opened] = OrderedDict()
        self._closed: deque[Opened] = deque()
        self._wake = threading.Condition()
        self._fault: EngineFault | None = None
        self._stop = False
        self.passes = 0
        self._thread = threading.Thread(target=self._run, name="onepass", daemon=True)
        self._thread.start()

    def submit(self, item: Ask | Write) -> None:
        """Queue something.

        Raises:
            EngineFault: the engine is broken or closed.
        """
        with self._wake:
            if self._fault is not None:
                raise self._fault
            if isinstance(item, Ask):
                self._asks.append(item)
            else:
                self._writes.append(item)
            self._wake.notify()

    @property
    def fault(self) -> EngineFault | None:
        """Why it can't go on."""
        return self._fault

    @property
    def kept_bytes(self) -> int:
        """Memory of the kept prefixes."""
        return sum(o.bytes for o in list(self._kept.values()))

    def close(self, opened: Opened) -> None:
        """A session is over: its prefix can go."""
        with self._wake:
            self._closed.append(opened)
            self._wake.notify()

    def stop(self) -> None:
        """End the thread; what is waiting gets `EngineFault`."""
        with self._wake:
            self._stop = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            self._runner.thread_starts()
            while self._wait():
                self._drop_closed()
                batch = self._take()
                if batch:
                    self._answer(batch)
                self._start_writing()
                self._evict()
                for group in list(self._groups):
                    self._step(group)
        except BaseException as caught:
            log("judge_engine_died", error=f"{caught!r:.300}")
            error = caught
        why = "the engine is closed" if error is None else f"the engine died: {error!r:.200}"
        self._end(EngineFault(why))

    def _wait(self) -> bool:
        with self._wake:
            while not (self._stop or self._asks or self._writes or self._groups or self._closed):
                self._wake.wait()
            return not self._stop

    def _end(self, fault: EngineFault) -> None:
        with self._wake:
            self._fault = self._fault or fault
            asks, writes = list(self._asks), list(self._writes)
            self._asks.clear()
            self._writes.clear()
        for ask in asks:
            ask.done(self._fault, False)
        for write in [*writes, *(w for g in self._groups for w, _, _ in g.owners)]:
            write.done(self._fault)
        self._groups.clear()
        self._kept.clear()

    def _take(self) -> list[Ask]:
        """What runs next: prefixes that are kept first, then in order, up to the limits."""
        with self._wake:
            waiting = [ask for ask in self._asks if not ask.cancelled]
            self._asks.clear()
        now, live = time.monotonic(), list[Ask]()
        for ask in waiting:
            if ask.deadline is not None and ask.deadline <= now:
                ask.done(Expired(), False)
            else:
                live.append(ask)
        live.sort(key=lambda ask: ask.opened.kept is None)  # stable
        batch, images, tokens = list[Ask](), 0, 0
        for ask in live:
            images += ask.opened.kept is None
            tokens += ask.tokens
            if batch and (images > self._max_images or tokens > self._max_tokens):
                break
            batch.append(ask)
        with self._wake:
            self._asks.extendleft(reversed(live[len(batch) :]))
        return batch

    def _answer(self, batch: Sequence[Ask]) -> None:
        """One pass; taken apart where it fails."""
        fresh = [ask.opened.kept is None for ask in batch]
        try:
            self.passes += 1
            odds = self._runner.answer([(ask.opened, ask.tails) for ask in batch])
        except Exception as error:
            memory = self._runner.out_of_memory(error)
            if len(batch) > 1:
                for part in _halves(batch) if memory else ([ask] for ask in batch):
                    self._answer(part)
            else:
                self._failed(batch[0], error, memory)
            return
        self._keep([ask.opened for ask in batch])
        for ask, new, some in zip(batch, fresh, odds, strict=True):
            ask.done(some, new)

    def _failed(self, ask: Ask, error: Exception, memory: bool) -> None:
        if memory and len(ask.tails) > 1:
            self._in_parts(ask)
            return
        log("judge_pass_failed", error=f"{error!r:.300}")
        ask.done(Failed(), False)
        self._still_works()

    def _in_parts(self, ask: Ask) -> None:
        """Too many questions for the memory: in halves, the prefix kept between them."""
        parts: list[F64] = []
        said: list[BaseException] = []
        fresh: list[bool] = []

        def collect(result: F64 | BaseException, new: bool) -> None:
            fresh.append(new)
            if isinstance(result, BaseException):
                said.append(result)
            else:
                parts.append(result)

        for tails in _halves(ask.tails):
            self._answer([Ask(ask.opened, tails, ask.deadline, collect)])
        ask.done(said[0] if said else np.concatenate(parts), any(fresh))

    def _still_works(self) -> None:
        try:
            self._check()
        except Exception as error:
            fault = EngineFault(
                f"the engine is broken: it no longer answers its check ({error!r:.200})"
            )
            with self._wake:
                self._fault = fault
            raise fault from error

    def _start_writing(self) -> None:
        room = MAX_WRITING - sum(len(g.writing.written) for g in self._groups)
        taken = list[Write]()
        with self._wake:
            while self._writes and (not taken or len(self._writes[0].wanted) <= room):
                if room <= 0 and self._groups:
                    break
                write = self._writes.popleft()
                if not write.cancelled:
                    taken.append(write)
                    room -= len(write.wanted)
        now = time.monotonic()
        for write in [w for w in taken if w.deadline is not None and w.deadline <= now]:
            taken.remove(write)
            write.done(Expired())
        self._begin(taken)

    def _begin(self, taken: Sequence[Write]) -> None:
        if not taken:
            return
        try:
            self.passes += 1
            writing = self._runner.write([wanted for write in taken for wanted in write.wanted])
        except Exception as error:
            if len(taken) > 1:
                for write in taken:
                    self._begin([write])
                return
            log("judge_text_failed", error=f"{error!r:.300}")
            taken[0].done(Failed())
            self._still_works()
            return
        self._keep([wanted.opened for write in taken for wanted in write.wanted])
        owners, start = [], 0
        for write in taken:
            owners.append((write, start, start + len(write.wanted)))
            start += len(write.wanted)
        self._groups.append(_Group(writing, owners))

    def _step(self, group: _Group) -> None:
        """One more token for a group; what is done, cancelled or late leaves it."""
        try:
            group.writing.step()
        except Exception as error:
            self._groups.remove(group)
            self._again(group, error)
            return
        now, going = time.monotonic(), list[tuple[Write, int, int]]()
        for write, start, stop in group.owners:
            written = group.writing.written[start:stop]
            late = write.deadline is not None and write.deadline <= now
            if all(w.done for w in written):
                write.done(written)
            elif write.cancelled or late:
                for index in range(start, stop):
                    group.writing.stop(index)
                write.done(Expired())
            else:
                going.append((write, start, stop))
        group.owners = going
        if not going:
            self._groups.remove(group)

    def _again(self, group: _Group, error: Exception) -> None:
        """Texts whose step failed: each image's by itself, from the start."""
        if len(group.owners) > 1:
            for write, _, _ in group.owners:
                self._begin([write])
            return
        log("judge_text_failed", error=f"{error!r:.300}")
        for write, _, _ in group.owners:
            write.done(Failed())
        self._still_works()

    def _keep(self, used: Sequence[Opened]) -> None:
        for opened in used:
            self._kept[id(opened)] = opened
            self._kept.move_to_end(id(opened))

    def _drop_closed(self) -> None:
        while self._closed:
            self._kept.pop(id(self._closed.popleft()), None)

    def _evict(self) -> None:
        """The longest unused prefixes beyond the memory go; they are computed again when needed."""
        total = self.kept_bytes
        while total > self._cache_bytes and self._kept:
            _, opened = self._kept.popitem(last=False)
            total -= opened.bytes
            opened.kept, opened.bytes = None, 0


def _halves(some: Sequence[_T]) -> Iterator[Sequence[_T]]:
    middle = (len(some) + 1) // 2
    yield some[:middle]
    yield some[middle:]
