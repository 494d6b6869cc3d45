"""Where the servers are, and how their doors are opened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from physgauge.errors import ConfigError

_ADDRESS: Final = re.compile(r"(\[[0-9A-Fa-f:.%\w]+\]|[^\s:/\[\]]+):(\d{1,5})")
MAX_SERVERS: Final = 256


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS; files in PEM."""

    ca: Path | str | None = None
    """Authorities that the server's certificate may come from; None = those that gRPC ships with."""
    certificate: Path | str | None = None
    """With mutual TLS: what the client shows,"""
    key: Path | str | None = None
    """and its key."""
    name: str | None = None
    """The name to find in the server's certificate, where it is not the host's."""

    def read(self) -> tuple[bytes | None, bytes | None, bytes | None]:
        """Contents of `ca`, `key` and `certificate`.

        Raises:
            ConfigError: a file that cannot be read, or half of a pair.
        """
        if (self.certificate is None) != (self.key is None):
            raise ConfigError("TLS: expected a certificate with its key, got one of the two")
        ca, key, certificate = map(_read, (self.ca, self.key, self.certificate))
        return ca, key, certificate


def _read(path: Path | str | None) -> bytes | None:
    if path is None:
        return None
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"TLS: {path}: cannot be read ({error.strerror})") from None
    if b"-----BEGIN" not in data:
        raise ConfigError(f"TLS: {path}: expected PEM, got something else")
    return data


def addresses(servers: str | Iterable[str]) -> list[str]:
    """``host:port`` of each server.

    Args:
        servers: a list, or text with commas between them.

    Raises:
        ConfigError: none, too many, one twice, or one that is no ``host:port``; says which.
    """
    parts: list[Any] = servers.split(",") if isinstance(servers, str) else list(servers)
    found: list[str] = []
    for part in parts:
        match = _ADDRESS.fullmatch(part.strip()) if isinstance(part, str) else None
        if match is None or not 1 <= int(match[2]) <= 65535:
            raise ConfigError(f"server: expected HOST:PORT, got {part!r:.200}")
        if match[0] in found:
            raise ConfigError(f"server: expected each address once, got {match[0]} again")
        found.append(match[0])
    if not 1 <= len(found) <= MAX_SERVERS:
        raise ConfigError(f"server: expected 1 to {MAX_SERVERS} addresses, got {len(found)}")
    return found
