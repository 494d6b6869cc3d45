"""The server's rate against the pipeline's in this process, and the table by concurrency."""

from __future__ import annotations

import asyncio
import itertools
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.serving import load, pictures, processes
from benchmarks.serving.server import Server
from physgauge import wire
from physgauge.clients import AsyncClient
from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Pipeline
from physgauge.types import Item


class Pace(NamedTuple):
    """How fast one side went."""

    rate: float
    """Images per second on the clock."""
    cpu_ms: float
    """Processor time per image, all processes of the side together: steadier on a busy machine."""
    own_ms: float
    """The caller's part of it."""
    calls: Sequence[load.Call] = ()
    """By the load generator."""

    def words(self) -> str:
        """For a line of output."""
        return f"{self.rate:.1f} images/s ({self.cpu_ms:.1f} ms of CPU an image)"


def through_server(server: Server, requests: Iterator[bytes], window: int, seconds: float) -> Pace:
    """The server's pace at a window; the rows are read, as in process."""
    used = server.cpu_s()
    seen = load.closed(server.address, requests, window, seconds, pictures.row)
    if seen.refused:
        raise SystemExit(f"a call failed: {seen.refused[0].code}")
    count = len(seen.calls)
    took_s = max(call.done_s for call in seen.calls) - seen.began_s
    cpu_s = server.cpu_s() - used + seen.own_cpu_s
    return Pace(count / took_s, 1000 * cpu_s / count, 1000 * seen.own_cpu_s / count, seen.calls)


def through_client(server: Server, items: Iterator[Item], seconds: float) -> Pace:
    """The server's pace by the project's own client, at the window that it finds by itself."""

    async def run() -> int:
        given = ((i.image_id, i.data, i.caption, {"source": i.source}) for i in source)
        count = 0
        async with AsyncClient(server.address) as client:
            async for row in client.score(given):
                if row.error_code is not None:
                    raise SystemExit(f"a row failed: {row.error_code}: {row.error}")
                count += 1
        return count

    used, own_s, began_s = server.cpu_s(), time.process_time(), time.perf_counter()
    source = itertools.takewhile(lambda _: time.perf_counter() < began_s + seconds, items)
    count = asyncio.run(run())
    took_s, own_s = time.perf_counter() - began_s, time.process_time() - own_s
    cpu_s = server.cpu_s() - used + own_s
    return Pace(count / took_s, 1000 * cpu_s / count, 1000 * own_s / count)


def in_process(pipeline: Pipeline, items: Iterator[Item], seconds: float) -> Pace:
    """The pipeline's pace, rows as JSON included. (The server, also a child, is idle meanwhile.)"""
    used, began_s = processes.cpu_s(os.getpid()), time.perf_counter()
    end_s, count = began_s + seconds, 0
    for scored in pipeline.score(itertools.takewhile(lambda _: time.perf_counter() < end_s, items)):
        wire.from_json(wire.to_json(scored.row))
        count += 1
    took_s = time.perf_counter() - began_s
    cpu_s = processes.cpu_s(os.getpid()) - used
    return Pace(count / took_s, 1000 * cpu_s / count, 0.0)


def table(
    server: Server, requests: Iterator[bytes], windows: Sequence[int], seconds: float
) -> dict[int, Pace]:
    """The server's pace by concurrency."""
    looks = {}
    print("concurrency  images/s  p50 ms   p95 ms   p99 ms   CPU ms an image")
    for window in windows:
        pace = looks[window] = through_server(server, requests, window, seconds)
        p50, p95, p99 = load.percentiles(pace.calls, 50, 95, 99)
        print(
            f"{window:11d} {pace.rate:9.1f} {p50:8.1f} {p95:8.1f} {p99:8.1f} {pace.cpu_ms:8.1f}",
            flush=True,
        )
    return looks


def measure(
    server: Server, windows: Sequence[int], rounds: int, seconds: float, look_s: float
) -> dict[str, Any]:
    """The table, then turns of both sides at its best window.

    Returns:
        the keys of RESULT.
    """
    items = pictures.examples()
    requests = itertools.cycle([pictures.request(item) for item in items])
    source = itertools.cycle(items)
    with Pipeline(load_profile("tiny")) as pipeline:
        in_process(pipeline, source, 1.0)  # the first images are slow
        through_server(server, requests, 8, 1.0)
        looks = table(server, requests, windows, look_s) if rounds == 0 or len(windows) > 1 else {}
        window = max(looks, key=lambda w: looks[w].rate) if looks else windows[0]
        sides: list[tuple[Pace, Pace, Pace]] = []
        for number in range(rounds):
            ours = through_server(server, requests, window, seconds)
            theirs = in_process(pipeline, source, seconds)
            client = through_client(server, source, seconds)
            sides.append((ours, client, theirs))
            print(
                f"round {number + 1}: {ours.rate / theirs.rate:.3f}: server {ours.words()}; by our "
                f"client {client.words()}; in process {theirs.words()}",
                flush=True,
            )
    result: dict[str, Any] = {}
    if rounds:
        result = _result(sides) | {"window": window}
    if looks:
        result["by_concurrency"] = {str(w): _line(pace) for w, pace in looks.items()}
    return result


def _result(sides: list[tuple[Pace, Pace, Pace]]) -> dict[str, Any]:
    ours, clients, theirs = zip(*sides, strict=True)
    p50, p99 = load.percentiles([call for pace in ours for call in pace.calls], 50, 99)

    def ratio(some: Sequence[Pace]) -> float:
        pairs = zip(some, theirs, strict=True)
        return round(float(statistics.median(one.rate / other.rate for one, other in pairs)), 3)

    return {
        "ratio": ratio(ours),
        "images_per_s": round(statistics.median(pace.rate for pace in ours), 2),
        "p50_ms": p50,
        "p99_ms": p99,
        "in_process_images_per_s": round(statistics.median(pace.rate for pace in theirs), 2),
        "cpu_ms": round(statistics.median(pace.cpu_ms for pace in ours), 1),
        "generator_cpu_ms": round(statistics.median(pace.own_ms for pace in ours), 2),
        "client_ratio": ratio(clients),
        "client_cpu_ms": round(statistics.median(pace.own_ms for pace in clients), 2),
        "in_process_cpu_ms": round(statistics.median(pace.cpu_ms for pace in theirs), 1),
    }


def _line(pace: Pace) -> dict[str, float | None]:
    p50, p95, p99 = load.percentiles(pace.calls, 50, 95, 99)
    return {"images_per_s": round(pace.rate, 2), "p50_ms": p50, "p95_ms": p95, "p99_ms": p99}
