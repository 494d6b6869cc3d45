"""A chat server on a real socket that does what a test's plan says, as badly as wanted."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "judge-1"


@dataclass
class Act:
    """How one request is answered."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    """Before the first byte."""
    cut_at: int | None = None
    """Close the connection after so many bytes of a body that was announced whole."""
    drip_s: float | None = None
    """Seconds between the body's bytes."""
    hang_up: bool = False
    """Close without a word."""


def completion(
    text: str | None = "yes",
    tokens: dict[str, float] | None = None,
    finish: str = "stop",
    **message: Any,
) -> dict[str, Any]:
    """A chat completion; `tokens` are the likely ones with their log-probabilities."""
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": text, **message},
    }
    if tokens is not None:
        likely = [{"token": t, "logprob": p, "bytes": None} for t, p in tokens.items()]
        best = max(tokens, key=tokens.__getitem__)
        first = {"token": best, "logprob": tokens[best]}
        choice["logprobs"] = {"content": [{**first, "top_logprobs": likely}]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [choice],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
    }


def good(**changes: Any) -> Act:
    """A whole, honest answer."""
    return Act(body=json.dumps(completion(**changes)).encode())


Plan = Callable[[dict[str, Any], int], Act]
"""(request's JSON, its number from 0) to an answer."""


class Server:
    """What it was asked, and what it does."""

    def __init__(self, plan: Plan, models: list[str] | None = None) -> None:
        self.plan = plan
        self.models = [MODEL] if models is None else models
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.broken = 0
        """Connections that the client closed before it had its answer."""
        self.now = 0
        self.most = 0
        """Requests in hand, at most."""
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._http.request_queue_size = 256
        self._http.socket.listen(256)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def act(self, request: dict[str, Any], headers: dict[str, str]) -> Act:
        with self._lock:
            number = len(self.asked)
            self.asked.append(request)
            self.headers.append(headers)
            self.times.append(time.monotonic())
        return self.plan(request, number)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                server._sockets.add(self.connection)

            def finish(self) -> None:
                server._sockets.discard(self.connection)
                super().finish()

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                data = [{"id": name, "owned_by": "nobody"} for name in server.models]
                self._send(Act(body=json.dumps({"object": "list", "data": data}).encode()))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if not self.path.endswith("/chat/completions"):
                    self._send(Act(status=404))
                    return
                with server._lock:
                    server.now += 1
                    server.most = max(server.most, server.now)
                try:
                    self._send(server.act(json.loads(body), dict(self.headers)))
                finally:
                    with server._lock:
                        server.now -= 1

            def _send(self, act: Act) -> None:
                try:
                    self._act(act)
                except (BrokenPipeError, ConnectionResetError):
                    server.broken += 1
                    self.close_connection = True

            def _act(self, act: Act) -> None:
                if act.wait_s:
                    self._wait(act.wait_s)
                if act.hang_up:
                    self.close_connection = True
                    return
                self.send_response(act.status)
                for name, value in act.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(act.body)))
                self.end_headers()
                if act.drip_s is not None:
                    for byte in act.body:
                        self.wfile.write(bytes([byte]))
                        time.sleep(act.drip_s)
                    return
                self.wfile.write(act.body[: act.cut_at])
                if act.cut_at is not None:
                    self.close_connection = True

            def _wait(self, seconds: float) -> None:
                """Wait as a server does that stops working for a client who has left."""
                self.connection.settimeout(seconds)
                try:
                    if self.connection.recv(1) == b"":
                        raise ConnectionResetError
                except TimeoutError:
                    pass
                finally:
                    self.connection.settimeout(None)

        return Handler

    def start(self) -> None:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        for connection in list(self._sockets):  # those kept alive
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving(plan: Plan, models: list[str] | None = None) -> Iterator[Server]:
    """A server for the time of a test."""
    server = Server(plan, models)
    server.start()
    try:
        yield server
    finally:
        server.stop()
