"""What the tests of the engine `endpoint` share: a run of it against a server with a plan."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from physgauge.config import LoadedProfile, Profile
from physgauge.ensemble.judge.engine import Engine, Prompt, Question
from physgauge.ensemble.judge.engines.endpoint import Settings, from_settings
from physgauge.settings import read_table
from tests.engines.hostile import Act, Plan, Server, good, serving

T = TypeVar("T")
LOADED = LoadedProfile(profile=Profile(name="test"), folder=Path())
YES = {"yes": math.log(0.70), " Yes": math.log(0.10), "no": math.log(0.15), "No": math.log(0.0499)}
IMAGE = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
QUICK: dict[str, Any] = {"wait_s": 0.01, "structured": "off", "start_s": 5.0}


def plain(request: dict[str, Any], number: int) -> Act:
    return good(tokens=YES) if request.get("logprobs") else good()


def during(
    plan: Plan,
    act: Callable[[Engine, Server], Awaitable[T]],
    models: list[str] | None = None,
    start: Plan = plain,
    **settings: Any,
) -> T:
    """Start an engine against an honest server, which then follows the plan while `act` runs."""

    async def run(server: Server) -> T:
        engine = await from_settings(
            read_table({"url": server.url, **QUICK, **settings}, Settings, "test"), LOADED
        )
        server.asked.clear()
        server.headers.clear()
        server.times.clear()
        server.plan = plan
        try:
            return await act(engine, server)
        finally:
            await engine.close()

    with serving(start, models) as server:
        return asyncio.run(asyncio.wait_for(run(server), 60))


def questions(count: int) -> list[Question]:
    return [Question(f"q{i}", f"Question {i}?") for i in range(count)]


async def one(engine: Engine, server: Server) -> Any:
    async with engine.open(IMAGE, "Look closely.") as session:
        (reply,) = await session.yes_no(questions(1))
        return reply


async def one_with_spent(engine: Engine, server: Server) -> Any:
    async with engine.open(IMAGE) as session:
        (reply,) = await session.yes_no(questions(1))
        return reply, session.spent


async def one_text(engine: Engine, server: Server) -> Any:
    async with engine.open(None) as session:
        (text,) = await session.write([Prompt("p", "Write.", 10)])
        return text


def bad(body: bytes, **more: Any) -> Plan:
    return lambda request, number: Act(body=body, **more)
