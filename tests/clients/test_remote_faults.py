"""What the client makes of servers that break the contract, fall silent, or come and go."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

import grpc
import numpy as np
import pytest

from physgauge import wire
from physgauge.clients import AsyncClient, Client, Input, Stats
from physgauge.clients.remote.connection import Door
from physgauge.clients.remote.dispatch import Dispatch
from physgauge.clients.remote.faults import Blame, failure
from physgauge.clients.remote.suspects import SUSPECT, Suspects
from physgauge.contract import TOKEN_HEADER, message_of
from physgauge.errors import ConfigError, RequestError
from tests.clients.rogue import Rogue, answer, error_answer, image_of, options_of, row_of

T = TypeVar("T")


def within(work: Coroutine[Any, Any, T], seconds: float = 60.0) -> T:
    """Run it; nothing may be left behind."""

    async def watched() -> T:
        result = await asyncio.wait_for(work, seconds)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    result = asyncio.run(watched())
    until_no_threads()
    return result


def until_no_threads() -> None:
    for _ in range(200):
        ours = [t for t in threading.enumerate() if t.name.startswith("physgauge-")]
        if not ours:
            return
        threading.Event().wait(0.02)
    raise AssertionError(f"threads left: {ours}")


async def rows_of(
    address: str, images: Any, ordered: bool = True, **options: Any
) -> tuple[list[wire.Row], Stats]:
    async with AsyncClient(address, **options) as client:
        rows = [row async for row in client.score(images, ordered=ordered)]
        return rows, client.stats


def named(count: int) -> list[tuple[str, bytes]]:
    return [(f"i{n}", b"%d" % n) for n in range(count)]


def ids(rows: list[wire.Row]) -> list[str]:
    return [row.image_id for row in rows]


@pytest.mark.parametrize(
    ("status", "message", "blame", "code"),
    [
        ("INVALID_ARGUMENT", "unexpected shape", Blame.REQUEST, "request_invalid"),
        ("UNAVAILABLE", "Exceeds maximum queue size", Blame.FULL, "overloaded"),
        ("UNAVAILABLE", message_of(RequestError("overloaded", "full")), Blame.FULL, "overloaded"),
        ("UNAVAILABLE", message_of(RequestError("unavailable", "x")), Blame.AWAY, "unavailable"),
        ("UNAVAILABLE", "failed to connect to all addresses", Blame.AWAY, "unavailable"),
        ("UNAVAILABLE", "Socket closed", Blame.LOST, "unavailable"),
        ("UNKNOWN", "Stub process is not healthy", Blame.LOST, "unavailable"),
        ("INTERNAL", "Stub process is not healthy", Blame.LOST, "unavailable"),
        ("INTERNAL", message_of(RequestError("internal", "x")), Blame.FAULT, "internal"),
        ("CANCELLED", message_of(RequestError("deadline_exceeded", "x")), Blame.LATE, "deadline_exceeded"),
        ("DEADLINE_EXCEEDED", "Deadline Exceeded", Blame.SILENT, "deadline_exceeded"),
        ("UNAVAILABLE", "This protocol is restricted, expecting header 'x'", Blame.REQUEST, "request_invalid"),
    ],
)  # fmt: skip
def test_whose_fault(status: str, message: str, blame: Blame, code: str) -> None:
    found = failure(status, message)
    assert (found.blame, found.error.code) == (blame, code)


@pytest.mark.parametrize("ordered", [True, False])
def test_one_row_an_input(ordered: bool) -> None:
    slow = threading.Event()

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        if options_of(request)["image_id"] == "i0":
            slow.wait(10)
        elif options_of(request)["image_id"] == "i59":
            slow.set()
        return answer(request)

    with Rogue(behave) as server:
        rows, stats = within(rows_of(server.address, named(60), ordered))
    assert sorted(ids(rows)) == sorted(f"i{n}" for n in range(60))
    assert (ids(rows) == [f"i{n}" for n in range(60)]) is ordered
    assert ordered or ids(rows).index("i0") > 30  # nobody waits for the slow one
    assert (stats.sent, stats.rows, stats.errors, stats.retries) == (60, 60, 0, 0)
    assert stats.p50_ms is not None
    assert stats.p99_ms is not None
    assert stats.p99_ms >= stats.p50_ms > 0


def test_what_is_sent() -> None:
    options = {"domain": "car", "extra": {"a": "b"}, "source": "s", "timeout_ms": 7000}
    with Rogue() as server:
        (row,), _ = within(
            rows_of(server.address, [("x", b"\0tail\0\0", "a car", options)], token="t" * 16)
        )
        (request,) = server.requests
        assert server.metadata[TOKEN_HEADER] == "t" * 16
    assert image_of(request) == b"\0tail\0\0"
    assert request.raw_input_contents[1][4:] == b"a car"
    assert [output.name for output in request.outputs] == ["RESULT"]
    sent = options_of(request)
    assert (sent["image_id"], sent["domain"], sent["extra"]) == ("x", "car", {"a": "b"})
    assert 5000 < sent["timeout_ms"] <= 7000
    assert (row.source, row.extra) == ("s", {"a": "b"})


def test_duplicate_ids_have_a_row_each() -> None:
    with Rogue() as server:
        images = [("same", b"%d" % n, None, {"extra": {"n": str(n)}}) for n in range(20)]
        rows, _ = within(rows_of(server.address, images))
        assert len({request.id for request in server.requests}) == 20
    assert [row.extra["n"] for row in rows] == [str(n) for n in range(20)]


def mixed_up_request(request: Any) -> Any:
    return answer(request, request_id="another")


def mixed_up_row(request: Any) -> Any:
    return answer(request, row_of({**options_of(request), "image_id": "another"}))


def no_row(request: Any) -> Any:
    return answer(request, b'{"image_id": "x"}')


def no_output(request: Any) -> Any:
    made = answer(request)
    made.outputs[0].name = "SCORES"
    return made


def cut_output(request: Any) -> Any:
    made = answer(request)
    made.raw_output_contents[0] = made.raw_output_contents[0][:-1]
    return made


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (mixed_up_request, "expected the answer to request"),
        (mixed_up_row, "expected the row of 'i3', got that of 'another'"),
        (no_row, "expected a result row"),
        (no_output, "expected an output RESULT"),
        (cut_output, "expected one element in RESULT"),
    ],
)
@pytest.mark.parametrize("times", [1, 100])
def test_a_wrong_answer_is_never_passed_on(wrong: Any, words: str, times: int) -> None:
    left = Counter({"i3": times})

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        if left[options_of(request)["image_id"]] > 0:
            left[options_of(request)["image_id"]] -= 1
            return wrong(request)
        return answer(request)

    with Rogue(behave) as server:
        rows, stats = within(rows_of(server.address, named(8), retries=2))
    assert ids(rows) == [f"i{n}" for n in range(8)]
    failed = [row for row in rows if row.error_code]
    if times == 1:
        assert not failed
        assert stats.retries == 1
    else:
        (row,) = failed
        assert (row.image_id, row.error_code, row.pcmde.status) == ("i3", "internal", "error")
        assert words in (row.error or "")
        assert "3 tries" in (row.error or "")
        assert stats.errors == 1


def refusing(code: str, status: grpc.StatusCode, times: int) -> Any:
    left, lock = Counter[str](), threading.Lock()

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        with lock:
            left[request.id] += 1
            refused = left[request.id] <= times
        if refused:
            context.abort(status, message_of(RequestError(code, "not now")))
        return answer(request)

    return behave


def test_rejects_are_retried_and_shrink_the_window() -> None:
    with Rogue(refusing("overloaded", grpc.StatusCode.UNAVAILABLE, 2)) as server:
        rows, stats = within(rows_of(server.address, named(30), retries=1))
    assert ids(rows) == [f"i{n}" for n in range(30)]
    assert not [row for row in rows if row.error_code]
    assert stats.rejects == 60
    assert stats.window < 8
    assert stats.endpoints[0].ejections == 0


def test_faults_are_retried_a_stated_number_of_times() -> None:
    with Rogue(refusing("internal", grpc.StatusCode.INTERNAL, 2)) as server:
        rows, _ = within(rows_of(server.address, named(5), retries=2))
        assert not [row for row in rows if row.error_code]
        rows, _ = within(rows_of(server.address, named(5), retries=1))
    assert [row.error_code for row in rows] == ["internal"] * 5


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("overloaded", grpc.StatusCode.UNAVAILABLE),
        ("unavailable", grpc.StatusCode.UNAVAILABLE),
        ("internal", grpc.StatusCode.INTERNAL),
    ],
)
def test_without_retries_nothing_is_sent_twice(code: str, status: grpc.StatusCode) -> None:
    with Rogue(refusing(code, status, 1)) as server:
        rows, stats = within(rows_of(server.address, named(1), retries=0))
        assert len(server.requests) == 1
    assert [row.error_code for row in rows] == [code]
    assert rows[0].error == "not now"
    assert stats.retries == 0


def test_what_breaks_the_contract_is_sent_once() -> None:
    with Rogue(refusing("request_invalid", grpc.StatusCode.INVALID_ARGUMENT, 99)) as server:
        rows, stats = within(rows_of(server.address, named(3)))
        assert len(server.requests) == 3
        with pytest.raises(RequestError, match="not now") as caught:
            within(one_row(server.address, b"x"))
    assert [row.error_code for row in rows] == ["request_invalid"] * 3
    assert caught.value.code == "request_invalid"
    assert stats.endpoints[0].ejections == 0


async def one_row(address: str, image: Any, **options: Any) -> wire.Row:
    async with AsyncClient(address, **options) as client:
        return await client.row(image)


def test_error_rows_of_the_clients_own_say_what_the_servers_do() -> None:
    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        if not image_of(request):
            return error_answer(request, "image_empty")
        return answer(request)

    images = [5, b"good", "/nowhere.jpg", ("c", b"x", 7), np.zeros((2, 2), np.uint8), ("one part",)]
    with Rogue(behave) as server:
        rows, stats = within(rows_of(server.address, images))
        assert len(server.requests) == 2  # the good one, and one question
    assert [row.error_code for row in rows] == [
        "image_format", None, "image_unreadable", "caption_invalid", "image_format", "request_invalid",
    ]  # fmt: skip
    assert ids(rows) == ["0", "1", "/nowhere.jpg", "c", "4", "5"]
    made = [row.provenance for row in rows if row.error_code not in (None, "request_invalid")]
    assert made == [wire.Provenance(physgauge="9.9", profile="rogue")] * 4
    assert "got builtins.int" in (rows[0].error or "")
    assert "expected text or None, got int" in (rows[3].error or "")
    assert "got uint8 [2, 2]" in (rows[4].error or "")
    assert (stats.rows, stats.errors) == (1, 5)


def test_a_good_row_does_not_say_what_error_rows_are_about() -> None:
    async def work() -> list[wire.Row]:
        async with AsyncClient(server.address) as client:
            return [await client.row(image) for image in (b"good", "/nowhere.jpg")]

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        return answer(request) if image_of(request) else error_answer(request, "image_empty")

    with Rogue(behave) as server:
        good, bad = within(work())
    assert (good.provenance.decoder, bad.provenance.decoder) == ("d", None)
    assert bad.provenance.profile == "rogue"


def test_a_silent_server_loses_its_images_to_another() -> None:
    hang = threading.Event()

    def silent(request: Any, context: grpc.ServicerContext) -> Any:
        hang.wait(30)
        return answer(request)

    try:
        with Rogue(silent) as deaf, Rogue() as good:
            rows, stats = within(
                rows_of(f"{deaf.address},{good.address}", named(40), attempt_s=1.0)
            )
            hang.set()
            assert len(good.requests) == 40
    finally:
        hang.set()
    assert ids(rows) == [f"i{n}" for n in range(40)]
    assert not [row for row in rows if row.error_code]
    assert [one.ejections > 0 for one in stats.endpoints] == [True, False]


def test_who_is_silent_to_one_is_silent_to_all() -> None:
    """The images that it has do not wait for their own time."""
    hang, asked = threading.Event(), 0

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        nonlocal asked
        asked += 1
        if asked <= 8:
            hang.wait(60)
        return answer(request)

    with Rogue(behave) as server:
        images = [Input(b"x", "short", timeout_s=1.0), *named(7)]
        rows, stats = within(rows_of(server.address, images, timeout_s=60, attempt_s=60), 20)
        hang.set()
    assert [row.error_code for row in rows] == ["deadline_exceeded"] + [None] * 7
    assert stats.endpoints[0].ejections == 1


def test_a_place_that_comes_as_the_caller_goes_is_given_back() -> None:
    async def work() -> None:
        dispatch = Dispatch([server.address], Door.of(None, None), 1)
        first = await dispatch.lease()
        waiting = asyncio.create_task(dispatch.lease())
        await asyncio.sleep(0.1)
        dispatch._ended(first, None, dropped=True)  # the place goes to who waits,
        waiting.cancel()  # who goes before it knows
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.wait_for(dispatch.lease(), 5)
        await dispatch.close()

    with Rogue() as server:
        within(work())


def test_calls_to_all_servers_together_are_bounded() -> None:
    hold = threading.Event()

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        hold.wait(20)
        return answer(request)

    async def work() -> None:
        servers = f"{first.address},{second.address}"
        async with AsyncClient(servers, max_window=5) as client:
            tasks = [asyncio.create_task(client.row(b"x")) for _ in range(14)]
            await asyncio.sleep(0.5)
            assert first.out + second.out == 5
            hold.set()
            await asyncio.gather(*tasks)

    with Rogue(behave) as first, Rogue(behave) as second:
        within(work())


def test_an_input_that_brings_servers_down_takes_no_other_with_it() -> None:
    crashes = 0

    def crash(context: grpc.ServicerContext) -> None:
        context.abort(grpc.StatusCode.INTERNAL, "Stub process 'rules_0' is not healthy.")

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        nonlocal crashes
        seen = crashes
        if image_of(request) == b"3":
            time.sleep(0.1)
            crashes += 1
            crash(context)
        for _ in range(40):  # in hand
            time.sleep(0.01)
            if crashes > seen:
                crash(context)
        return answer(request)

    with Rogue(behave) as server:
        rows, _ = within(rows_of(server.address, named(12), retries=2, max_window=8))
    assert ids(rows) == [f"i{n}" for n in range(12)]
    assert [row.image_id for row in rows if row.error_code] == ["i3"]
    assert crashes == 3


def test_suspects_go_one_at_a_time() -> None:
    async def work() -> None:
        suspects, loop = Suspects(), asyncio.get_running_loop()
        out, most = Counter[bool](), Counter[bool]()

        async def go(losses: int, deadline: float) -> bool:
            suspect = losses >= SUSPECT
            async with suspects.turn(losses, deadline):
                out[suspect] += 1
                most[suspect] = max(most[suspect], out[suspect])
                await asyncio.sleep(0.02)
                out[suspect] -= 1
                if losses == 3:
                    raise OSError
            return loop.time() > deadline

        later = loop.time() + 30
        losses = [0, 1, 2, 3, 4, 0, 1, 2, 3]
        await asyncio.gather(*(go(n, later) for n in losses), return_exceptions=True)
        assert most == {True: 1, False: 4}
        async with suspects.turn(2, later):
            assert await go(2, loop.time() + 0.1)  # the wait is over with its time

    within(work())


def test_a_dead_server_and_one_that_comes_back() -> None:
    async def work() -> None:
        with Rogue() as first:
            port = first.port
            async with AsyncClient(f"127.0.0.1:1,{first.address}", timeout_s=30) as client:
                assert (await client.row(b"a")).error_code is None
                first.stop()
                pending = [asyncio.create_task(client.row(b"b")) for _ in range(5)]
                await asyncio.sleep(0.5)
                assert not any(task.done() for task in pending)
                with Rogue(port=port):
                    rows = await asyncio.gather(*pending)
                assert [row.error_code for row in rows] == [None] * 5

    within(work())


def test_nobody_there() -> None:
    with pytest.raises(
        RequestError, match=r"expected a server within 0\.5 s.*127\.0\.0\.1:1: "
    ) as e:
        within(one_row("127.0.0.1:1", b"x", timeout_s=0.5))
    assert e.value.code == "unavailable"
    rows, _ = within(rows_of("127.0.0.1:1", ["/nowhere.jpg", b"x"], timeout_s=0.5))
    assert [row.error_code for row in rows] == ["image_unreadable", "unavailable"]
    assert rows[0].provenance.profile == ""


def test_an_outage_is_waited_for_once() -> None:
    """Not by each input anew; and it ends when a server is back."""

    async def work() -> list[wire.Row]:
        with Rogue() as first:
            port = first.port
            async with AsyncClient(first.address, timeout_s=1.0) as client:
                await client.row(b"x")
                first.stop()
                rows = [row async for row in client.score(named(300))]
                assert not client._opened().dispatch._waiting  # however long it lasts
                with Rogue(port=port):
                    for _ in range(100):
                        await asyncio.sleep(0.1)
                        try:
                            await client.row(b"x")
                            break
                        except RequestError:
                            continue
                    rows += [row async for row in client.score(named(3))]
        return rows

    rows = within(work(), 25)  # one after the other they would take 75 s
    assert sorted(ids(rows[:300])) == sorted(f"i{n}" for n in range(300))
    assert {row.error_code for row in rows[:300]} == {"unavailable"}
    assert [row.error_code for row in rows[300:]] == [None] * 3


def test_the_time_of_an_input_is_over() -> None:
    stop = threading.Event()

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        if image_of(request) == b"slow":
            stop.wait(30)
        return answer(request)

    with Rogue(behave) as server:
        images = [b"ok", Input(b"slow", timeout_s=0.6), b"ok"]
        rows, _ = within(rows_of(server.address, images, timeout_s=30))
        stop.set()
    assert [row.error_code for row in rows] == [None, "deadline_exceeded", None]


def test_who_lingers_hears_from_the_server_that_the_time_is_over() -> None:
    def behave(_: Any, context: grpc.ServicerContext) -> Any:
        threading.Event().wait(0.5)
        context.abort(
            grpc.StatusCode.CANCELLED, message_of(RequestError("deadline_exceeded", "too late"))
        )

    for linger_s, says, cancelled in ((0.0, "Deadline Exceeded", 1), (20.0, "too late", 0)):
        with Rogue(behave) as server:
            rows, stats = within(
                rows_of(server.address, named(1), timeout_s=0.2, linger_s=linger_s)
            )
            assert rows[0].error_code == "deadline_exceeded"
            assert says in str(rows[0].error)  # gRPC puts words of its own around it at times
            assert options_of(server.requests[0])["timeout_ms"] <= 200
            end = time.monotonic() + 10  # the server hears of it a moment later
            while server.cancelled < cancelled and time.monotonic() < end:
                time.sleep(0.01)
            assert (stats.sent, server.cancelled) == (1, cancelled)


class Counted:
    """Images, counted as they are taken."""

    def __init__(self, count: int) -> None:
        self.count, self.taken = count, 0

    def __iter__(self) -> Any:
        for n in range(self.count):
            self.taken = n + 1
            yield (str(n), b"x")


@pytest.mark.parametrize("ordered", [True, False])
def test_inputs_are_read_only_as_far_ahead_as_there_is_room(ordered: bool) -> None:
    hold, images = threading.Event(), Counted(10_000)

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        hold.wait(30)
        return answer(request)

    async def work() -> None:
        async with AsyncClient(server.address, max_window=20) as client:
            rows = client.score(images, ordered=ordered)
            first = asyncio.ensure_future(anext(rows))
            await asyncio.sleep(0.5)
            assert server.most_out == 8
            assert images.taken <= 8 + 4 + 1
            hold.set()
            await first
            await asyncio.sleep(1.0)  # nobody takes rows: so nothing is read
            assert images.taken <= 1 + 20 + 1
            await rows.aclose()

    with Rogue(behave) as server:
        within(work())


def test_an_async_iterable_and_one_that_fails() -> None:
    async def endless() -> AsyncIterator[bytes]:
        for n in range(5):
            yield b"%d" % n
        raise OSError("the camera is gone")

    async def work() -> list[wire.Row]:
        found: list[wire.Row] = []
        async with AsyncClient(server.address) as client:
            rows = client.score(endless())
            for _ in range(5):
                found.append(await anext(rows))
            with pytest.raises(OSError, match="the camera is gone"):
                await anext(rows)
        return found

    with Rogue() as server:
        assert sorted(ids(within(work()))) == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("images", ["a.jpg", b"x", 7, np.zeros((4, 4, 3), np.uint8), ("a", b"x")])
def test_one_image_in_place_of_many(images: Any) -> None:
    with Rogue() as server, pytest.raises(TypeError, match="put a single image into a list"):
        within(rows_of(server.address, images))


@pytest.mark.parametrize("how", ["break", "cancel", "close", "aclose"])
def test_whoever_stops_leaves_nothing_behind(how: str) -> None:
    hold = threading.Event()

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        if image_of(request) != b"0":
            hold.wait(10)
        return answer(request)

    async def through(client: AsyncClient) -> None:
        async for _ in client.score(b"%d" % n for n in range(1000)):
            if how == "break":
                break

    async def work() -> None:
        async with AsyncClient(server.address) as client:
            if how == "break":
                await through(client)
                await asyncio.sleep(0.2)
                assert client.stats.endpoints[0].in_flight == 0
                assert len(asyncio.all_tasks()) == 2  # this one, and `within`
            elif how == "aclose":
                rows = client.score(b"%d" % n for n in range(1000))
                await anext(rows)
                await rows.aclose()
                assert client.stats.endpoints[0].in_flight == 0
            else:
                task = asyncio.create_task(through(client))
                await asyncio.sleep(0.5)
                if how == "cancel":
                    task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await task
                    assert client.stats.endpoints[0].in_flight == 0
                else:
                    await client.close()
                    with pytest.raises(RequestError, match="one that was closed"):
                        await task

    with Rogue(behave) as server:
        within(work())
        for _ in range(100):
            if server.cancelled:
                break
            threading.Event().wait(0.02)
        assert server.cancelled > 0  # the server was told
        hold.set()


def test_leaving_while_a_generator_blocks() -> None:
    """It is advanced in a thread of its own, always the same: rows go on, and so does who leaves."""
    more, threads = threading.Event(), set[str]()

    def images() -> Iterator[bytes]:
        for _ in range(3):
            threads.add(threading.current_thread().name)
            yield b"x"
        more.wait(20)

    with Rogue() as server, Client(server.address) as client:
        rows = client.score(images())
        assert [next(rows).error_code for _ in range(3)] == [None] * 3
        rows.close()
        assert not more.is_set()
        assert threads == {"physgauge-input_0"}
    more.set()
    until_no_threads()


def test_a_row_that_is_given_up_frees_its_place() -> None:
    hold = threading.Event()

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        hold.wait(10)
        return answer(request)

    async def work() -> None:
        async with AsyncClient(server.address, max_window=2) as client:
            tasks = [asyncio.create_task(client.row(b"x")) for _ in range(6)]  # 2 sent, 4 wait
            await asyncio.sleep(0.3)
            for task in tasks[:4]:
                task.cancel()
            await asyncio.sleep(0.3)
            hold.set()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert [type(one) for one in done] == [asyncio.CancelledError] * 4 + [wire.Row] * 2
            assert client.stats.endpoints[0].in_flight == 0

    with Rogue(behave) as server:
        within(work())


def test_blocking_in_threads_and_within_a_loop() -> None:
    def through(client: Client, number: int) -> list[str]:
        return ids(list(client.score([(f"{number}-{n}", b"x") for n in range(20)], ordered=True)))

    async def within_a_loop() -> list[str]:
        with Client(server.address) as client:
            return ids(list(client.score(named(5), ordered=True)))

    with Rogue() as server:
        assert asyncio.run(within_a_loop()) == [f"i{n}" for n in range(5)]
        with Client(server.address) as client:
            found: dict[int, list[str]] = {}
            threads = [
                threading.Thread(target=lambda n=n: found.update({n: through(client, n)}))
                for n in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
            assert found == {n: [f"{n}-{k}" for k in range(20)] for n in range(4)}
            for row in client.score(named(1000)):
                assert row.image_id.startswith("i")
                break
            assert client.row(b"x").image_id == "0"
        with pytest.raises(RequestError, match="one that was closed"):
            client.row(b"x")
        client.close()
    until_no_threads()


def test_closing_wakes_a_thread_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    hold = threading.Event()
    ended: list[BaseException] = []

    def behave(request: Any, context: grpc.ServicerContext) -> Any:
        hold.wait(20)
        return answer(request)

    def read_slowly(image: object, most_bytes: int) -> bytes:  # as from a disk far away
        hold.wait(20)
        return b"x"

    monkeypatch.setattr("physgauge.clients.remote.delivery.encode", read_slowly)

    def wait(work: Any) -> None:
        try:
            work()
        except RequestError as error:
            ended.append(error)

    with Rogue(behave) as server:
        client = Client(server.address)
        works = [
            lambda: client.row(b"x"),
            lambda: client.row("slow.jpg"),
            lambda: list(client.score(named(3))),
        ]
        threads = [threading.Thread(target=wait, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        threading.Event().wait(0.5)
        client.close()
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()
        hold.set()
    assert [type(error) for error in ended] == [RequestError] * 3
    until_no_threads()


def test_a_second_event_loop_is_refused() -> None:
    with Rogue() as server:
        client = AsyncClient(server.address)

        async def use() -> None:
            await client.row(b"x")

        async def use_again() -> None:
            with pytest.raises(RuntimeError, match="expected one event loop"):
                await client.row(b"x")

        loop = asyncio.new_event_loop()
        loop.run_until_complete(use())
        asyncio.run(use_again())
        loop.run_until_complete(client.close())
        loop.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_window": 0}, "max_window: expected 1 to 4,096, got 0"),
        ({"timeout_s": float("nan")}, "timeout_s"),
        ({"timeout_s": "7"}, "timeout_s"),
        ({"retries": -1}, "retries"),
        ({"token": "two words"}, "token"),
        ({"token": "häh"}, "token"),
    ],
)
def test_numbers_that_are_wrong(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        AsyncClient("h:1", **options)
