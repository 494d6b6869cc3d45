"""How `physgauge serve` runs a server: addresses, limits, access; and tritonserver's command line."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from physgauge.contract import TOKEN_HEADER
from physgauge.errors import ConfigError
from physgauge.serving.assemble import Assembled

_CALLER: Final = ("inference", "metadata", "model-config", "statistics")
"""Protocols of callers: closed without the token, if there is one. Health stays open, for probes."""
_OPERATOR: Final = ("shared-memory", "model-repository", "trace", "logging")
"""Protocols that change the server: closed to all who do not have the operator's token."""
_PREFIX: Final = "triton-grpc-protocol-"
OPERATOR_HEADER: Final = f"{_PREFIX}physgauge-operator"
"""That of the operator's token."""
MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS of the gRPC port; files in PEM."""

    certificate: Path
    key: Path
    client_ca: Path | None = None
    """Callers must show a certificate of this authority (mutual TLS)."""
    name: str = "localhost"
    """A name that the certificate is for; the server's own check asks for it."""
    own_certificate: Path | None = None
    """With mutual TLS, what the server's own check shows."""
    own_key: Path | None = None


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Everything about the server but the models."""

    host: str = "127.0.0.1"
    grpc_port: int = 8001
    metrics_port: int = 8002
    """Triton's metrics; always on loopback."""
    status_port: int = 8003
    """Ours: readiness and all metrics; always on loopback."""
    tls: Tls | None = None
    token: str | None = None
    operator_token: str | None = None
    """None = one that nobody knows."""
    insecure: bool = False
    """Whether to bind beyond loopback without TLS or token."""
    config: str | None = None
    """The configuration variant, as "h100"; None = the default one."""
    repository: Path = field(default_factory=lambda: Path(__file__).parents[1] / "model_repository")
    drain_s: float = 30.0
    """From SIGTERM: how long requests in hand may take to finish."""
    notice_s: float = 1.0
    """From SIGTERM: requests are still taken for so long, though readiness is off: those that are on
    their way, and those of balancers that have not looked yet. At most `drain_s`."""
    start_s: float = 900.0
    """How long a start may take; the first one of a profile compiles its rules."""
    check_s: float | None = None
    """Between two canary images; None = 5, or 60 with a judge that is somebody else's server."""
    check_timeout_s: float = 30.0
    """How long a canary may take; after this the server is restarted."""

    def checked(self) -> ServerSettings:
        """These settings.

        Raises:
            ConfigError: an open door that nobody asked for, or files that do not go together.
        """
        if not _is_loopback(self.host) and not (self.tls or self.token or self.insecure):
            raise ConfigError(
                f"--host {self.host}: expected TLS (--tls-cert) or a token (--token-file) to listen "
                "beyond this machine; or --insecure, if something else keeps callers out"
            )
        if self.tls and self.tls.client_ca and not (self.tls.own_certificate and self.tls.own_key):
            raise ConfigError(
                "--tls-client-ca: expected --tls-own-cert and --tls-own-key too, with which the "
                "server's own check calls it"
            )
        if self.notice_s > self.drain_s:
            raise ConfigError(
                f"--notice: expected at most --drain ({self.drain_s:g}), got {self.notice_s:g}"
            )
        for path in (self.tls.certificate, self.tls.key) if self.tls else ():
            if not path.is_file():
                raise ConfigError(f"TLS: expected a file, got {path}")
        return self


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def arguments(settings: ServerSettings, assembled: Assembled, name: str) -> list[str]:
    """tritonserver's command line; every limit that it has, set.

    Args:
        settings: the server's.
        assembled: its folder.
        name: keeps its shared memory apart from another server's.
    """
    options = {
        "model-repository": settings.repository,
        "backend-directory": assembled.backends,
        "cache-directory": assembled.triton.folder / "caches",
        "model-control-mode": "none",
        "strict-readiness": "true",
        "exit-on-error": "true",
        "exit-timeout-secs": 10,
        "allow-http": "false",
        "allow-sagemaker": "false",
        "allow-vertex-ai": "false",
        "grpc-address": settings.host,
        "grpc-port": settings.grpc_port,
        "grpc-infer-allocation-pool-size": 16,
        "grpc-keepalive-time": 60_000,
        "grpc-keepalive-timeout": 20_000,
        "grpc-http2-min-recv-ping-interval-without-data": 10_000,
        "allow-metrics": "true",
        "allow-gpu-metrics": "true" if settings.config else "false",
        "metrics-address": "127.0.0.1",
        "metrics-port": settings.metrics_port,
        "log-format": "ISO8601",
        "log-verbose": 0,
    }
    command = [str(assembled.triton.binary), "--disable-auto-complete-config"]
    command += [f"--{key}={value}" for key, value in options.items()]
    for key, value in {
        "shm-region-prefix-name": name,
        "shm-default-byte-size": 8 * MIB,
        "shm-growth-byte-size": 8 * MIB,
        "stub-timeout-seconds": int(settings.start_s),
    }.items():
        command.append(f"--backend-config=python,{key}={value}")
    if settings.config:
        command.append(f"--model-config-name={settings.config}")
    return command + _access(settings)


def _access(settings: ServerSettings) -> list[str]:
    operator = settings.operator_token or secrets.token_hex(16)
    command = [_restricted(_OPERATOR, OPERATOR_HEADER, operator)]
    if settings.token:
        command.append(_restricted(_CALLER, TOKEN_HEADER, settings.token))
    if tls := settings.tls:
        mutual = "true" if tls.client_ca else "false"
        command += [
            "--grpc-use-ssl=true",
            f"--grpc-use-ssl-mutual={mutual}",
            f"--grpc-server-cert={tls.certificate}",
            f"--grpc-server-key={tls.key}",
        ]
        if tls.client_ca:
            command.append(f"--grpc-root-cert={tls.client_ca}")
    return command


def _restricted(protocols: tuple[str, ...], header: str, value: str) -> str:
    key = header.removeprefix(_PREFIX)
    return f"--grpc-restricted-protocol={','.join(protocols)}:{key}={value}"
