"""Sessions in this process: the real pipeline, bench, coordinator and folder, without the seconds that a worker
process takes to start (`test_deaths.py` has those)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from physgauge.bulk.bench import Bench
from physgauge.bulk.command import Order, carry_out
from physgauge.bulk.fingerprint import fingerprint
from physgauge.bulk.index import Index
from physgauge.bulk.lookup import Lookup
from physgauge.bulk.twins import Twins
from physgauge.bulk.watch.events import AnyEvent
from physgauge.bulk.watch.watched import Wishes
from physgauge.bulk.work import GivenUp, Retry, RowMade, Setup, Task, Work
from physgauge.bulk.worker import LocalStage
from physgauge.clients.runs import Run
from physgauge.clients.sources import Sourcing
from physgauge.clients.storage import open_store
from physgauge.config import load_profile
from physgauge.wire import Method


class Here:
    """An engine: one worker, this one."""

    worker = "here"
    finish_by: float | None = None

    def __init__(self, profile: Path, method: Method) -> None:
        self._parts = fingerprint(
            load_profile(str(profile)), domain="auto", packs=(), method=method
        )
        self._work: Work

    def fingerprint(self) -> dict[str, str]:
        return self._parts

    def run(self, work: Work) -> None:
        self._work, setup = work, work.setup
        stage = LocalStage(setup)
        run = Run.open(open_store(setup.output), session=setup.session)
        twins = None if setup.twins is None else Twins(Index(Path(setup.twins)), Lookup(run).row)
        try:
            Bench(stage, run, self, setup.sourcing, twins, rows=setup.rows).work()
        finally:
            stage.close()

    def take(self, *, wait: bool) -> Task | None:
        return self._work.take()

    def tell(self, event: AnyEvent | RowMade | GivenUp) -> None:
        self._work.tell(event)


def score(
    folder: Path,
    inputs: Sequence[str] | None = None,
    *,
    profile: Path,
    update: bool = False,
    overwrite: bool = False,
    retry: Retry | None = None,
    method: Method = "both",
    unit_size: int = 8,
    rows: list[bytes] | None = None,
) -> str:
    """A session over ``folder/in`` into ``folder/out``; returns what it said."""
    said: list[str] = []
    order = Order(
        output=str(folder / "out"),
        setup=Setup(profile=str(profile), method=method, workers=1, threads=1),
        sourcing=Sourcing(unit_size=unit_size),
        inputs=inputs or [str(folder / "in")],
        options={"command": "score"},
        update=update,
        overwrite=overwrite,
        retry=retry,
        wishes=Wishes(line=False),
        say=said.append,
        out=None if rows is None else rows.append,
    )
    carry_out(order, Here(profile, method))
    return "\n".join(said)
