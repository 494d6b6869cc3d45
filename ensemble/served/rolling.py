"""Answers requests from a few threads, each taking what waits as soon as it is free.

A batch that Triton makes is a barrier: all its images wait for the last one, and a core that is done
early waits, too. Where cores are shared with the other steps, threads of their own lose less.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Outputs = dict[str, Any]
Reply = Callable[[Outputs | Exception], None]
Work = Callable[[Sequence[Mapping[str, Any]]], Sequence[Outputs]]


class Rolling:
    """Threads that answer; use `start` from anywhere.

    Args:
        work: outputs of requests by their inputs, one each; called by several threads at once.
        threads: how many, at least 1.
        most: requests taken together, at least 1.
    """

    def __init__(self, work: Work, threads: int, most: int) -> None:
        self._work, self._most = work, most
        self._ready = threading.Condition()
        self._waiting: deque[tuple[Mapping[str, Any], Reply]] = deque()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._run, name=f"rolling-{n}", daemon=True)
            for n in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def start(
        self, request_id: str, timeout_s: float, inputs: Mapping[str, Any], reply: Reply
    ) -> None:
        """Begin; `reply` is called once, in another thread, with the outputs or why there are none.

        Raises:
            RuntimeError: it is closed.
        """
        with self._ready:
            if self._closed:
                raise RuntimeError("expected an open step, got a closed one")
            self._waiting.append((inputs, reply))
            self._ready.notify()

    def close(self) -> None:
        """Answer what waits, then end the threads."""
        with self._ready:
            self._closed = True
            self._ready.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while taken := self._take():
            self._answer(taken)

    def _take(self) -> list[tuple[Mapping[str, Any], Reply]]:
        """What waits, at most `most`; nothing once it is closed and empty."""
        with self._ready:
            while not self._waiting and not self._closed:
                self._ready.wait()
            return [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]

    def _answer(self, taken: Sequence[tuple[Mapping[str, Any], Reply]]) -> None:
        try:
            outputs = self._work([inputs for inputs, _ in taken])
        except Exception as error:  # whatever happens, each caller gets an answer
            if len(taken) == 1:
                return taken[0][1](error)
            for one in taken:  # the others must not fail with it
                self._answer([one])
            return None
        for (_, reply), values in zip(taken, outputs, strict=True):
            reply(values)
        return None
