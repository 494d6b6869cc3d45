"""Images behind a gate: rows with decisions, and rejects that are generated again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, NamedTuple

from physgauge import wire
from physgauge.gate.rule import Decision, Gated, Rule

if TYPE_CHECKING:
    from physgauge.clients.remote.blocking import Client
    from physgauge.clients.remote.client import AsyncClient


class Regenerated(NamedTuple):
    """What became of one wanted image."""

    row: wire.Row
    """Of the last attempt."""
    decision: Decision
    attempt: int
    """From 1: how many images were made."""


def regenerate(
    client: Client,
    wanted: Iterable[str],
    make: Callable[[list[str], int], Iterable[Any]],
    rule: Rule,
    *,
    max_attempts: int = 3,
) -> Generator[Regenerated]:
    """Have images made until they pass, in rounds: what is rejected is made again in the next one.

    Args:
        client: scores them.
        wanted: ids, each once.
        make: from ids and the number of the attempt (from 1) to inputs with these ids, one for each, in
            any order (see :meth:`AsyncClient.score`); a generator makes them as they are sent.
        rule: what passes.
        max_attempts: images made for an id, at most.

    Yields:
        Each id once, as soon as its fate is known: it passed, it was rejected for the last time, or no
        server answered for it (``decision.about_image`` is False: another image would not help).

    Raises:
        ValueError: an id twice, or `make` made other images than it was asked for.
        RequestError: the client was closed meanwhile.
    """
    rounds = _Rounds(wanted, max_attempts)
    while rounds.left:
        with closing(client.gate(make(list(rounds.left), rounds.attempt), rule)) as images:
            for gated in images:
                if rounds.over(gated):
                    yield Regenerated(*gated, rounds.attempt)
        rounds.next()


async def regenerate_async(
    client: AsyncClient,
    wanted: Iterable[str],
    make: Callable[[list[str], int], AsyncIterable[Any] | Iterable[Any]],
    rule: Rule,
    *,
    max_attempts: int = 3,
) -> AsyncGenerator[Regenerated]:
    """:func:`regenerate` within an event loop; `make` may make them in an async generator."""
    rounds = _Rounds(wanted, max_attempts)
    while rounds.left:
        async with aclosing(client.gate(make(list(rounds.left), rounds.attempt), rule)) as images:
            async for gated in images:
                if rounds.over(gated):
                    yield Regenerated(*gated, rounds.attempt)
        rounds.next()


class _Rounds:
    """Which ids are still wanted."""

    def __init__(self, wanted: Iterable[str], most: int) -> None:
        if most < 1:
            raise ValueError(f"max_attempts: expected 1 or more, got {most}")
        given = list(wanted)
        self.left = dict.fromkeys(given)
        self.attempt = 1
        self._most = most
        self._waiting = set(self.left)
        self._rejected: set[str] = set()
        if len(self.left) != len(given):
            raise ValueError(
                f"wanted: expected each id once, got {len(given)} ids, {len(self.left)} different"
            )

    def over(self, gated: Gated) -> bool:
        """Note an image; whether nothing more happens for its id."""
        name, decision = gated.row.image_id, gated.decision
        if name not in self._waiting:
            what = "again" if name in self.left else "which it was not asked for"
            raise ValueError(f"make: expected one image for each id, got {name!r:.200} {what}")
        self._waiting.discard(name)
        if decision.passed or not decision.about_image or self.attempt == self._most:
            return True
        self._rejected.add(name)
        return False

    def next(self) -> None:
        """The next round is of those that were rejected, in the order in which they were wanted."""
        if self._waiting:
            example = next(name for name in self.left if name in self._waiting)
            raise ValueError(
                f"make: expected one image for each id, got none for {len(self._waiting)} of them "
                f"({example!r:.200} ...)"
            )
        self.left = {name: None for name in self.left if name in self._rejected}
        self._waiting, self._rejected = set(self.left), set()
        self.attempt += 1
