"""`physgauge rules check`: every problem of a pack file, with its place in the text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from physgauge.report.printable import printable

if TYPE_CHECKING:
    from physgauge.rules_kernel import RuleError

MAX_WIDTH = 120
"""Characters of a line of the file that are shown around its problem."""


@click.command()
@click.argument("file", metavar="FILE")
@click.pass_context
def check(context: click.Context, file: str) -> None:
    """Say all that is wrong with the rule pack FILE (or a shipped pack's name): line, column, what was
    expected, and the place in the text.

    The exit code is 0 for a good pack and 2 for one with problems.
    """
    from physgauge.rules_kernel import RuleError, check_pack, parse_pack, read_pack

    try:
        data, name = read_pack(Path(file) if file.endswith(".toml") else file)
    except RuleError as error:
        click.echo(printable(f"physgauge: {error}", lines=True), err=True)
        context.exit(2)
    found = check_pack(data, name)
    if not found:
        pack = parse_pack(data, name)
        click.echo(
            f"{name}: a good pack: {pack.name}, domain {pack.domain}, {len(pack.rules)} rules"
        )
        return
    lines = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
    for problem in found:
        click.echo(printable("\n".join(_shown(problem, name, lines)), lines=True))
    click.echo(f"{len(found)} problem{'s' if len(found) > 1 else ''} in {name}", err=True)
    context.exit(2)


def _shown(error: RuleError, name: str, lines: list[str]) -> list[str]:
    """FILE:LINE:COLUMN, what is wrong, and the line with a caret under the place."""
    place = [str(n) for n in (error.line, error.column) if n is not None]
    rule = f"rule {error.rule}: " if error.rule else ""
    head = f"{':'.join([name, *place])}: {rule}{error.what}"
    if error.line is None or error.column is None or error.line > len(lines):
        return [head]
    line, at = lines[error.line - 1], error.column - 1
    start = max(0, at - MAX_WIDTH // 2) if len(line) > MAX_WIDTH else 0
    cut = line[start : start + MAX_WIDTH]
    text = "".join(c if c.isprintable() else " " for c in cut)
    margin = f"{error.line:>5} | "
    return [head, f"{margin}{text}", f"{' ' * (len(margin) - 2)}| {' ' * (at - start)}^"]
