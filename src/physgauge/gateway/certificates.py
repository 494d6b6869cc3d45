"""The port's certificates, read again when their files change: they are renewed while it runs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import grpc

from physgauge.errors import ConfigError
from physgauge.gateway.settings import Tls
from physgauge.log import log


def credentials(tls: Tls) -> Any:
    """gRPC's, which look at the files before each handshake.

    Raises:
        ConfigError: a file that cannot be read, or is no PEM.
    """
    files = _Files(tls)
    return grpc.dynamic_ssl_server_credentials(
        files.read(), files.changed, require_client_authentication=tls.client_ca is not None
    )


class _Files:
    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self._lock = threading.Lock()  # handshakes are done in threads of gRPC's own
        self._seen = self._stamp()

    def read(self) -> Any:
        """As they are now."""
        tls = self._tls
        root = None if tls.client_ca is None else _pem(tls.client_ca)
        pair = (_pem(tls.key), _pem(tls.certificate))
        return grpc.ssl_server_certificate_configuration([pair], root)

    def changed(self) -> Any:
        """As they are now; None = as they were. A file that is wrong changes nothing."""
        with self._lock:
            stamp = self._stamp()
            if stamp == self._seen:
                return None
            self._seen = stamp
            try:
                read = self.read()
            except ConfigError as error:
                log("reload", error=str(error))
                return None
            log("reload", certificates=str(self._tls.certificate))
            return read

    def _stamp(self) -> tuple[tuple[int, int], ...]:
        found = []
        for path in (self._tls.certificate, self._tls.key, self._tls.client_ca):
            try:
                stat = path.stat() if path else None
            except OSError:
                stat = None
            found.append((stat.st_mtime_ns, stat.st_size) if stat else (0, 0))
        return tuple(found)


def _pem(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"TLS: {path}: cannot be read ({error.strerror})") from None
    if b"-----BEGIN" not in data:
        raise ConfigError(f"TLS: {path}: expected PEM, got something else")
    return data
