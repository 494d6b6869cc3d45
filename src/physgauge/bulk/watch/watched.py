"""A session that is watched: record, progress line and metrics while it works, a report at its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import msgspec
from rich.console import Console
from rich.text import Text

from physgauge.bulk.watch.line import ProgressLine
from physgauge.bulk.watch.making import make_report
from physgauge.bulk.watch.money import NO_PRICES
from physgauge.bulk.watch.report import LOW, Report
from physgauge.bulk.watch.watcher import Watcher
from physgauge.clients.runs import Run
from physgauge.clients.runs.names import REPORT
from physgauge.cost_settings import CostSettings

_RECOUNT_S = 10.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a session is to be watched."""

    by: Sequence[str] = ()
    """Carried columns to show groups of."""
    below: float = LOW
    """Count images whose TerraVis score is below this."""
    prices: CostSettings = NO_PRICES
    metrics: tuple[str, int] | None = None
    """Host and port to serve metrics at."""
    line: bool = True
    """Whether progress goes to standard error."""


@contextmanager
def watched(
    run: Run,
    token: str,
    wishes: Wishes,
    *,
    total: int | None,
    total_units: int | None,
    engine: str = "local",
    gpus: float | None = None,
) -> Iterator[Watcher]:
    """Watch a session; what is raised inside is noted as its end (Ctrl-C: `stopped`).

    Args:
        run: worked on.
        token: of the session.
        wishes: of the user.
        total: entries of the run; None: not known.
        total_units: units of the run.
        engine: `local`, `server` or `ray`.
        gpus: that the session holds; None: unknown.

    Raises:
        EnvironmentProblem: the port of the metrics is taken, or the folder cannot be reached.
    """
    console = Console(stderr=True)
    watcher = Watcher(
        run,
        token,
        total=total,
        total_units=total_units,
        engine=engine,
        prices=wishes.prices,
        gpus=gpus,
        by=wishes.by,
    )
    with ExitStack() as stack:
        stack.enter_context(watcher)
        if wishes.metrics is not None:
            from physgauge.bulk.watch.metrics import serve

            host, wanted = wishes.metrics
            port, stop = serve(watcher, host, wanted)
            stack.callback(stop)
            console.print(Text(f"Metrics: http://{host}:{port}/metrics"), soft_wrap=True)
        if wishes.line:
            stack.enter_context(ProgressLine(watcher.progress, wishes.below, console))
        yield watcher
    if watcher.failed_writes:
        console.print(
            f"The record of the session could not be written {watcher.failed_writes} times "
            "(rows are not concerned)"
        )


def close(watcher: Watcher, wishes: Wishes) -> Report:
    """The report of a run at a session's end; written to the folder as ``report.json``.

    Args:
        watcher: of the session, which has ended.
        wishes: of the user.

    Raises:
        EnvironmentProblem: the folder cannot be read or written.
    """
    folder = watcher.folder
    folder.run.refresh()
    folder.refresh()
    folder.recount(folder.uncounted(), _RECOUNT_S)
    with folder.lock:
        folder.states[watcher.token] = watcher.state
    report = make_report(folder, living={}, threshold=wishes.below)
    data = msgspec.json.format(msgspec.json.encode(report))
    folder.run.store.replace(REPORT, data + b"\n")
    return report
