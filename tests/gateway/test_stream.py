"""One stream, by callers who follow the rules and by callers who follow none."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Coroutine
from typing import Any

import grpc
import pytest

from physgauge.errors import RequestError
from physgauge.gateway.client import StreamEnded
from physgauge.gateway.refusal import Refused
from physgauge.gateway.session import revoked
from physgauge.gateway.settings import Limits, Shares
from physgauge.v1 import gateway_pb2 as v1
from tests.gateway.responder import options as told
from tests.gateway.running import (
    IMAGE,
    Raw,
    bearer,
    channel,
    client,
    item,
    running,
    until,
    with_tokens,
)

SMALL = Limits(max_image_bytes=100_000, max_npy_bytes=200_000, max_caption_chars=100)


def go(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 60))


def test_rows_come_as_they_finish_with_the_callers_ids() -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made:
            here.responder.open.clear()
            raw = Raw(made)
            welcome = await raw.hello()
            assert welcome.client == "local"
            assert welcome.max_image_bytes == 32 * 2**20
            assert raw.credits == welcome.max_window == 32
            options = v1.Options(source="there", extra={"seed": "7"}, image_id="its own")
            await raw.send(item("slow"), item("fast", options=options, caption="a car"))
            here.responder.let.add("its own")
            answer = await raw.answer()
            assert (answer.id, answer.sequence) == ("fast", 2)
            assert answer.row.json.endswith(b"} "), "byte for byte what the server said"
            row = json.loads(answer.row.json)
            assert (row["image_id"], row["source"], row["extra"]) == (
                "its own",
                "there",
                {"seed": "7"},
            )
            assert (answer.row.verdict, answer.row.s_final) == (v1.VERDICT_FAIL, 69.0)
            assert not answer.row.HasField("terravis_score")
            here.responder.open.set()
            answer = await raw.answer()
            assert (answer.id, answer.sequence) == ("slow", 1)
            assert raw.credits == 32
            sent = {one.id: one for one in here.responder.seen}
            assert bytes(sent[answer.request_id].raw_input_contents[0][4:]) == IMAGE
            await raw.call.done_writing()
            assert (await raw.status())[0] is grpc.StatusCode.OK

    go(test())


def test_the_helper_keeps_the_window_full_and_no_fuller() -> None:
    async def test() -> None:
        async with running(Shares(window=6)) as here, client(here) as caller:
            read = 0

            def items() -> Any:
                nonlocal read
                for number in range(50):
                    read += 1
                    yield item(str(number))

            here.responder.open.clear()
            answers = caller.stream(items())
            first = asyncio.create_task(anext(answers))
            await until(lambda: here.responder.at_once == 6, "six at the server")
            await asyncio.sleep(0.05)
            assert read == 6
            here.responder.open.set()
            ids = [(await first).id, *[answer.id async for answer in answers]]
            assert sorted(ids, key=int) == [str(number) for number in range(50)]
            assert here.responder.most_at_once == 6
            assert here.number("images_total", client="local", outcome="row") == 50

    go(test())


BAD = [
    (item(image=b""), "image_empty", "got no bytes"),
    (item(image=b"GIF89a" + bytes(50)), "image_format", "got GIF"),
    (item(image=b"https://example.org/cat.png"), "image_format", "got text"),
    (item(image=IMAGE[:3] + bytes(100_000)), "image_too_large", "100,000 bytes of jpeg, got 100,003"),
    (item(image=b"\x93NUMPY" + bytes(200_000)), "image_too_large", "200,000 bytes of npy, got 200,006"),
    (item(deadline_ms=0), "request_invalid", "item.deadline_ms: expected 1 to 120,000, got none"),
    (item(deadline_ms=120_001), "request_invalid", "item.deadline_ms: expected 1 to 120,000, got 120,001"),
    (item(""), "request_invalid", "item.id: expected 1 to 1,024 characters, got 0"),
    (item("x" * 1025), "request_invalid", "item.id: expected 1 to 1,024 characters, got 1,025"),
    (item(caption="c" * 101), "caption_too_long", "caption: expected at most 100 characters, got 101"),
    (item(options=v1.Options(domain="x" * 65)), "request_invalid", "item.options: Expected `str` of length <= 64 - at `$.domain`"),
    (item(options=v1.Options(source="x" * 4097)), "request_invalid", "$.source"),
    (item(options=v1.Options(extra={str(n): "" for n in range(257)})), "request_invalid", "$.extra"),
    (item(options=v1.Options(extra={str(n): "x" * 1000 for n in range(90)})), "request_invalid", "at most 65,536 bytes as JSON, got"),
]  # fmt: skip


def test_what_is_wrong_with_an_image_is_its_answer_and_the_server_sees_none_of_it() -> None:
    async def test() -> None:
        async with running(limits=SMALL) as here, channel(here) as made:
            raw = Raw(made)
            await raw.hello()
            for number, (wrong, code, says) in enumerate(BAD, 1):
                await raw.send(wrong)
                answer = await raw.answer()
                assert (
                    (answer.id, answer.sequence) == (wrong.id, number)
                    if wrong.id[:2] != "xx"
                    else True
                )
                assert answer.refusal.code == code, answer
                assert says in answer.refusal.message
                assert not answer.refusal.HasField("retry_after_ms")
                assert len(answer.refusal.message) < 300
            assert raw.credits == 32
            await raw.send(item("good"))
            assert (await raw.answer()).HasField("row")
            assert here.responder.images == ["good"]

    go(test())


def field(number: int, data: bytes) -> bytes:
    """A length-delimited field of protobuf, of less than 16 KiB."""
    size = len(data)
    length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
    return bytes([number << 3 | 2]) + length + data


GOOD = item("n").SerializeToString()
MALFORMED = [
    (b"\xff\xff\xff\xff", "expected a physgauge.v1.StreamRequest, got 4 bytes that are none"),
    (b"\x0a\x7fshort", "expected a physgauge.v1.StreamRequest"),
    (field(1, b"\x1a\x02\xff\xfe"), "expected a physgauge.v1.StreamRequest"),  # a caption that is no UTF-8
    (b"", "item: expected one, got none"),
    (field(1, GOOD) + field(9, b"x"), "9: expected a field of gateway.proto, got the unknown field 9"),
    (v1.StreamRequest(item=item("n")).SerializeToString() + field(1, field(99 // 9, b"x")), "item.11: expected a field"),
    (v1.StreamRequest(item=item("n")).SerializeToString() + field(1, field(5, field(7, b"red"))), "item.options.7: expected a field"),
]  # fmt: skip


def test_bytes_that_are_no_request_are_that_messages_answer() -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made:
            raw = Raw(made)
            await raw.hello()
            for data, says in MALFORMED:
                if len(data) > 4_000:
                    assert data.startswith(b"\x0a")
                await raw.bytes(data)
                answer = await raw.answer()
                assert answer.refusal.code == "request_invalid"
                assert says in answer.refusal.message, answer
            assert raw.credits == 32
            await raw.send(item("good"))
            assert (await raw.answer()).HasField("row")
            assert here.responder.images == ["good"]

    go(test())


def test_an_id_is_used_once_at_a_time() -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made:
            here.responder.open.clear()
            raw = Raw(made)
            await raw.hello()
            await raw.send(item("a"), item("a"))
            answer = await raw.answer()
            assert (answer.id, answer.sequence) == ("a", 2)
            assert "expected one that is not in hand, got 'a' again" in answer.refusal.message
            here.responder.open.set()
            answer = await raw.answer()
            assert (answer.sequence, answer.HasField("row")) == (1, True)
            await raw.send(item("a"))
            assert (await raw.answer()).HasField("row")
            assert here.responder.images == ["a", "a"]

    go(test())


def test_who_ignores_credits_is_refused_for_those_images_only() -> None:
    async def test() -> None:
        async with running(Shares(window=4)) as here, channel(here) as made:
            here.responder.open.clear()
            raw = Raw(made)
            await raw.hello()
            assert raw.credits == 4
            await raw.send(*(item(str(number)) for number in range(20)))
            for number in range(4, 20):
                answer = await raw.answer()
                assert (answer.id, answer.refusal.code) == (str(number), "no_credit")
                assert answer.refusal.retry_after_ms == 0
            assert raw.credits == -16
            here.responder.open.set()
            assert {(await raw.answer()).id for _ in range(4)} == {"0", "1", "2", "3"}
            assert raw.credits == -12
            # Each of the four gave its credit back, and no more.
            await raw.send(*(item(f"again {number}") for number in range(4)))
            for _ in range(4):
                assert (await raw.answer()).HasField("row")
            assert sorted(here.responder.images) == [
                "0", "1", "2", "3", *(f"again {n}" for n in range(4))
            ]  # fmt: skip

    go(test())


def test_who_never_heeds_credits_is_sent_away() -> None:
    async def test() -> None:
        async with (
            running(Shares(window=2), caller_loses_a_task=True) as here,
            channel(here) as made,
        ):
            here.responder.open.clear()
            raw = Raw(made)
            await raw.hello()

            async def flood() -> None:
                await raw.send(item("in hand"), item("in hand, too"))
                for number in range(100):
                    await raw.send(item(str(number), b""))

            writing = asyncio.create_task(flood())
            # The caller's own gRPC for Python says INTERNAL where it was just writing when the end came.
            code, says = await raw.status()
            assert code in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INTERNAL), says
            await asyncio.gather(writing, return_exceptions=True)
            assert here.number("streams_ended_total", how="no_credit") == 1

    go(test())


def test_who_does_not_read_is_not_read_and_ended() -> None:
    """His answers wait in a bounded place, he gets no credits, and other callers do not notice."""

    async def test() -> None:
        # Long rows: HTTP/2's own buffers hold few of them.
        wide = v1.Options(extra={"pad": "x" * 50_000})
        async with (
            running(Shares(window=1000, queue=1000, share=1.0), stall_s=0.6) as here,
            channel(here, ("grpc.http2.lookahead_bytes", 65_536)) as made,
            client(here) as other,
        ):
            raw = Raw(made)
            await raw.hello()

            async def send() -> None:
                for number in range(1_000):
                    await raw.send(item(str(number), options=wide))

            writing = asyncio.create_task(send())
            await until(lambda: here.number("streams", client="local") == 1, "his stream")
            await asyncio.sleep(0.3)
            assert (await other.score(item())).HasField("row")
            await until(
                lambda: here.number("streams_ended_total", how="stalled") == 1, "the end of him"
            )
            raw.call.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            assert (await other.score(item())).HasField("row")

    go(test())


def test_refusals_that_nobody_reads_are_bounded() -> None:
    async def test() -> None:
        wide = v1.Options(extra={"pad": "x" * 60_000})
        shares = Shares(window=100, queue=200, share=1.0)
        async with (
            running(shares) as here,
            channel(here, ("grpc.http2.lookahead_bytes", 65_536)) as made,
        ):
            raw = Raw(made)
            await raw.hello()
            await raw.send(*(item(str(number), options=wide) for number in range(100)))
            await until(lambda: here.number("seconds_count") == 100, "all rows")
            # 6 MB of rows: not all of them fit between the two. Nothing gets past them.
            await raw.send(*(item(f"no {number}", b"") for number in range(600)))
            await asyncio.sleep(0.5)
            refused = here.number("images_total", client="local", outcome="no_credit")
            credited = here.number("images_total", client="local", outcome="image_empty")
            assert refused <= 2 * 100
            assert credited <= 100
            raw.call.cancel()

    go(test())


def test_an_idle_stream_is_ended_and_a_waiting_one_is_not() -> None:
    async def test() -> None:
        async with running(idle_s=0.4) as here, channel(here) as made:
            here.responder.open.clear()
            waiting, idle = Raw(made), Raw(made)
            await waiting.hello()
            await idle.hello()
            await waiting.send(item("long"))
            code, says = await idle.status()
            assert code is grpc.StatusCode.DEADLINE_EXCEEDED
            assert "expected an image, got no whole one in 0.4 s" in says
            here.responder.open.set()
            assert (await waiting.answer()).HasField("row")
            assert here.number("streams_ended_total", how="idle") == 1

    go(test())


def test_a_message_above_every_limit_ends_its_stream_only() -> None:
    async def test() -> None:
        async with running(limits=SMALL) as here, channel(here) as made:
            big, other = Raw(made), Raw(made)
            await big.hello()
            await other.hello()
            await big.send(item(image=IMAGE[:3] + bytes(3_000_000)))
            code, _ = await big.status()
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            await other.send(item("fine"))
            assert (await other.answer()).HasField("row")
            assert here.responder.images == ["fine"]

    go(test())


def test_deadlines() -> None:
    async def test() -> None:
        async with running(Shares(places=1, queue=4)) as here, channel(here) as made:
            here.responder.open.clear()
            raw = Raw(made)
            await raw.hello()
            await raw.send(item("at the server", deadline_ms=150), item("waits", deadline_ms=100))
            ends = {(await raw.answer()).id for _ in range(2)}
            assert ends == {"at the server", "waits"}
            assert here.responder.images == ["at the server"]
            assert here.number("images_total", client="local", outcome="deadline_exceeded") == 2
            # The server has been told the time; until it is done, the place is the one's who sent it.
            assert told(here.responder.seen[-1])["timeout_ms"] <= 150
            await raw.send(item("later"))
            await until(lambda: here.number("waiting") == 1, "no place for it yet")
            assert (here.number("at_server"), here.responder.cancelled) == (1, 0)
            here.responder.open.set()
            assert (await raw.answer()).HasField("row")

    go(test())


def test_refusals_of_the_server_are_the_images() -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made:
            here.responder.refuse = {
                "wrong": (grpc.StatusCode.INVALID_ARGUMENT, "physgauge [request_invalid] OPTIONS.domain: no"),
            }  # fmt: skip
            raw = Raw(made)
            await raw.hello()
            await raw.send(item("wrong"), item("right"))
            answers = {(answer := await raw.answer()).id: answer for _ in range(2)}
            assert answers["wrong"].refusal.code == "request_invalid"
            assert answers["wrong"].refusal.message == "OPTIONS.domain: no"
            assert answers["right"].HasField("row")

    go(test())


@pytest.mark.parametrize(
    ("code", "says", "again"),
    [
        ("overloaded", "overloaded", True),
        ("unavailable", "unavailable", True),
        ("deadline_exceeded", "deadline_exceeded", False),
        ("internal", "internal", True),
        ("request_invalid", "internal", True),  # of the request that the gateway made
    ],
)
def test_what_goes_wrong_behind_is_not_told_to_callers(code: str, says: str, again: bool) -> None:
    error = RequestError(code, "failed to connect; ipv4:10.1.2.3:8001, /models/x")
    refused = Refused.of(error)
    assert (refused.code, refused.retry_ms is not None) == (says, again)
    assert not {"10.1.2.3", "models"} & set(re.split(r"[ :/,]", refused.message))


def test_what_goes_wrong_behind_is_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made:
            says = "protocol is restricted at ipv4:10.1.2.3"
            here.responder.refuse = {"a": (grpc.StatusCode.UNIMPLEMENTED, "at ipv4:10.1.2.3"),
                                     "b": (grpc.StatusCode.UNAVAILABLE, says)}  # fmt: skip
            raw = Raw(made)
            await raw.hello()
            await raw.send(item("a"), item("b"))
            for _ in range(2):
                refusal = (await raw.answer()).refusal
                assert (refusal.code, refusal.retry_after_ms) == ("internal", 1_000)
                assert "10.1.2.3" not in refusal.message
            lines = [
                line for line in capsys.readouterr().err.splitlines() if "behind_refused" in line
            ]
            assert len(lines) == 2
            assert "ipv4:10.1.2.3" in lines[0] + lines[1]
            assert "access token" in lines[0] + lines[1]

    go(test())


def test_a_log_that_cannot_be_written_costs_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made:
            with (
                open("/dev/full", "w", buffering=1, encoding="utf-8") as full,
                monkeypatch.context() as patch,
            ):
                patch.setattr("sys.stderr", full)
                raw = Raw(made)
                await raw.hello()
                await raw.send(*(item(str(number)) for number in range(20)))
                for _ in range(20):
                    assert (await raw.answer(within_s=5)).HasField("row")
                with contextlib.suppress(OSError):
                    full.close()

    go(test())


@pytest.mark.parametrize("how", ["cancel", "hang up"])
def test_a_caller_who_goes_leaves_nothing_behind(how: str) -> None:
    async def test() -> None:
        async with running(Shares(places=4)) as here:
            here.responder.open.clear()
            async with channel(here) as made:
                raw = Raw(made)
                await raw.hello()
                await raw.send(*(item(str(number)) for number in range(20)))
                await until(lambda: here.number("waiting") == 16, "sixteen wait")
                assert here.number("at_server") == 4
                if how == "cancel":
                    raw.call.cancel()
                    await until(lambda: here.number("waiting") == 0, "nobody waits")
            await until(lambda: here.number("waiting") == 0, "nobody waits")
            assert here.number("streams", client="local") == 0
            # The server cannot be told: what it has is the client's until it is done.
            assert (here.number("at_server"), here.responder.cancelled) == (4, 0)
            here.responder.open.set()
            await until(lambda: here.in_hand() == 0, "nothing in hand")
            async with client(here) as other:
                assert (await other.score(item())).HasField("row")
            assert here.number("streams_ended_total", how="gone") == 1
            assert here.number("images_total", client="local", outcome="gone") == 20

    go(test())


def test_an_image_that_comes_as_its_stream_ends_leaves_nothing_behind() -> None:
    """At each step of the end: also where its task is cancelled before it has begun."""

    async def test() -> None:
        async with running() as here, channel(here) as made:
            here.responder.open.clear()
            data = v1.StreamRequest(item=item()).SerializeToString()
            for steps in range(8):
                raw = Raw(made)
                await raw.hello()
                (session,) = here.gateway.sessions
                session.end(revoked())
                for _ in range(steps):
                    await asyncio.sleep(0)
                session._receive(data)
                assert (await raw.status())[0] is grpc.StatusCode.UNAUTHENTICATED
                await until(lambda: not here.gateway.sessions, "no stream")
                assert here.number("waiting") == 0, steps
                here.responder.open.set()
                await until(lambda: here.in_hand() == 0, f"nothing in hand after {steps} steps")
                here.responder.open.clear()

    go(test())


def test_items_that_fail_end_the_callers_stream() -> None:
    async def test() -> None:
        def items() -> Any:
            yield item("a")
            raise OSError("disk")

        async with running() as here, client(here) as caller:
            with pytest.raises(OSError, match="disk"):
                async for _ in caller.stream(items()):
                    pass
            await until(lambda: here.number("streams", client="local") == 0, "no stream")

    go(test())


def test_draining() -> None:
    """What is in hand is answered, what is new is refused, and the caller knows which is which."""

    async def test() -> None:
        async with running(Shares(window=4)) as here, channel(here) as made, client(here) as other:
            here.responder.open.clear()
            raw = Raw(made)
            await raw.hello()
            await raw.send(item("a"), item("b"))
            await until(lambda: here.responder.at_once == 2, "both at the server")
            answers = other.stream([item("c")])
            third = asyncio.create_task(anext(answers))
            await until(lambda: here.responder.at_once == 3, "all at the server")
            here.gateway.stop()
            while not (response := await raw.next()).HasField("draining"):
                pass
            assert response.draining.within_ms == 5_000
            credits = raw.credits
            await raw.send(item("late"))
            answer = await raw.answer()
            assert (answer.id, answer.refusal.code) == ("late", "unavailable")
            assert answer.refusal.retry_after_ms > 0
            here.responder.open.set()
            assert {(await raw.answer()).id for _ in range(2)} == {"a", "b"}
            assert raw.credits == credits - 1
            code, says = await raw.status()
            assert (code, "what was in hand is answered" in says) == (
                grpc.StatusCode.UNAVAILABLE,
                True,
            )
            assert (await third).HasField("row")
            with pytest.raises(StopAsyncIteration):
                await anext(answers)

    go(test())


def test_what_is_in_hand_too_long_is_cut_off() -> None:
    async def test() -> None:
        async with running(drain_s=0.3) as here, client(here) as caller:
            here.responder.open.clear()
            answers = caller.stream([item("never"), item("nor this")])
            waiting = asyncio.create_task(anext(answers))
            await until(lambda: here.responder.at_once == 2, "both at the server")
            here.gateway.stop()
            with pytest.raises(StreamEnded) as caught:
                await waiting
            assert set(caught.value.unanswered) == {"never", "nor this"}

    go(test())


def test_a_flood_of_one_leaves_the_others_their_share() -> None:
    async def test() -> None:
        shares = Shares(places=4, queue=16, share=0.5, window=32, streams_per_client=8)
        tokens = "flood 0123456789abcdef-1\nother 0123456789abcdef-2\n"
        async with with_tokens(tokens, shares=shares) as here, channel(here) as made:
            here.responder.open.clear()
            floods = [Raw(made, bearer("0123456789abcdef-1")) for _ in range(8)]
            for raw in floods:
                await raw.hello()
            for stream, raw in enumerate(floods):
                await raw.send(*(item(f"f{stream} {number}") for number in range(30)))
            await until(lambda: here.number("in_hand", client="flood") == 10, "his share")
            other = Raw(made, bearer("0123456789abcdef-2"))
            await other.hello()
            assert other.credits >= 4
            await other.send(*(item(f"o {number}") for number in range(4)))
            await until(lambda: here.number("in_hand", client="other") == 4, "all taken")
            here.responder.open.set()
            for _ in range(4):
                assert (await other.answer()).HasField("row")
            # Four of the flood were at the server before him; then it was turn by turn.
            order = here.responder.images
            last = max(order.index(f"o {number}") for number in range(4))
            assert last <= 4 + 2 * 4
            for raw in floods:
                raw.call.cancel()

    go(test())
