"""The engine `endpoint` against servers that answer badly: garbage, refusals, too much."""

from __future__ import annotations

import json
from typing import Any

import pytest

from physgauge.ensemble.judge.engine import Engine
from tests.engines.endpoint_cases import (
    YES,
    bad,
    during,
    one,
    one_text,
)
from tests.engines.hostile import Act, Server, completion

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
