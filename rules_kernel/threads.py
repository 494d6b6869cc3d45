"""How many threads a kernel call may use, and whose turn it is to use them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from physgauge.rules_kernel.errors import ArrayError

# Numba's default thread pool aborts the process when two Python threads enter it (numba#8563):
# only the holder of this lock goes parallel, others run the same code on their own thread.
_PARALLEL = threading.Lock()
_forked = False


def _after_fork() -> None:
    global _PARALLEL, _forked  # noqa: PLW0603 - the child's own lock and flag
    _PARALLEL = threading.Lock()
    # A thread pool does not survive fork, and GNU OpenMP aborts when used after one.
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def parallel_turn(chunks: int) -> Iterator[int]:
    """Gives the number of chunks that may run at once: `chunks`, or 1 while another thread of the
    process is in a parallel kernel, and in a forked child."""
    lock = _PARALLEL
    if chunks > 1 and not _forked and lock.acquire(blocking=False):
        try:
            yield chunks
        finally:
            lock.release()
    else:
        yield 1


def thread_count(threads: int | None) -> int:
    """`threads` within Numba's pool; None = the whole pool. Raises ArrayError below 1."""
    if threads is not None and threads < 1:
        raise ArrayError("threads", expected="at least 1", got=str(threads))
    from numba.core import config

    # From the configuration: asking Numba itself would start its pool, which serial calls never need.
    pool = int(getattr(config, "NUMBA_NUM_THREADS"))  # noqa: B009 - not in its type stubs
    return pool if threads is None else min(threads, pool)
