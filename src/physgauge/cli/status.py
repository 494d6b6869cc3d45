"""`physgauge status`: where a run stands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from physgauge.cli.watching import Watching, look_options

if TYPE_CHECKING:
    from physgauge.bulk.watch.report import Report
    from physgauge.bulk.watch.status import Onlooker

EXIT_UNFINISHED = 1
EXIT_DAMAGED = 4
_EVERY_S = 2.0


@click.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the report as JSON (docs/report.schema.json)."
)
@click.option("--watch", is_flag=True, help="Look again and again until the run ends.")
@click.option("--verify", is_flag=True, help="Read every row and check every checksum (slow).")
@look_options
def status(folder: str, as_json: bool, watch: bool, verify: bool, watching: Watching) -> int:
    """Say how far the run in DIR is, at what rate and price, with which errors and verdicts, and who
    works on it. DIR: a path, or s3://BUCKET/PREFIX.

    The exit code is 0 for a run that is done or goes on, 1 for one that is unfinished and nobody works
    on, 4 for a damaged one.
    """
    from rich.console import Console

    from physgauge.bulk.watch.status import Onlooker
    from physgauge.bulk.watch.table import print_report
    from physgauge.clients.storage import open_store

    if watch and (as_json or verify):
        raise click.UsageError("--watch: not with --json or --verify")
    onlooker = Onlooker(open_store(folder), watching.below, watching.prices())
    if watch:
        report = _watch(onlooker, watching)
    else:
        report = onlooker.look(verify, _verified if verify and not as_json else None)
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(report)))
    else:
        print_report(Console(), report, watching.by or _asked(report))
    if report.damaged:
        return EXIT_DAMAGED
    return EXIT_UNFINISHED if report.status == "unfinished" else 0


def _asked(report: Report) -> tuple[str, ...]:
    """The columns that whoever started the run asked for."""
    return tuple(dict.fromkeys(column for one in report.sessions for column in one.by))


def _watch(onlooker: Onlooker, watching: Watching) -> Report:
    from rich.console import Console
    from rich.live import Live

    from physgauge.bulk.watch.table import render

    report = onlooker.look()
    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        while report.living:
            live.update(render(report, watching.by or _asked(report)), refresh=True)
            time.sleep(_EVERY_S)
            report = onlooker.look()
    return report


def _verified(done: int, of: int) -> None:
    if done % 100 == 0 or done == of:
        click.echo(f"\r{done} of {of} units verified", err=True, nl=done == of)
