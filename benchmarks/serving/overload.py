"""More than the server can do: twice its capacity for a while, and five times in a burst.

Overload: goodput (rows a second once its places are taken) against capacity, the time to a refusal, and
the memory of the server's processes. Burst: how long after it calls are answered as they were before.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from benchmarks.serving import load
from benchmarks.serving.open_loop import capacity
from benchmarks.serving.server import Server

FACTOR: Final = 2.0
SETTLED: Final = 0.25
"""Of an overload: what it takes until the places are full and the shared memory has grown to them."""
BURST: Final = 5.0
BURST_S: Final = 2.0
NORMAL: Final = 0.5
"""The load before and after a burst, of capacity."""
BEFORE_S: Final = 8.0
AFTER_S: Final = 14.0


class Memory:
    """Looks at a server's memory every two seconds while it is entered."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.seen: list[tuple[float, float]] = []
        """Moment (`time.perf_counter`), MiB."""

    def _look(self) -> None:
        while not self._stop.wait(2.0):
            self.seen.append((time.perf_counter(), self._server.pss_mib()))

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def measure(
    server: Server, requests: Iterator[bytes], window: int, seconds: float
) -> dict[str, Any]:
    """Capacity, overload, capacity again (the machine may have changed meanwhile), burst.

    Returns:
        the keys of RESULT["overload"].
    """
    before = capacity(server, requests, window, 8.0)
    schedule = load.poisson(FACTOR * before, seconds)
    with Memory(server) as memory:
        seen = load.opened(server.address, requests, schedule)
    after = capacity(server, requests, window, 8.0)
    result = overload_of(seen, memory.seen, seconds, (before + after) / 2)
    result = {
        "capacity": [round(before, 2), round(after, 2)],
        **result,
        **burst(server, requests, after),
    }
    for key, value in result.items():
        print(f"  {key}: {value}")
    return result


def overload_of(
    seen: load.Load, memory: Sequence[tuple[float, float]], seconds: float, full: float
) -> dict[str, Any]:
    """What an overload of so many seconds shows, once it has settled.

    Args:
        seen: the calls.
        memory: moments and MiB.
        seconds: of arrivals.
        full: capacity, images/s.
    """
    settled_s = SETTLED * seconds
    refused = [call for call in seen.refused if call.code == "overloaded"]
    p50, p99 = load.percentiles(seen.answered, 50, 99)
    r50, r99 = load.percentiles(refused, 50, 99)
    goodput = seen.rate(settled_s, seconds)
    steady = [mib for at, mib in memory if settled_s <= at - seen.began_s < seconds]
    third = max(1, len(steady) // 3)
    first, last = statistics.median(steady[:third]), statistics.median(steady[-third:])
    return {
        "arrivals_per_s": round(len(seen.calls) / seconds, 2),
        "goodput": round(goodput, 2),
        "goodput_ratio": round(goodput / full, 3),
        "p50_ms": p50,
        "p99_ms": p99,
        "rejects": len(refused),
        "reject_p50_ms": r50,
        "reject_p99_ms": r99,
        "other_failures": sum(call.code != "overloaded" for call in seen.refused),
        "memory_mib": round(first, 1),
        "memory_growth_mib": round(last - first, 1),
        "generator_late_ms": round(max(1000 * (c.sent_s - c.due_s) for c in seen.calls), 1),
        "generator_cpu_ms": round(1000 * seen.own_cpu_s / len(seen.calls), 2),
    }


def burst(server: Server, requests: Iterator[bytes], full: float) -> dict[str, Any]:
    """Normal load, a burst, normal load: from its end to the last second that was not normal."""
    end_s = BEFORE_S + BURST_S
    schedule = [
        *load.poisson(NORMAL * full, BEFORE_S, seed=1),
        *(BEFORE_S + at for at in load.poisson(BURST * full, BURST_S, seed=2)),
        *(end_s + at for at in load.poisson(NORMAL * full, AFTER_S, seed=3)),
    ]
    seen = load.opened(server.address, requests, schedule)
    return recovery_of(seen, BEFORE_S, end_s, end_s + AFTER_S)


def recovery_of(seen: load.Load, begin_s: float, end_s: float, last_s: float) -> dict[str, Any]:
    """When a burst is over for those who come after it.

    A second is normal when no call due in it is refused and their median is within twice the 95th
    percentile of before the burst.

    Args:
        seen: the calls.
        begin_s: when the burst begins, s from the beginning of the run.
        end_s: when it ends.
        last_s: when the run ends.
    """
    due = [(call.due_s - seen.began_s, call) for call in seen.calls]
    normal_ms = load.percentiles([call for at, call in due if at < begin_s], 95)[0]
    recovered_s = 0
    for second in range(int(last_s - end_s)):
        calls = [call for at, call in due if second <= at - end_s < second + 1]
        median_ms = load.percentiles(calls, 50)[0]
        if any(call.code for call in calls) or (
            median_ms is not None and normal_ms is not None and median_ms > 2 * normal_ms
        ):
            recovered_s = second + 1
    return {
        "burst_normal_p95_ms": normal_ms,
        "burst_refused": sum(bool(call.code) for _, call in due),
        "burst_recovered_s": recovered_s,
    }
