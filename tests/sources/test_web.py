"""http(s): only from named hosts, also after redirects, and within limits. A real server on loopback."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from physgauge.clients.sources import Sourcing
from physgauge.clients.sources.hosts import Hosts
from physgauge.clients.sources.web import fetch
from physgauge.errors import ConfigError, ImageError
from tests.sources.made import codes, errors, here, npy, read, values

__all__ = ["here"]


class Handler(BaseHTTPRequestHandler):
    """Answers by the path; counts what was asked."""

    seen: ClassVar[list[str]] = []
    elsewhere = ""

    def do_GET(self) -> None:
        self.seen.append(self.path)
        name = self.path.partition("?")[0].strip("/")
        if name.startswith("to/"):
            self.send_response(302)
            self.send_header(
                "Location", name.removeprefix("to/").replace("ELSEWHERE", self.elsewhere)
            )
            self.end_headers()
        elif name == "busy" and self.seen.count(self.path) < 3:
            self.send_error(503)
        elif name == "short":
            self._send(npy(1), len(npy(1)) + 10)
        elif name == "forever":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                pass
        elif name == "gone":
            self.send_error(404)
        else:
            digits = "".join(sign for sign in name if sign.isdigit())
            self._send(npy(int(digits or 0)))

    def _send(self, data: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    """HOST:PORT"""
    Handler.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        Handler.elsewhere = f"http://localhost:{made.server_port}/7.npy"
        yield f"127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


def test_rows_of_a_manifest_in_order(here: Path, server: str) -> None:
    names = [f"{n}.npy" for n in range(30)]
    (here / "m.csv").write_text("url\n" + "\n".join(f"http://{server}/{n}" for n in names))
    assert codes(read(["m.csv"])) == ["source_refused"] * 30
    assert Handler.seen == []
    found = read(["m.csv"], Sourcing(allow_hosts=(server,), fetchers=3))
    assert values(found) == list(range(30))
    assert values(read([f"http://{server}/5.npy"], Sourcing(allow_hosts=(server,)))) == [5]


def test_redirects_are_checked_each_time(here: Path, server: str) -> None:
    port = server.partition(":")[2]
    paths = ["to//3.npy", "to/ELSEWHERE", "to/file:///etc/passwd", "to/to/to/to/to/to/to/to/x"]
    (here / "m.csv").write_text("url\n" + "\n".join(f"http://{server}/{one}" for one in paths))
    found = read(["m.csv"], Sourcing(allow_hosts=(server,)))
    assert codes(found)[:3] == [None, "source_refused", "source_refused"]
    assert f"expected a host that --allow-host names, got localhost:{port}" in errors(found)[0]
    assert "/7.npy" not in Handler.seen
    found = read(["m.csv"], Sourcing(allow_hosts=(server, f"localhost:{port}")))
    assert values(found)[:2] == [3, 7]


def test_redirects_without_end(server: str) -> None:
    Handler.elsewhere = f"http://{server}/to/ELSEWHERE"
    with pytest.raises(ImageError, match="at most 5 redirects"):
        fetch(f"http://{server}/to/ELSEWHERE", Hosts([server]), 1000, 10)


def test_limits_and_faults(server: str) -> None:
    hosts = Hosts([server])

    def said(path: str, timeout_s: float = 20) -> tuple[str, str]:
        with pytest.raises(ImageError) as caught:
            fetch(f"http://{server}/{path}", hosts, 1000, timeout_s)
        return caught.value.code, caught.value.message

    assert said("forever") == (
        "image_too_large",
        f"http://{server}/forever: expected at most 1000 bytes, got more",
    )
    assert said("gone") == ("image_unreadable", f"http://{server}/gone: expected HTTP 200, got 404")
    assert "cannot be read" in said("short")[1] or "more bytes" in said("short")[1]
    assert Handler.seen.count("/short") >= 3
    assert len(fetch(f"http://{server}/busy", hosts, 1000, 20)) == len(npy(0))
    size = len(npy(0))
    assert len(fetch(f"http://{server}/0", hosts, size, 20)) == size
    with pytest.raises(ImageError, match=f"expected at most {size - 1} bytes"):
        fetch(f"http://{server}/0", hosts, size - 1, 20)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(ImageError, match="cannot be read"):
            fetch(f"http://127.0.0.1:{port}/x", Hosts([f"127.0.0.1:{port}"]), 1000, 0.5)


def test_names_of_hosts() -> None:
    hosts = Hosts(
        ["cdn.example.org", "*.images.example", "h:8080", "[::1]:81", "https://full.example/x"]
    )
    for url in (
        "http://cdn.example.org/a", "https://CDN.example.org./a", "https://a.b.images.example/x",
        "http://h:8080/", "http://[::1]:81/x", "https://full.example/",
    ):  # fmt: skip
        hosts.check_url(url)
    for url in (
        "http://example.org/", "http://cdn.example.org.evil.com/", "http://cdn.example.org:8080/",
        "http://images.example/", "http://evilimages.example/", "http://h/", "http://h:80/",
        "http://cdn.example.org@evil.com/", "http://cdn.example.org\\@evil.com/", "file:///x", "ftp://h/",
        "http://cdn.example.org/a b", "http:///x", "http://cdn.example.org:99999/", "//h/x",
    ):  # fmt: skip
        with pytest.raises(ImageError) as caught:
            hosts.check_url(url)
        assert caught.value.code == "source_refused", url
    for text in ("", "*", "a*b", "*b.example", "http://"):
        with pytest.raises(ConfigError, match="expected HOST"):
            Hosts([text])


def test_a_named_host_that_leads_to_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    leads = {"evil.example": "169.254.169.254", "six.example": "fe80::1", "map.example": "::ffff:169.254.1.1",
             "aws.example": "fd00:ec2::254", "ok.example": "127.0.0.1"}  # fmt: skip

    def lookup(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        to = leads.get(host, host)
        family = socket.AF_INET6 if ":" in to else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (to, port))]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    hosts = Hosts([*leads, "169.254.169.254"])
    for host in leads:
        if host == "ok.example":
            assert hosts.address(host, 80, "u")[1] == ("127.0.0.1", 80)
            continue
        with pytest.raises(ImageError, match="a link-local or metadata address"):
            hosts.address(host, 80, "u")
    assert hosts.address("169.254.169.254", 80, "u")[1][0] == "169.254.169.254"
