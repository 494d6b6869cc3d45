"""`physgauge retry`: rows that went wrong are made again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from physgauge.cli.options import worker_options
from physgauge.cli.ray import engine_options
from physgauge.cli.remote import Remote, server_options
from physgauge.cli.watching import Watching, watch_options, wishes
from physgauge.errors import ERROR_CODES, ConfigError

if TYPE_CHECKING:
    from physgauge.bulk.engines.ray_settings import RaySettings
    from physgauge.clients.runs import RunFile


@click.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(["error", "partial"]),
    default=("error",),
    show_default=True,
    help="Rows with this status, of TerraVis or PCMDE (may be given several times).",
)
@click.option(
    "--code",
    "codes",
    metavar="CODE[,...]",
    help="Of these, rows with one of these error codes only.",
)
@worker_options
@watch_options
@engine_options
@server_options
def retry(
    folder: str,
    statuses: tuple[str, ...],
    codes: str | None,
    processes: int | None,
    stall_s: float,
    watching: Watching,
    remote: Remote | None,
    ray: RaySettings | None,
) -> int:
    """Score images of the run in DIR again whose rows say error (or partial); the other rows stay.

    Profile, inputs and options are those of the run. The exit code is 0 when every image has its row.
    """
    import msgspec

    from physgauge.bulk.command import Order
    from physgauge.bulk.work import Retry, Setup
    from physgauge.cli.session import Hands, carry_out, exit_code
    from physgauge.clients.runs import Run
    from physgauge.clients.sources import Sourcing
    from physgauge.clients.storage import is_remote, open_store
    from physgauge.config import load_profile

    asked = Retry(statuses=sorted(set(statuses)), codes=_codes(codes))
    if not is_remote(folder):
        folder = os.path.abspath(folder)
    options = _options(Run.open(open_store(folder)).latest, folder)
    if options["engine"] == "server" and remote is None:
        raise ConfigError(f"{folder}: the run was scored by servers: expected --server HOST:PORT")
    _go_to(options["folder"])
    setup = msgspec.convert(options["setup"], Setup)
    loaded = None if remote else load_profile(setup.profile)
    hands = Hands(loaded, processes, stall_s, remote, ray)
    engine, setup = hands.engine(setup)
    order = Order(
        output=folder,
        setup=setup,
        sourcing=msgspec.convert(options["sourcing"], Sourcing),
        inputs=options["inputs"],
        options={**options, "engine": hands.name},
        retry=asked,
        wishes=wishes(watching, loaded),
    )
    return exit_code(carry_out(order, engine, watching, as_json=False), watching)


def _codes(given: str | None) -> list[str]:
    codes = sorted({one.strip() for one in (given or "").split(",") if one.strip()})
    for one in codes:
        if one not in ERROR_CODES:
            raise ConfigError(f"--code: expected one of {', '.join(ERROR_CODES)}; got {one!r}")
    return codes


def _go_to(place: str) -> None:
    """Paths of images are as they were given: relative to where the run was started."""
    try:
        os.chdir(place)
    except OSError as error:
        raise ConfigError(
            f"{place}: the run was started there, and its paths count from there; it cannot be entered "
            f"({error.strerror})"
        ) from None


def _options(record: RunFile, folder: str) -> dict[str, Any]:
    if record.options.get("command") != "score":
        raise ConfigError(
            f"{folder}: expected a run of `physgauge score`, got one of {record.options.get('command')!r}"
        )
    return record.options
