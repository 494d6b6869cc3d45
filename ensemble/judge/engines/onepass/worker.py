"""The thread that runs the model: it takes what is waiting, whoever's it is, and runs it as one pass.

Waiting questions behind a prefix that is already computed (an image's second call) go first, so an image
never waits for another longer than one pass. Texts are written a token at a time between the passes.

What fails: a pass that fails is taken apart, and only the item that fails alone has failed; memory that
runs out halves the pass. When an item has failed alone, a check question is asked: no answer to that, and
the engine is broken: everybody gets `EngineFault`, now and later.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence

from physgauge.ensemble.judge.engine import EngineFault
from physgauge.ensemble.judge.engines.onepass.passes import Passes
from physgauge.ensemble.judge.engines.onepass.running import Opened, Runner
from physgauge.ensemble.judge.engines.onepass.texts import Texts
from physgauge.ensemble.judge.engines.onepass.work import Ask, Expired, Write, late
from physgauge.log import log


class Worker:
    """Owns the runner until `stop`.

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
        self._runner, self.check = runner, check
        self._max_images, self._max_tokens = max_images, max_tokens
        self._cache_bytes = cache_bytes
        self.passes = Passes(runner, self._used, self._still_works)
        self._texts = Texts(runner, self._used, self._still_works)
        self._asks: deque[Ask] = deque()
        self._writes: deque[Write] = deque()
        self._hand: list[Ask | Write] = []
        """Taken from the queues, and not answered for certain."""
        self._kept: OrderedDict[int, Opened] = OrderedDict()
        self._closed: deque[Opened] = deque()
        self._wake = threading.Condition()
        self._fault: EngineFault | None = None
        self._stop = False
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
        why = "the engine is closed"
        try:
            self._runner.thread_starts()
            while self._wait():
                self._drop_closed()
                self._turn()
                self._evict()
        except BaseException as error:
            log("judge_engine_died", error=f"{error!r:.300}")
            why = f"the engine died: {error!r:.200}"
        self._end(EngineFault(why))

    def _turn(self) -> None:
        """A pass over questions, a pass over prompts of texts, a token of every text."""
        self._hand += self._texts.owners
        batch = self._take()
        self._hand += batch
        if batch:
            self.passes.run(batch)
        taken = self._take_writes()
        self._hand += taken
        self._texts.begin(taken)
        self._texts.step()
        self._hand.clear()

    def _wait(self) -> bool:
        with self._wake:
            while not (self._stop or self._asks or self._writes or self._texts or self._closed):
                self._wake.wait()
            return not self._stop

    def _end(self, fault: EngineFault) -> None:
        with self._wake:
            self._fault = self._fault or fault
            waiting = [*self._hand, *self._texts.owners, *self._asks, *self._writes]
            self._asks.clear()
            self._writes.clear()
        for item in waiting:
            item.fail(self._fault)
        self._kept.clear()

    def _take(self) -> list[Ask]:
        """What runs next: prefixes that are kept first, then in order, up to the limits."""
        with self._wake:
            waiting = [ask for ask in self._asks if not ask.cancelled]
            self._asks.clear()
        now, live = time.monotonic(), list[Ask]()
        for ask in waiting:
            if late(ask, now):
                ask.fail(Expired())
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

    def _take_writes(self) -> list[Write]:
        """Texts to begin: as many as there is room for, one image's at least where none is written."""
        room, taken, now = self._texts.room, list[Write](), time.monotonic()
        with self._wake:
            while self._writes:
                write = self._writes[0]
                if len(write.wanted) > room and (taken or self._texts):
                    break
                self._writes.popleft()
                if write.cancelled or late(write, now):
                    write.fail(Expired())
                    continue
                taken.append(write)
                room -= len(write.wanted)
        return taken

    def _still_works(self) -> None:
        """Called after an item has failed alone; raises where everything would."""
        try:
            self.check()
        except Exception as error:
            fault = EngineFault(
                f"the engine is broken: it no longer answers its check ({error!r:.200})"
            )
            with self._wake:
                self._fault = fault
            raise fault from error

    def _used(self, some: Sequence[Opened]) -> None:
        for opened in some:
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
