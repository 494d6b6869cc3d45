"""The engine `endpoint` against servers that are busy, slow, gone, or want nothing of ours."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from physgauge.ensemble.judge.engine import Engine, EngineFault
from tests.engines.endpoint_cases import (
    IMAGE,
    YES,
    bad,
    during,
    one,
    one_with_spent,
    plain,
    questions,
)
from tests.engines.hostile import MODEL, Act, Server, completion, good, serving


@pytest.mark.parametrize(
    "failure",
    [
        Act(429, b"slow down"),
        Act(500, b"oops"),
        Act(503, b"{}"),
        Act(hang_up=True),
        Act(body=good(tokens=YES).body, cut_at=40),
    ],
    ids=["429", "500", "503", "hang up", "cut"],
)
def test_what_may_pass_is_tried_again(failure: Act) -> None:
    async def act(engine: Engine, server: Server) -> Any:
        return *await one_with_spent(engine, server), len(server.asked)

    def plan(request: dict[str, Any], number: int) -> Act:
        return failure if number < 2 else good(tokens=YES)

    reply, spent, asked = during(plan, act, tries=3)
    assert (reply.outcome, reply.answer, asked, spent.calls) == ("answered", True, 3, 3)
    reply, spent, asked = during(plan, act, tries=2)
    assert (reply.outcome, reply.answer, asked, spent.calls) == ("timeout", None, 2, 2)


def test_retry_after_holds_everyone_back() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        start = time.monotonic()
        async with engine.open(None) as session:
            replies = await session.yes_no(questions(4))
        return replies, [t - start for t in server.times]

    def plan(request: dict[str, Any], number: int) -> Act:
        if number == 0:
            return Act(429, b"", {"Retry-After": "1"})
        return good(tokens=YES)

    replies, times = during(plan, act, concurrency=1)
    assert all(reply.answer is True for reply in replies)
    assert len(times) == 5
    assert min(times[1:]) >= 1.0


def test_a_wait_past_the_limit_is_not_waited_for() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        start = time.monotonic()
        reply = await one(engine, server)
        return reply, len(server.asked), time.monotonic() - start

    plan = bad(b"", status=503, headers={"Retry-After": "3600"})
    reply, asked, took = during(plan, act, max_wait_s=5.0)
    assert (reply.outcome, asked) == ("timeout", 1)
    assert took < 5


def test_a_silent_and_a_dripping_server_run_out_of_time() -> None:
    for act in (Act(wait_s=30), Act(body=good(tokens=YES).body, drip_s=0.05)):
        reply = during(lambda r, n, a=act: a, one, read_s=0.5, tries=3)  # type: ignore[misc]
        assert (reply.outcome, reply.answer) == ("timeout", None)


def test_the_deadline_is_the_images_own() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        async def look(deadline: float | None) -> list[str]:
            async with engine.open(IMAGE, deadline_s=deadline) as session:
                return [reply.outcome for reply in await session.yes_no(questions(3))]

        soon = time.monotonic() + 0.4
        return await asyncio.gather(look(soon), look(None), look(time.monotonic() - 1))

    def plan(request: dict[str, Any], number: int) -> Act:
        return Act(body=good(tokens=YES).body, wait_s=1.2)

    soon, later, past = during(plan, act)
    assert soon == ["timeout"] * 3
    assert later == ["answered"] * 3
    assert past == ["timeout"] * 3


def test_leaving_a_session_hangs_up() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        async with engine.open(IMAGE) as session:
            asking = asyncio.create_task(session.yes_no(questions(4)))
            while len(server.asked) < 4:
                await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await asking
        for _ in range(300):
            if server.broken == 4:
                break
            await asyncio.sleep(0.01)
        with pytest.raises(RuntimeError, match="was left"):
            await session.yes_no(questions(1))
        return server.broken, session.spent.calls

    assert during(lambda r, n: Act(wait_s=20), act) == (4, 4)


def test_no_more_in_flight_than_allowed() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        async def look() -> None:
            async with engine.open(IMAGE) as session:
                await session.yes_no(questions(6))

        await asyncio.gather(*(look() for _ in range(4)))
        return server.most, len(server.asked)

    most, asked = during(
        lambda r, n: Act(body=good(tokens=YES).body, wait_s=0.05), act, concurrency=5
    )
    assert (most, asked) == (5, 24)


@pytest.mark.parametrize("limit", ["requests", "tokens"])
def test_rate_limits(limit: str) -> None:
    async def act(engine: Engine, server: Server) -> Any:
        async with engine.open(None) as session:
            await session.yes_no(questions(13))
        return server.times

    settings: dict[str, Any] = (
        {"requests_per_minute": 600}
        if limit == "requests"
        else {"tokens_per_minute": 101 * 600, "tokens_per_request": 101}
    )
    times = during(plain, act, **settings)
    # Ten a second, and at most what a second brings at once: three wait for their turn.
    assert times[-1] - times[0] >= 0.25
    for earlier, later in zip(times, times[10:], strict=False):
        assert later - earlier >= 0.05


def test_a_redirect_is_not_followed() -> None:
    with serving(plain) as elsewhere:
        plan = bad(
            b"", status=307, headers={"Location": f"{elsewhere.url}/chat/completions?secret=1"}
        )
        with pytest.raises(
            EngineFault, match=r"sends us on to http://127\.0\.0\.1 \(307\)"
        ) as fault:
            during(plan, one)
        assert elsewhere.asked == []
        assert "secret" not in str(fault.value)


@pytest.mark.parametrize(
    ("status", "says"), [(401, "refuses the key"), (404, "no such model"), (402, "out of money")]
)
def test_a_server_that_wants_nothing_of_ours_is_a_fault(status: int, says: str) -> None:
    async def act(engine: Engine, server: Server) -> Any:
        with pytest.raises(EngineFault, match=says):
            await one(engine, server)
        with pytest.raises(EngineFault, match=says):
            await one(engine, server)
        return len(server.asked)

    assert during(bad(b"", status=status), act) == 1


def test_many_failures_in_a_row_are_a_fault() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        outcomes = [(await one(engine, server)).outcome for _ in range(2)]
        with pytest.raises(EngineFault, match="3 requests in a row failed, the last: status 500"):
            await one(engine, server)
        return outcomes

    assert during(bad(b"", status=500), act, tries=1, faults=3) == ["timeout", "timeout"]


def test_a_server_that_was_mended_is_asked_again() -> None:
    """After a rest, and by one request: a second failure is a fault at once."""

    async def act(engine: Engine, server: Server) -> Any:
        for _ in range(2):
            await one(engine, server)
        for again in (False, True):
            with pytest.raises(EngineFault, match="status 500"):
                await one(engine, server)
            asked = len(server.asked)
            with pytest.raises(EngineFault, match="status 500"):
                await one(engine, server)
            assert len(server.asked) == asked
            if again:
                server.plan = plain
            await asyncio.sleep(0.25)
        return (await one(engine, server)).outcome

    assert during(bad(b"", status=500), act, tries=1, faults=3, again_s=0.2) == "answered"


def test_a_server_that_went_away_is_a_fault() -> None:
    async def act(engine: Engine, server: Server) -> None:
        server.stop()
        with pytest.raises(EngineFault, match="no connection"):
            await one(engine, server)

    during(plain, act, tries=2)


def test_another_model_behind_the_same_name() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        return [(await one(engine, server)).outcome for _ in range(3)]

    def plan(request: dict[str, Any], number: int) -> Act:
        answer = completion(tokens=YES)
        return Act(
            body=json.dumps({**answer, "model": MODEL if number != 1 else "judge-0"}).encode()
        )

    assert during(plan, act) == ["answered", "unparseable", "answered"]
