"""The life of one input: read, sent, sent again where that is safe, and its row, whatever happens."""

from __future__ import annotations

import asyncio
import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from physgauge import wire
from physgauge.clients.remote.backoff import Backoff
from physgauge.clients.remote.budget import Budget
from physgauge.clients.remote.dispatch import Dispatch, Lease
from physgauge.clients.remote.encode import encode
from physgauge.clients.remote.faults import Blame, CallFailed
from physgauge.clients.remote.inputs import Input
from physgauge.clients.remote.kserve import Call
from physgauge.clients.remote.origin import Origin
from physgauge.clients.remote.stats import Counters
from physgauge.clients.remote.suspects import Suspects
from physgauge.contract import Options
from physgauge.errors import InputError, RequestError

ASK_S: Final = 10.0
"""How long the client waits for what error rows of its own lack."""


class Answered(NamedTuple):
    """A row, twice."""

    row: wire.Row
    json: bytes
    """Byte for byte as the server sent it."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How long, and how often."""

    timeout_s: float
    """From an input's turn to its row."""
    attempt_s: float
    """For one call."""
    retries: int
    """Calls of an input after the first that may fail in a server's hands; 0 = it is never sent again."""
    most_bytes: int
    """A larger file is not read."""
    linger_s: float = 0.0
    """How much longer than its time a server is waited for, which says itself when that is over."""


class Delivery:
    """Gets rows of inputs, within one event loop.

    Args:
        dispatch: the servers.
        policy: how long, and how often.
        readers: threads that read files and encode arrays.
        counters: what is counted.
    """

    def __init__(
        self, dispatch: Dispatch, policy: Policy, readers: ThreadPoolExecutor, counters: Counters
    ) -> None:
        self._dispatch = dispatch
        self._policy = policy
        self._readers = readers
        self._counters = counters
        self._backoff = Backoff(first_s=0.05, most_s=2.0)
        self._origin = Origin(self._send, min(ASK_S, policy.timeout_s))
        self._suspects = Suspects()
        self.budget = Budget()

    async def row_or_error(self, given: Input) -> wire.Row:
        """The row of a complete input (`as_input`): a server's, or an error row."""
        try:
            return (await self.answer(given)).row
        except InputError as error:
            problem = error
        except Exception as error:  # a fault of ours is no reason to lose a row
            problem = RequestError("internal", f"client: {type(error).__name__}: {error}"[:500])
        return await self.error_row(given, problem)

    async def error_row(self, given: Input, problem: InputError) -> wire.Row:
        """The row of an input that finally failed."""
        # Where a server did not answer for this input, it would not do so for another.
        ask = not isinstance(problem, RequestError)
        return wire.error_row(
            image_id=given.image_id or "",
            source=given.source or "",
            code=problem.code,
            message=problem.message,
            provenance=await self._origin.provenance(ask),
            caption=given.caption,
            extra=dict(given.extra),
        )

    async def answer(self, given: Input) -> Answered:
        """The server's row of a complete input.

        Raises:
            InputError: the input is wrong, or no server answered; says which.
        """
        began = asyncio.get_running_loop().time()
        try:
            image = await self._read(given)
            with self.budget.holding(len(image)):
                answered = await self._send(given, image)
        except InputError:
            self._counters.errors += 1
            raise
        self._counters.rows += 1
        self._counters.times_s.append(asyncio.get_running_loop().time() - began)
        return answered

    async def _read(self, given: Input) -> bytes:
        """The bytes to send.

        Raises:
            InputError: there are none, or it is known already why they could not be scored.
        """
        image: object = given.image
        is_path = isinstance(
            image, str | os.PathLike
        )  # that it cannot be read is what matters most
        if given.error is not None and not is_path:
            raise given.error
        data = image if isinstance(image, bytes) else await self._encode(image)
        if given.error is not None:
            raise given.error
        return data

    async def _encode(self, image: object) -> bytes:
        await self.budget.room()
        loop, most = asyncio.get_running_loop(), self._policy.most_bytes
        return await loop.run_in_executor(self._readers, encode, image, most)

    async def _send(self, given: Input, image: bytes) -> Answered:
        """Until there is a row, the time is over, or there is no use in another try."""
        loop, policy = asyncio.get_running_loop(), self._policy
        timeout_s = given.timeout_s or policy.timeout_s
        deadline = loop.time() + timeout_s
        request_id = given.request_id or uuid.uuid4().hex
        lease, last, tries, counted, losses = None, None, 0, 0, 0
        while True:
            async with self._suspects.turn(losses, deadline):
                lease = await self._lease(lease, deadline)
                if lease is None:
                    break
                within_s = max(0.001, min(policy.attempt_s, deadline - loop.time()))
                call = _call(request_id, given, image, within_s)
                self._counters.sent += 1
                self._counters.retries += tries > 0
                tries += 1
                try:
                    data = await self._dispatch.call(lease, call, within_s + policy.linger_s)
                    return self._checked(data, given)
                except CallFailed as failed:
                    last = failed
            self._counters.rejects += last.blame is Blame.FULL
            counted += last.blame.counts
            losses += last.blame is Blame.LOST
            if last.blame.final or counted > policy.retries or not policy.retries:
                break
            if last.blame in (Blame.FULL, Blame.FAULT):
                wait_s = self._backoff.wait_s(tries)
                await asyncio.sleep(min(wait_s, max(0.0, deadline - loop.time())))
        raise self._final(last, tries, timeout_s)

    async def _lease(self, before: Lease | None, deadline: float) -> Lease | None:
        """A place, on another server if there is one with room; None = the time is over."""
        if asyncio.get_running_loop().time() >= deadline:
            return None
        gone_s = self._dispatch.gone_s
        if gone_s is not None:  # one input has waited for all: the next ones do not, each anew
            deadline = min(deadline, gone_s + self._policy.timeout_s)
        try:
            async with asyncio.timeout_at(deadline):
                return await self._dispatch.lease(None if before is None else before.endpoint)
        except TimeoutError:
            return None

    def _final(self, last: CallFailed | None, tries: int, timeout_s: float) -> RequestError:
        if last is None:
            what = (
                f"expected a server within {timeout_s:g} s, got none: {self._dispatch.problems()}"
            )
            return RequestError("unavailable", what)
        if last.blame.final or tries == 1:
            return last.error
        what = f"expected a row within {timeout_s:g} s, got none in {tries} tries; the last one:"
        return RequestError(last.error.code, f"{what} {last.error.message}")

    def _checked(self, data: bytes, given: Input) -> Answered:
        """The answer as a row of this input.

        Raises:
            CallFailed: it is none.
        """
        try:
            row = wire.from_json(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            what = f"expected a result row, got something else: {error}"
            raise CallFailed(RequestError("internal", what), Blame.FAULT) from None
        if row.image_id != given.image_id:
            what = f"expected the row of {given.image_id!r:.200}, got that of {row.image_id!r:.200}"
            raise CallFailed(RequestError("internal", what), Blame.FAULT)
        self._origin.learn(row)
        return Answered(row, data)


def _call(request_id: str, given: Input, image: bytes, within_s: float) -> Call:
    options = Options(
        image_id=given.image_id or "",
        source=given.source or "",
        extra=dict(given.extra),
        domain=given.domain,
        timeout_ms=max(1, int(1000 * within_s)),
        method=given.method,
    )
    return Call(request_id, image, (given.caption or "").encode(), msgspec.json.encode(options))
