"""`physgauge schema`."""

from __future__ import annotations

import json

import click

from physgauge import wire


@click.command()
def schema() -> None:
    """Print the JSON schema of a result row."""
    click.echo(json.dumps(wire.row_schema(), indent=2))
