"""A gateway in this process, with a responder behind it; and callers that follow no rule."""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from physgauge.gateway.client import GatewayClient
from physgauge.gateway.server import Gateway
from physgauge.gateway.settings import Backend, GatewaySettings, Limits, Shares
from physgauge.v1 import gateway_pb2 as v1
from tests.gateway.responder import Responder

IMAGE = (Path(__file__).parents[2] / "examples/scenes/car_01.jpg").read_bytes()
STREAM = "/physgauge.v1.Gateway/Stream"
SCORE = "/physgauge.v1.Gateway/Score"


@dataclass
class Running:
    """What a test has to do with."""

    gateway: Gateway
    responder: Responder

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.gateway.port}"

    def number(self, name: str, **labels: str) -> float:
        """A metric; 0 where there is none."""
        return self.gateway.metrics.registry.get_sample_value(
            f"physgauge_gateway_{name}", labels
        ) or 0.0  # fmt: skip

    def in_hand(self) -> float:
        return self.number("at_server") + self.number("waiting") + self.number("bytes_in_hand")


def settings(
    responder: str, shares: Shares | None = None, limits: Limits | None = None, **more: Any
) -> GatewaySettings:
    """On free ports; quick to look at the server."""
    made = GatewaySettings(
        port=0,
        metrics_port=0,
        backend=Backend((responder,), check_s=0.05, check_timeout_s=2.0),
        shares=shares or Shares(),
        limits=limits or Limits(),
        drain_s=5.0,
    )
    return dataclasses.replace(made, **more)


@asynccontextmanager
async def running(
    shares: Shares | None = None,
    limits: Limits | None = None,
    *,
    caller_loses_a_task: bool = False,
    **more: Any,
) -> AsyncIterator[Running]:
    """A gateway that is ready. Whatever happened, nothing may be left in it in the end.

    Args:
        shares: of its settings.
        limits: of its settings.
        caller_loses_a_task: the test's own gRPC client is cut off while it writes, and then never ends
            the task that waits for its status.
        more: of its settings.
    """
    before = asyncio.all_tasks()
    async with Responder() as responder:
        gateway = Gateway(settings(responder.address, shares, limits, **more))
        task = asyncio.create_task(gateway.run())
        try:
            made = Running(gateway, responder)
            await until(lambda: task.done() or made.number("ready") == 1, "ready")
            yield made
            responder.open.set()  # what it has is somebody's until it is done
            await until(lambda: made.in_hand() == 0, "nothing in hand")
        finally:
            gateway.stop()
            await task

    def left() -> list[asyncio.Task[Any]]:
        tasks = asyncio.all_tasks() - before
        return [t for t in tasks if not (caller_loses_a_task and "_AioCall" in repr(t))]

    await until(lambda: not left(), "no tasks")


async def until(what: Callable[[], bool], name: str, within_s: float = 10.0) -> None:
    """Wait for something that will be so."""
    try:
        async with asyncio.timeout(within_s):
            while not what():
                await asyncio.sleep(0.005)
    except TimeoutError:
        left = [str(task) for task in asyncio.all_tasks()]
        raise AssertionError(f"not in {within_s} s: {name}; tasks: {left}") from None


def item(
    item_id: str = "a", image: bytes = IMAGE, deadline_ms: int = 20_000, **more: Any
) -> v1.Item:
    return v1.Item(id=item_id, image=image, deadline_ms=deadline_ms, **more)


def client(where: Running, token: str | None = None) -> GatewayClient:
    return GatewayClient(where.address, token=token)


@asynccontextmanager
async def channel(where: Running, *options: tuple[str, Any], **more: Any) -> AsyncIterator[Any]:
    """A connection of its own, with the message limits off."""
    given = [
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", -1),
        *options,
    ]
    made = grpc.aio.insecure_channel(where.address, given, **more)
    try:
        yield made
    finally:
        await made.close()


class Raw:
    """A stream by hand: bytes out, responses in; a credit is what one makes of it."""

    def __init__(self, made: Any, metadata: Any = None) -> None:
        self.call = made.stream_stream(STREAM)(metadata=metadata)
        self.credits = 0

    async def hello(self) -> v1.Welcome:
        response = await self.next()
        assert response.HasField("welcome"), response
        return response.welcome

    async def next(self, within_s: float = 10.0) -> v1.StreamResponse:
        async with asyncio.timeout(within_s):
            data = await self.call.read()
        assert isinstance(data, bytes), await self.call.details()
        response: v1.StreamResponse = v1.StreamResponse.FromString(data)
        self.credits += response.credits
        return response

    async def answer(self, within_s: float = 10.0) -> v1.Answer:
        """The next answer, whatever credits come before it."""
        while not (response := await self.next(within_s)).HasField("answer"):
            pass
        return response.answer

    async def send(self, *items: v1.Item) -> None:
        for one in items:
            await self.bytes(v1.StreamRequest(item=one).SerializeToString())

    async def bytes(self, data: bytes) -> None:
        self.credits -= 1
        await self.call.write(data)

    async def status(self, within_s: float = 10.0) -> tuple[grpc.StatusCode, str]:
        """How the stream ended; what comes before that is read and dropped."""
        async with asyncio.timeout(within_s):
            try:
                while isinstance(await self.call.read(), bytes):
                    pass
            except grpc.aio.AioRpcError:
                pass
            return await self.call.code(), await self.call.details()


async def status_of(call: Awaitable[Any]) -> tuple[grpc.StatusCode, str]:
    """How a unary call failed."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return error.code(), error.details() or ""
    raise AssertionError(f"expected a refusal, got {answer!r:.200}")


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


@asynccontextmanager
async def with_tokens(text: str, **more: Any) -> AsyncIterator[Running]:
    """A gateway with a token file of these lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokens")
        path.write_text(text, encoding="ascii")
        async with running(tokens=path, **more) as here:
            yield here
