"""Callers who hang up, all the time and at any moment, beside one who does not.

Triton 24.10 crashes when a request ends while two of its steps are at work: the ensemble is a chain for
that reason. The fixture `no_fault` sees whether the server has died or been restarted.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import grpc
import pytest

from physgauge import wire
from physgauge.clients import AsyncClient
from physgauge.clients.remote.kserve import INFER, Call, request
from tests.serving.server import NAMES, Server, image, ready
from tests.serving.test_client import check, examples
from tests.serving.test_server import in_hand

BAD = 60
"""Calls of the others at any time."""
REQUESTS = [
    request(Call(f"bad-{name}", image(name), b"a caption", b"")) for name in NAMES
] + [
    request(Call("cut", image(NAMES[0])[:900], b"", b"")),
    request(Call("empty", b"", b"", b"")),
    request(Call("late", image(NAMES[1]), b"", b'{"timeout_ms": 40}')),
    request(Call("boat", image(NAMES[2]), b"", b'{"domain": "boat"}')),
]  # fmt: skip


async def hang_up(channel: Any, chance: random.Random) -> str:
    """One call: given up after a moment, or by its deadline; or left alone."""
    how = chance.choice(("cancel", "cancel", "deadline", "deadline", "stay"))
    moment_s = chance.uniform(0.005, 0.5) if chance.random() < 0.7 else chance.uniform(0.5, 2.0)
    within_s = moment_s if how == "deadline" else 60.0
    try:
        call = channel.unary_unary(INFER)(chance.choice(REQUESTS), timeout=within_s)
    except grpc.aio.UsageError:
        return "CLOSED"  # just before
    with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
        if how == "cancel":
            await asyncio.wait({asyncio.ensure_future(call.code())}, timeout=moment_s)
            call.cancel()
        await call
    return str((await call.code()).name)


async def others(address: str, until_s: float, seed: int) -> Counter[str]:
    """Callers who hang up; each has a connection of his own, which he drops now and then, too."""
    seen: Counter[str] = Counter()
    chance = random.Random(seed)
    options = [("grpc.use_local_subchannel_pool", 1)]
    while time.monotonic() < until_s:
        channel = grpc.aio.insecure_channel(address, options)
        calls = [asyncio.ensure_future(hang_up(channel, chance)) for _ in range(BAD // 4)]
        end_s = min(until_s, time.monotonic() + chance.uniform(1.0, 5.0))
        while time.monotonic() < end_s:
            done, left = await asyncio.wait(calls, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
            seen.update(call.result() for call in done)
            calls = [*left, *(asyncio.ensure_future(hang_up(channel, chance)) for _ in done)]
        await channel.close()  # with calls in hand
        seen.update(await asyncio.gather(*calls))
    return seen


async def mixed(address: str, seconds: float) -> tuple[list[list[wire.Row]], Counter[str]]:
    """Rows of one who stays, run by run of the examples, while the others come and go."""
    until_s = time.monotonic() + seconds
    bad = [asyncio.ensure_future(others(address, until_s, seed)) for seed in range(4)]
    runs: list[list[wire.Row]] = []
    async with AsyncClient(address, timeout_s=120) as client:
        while not runs or time.monotonic() < until_s:
            runs.append([row async for row in client.score(examples())])
    return runs, sum(await asyncio.gather(*bad), Counter())


@pytest.mark.parametrize("seconds", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_whoever_stays_has_his_rows(
    server: Server, local_rows: dict[str, wire.Row], seconds: int
) -> None:
    pid, stubs = server.pid, server.stubs()
    runs, seen = asyncio.run(mixed(server.address, seconds))
    for rows in runs:
        check(examples(), rows, local_rows)
    assert {"CANCELLED", "DEADLINE_EXCEEDED", "OK"} <= set(seen), seen
    assert (server.pid, server.stubs()) == (pid, stubs)
    assert ready(server)
    end_s = time.monotonic() + 60
    while in_hand(server) > 1:  # the canary's
        assert time.monotonic() < end_s, "places of callers who are gone were never given back"
        time.sleep(0.2)
