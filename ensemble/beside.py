"""Batches on their way: while one waits for a judge, the stages work on the next; rows keep their order.

A batch is a generator of steps. It works until it needs what somebody else is at (looks, reasoning),
yields the futures of that, and is sent their results.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from physgauge import wire
from physgauge.config import Profile
from physgauge.ensemble.clock import Clock
from physgauge.ensemble.feed import Broken, Known, Pixels
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.reasoning import Reasoned, cases, reason_batch, reasoned_of
from physgauge.ensemble.readings import Readings
from physgauge.ensemble.rules import Ruled
from physgauge.types import U8

Result = TypeVar("Result")
Steps = Generator[Sequence[Future[Any]], list[Any], Result]
"""Yields what it waits for, is sent the results, returns what it has made."""

WAITING_PIXEL_BYTES = 512 * 2**20
"""Pixels of batches that only wait for the judge; one batch more than this is still taken."""


def at_once(steps: Steps[Result]) -> Result:
    """Take all steps, waiting for whatever they wait for."""
    try:
        futures = next(steps)
        while True:
            futures = steps.send([one.result() for one in futures])
    except StopIteration as end:
        result: Result = end.value
        return result


def reason(
    ruled: Ruled, readings: Readings, profile: Profile, looking: Looking | None, clock: Clock
) -> Steps[list[Reasoned]]:
    """What is said of each reading: by the specification at once, or by the judge when he gets to it."""
    if profile.reason.engine != "judge" or looking is None:
        return clock.time("reason", lambda: reason_batch(ruled, readings, profile))
    wanted = cases(ruled, readings, profile)
    begun = [looking.begin_reasoning(case.given) for case in wanted]
    try:
        results = yield begun
    finally:
        for one in begun:
            one.cancel()
    by_subject = {case.subject: result for case, result in zip(wanted, results, strict=True)}
    return reasoned_of(ruled, readings, by_subject, f"judge:{looking.card.name}")


@dataclass(frozen=True, slots=True)
class Scored:
    """A row and the pixels it is about (None for an error row)."""

    row: wire.Row
    rgb: U8 | None


@dataclass(frozen=True, slots=True)
class Begun:
    """An image on its way."""

    pixels: Pixels | Broken | Known
    look: Future[Look] | None
    """None: nobody looks, or not yet."""

    @property
    def size(self) -> int:
        """Bytes of pixels."""
        return self.pixels.size


@dataclass(slots=True)
class _Waiting:
    """A batch that is not whole."""

    steps: Steps[list[Scored]]
    images: int
    size: int
    """Bytes of pixels."""
    futures: Sequence[Future[Any]]
    """What it waits for."""
    scored: list[Scored] | None = None
    """Its rows, once they are whole."""

    def go_on(self, *, wait: bool = False) -> None:
        """Take the steps that need no waiting; with `wait`, all."""
        while self.scored is None and (wait or all(one.done() for one in self.futures)):
            results = [one.result() for one in self.futures]
            try:
                self.futures = self.steps.send(results)
            except StopIteration as end:
                self.futures, self.scored = (), end.value


class Beside:
    """Batches of one run; use as a context manager. Leaving it stops what nobody waits for.

    Args:
        looking: the judge; None: batches wait for nobody.
        looks: whether he looks at images, besides reasoning.
        method: for whose sake he looks.
    """

    def __init__(
        self, looking: Looking | None, looks: bool = True, method: wire.Method = "both"
    ) -> None:
        self._looking, self._looks = looking, looks
        self._method: wire.Method = method
        self._waiting: deque[_Waiting] = deque()

    def begin(self, pixels: Pixels | Broken | Known) -> Begun:
        """The judge looks at once, unless he has to know first what is detected."""
        looking = self._looking
        if looking is None or not self._looks or not isinstance(pixels, Pixels):
            return Begun(pixels, None)
        if looking.after_detection:
            return Begun(pixels, None)
        return Begun(pixels, looking.begin(pixels.decoded.rgb, method=self._method))

    def take(self, batch: Sequence[Begun], steps: Steps[list[Scored]]) -> Iterator[Scored]:
        """Take a batch on, and give back what is whole: batches wait for the judge as long as he has less
        in hand than he takes."""
        one = _Waiting(steps, len(batch), sum(image.size for image in batch), ())
        self._waiting.append(one)
        one.futures = next(steps)
        for waiting in self._waiting:
            waiting.go_on()
        while self._waiting and (self._waiting[0].scored is not None or self._enough()):
            yield from self._finish()

    def rest(self) -> Iterator[Scored]:
        """What still waits."""
        while self._waiting:
            yield from self._finish()
            for waiting in self._waiting:
                waiting.go_on()

    def _enough(self) -> bool:
        """Whether the batches behind the first keep the judge busy, or memory is full."""
        most = self._looking.max_in_flight if self._looking else 0
        behind = [one for k, one in enumerate(self._waiting) if k]
        return (
            sum(one.images for one in behind if one.futures) >= most
            or sum(one.size for one in behind) >= WAITING_PIXEL_BYTES
        )

    def _finish(self) -> list[Scored]:
        """The first batch, whole."""
        first = self._waiting[0]
        first.go_on(wait=True)
        self._waiting.popleft()
        return first.scored or []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one in self._waiting:
            one.steps.close()
            for future in one.futures:
                future.cancel()
        self._waiting.clear()
