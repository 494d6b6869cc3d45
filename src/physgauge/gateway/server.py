"""Puts the gateway together and runs it: start, serve, read the token file again, drain.

starting -> serving -> draining -> ended
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.gateway.access import Access
from physgauge.gateway.behind import Behind
from physgauge.gateway.certificates import credentials
from physgauge.gateway.desk import Desk
from physgauge.gateway.door import MOST_CALLS, Door
from physgauge.gateway.forward import Forward
from physgauge.gateway.metrics import Metrics
from physgauge.gateway.places import Places
from physgauge.gateway.service import SERVICE, Service
from physgauge.gateway.session import Session
from physgauge.gateway.settings import GatewaySettings
from physgauge.log import log

TICK_S: Final = 0.25
_KIB: Final = 1024
_IDENTITY: Final = 1
"""The only message encoding that is accepted: a compressed one could unpack to any size."""


class Gateway:
    """A gateway.

    Args:
        settings: all of it.

    Raises:
        ConfigError: settings or files that are wrong.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self.settings = settings = settings.checked()
        mutual = settings.tls is not None and settings.tls.client_ca is not None
        self._access = Access(settings.tokens, mutual)
        self._stop, self._reload = asyncio.Event(), asyncio.Event()
        self.metrics = Metrics()
        """What is counted."""
        self.port = 0
        """gRPC, once it listens."""
        self.metrics_port = 0
        self.sessions: set[Session] = set()
        """Streams open."""

    async def run(self) -> None:
        """Serve until `stop`.

        Raises:
            EnvironmentProblem: a port is taken.
        """
        settings = self.settings
        forward = Forward(
            settings.backend, settings.shares.places, settings.limits.max_deadline_ms / 1000
        )
        module: Any = health  # whose types know no `aio`
        health_service = module.aio.HealthServicer()
        await _say(health_service, False)
        behind = Behind(self.settings.backend, forward, lambda ready: _say(health_service, ready))
        places = Places(self.settings.shares)
        desk = Desk(self.settings, places, forward, behind, self.metrics)
        service = Service(self.settings, self._access, desk, self.metrics)
        self.sessions = service.sessions
        self._gauges(service, places, behind, forward)
        server = self._server(service, health_service)
        self.metrics_port, stop_metrics = self.metrics.serve(self.settings.metrics_port)
        try:
            await server.start()
            where = f"{_bracketed(self.settings.host)}:{self.port}"
            log(
                "serving",
                grpc=where,
                metrics=f"127.0.0.1:{self.metrics_port}",
                clients=self._access.names,
            )
            tasks: list[asyncio.Task[Any]] = [
                asyncio.create_task(each)
                for each in (behind.watch(), self._tick(service), self._rereads(service))
            ]
            stop = asyncio.create_task(self._stop.wait())
            done, _ = await asyncio.wait({stop, *tasks}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # none of the others ends but by a fault: better no gateway than half
            await self._drain(service, health_service)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await server.stop(0.2)
            await forward.close()
            stop_metrics()

    def stop(self) -> None:
        """Begin to drain."""
        self._stop.set()

    def reread(self) -> None:
        """Read the token file again."""
        self._reload.set()

    async def _tick(self, service: Service) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            service.tick()

    async def _rereads(self, service: Service) -> None:
        while True:
            await self._reload.wait()
            self._reload.clear()
            try:
                self._access.reload()
            except ConfigError as error:
                log("reload", error=str(error))
                continue
            service.recheck()
            log("reload", clients=self._access.names)

    async def _drain(self, service: Service, health_service: Any) -> None:
        began = time.monotonic()
        log("draining", calls=service.open_calls, within_s=self.settings.drain_s)
        await health_service.enter_graceful_shutdown()
        service.drain()
        while service.open_calls and time.monotonic() - began < self.settings.drain_s:
            await asyncio.sleep(0.02)
        log("drained", cut_off=service.open_calls, seconds=round(time.monotonic() - began, 3))

    def _server(self, service: Service, health_service: Any) -> Any:
        settings = self.settings
        door = Door(self._access, self.metrics)
        server = grpc.aio.server(
            interceptors=(door,),
            options=_options(settings),
            maximum_concurrent_rpcs=_most_calls(settings),
        )
        server.add_generic_rpc_handlers((service.handlers(),))
        health_pb2_grpc.add_HealthServicer_to_server(health_service, server)
        names = (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
        address = f"{_bracketed(settings.host)}:{settings.port}"
        try:
            if settings.tls is None:
                self.port = server.add_insecure_port(address)
            else:
                self.port = server.add_secure_port(address, credentials(settings.tls))
        except RuntimeError:
            raise EnvironmentProblem(
                f"expected {address} to be free, got one that is not"
            ) from None
        return server

    def _gauges(self, service: Service, places: Places, behind: Behind, forward: Forward) -> None:
        gauge, counter = self.metrics.gauge, self.metrics.counter
        gauge("ready", "1 while the server behind scores images.", lambda: float(behind.ready))
        gauge("in_hand", "Images in hand, waiting and at the server.", lambda: places.by_client)
        gauge("at_server", "Images at the server.", lambda: places.at_server)
        gauge("bytes_in_hand", "Bytes of images in hand.", lambda: places.bytes_in_hand)
        gauge("waiting", "Images that wait for a place.", lambda: places.waiting)
        gauge("streams", "Streams open.", lambda: service.streams_by_client)
        gauge("credits", "Credits granted and not used.", lambda: service.credits_by_client)
        gauge("window", "Calls that the servers may have now.", lambda: forward.stats.window)
        counter("retries", "Images sent to a server again.", lambda: forward.stats.retries)
        counter("rejects", "Calls that a full server refused.", lambda: forward.stats.rejects)


async def _say(health_service: Any, ready: bool) -> None:
    response = health_pb2.HealthCheckResponse
    status = response.SERVING if ready else response.NOT_SERVING
    for name in ("", SERVICE):
        await health_service.set(name, status)


def _options(settings: GatewaySettings) -> list[tuple[str, int]]:
    """gRPC's own limits."""
    return [
        ("grpc.max_receive_message_length", settings.limits.max_message_bytes),
        ("grpc.max_metadata_size", 8 * _KIB),
        ("grpc.absolute_max_metadata_size", 16 * _KIB),
        ("grpc.max_concurrent_streams", 128),
        ("grpc.max_allowed_incoming_connections", settings.connections),
        ("grpc.server_handshake_timeout_ms", 10_000),
        ("grpc.max_connection_idle_ms", 600_000),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 15_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ("grpc.http2.max_ping_strikes", 3),
        ("grpc.compression_enabled_algorithms_bitset", _IDENTITY),
        ("grpc.so_reuseport", 0),
    ]


def _most_calls(settings: GatewaySettings) -> int:
    shares = settings.shares
    return shares.streams + shares.capacity + 4 * MOST_CALLS


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def run(settings: GatewaySettings) -> None:
    """Serve until SIGTERM or SIGINT, which drain; SIGHUP reads the token file again.

    Raises:
        ConfigError: settings or files that are wrong.
        EnvironmentProblem: a port is taken.
    """

    async def main() -> None:
        gateway = Gateway(settings)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, gateway.stop)
        loop.add_signal_handler(signal.SIGHUP, gateway.reread)
        with contextlib.suppress(asyncio.CancelledError):
            await gateway.run()

    asyncio.run(main())
