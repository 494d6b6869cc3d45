"""What a coordinator hands to an engine, and what an engine tells it: the contract of `--engine`.

    coordinator -- Task --> engine -- Task --> worker: Bench(stage, ...) reads, scores, commits
                <- events -        <- events -

An engine starts workers, gives each a :class:`Setup` and tasks, and passes on what they tell. It
commits nothing itself: a worker does, through `physgauge.clients.runs`, and the exclusive create decides
whose rows count. So an engine may give a task to two workers, or lose one: every entry has one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, Protocol

import msgspec

from physgauge import wire
from physgauge.bulk.watch.events import AnyEvent
from physgauge.clients.sources import Sourcing, Unit
from physgauge.types import Item

DRAIN_S: Final = 30.0
"""What units in hand get to be finished in after the first Ctrl-C."""
Drain = Literal["no", "drain", "stop"]
"""`drain`: no new tasks; `stop`: leave at once."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What every worker of a run needs: plain data, for another process or another host."""

    output: str = ""
    """Run folder, as given to `open_store`."""
    session: str = ""
    """Token of the session that workers commit for."""
    run: str = ""
    """Token of the run that they commit to: another one may have taken its place."""
    sourcing: Sourcing = Sourcing()
    profile: str
    """Shipped name, or absolute path."""
    domain: str = "auto"
    packs: tuple[str, ...] = ()
    """Shipped names, or absolute paths."""
    method: wire.Method = "both"
    workers: int | None = None
    """Decode processes of one worker; None = the profile's."""
    threads: int | None = None
    draw: str | None = None
    """Folder for annotated pictures; None: none are drawn."""
    twins: str | None = None
    """File of the index of equal images, on this host; None: what equals is scored again."""
    rows: bool = False
    """Whether rows are wanted one by one, as they are made (:class:`RowMade`)."""


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows `physgauge retry` means."""

    statuses: list[str]
    """Rows with one of these statuses (`error`, `partial`) in either method ..."""
    codes: list[str] = []
    """... and, where there are any here, of one of these error codes."""

    def means(self, row: wire.Row) -> bool:
        """Whether it means this row."""
        if not {row.terravis.status, row.pcmde.status} & set(self.statuses):
            return False
        return not self.codes or row.error_code in self.codes


class Keep(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows of the committed generation are kept, in a task that makes some of them again."""

    generation: int
    """Of those rows."""
    gone: list[int] = []
    """Places that had no row then."""
    again: list[int] = []
    """Places that are scored again whatever their rows say (their files are others now)."""
    retry: list[Retry] = []
    """So are rows that one of these means."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A unit to be scored and committed under a generation."""

    unit: Unit
    generation: int = 0
    keep: Keep | None = None
    """What to keep of the rows committed before; None: nothing, all entries are scored."""
    gone: list[int] = []
    """Places (from 0, in the unit) of entries that get no row, since the inputs no longer hold them; -1:
    all of them (an archive)."""
    alone: list[int] = []
    """Places of the entries that were in hand when a worker died: each is scored with no other in hand,
    before all others."""
    crashed: dict[int, str] = {}
    """Place to what became of its workers: these get an error row, `worker_crashed`, untried."""


class RowMade(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A row, before its unit is committed; after a crash, it comes again."""

    unit: int
    place: int
    json: bytes
    """The row, as :func:`physgauge.wire.to_json`."""


class GivenUp(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A task is not done by this worker and its claim may go: drained, or somebody else has committed the
    unit (`lost`)."""

    unit: int
    lost: bool = False


class Stage(Protocol):
    """Turns items into rows: a pipeline, or a client of servers."""

    def score(self, items: Iterable[Item], known: Known | None) -> Iterator[wire.Row]:
        """One row per item, in order; it may read ahead as far as keeps it busy.

        Args:
            items: entries; one whose `error` is set becomes an error row.
            known: asked about each image as soon as its pixels are known, in order. Where it says True,
                nothing more is done for the image, and its row holds only what decoding says (both
                methods `skipped`). A stage that never sees pixels does not ask.
        """
        ...

    def close(self) -> None:
        """End it."""
        ...


class Known(Protocol):
    """Says of an image whether its row is known already."""

    def __call__(self, item: Item, pixel_sha256: str, warnings: tuple[str, ...]) -> bool: ...


class Work(Protocol):
    """The coordinator, as engines see it; to be called from the thread that `run` is in."""

    @property
    def setup(self) -> Setup: ...

    @property
    def drain(self) -> Drain:
        """What the user wants; may change at any time."""
        ...

    def take(self) -> Task | None:
        """The next task, claimed for this session; None: none is free now. Never blocks for long."""
        ...

    def ahead(self) -> None:
        """Claim what `take` will give next: to be called when there is a moment."""
        ...

    @property
    def left(self) -> int:
        """Open units that are in no hand, as far as is known; for engines that plan ahead."""
        ...

    def over(self) -> bool:
        """Whether every unit is committed: nothing will be free any more. (Where `take` gives None and
        this is False, another session is at the rest: ask again in a few seconds.)"""
        ...

    def tell(self, event: AnyEvent | RowMade | GivenUp) -> None:
        """Pass on what a worker says."""
        ...

    def crashed(
        self, tasks: Iterable[Task], in_hand: Mapping[int, list[int]], how: str, *, worker: str
    ) -> None:
        """A worker died or stood still and has been killed; its tasks are open again.

        Args:
            tasks: it had, not committed.
            in_hand: unit to places of the entries it had begun, as far as anybody knows.
            how: "signal SIGSEGV", "stood still for 300 s".
            worker: its name.

        Raises:
            EnvironmentProblem: workers die again and again with nothing in hand.
        """
        ...


class Engine(Protocol):
    """Runs workers."""

    def fingerprint(self) -> dict[str, str]:
        """What rows depend on, part by part, by name; quick (loads no model)."""
        ...

    def run(self, work: Work) -> None:
        """Take tasks until `work.over()`, or the user stops it.

        Raises:
            ConfigError: a worker cannot start, and why; so for EnvironmentProblem.
        """
        ...
