"""How fast a server may be asked: requests in flight, requests and tokens a minute, pauses it wants."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class Bucket:
    """Lets an amount through per minute, evenly: at most what a second brings at once.

    Args:
        per_minute: the limit.
        clock: seconds.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60.0
        self._most = max(1.0, self._rate)
        self._clock = clock
        self._have = self._most
        self._at = clock()

    def take(self, amount: float) -> float:
        """Take an amount, now or in advance; seconds to wait before using it.

        Callers wait in turn: what one took in advance, the next waits for too.
        """
        self._fill()
        self._have -= amount
        # An amount above what a second brings goes once the bucket is full, and leaves it in debt.
        lacking = min(0.0, self._have + max(0.0, amount - self._most))
        return -lacking / self._rate

    def settle(self, taken: float, used: float) -> None:
        """Correct an earlier `take` that had to guess."""
        self._fill()
        self._have = min(self._most, self._have + taken - used)

    def _fill(self) -> None:
        now = self._clock()
        self._have = min(self._most, self._have + (now - self._at) * self._rate)
        self._at = now


class Pace:
    """Admission of requests to one server."""

    def __init__(
        self,
        concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        tokens_per_request: int = 1_500,
    ) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._requests = Bucket(requests_per_minute) if requests_per_minute else None
        self._tokens = Bucket(tokens_per_minute) if tokens_per_minute else None
        self._guess = float(tokens_per_request)
        self._not_before = 0.0

    def pause(self, seconds: float) -> None:
        """Nobody asks for this long: one 429 is meant for all."""
        self._not_before = max(self._not_before, time.monotonic() + seconds)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """A place for one request, when it is its turn."""
        async with self._slots:
            taken = self._guess
            wait = max(
                self._requests.take(1) if self._requests else 0.0,
                self._tokens.take(taken) if self._tokens else 0.0,
            )
            if wait > 0:
                await asyncio.sleep(wait)
            while (left := self._not_before - time.monotonic()) > 0:
                await asyncio.sleep(left)
            slot = Slot()
            try:
                yield slot
            finally:
                if self._tokens and slot.tokens is not None:
                    self._tokens.settle(taken, slot.tokens)
                    self._guess += (slot.tokens - self._guess) / 8  # a running mean


class Slot:
    """What a request says of itself when it is done."""

    tokens: int | None = None
    """Used, prompt and answer; None: nobody said."""


def backoff(attempt: int, first_s: float, most_s: float, random: float) -> float:
    """Seconds before another try: doubling, and "full jitter" over the upper half.

    Args:
        attempt: tries so far, from 1.
        first_s: the wait after the first.
        most_s: the longest.
        random: 0..1.
    """
    return min(most_s, first_s * 2.0 ** (attempt - 1)) * (0.5 + 0.5 * random)


def retry_after_s(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` asks for, as a number or an HTTP date; None: it asks for nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) < 16:
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
