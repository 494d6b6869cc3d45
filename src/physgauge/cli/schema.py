"""`physgauge schema`."""

from __future__ import annotations

import json

import click

from physgauge import wire


@click.command()
@click.argument("of", type=click.Choice(["row", "specification"]), default="row")
def schema(of: str) -> None:
    """Print the JSON schema of a result row (or of a type specification file: `specification`)."""
    if of == "specification":
        from physgauge.ensemble.specifications.file import specification_schema

        found = specification_schema()
    else:
        found = wire.row_schema()
    click.echo(json.dumps(found, indent=2))
