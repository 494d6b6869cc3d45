"""Images from http(s) URLs, from hosts that were named only; redirects are checked like the first URL."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from functools import lru_cache
from typing import Final
from urllib.parse import quote, urljoin

from physgauge.clients.sources.hosts import Hosts
from physgauge.errors import ImageError

MAX_REDIRECTS: Final = 5
TRIES: Final = 3
CONNECT_S: Final = 10.0
_AGAIN: Final = frozenset({408, 429, 500, 502, 503, 504})
_ELSEWHERE: Final = frozenset({301, 302, 303, 307, 308})


class _Again(Exception):
    """Another try may help."""


def fetch(url: str, hosts: Hosts, most_bytes: int, timeout_s: float) -> bytes:
    """The bytes behind a URL. Proxies of the environment are not used: they would look names up by
    themselves.

    Args:
        url: http or https.
        hosts: who may be asked.
        most_bytes: of the answer.
        timeout_s: for all tries and redirects together.

    Raises:
        ImageError: refused, larger than `most_bytes`, or not to be had; says why.
    """
    end = time.monotonic() + timeout_s
    pause = 0.2
    for left in range(TRIES - 1, -1, -1):
        try:
            return _follow(url, hosts, most_bytes, end)
        except _Again as problem:
            if not left or time.monotonic() + pause >= end:
                raise ImageError("image_unreadable", f"{url:.300}: {problem}") from None
            time.sleep(pause)
            pause *= 4
    raise AssertionError("unreachable")


def _follow(url: str, hosts: Hosts, most_bytes: int, end: float) -> bytes:
    at = url
    for _ in range(MAX_REDIRECTS + 1):
        answer = _ask(at, hosts, most_bytes, end)
        if isinstance(answer, bytes):
            return answer
        target = urljoin(at, answer)
        if at.lower().startswith("https:") and target.lower().startswith("http:"):
            raise ImageError(
                "source_refused", f"{at:.300}: expected no redirect from https to http, got one"
            )
        at = target
    raise ImageError(
        "image_unreadable", f"{url:.300}: expected at most {MAX_REDIRECTS} redirects, got more"
    )


def _ask(url: str, hosts: Hosts, most_bytes: int, end: float) -> bytes | str:
    """The body, or where it is said to be."""
    parts = hosts.check_url(url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    family, address = hosts.address(host, port, url)
    try:
        connection = _connect(host, port, family, address, secure, _left(end))
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            path = quote(path, safe="%/:=&?~+!$,;'@()*[]")
            headers = {"Accept-Encoding": "identity", "User-Agent": "physgauge"}
            connection.request("GET", path, headers=headers)
            return _body(connection.getresponse(), url, most_bytes, end, connection)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, ssl.SSLCertVerificationError):
            raise ImageError(
                "image_unreadable", f"{url:.300}: expected a certificate of {host} that is trusted"
            ) from None
        raise _Again(f"cannot be read ({type(error).__name__})") from None


def _connect(
    host: str, port: int, family: int, address: tuple[str, int], secure: bool, timeout_s: float
) -> http.client.HTTPConnection:
    """A connection to the address that was checked; the name is used for TLS and the Host header only."""
    wire = socket.socket(family, socket.SOCK_STREAM)
    try:
        wire.settimeout(min(CONNECT_S, timeout_s))
        wire.connect(address)
        if secure:
            wire = _trusted().wrap_socket(wire, server_hostname=host)
        wire.settimeout(timeout_s)
    except BaseException:
        wire.close()
        raise
    make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = make(host, port)
    connection.sock = wire
    return connection


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _body(
    response: http.client.HTTPResponse,
    url: str,
    most_bytes: int,
    end: float,
    connection: http.client.HTTPConnection,
) -> bytes | str:
    status = response.status
    if status in _ELSEWHERE:
        target = response.headers.get("Location")
        if target:
            return target
    if status in _AGAIN:
        raise _Again(f"expected HTTP 200, got {status}")
    if status != 200:
        raise ImageError("image_unreadable", f"{url:.300}: expected HTTP 200, got {status}")
    blocks, size = [], 0
    while True:
        if connection.sock is not None:  # http.client drops it once an answer that closes is read
            connection.sock.settimeout(_left(end))
        block = response.read1(1 << 18)
        if not block:
            break
        size += len(block)
        if size > most_bytes:
            raise ImageError(
                "image_too_large", f"{url:.300}: expected at most {most_bytes} bytes, got more"
            )
        blocks.append(block)
    if response.length:  # what Content-Length promised
        raise _Again(f"expected {response.length} more bytes, got the end")
    return b"".join(blocks)


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
