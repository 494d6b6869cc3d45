"""The engine `endpoint` over real sockets: images, answers, what a server offers, settings."""

from __future__ import annotations

import asyncio
import base64
import io
import math
from typing import Any

import numpy as np
import pytest
from PIL import Image

from physgauge.ensemble.judge.engine import Engine, EngineFault, Prompt
from physgauge.ensemble.judge.engines.asking import DEMAND
from physgauge.ensemble.judge.engines.endpoint import Settings, from_settings, showing
from physgauge.ensemble.judge.engines.endpoint.pictures import encode
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.settings import read_table
from tests.engines.endpoint_cases import (
    IMAGE,
    LOADED,
    YES,
    bad,
    during,
    one,
    plain,
    questions,
)
from tests.engines.hostile import MODEL, Act, Plan, Server, good


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
        assert text["text"].startswith(f"Look closely.\n\n{DEMAND} Question ")
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
