"""`physgauge rescore`: stored rows counted anew, with other weights and thresholds."""

from __future__ import annotations

from pathlib import Path

import click

from physgauge.cli.options import Number
from physgauge.clients.storage import is_remote
from physgauge.errors import ConfigError

_FRACTION = Number(0, 1)
_ABOVE = Number(0, 1, min_open=True)
_POINTS = Number(0, 100)


@click.command()
@click.argument("folder", metavar="DIR")
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
    from physgauge.cli.run import consume, prepare_output
    from physgauge.clients.runs import open_run
    from physgauge.ensemble.reaggregate import Changes, reaggregate

    run = open_run(folder)
    if output is not None and _same(output, folder):
        raise ConfigError(f"-o {output}: expected another folder than the rows come from")
    given = {name: value for name, value in changes.items() if value is not None}
    wanted = Changes(**given)
    total = sum(unit.entries for unit in run.committed().values())
    writer = prepare_output(
        output, overwrite, as_json, {"command": "rescore", "run": folder, **given}
    )
    consume((reaggregate(row, wanted) for row in run.rows()), total, writer, as_json)


def _same(a: str, b: str) -> bool:
    if is_remote(a) or is_remote(b):
        return a.rstrip("/") == b.rstrip("/")
    return Path(a).resolve() == Path(b).resolve()
