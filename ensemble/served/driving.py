"""Takes steps that wait for futures (`physgauge.ensemble.beside.Steps`) without waiting in any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from physgauge.ensemble.beside import Steps

Result = TypeVar("Result")


def drive(steps: Steps[Result], done: Callable[[Result | Exception], None]) -> None:
    """Take steps as far as they go, and on when what they wait for is done, in the thread that did it.

    Args:
        steps: what is to be done.
        done: called once, with what came of it, or the exception that ended it.
    """

    def go_on(results: list[Any] | None) -> None:
        try:
            futures = steps.send(results) if results is not None else next(steps)
        except StopIteration as end:
            return done(end.value)
        except Exception as error:
            return done(error)
        return _after(futures, go_on, fail)

    def fail(error: Exception) -> None:
        try:
            futures = steps.throw(error)
        except StopIteration as end:
            return done(end.value)
        except Exception as raised:
            return done(raised)
        return _after(futures, go_on, fail)

    go_on(None)


def _after(
    futures: Sequence[Future[Any]],
    go_on: Callable[[list[Any]], None],
    fail: Callable[[Exception], None],
) -> None:
    """Once all are done: their results, or the first one's failure."""
    left, lock = len(futures), threading.Lock()

    def end() -> None:
        try:
            results = [one.result() for one in futures]
        except Exception as error:  # a cancelled one's too
            return fail(error)
        return go_on(results)

    def one_less(_: Future[Any]) -> None:
        nonlocal left
        with lock:
            left -= 1
            last = left == 0
        if last:
            end()

    if not futures:
        return end()
    for one in futures:
        one.add_done_callback(one_less)
    return None
