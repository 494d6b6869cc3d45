"""`physgauge query`: SQL over the rows of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from physgauge.errors import ConfigError

if TYPE_CHECKING:
    from physgauge.query.output import Format


@click.command()
@click.argument("run", metavar="DIR")
@click.argument("sql", metavar="SQL")
@click.option(
    "--format", "kind", type=click.Choice(["table", "csv", "json", "jsonl", "parquet"]),
    help="Of the result  [default: by the name of FILE, else table].",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write the result here instead of on standard output.",
)  # fmt: skip
@click.option(
    "--verify", is_flag=True, help="Check all checksums first, which DuckDB does not (slow)."
)
def query(
    run: str, sql: str, kind: Format | None, output: Path | None, verify: bool
) -> None:  # fmt: skip
    """Ask DuckDB about the rows of a run: a folder, s3://BUCKET/PREFIX, or FILE.parquet.

    Tables: `rows` (every column of the row's schema), `answers` (one line a TerraVis answer), `rules`
    (one line a rule on an image), `detections` (one line a part box). `DESCRIBE answers` lists columns.
    Carried columns are extra['NAME']. Reads committed rows only; also while the run goes on.

    \b
    physgauge query out "SELECT extra['generator'] AS generator, avg(terravis.score), count(*)
                         FROM rows GROUP BY ALL ORDER BY 2"
    physgauge query out "SELECT probe, avg(answer::INT) FROM answers GROUP BY 1 ORDER BY 2 DESC"
    """
    from physgauge.clients.runs.files import row_files
    from physgauge.clients.runs.files import verify as check
    from physgauge.query.duck import open_rows
    from physgauge.query.output import format_of, write_result

    wanted = format_of(output, kind)
    if output is not None and not output.parent.is_dir():
        raise ConfigError(f"-o {output}: expected a folder that exists, got {output.parent}")
    files = row_files(run)
    if verify:
        check(files)
    with open_rows(files) as rows:
        write_result(rows, sql, wanted, output)
