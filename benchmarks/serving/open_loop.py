"""Latency against load: Poisson arrivals at shares of the server's capacity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from benchmarks.serving import load
from benchmarks.serving.server import Server

SHARES: Final = (0.25, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1)
"""Of capacity."""


def capacity(server: Server, requests: Iterator[bytes], window: int, seconds: float) -> float:
    """Images per second with `window` calls always out."""
    seen = load.closed(server.address, requests, window, seconds)
    return seen.rate(1.0, seconds)  # the first second fills the window


def measure(
    server: Server,
    requests: Iterator[bytes],
    full: float,
    seconds: float,
    shares: Sequence[float] = SHARES,
) -> dict[str, Any]:
    """One line per share.

    Args:
        server: a ready one.
        requests: endless.
        full: its capacity, images/s.
        seconds: of arrivals per share; the run ends when the last has been answered.
        shares: of `full`.

    Returns:
        by share: arrivals and rows a second, times of the answered calls from their scheduled moments,
        how many were refused, and how late the generator was at worst.
    """
    lines = {}
    print(f"load  arrivals/s  rows/s   p50 ms   p95 ms   p99 ms  refused  (capacity {full:.1f}/s)")
    for number, share in enumerate(shares):
        schedule = load.poisson(share * full, seconds, seed=7 + number)
        seen = load.opened(server.address, requests, schedule)
        p50, p95, p99 = load.percentiles(seen.answered, 50, 95, 99)
        late_ms = max(1000 * (call.sent_s - call.due_s) for call in seen.calls)
        line = {
            "arrivals_per_s": round(len(schedule) / seconds, 2),
            "images_per_s": round(seen.rate(1.0, seconds), 2),
            "p50_ms": p50,
            "p95_ms": p95,
            "p99_ms": p99,
            "refused": len(seen.refused),
            "generator_late_ms": round(late_ms, 1),
            "generator_cpu_ms": round(1000 * seen.own_cpu_s / len(seen.calls), 2),
        }
        lines[f"{share:g}"] = line
        print(
            f"{share:4.2f} {line['arrivals_per_s']:11} {line['images_per_s']:7} {p50!s:>8} {p95!s:>8} "
            f"{p99!s:>8} {line['refused']:8}",
            flush=True,
        )
    return {"capacity": round(full, 2), "load": lines}
