"""`physgauge score-boxes`: part boxes from elsewhere in, rows out; no detector runs."""

from __future__ import annotations

import click

from physgauge.cli.options import shared_options


@click.command("score-boxes")
@click.argument("file", metavar="FILE")
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
    """Score part boxes from FILE without a detector: .parquet, .json with COCO or records, .jsonl, or the
    folder of an earlier run, whose detections are taken."""
    from physgauge.cli.run import consume, loading, prepare_output
    from physgauge.clients.boxes import read_boxes
    from physgauge.config import load_profile
    from physgauge.ensemble.pipeline import Options, Pipeline

    loaded = load_profile(profile)
    entries = read_boxes(file)
    options = {"command": "score-boxes", "file": file, "profile": profile, "domain": domain}
    writer = prepare_output(output, overwrite, as_json, {**options, "packs": list(packs)})
    with loading():
        made = Pipeline(loaded, Options(domain=domain, packs=packs), detect=False)
    with made as pipeline:
        rows = pipeline.score_boxes(entries, source=file)
        consume(rows, len(entries), writer, as_json)
