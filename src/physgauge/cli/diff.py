"""`physgauge diff`: what has changed from one run to another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from physgauge.cli.options import Number
from physgauge.errors import ConfigError

if TYPE_CHECKING:
    from physgauge.evaluate.diff.compare import Pairing
    from physgauge.evaluate.diff.result import Diff
    from physgauge.evaluate.multiple import Correction


WIDTH = 140
"""Of tables that go to a file or a pipe."""


@click.command()
@click.argument("run_a", metavar="RUN_A")
@click.argument("run_b", metavar="RUN_B")
@click.option(
    "--by", metavar="COLUMN",
    help="Compare each group, too: by a carried column (generator ...) or by pcmde.domain.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.json",
    help="Write all numbers here, beside the tables on standard output.",
)  # fmt: skip
@click.option(
    "--movers", type=click.IntRange(0, 10_000), default=10, show_default=True, metavar="N",
    help="Images with the largest changes to list, for each score.",
)  # fmt: skip
@click.option(
    "--pairing", type=click.Choice(["auto", "ids", "none"]), default="auto", show_default=True,
    help="auto: in pairs where half of the smaller run's ids match.",
)  # fmt: skip
@click.option(
    "--correction", type=click.Choice(["holm", "bh"]), default="holm", show_default=True,
    help="Of p values, over the lines of a table: no false finding, or few among the findings.",
)  # fmt: skip
@click.option(
    "--level", type=Number(0, 0.5, min_open=True), default=0.05, show_default=True, metavar="P",
    help="Adjusted p values below it count.",
)  # fmt: skip
@click.option(
    "--margin", type=Number(0, 1), default=0.0, show_default=True, metavar="X",
    help="Smaller changes do not count: of shares, and of scores as a part of their range.",
)  # fmt: skip
@click.option(
    "--fail-on", type=click.Choice(["worse", "change"]),
    help="Exit with 5 if anything got worse, or if anything changed.",
)  # fmt: skip
def diff(
    run_a: str,
    run_b: str,
    by: str | None,
    as_json: bool,
    output: Path | None,
    movers: int,
    pairing: Pairing,
    correction: Correction,
    level: float,
    margin: float,
    fail_on: Literal["worse", "change"] | None,
) -> None:  # fmt: skip
    """Hold RUN_B against RUN_A: run folders, s3://BUCKET/PREFIX, or FILE.parquet.

    Violation rates by probe and rule, verdicts, statuses and scores, each with an interval and a test, in
    pairs where ids match; then the images that changed most (docs/diff.md).
    """
    import msgspec
    from rich.console import Console

    from physgauge.clients.runs.files import row_files
    from physgauge.evaluate.diff.compare import How
    from physgauge.evaluate.diff.compare import diff as compare
    from physgauge.report.diff_table import print_diff

    if output is not None and not output.parent.is_dir():
        raise ConfigError(f"-o {output}: expected a folder that exists, got {output.parent}")
    how = How(by, pairing, correction, level, margin, movers)
    found = compare(row_files(run_a), row_files(run_b), how)
    encoded = msgspec.json.format(msgspec.json.encode(found), indent=2)
    if output is not None:
        partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
        partial.write_bytes(encoded + b"\n")
        partial.replace(output)
    if as_json:
        click.echo(encoded)
    else:
        console = Console()
        print_diff(console if console.is_terminal else Console(width=WIDTH), found)
    if fail_on is not None and (bad := _changed(found, fail_on)):
        click.echo(f"--fail-on {fail_on}: {', '.join(bad)}", err=True)
        raise click.exceptions.Exit(5)


def _changed(found: Diff, fail_on: Literal["worse", "change"]) -> list[str]:
    """What counts against B."""
    from physgauge.report.printable import printable

    counts = ("worse",) if fail_on == "worse" else ("worse", "better", "other")
    names = []
    for where, tables in (("", found.tables), *((f"{k}: ", t) for k, t in found.groups.items())):
        shares = (*tables.probes, *tables.major, *tables.rules, *tables.outcomes)
        changed = [one.name for one in shares if one.change in counts]
        changed += [one.name for one in tables.scores if one.change in counts]
        names += [printable(f"{where}{name}") for name in changed]
    return names
