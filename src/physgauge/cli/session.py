"""What `score -o` and `retry` share: an engine is made, a session carried out, and its end told."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from physgauge.report.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from physgauge import wire
    from physgauge.bulk.command import Order, Outcome
    from physgauge.bulk.engines.ray_settings import RaySettings
    from physgauge.bulk.work import Engine, Setup
    from physgauge.cli.remote import Remote
    from physgauge.cli.watching import Watching
    from physgauge.config import LoadedProfile

SMALL = 5_000
"""Up to so many rows, a session ends with the summary of all of them, read back."""
EXIT_ERRORS = 5


@dataclass(frozen=True, slots=True)
class Hands:
    """Who is to do the work, as the options say."""

    loaded: LoadedProfile | None
    """None: servers have their own."""
    processes: int | None
    stall_s: float
    remote: Remote | None
    ray: RaySettings | None

    @property
    def name(self) -> str:
        """Of the engine."""
        return "server" if self.remote else "ray" if self.ray else "local"

    def engine(self, setup: Setup) -> tuple[Any, Setup]:
        """The engine, and the setup of its workers.

        Raises:
            ConfigError, EnvironmentProblem: an option, or something that the engine needs.
        """
        if self.remote is not None:
            return self.remote.engine(setup.domain, setup.method), setup
        assert self.loaded is not None
        if self.ray is not None:
            from physgauge.cli.ray import ray_engine

            return ray_engine(self.ray, self.loaded, setup, self.stall_s)
        return _local(self.loaded, setup, self.processes, self.stall_s)


def _local(
    loaded: LoadedProfile, setup: Setup, processes: int | None, stall_s: float
) -> tuple[Any, Setup]:
    """The engine `local`; its workers share the cores."""
    import msgspec

    from physgauge.bulk.engines.local import LocalEngine
    from physgauge.bulk.fingerprint import fingerprint
    from physgauge.bulk.machines import environments, share

    parts = fingerprint(loaded, domain=setup.domain, packs=setup.packs, method=setup.method)
    hands = environments(loaded.profile, processes)
    if len(hands) > 1:
        cores, run = share(len(hands)), loaded.profile.run
        setup = msgspec.structs.replace(
            setup,
            workers=setup.workers or run.workers or min(4, cores),
            threads=setup.threads or run.threads or cores,
        )
    judge = loaded.profile.judge
    return LocalEngine(parts, hands, stall_s + (judge.timeout_s if judge else 0.0)), setup


def carry_out(order: Order, engine: Engine, watching: Watching, *, as_json: bool) -> Outcome:
    """The session, with what is printed at its end."""
    from rich.console import Console

    from physgauge.bulk.command import carry_out as run_session

    console = Console(stderr=as_json)
    start = time.monotonic()
    order = replace(order, say=lambda text: console.print(printable(text), markup=False))
    if as_json:
        order = replace(order, out=_print)
    with engine if isinstance(engine, AbstractContextManager) else nullcontext():
        outcome = run_session(order, engine)
    if outcome.report is not None:
        _summary(console, outcome, time.monotonic() - start, watching)
    console.print(printable(f"Rows: {outcome.run.store.where('rows')}"), markup=False)
    return outcome


def exit_code(outcome: Outcome, watching: Watching) -> int:
    """0, or what the user asked to be told by it."""
    most, report = watching.fail_on_error_share, outcome.report
    if outcome.exit_code or most is None:
        return outcome.exit_code
    if report is None:  # there was nothing to do: the rows are those of earlier sessions
        from physgauge.bulk.watch.status import Onlooker

        report = Onlooker(outcome.run.store).look()
    found = report.total.error_share
    return EXIT_ERRORS if found is not None and found > most else 0


def first_row(outcome: Outcome) -> wire.Row | None:
    """For what its provenance says."""
    committed = outcome.run.committed()
    return next(outcome.run.rows(list(committed)[:1]), None)


def _print(line: bytes) -> None:
    sys.stdout.write(line.decode() + "\n")
    sys.stdout.flush()


def _summary(console: Console, outcome: Outcome, seconds: float, watching: Watching) -> None:
    from physgauge.bulk.watch.table import print_report
    from physgauge.bulk.watch.words import price
    from physgauge.report.summary import Summary, print_summary

    report = outcome.report
    assert report is not None
    if report.rows > SMALL or watching.by:
        print_report(console, report, watching.by)
        return
    summary = Summary()
    for row in outcome.run.rows():
        summary.add(row)
    print_summary(console, summary, seconds)
    if report.copied:
        console.print(f"{report.copied:,} of the rows are copies, of equal images")
    if report.costs.usd is not None:
        console.print("Cost: " + ", ".join(price(report.costs)))
