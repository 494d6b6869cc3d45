"""`physgauge rules`: check a rule pack, put it in words, explain what it said about an image."""

from __future__ import annotations

import click

from physgauge.cli.rules.check import check
from physgauge.cli.rules.explain import explain
from physgauge.cli.rules.show import show


@click.group()
def rules() -> None:
    """Check, show and explain rule packs (language: rules_kernel/LANGUAGE.md)."""


rules.add_command(check)
rules.add_command(show)
rules.add_command(explain)
