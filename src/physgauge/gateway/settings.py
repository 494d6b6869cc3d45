"""How `physgauge gateway` runs: addresses, access, limits. All limits have a value; none is endless."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from physgauge import clients
from physgauge.config import DecodeLimits, PcmdeSettings
from physgauge.errors import ConfigError

MIB: Final = 2**20
_SLACK: Final = MIB
"""What a message may have on top of its image: caption, options, names."""
MAX_ID_CHARS: Final = 1024
_DECODE: Final = DecodeLimits()
_PCMDE: Final = PcmdeSettings()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one image must keep to."""

    max_image_bytes: int = _DECODE.max_encoded_bytes
    """Of a JPEG, PNG or WebP."""
    max_npy_bytes: int = 64 * MIB
    """Of a ``.npy``. The decoder's own limit is higher, but every open stream may have one half-sent
    message of this size, and they are the gateway's memory."""
    max_caption_chars: int = _PCMDE.max_caption_chars
    max_deadline_ms: int = 120_000

    @property
    def max_message_bytes(self) -> int:
        """Of a whole gRPC message."""
        return max(self.max_image_bytes, self.max_npy_bytes) + _SLACK


@dataclass(frozen=True, slots=True)
class Shares:
    """How much may be in hand, and who gets how much of it."""

    places: int = 64
    """Images at the server behind at a time; below its own `--places`, so that it never has to refuse."""
    queue: int = 128
    """Images that wait here for a place; more are refused at once."""
    max_bytes: int = 512 * MIB
    """Of images, waiting and at the server; one alone is always taken."""
    share: float = 0.5
    """Of places, queue and bytes that one client may have, 0 to 1."""
    window: int = 32
    """Most images of one stream, in hand and credited."""
    streams: int = 64
    """Streams open at a time, of all clients."""
    streams_per_client: int = 8

    @property
    def capacity(self) -> int:
        """Images in hand, waiting and at the server."""
        return self.places + self.queue

    @property
    def per_client(self) -> int:
        """Images that one client may have in hand."""
        return max(1, int(self.share * self.capacity))

    @property
    def bytes_per_client(self) -> int:
        """Bytes that one client may have in hand."""
        return int(self.share * self.max_bytes)


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS of the port; files in PEM."""

    certificate: Path
    key: Path
    client_ca: Path | None = None
    """Callers must show a certificate of this authority (mutual TLS)."""


@dataclass(frozen=True, slots=True)
class Backend:
    """The server behind."""

    servers: tuple[str, ...] = ("127.0.0.1:8001",)
    """HOST:PORT of `physgauge serve`."""
    token: str | None = None
    """Its token."""
    tls: clients.Tls | None = None
    """Its TLS; None = none."""
    status: tuple[str, ...] = ()
    """HOST:PORT of its status (`/ready`), for each server; empty: probed with an image of our own."""
    check_s: float = 2.0
    """Between two looks at it."""
    check_timeout_s: float = 10.0


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Everything."""

    host: str = "127.0.0.1"
    port: int = 8010
    metrics_port: int = 8011
    """Prometheus; always on loopback."""
    tls: Tls | None = None
    tokens: Path | None = None
    """File of the clients' tokens (docs/gateway.md)."""
    insecure: bool = False
    """Whether to listen beyond loopback without TLS, or without knowing who calls."""
    backend: Backend = Backend()
    limits: Limits = Limits()
    shares: Shares = Shares()
    idle_s: float = 300.0
    """A stream with nothing in hand from which nothing whole has come for so long is ended."""
    stall_s: float = 60.0
    """A stream whose caller has not taken a response for so long is ended."""
    drain_s: float = 30.0
    """From SIGTERM: how long what is in hand may take."""
    connections: int = 1024
    """TCP connections open at a time."""
    log_answers: bool = True
    """One line a answer; never captions or pixels."""

    def checked(self) -> GatewaySettings:
        """These settings.

        Raises:
            ConfigError: an open door that nobody asked for, or values that do not go together.
        """
        if not is_loopback(self.host) and not self.insecure:
            where = f"--host {self.host}: beyond this machine, expected"
            unless = (
                "; or --insecure, if something else keeps callers out and others from listening"
            )
            if self.tls is None:
                raise ConfigError(f"{where} TLS (--tls-cert, --tls-key){unless}")
            if self.tokens is None and self.tls.client_ca is None:
                raise ConfigError(
                    f"{where} to know who calls (--token-file or --tls-client-ca){unless}"
                )
        for path in (self.tls.certificate, self.tls.key, self.tls.client_ca) if self.tls else ():
            if path is not None and not path.is_file():
                raise ConfigError(f"TLS: expected a file, got {path}")
        if not 0 < self.shares.share <= 1:
            raise ConfigError(f"--share: expected above 0 and at most 1, got {self.shares.share:g}")
        status = self.backend.status
        if status and len(status) != len(self.backend.servers):
            raise ConfigError(
                f"--status: expected one address for each of --server ({len(self.backend.servers)}), "
                f"got {len(status)}"
            )
        return self


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
