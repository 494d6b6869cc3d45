"""`physgauge score-boxes`: part boxes from elsewhere in, rows out; no detector runs."""

from __future__ import annotations

from pathlib import Path

import click

from physgauge.cli.options import shared_options


@click.command("score-boxes")
@click.argument("file", type=click.Path(dir_okay=False), metavar="FILE")
@shared_options
def score_boxes(
    file: str,
    profile: str,
    domain: str,
    packs: tuple[str, ...],
    output: str | None,
    as_json: bool,
    overwrite: bool,
) -> None:
    """Score part boxes from FILE (.parquet, .json with COCO or records, .jsonl) without a detector."""
    from physgauge.cli.run import consume, loading, prepare_output
    from physgauge.clients.boxes import read_boxes
    from physgauge.config import load_profile
    from physgauge.ensemble.pipeline import Options, Pipeline

    loaded = load_profile(profile)
    entries = read_boxes(Path(file))
    folder = prepare_output(output, overwrite, as_json)
    options = Options(domain=domain, packs=packs)
    with loading():
        made = Pipeline(loaded, options, detect=False)
    with made as pipeline:
        rows = pipeline.score_boxes(entries, source=file)
        consume(rows, len(entries), folder, as_json)
