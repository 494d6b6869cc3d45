"""`physgauge score`: image files in, rows out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from physgauge.cli.options import shared_options
from physgauge.cli.remote import Remote, inputs, server_options, state
from physgauge.config import MAX_THREADS, MAX_WORKERS
from physgauge.errors import ImageError, InputError
from physgauge.report.printable import printable
from physgauge.types import Item

if TYPE_CHECKING:
    from physgauge import wire
    from physgauge.clients.captions import Captioned, CaptionTable
    from physgauge.config import DecodeLimits, LoadedProfile
    from physgauge.ensemble.pipeline import Options, Scored
    from physgauge.wire import Method


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@shared_options
@click.option(
    "--captions",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Captions by image: .csv, .jsonl or .json.",
)
@click.option(
    "--workers",
    type=click.IntRange(0, MAX_WORKERS),
    metavar="N",
    help="Decode worker processes  [default: one per core, at most 4].",
)
@click.option(
    "--threads",
    type=click.IntRange(0, MAX_THREADS),
    metavar="N",
    help="Threads of the detector and the rules  [default: one per core].",
)
@click.option(
    "--method",
    type=click.Choice(["terravis", "pcmde", "both"]),
    default="both",
    show_default=True,
    help="What to score by; both leaves out what the profile cannot do.",
)
@click.option("--draw", is_flag=True, help="Write annotated pictures to DIR/annotated.")
@server_options
def score(
    paths: tuple[str, ...],
    profile: str,
    domain: str,
    packs: tuple[str, ...],
    output: str | None,
    as_json: bool,
    overwrite: bool,
    captions: str | None,
    workers: int | None,
    threads: int | None,
    method: Method,
    draw: bool,
    remote: Remote | None,
) -> None:  # fmt: skip
    """Score images: files, folders (recursively) and glob patterns.

    Every image gets one row, an error row if it cannot be scored. The exit code is 0 when every image has
    its row.
    """
    from physgauge.cli.run import consume, prepare_output
    from physgauge.clients.captions import read_captions
    from physgauge.clients.files import find_images
    from physgauge.config import load_profile

    if draw and output is None:
        raise click.UsageError("--draw writes to DIR/annotated: expected -o DIR")
    loaded = None if remote else load_profile(profile)  # a wrong one is said first
    images = find_images(paths)
    table = None if captions is None else read_captions(Path(captions))
    folder = prepare_output(output, overwrite, as_json)
    if remote is not None:
        with remote.connect(domain, method) as client:
            rows = client.score(inputs(images, table, domain, method), ordered=True)
            consume(rows, len(images), folder, as_json, state=lambda: state(client.stats))
    elif loaded is not None:
        from physgauge.ensemble.pipeline import Options

        options = Options(domain, packs, workers, threads, method)
        _score_here(loaded, options, images, table, folder, as_json, draw)
    if table is not None and (unused := table.unused()):
        shown = ", ".join(map(printable, unused[:5])) + (", ..." if len(unused) > 5 else "")
        click.echo(f"{len(unused)} captions name no image of this run: {shown}", err=True)


def _score_here(
    loaded: LoadedProfile,
    options: Options,
    images: Sequence[Path],
    table: CaptionTable | None,
    folder: Path | None,
    as_json: bool,
    draw: bool,
) -> None:
    from physgauge.cascade_settings import kept
    from physgauge.cli.run import consume, loading
    from physgauge.clients.files import DRAWN
    from physgauge.ensemble.pipeline import Pipeline
    from physgauge.parity_record import SELFTEST, claim_of_run

    with loading():
        made = Pipeline(loaded, options)
    with made as pipeline:
        limits = loaded.profile.decode
        items = (_item(path, table.get(path) if table else None, limits) for path in images)
        scored = pipeline.score(items)
        rows = (
            _drawing(scored, folder / DRAWN)
            if draw and folder is not None
            else (one.row for one in scored)
        )
        made_by: list[wire.Provenance] = []

        def note(row: wire.Row) -> None:
            made_by[:] = made_by or [row.provenance]

        consume(rows, len(images), folder, as_json, each=note)
    judge = loaded.profile.judge
    if judge is not None and made_by and options.method != "pcmde":
        first = made_by[0]
        says = SELFTEST
        if judge.engine != "student":
            says = claim_of_run(judge.parity, judge.mode, first.models, first.probe_version)
        click.echo(printable(says), err=True)
        if loaded.profile.cascade is not None:
            mode = "student" if judge.engine == "student" else judge.mode
            click.echo(printable(kept(loaded.profile.cascade.promise, mode, first)), err=True)


def _item(path: Path, about: Captioned | None, limits: DecodeLimits) -> Item:
    from physgauge.clients.files import name_of, read_image

    name, data = name_of(path), None
    error: InputError | None = None if about is None else about.error
    try:
        data = read_image(path, max(limits.max_encoded_bytes, limits.max_npy_bytes))
    except ImageError as problem:
        error = problem
    if about is None:
        return Item(name, data, name, error=error)
    return Item(name, data, name, about.caption, about.extra, error)


def _drawing(scored: Iterable[Scored], folder: Path) -> Iterator[wire.Row]:
    from physgauge.report.draw import save

    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(scored):
        if one.rgb is not None:
            save(one.rgb, one.row, folder, number)
        yield one.row
