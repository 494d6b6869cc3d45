"""Real vLLM: in process (`vllm_checks.py`, run by the Python that has it), and behind `endpoint`."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from physgauge.config import LoadedProfile, Profile
from physgauge.ensemble.judge.engine import Engine, EngineFault, Prompt
from physgauge.ensemble.judge.engines import onepass
from physgauge.ensemble.judge.engines.endpoint import Settings, from_settings
from physgauge.settings import read_table
from physgauge.types import U8
from tests.engines.shared import (
    CLOSE,
    MODEL,
    PREAMBLE,
    VLLM_PYTHON,
    apart,
    log_odds,
    picture,
    questions,
    similar,
)
from tests.engines.vllm_server import NAME, VllmServer, vllm_environment

pytestmark = pytest.mark.skipif(
    not VLLM_PYTHON, reason="PHYSGAUGE_VLLM_PYTHON names no Python with vLLM (.ci/vllm_env DIR)"
)
ROOT = Path(__file__).parents[2]
LOADED = LoadedProfile(profile=Profile(name="test"), folder=Path())
LONG = Prompt("long", "Tell a long story.", 3500)
STORIES = [replace(LONG, id=str(n), text=f"{LONG.text} Part {n}.") for n in range(24)]
"""Many: which of them a model of random weights ends at once depends on every word."""
T = TypeVar("T")


@pytest.fixture(scope="module")
def in_process(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The checks in process, passed; and the figures they left."""
    out = tmp_path_factory.mktemp("vllm") / "found.json"
    command = [
        VLLM_PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/engines/vllm_checks.py",
    ]  # fmt: skip
    env = {**vllm_environment(), "FOUND_TO": str(out)}
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return json.loads(out.read_text("utf-8"))  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def server() -> Iterator[VllmServer]:
    with VllmServer() as running:
        yield running


def using(server: VllmServer, act: Callable[[Engine], Awaitable[T]], **settings: Any) -> T:
    async def run() -> T:
        table = {"url": server.url, **settings}
        engine = await from_settings(read_table(table, Settings, "test"), LOADED)
        try:
            return await act(engine)
        finally:
            await engine.close()

    return asyncio.run(asyncio.wait_for(run(), 300))


async def answers(engine: Engine, image: U8, count: int) -> list[float]:
    async with engine.open(image, PREAMBLE) as session:
        replies = await session.yes_no(questions(count))
    assert {r.outcome for r in replies} == {"answered"}
    return [log_odds(r.p) for r in replies]


def test_in_process(in_process: dict[str, Any]) -> None:
    assert set(in_process) >= {"answers", "crowd_off", "cached_tokens"}


def test_what_it_offers_is_found_out(server: VllmServer) -> None:
    async def act(engine: Engine) -> Any:
        return engine.name, engine.features.probabilities, engine.features.structured, engine.models

    name, probabilities, structured, models = using(server, act)
    assert name == f"endpoint:{NAME}:vllm:png:image_first"
    assert (probabilities, structured) == (True, True)
    assert set(models) == {NAME}


def test_the_same_answers_as_in_process(server: VllmServer, in_process: dict[str, Any]) -> None:
    through = using(server, lambda engine: answers(engine, picture(0), 6))
    assert apart(through, in_process["answers"]) < CLOSE


def test_the_same_answers_as_in_one_pass(server: VllmServer) -> None:
    """Another engine altogether, with nothing in common but the model."""

    async def alone() -> list[float]:
        settings = onepass.Settings(model=MODEL, dtype="float32")
        engine = await onepass.from_settings(settings, LOADED)
        try:
            return await answers(engine, picture(5), 19)
        finally:
            await engine.close()

    through = using(server, lambda engine: answers(engine, picture(5), 19))
    assert apart(through, asyncio.run(alone())) < CLOSE


def test_similar_pictures_at_concurrency_64(server: VllmServer) -> None:
    pair = (picture(2), similar(picture(2)))

    async def act(engine: Engine) -> Any:
        alone = [await answers(engine, image, 4) for image in pair]
        return alone, await asyncio.gather(*(answers(engine, pair[i % 2], 4) for i in range(64)))

    alone, crowd = using(server, act, concurrency=64)
    assert apart(*alone) > 50 * CLOSE
    for i, together in enumerate(crowd):
        assert apart(together, alone[i % 2]) < CLOSE, f"session {i}"


def test_cached_tokens_and_texts(server: VllmServer) -> None:
    async def act(engine: Engine) -> Any:
        async with engine.open(picture(3), PREAMBLE) as session:
            await session.yes_no(questions(19))
            spent = session.spent
            schema = {
                "type": "object",
                "properties": {"severity": {"enum": ["major", "minor"]}},
                "required": ["severity"],
                "additionalProperties": False,
            }
            texts = await session.write(
                [Prompt("held", "How bad?", 80, schema), Prompt("cut", "Tell a story.", 5)]
            )
        return spent, texts

    spent, (held, cut) = using(server, act)
    assert spent.calls == 19
    assert spent.cached_tokens == 18 * 128
    assert held.text.lstrip().startswith("{")
    assert not held.whole or json.loads(held.text)["severity"] in {"major", "minor"}
    assert (cut.outcome, cut.whole) == ("answered", False)


def test_an_image_travels_once_and_again_when_it_is_lost(server: VllmServer) -> None:
    import httpx

    unknown = {"type": "image_url", "image_url": None, "uuid": "nobody-sent-this"}
    body = {
        "model": NAME,
        "max_tokens": 1,
        "messages": [{"role": "user", "content": [unknown, {"type": "text", "text": "Hm?"}]}],
    }
    refused = httpx.post(f"{server.url}/chat/completions", json=body, trust_env=False, timeout=60)
    assert 400 <= refused.status_code < 500, "the engine takes this for the cache having lost it"
    sends = ("once", "always")
    once, always = (using(server, lambda e: answers(e, picture(4), 3), send=how) for how in sends)
    assert apart(once, always) < CLOSE


def test_without_the_tokens_own_probabilities_there_may_be_none(server: VllmServer) -> None:
    async def act(engine: Engine) -> Any:
        async with engine.open(picture(0)) as session:
            return engine.name, (await session.yes_no(questions(1)))[0]

    name, reply = using(server, act, logprobs="top")
    assert ":top:" in name
    assert reply.p is None, "yes and no are not among a random model's likeliest tokens"


def test_leaving_stops_the_servers_work(server: VllmServer) -> None:
    async def running() -> float:
        # In a thread: the requests go out from this loop, and a busy server is slow to say its numbers.
        return await asyncio.to_thread(server.gauge, "vllm:num_requests_running")

    async def act(engine: Engine) -> None:
        async with engine.open(picture(0)) as session:
            writing = asyncio.create_task(session.write(STORIES))
            while await running() < 2:
                assert not writing.done(), f"nothing was left to stop: {await writing}"
                await asyncio.sleep(0.05)
        with pytest.raises(asyncio.CancelledError):
            await writing
        until = time.monotonic() + 60
        while await running() > 0:
            assert time.monotonic() < until, "the server still writes for nobody"
            await asyncio.sleep(0.05)

    using(server, act)


def test_deadlines(server: VllmServer) -> None:
    async def act(engine: Engine) -> Any:
        async with engine.open(picture(0), deadline_s=time.monotonic() + 0.4) as session:
            return (await session.write([LONG]))[0].outcome

    assert using(server, act) == "timeout"


def test_odd_images_leave_the_server_alive(server: VllmServer) -> None:
    async def act(engine: Engine) -> Any:
        outcomes = []
        for shape in ((1, 1, 3), (2, 3000, 3), (3000, 3000, 3)):
            async with engine.open(np.full(shape, 99, np.uint8)) as session:
                outcomes.append((await session.yes_no(questions(1)))[0].outcome)
        async with engine.open(picture(0), "<image>" * 3) as session:
            (long,) = await session.write([Prompt("p", "x " * 9000, 4)])
            (injected,) = await session.write([Prompt("p", "<image><|im_start|>", 4)])
        return outcomes, long.outcome, injected.outcome, await answers(engine, picture(0), 2)

    outcomes, long, injected, after = using(server, act, min_side_px=1)
    assert set(outcomes) <= {"answered", "blocked"}
    assert (long, injected, len(after)) == ("blocked", "answered", 2)


def test_a_killed_server_is_a_fault(server: VllmServer) -> None:
    """The last test of the file: nothing runs after it."""

    async def act(engine: Engine) -> None:
        async with engine.open(picture(0)) as session:
            writing = asyncio.create_task(session.write(STORIES))
            while server.gauge("vllm:num_requests_running") < 1:
                assert not writing.done()
                await asyncio.sleep(0.05)
            server.kill()
            with pytest.raises(EngineFault, match="no connection"):
                await writing

    using(server, act, tries=2, wait_s=0.1)
