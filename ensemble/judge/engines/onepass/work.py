"""What sessions hand to the worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from physgauge.ensemble.judge.engines.onepass.prompts import Tail
from physgauge.ensemble.judge.engines.onepass.running import Opened, Wanted, Written
from physgauge.types import F64

T = TypeVar("T")


class Expired(Exception):
    """Nobody wants it any more: its time is over."""


class Failed(Exception):
    """This item alone makes the model fail."""


Answered = Callable[[F64 | BaseException, bool], None]
"""Called from the worker's thread: log-odds or what went wrong, and whether the prefix was computed."""
Wrote = Callable[[Sequence[Written] | BaseException], None]


@dataclass(slots=True, eq=False)
class Ask:
    """Questions about one image."""

    opened: Opened
    tails: Sequence[Tail]
    deadline: float | None
    done: Answered
    cancelled: bool = False

    @property
    def tokens(self) -> int:
        """That a pass would compute."""
        new = len(self.opened.ids) if self.opened.kept is None else 0
        return new + sum(len(t.ids) for t in self.tails)

    def fail(self, error: BaseException) -> None:
        """It will have no answer (one it has stays)."""
        self.done(error, False)


@dataclass(slots=True, eq=False)
class Write:
    """Texts about one image."""

    wanted: Sequence[Wanted]
    deadline: float | None
    done: Wrote
    cancelled: bool = False

    def fail(self, error: BaseException) -> None:
        """It will have no texts (those it has stay)."""
        self.done(error)


def late(item: Ask | Write, now: float) -> bool:
    """Whether its time is over."""
    return item.deadline is not None and item.deadline <= now


def halves(some: Sequence[T]) -> Iterator[Sequence[T]]:
    """The first half and the rest."""
    middle = (len(some) + 1) // 2
    yield some[:middle]
    yield some[middle:]
