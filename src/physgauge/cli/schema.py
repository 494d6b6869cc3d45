"""`physgauge schema`."""

from __future__ import annotations

import json

import click

from physgauge import wire


@click.command()
@click.argument("of", type=click.Choice(["row", "report", "specification"]), default="row")
def schema(of: str) -> None:
    """Print the JSON schema of a result row (or of a bulk run's `report`, or of a type `specification`
    file)."""
    if of == "specification":
        from physgauge.ensemble.specifications.file import specification_schema

        found = specification_schema()
    elif of == "report":
        from physgauge.bulk.watch.report import report_schema

        found = report_schema()
    else:
        found = wire.row_schema()
    click.echo(json.dumps(found, indent=2))
