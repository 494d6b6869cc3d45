"""`physgauge score`: images in, rows out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from physgauge.cli.options import Number, shared_options, worker_options
from physgauge.cli.ray import engine_options
from physgauge.cli.remote import Remote, server_options
from physgauge.cli.watching import Watching, watch_options, wishes
from physgauge.config import MAX_THREADS, MAX_WORKERS
from physgauge.errors import ConfigError
from physgauge.report.printable import printable

if TYPE_CHECKING:
    from physgauge import wire
    from physgauge.bulk.command import Outcome
    from physgauge.bulk.engines.ray_settings import RaySettings
    from physgauge.bulk.work import Setup, Stage
    from physgauge.clients.sources import Sourcing
    from physgauge.config import LoadedProfile
    from physgauge.wire import Method


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PATH...")
@shared_options
@click.option(
    "--update",
    is_flag=True,
    help="Score again what has changed since: images, captions, models, settings.",
)
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
    help="Decode processes of each worker  [default: one per core, at most 4].",
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
@click.option(
    "--unit-size",
    type=click.IntRange(1, 65_536),
    default=512,
    show_default=True,
    metavar="N",
    help="Images that are committed together; for a new DIR.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="HOST",
    help="A host that images may be fetched from where a manifest says so (may be given several times).",
)
@click.option(
    "--root",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="What relative paths in manifests start from  [default: the manifest's folder].",
)
@click.option(
    "--lease",
    "lease_s",
    type=Number(1, 3_600),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Another process on the same DIR without a sign of life for so long is taken for dead.",
)
@worker_options
@watch_options
@engine_options
@server_options
def score(
    inputs: tuple[str, ...],
    profile: str,
    domain: str,
    packs: tuple[str, ...],
    output: str | None,
    as_json: bool,
    overwrite: bool,
    update: bool,
    captions: str | None,
    workers: int | None,
    threads: int | None,
    method: Method,
    draw: bool,
    processes: int | None,
    unit_size: int,
    allow_hosts: tuple[str, ...],
    root: str | None,
    stall_s: float,
    lease_s: float,
    watching: Watching,
    remote: Remote | None,
    ray: RaySettings | None,
) -> int:  # fmt: skip
    """Score images: files, folders (recursively), glob patterns, lists (@FILE), manifests (.csv, .jsonl,
    .parquet), Parquet and Arrow datasets, WebDataset shards (.tar); here or on s3:// (docs/bulk.md).

    Every image gets one row, an error row if it cannot be scored. With -o, the same command again goes on
    where it was stopped. The exit code is 0 when every image has its row.
    """
    from physgauge.bulk.work import Setup
    from physgauge.clients.sources import Sourcing
    from physgauge.config import load_profile

    if output is None and (draw or update):
        raise click.UsageError(f"{'--draw' if draw else '--update'}: expected -o DIR")
    if output is None and not as_json:
        raise ConfigError("expected a place for the rows: -o DIR, or --json for standard output")
    if update and overwrite:
        raise click.UsageError("--update, --overwrite: expected one of them")
    loaded = None if remote else load_profile(profile)  # a wrong one is said first
    sourcing = Sourcing(
        unit_size=unit_size,
        root=root,
        allow_hosts=allow_hosts,
        captions=captions,
        **({} if loaded is None else {"most_bytes": _most_bytes(loaded)}),
    )
    setup = Setup(
        profile=_absolute(profile),
        domain=domain,
        packs=tuple(map(_absolute, packs)),
        method=method,
        workers=workers,
        threads=threads,
        draw=_drawn(output) if draw and output is not None else None,
    )
    if output is None:
        _stream(inputs, loaded, setup, sourcing, remote)
        return 0
    from physgauge.bulk.command import Order
    from physgauge.cli.session import Hands, carry_out, exit_code

    hands = Hands(loaded, processes, stall_s, remote, ray)
    engine, setup = hands.engine(setup)
    order = Order(
        output=output,
        setup=setup,
        sourcing=sourcing,
        inputs=inputs,
        options=_options(inputs, setup, sourcing, hands.name),
        update=update,
        overwrite=overwrite,
        lease_s=lease_s,
        twins=not draw,  # a copied row has no pixels to draw in
        wishes=wishes(watching, loaded),
    )
    outcome = carry_out(order, engine, watching, as_json=as_json)
    _tell(outcome, loaded, method)
    return exit_code(outcome, watching)


def _stream(
    inputs: tuple[str, ...],
    loaded: LoadedProfile | None,
    setup: Setup,
    sourcing: Sourcing,
    remote: Remote | None,
) -> None:
    """Rows to standard output, as they are made; no folder, nothing to go on with."""
    from physgauge.bulk.streaming import rows_of
    from physgauge.cli.run import consume

    first: list[wire.Row] = []
    unused: list[str] = []

    def note(row: wire.Row) -> None:
        if not first:
            first.append(row)

    with _stage(setup) if remote is None else remote.stage(setup.domain, setup.method) as stage:
        rows = rows_of(inputs, sourcing, stage, unused)
        consume(rows, None, None, as_json=True, each=note)
    _tell_unused(unused)
    _claims(first[0] if first else None, loaded, setup.method)


@contextmanager
def _stage(setup: Setup) -> Iterator[Stage]:
    from physgauge.bulk.worker import LocalStage
    from physgauge.cli.run import loading

    with loading():
        stage = LocalStage(setup)
    with closing(stage):
        yield stage


def _tell(outcome: Outcome, loaded: LoadedProfile | None, method: Method) -> None:
    """What else there is to say at the end."""
    from physgauge.cli.session import first_row

    _tell_unused(outcome.plan.unused_captions)
    if outcome.report is not None:
        _claims(first_row(outcome), loaded, method)


def _tell_unused(unused: list[str]) -> None:
    if unused:
        shown = ", ".join(map(printable, unused[:5])) + (", ..." if len(unused) > 5 else "")
        more = "+" if len(unused) >= 100 else ""
        click.echo(f"{len(unused)}{more} captions name no image of this run: {shown}", err=True)


def _claims(first: wire.Row | None, loaded: LoadedProfile | None, method: Method) -> None:
    """What is known of the judge: whether it may be trusted, and for what."""
    from physgauge.cascade_settings import kept
    from physgauge.parity_record import SELFTEST, claim_of_run

    judge = None if loaded is None else loaded.profile.judge
    if loaded is None or judge is None or first is None or method == "pcmde":
        return
    made_by, says = first.provenance, SELFTEST
    if judge.engine != "student":
        says = claim_of_run(judge.parity, judge.mode, made_by.models, made_by.probe_version)
    click.echo(printable(says), err=True)
    if loaded.profile.cascade is not None:
        mode = "student" if judge.engine == "student" else judge.mode
        click.echo(printable(kept(loaded.profile.cascade.promise, mode, made_by)), err=True)


def _options(
    inputs: tuple[str, ...], setup: Setup, sourcing: Sourcing, engine: str
) -> dict[str, Any]:
    """For the run's record."""
    import msgspec

    return {
        "command": "score",
        "engine": engine,
        "folder": os.getcwd(),
        "inputs": list(inputs),
        "setup": msgspec.to_builtins(setup),
        "sourcing": msgspec.to_builtins(sourcing),
    }


def _absolute(name: str) -> str:
    """A file of the user's as workers find it; shipped names stay."""
    return os.path.abspath(name) if name.endswith(".toml") else name


def _drawn(output: str) -> str:
    from physgauge.clients.files import DRAWN
    from physgauge.clients.storage import is_remote

    if is_remote(output):
        raise click.UsageError(f"--draw: expected -o DIR on this machine, got {output}")
    return str(Path(output).absolute() / DRAWN)


def _most_bytes(loaded: LoadedProfile) -> int:
    limits = loaded.profile.decode
    return max(limits.max_encoded_bytes, limits.max_npy_bytes)
