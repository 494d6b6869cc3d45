"""What the gateway counts, for Prometheus: served on loopback, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from physgauge.errors import EnvironmentProblem

_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """One gateway's. Names begin with ``physgauge_gateway_``."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def named(name: str) -> str:
            return f"physgauge_gateway_{name}"

        registry = self.registry
        self._images = Counter(
            named("images"), "Images by outcome: row, row_error, a refusal's code, gone.",
            ["client", "outcome"], registry=registry,
        )  # fmt: skip
        self._received = Counter(
            named("received_bytes"), "Bytes of requests received.", ["client"], registry=registry
        )
        self._sent = Counter(
            named("sent_bytes"), "Bytes of answers sent.", ["client"], registry=registry
        )
        self._seconds = Histogram(
            named("seconds"),
            "From an image's arrival to its row.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._denied = Counter(
            named("denied"), "Calls not let in, by reason.", ["reason"], registry=registry
        )
        self._ended = Counter(
            named("streams_ended"), "Streams that have ended, by how.", ["how"], registry=registry
        )
        self._clients: dict[str, _Client] = {}

    def gauge(self, name: str, says: str, value: Callable[[], float | dict[str, int]]) -> None:
        """A number, or one a client, that is asked for when it is wanted: in another thread."""
        self.registry.register(_Asked(f"physgauge_gateway_{name}", says, value))

    def counter(self, name: str, says: str, value: Callable[[], float]) -> None:
        """A number that only rises and is counted elsewhere, asked for as a gauge is."""
        made = _Asked(f"physgauge_gateway_{name}", says, value, CounterMetricFamily)
        self.registry.register(made)

    def received(self, client: str, size: int) -> None:
        """A message has come."""
        self._client(client).received.inc(size)

    def sent(self, client: str, size: int) -> None:
        """A message has gone."""
        self._client(client).sent.inc(size)

    def answered(self, client: str, outcome: str, seconds: float) -> None:
        """An image has its answer."""
        self._client(client).outcome(outcome).inc()
        if outcome == "row":
            self._seconds.observe(seconds)

    def denied(self, reason: str) -> None:
        """A call was not let in."""
        self._denied.labels(reason).inc()

    def ended(self, how: str) -> None:
        """A stream has ended."""
        self._ended.labels(how).inc()

    def _client(self, name: str) -> _Client:
        if name not in self._clients:
            self._clients[name] = _Client(self._images, self._received, self._sent, name)
        return self._clients[name]

    def serve(self, port: int) -> tuple[int, Callable[[], None]]:
        """Serve them on loopback.

        Returns:
            The port, also where any free one (0) was asked for, and what stops it.

        Raises:
            EnvironmentProblem: the port is taken.
        """
        try:
            server, thread = start_http_server(port, "127.0.0.1", self.registry)
        except OSError as error:
            raise EnvironmentProblem(
                f"expected 127.0.0.1:{port} to be free, got: {error.strerror}"
            ) from None

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return int(server.server_port), stop


class _Asked(Collector):
    """A number whose value is that of the moment."""

    def __init__(
        self,
        name: str,
        says: str,
        value: Callable[[], float | dict[str, int]],
        kind: Any = GaugeMetricFamily,
    ) -> None:
        self._name, self._says, self._value, self._kind = name, says, value, kind

    def collect(self) -> Iterable[Metric]:
        value = self._value()
        if isinstance(value, dict):
            family = self._kind(self._name, self._says, labels=["client"])
            for client, number in value.copy().items():
                family.add_metric([client], number)
        else:
            family = self._kind(self._name, self._says, value)
        return [family]


class _Client:
    """A client's counters, looked up once."""

    def __init__(self, images: Counter, received: Counter, sent: Counter, name: str) -> None:
        self._images, self._name = images, name
        self.received, self.sent = received.labels(name), sent.labels(name)
        self._outcomes: dict[str, Counter] = {}

    def outcome(self, outcome: str) -> Counter:
        if outcome not in self._outcomes:
            self._outcomes[outcome] = self._images.labels(self._name, outcome)
        return self._outcomes[outcome]
