"""`physgauge rescore`: stored rows counted anew, with other weights and thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from physgauge.cli.options import Number
from physgauge.errors import ConfigError, EnvironmentProblem

if TYPE_CHECKING:
    from physgauge import wire

_FRACTION = Number(0, 1)
_ABOVE = Number(0, 1, min_open=True)
_POINTS = Number(0, 100)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False), metavar="DIR")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder for the new rows.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print each row as one line of JSON on standard output."
)
@click.option("--overwrite", is_flag=True, help="Replace rows in the new folder.")
@click.option(
    "--lambda",
    "lambda_",
    type=Number(0, 100, min_open=True),
    metavar="X",
    help="TerraVis: how hard a violation counts.",
)
@click.option(
    "--alpha",
    type=_FRACTION,
    metavar="X",
    help="TerraVis: what a minor violation counts beside a major one.",
)
@click.option(
    "--yes-from",
    type=_ABOVE,
    metavar="P",
    help="TerraVis: a probe has found something from this P(yes).",
)
@click.option(
    "--eligible-from",
    type=_ABOVE,
    metavar="P",
    help="TerraVis: an image can be judged from this P(yes).",
)
@click.option(
    "--major-from",
    type=_ABOVE,
    metavar="P",
    help="TerraVis: what was found is major from this P(major).",
)
@click.option(
    "--rules-weight", type=_FRACTION, metavar="X", help="PCMDE: weight of S_rules in S_final."
)
@click.option("--tau", type=_POINTS, metavar="X", help="PCMDE: least S_final of a PASS.")
@click.option(
    "--tau-c", type=_POINTS, metavar="X", help="PCMDE: least S_rules and S_llm of a PASS."
)
def rescore(
    folder: str, output: str | None, as_json: bool, overwrite: bool, **changes: float | None
) -> None:  # fmt: skip
    """Count the rows in DIR anew and write them elsewhere. Nobody is asked and no image is read; what
    is not given stays as the rows were made."""
    from physgauge.cli.run import ROWS_FILE, consume, prepare_output
    from physgauge.clients.table import count_rows
    from physgauge.ensemble.reaggregate import Changes, reaggregate

    rows = Path(folder) / ROWS_FILE
    if not rows.is_file():
        raise ConfigError(f"{folder}: expected rows of an earlier run ({ROWS_FILE}), got none")
    if output is not None and Path(output).resolve() == Path(folder).resolve():
        raise ConfigError(f"-o {output}: expected another folder than the rows come from")
    wanted = Changes(**{name: value for name, value in changes.items() if value is not None})
    total = count_rows(rows)
    out = prepare_output(output, overwrite, as_json)
    consume((reaggregate(row, wanted) for row in _read(rows)), total, out, as_json)


def _read(path: Path) -> Iterator[wire.Row]:
    import msgspec

    from physgauge.clients.table import read_rows

    try:
        yield from read_rows(path)
    except OSError as error:
        kind = type(error).__name__
        raise EnvironmentProblem(f"{path}: cannot be read, or is damaged ({kind})") from None
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: not rows of this version: {error}") from None
