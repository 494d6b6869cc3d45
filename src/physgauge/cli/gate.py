"""`physgauge gate`: what passes goes on, what does not is made again."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, Final

import click

from physgauge.cli.options import Number
from physgauge.cli.score import score

if TYPE_CHECKING:
    from physgauge.gate.gate import Outcome
    from physgauge.gate.rule import Choice

EXIT_REJECTED: Final = 5
_CHOICE: Final = click.Choice(["reject", "accept"])


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="DIR | INPUT...")
@click.option(
    "--min-terravis", type=Number(0, 1), metavar="S", help="Least TerraVis score, 0 to 1.",
)  # fmt: skip
@click.option("--soft", is_flag=True, help="Hold the expected score against it, not the hard one.")
@click.option(
    "--max-violations",
    type=click.IntRange(0),
    metavar="N",
    help="Most violations, of any severity.",
)
@click.option("--max-major", type=click.IntRange(0), metavar="N", help="Most major violations.")
@click.option("--require-pcmde", type=click.Choice(["PASS"]), help="PCMDE's verdict.")
@click.option("--min-pcmde", type=Number(0, 100), metavar="X", help="Least S_final, 0 to 100.")
@click.option(
    "--partial", type=_CHOICE, default="reject", show_default=True,
    help="Rows that lack answers, where their bounds do not decide.",
)  # fmt: skip
@click.option(
    "--not-applicable", type=_CHOICE, default="reject", show_default=True,
    help="Images a condition cannot be asked of: not eligible, of no known domain.",
)  # fmt: skip
@click.option(
    "--abstained", type=_CHOICE, default="reject", show_default=True,
    help="Images that are unlike what the judge knows.",
)  # fmt: skip
@click.option("--copy", "copy_to", metavar="DIR", help="Copy what passes into a new folder.")
@click.option("--link", "link_to", metavar="DIR", help="The same with hard links.")
@click.option(
    "--list", "passed_file", metavar="FILE", help="List what passes: .txt, .csv, .jsonl, or -."
)
@click.option("--rejects", "rejects_file", metavar="FILE", help="List what does not, with reasons.")
@click.option(
    "--min-pass-share", type=Number(0, 1), default=1.0, show_default=True, metavar="X",
    help="Exit with 5 if a smaller share of the images passes.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
@click.option(
    "-o", "--output", metavar="DIR", help="For INPUTs: score them into this run folder first."
)
@click.pass_context
def gate(
    context: click.Context,
    /,
    inputs: Sequence[str],
    min_terravis: float | None,
    soft: bool,
    max_violations: int | None,
    max_major: int | None,
    require_pcmde: str | None,
    min_pcmde: float | None,
    partial: Choice,
    not_applicable: Choice,
    abstained: Choice,
    copy_to: str | None,
    link_to: str | None,
    passed_file: str | None,
    rejects_file: str | None,
    min_pass_share: float,
    as_json: bool,
    output: str | None,
    **scoring: Any,
) -> None:  # fmt: skip
    """Hold images to conditions that must all hold. DIR is a scored run (or s3://BUCKET/PREFIX); with
    -o DIR, INPUTs are scored first, and all options of `score` may be given.

    A row without a number never passes by guess: where its bounds decide, they do (docs/gate.md). The
    exit code is 0 if all images pass, or --min-pass-share of them; else 5.
    """
    from physgauge.clients.runs import open_run
    from physgauge.gate.gate import Delivery
    from physgauge.gate.gate import gate as put_through
    from physgauge.gate.rule import Rule

    rule = Rule(
        min_terravis=min_terravis, soft=soft, max_violations=max_violations, max_major=max_major,
        require_pcmde=require_pcmde is not None, min_pcmde=min_pcmde, partial=partial,
        not_applicable=not_applicable, abstained=abstained,
    )  # fmt: skip
    if copy_to is not None and link_to is not None:
        raise click.UsageError("--copy, --link: expected one of them")
    if passed_file is not None and passed_file == rejects_file:
        raise click.UsageError(f"--list, --rejects: expected two places, got {passed_file} twice")
    if as_json and passed_file == "-":
        raise click.UsageError("--json, --list -: expected one of them on standard output")
    if output is not None:
        with redirect_stdout(sys.stderr):  # what it says is no part of the result
            done = context.invoke(score, inputs=inputs, output=output, as_json=False, **scoring)
        if done:
            context.exit(int(done))
    elif given := _given(context):
        raise click.UsageError(f"{given}: expected -o DIR, the folder to score into")
    elif len(inputs) > 1:
        raise click.UsageError("several INPUTs: expected -o DIR, the folder to score them into")
    run = open_run(output or inputs[0])
    to = Delivery(copy_to, link_to, passed_file, rejects_file)
    with _progress() as progress:
        task = progress.add_task("gate", total=sum(one.entries for one in run.committed().values()))
        found = put_through(run, rule, to, lambda rows: progress.advance(task, rows))
    _tell(found, as_json, passed_file == "-")
    enough = found.share is not None and found.share >= min_pass_share and found.missing is not None
    if not enough:
        context.exit(EXIT_REJECTED)


def _given(context: click.Context) -> str | None:
    """An option of `score` that was given."""
    for name in _SCORING:
        source = context.get_parameter_source(name)
        if source is not None and source is not click.core.ParameterSource.DEFAULT:
            return f"--{name.replace('_', '-')}"
    return None


def _progress() -> Any:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)


def _tell(found: Outcome, as_json: bool, quiet: bool) -> None:
    import msgspec

    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=2))
        return
    share = "none" if found.share is None else f"{found.share:.2%}"
    lines = [f"{found.passed:,} of {found.images:,} images pass ({share})"]
    if found.missing != 0:
        count = "some" if found.missing is None else f"{found.missing:,}"
        lines.append(f"  {count} have no row yet: the run is not finished")
    lines += [f"  rejected, {code}: {count:,}" for code, count in found.reasons.items() if count]
    lines += [f"  let through, {code}: {n:,}" for code, n in found.let_through.items()]
    click.echo("\n".join(lines), err=quiet)


_OWN: Final = frozenset(str(parameter.name) for parameter in gate.params) | {"inputs"}
_SCORING: list[str] = []
for _parameter in score.params:
    if _parameter.name not in _OWN:
        _hidden = copy.copy(_parameter)
        if isinstance(_hidden, click.Option):
            _hidden.hidden = True  # `physgauge score --help` has them
        gate.params.append(_hidden)
        _SCORING.append(str(_hidden.name))
