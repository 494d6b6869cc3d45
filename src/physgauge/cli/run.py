"""What `rescore` and `score-boxes` share: rows go to a run folder or standard output, into the summary
and past the progress bar, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from physgauge import wire
from physgauge.clients.runs import RunWriter
from physgauge.clients.storage import open_store
from physgauge.errors import ConfigError
from physgauge.report.printable import printable
from physgauge.report.summary import Summary, print_summary


def prepare_output(
    output: str | None, overwrite: bool, as_json: bool, options: dict[str, Any]
) -> RunWriter | None:
    """What writes the rows; None when they only go to standard output.

    Args:
        output: a folder, or ``s3://bucket/prefix``.
        overwrite: replace a run that is there.
        as_json: rows go to standard output, too.
        options: of the command, for the run's record.

    Raises:
        ConfigError: no place to put rows, or a run in the way.
        EnvironmentProblem: a place that cannot be read.
    """
    if output is None:
        if not as_json:
            raise ConfigError(
                "expected a place for the rows: -o DIR, or --json for standard output"
            )
        return None
    writer = RunWriter(open_store(output), options, overwrite)
    writer.check()
    return writer


@contextmanager
def loading() -> Iterator[None]:
    """Says what the seconds before the first image go into."""
    words = "loading models and rules (the first run compiles the rules)"
    with Console(stderr=True).status(words):
        yield


def consume(
    rows: Iterable[wire.Row],
    total: int | None,
    writer: RunWriter | None,
    as_json: bool,
    each: Callable[[wire.Row], None] | None = None,
    state: Callable[[], str] | None = None,
) -> Summary:
    """Write, print and count every row as it comes; print the summary at the end.

    Args:
        rows: the rows, in input order.
        total: how many are expected, for the time left; None: nobody knows.
        writer: writes the run folder; None: nobody does.
        as_json: rows as JSON lines on standard output (the summary then goes to standard error).
        each: called with every row, after it is written.
        state: more for the progress line; called from another thread.
    """
    console = Console(stderr=as_json)
    summary = Summary()
    start = time.monotonic()
    with ExitStack() as stack:
        if writer is not None:
            stack.enter_context(writer)
        progress = stack.enter_context(_progress(state))
        task = progress.add_task("scoring", total=total)
        for row in rows:
            if writer is not None:
                writer.write(row)
            if as_json:
                click.echo(wire.to_json(row))
            summary.add(row)
            if each is not None:
                each(row)
            progress.advance(task)
    print_summary(console, summary, time.monotonic() - start)
    if writer is not None:
        console.print(Text(printable(f"Rows: {writer.address}")))
    return summary


class _Rate(ProgressColumn):
    """Finished images per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("- images/s" if speed is None else f"{speed:.1f} images/s")


class _State(ProgressColumn):
    """What else there is to say."""

    def __init__(self, state: Callable[[], str]) -> None:
        super().__init__()
        self._state = state

    def render(self, task: Task) -> Text:
        return Text(self._state())


def _progress(state: Callable[[], str] | None) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TextColumn("left"),
        TimeRemainingColumn(),
        *([] if state is None else [_State(state)]),
        console=Console(stderr=True),
        transient=True,
    )
