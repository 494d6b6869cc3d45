"""Commits beside the work: writing a unit's rows takes a moment, in which the stages should not wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from physgauge.bulk.tray import Tray
from physgauge.bulk.watch.events import UnitDone
from physgauge.clients.runs import Run
from physgauge.errors import EnvironmentProblem

_MOST: Final = 2
"""Units that wait for their commit: rows in memory."""


class Commits:
    """Of one worker: one after the other, in a thread."""

    def __init__(self, run: Run, worker: str) -> None:
        self._run, self._worker = run, worker
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="commit")
        self._pending: deque[tuple[Tray, Future[UnitDone | None]]] = deque()
        self._ready: deque[tuple[Tray, UnitDone | None]] = deque()

    def add(self, tray: Tray) -> None:
        """Commit a whole unit; waits while too many do."""
        while len(self._pending) >= _MOST:
            self._finish()
        self._pending.append((tray, self._thread.submit(self._commit, tray)))

    def _commit(self, tray: Tray) -> UnitDone | None:
        rows, generation = tray.finished(), tray.task.generation
        try:
            done = self._run.commit(tray.number, generation, rows)
        except EnvironmentProblem:
            # This session may have stood still, and another one cleared its attempt away. A disk that is
            # full says so again.
            done = self._run.commit(tray.number, generation, rows)
        return tray.report(self._worker) if done else None

    def _finish(self) -> None:
        tray, future = self._pending.popleft()
        self._ready.append((tray, future.result()))

    def done(self, *, wait: bool = False) -> Iterator[tuple[Tray, UnitDone | None]]:
        """Units that have been committed, each once; None: somebody else had, and these rows are gone.

        Raises:
            EnvironmentProblem: rows that cannot be written.
        """
        while self._pending and (wait or self._pending[0][1].done()):
            self._finish()
        while self._ready:
            yield self._ready.popleft()

    def close(self) -> None:
        """End the thread, after the commit in hand."""
        self._thread.shutdown(wait=True, cancel_futures=True)
