"""Two judges as one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from physgauge.ensemble.judge.cascade.bands import Bands
from physgauge.ensemble.judge.guarded import total
from physgauge.ensemble.judge.look import Crop, Judge, Look, Reasoner, Watcher
from physgauge.ensemble.judge.reason_input import ReasonInput, ReasonResult, unanswered
from physgauge.ensemble.judge.terravis.result import Counting, terravis_of
from physgauge.types import U8
from physgauge.wire import Method

FIRST: Final = "cascade:first"
SECOND: Final = "cascade:second"
"""Modes in rows: who has answered."""


class CascadeJudge:
    """A :class:`physgauge.ensemble.judge.look.Judge`; owns and closes both.

    Args:
        first: looks at every image.
        second: looks where the first is unsure; observers and the reasoner are beside him.
        bands: when the first one's word stands.
        counting: how the answers of both count.
    """

    def __init__(self, first: Judge, second: Judge, bands: Bands, counting: Counting) -> None:
        self._first, self._second = first, second
        self._bands, self._counting = bands, counting

    @property
    def name(self) -> str:
        """Both."""
        return f"cascade({self._first.name}, {self._second.name})"

    @property
    def models(self) -> Mapping[str, str]:
        """Of both."""
        return dict(self._second.models) | {f"first_{n}": s for n, s in self._first.models.items()}

    @property
    def probe_version(self) -> str:
        """The second's; the first's behind it where it is another."""
        first, second = self._first.probe_version, self._second.probe_version
        return second if first == second else f"{second} (first: {first})"

    async def look(
        self, image: U8, crops: Sequence[Crop] = (), deadline_s: float | None = None
    ) -> Look:
        """Look at an image; see :class:`physgauge.ensemble.judge.look.Judge`."""
        return await self.look_for("both", image, crops, deadline_s)

    async def look_for(
        self,
        method: Method,
        image: U8,
        crops: Sequence[Crop] = (),
        deadline_s: float | None = None,
    ) -> Look:
        """Look for one method's sake; see :class:`physgauge.ensemble.judge.look.Watcher`."""
        if method == "pcmde":
            return await self._watched(image, deadline_s)
        first = await self._glance(image, deadline_s)
        if self._bands.word(terravis_of([first], self._counting)[0]) is not None:
            beside = Look("") if method == "terravis" else await self._watched(image, deadline_s)
            return _together(replace(first, mode=FIRST, sights=beside.sights), first, beside)
        if method != "both" and isinstance(self._second, Watcher):
            second = await self._second.look_for(method, image, crops, deadline_s)
        else:
            second = await self._second.look(image, crops, deadline_s)
        # A first judge who is gone must not go unnoticed: he costs, and leaves everything to the second.
        gone = None if first.fault is None else f"first judge: {first.fault}"
        return _together(replace(second, mode=SECOND, fault=second.fault or gone), first, second)

    async def _glance(self, image: U8, deadline_s: float | None) -> Look:
        """The first's look; whatever befalls him, the second can be asked."""
        try:
            return await self._first.look(image, (), deadline_s)
        except Exception as error:
            return Look("", fault=f"failed ({type(error).__name__})")

    async def _watched(self, image: U8, deadline_s: float | None) -> Look:
        """What observers beside the second see."""
        if not isinstance(self._second, Watcher):
            return Look("")
        return await self._second.look_for("pcmde", image, (), deadline_s)

    async def reason(self, given: ReasonInput, deadline_s: float | None = None) -> ReasonResult:
        """The second reasons; see :class:`physgauge.ensemble.judge.look.Reasoner`."""
        if not isinstance(self._second, Reasoner):
            return unanswered("the second judge does not reason")
        return await self._second.reason(given, deadline_s)

    async def close(self) -> None:
        """Close both, each whatever becomes of the other."""
        results = await asyncio.gather(
            self._first.close(), self._second.close(), return_exceptions=True
        )
        for one in results:
            if isinstance(one, BaseException):
                raise one


def _together(look: Look, first: Look, other: Look) -> Look:
    """A look with what both took."""
    return replace(look, spent=total([first.spent, other.spent]), ms=round(first.ms + other.ms, 3))
