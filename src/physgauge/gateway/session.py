"""One stream: images in, answers out, credits between them.

    read ── check ── place ── server ── answers ── write
      ^                                              |
      └────────────── credits (by the caller) ───────┘

What a stream holds is bounded: a window of images in hand or answered but not yet taken by the
caller, and as many refusals. A caller who takes no answers gets no credits; one who sends without
credits is not read any more while his refusals wait. HTTP/2's flow control then stops him.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import Any, Final

import grpc

from physgauge.gateway.access import Caller
from physgauge.gateway.checks import Work
from physgauge.gateway.desk import Arrival, Desk
from physgauge.gateway.messages import welcome
from physgauge.gateway.metrics import Metrics
from physgauge.gateway.outbox import Outbox
from physgauge.gateway.places import Place
from physgauge.gateway.refusal import Refused
from physgauge.gateway.settings import GatewaySettings
from physgauge.v1 import gateway_pb2 as v1

_PATIENCE: Final = 8
"""Windows of images without a credit after which a stream is ended: they cost the gateway, too."""

_SETTLE_S: Final = 0.5
"""What a write that has begun gets to end when its stream is over."""


class Ended(Exception):
    """The stream, not one image, is over.

    Args:
        how: for metrics, a word.
        code: the stream's status.
        message: for the caller.
    """

    def __init__(self, how: str, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.how, self.code = how, code


class Session:
    """A stream that is open.

    Args:
        context: gRPC's.
        caller: who it is.
        desk: where images pass.
        settings: the limits.
        metrics: what is counted.
        streams: how many streams of this client are open now, this one included.
    """

    def __init__(
        self,
        context: Any,
        caller: Caller,
        desk: Desk,
        settings: GatewaySettings,
        metrics: Metrics,
        streams: Callable[[], int],
    ) -> None:
        self.caller = caller
        self.id = f"gw-{secrets.token_hex(6)}"
        self.credits = 0
        """Granted and not yet used."""
        self._context, self._desk, self._settings, self._streams = context, desk, settings, streams
        self._out = Outbox(context, self._leaving, lambda size: metrics.sent(caller.name, size))
        self._sequence = self._excess = 0
        self._held = 0
        """Images that took a credit and whose answer has not been written."""
        self._in_hand: dict[str, tuple[asyncio.Task[None], Place]] = {}
        self._ending = False
        """No more credits; over when what is held is written."""
        self._closed = False
        self._seen_s = time.monotonic()
        self._over: asyncio.Future[Ended] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Until it is over.

        Raises:
            Ended: otherwise than by the caller closing his side.
        """
        self._out.push(v1.StreamResponse(welcome=welcome(self.caller.name, self._settings)))
        if self._desk.draining:
            self.drain(0.0)
        reader = asyncio.create_task(self._read())
        writer = asyncio.create_task(self._out.run(lambda: self._ending and not self._held))
        try:
            await _first(reader, writer, self._over)
            by_caller = reader.done()
            if by_caller and not self._over.done():
                reader.result()
                self._finish()
                await _first(writer, self._over)
            if self._over.done():
                raise self._over.result()
            writer.result()
            if not by_caller:
                raise _drained()
        finally:
            self._closed = True
            await self._settle(writer)
            left = list(self._in_hand.values())
            tasks = [reader, writer, *(task for task, _ in left)]
            for task in tasks:
                task.cancel()
            for _, place in left:
                place.leave()  # a task that is cancelled before it begins does not get to its `finally`
            await asyncio.gather(*tasks, return_exceptions=True)
            self._desk.drop(self.caller.name, len(left))

    async def _settle(self, writer: asyncio.Task[None]) -> None:
        """Let a write that has begun end: gRPC sends no status on top of one that was cancelled. A caller
        who does not take it is not waited for."""
        self._out.close()
        if (left_s := _SETTLE_S - self._out.stalled_s(time.monotonic())) > 0:
            await asyncio.wait([writer], timeout=left_s)

    def drain(self, within_s: float) -> None:
        """No new credits; over when what is in hand is answered."""
        self._out.push(v1.StreamResponse(draining=v1.Draining(within_ms=int(1000 * within_s))))
        self._finish()

    def end(self, ended: Ended) -> None:
        """Over now, whatever is in hand."""
        if not self._over.done():
            self._over.set_result(ended)

    def tick(self, now_s: float) -> None:
        """Several times a second: end it if it has hung for too long; grant what there is room for."""
        settings = self._settings
        if self._out.stalled_s(now_s) > settings.stall_s:
            self.end(_stalled(settings.stall_s))
        if self._out or self._ending:
            return
        if not self._held and now_s - self._seen_s > settings.idle_s:
            self.end(_idle(settings.idle_s))
        elif self._room() > 0:
            self._out.push(v1.StreamResponse())

    def _finish(self) -> None:
        self._ending = True
        self.credits = 0
        self._out.wake()

    def _room(self) -> int:
        window = self._desk.places.window(self.caller.name, self._streams())
        return window - self.credits - self._held

    def _leaving(self, credited: bool) -> int:
        """A response is written: the credits that go with it."""
        self._held -= credited
        if self._ending:
            return 0
        granted = max(0, self._room())
        self.credits += granted
        return granted

    async def _read(self) -> None:
        while True:
            await self._out.room(2 * self._settings.shares.window)
            data = await self._context.read()
            if not isinstance(data, bytes):  # gRPC's EOF: the caller has closed his side
                return
            self._seen_s = time.monotonic()
            self._receive(data)

    def _receive(self, data: bytes) -> None:
        """Take a message in hand, or refuse it."""
        if self._closed:
            return
        self._sequence += 1
        arrival = self._desk.arrival(self.caller.name, self.id, self._sequence, data)
        credited = self.credits > 0
        if credited:
            self.credits -= 1
            self._held += 1
        self._excess = max(0, self._excess - 1) if credited else self._excess + 1
        try:
            item = self._desk.open(arrival, data, v1.StreamRequest, named=True)
            if not credited and not self._desk.draining:
                raise Refused("no_credit", "expected an image for each credit, got one more", 0)
            if item.id in self._in_hand:
                raise Refused(
                    "request_invalid",
                    f"item.id: expected one that is not in hand, got {item.id!r:.80} again",
                )
            work, place = self._desk.admit(arrival, item)
        except Refused as refused:
            self._answer(self._desk.refuse(arrival, refused), credited)
        else:
            task = asyncio.create_task(self._score(arrival, work, place))
            self._in_hand[arrival.item_id] = (task, place)
        if self._excess > _PATIENCE * self._settings.shares.window:
            self.end(_impatient())

    async def _score(self, arrival: Arrival, work: Work, place: Place) -> None:
        answer = await self._desk.score(arrival, work, place)
        del self._in_hand[arrival.item_id]
        self._answer(answer, credited=True)

    def _answer(self, answer: v1.Answer, credited: bool) -> None:
        self._out.push(v1.StreamResponse(answer=answer), credited)


async def _first(*waited: asyncio.Future[Any]) -> None:
    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)


def _stalled(after_s: float) -> Ended:
    return Ended(
        "stalled",
        grpc.StatusCode.ABORTED,
        f"physgauge [request_invalid] expected answers to be read, got none read in {after_s:g} s",
    )


def _idle(after_s: float) -> Ended:
    return Ended(
        "idle",
        grpc.StatusCode.DEADLINE_EXCEEDED,
        f"physgauge [deadline_exceeded] expected an image, got no whole one in {after_s:g} s",
    )


def _impatient() -> Ended:
    return Ended(
        "no_credit",
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "physgauge [request_invalid] expected images for credits, got too many more",
    )


def _drained() -> Ended:
    return Ended(
        "drained",
        grpc.StatusCode.UNAVAILABLE,
        "physgauge [unavailable] the gateway shuts down; what was in hand is answered",
    )


def revoked() -> Ended:
    """The caller's token has been withdrawn."""
    return Ended(
        "revoked",
        grpc.StatusCode.UNAUTHENTICATED,
        "physgauge [request_invalid] expected a token that is known, got one that is not any more",
    )
