"""`physgauge cascade-fit`: the bands of a cascade from rows of its two judges."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from physgauge.cli.options import Number
from physgauge.errors import ConfigError

if TYPE_CHECKING:
    from physgauge.evaluate.cascade_fit import Fit
    from physgauge.evaluate.cascade_rows import Calibration


@click.command("cascade-fit")
@click.argument("first", metavar="ROWS_FIRST")
@click.argument("second", metavar="ROWS_SECOND")
@click.option(
    "--gate",
    type=Number(0, 1, min_open=True),
    default=0.6,
    show_default=True,
    metavar="S",
    help="An image passes from this score.",
)
@click.option(
    "--disagreement",
    type=Number(1e-6, 0.5),
    default=0.01,
    show_default=True,
    metavar="SHARE",
    help="Of images, decided otherwise than by the second judge alone, at most.",
)
@click.option(
    "--confidence",
    type=Number(0.5, 0.999999),
    default=0.95,
    show_default=True,
    metavar="P",
    help="That it is no more.",
)
@click.option(
    "--unsure",
    type=(Number(0, 1), Number(0, 1)),
    default=(0.5, 0.5),
    metavar="LOW HIGH",
    help="Ask the second judge wherever a P(yes) lies between these  [default: nowhere].",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.toml",
    help="Write the table here instead of on standard output.",
)
def cascade_fit(
    first: str,
    second: str,
    gate: float,
    disagreement: float,
    confidence: float,
    unsure: tuple[float, float],
    output: Path | None,
) -> None:  # fmt: skip
    """Choose when a first judge's word stands, from rows of both on a calibration set.

    ROWS_FIRST and ROWS_SECOND are rows of earlier runs over the same images (DIR, FILE.parquet or
    FILE.jsonl). Prints the table [cascade] for the profile of the second judge, and what it costs
    (docs/cascade.md).
    """
    from physgauge.cli.parity import stored_rows
    from physgauge.evaluate.cascade_fit import fit
    from physgauge.evaluate.cascade_rows import joined

    if unsure[0] > unsure[1]:
        raise click.UsageError(f"--unsure: expected LOW HIGH, got {unsure[0]:g} {unsure[1]:g}")
    if output is not None and not output.parent.is_dir():
        raise ConfigError(f"{output}: expected a folder that exists, got {output.parent}")
    rows = joined(stored_rows(first), stored_rows(second), gate)
    eligible_from = rows.second.counting.eligible_from
    found = fit(rows.judged, gate, disagreement, confidence, unsure, eligible_from)
    table = table_of(found, disagreement, confidence, rows)
    if output is None:
        click.echo(table)
    else:
        output.write_text(table + "\n", "utf-8")
    click.echo(told(found, rows), err=True)


def table_of(found: Fit, disagreement: float, confidence: float, rows: Calibration) -> str:
    """The TOML of ``[cascade]`` and ``[cascade.promise]``."""
    import json

    from physgauge.cascade_settings import conditions

    bands, share = found.bands, found.reached / found.images
    first, second = rows.first, rows.second
    models = dict(second.models) | {f"first_{name}": sha for name, sha in first.models.items()}
    probes = second.probes
    if first.probes != probes:
        probes += f" (first: {first.probes})"
    names = ("gate", "low", "high", "eligible_low", "eligible_high", "unsure_low", "unsure_high")
    settings = conditions(
        second.counting.lambda_,
        second.counting.alpha,
        second.counting.thresholds() | bands.thresholds(),
    )

    def inline(table: Mapping[str, object]) -> str:
        each = (f"{json.dumps(name)} = {json.dumps(value)}" for name, value in table.items())
        return f"{{ {', '.join(each)} }}"

    return "\n".join(
        [
            "[cascade]",
            *(f"{name} = {float(getattr(bands, name))!r}" for name in names),
            "",
            f"# [cascade.first]: engine and settings of {json.dumps(first.engine)}",
            "",
            "[cascade.promise]",
            f"disagreement = {disagreement!r}",
            f"confidence = {confidence!r}",
            f"images = {found.compared}",
            f"disagreed = {found.disagreed}",
            f"bound = {round(found.bound, 6)!r}",
            f"second_share = {round(share, 4)!r}",
            f"first = {json.dumps(first.engine)}",
            f"second = {json.dumps(second.engine)}",
            f"mode = {json.dumps(rows.mode)}",
            f"models = {inline(models)}",
            f"probes = {json.dumps(probes)}",
            f"settings = {inline(settings)}",
            f'date = "{datetime.now(UTC):%Y-%m-%d}"',
        ]
    )


def told(found: Fit, rows: Calibration) -> str:
    """What it comes to, for people."""
    share = found.reached / found.images
    lines = [
        *(f"{n} images left out: {why}" for why, n in rows.left_out.items()),
        f"{found.images} images, {found.compared} of them decided by the second judge",
        f"the second judge is asked about {found.reached} of them ({share:.1%})",
        f"other decisions: {found.disagreed}; their share is at most {found.bound:.3%} (exact binomial "
        "bound, the choice included)",
        "expected cost of an image, beside the second judge alone:",
    ]
    for name, value in found.cost.items():
        alone = found.cost_alone[name]
        if alone or value:
            lines.append(f"  {name}: {value:.4g} ({alone:.4g})")
    if found.reached == found.images:
        lines.append("this first judge can be left nothing: a cascade with it only costs")
    return "\n".join(lines)
