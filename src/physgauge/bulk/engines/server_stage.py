"""Rows of servers, as a stage of a bench; images that no server could answer for are sent once more.

The client tries an image again for as long as one image may take (docs/client.md). Where that was in vain
because of servers, not of the image, the row it makes (`unavailable`, `overloaded`, `deadline_exceeded`)
says nothing about the image: this waits until a server answers, and sends it again, a bounded number of
times.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Final

import msgspec

from physgauge import wire
from physgauge.bulk.engines.fleet import unlike
from physgauge.bulk.work import Known
from physgauge.clients.remote.backoff import Backoff
from physgauge.clients.remote.blocking import Client
from physgauge.clients.remote.inputs import Input
from physgauge.errors import ConfigError, EnvironmentProblem, RequestError
from physgauge.types import Item

NOT_ITS_FAULT: Final = frozenset({"unavailable", "overloaded", "deadline_exceeded"})
"""Codes of rows that say something about servers only."""
AHEAD: Final = 256
"""Images handed to the client whose rows have not come."""
AHEAD_BYTES: Final = 256 << 20
"""What they may hold together, beyond the first one: they are kept until their rows are there."""
TICK_S: Final = 0.5
ASK_S: Final = 10.0

_Answer = wire.Row | BaseException | None
"""None: there are no more."""


class ServerStage:
    """See Stage. Everything but the client's own work is done in the caller's thread.

    Args:
        client: of all servers.
        domain: what images show, where nobody says.
        method: what to score them by.
        parts: of the fleet; a row made with others ends the run.
        tick: called every half second, also while rows are waited for; what it raises ends the work.
        again: told of each image that is sent again.
        tries: times that an image is sent again (0: its error row is final).
        away_s: how long no server may answer before the run ends, to be taken up later.
    """

    def __init__(
        self,
        client: Client,
        *,
        domain: str,
        method: wire.Method,
        parts: Mapping[str, str],
        tick: Callable[[], None],
        again: Callable[[], None],
        tries: int,
        away_s: float,
    ) -> None:
        self._client, self._domain = client, domain
        self._method: wire.Method = method
        self._parts, self._tick, self._again = parts, tick, again
        self._tries, self._away_s = tries, away_s

    def score(self, items: Iterable[Item], known: Known | None) -> Iterator[wire.Row]:
        """See Stage; `known` is not asked: the pixels are at the servers."""
        hand: deque[Input] = deque()
        given = map(self._input, items)
        with closing(_Stream(self._client, self._tick)) as stream:
            while _fill(hand, given, stream) or hand:
                row = stream.next()
                if row.error_code not in NOT_ITS_FAULT or not self._tries:
                    hand.popleft()
                    yield self._checked(row)
                    continue
                # What was sent about then will have met the same fate.
                lost, fine = [(hand.popleft(), row)], None
                for _ in range(len(hand)):
                    one, row = hand.popleft(), stream.next()
                    if row.error_code not in NOT_ITS_FAULT:
                        fine = row
                        break
                    lost.append((one, row))
                yield from self._once_more(lost)
                if fine is not None:
                    yield self._checked(fine)

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def _input(self, item: Item) -> Input:
        return Input(
            b"" if item.data is None else item.data,
            image_id=item.image_id,
            caption=item.caption,
            source=item.source,
            extra=item.extra or {},
            domain=self._domain if item.domain is None else item.domain,
            error=item.error,
            method=self._method,
        )

    def _checked(self, row: wire.Row) -> wire.Row:
        """Of one fleet, as the fingerprint says.

        Raises:
            ConfigError: a server runs something else now.
        """
        made_here = row.error_code in NOT_ITS_FAULT or not row.provenance.profile
        if not made_here and (different := unlike(row, self._parts)):
            raise ConfigError(
                f"--server: expected rows of what the run began with, got {'; '.join(different)}; "
                "a server has been changed since"
            )
        return row

    def _once_more(self, lost: list[tuple[Input, wire.Row]]) -> Iterator[wire.Row]:
        """Rows of images that no server answered for, in order."""
        rows = [row for _, row in lost]
        for _ in range(self._tries):
            places = [k for k, row in enumerate(rows) if row.error_code in NOT_ITS_FAULT]
            if not places:
                break
            self._until_there()
            with closing(_Stream(self._client, self._tick)) as stream:
                for place in places:
                    self._again()
                    stream.send(lost[place][0])
                stream.end()
                for place in places:
                    rows[place] = stream.next()
        for row in rows:
            yield self._checked(self._final(row) if row.error_code in NOT_ITS_FAULT else row)

    def _final(self, row: wire.Row) -> wire.Row:
        told = (
            f"{row.error}; sent again {self._tries} times since: `physgauge retry DIR --code "
            f"{row.error_code}` tries it once more"
        )
        return msgspec.structs.replace(row, error=told)

    def _until_there(self) -> None:
        """Wait for a server that answers.

        Raises:
            EnvironmentProblem: none does.
        """
        began, backoff, failures = time.monotonic(), Backoff(first_s=0.5, most_s=10.0), 0
        while True:
            try:
                self._client.row(Input(b"", image_id="?", source="", timeout_s=ASK_S))
                return
            except RequestError as error:
                if error.code not in NOT_ITS_FAULT:
                    return
                problem = error.message
            failures += 1
            if time.monotonic() - began > self._away_s:
                raise EnvironmentProblem(
                    f"--server: expected an answer within {self._away_s:g} s, got none: {problem}; "
                    "the same command goes on with the run"
                )
            end = time.monotonic() + backoff.wait_s(failures)
            while (left := end - time.monotonic()) > 0:
                self._tick()
                time.sleep(min(left, TICK_S))


def _fill(hand: deque[Input], given: Iterator[Input], stream: _Stream) -> bool:
    """Hand out as many images as may be out; False: there is none that has no row."""
    while not stream.ended and len(hand) < AHEAD:
        if sum(len(one.image) for one in hand) >= AHEAD_BYTES:
            break
        one = next(given, None)
        if one is None:
            stream.end()
        else:
            hand.append(one)
            stream.send(one)
    return bool(hand)


class _Stream:
    """A run of the client, fed and emptied from one thread."""

    def __init__(self, client: Client, tick: Callable[[], None]) -> None:
        self._client, self._tick = client, tick
        self._feed: queue.SimpleQueue[Input | None] = queue.SimpleQueue()
        self._rows: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
        self._closed = False
        self.ended = False
        threading.Thread(target=self._work, name="server-rows", daemon=True).start()

    def send(self, one: Input) -> None:
        """One more image."""
        self._feed.put(one)

    def end(self) -> None:
        """There are no more."""
        if not self.ended:
            self.ended = True
            self._feed.put(None)

    def next(self) -> wire.Row:
        """The row of the image that was sent first, of those whose row has not come."""
        while True:
            self._tick()
            try:
                answer = self._rows.get(timeout=TICK_S)
            except queue.Empty:
                continue
            if isinstance(answer, BaseException):
                raise answer
            if answer is None:
                raise RequestError("internal", "expected a row for each image, got fewer")
            return answer

    def _work(self) -> None:
        try:
            with closing(self._client.score(iter(self._feed.get, None), ordered=True)) as rows:
                for row in rows:
                    self._rows.put(row)
                    if self._closed:
                        return
            self._rows.put(None)
        except BaseException as error:
            self._rows.put(error)

    def close(self) -> None:
        """End it; what is out is let go with the client's next row."""
        self._closed = True
        self.end()
