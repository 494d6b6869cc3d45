"""The driver's side of a Ray run: sees a dataset of turns through, and brings tasks to the desk.

No Ray in here: `ray.py` says how the desk is reached, and what a dataset is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from physgauge.bulk.engines.desk import Crash, Exchange, Refused, pack_task, unpack
from physgauge.bulk.work import Drain, GivenUp, Task, Work
from physgauge.errors import ConfigError, EnvironmentProblem

POLL_S: Final = 0.1
START_S: Final = 900.0
"""How long the first actor may take to be there."""


def drive(
    work: Work,
    exchange: Callable[[list[bytes], bool, Drain], Exchange],
    exhaust: Callable[[], None],
) -> None:
    """Until all turns are over, or the user wants to end.

    Args:
        work: the coordinator; spoken to from this thread only.
        exchange: the desk's.
        exhaust: goes through the turns; called in another thread.

    Raises:
        ConfigError: an actor cannot work; so for EnvironmentProblem, also where Ray can't go on.
    """
    _Driver(work, exchange).go(exhaust)


class _Driver:
    def __init__(
        self, work: Work, exchange: Callable[[list[bytes], bool, Drain], Exchange]
    ) -> None:
        self._work, self._bring = work, exchange
        self._over = False
        self._failed: BaseException | None = None
        self._began_s = time.monotonic()

    def go(self, exhaust: Callable[[], None]) -> None:
        consumer = threading.Thread(target=self._exhaust, args=(exhaust,), daemon=True)
        consumer.start()
        tasks: list[Task] = []
        while consumer.is_alive():
            last = self._exchange(tasks)
            tasks = self._new(last)
            if self._work.drain == "stop" or (self._work.drain != "no" and not last.out):
                break
            if not last.turns and time.monotonic() - self._began_s > START_S:
                raise EnvironmentProblem(
                    f"--engine ray: expected a first actor within {START_S:.0f} s, got none: the "
                    "cluster has no room for it (`ray status` says what it waits for)"
                )
            self._work.ahead()
            if not tasks and not last.said:
                time.sleep(POLL_S)
        for task in tasks:  # for which there was no turn any more
            self._work.tell(GivenUp(unit=task.unit.number))
        self._exchange([])
        if self._failed is not None:
            raise EnvironmentProblem(f"--engine ray: {in_words(self._failed)}") from self._failed

    def _exhaust(self, exhaust: Callable[[], None]) -> None:
        try:
            exhaust()
        except BaseException as error:  # told by the thread that waits
            self._failed = error

    def _new(self, last: Exchange) -> list[Task]:
        """Tasks for the turns that wait."""
        found: list[Task] = []
        while len(found) < last.waiting and (task := self._work.take()) is not None:
            found.append(task)
        self._over = not found and last.waiting > 0 and not last.out and self._work.over()
        return found

    def _exchange(self, tasks: list[Task]) -> Exchange:
        last = self._bring([pack_task(task) for task in tasks], self._over, self._work.drain)
        for said in last.said:
            for word in unpack(said):
                match word:
                    case Crash():
                        self._work.crashed(word.tasks, word.in_hand, word.how, worker=word.worker)
                    case Refused():
                        kind = ConfigError if word.kind == "config" else EnvironmentProblem
                        raise kind(word.message)
                    case _:
                        self._work.tell(word)
        return last


def in_words(error: BaseException) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:500]
