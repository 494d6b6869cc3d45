"""Which hosts and buckets may be read: those that the user named, nobody whom a data row names."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from physgauge.clients.sources.places import bucket_of
from physgauge.errors import ConfigError, ImageError

METADATA = (ipaddress.ip_network("fd00:ec2::/32"), ipaddress.ip_network("100.100.100.200/32"))
"""Addresses of clouds' metadata services that are not link-local (AWS over IPv6, Alibaba)."""
_PORTS = {"http": 80, "https": 443}


class Hosts:
    """What ``--allow-host`` names: ``host`` (ports 80 and 443), ``host:port``, ``*.domain``; and buckets,
    ``s3://bucket``."""

    def __init__(self, allowed: Iterable[str]) -> None:
        self._allowed: set[tuple[str, int | None]] = set()
        self._buckets: set[str] = set()
        for text in allowed:
            if "://" in text and not text.lower().startswith(("http://", "https://")):
                self._buckets.add(bucket_of(text))
                continue
            self._allowed.add(_host_and_port(text))

    def check_url(self, url: str) -> SplitResult:
        """The URL's parts, if it may be read.

        Raises:
            ImageError: another scheme, a URL that is none, or a host that was not named.
        """
        parts = _split(url)
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        if not self._names(host.lower().rstrip("."), port):
            raise ImageError(
                "source_refused",
                f"{url:.300}: expected a host that --allow-host names, got {host}:{port}",
            )
        return parts

    def address(self, host: str, port: int, url: str) -> tuple[int, tuple[str, int]]:
        """Family and address to connect to. The name is looked up once and the answer is checked, so that
        it cannot turn into another one.

        Raises:
            ImageError: no such host, or a link-local or metadata address that was not itself named.
        """
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise ImageError(
                "image_unreadable", f"{url:.300}: expected a host that has an address, got {host}"
            ) from None
        for family, _, _, _, to in found:
            address = ipaddress.ip_address(str(to[0]).partition("%")[0])
            mapped = getattr(address, "ipv4_mapped", None)
            address = mapped or address
            named = _is_address(host)
            inner = address.is_link_local or address.is_multicast or address.is_unspecified
            if not named and (inner or any(address in net for net in METADATA)):
                raise ImageError(
                    "source_refused",
                    f"{url:.300}: {host} is {address}, a link-local or metadata address: expected it to "
                    "be named itself by --allow-host",
                )
            return family, (str(to[0]), port)
        raise ImageError("image_unreadable", f"{url:.300}: expected an address of {host}, got none")

    def allows_bucket(self, address: str) -> bool:
        """Whether ``s3://bucket/...`` was named."""
        return bucket_of(address) in self._buckets

    def _names(self, host: str, port: int) -> bool:
        names = [host, *(f"*{host[at:]}" for at, sign in enumerate(host) if sign == ".")]
        return any(
            (name, port) in self._allowed or (port in (80, 443) and (name, None) in self._allowed)
            for name in names
        )


def _split(url: str) -> SplitResult:
    odd = next((sign for sign in url if sign <= " " or sign in '\\"<>^`{|}\x7f'), None)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = SplitResult("", "", "", "", ""), None
    if parts.scheme not in _PORTS or not parts.hostname or port == 0:
        raise ImageError("source_refused", f"{url!a:.300}: expected http(s)://HOST[:PORT]/PATH")
    if odd is not None or "@" in parts.netloc:
        got = "a user name" if odd is None else f"{odd!a}"
        raise ImageError("source_refused", f"{url!a:.300}: expected a plain URL, got {got} in it")
    return parts


def _host_and_port(text: str) -> tuple[str, int | None]:
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        host, port = "", None
    if not host or "*" in host[1:] or (host.startswith("*") and host[1:2] != "."):
        raise ConfigError(
            f"--allow-host {text!r}: expected HOST, HOST:PORT, *.DOMAIN or s3://BUCKET"
        )
    return host.lower(), port


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
