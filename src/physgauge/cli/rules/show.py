"""`physgauge rules show`: a pack in words."""

from __future__ import annotations

from pathlib import Path

import click

from physgauge.report.printable import printable


@click.command()
@click.argument("pack", metavar="PACK")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def show(pack: str, as_json: bool) -> None:
    """Print the rules of PACK (a shipped name such as car or car@paper, or FILE.toml) in words: bounds,
    views, weights, what an absent part does, and the expression itself."""
    from physgauge.errors import ConfigError
    from physgauge.report.pack_words import describe, in_words
    from physgauge.rules_kernel import RuleError, load_pack

    try:
        loaded = load_pack(Path(pack) if pack.endswith(".toml") else pack)
    except RuleError as error:
        raise ConfigError(str(error)) from None
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(describe(loaded)), indent=2))
    else:
        click.echo(printable("\n".join(in_words(loaded)), lines=True))
