"""Calls a gateway: a stream that keeps to its credits, single images. No more than gRPC is needed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from types import TracebackType
from typing import Any, Final, Self

import grpc

from physgauge.clients import Tls
from physgauge.errors import PhysgaugeError
from physgauge.v1 import gateway_pb2 as v1
from physgauge.v1 import gateway_pb2_grpc

Item = v1.Item
Options = v1.Options
Answer = v1.Answer

_OPTIONS: Final = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),  # a gateway allows a ping each 10 s
]


class StreamEnded(PhysgaugeError):
    """A stream has ended before all its images had an answer. Those may be sent again.

    Args:
        status: gRPC's name ("UNAVAILABLE").
        message: the gateway's.
        unanswered: ids of images that were sent and have no answer.
    """

    def __init__(self, status: str, message: str, unanswered: tuple[str, ...]) -> None:
        super().__init__(
            f"expected the stream to go on, got {status}: {message} "
            f"({len(unanswered)} images have no answer)"
        )
        self.status, self.unanswered = status, unanswered


class GatewayClient:
    """A connection to a gateway, within one event loop; use as an async context manager.

    Args:
        address: ``host:port``.
        token: the client's token; None = the gateway asks for none.
        tls: TLS, with or without a certificate of one's own; None = none.

    Raises:
        ConfigError: a TLS file that cannot be read.
    """

    def __init__(self, address: str, *, token: str | None = None, tls: Tls | None = None) -> None:
        if tls is None:
            self._channel = grpc.aio.insecure_channel(address, _OPTIONS)
        else:
            name = [] if tls.name is None else [("grpc.ssl_target_name_override", tls.name)]
            credentials = grpc.ssl_channel_credentials(*tls.read())
            self._channel = grpc.aio.secure_channel(address, credentials, [*_OPTIONS, *name])
        made: Any = gateway_pb2_grpc.GatewayStub
        self._stub = made(self._channel)
        self._metadata = None if token is None else (("authorization", f"Bearer {token}"),)

    async def score(self, item: v1.Item, timeout_s: float | None = None) -> v1.Answer:
        """One image.

        Args:
            item: `id` may be empty.
            timeout_s: the call's deadline; None: the item has one.

        Raises:
            grpc.aio.AioRpcError: the call, and not the image, went wrong.
        """
        request = v1.ScoreRequest(item=item)
        reply = await self._stub.Score(request, timeout=timeout_s, metadata=self._metadata)
        answer: v1.Answer = reply.answer
        return answer

    async def stream(
        self, items: AsyncIterable[v1.Item] | Iterable[v1.Item]
    ) -> AsyncGenerator[v1.Answer]:
        """One answer an item, as they come.

        Args:
            items: each with an id of its own and a `deadline_ms`; read only as far ahead as there are
                credits.

        Raises:
            StreamEnded: before all had an answer.
            Exception: whatever `items` raised; the stream is given up then.
        """
        call = self._stub.Stream(metadata=self._metadata)
        sender = _Sender(call, items)
        task = asyncio.create_task(sender.run())
        try:
            async for answer in _answers(call, sender):
                yield answer
            await task
            if sender.unanswered:
                raise StreamEnded("OK", "closed by the gateway", tuple(sender.unanswered))
        except asyncio.CancelledError:
            if task.done() and not task.cancelled():
                task.result()  # what `items` raised, which cancelled the call
            raise
        except grpc.aio.AioRpcError as error:
            status, said = error.code().name, error.details() or ""
            raise StreamEnded(status, said, tuple(sender.unanswered)) from None
        finally:
            task.cancel()
            call.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        """Hang up."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class _Sender:
    """Sends items while there are credits."""

    def __init__(self, call: Any, items: AsyncIterable[v1.Item] | Iterable[v1.Item]) -> None:
        self._call, self._items = call, items
        self._credits = asyncio.Semaphore(0)
        self.unanswered: dict[str, None] = {}

    def grant(self, credits: int) -> None:
        for _ in range(credits):
            self._credits.release()

    async def run(self) -> None:
        try:
            await self._credits.acquire()  # before the first item is asked for
            async for item in _each(self._items):
                if self._call.done():
                    break
                self.unanswered[item.id] = None
                await self._call.write(v1.StreamRequest(item=item))
                await self._credits.acquire()
            await self._call.done_writing()
        except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
            pass  # the call is over: its status says why
        except Exception:
            self._call.cancel()
            raise


async def _answers(call: Any, sender: _Sender) -> AsyncIterator[v1.Answer]:
    while isinstance(response := await call.read(), v1.StreamResponse):
        sender.grant(response.credits)
        if response.HasField("answer"):
            sender.unanswered.pop(response.answer.id, None)
            yield response.answer
    code = await call.code()
    if code is not grpc.StatusCode.OK:
        raise grpc.aio.AioRpcError(
            code, grpc.aio.Metadata(), grpc.aio.Metadata(), await call.details()
        )


async def _each(items: AsyncIterable[v1.Item] | Iterable[v1.Item]) -> AsyncIterator[v1.Item]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
