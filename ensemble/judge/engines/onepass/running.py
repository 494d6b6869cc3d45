"""What the worker asks of a strategy: `packed` and `cached` do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from physgauge.ensemble.judge.engines.onepass.pixels import Picture
from physgauge.ensemble.judge.engines.onepass.prompts import Prefix, Tail
from physgauge.types import F64, I64


@dataclass(slots=True, eq=False)
class Opened:
    """The prefix of one session."""

    ids: list[int]
    """With the image's tokens."""
    positions: I64
    """[axes, tokens]."""
    behind: int
    """Position of the text behind it."""
    picture: Picture | None
    image: tuple[int, int]
    """start, stop of what took the place of the image's mark."""
    before: tuple[Picture, ...] = ()
    """Examples in front of it."""
    longer: int = 0
    """Tokens that took the places of their marks, less the marks."""
    kept: Any = None
    """The strategy's keys and values; None: to be computed (again)."""
    bytes: int = 0
    """What `kept` holds."""

    def sees(self, tail: Tail) -> int:
        """Tokens of this prefix that a tail sees."""
        start, stop = self.image
        return tail.sees + self.longer + (stop - start - 1 if stop > start else 0)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All, in order."""
        return () if self.picture is None else (*self.before, self.picture)

    def goes_on(self, tail: Tail) -> int:
        """Position of a tail's first token."""
        sees = self.sees(tail)
        return self.behind if sees == len(self.ids) else int(self.positions[0, sees])


@dataclass(slots=True)
class Wanted:
    """A prompt to write to."""

    opened: Opened
    tail: Tail
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None


@dataclass(slots=True)
class Written:
    """What has been written so far."""

    ids: list[int] = field(default_factory=list)
    done: bool = False
    whole: bool = False
    """Ended by the model."""
    failed: bool = False
    """The model's numbers are not numbers."""


class Writing(Protocol):
    """Prompts that are written to together, token by token."""

    written: list[Written]

    def step(self) -> None:
        """One more token each, of those that are not done."""
        ...

    def stop(self, index: int) -> None:
        """Nobody waits for this one any more."""
        ...


class Runner(Protocol):
    """A strategy with its model."""

    def open(
        self, prefix: Prefix, picture: Picture | None, before: Sequence[Picture] = ()
    ) -> Opened:
        """Lay out a session's prefix, `before` being the examples in front of its picture; computes
        nothing. From any thread."""
        ...

    def answer(self, batch: Sequence[tuple[Opened, Sequence[Tail]]]) -> list[F64]:
        """Log-odds of yes for each tail, read at its end, in one forward pass, with the prefixes that
        are not kept yet. NaN where the model's numbers are not numbers."""
        ...

    def alone(
        self, prefix: Prefix, picture: Picture | None, tail: Tail, before: Sequence[Picture] = ()
    ) -> F64:
        """Log-odds [1] of one prompt by itself, by the plainest arithmetic there is: `answer` is held
        against it."""
        ...

    def write(self, wanted: Sequence[Wanted]) -> Writing:
        """Start writing; each has its first token."""
        ...

    def out_of_memory(self, error: Exception) -> bool:
        """Whether less at a time might have worked."""
        ...

    def thread_starts(self) -> None:
        """Called first in the thread that will run it."""
        ...
