"""The load generator: raw gRPC calls of serialised requests, in one thread, with little work of its own.

Closed loop: so many calls out, the next when one is answered; says what the server can do. Open loop:
calls go out when a schedule says so, whatever the server does, as from many independent callers. There, a
call's time counts from its scheduled moment: were it counted from the sending, a generator that falls
behind would hide the very wait that it measures (coordinated omission).
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import grpc
import numpy as np

from physgauge.contract import read_refusal

METHOD: Final = "/inference.GRPCInferenceService/ModelInfer"
LATE_S: Final = 60.0
"""A call that has no answer after this has failed."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Times are of `time.perf_counter`."""

    due_s: float
    """When it was to go out."""
    sent_s: float
    done_s: float
    code: str
    """"" = a row; else as in :data:`physgauge.errors.REQUEST_CODES`."""

    @property
    def ms(self) -> float:
        """From the scheduled moment to the answer."""
        return 1000 * (self.done_s - self.due_s)


@dataclass(frozen=True, slots=True)
class Load:
    """What a run of the generator saw."""

    calls: list[Call]
    began_s: float
    own_cpu_s: float
    """Processor time of the generator itself."""

    @property
    def answered(self) -> list[Call]:
        """Calls that got a row."""
        return [call for call in self.calls if not call.code]

    @property
    def refused(self) -> list[Call]:
        """Calls that got none."""
        return [call for call in self.calls if call.code]

    def rate(self, begin_s: float = 0.0, end_s: float = float("inf")) -> float:
        """Rows per second that came in a stretch of the run (s from its beginning)."""
        done = [call.done_s - self.began_s for call in self.answered]
        inside = sum(begin_s <= moment < end_s for moment in done)
        return inside / (min(end_s, max(done, default=0.0)) - begin_s) if inside else 0.0


def percentiles(calls: Sequence[Call], *levels: float) -> list[float | None]:
    """Of the calls' times (ms); None where there are no calls."""
    if not calls:
        return [None] * len(levels)
    return [round(float(v), 1) for v in np.percentile([call.ms for call in calls], levels)]


def poisson(rate: float, seconds: float, seed: int = 7) -> list[float]:
    """Moments (s from the beginning) of arrivals that know nothing of each other, `rate` a second."""
    gaps = np.random.default_rng(seed).exponential(1 / rate, int(rate * seconds * 1.5) + 50)
    moments = np.cumsum(gaps)
    return [float(moment) for moment in moments[moments < seconds]]


def closed(
    address: str,
    requests: Iterator[bytes],
    window: int,
    seconds: float,
    seen: Callable[[bytes], object] = bytes,
) -> Load:
    """`window` calls at a time for so many seconds, then those still out.

    Args:
        address: of the server.
        requests: endless.
        window: calls at a time.
        seconds: how long new calls are begun.
        seen: is given each answer.
    """

    async def caller(call: Any, end_s: float) -> list[Call]:
        calls = []
        while (due_s := time.perf_counter()) < end_s:
            calls.append(await _once(call, next(requests), due_s, seen))
        return calls

    async def run(call: Any, began_s: float) -> list[Call]:
        callers = (caller(call, began_s + seconds) for _ in range(window))
        return list(itertools.chain(*await asyncio.gather(*callers)))

    return _measured(address, run)


def opened(address: str, requests: Iterator[bytes], schedule: Sequence[float]) -> Load:
    """Calls at the moments of a schedule.

    Args:
        address: of the server.
        requests: endless.
        schedule: rising moments, s from the beginning.
    """

    async def run(call: Any, began_s: float) -> list[Call]:
        out = []
        for moment in schedule:
            due_s = began_s + moment
            if (wait_s := due_s - time.perf_counter()) > 0:
                await asyncio.sleep(wait_s)
            out.append(asyncio.create_task(_once(call, next(requests), due_s, bytes)))
        return list(await asyncio.gather(*out))

    return _measured(address, run)


def _measured(address: str, run: Callable[[Any, float], Any]) -> Load:
    async def main() -> Load:
        async with grpc.aio.insecure_channel(address) as channel:
            await channel.channel_ready()
            call = channel.unary_unary(METHOD)  # bytes in, bytes out
            own_s, began_s = time.process_time(), time.perf_counter()
            calls = await run(call, began_s)
            return Load(calls, began_s, time.process_time() - own_s)

    return asyncio.run(main())


async def _once(call: Any, request: bytes, due_s: float, seen: Callable[[bytes], object]) -> Call:
    sent_s = time.perf_counter()
    try:
        seen(await call(request, timeout=LATE_S))
        code = ""
    except grpc.aio.AioRpcError as error:
        code = read_refusal(error.code().name, error.details() or "").code
    return Call(due_s, sent_s, time.perf_counter(), code)
