"""`physgauge gateway`: the streaming front, on loopback unless told otherwise."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from physgauge.cli.options import Number
from physgauge.cli.serve import read_token
from physgauge.errors import ConfigError, EnvironmentProblem

_FILE = click.Path(dir_okay=False, path_type=Path)
_PORT = click.IntRange(0, 65535)
_SECONDS = Number(min=0, min_open=True, max=86_400)
_MIB = 2**20


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the gRPC port.")
@click.option("--port", default=8010, show_default=True, type=_PORT, help="gRPC; 0 = any free one.")
@click.option(
    "--metrics-port",
    default=8011,
    show_default=True,
    type=_PORT,
    help="Prometheus metrics, on loopback; 0 = any free one.",
)
@click.option(
    "--server",
    default="127.0.0.1:8001",
    show_default=True,
    metavar="HOST:PORT[,HOST:PORT]",
    help="The `physgauge serve` behind; several share the work.",
)
@click.option(
    "--server-token-file",
    type=_FILE,
    metavar="FILE",
    help="The token of that server, if it has one.",
)
@click.option(
    "--server-ca",
    type=_FILE,
    metavar="FILE",
    help="That server uses TLS, with a certificate of this authority (PEM).",
)
@click.option("--server-name", metavar="NAME", help="The name in it, if it is not the host's.")
@click.option("--server-cert", type=_FILE, metavar="FILE", help="With mutual TLS, ours for it,")
@click.option("--server-key", type=_FILE, metavar="FILE", help="and its key.")
@click.option(
    "--status",
    default="",
    metavar="HOST:PORT[,HOST:PORT]",
    help="Its status port, for each server  [default: ask with an image of our own].",
)
@click.option(
    "--token-file",
    type=_FILE,
    metavar="FILE",
    help="Callers must send a token of it: a line `NAME TOKEN` each. Read again on SIGHUP.",
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
    "--insecure",
    is_flag=True,
    help="Listen beyond loopback without TLS, or without knowing who calls.",
)
@click.option(
    "--places",
    default=64,
    show_default=True,
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Images at the server at a time; at most its own --places.",
)
@click.option(
    "--queue",
    default=128,
    show_default=True,
    type=click.IntRange(0, 65_536),
    metavar="N",
    help="Images that wait for a place; more are refused at once.",
)
@click.option(
    "--bytes",
    "mib",
    default=512,
    show_default=True,
    type=click.IntRange(1),
    metavar="MIB",
    help="Of images in hand; more are refused at once.",
)
@click.option(
    "--share",
    default=0.5,
    show_default=True,
    type=Number(0, 1, min_open=True),
    help="Of places, queue and bytes that one client may have.",
)
@click.option(
    "--window",
    default=32,
    show_default=True,
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Most images of one stream, in hand and credited.",
)
@click.option(
    "--streams",
    default=64,
    show_default=True,
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Streams open at a time.",
)
@click.option(
    "--streams-per-client",
    default=8,
    show_default=True,
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Of one client.",
)
@click.option(
    "--connections",
    default=1024,
    show_default=True,
    type=click.IntRange(1, 65_536),
    metavar="N",
    help="TCP connections open at a time.",
)
@click.option(
    "--max-image",
    "image_mib",
    default=32,
    show_default=True,
    type=click.IntRange(1, 1024),
    metavar="MIB",
    help="Of a JPEG, PNG or WebP.",
)
@click.option(
    "--max-npy",
    "npy_mib",
    default=64,
    show_default=True,
    type=click.IntRange(1, 1024),
    metavar="MIB",
    help="Of a .npy.",
)
@click.option(
    "--max-caption",
    default=8192,
    show_default=True,
    type=click.IntRange(0, 1_000_000),
    metavar="CHARACTERS",
    help="Of a caption.",
)
@click.option(
    "--max-deadline",
    default=120.0,
    show_default=True,
    type=Number(0.001, 3600),
    metavar="SECONDS",
    help="The longest that a caller may give.",
)
@click.option(
    "--idle",
    default=300.0,
    show_default=True,
    type=_SECONDS,
    metavar="SECONDS",
    help="End a stream that has sent nothing whole, with nothing in hand, for so long.",
)
@click.option(
    "--stall",
    default=60.0,
    show_default=True,
    type=_SECONDS,
    metavar="SECONDS",
    help="End a stream whose caller has not read for so long.",
)
@click.option(
    "--drain",
    default=30.0,
    show_default=True,
    type=_SECONDS,
    metavar="SECONDS",
    help="From SIGTERM: time for what is in hand.",
)
@click.option("--quiet", is_flag=True, help="No log line per answer.")
def gateway(
    host: str, port: int, metrics_port: int, server: str, server_token_file: Path | None,
    server_ca: Path | None, server_name: str | None, server_cert: Path | None, server_key: Path | None,
    status: str,
    token_file: Path | None, tls_cert: Path | None, tls_key: Path | None, tls_client_ca: Path | None,
    insecure: bool, places: int, queue: int, mib: int, share: float, window: int, streams: int,
    streams_per_client: int, connections: int, image_mib: int, npy_mib: int, max_caption: int,
    max_deadline: float, idle: float, stall: float, drain: float, quiet: bool,
) -> None:  # fmt: skip
    """Take images from callers we don't trust, on long-lived streams, to a server on this machine
    (docs/gateway.md).

    SIGTERM drains: what is in hand is answered, what is new is refused, then the port is free. SIGHUP
    reads the token file again.
    """
    for module in ("grpc_health", "grpc_reflection", "prometheus_client"):
        if importlib.util.find_spec(module) is None:
            raise EnvironmentProblem(
                f"expected {module}, got none: pip install 'physgauge[gateway]'"
            )
    from physgauge.clients import Tls as ServersTls
    from physgauge.gateway.server import run
    from physgauge.gateway.settings import Backend, GatewaySettings, Limits, Shares, Tls

    tls = None
    if tls_cert or tls_key or tls_client_ca:
        if tls_cert is None or tls_key is None:
            raise ConfigError("TLS: expected both --tls-cert and --tls-key")
        tls = Tls(tls_cert, tls_key, tls_client_ca)
    settings = GatewaySettings(
        host=host, port=port, metrics_port=metrics_port, tls=tls, tokens=token_file, insecure=insecure,
        backend=Backend(
            servers=_addresses("--server", server),
            token=read_token("--server-token-file", server_token_file),
            tls=ServersTls(server_ca, server_cert, server_key, server_name) if server_ca else None,
            status=_addresses("--status", status) if status else (),
        ),
        limits=Limits(
            max_image_bytes=image_mib * _MIB, max_npy_bytes=npy_mib * _MIB,
            max_caption_chars=max_caption, max_deadline_ms=int(1000 * max_deadline),
        ),
        shares=Shares(
            places=places, queue=queue, max_bytes=mib * _MIB, share=share, window=window,
            streams=streams, streams_per_client=streams_per_client,
        ),
        idle_s=idle, stall_s=stall, drain_s=drain, connections=connections, log_answers=not quiet,
    )  # fmt: skip
    run(settings)


def _addresses(option: str, text: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in text.split(","))
    for address in found:
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65_536:
            raise ConfigError(f"{option}: expected HOST:PORT[,HOST:PORT], got {address!r:.80}")
    return found
