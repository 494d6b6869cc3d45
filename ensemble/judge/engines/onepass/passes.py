"""One forward pass over several images' questions; taken apart where it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from physgauge.ensemble.judge.engines.onepass.running import Opened, Runner
from physgauge.ensemble.judge.engines.onepass.work import Ask, Failed, halves
from physgauge.log import log
from physgauge.types import F64


class Passes:
    """Runs batches of questions.

    Args:
        runner: the model.
        used: told of prefixes that a pass has used.
        failed: called after an image that fails alone; raises where the whole engine is broken.
    """

    def __init__(
        self,
        runner: Runner,
        used: Callable[[Sequence[Opened]], None],
        failed: Callable[[], None],
    ) -> None:
        self.runner, self._used, self._failed = runner, used, failed
        self.count = 0
        """Passes so far."""

    def run(self, batch: Sequence[Ask]) -> None:
        """Answer all of a batch."""
        fresh = [ask.opened.kept is None for ask in batch]
        try:
            self.count += 1
            odds = self.runner.answer([(ask.opened, ask.tails) for ask in batch])
        except Exception as error:
            self._apart(batch, error, self.runner.out_of_memory(error))
            return
        self._used([ask.opened for ask in batch])
        for ask, new, some in zip(batch, fresh, odds, strict=True):
            ask.done(some, new)

    def _apart(self, batch: Sequence[Ask], error: Exception, memory: bool) -> None:
        if len(batch) > 1:
            for part in halves(batch) if memory else ([ask] for ask in batch):
                self.run(part)
        elif memory and len(batch[0].tails) > 1:
            self._in_parts(batch[0])
        else:
            log("judge_pass_failed", error=f"{error!r:.300}")
            batch[0].fail(Failed())
            self._failed()

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

        for tails in halves(ask.tails):
            self.run([Ask(ask.opened, tails, ask.deadline, collect)])
        ask.done(said[0] if said else np.concatenate(parts), any(fresh))
