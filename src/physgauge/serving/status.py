"""Readiness and metrics over HTTP, on loopback: ``/ready`` for probes, ``/metrics`` for Prometheus."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from physgauge.errors import EnvironmentProblem
from physgauge.serving.settings import ServerSettings

HELP: Final = {
    "physgauge_ready": ("gauge", "1 while a canary image gets through every step."),
    "physgauge_restarts_total": ("counter", "Restarts of tritonserver."),
    "physgauge_in_hand": ("gauge", "Images in hand, in all steps and their queues."),
    "physgauge_places": ("gauge", "Images in hand at most; more are refused."),
    "physgauge_canary_seconds": ("gauge", "What the last canary image took."),
}


class StatusServer:
    """Answers in a thread of its own; use as a context manager.

    Args:
        settings: the ports.
        metrics: the supervisor's own numbers, by name; None = unknown.
        state: the supervisor's state.

    Raises:
        EnvironmentProblem: the port is taken.
    """

    def __init__(
        self,
        settings: ServerSettings,
        metrics: Callable[[], Mapping[str, float | None]],
        state: Callable[[], str],
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/ready":
                    now = state()
                    self._say(200 if now == "ready" else 503, now + "\n")
                elif self.path == "/metrics":
                    self._say(200, _own(metrics()) + _tritons(settings.metrics_port))
                else:
                    self._say(404, "expected /ready or /metrics\n")

            def _say(self, code: int, text: str) -> None:
                body = text.encode()
                self.send_response(code)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass  # a probe a second is no news

        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", settings.status_port), Handler)
        except OSError as error:
            raise EnvironmentProblem(
                f"expected 127.0.0.1:{settings.status_port} to be free, got: {error.strerror}"
            ) from None
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        """The port, also where any free one was asked for."""
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, name="status", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _own(metrics: Mapping[str, float | None]) -> str:
    lines = []
    for name, value in metrics.items():
        kind, says = HELP[name]
        if value is not None:
            lines += [f"# HELP {name} {says}", f"# TYPE {name} {kind}", f"{name} {value:g}"]
    return "\n".join(lines) + "\n"


def _tritons(port: int) -> str:
    """Triton's own metrics and those of the steps; empty while there is no server."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        connection.close()
