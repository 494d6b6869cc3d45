"""A session: one command's work on a run, from its inputs to its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from physgauge.bulk.changing import begin_retry, begin_update, check_unchanged
from physgauge.bulk.coordinator import Coordinator, Heard
from physgauge.bulk.crashes import Crashes
from physgauge.bulk.known_rows import fill, index_file
from physgauge.bulk.printing import Printer
from physgauge.bulk.stopping import Stopping
from physgauge.bulk.watch.events import UnitDone
from physgauge.bulk.watch.report import Report
from physgauge.bulk.watch.watched import Wishes, close, watched
from physgauge.bulk.watch.watcher import Watcher
from physgauge.bulk.work import DRAIN_S, Drain, Engine, GivenUp, Retry, RowMade, Setup
from physgauge.clients.runs import Run, wipe
from physgauge.clients.runs.names import SESSIONS
from physgauge.clients.runs.record import read_records
from physgauge.clients.runs.session import LEASE_S
from physgauge.clients.sources import Plan, Sourcing, make_plan, open_inputs, open_plan
from physgauge.clients.storage import Store, is_remote, open_store
from physgauge.errors import ConfigError, EnvironmentProblem

OLD_ROWS = "rows.parquet"
"""What a run was before there were run folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be done."""

    output: str
    setup: Setup
    """Of the workers; `output`, `session` and `twins` are filled in."""
    sourcing: Sourcing
    inputs: Sequence[str]
    options: dict[str, Any] = field(default_factory=dict)
    """For the run's record: what `retry` needs."""
    update: bool = False
    overwrite: bool = False
    retry: Retry | None = None
    lease_s: float = LEASE_S
    twins: bool = True
    wishes: Wishes = field(default_factory=Wishes)
    say: Callable[[str], None] = print
    """Takes sentences for the user."""
    out: Callable[[bytes], object] | None = None
    """Takes rows as JSON, in order."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended."""

    run: Run
    plan: Plan
    report: Report | None
    """None: there was nothing to do."""
    exit_code: int


def carry_out(order: Order, engine: Engine) -> Outcome:
    """Do it.

    Raises:
        ConfigError: something in the order is wrong, or does not go with the run that is there.
        EnvironmentProblem: something that is needed is missing, full or out of reach; what is committed
            stays, and the same order goes on.
    """
    store = open_store(order.output)
    parts = engine.fingerprint()
    if order.overwrite:
        _check_inputs(order)
        wipe(store)
    _check_folder(store, order)
    run, plan = _prepare(store, order, engine, parts)
    pending = run.pending(range(plan.units))
    printer = None if order.out is None else Printer(run, plan.units, order.out)
    if printer is not None:
        printer.begin(pending)
    if not pending:
        with suppress(EnvironmentProblem), run.session(order.lease_s) as session:
            session.sweep()  # what a session left that was killed after its last commit
        rows = sum(one.entries for one in run.committed().values())
        order.say(f"Nothing to do: all {rows:,} rows of {store.address} are there.")
        return Outcome(run, plan, None, 0)
    return _work(order, engine, run, plan, pending, printer)


def _check_inputs(order: Order) -> None:
    """See that there are inputs, before the rows of a run are deleted for them: a PATH misspelt must
    not cost them. Only the first image of each is looked for.

    Raises:
        ConfigError: there are none.
    """
    for one in order.inputs:
        if one != "-":  # standard input can be read once
            next(open_inputs([one], order.sourcing))


def _check_folder(store: Store, order: Order) -> None:
    if is_remote(order.output):
        return
    old = Path(store.address) / OLD_ROWS
    if old.exists():
        if not order.overwrite:
            raise ConfigError(
                f"{old} exists, the rows of an earlier physgauge: expected another -o DIR, or "
                "--overwrite to replace it"
            )
        if old.is_dir():
            raise ConfigError(f"{old}: expected a file to replace, got a folder")
        old.unlink()


def _prepare(store: Store, order: Order, engine: Engine, parts: dict[str, str]) -> tuple[Run, Plan]:
    """The run and its plan, as the order wants them."""
    _begin_anew(store, order, parts)
    plan = open_plan(store)
    if order.retry is not None:
        if plan is None:
            raise ConfigError(f"{store.address}: expected a run, got one that was never planned")
        run, rows = begin_retry(Run.open(store), order.retry, parts)
        order.say(f"{rows:,} rows are tried again." if rows else "No row is of that kind.")
        return run, plan
    if plan is None:  # a new run: its models can load while the inputs are listed
        _load(engine, order.setup)
        run = Run.create_or_open(store, parts, order.options)
        plan = make_plan(order.inputs, store, order.sourcing)
        if plan.seals[-1].inputs != list(order.inputs):  # another session's, which was quicker
            check_unchanged(run, plan, order.inputs, order.sourcing)
        return run, plan
    if order.update:
        run, plan, changed = begin_update(
            Run.open(store), plan, order.inputs, order.sourcing, parts, order.options
        )
        order.say(f"Changed: {changed}" if changed else "Nothing has changed.")
        return run, plan
    run = Run.create_or_open(store, parts, order.options)
    check_unchanged(run, plan, order.inputs, order.sourcing)
    return run, plan


def _load(engine: Engine, setup: Setup) -> None:
    """Have an engine get ready, if it can do so ahead."""
    if (load := getattr(engine, "load", None)) is not None:
        load(setup)


def _begin_anew(store: Store, order: Order, parts: dict[str, str]) -> None:
    """A run in which nothing was ever committed (a wrong profile, say) is in nobody's way."""
    if order.retry is not None or not read_records(store):
        return
    run = Run.open(store)
    if run.differences(parts) and not run.committed() and not any(store.list(SESSIONS)):
        order.say(f"{store.address} has no rows yet, of other settings: it begins anew")
        wipe(store)


def _work(
    order: Order,
    engine: Engine,
    run: Run,
    plan: Plan,
    pending: dict[int, int],
    printer: Printer | None,
) -> Outcome:
    code = 0
    _load(engine, order.setup)
    with ExitStack() as stack:
        session = stack.enter_context(run.session(order.lease_s))
        session.sweep()
        twins = None
        if order.twins:
            twins = stack.enter_context(index_file())
            fill(twins, run, pending)
        setup = msgspec.structs.replace(
            order.setup,
            output=order.output,
            session=session.token,
            run=run.token,
            sourcing=order.sourcing,
            twins=None if twins is None else str(twins),
            rows=printer is not None,
        )
        watcher = stack.enter_context(
            watched(
                run,
                session.token,
                order.wishes,
                total=plan.entries,
                total_units=plan.units,
                engine=order.options.get("engine", "local"),
                gpus=getattr(engine, "gpus", None),
            )
        )
        hear = _Hearing(watcher, printer)
        crashes = Crashes(run.store, session.token)
        coordinator = Coordinator(run, plan, session, setup, crashes, hear)

        def wish(drain: Drain) -> None:
            coordinator.drain = drain
            if drain == "drain":
                watcher.drain()
                order.say(
                    f"Stopping: units that can be finished within {DRAIN_S:.0f} s are; Ctrl-C again "
                    "stops at once"
                )

        with Stopping(wish) as stopping:
            engine.run(coordinator)
        coordinator.leave()
        if printer is not None:
            printer.end()
        if stopping.number is not None and run.pending(range(plan.units)):
            code = stopping.exit_code
            watcher.end("stopped")
        session.sweep()
    report = close(watcher, order.wishes)
    if code:
        order.say("Stopped: what is committed stays, and the same command goes on.")
    return Outcome(run, plan, report, code)


class _Hearing:
    """Passes on what workers tell."""

    def __init__(self, watcher: Watcher, printer: Printer | None) -> None:
        self._watcher, self._printer = watcher, printer

    def __call__(self, event: Heard) -> None:
        if isinstance(event, RowMade):
            if self._printer is not None:
                self._printer.made(event)
        elif not isinstance(event, GivenUp):
            self._watcher.tell(event)
            if isinstance(event, UnitDone) and self._printer is not None:
                self._printer.done(event)
