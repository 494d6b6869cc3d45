"""One request to the server until it is answered or given up: tries, pauses, and when it is gone."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.judge.engine import EngineFault, Spent
from physgauge.ensemble.judge.engines.endpoint.completion import Read, cost, error_words, read
from physgauge.ensemble.judge.engines.endpoint.pace import Pace, Slot, backoff, retry_after_s
from physgauge.ensemble.judge.engines.endpoint.settings import EndpointSettings
from physgauge.ensemble.judge.engines.endpoint.transport import (
    Answer,
    NoAnswer,
    TooLarge,
    Transport,
)
from physgauge.log import log

OK: Final = 200
AGAIN: Final = frozenset(
    {408, 409, 425, 429, 500, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529}
)
"""Statuses after which the same request may well be answered."""
FATAL: Final = {
    401: "it refuses the key",
    402: "the account is out of money",
    403: "it refuses the key",
    404: "it has no such model or path",
    405: "it has no such path",
}


class Client:
    """Requests to one server, as fast as it may be asked."""

    def __init__(self, settings: EndpointSettings, transport: Transport) -> None:
        self._settings = settings
        self._transport = transport
        self._pace = Pace(
            settings.concurrency,
            settings.requests_per_minute,
            settings.tokens_per_minute,
            settings.tokens_per_request,
        )
        self._failed_in_a_row = 0
        self._said: set[str] = set()
        self._served: str | None = None
        self._gone: str | None = None
        self._gone_until = 0.0

    async def complete(self, body: bytes, count: Callable[[Spent], None]) -> Read:
        """A chat completion.

        Args:
            body: the request's JSON.
            count: told of every try, and of what the answer cost.

        Returns:
            What was answered. A request that no try gets answered is a `timeout`; one that the server
            won't take, `blocked`; an answer by another model than before, `unparseable`.

        Raises:
            EngineFault: the server can't be reached, wants no request of ours, or has failed too often.
        """
        attempt = 0
        while True:
            attempt += 1
            async with self._pace.slot() as slot:
                self._check_there()
                count(Spent(calls=1))
                outcome = await self._once(body, slot)
            if isinstance(outcome, Read):
                count(cost(outcome.usage, self._settings.price))
                return self._checked(outcome)
            last = attempt == self._settings.tries
            if last and not outcome.there:
                # Not for good: it may be back for the next image.
                raise EngineFault(f"the server at {self._settings.url}: {outcome.why}")
            if last or outcome.wait_s is None:
                self._count_failure(outcome.why)
                return Read("timeout")
            await asyncio.sleep(self._wait_s(attempt, outcome))

    async def get(self, url: str) -> Answer:
        """A plain GET, once."""
        return await self._transport.get(url)

    async def post(self, url: str, body: bytes) -> Answer:
        """A plain POST, once."""
        return await self._transport.post(url, body)

    async def close(self) -> None:
        """Close connections; later requests raise `EngineFault`."""
        self._gone, self._gone_until = "the engine is closed", math.inf
        await self._transport.close()

    async def _once(self, body: bytes, slot: Slot) -> Read | Failed:
        start = time.monotonic()
        try:
            answer = await self._transport.post(f"{self._settings.url}/chat/completions", body)
        except TooLarge as problem:
            self._say("answer_too_large", str(problem))
            return Read("unparseable")
        except NoAnswer as problem:
            # One that was silent for all the time it had is not asked again: the time is spent.
            silent = time.monotonic() - start >= self._settings.read_s
            return Failed(str(problem), None if silent else 0.0, there=problem.sent)
        if answer.status == OK:
            done = read(answer.body)
            if done.usage is not None:
                slot.tokens = done.usage.prompt_tokens + done.usage.completion_tokens
            return done
        return self._refused(answer)

    def _refused(self, answer: Answer) -> Read | Failed:
        status = answer.status
        code, words = error_words(answer.body)
        if 300 <= status < 400:
            raise self._fault(
                f"it sends us on to {answer.location} ({status}); that is not followed"
            )
        if status in FATAL:
            raise self._fault(f"{FATAL[status]} ({status} {words})".rstrip())
        if status in AGAIN or status >= 500:
            asked = retry_after_s(answer.retry_after)
            if asked is not None and asked > self._settings.max_wait_s:
                return Failed(f"status {status}, and it asks to wait {asked:g} s", None)
            if status == 429 and asked:
                self._pace.pause(asked)
            return Failed(f"status {status}", asked or 0.0)
        self._say(f"status_{status}", f"{code} {words}".strip())
        return Read("blocked")

    def _checked(self, read: Read) -> Read:
        """Two models behind one name would make two kinds of answers: the first one met is the one."""
        if read.model is not None and read.outcome == "answered":
            self._served = self._served or read.model
            if read.model != self._served:
                self._count_failure(
                    f"it answers as {read.model[:60]!r}, and before as {self._served!r}"
                )
                return Read("unparseable", usage=read.usage)
        self._failed_in_a_row = 0
        return read

    def _wait_s(self, attempt: int, failed: Failed) -> float:
        s = self._settings
        jittered = backoff(attempt, s.wait_s, s.max_wait_s, random.random())
        return max(failed.wait_s or 0.0, jittered)

    def _check_there(self) -> None:
        """After a fault nothing is asked for a while; then one failure more is a fault again."""
        if self._gone is None:
            return
        if time.monotonic() < self._gone_until:
            raise EngineFault(self._gone)
        self._gone, self._failed_in_a_row = None, self._settings.faults - 1

    def _fault(self, why: str) -> EngineFault:
        self._gone = f"the server at {self._settings.url}: {why}"
        self._gone_until = time.monotonic() + self._settings.again_s
        return EngineFault(self._gone)

    def _count_failure(self, why: str) -> None:
        self._say("request_failed", why)
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= self._settings.faults:
            raise self._fault(f"{self._failed_in_a_row} requests in a row failed, the last: {why}")

    def _say(self, event: str, why: str) -> None:
        """The first of a kind is logged; a million like it tell no more."""
        if event not in self._said:
            self._said.add(event)
            log("endpoint", what=event, why=why, url=self._settings.url)


@dataclass(frozen=True, slots=True)
class Failed:
    """A try without an answer."""

    why: str
    wait_s: float | None
    """Seconds that the server wants before the next; None: no other try."""
    there: bool = True
    """False: nobody took the connection."""
