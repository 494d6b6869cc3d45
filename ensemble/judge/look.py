"""A judge's look at one image, and what can look: an engine with a way to ask it, or a model of its own.

A look never gets the image's caption: what a judge sees in an image is the same with and without one. A
reasoner gets the caption, and never the image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from physgauge import wire
from physgauge.ensemble.judge.engine import Spent
from physgauge.ensemble.judge.reason_input import ReasonInput, ReasonResult
from physgauge.ensemble.observations import Sight
from physgauge.types import U8

Crop = tuple[int, int, int, int]
"""x0, y0, x1, y1 in px of the image, x1 and y1 not included."""


@dataclass(frozen=True, slots=True)
class Look:
    """What came of a look at one image."""

    mode: str
    """How the judge was asked."""
    eligible: wire.Eligible | None = None
    """None where that was not asked (`direct`)."""
    answers: Mapping[str, wire.Answer] = field(default_factory=dict)
    """By probe id, in the order of the probe set. `severity` is the engine's word where it gives no
    `p_major`; a probe with neither has not been graded."""
    rating: int | None = None
    """1..5, of `direct`."""
    rating_outcome: wire.Outcome | None = None
    spent: Spent = field(default_factory=Spent)
    ms: float = 0.0
    """Wall-clock time of the look, without any wait before it."""
    fault: str | None = None
    """Why the engine could not go on."""
    abstained: str | None = None
    """Why the judge gives no answers though he has looked; then none has a number."""
    left_out: str | None = None
    """Why not everything was asked, where what was answered already decides."""
    sights: tuple[Sight, ...] = ()
    """What observers see, for PCMDE (`observe/`); nothing where nobody was asked."""


class Judge(Protocol):
    """Something that looks at images; answers within its deadline and does not raise for an image."""

    @property
    def name(self) -> str:
        """For rows: what answered, and how it was asked."""
        ...

    @property
    def models(self) -> Mapping[str, str]:
        """Model name to a hash of its weights."""
        ...

    @property
    def probe_version(self) -> str:
        """Which probes it answers."""
        ...

    async def look(
        self, image: U8, crops: Sequence[Crop] = (), deadline_s: float | None = None
    ) -> Look:
        """Look at an image.

        Args:
            image: [H, W, 3] uint8 RGB as decoded.
            crops: parts of it to look at more closely; a judge that can't leaves them out.
            deadline_s: `time.monotonic` until which it is worth answering; None = the judge's own.
        """
        ...

    async def close(self) -> None:
        """Free everything."""
        ...


@runtime_checkable
class Watcher(Protocol):
    """A judge beside whom observers look, for PCMDE."""

    async def look_for(
        self,
        method: wire.Method,
        image: U8,
        crops: Sequence[Crop] = (),
        deadline_s: float | None = None,
    ) -> Look:
        """Look for one method's sake: `terravis` asks no observer, `pcmde` nobody but them.

        The other arguments are as of :meth:`Judge.look`.
        """
        ...


@runtime_checkable
class Reasoner(Protocol):
    """A judge whose model reasons, too; answers within its deadline and does not raise for a record."""

    async def reason(self, given: ReasonInput, deadline_s: float | None = None) -> ReasonResult:
        """Judge a record against its type, without the image.

        Args:
            given: everything known about one subject.
            deadline_s: `time.monotonic` until which it is worth answering; None = the reasoner's own.
        """
        ...
