"""The judge beside the other stages: looks begin as images are decoded, and rows wait for them, in
order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from physgauge import wire
from physgauge.ensemble.feed import Broken, Pixels
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import Looking, with_looks
from physgauge.types import U8

WAITING_PIXEL_BYTES = 512 * 2**20
"""Pixels of batches that only wait for the judge; one batch more than this is still taken."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A row and the pixels it is about (None for an error row)."""

    row: wire.Row
    rgb: U8 | None


@dataclass(frozen=True, slots=True)
class Begun:
    """An image on its way."""

    pixels: Pixels | Broken
    look: Future[Look] | None
    """None: nobody looks, or not yet."""

    @property
    def size(self) -> int:
        """Bytes of pixels."""
        return self.pixels.size


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A batch with its rows, but for what the judge says."""

    scored: list[Scored]
    looks: dict[int, Future[Look]]
    """By place in the batch."""
    size: int
    """Bytes of pixels."""


class Beside:
    """Looks of one run; use as a context manager. Leaving it cancels looks that nobody waits for.

    Args:
        looking: the judge; None: rows pass through as they are.
    """

    def __init__(self, looking: Looking | None) -> None:
        self._looking = looking
        self._waiting: deque[_Waiting] = deque()

    def begin(self, pixels: Pixels | Broken) -> Begun:
        """The judge looks at once, unless he has to know first what is detected."""
        looking = self._looking
        if looking is None or looking.after_detection or isinstance(pixels, Broken):
            return Begun(pixels, None)
        return Begun(pixels, looking.begin(pixels.decoded.rgb))

    def take(self, batch: Sequence[Begun], scored: list[Scored]) -> Iterator[Scored]:
        """Take a batch's rows, and give those back that are whole: batches wait for the judge as long as
        he has less in hand than he takes."""
        looks = {k: one.look for k, one in enumerate(batch) if one.look is not None}
        if self._looking is not None and self._looking.after_detection:
            looks = {
                k: self._looking.begin(one.rgb, one.row)
                for k, one in enumerate(scored)
                if one.rgb is not None
            }
        self._waiting.append(_Waiting(scored, looks, sum(one.size for one in batch)))
        while self._waiting and (self._first_is_done() or self._enough()):
            yield from self._finish()

    def rest(self) -> Iterator[Scored]:
        """What still waits."""
        while self._waiting:
            yield from self._finish()

    def _first_is_done(self) -> bool:
        return all(look.done() for look in self._waiting[0].looks.values())

    def _enough(self) -> bool:
        """Whether the batches behind the first keep the judge busy, or memory is full."""
        most = self._looking.max_in_flight if self._looking else 0
        behind = list(self._waiting)[1:]
        return (
            sum(len(one.looks) for one in behind) >= most
            or sum(one.size for one in behind) >= WAITING_PIXEL_BYTES
        )

    def _finish(self) -> list[Scored]:
        """The first batch, with what the judge says of it."""
        batch = self._waiting.popleft()
        if self._looking is None or not batch.looks:
            return batch.scored
        places, scored = list(batch.looks), batch.scored
        try:
            looks = [batch.looks[k].result() for k in places]
        except BaseException:
            self._waiting.appendleft(batch)
            raise
        rows = with_looks([scored[k].row for k in places], looks, self._looking.card.counting)
        whole = dict(zip(places, rows, strict=True))
        return [Scored(whole.get(k, one.row), one.rgb) for k, one in enumerate(scored)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for batch in self._waiting:
            for look in batch.looks.values():
                look.cancel()
        self._waiting.clear()
