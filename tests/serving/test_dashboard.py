"""A real server and gateway under the deployment's own Prometheus configuration: what dashboard and alerts
ask for is there."""

from __future__ import annotations

import asyncio
import itertools
import re
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from physgauge.ensemble.served.observe import FAMILIES
from physgauge.gateway.client import GatewayClient, Item
from tests.deploy.files import panels, queries, selectors
from tests.deploy.prometheus import Prometheus
from tests.gateway.process import Process
from tests.serving.server import CAPTIONS, NAMES, Server, image, inputs, score

ONLY_ON_GPUS = {
    "nv_gpu_utilization", "nv_gpu_memory_used_bytes", "nv_gpu_memory_total_bytes", "nv_gpu_power_usage",
}  # fmt: skip
"""Triton's names of them (its documentation, "Metrics")."""
QUIET = {
    "Error rows by code", "Probes without an answer, by outcome", "Violations by TerraVis probe, last hour",
}  # fmt: skip
"""Panels that show nothing where nothing is wrong, or no judge is there."""
TOKEN = "0123456789abcdef-node"


@pytest.fixture(scope="module")
def gateway(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    tokens = tmp_path_factory.mktemp("gateway") / "tokens"
    tokens.write_text(f"node {TOKEN}\n", encoding="ascii")
    flags = ["--server", server.address, "--status", server.status, "--token-file", str(tokens)]
    with Process(*flags, "--places", "16") as running:
        running.wait_for("behind", ready=True)
        yield running


async def stream(gateway: Process, token: str, more: Callable[[], bool]) -> None:
    """Images on one stream, while there are to be more."""

    def items() -> Iterator[Item]:
        for number in itertools.takewhile(lambda _: more(), itertools.count()):
            yield Item(id=str(number), image=image(NAMES[0]), deadline_ms=60_000)

    async with GatewayClient(gateway.address, token=token) as client:
        async for answer in client.stream(items()):
            assert answer.HasField("row"), answer


@contextmanager
def streaming(gateway: Process) -> Iterator[None]:
    """A node that streams: what is counted by stream is there only while there is one."""
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(lambda: asyncio.run(stream(gateway, TOKEN, lambda: not stop.is_set())))
        try:
            yield
        finally:
            stop.set()
            run.result(60)


def work(server: Any, gateway: Process) -> None:
    """Something for every counter: rows, a refusal, a stream that ends, a caller who is not let in."""
    for name in NAMES[:3]:
        score(server, image(name), CAPTIONS[name])
    with pytest.raises(Exception, match="request_invalid"):
        server.infer("score", inputs(image(NAMES[0]), domain="spaceship"), client_timeout=60)
    asyncio.run(stream(gateway, TOKEN, iter([True, False]).__next__))
    with pytest.raises(Exception, match="UNAUTHENTICATED"):
        asyncio.run(stream(gateway, "0123456789abcdef-nobody", lambda: True))


@pytest.fixture(scope="module")
def exposed(client: Any, server: Server, gateway: Process) -> dict[str, set[str]]:
    """Label names by metric, of both."""
    found: dict[str, set[str]] = {}
    with streaming(gateway):
        work(client, gateway)
        time.sleep(6)  # the canary hands the counters over
        pages = []
        for where in (server.status, gateway.wait_for("serving")["metrics"]):
            with urllib.request.urlopen(f"http://{where}/metrics", timeout=5) as answer:
                pages.append(answer.read().decode())
    for text in pages:
        for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", text, re.MULTILINE):
            found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found


def test_every_name_and_label_is_one_that_is_exposed(exposed: dict[str, set[str]]) -> None:
    """A name or label that no series has makes a panel empty, and an alert silent, without an error."""
    of_prometheus = {"up": {"job", "instance"}, **{name: {"gpu_uuid"} for name in ONLY_ON_GPUS}}
    asked = [(where, one) for where, query in queries() for one in selectors(query)]
    assert len({one.name for _, one in asked} & set(exposed)) > 25
    for where, one in asked:
        if one.name in FAMILIES and one.name not in exposed:
            continue  # declared, and nothing to count yet
        labels = {**of_prometheus, **exposed}.get(one.name)
        assert labels is not None, f"{where}: {one.name}"
        assert {m.name for m in one.matchers.matchers} <= labels | {"instance", "job"}, where


def test_every_panel_shows_something(
    client: Any, server: Server, gateway: Process, tmp_path: Path
) -> None:
    """Scraped by a real Prometheus: each panel's query runs, and gives series."""
    targets = {
        "physgauge": server.status,
        "physgauge_gateway": gateway.wait_for("serving")["metrics"],
    }
    with Prometheus(tmp_path, targets) as prometheus, streaming(gateway):
        for job in targets:
            prometheus.wait(f'up{{job="{job}"}} == 1')
        for _ in range(3):  # counters that move, for as long as the rates look at
            work(client, gateway)
            time.sleep(1.5)
        prometheus.wait("sum(rate(physgauge_rows_total[20s])) > 0")
        empty = set()
        for panel in panels():
            for target in panel["targets"]:
                text = target["expr"].replace("$__rate_interval", "20s").replace("$instance", ".*")
                found = prometheus.query(text)
                if not found and not ONLY_ON_GPUS & {one.name for one in selectors(text)}:
                    empty.add(panel["title"])
        assert empty <= QUIET
        assert not prometheus.query('ALERTS{alertstate="firing", severity="critical"}')
