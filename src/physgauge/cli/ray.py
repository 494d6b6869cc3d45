"""What `--engine` and the options of `--engine ray` do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from physgauge.cli.options import Number
from physgauge.report.printable import printable

if TYPE_CHECKING:
    from physgauge.bulk.engines.ray import RayEngine
    from physgauge.bulk.engines.ray_settings import RaySettings
    from physgauge.bulk.work import Setup
    from physgauge.config import LoadedProfile

_OPTIONS = (
    click.option("--engine", type=click.Choice(["local", "server", "ray"]), metavar="NAME",
                 help="Who works: local (processes of this machine), server (--server), ray "
                      "(a Ray cluster, docs/ray.md)  [default: local, with --server: server]."),
    click.option("--ray-address", default="auto", show_default=True, metavar="HOST:PORT",
                 help="With --engine ray: the cluster; auto: RAY_ADDRESS, or one on this machine, or a "
                      "new one; local: a new one on this machine."),
    click.option("--ray-actors", default="1", show_default=True, metavar="MIN[:MAX]",
                 help="With --engine ray: actors, each with a pipeline."),
    click.option("--ray-gpus-per-actor", type=Number(0, 64), default=0.0, show_default=True,
                 metavar="N", help="With --engine ray: GPUs of an actor; 0.5: two share one."),
    click.option("--ray-cpus-per-actor", type=Number(0, 1024), default=1.0, show_default=True,
                 metavar="N", help="With --engine ray: cores that Ray counts for an actor."),
)  # fmt: skip
_RAY = ("ray_address", "ray_actors", "ray_gpus_per_actor", "ray_cpus_per_actor")


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--engine` and the options of Ray; the command gets `ray`, None without `--engine ray`."""

    @wraps(command)
    def wrapped(**given: Any) -> Any:
        from physgauge.bulk.engines.ray_settings import RaySettings

        engine = given.pop("engine")
        ours = [given.pop(name) for name in _RAY]
        _check(click.get_current_context(), engine)
        return command(**given, ray=RaySettings.of(*ours) if engine == "ray" else None)

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def _check(context: click.Context, engine: str | None) -> None:
    """Refuses options that go with another engine."""
    server = context.params.get("servers") is not None
    if engine == "server" and not server:
        raise click.UsageError("--engine server: expected --server HOST:PORT too")
    if engine in {"local", "ray"} and server:
        raise click.UsageError(f"--server: expected --engine server, got --engine {engine}")
    if engine == "ray":
        if context.get_parameter_source("processes") is ParameterSource.COMMANDLINE:
            raise click.UsageError("--processes: with --engine ray, give --ray-actors")
        if context.params.get("draw"):
            raise click.UsageError("--draw: the pixels are at the actors; expected --engine local")
        if "output" in context.params and context.params["output"] is None:
            raise click.UsageError(
                "--engine ray: expected -o DIR: rows are committed by the actors"
            )
        return
    for name in _RAY:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')}: expected --engine ray too")


def ray_engine(
    settings: RaySettings, loaded: LoadedProfile, setup: Setup, stall_s: float
) -> tuple[RayEngine, Setup]:
    """The engine `ray`, and the setup of its workers: each uses the cores that Ray counts for it."""
    import msgspec

    from physgauge.bulk.engines.ray import RayEngine
    from physgauge.bulk.fingerprint import fingerprint

    parts = fingerprint(loaded, domain=setup.domain, packs=setup.packs, method=setup.method)
    judge, run, cores = loaded.profile.judge, loaded.profile.run, max(1, int(settings.cpus))
    given = msgspec.structs.replace(
        setup,
        workers=setup.workers or run.workers or min(4, cores),
        threads=setup.threads or run.threads or cores,
    )
    stall_s += judge.timeout_s if judge else 0.0
    return RayEngine(settings, parts, stall_s, _warn), given


def _warn(text: str) -> None:
    click.echo(printable(text), err=True)
