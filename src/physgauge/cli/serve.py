"""`physgauge serve`: the local server, on loopback unless told otherwise."""

from __future__ import annotations

from pathlib import Path

import click

from physgauge.cli.options import Number
from physgauge.config import MAX_THREADS, MAX_WORKERS
from physgauge.errors import ConfigError

_FILE = click.Path(dir_okay=False, path_type=Path)
_PORT = click.IntRange(0, 65535)


@click.command()
@click.option(
    "--profile",
    default="tiny",
    show_default=True,
    metavar="NAME|FILE.toml",
    help="Models, packs, limits and thresholds to use.",
)
@click.option(
    "--pack",
    "packs",
    multiple=True,
    metavar="NAME|FILE.toml",
    help="Use this rule pack for its domain (may be given several times).",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the gRPC port.")
@click.option("--port", default=8001, show_default=True, type=_PORT, help="gRPC; 0 = any free one.")
@click.option(
    "--metrics-port",
    default=8002,
    show_default=True,
    type=_PORT,
    help="Triton's Prometheus metrics, on loopback; 0 = any free one.",
)
@click.option(
    "--status-port",
    default=8003,
    show_default=True,
    type=_PORT,
    help="/ready and all metrics, on loopback; 0 = any free one.",
)
@click.option(
    "--workers",
    default=0,
    type=click.IntRange(0, MAX_WORKERS),
    metavar="N",
    help="Decode worker processes  [default: one per core, at most 4].",
)
@click.option(
    "--threads",
    default=0,
    type=click.IntRange(0, MAX_THREADS),
    metavar="N",
    help="Threads of the detector and the rules  [default: one per core].",
)
@click.option(
    "--places",
    default=128,
    show_default=True,
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Images in hand; more are turned away at once.",
)
@click.option(
    "--drain",
    "drain_s",
    default=30.0,
    show_default=True,
    type=Number(1, 3600),
    metavar="SECONDS",
    help="From SIGTERM: time for requests in hand to finish.",
)
@click.option(
    "--notice",
    "notice_s",
    default=1.0,
    show_default=True,
    type=Number(0, 3600),
    metavar="SECONDS",
    help="From SIGTERM: new requests are still taken so long, though it says that it is not ready.",
)
@click.option(
    "--start",
    "start_s",
    default=900.0,
    show_default=True,
    type=Number(1),
    metavar="SECONDS",
    help="How long a start may take (the first compiles the rules).",
)
@click.option(
    "--check",
    "check_s",
    type=Number(0.2, 3600),
    metavar="SECONDS",
    help="Between two canary images  [default: 5; 60 with a judge by endpoint, which may cost].",
)
@click.option("--config", metavar="NAME", help="Configuration variant of the models, as h100.")
@click.option(
    "--triton",
    "site",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Folder with the nvidia-pytriton wheel  [default: $PHYSGAUGE_TRITON, or this environment].",
)
@click.option("--tls-cert", type=_FILE, metavar="FILE", help="Server certificate (PEM): TLS on.")
@click.option("--tls-key", type=_FILE, metavar="FILE", help="Its key (PEM).")
@click.option(
    "--tls-client-ca",
    type=_FILE,
    metavar="FILE",
    help="Callers must have a certificate of this authority (mutual TLS).",
)
@click.option(
    "--tls-name",
    default="localhost",
    show_default=True,
    metavar="NAME",
    help="A name that the certificate is for; the server's own check uses it.",
)
@click.option(
    "--tls-own-cert",
    type=_FILE,
    metavar="FILE",
    help="With mutual TLS: certificate of the server's own check.",
)
@click.option("--tls-own-key", type=_FILE, metavar="FILE", help="Its key.")
@click.option("--token-file", type=_FILE, metavar="FILE", help="Callers must send what it holds.")
@click.option(
    "--operator-token-file",
    type=_FILE,
    metavar="FILE",
    help="Opens the protocols that change the server to who sends what it holds.",
)
@click.option(
    "--insecure",
    is_flag=True,
    help="Listen beyond loopback without TLS or token: something else keeps callers out.",
)
@click.option("--quiet", is_flag=True, help="No log line per row.")
def serve(
    profile: str,
    packs: tuple[str, ...],
    host: str,
    port: int,
    metrics_port: int,
    status_port: int,
    workers: int,
    threads: int,
    places: int,
    drain_s: float,
    notice_s: float,
    start_s: float,
    check_s: float | None,
    config: str | None,
    site: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    tls_name: str,
    tls_own_cert: Path | None,
    tls_own_key: Path | None,
    token_file: Path | None,
    operator_token_file: Path | None,
    insecure: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Serve the model "score" by gRPC: a real Triton, started, watched and restarted (docs/serving.md).

    Ready once a canary image has been through every step. SIGTERM drains: after a moment's notice
    what is new is refused, what is in hand is answered, then the ports are free.
    """
    from physgauge.config import load_profile
    from physgauge.serve_settings import ServeSettings
    from physgauge.serving.settings import ServerSettings, Tls
    from physgauge.serving.supervise import Supervisor, on_signals

    load_profile(profile)  # a wrong one is said now, not by a model's log
    tls = None
    if tls_cert or tls_key or tls_client_ca:
        if tls_cert is None or tls_key is None:
            raise ConfigError("TLS: expected both --tls-cert and --tls-key")
        tls = Tls(tls_cert, tls_key, tls_client_ca, tls_name, tls_own_cert, tls_own_key)
    settings = ServerSettings(
        host=host, grpc_port=port, metrics_port=metrics_port, status_port=status_port, tls=tls,
        token=read_token("--token-file", token_file),
        operator_token=read_token("--operator-token-file", operator_token_file), insecure=insecure,
        config=config, drain_s=drain_s, notice_s=notice_s, start_s=start_s, check_s=check_s,
    )  # fmt: skip
    models = ServeSettings(
        profile=str(Path(profile).resolve()) if profile.endswith(".toml") else profile,
        packs=tuple(str(Path(p).resolve()) if p.endswith(".toml") else p for p in packs),
        workers=workers, threads=threads, places=places, log_rows=not quiet,
    )  # fmt: skip
    supervisor = Supervisor(settings, models, site)
    on_signals(supervisor)
    supervisor.run()


def read_token(option: str, path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        text = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{option} {path}: cannot be read ({error})") from None
    if len(text) < 16 or not text.isascii() or any(c.isspace() for c in text):
        raise ConfigError(f"{option} {path}: expected at least 16 visible ASCII characters")
    return text
