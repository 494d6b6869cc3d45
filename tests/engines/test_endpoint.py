"""The engine `endpoint` against servers that misbehave, over real sockets."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import math
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from PIL import Image

from physgauge.config import LoadedProfile, Profile
from physgauge.ensemble.judge.engine import Engine, EngineFault, Prompt, Question
from physgauge.ensemble.judge.engines.endpoint import Settings, from_settings, showing
from physgauge.ensemble.judge.engines.endpoint.pictures import encode
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.settings import read_table
from tests.engines.hostile import MODEL, Act, Plan, Server, completion, good, serving

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


def test_probability_is_shared_among_all_spellings() -> None:
    reply = during(plain, one)
    assert reply.outcome == "answered"
    assert reply.answer is True
    assert reply.p == pytest.approx(0.80 / 0.9999, abs=1e-9)


def test_image_first_once_encoded_and_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = []

    def counted(*arguments: Any) -> bytes:
        encoded.append(arguments)
        return encode(*arguments)

    monkeypatch.setattr(showing, "encode", counted)

    async def act(engine: Engine, server: Server) -> list[dict[str, Any]]:
        async with engine.open(IMAGE, "Look closely.") as session:
            await session.yes_no(questions(3))
        return server.asked

    asked = during(plain, act)
    assert len(asked) == 3
    assert len(encoded) == 1
    urls = set()
    for request in asked:
        picture, text = request["messages"][0]["content"]
        assert text["text"].startswith("Look closely.\n\nQuestion ")
        assert text["text"].endswith("yes or no.")
        assert request["max_tokens"] == 1
        urls.add(picture["image_url"]["url"])
    (url,) = urls
    kind, data = url.split(",")
    assert kind == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(data))) as sent:
        assert np.array_equal(np.asarray(sent), IMAGE)


def test_an_image_goes_once_where_the_server_keeps_it() -> None:
    kept: set[str] = set()

    def plan(request: dict[str, Any], number: int) -> Act:
        picture = request["messages"][0]["content"][0]
        if picture["image_url"] is None and picture["uuid"] not in kept:
            return Act(400, b'{"error": "no such image"}')
        kept.add(picture["uuid"])
        if number == 4:
            kept.clear()  # the server's cache has lost it
        return good(tokens=YES)

    async def act(engine: Engine, server: Server) -> Any:
        outcomes = []
        for _ in range(2):
            async with engine.open(IMAGE) as session:
                for count in (1, 2, 3):
                    outcomes += [r.outcome for r in await session.yes_no(questions(count))]
        sent = [r["messages"][0]["content"][0] for r in server.asked]
        return outcomes, [s["image_url"] is not None for s in sent], len({s["uuid"] for s in sent})

    outcomes, whole, names = during(plan, act, send="once", concurrency=1)
    assert outcomes == ["answered"] * 12
    assert names == 2, "another image, or the same one again, has another name"
    assert whole == [
        *(True, False, False, False, False),  # one session's first five; then the cache loses it,
        *(False, True),  # so the sixth is asked twice
        *(True, False, False, False, False, False),  # the other session
    ]


def test_texts_do_not_wait_for_one_another_to_bring_the_image() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        async with engine.open(IMAGE) as session:
            await session.write([Prompt(f"p{i}", "Write.", 50) for i in range(4)])
            most = server.most
            await session.yes_no(questions(2))
        return most, [r["messages"][0]["content"][0]["image_url"] is None for r in server.asked]

    def plan(request: dict[str, Any], number: int) -> Act:
        return Act(body=good(tokens=YES).body, wait_s=0.3)

    assert during(plan, act, send="once") == (4, [False] * 4 + [True] * 2)


def test_jpeg_is_named_since_it_changes_pixels() -> None:
    async def act(engine: Engine, server: Server) -> tuple[str, str]:
        await one(engine, server)
        return engine.name, server.asked[0]["messages"][0]["content"][0]["image_url"]["url"]

    name, url = during(plain, act, image="jpeg")
    assert name == f"endpoint:{MODEL}:top:jpeg95:image_first"
    assert url.startswith("data:image/jpeg;base64,")


def test_a_family_that_may_hide_leaves_no_probability() -> None:
    # 5 % of the probability isn't listed: it may all be "no".
    hidden = {"yes": math.log(0.90), "maybe": math.log(0.05)}
    reply = during(lambda r, n: good(tokens=hidden), one)
    assert (reply.outcome, reply.answer, reply.p) == ("answered", True, None)
    # All but a thousandth is listed: whatever hides can't move the answer.
    sure = {"yes": math.log(0.9995)}
    reply = during(lambda r, n: good(tokens=sure), one)
    assert (reply.answer, reply.p) == (True, 1.0)


GARBAGE = {
    "not json": b"<html>busy</html>",
    "nothing": b"",
    "nan": json.dumps(completion(tokens={**YES, "yes": float("nan")})).encode(),
    "infinity": json.dumps(completion(tokens={"yes": float("inf")})).encode(),
    "a number too large": b'{"choices": [{"index": 0, "message": {"content": "yes"}, "logprobs": {"content": [{"token": "yes", "logprob": 1e999}]}}]}',
    "a probability above 1": json.dumps(completion(text="well", tokens={"yes": 2.0, "no": -1.0})).encode(),
    "no choices": json.dumps({**completion(), "choices": []}).encode(),
    "two choices": json.dumps({**completion(), "choices": completion()["choices"] * 2}).encode(),
    "another's index": json.dumps({**completion(), "choices": [{**completion()["choices"][0], "index": 3}]}).encode(),
    "a list": b"[1, 2]",
    "deep": b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "not utf-8": b'{"choices": [{"index": 0, "message": {"content": "\xff\xfeyes"}}]}',
    "text that is a number": json.dumps(completion(text=7)).encode(),  # type: ignore[arg-type]
    "negative tokens": json.dumps({**completion(tokens=YES), "usage": {"prompt_tokens": -5}}).encode(),
    "another word": json.dumps(completion(text="maybe")).encode(),
    "both words": json.dumps(completion(text="yes and no")).encode(),
    "no words": json.dumps(completion(text=None)).encode(),
}  # fmt: skip


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_unparseable_and_not_asked_again(body: bytes) -> None:
    async def act(engine: Engine, server: Server) -> Any:
        return await one(engine, server), len(server.asked)

    reply, asked = during(bad(body), act)
    assert (reply.outcome, reply.answer, reply.p) == ("unparseable", None, None)
    assert asked == 1


def test_nan_from_the_wire_is_no_number() -> None:
    body = json.dumps(completion(tokens={**YES, "yes": float("nan")})).encode()
    assert b"NaN" in body
    text = during(bad(body), one_text)
    assert text.text == ""


def test_huge_answers_are_cut_off() -> None:
    body = json.dumps(completion(text="yes " * 100_000, tokens=YES)).encode()
    assert during(bad(body), one, max_answer_bytes=10_000).outcome == "unparseable"
    assert during(bad(body), one, max_answer_bytes=1_000_000).outcome == "answered"


def test_compressed_answers_are_not_unpacked() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        reply = await one(engine, server)
        return reply, server.headers[0]["Accept-Encoding"]

    plan = bad(b"\x1f\x8b" + b"0" * 50, headers={"Content-Encoding": "gzip"})
    reply, accepted = during(plan, act, tries=1)
    assert (reply.outcome, accepted) == ("timeout", "identity")


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        (Act(body=json.dumps(completion(text=None, refusal="I cannot")).encode()), "refused"),
        (Act(body=json.dumps(completion(text="yes", finish="content_filter")).encode()), "blocked"),
        (Act(400, b'{"error": {"code": "content_filter", "message": "no"}}'), "blocked"),
        (Act(413, b"too much"), "blocked"),
        (Act(422, b'{"error": "what image"}'), "blocked"),
    ],
)
def test_refusals_and_filters(act: Act, outcome: str) -> None:
    async def ask(engine: Engine, server: Server) -> Any:
        return await one(engine, server), await one_text(engine, server), len(server.asked)

    reply, text, asked = during(lambda r, n: act, ask)
    assert (reply.outcome, reply.answer, reply.p, text.outcome, asked) == (
        outcome,
        None,
        None,
        outcome,
        2,
    )


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


def test_money_and_tokens_are_counted() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        async with engine.open(IMAGE) as session:
            await session.yes_no(questions(3))
            return session.spent

    price = {"prompt": 2.0, "cached": 0.5, "written": 8.0}
    spent = during(plain, act, price=price)
    assert (spent.calls, spent.tokens, spent.cached_tokens) == (3, 3 * (36 + 1), 3 * 64)
    assert spent.usd == pytest.approx(3 * (36 * 2.0 + 64 * 0.5 + 1 * 8.0) / 1e6)
    assert during(plain, act).usd is None


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


def test_the_key_goes_into_the_header_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-very-secret")

    async def act(engine: Engine, server: Server) -> Any:
        with pytest.raises(EngineFault) as fault:
            await one(engine, server)
        return server.headers[0]["Authorization"], f"{fault.value} {engine.name} {engine.models}"

    header, said = during(bad(b'{"error": "bad key"}', status=401), act, key_env="TEST_KEY")
    out, err = capfd.readouterr()
    assert header == "Bearer sk-very-secret"
    assert "secret" not in said + out + err


def test_what_the_server_offers_is_found_out() -> None:
    async def look(engine: Engine, server: Server) -> Any:
        reply = await one(engine, server)
        return engine.features.probabilities, engine.features.structured, server.asked[0], reply

    def bare(request: dict[str, Any], number: int) -> Act:
        return good(text="Yes.")

    probabilities, structured, asked, reply = during(bare, look, start=bare, structured="auto")
    assert (probabilities, structured) == (False, False)
    assert "logprobs" not in asked
    assert asked["max_tokens"] == 4
    assert (reply.answer, reply.p) == (True, None)

    def forced(request: dict[str, Any], number: int) -> Act:
        if "response_format" not in request:
            return good(text="As you wish")
        names = request["response_format"]["json_schema"]["schema"]["properties"]
        return good(text='{"wet": true}' if "wet" in names else '{"answer": "no"}')

    probabilities, structured, asked, reply = during(forced, look, start=forced, structured="auto")
    assert (probabilities, structured) == (False, True)
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert (reply.answer, reply.p) == (False, None)


def test_a_bad_moment_at_start_hides_nothing() -> None:
    def busy(request: dict[str, Any], number: int) -> Act:
        return Act(503) if number < 2 else plain(request, number)

    async def offers(engine: Engine, server: Server) -> Any:
        return engine.features.probabilities

    assert during(plain, offers, start=busy, tries=3) is True
    with pytest.raises(EngineFault, match="status 503"):
        during(plain, offers, start=busy, tries=2)
    # A field that the server doesn't know is another thing.
    for no in (Act(400), Act(500)):
        unknown: Plan = lambda r, n, no=no: no if r.get("logprobs") else good()  # type: ignore[misc]  # noqa: E731
        assert during(plain, offers, start=unknown, tries=2) is False


def test_schemas_of_prompts_are_passed_on_where_they_hold() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        schema = {"type": "object"}
        async with engine.open(None) as session:
            prompt = Prompt("p", "Write.", 77, schema, 0.3, 5)
            (text,) = await session.write([prompt])
        return text, server.asked[0]

    text, asked = during(
        lambda r, n: good(text="{", finish="length"), act, structured="json_schema"
    )
    assert (text.text, text.whole) == ("{", False)
    assert (asked["max_tokens"], asked["temperature"], asked["seed"]) == (77, 0.3, 5)
    assert asked["response_format"]["json_schema"]["schema"] == {"type": "object"}
    _, asked = during(lambda r, n: good(text="{"), act, leave_out=("seed", "temperature"))
    assert not {"response_format", "seed", "temperature"} & set(asked)


def test_images_that_no_server_should_get_are_not_sent() -> None:
    async def act(engine: Engine, server: Server) -> Any:
        dot = np.zeros((1, 1, 3), np.uint8)
        noise = np.random.default_rng(1).integers(0, 256, (120, 120, 3), dtype=np.uint8)
        async with engine.open(dot) as session:
            (small,) = await session.yes_no(questions(1))
        async with engine.open(noise) as session:
            (large,) = await session.yes_no(questions(1))
        return small.outcome, large.outcome, len(server.asked)

    assert during(plain, act, max_image_bytes=20_000) == ("skipped", "skipped", 0)


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"url": "ftp://x/v1"}, ConfigError, "expected http"),
        ({"url": "http://me:secret@localhost/v1"}, ConfigError, "expected no user, password"),
        ({"url": "http://secret@localhost/v1"}, ConfigError, "expected no user, password"),
        ({"url": "http://localhost/v1?key=secret"}, ConfigError, "expected no user, password"),
        ({"url": "${NO_SUCH_URL}/v1"}, EnvironmentProblem, r"expected \$NO_SUCH_URL"),
        ({"url": "http://localhost:9/v1", "key_env": "NO_SUCH_KEY"}, EnvironmentProblem, "NO_SUCH_KEY"),
        ({"url": "http://localhost:9/v1", "headers": {"Authorization": "x"}}, ConfigError, "no keys"),
        ({"url": "http://localhost:9/v1", "extra": {"messages": []}}, ConfigError, "'messages'"),
        ({"url": "http://127.0.0.1:9/v1", "start_s": 0.1}, EngineFault, "no connection"),
    ],
)  # fmt: skip
def test_wrong_settings(settings: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as raised:
        asyncio.run(from_settings(read_table(settings, Settings, "test"), LOADED))
    assert "secret" not in str(raised.value)


def test_models_by_name() -> None:
    with pytest.raises(ConfigError, match="expected one of a, b; got 'judge-1'"):
        during(plain, one, models=["a", "b"], model=MODEL)
    with pytest.raises(ConfigError, match=r"expected the name of one of the server's \(a, b\)"):
        during(plain, one, models=["a", "b"])
    assert during(plain, one, models=[], model=MODEL).answer is True
