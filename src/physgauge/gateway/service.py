"""The calls of the service Gateway: who calls, how many calls he may have open, and the end of each."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, defaultdict
from typing import Any, Final

import grpc

from physgauge.gateway.access import Access, Caller, Denied
from physgauge.gateway.desk import Desk
from physgauge.gateway.metrics import Metrics
from physgauge.gateway.refusal import Refused
from physgauge.gateway.session import Ended, Session, revoked
from physgauge.gateway.settings import GatewaySettings
from physgauge.log import log
from physgauge.v1 import gateway_pb2 as v1

SERVICE: Final = v1.DESCRIPTOR.services_by_name["Gateway"].full_name
_READ_S: Final = 30.0
"""How long the one message of `Score` may take to come."""
_ABORT_S: Final = 1.0
"""How long the status of a stream may take to leave: behind answers that nobody reads it never would."""


class Service:
    """Handles the calls.

    Args:
        settings: the limits.
        access: the door.
        desk: where images pass.
        metrics: what is counted.
    """

    def __init__(
        self, settings: GatewaySettings, access: Access, desk: Desk, metrics: Metrics
    ) -> None:
        self._settings, self._access, self._desk, self._metrics = settings, access, desk, metrics
        self.sessions: set[Session] = set()
        self._streams: Counter[str] = Counter()
        self._calls: Counter[str] = Counter()
        # A message that is being received takes memory, however little of it has come.
        self._reading = defaultdict[str, asyncio.Semaphore](
            lambda: asyncio.Semaphore(settings.shares.streams_per_client)
        )

    @property
    def open_calls(self) -> int:
        """Calls that have not ended."""
        return len(self.sessions) + self._calls.total()

    @property
    def streams_by_client(self) -> dict[str, int]:
        """Streams open."""
        return self._streams

    @property
    def credits_by_client(self) -> dict[str, int]:
        """Credits that their streams have."""
        found: Counter[str] = Counter()
        for session in self.sessions.copy():
            found[session.caller.name] += session.credits
        return found

    def handlers(self) -> Any:
        """For the gRPC server.

        Both calls get and give raw bytes, and read when they are ready to: gRPC would take in the
        message of a unary call before anybody has been asked who he is.
        """
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Stream": grpc.stream_stream_rpc_method_handler(self._stream),
                "Score": grpc.stream_unary_rpc_method_handler(self._score),
            },
        )

    def drain(self) -> None:
        """No new calls; those that are open end when what is in hand is answered."""
        self._desk.draining = True
        for session in self.sessions:
            session.drain(self._settings.drain_s)

    def recheck(self) -> None:
        """End the streams of those who would not be let in any more."""
        for session in self.sessions:
            if not self._access.knows(session.caller):
                session.end(revoked())

    def tick(self) -> None:
        """Several times a second."""
        now_s = time.monotonic()
        for session in list(self.sessions):
            session.tick(now_s)

    async def _stream(self, _: Any, context: Any) -> None:
        caller = await self._let_in(context)
        name, shares = caller.name, self._settings.shares
        if self._streams[name] >= shares.streams_per_client:
            await self._full(context, f"{shares.streams_per_client} streams of this client")
        if len(self.sessions) >= shares.streams:
            await self._full(context, f"{shares.streams} streams")
        session = Session(
            context, caller, self._desk, self._settings, self._metrics, lambda: self._streams[name]
        )
        self.sessions.add(session)
        self._streams[name] += 1
        log("stream", client=name, call=session.id, peer=context.peer())
        how = "gone"
        try:
            await session.run()
            how = "closed"
        except Ended as ended:
            how = ended.how
            await _end(context, ended)
        finally:
            self.sessions.discard(session)
            self._streams[name] -= 1
            self._metrics.ended(how)
            log("stream_ended", client=name, call=session.id, how=how)

    async def _score(self, _: Any, context: Any) -> bytes:
        caller = await self._let_in(context)
        name = caller.name
        if self._calls[name] >= self._settings.shares.per_client:
            await self._full(context, f"{self._settings.shares.per_client} calls of this client")
        self._calls[name] += 1
        try:
            answer = await self._answer(caller, context)
        finally:
            self._calls[name] -= 1
        reply: bytes = v1.ScoreResponse(answer=answer).SerializeToString()
        self._metrics.sent(name, len(reply))
        return reply

    async def _answer(self, caller: Caller, context: Any) -> v1.Answer:
        data = await _one_message(context, self._reading[caller.name])
        arrival = self._desk.arrival(caller.name, f"gw-{secrets.token_hex(6)}", 1, data)
        try:
            item = self._desk.open(arrival, data, v1.ScoreRequest, named=False)
            work, place = self._desk.admit(arrival, item, context.time_remaining())
        except Refused as refused:
            return self._desk.refuse(arrival, refused)
        return await self._desk.score(arrival, work, place)

    async def _let_in(self, context: Any) -> Caller:
        if self._desk.draining:
            await context.abort(
                grpc.StatusCode.UNAVAILABLE, "physgauge [unavailable] the gateway shuts down"
            )
        try:
            return self._access.caller(context.invocation_metadata(), context.auth_context())
        except Denied as denied:
            self._metrics.denied(denied.reason)
            log("denied", reason=denied.reason, peer=context.peer())
            await context.abort(
                grpc.StatusCode.UNAUTHENTICATED, f"physgauge [request_invalid] {denied}"
            )
            raise  # never reached: abort raises

    async def _full(self, context: Any, most: str) -> None:
        self._metrics.denied("full")
        await context.abort(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            f"physgauge [overloaded] expected at most {most} open, got one more",
            (("retry-after-ms", "1000"),),
        )


async def _end(context: Any, ended: Ended) -> None:
    """End a stream with a status, or, if that does not get through, without."""
    try:
        async with asyncio.timeout(_ABORT_S):
            await context.abort(ended.code, str(ended))
    except TimeoutError:
        # gRPC resets the stream of a handler that is cancelled.
        raise asyncio.CancelledError from None


async def _one_message(context: Any, turn: asyncio.Semaphore) -> bytes:
    """That of a unary call, once it may be received."""
    try:
        async with asyncio.timeout(_READ_S), turn:
            data = await context.read()
    except TimeoutError:
        data = None
    if isinstance(data, bytes):
        return data
    await context.abort(
        grpc.StatusCode.INVALID_ARGUMENT,
        f"physgauge [request_invalid] expected a ScoreRequest within {_READ_S:g} s, got none",
    )
    raise AssertionError("expected abort to raise, got a return")
