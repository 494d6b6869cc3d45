"""A real server under the deployment's own Prometheus configuration: what dashboard and alerts ask for is there."""

from __future__ import annotations

import re
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from physgauge.ensemble.served.observe import FAMILIES
from tests.deploy.files import panels, queries, selectors
from tests.deploy.prometheus import Prometheus
from tests.serving.server import CAPTIONS, NAMES, Server, image, inputs, score

ONLY_ON_GPUS = {
    "nv_gpu_utilization", "nv_gpu_memory_used_bytes", "nv_gpu_memory_total_bytes", "nv_gpu_power_usage",
}  # fmt: skip
"""Triton's names of them (its documentation, "Metrics")."""
OF_PROMETHEUS = {"up", "ALERTS"}
QUIET = {
    "Error rows by code", "Probes without an answer, by outcome", "Violations by TerraVis probe, last hour",
}  # fmt: skip
"""Panels that show nothing where nothing is wrong, or no judge is there."""


@pytest.fixture(scope="module")
def used(client: Any, server: Server) -> Server:
    """A server that has had something to count."""
    for name in NAMES[:6]:
        score(client, image(name), CAPTIONS[name])
    with pytest.raises(Exception, match="request_invalid"):
        client.infer("score", inputs(image("car_01.jpg"), domain="spaceship"), client_timeout=60)
    time.sleep(6)  # the canary hands the counters over
    return server


def test_every_name_is_one_that_a_server_has(used: Server) -> None:
    with urllib.request.urlopen(f"http://{used.status}/metrics", timeout=5) as answer:
        exposed = set(re.findall(r"^(\w+)[{ ]", answer.read().decode(), re.MULTILINE))
    asked = {s.name: where for where, query in queries() for s in selectors(query)}
    known = exposed | set(FAMILIES) | ONLY_ON_GPUS | OF_PROMETHEUS
    missing = {name: where for name, where in asked.items() if name not in known}
    assert not {name for name in missing if not name.startswith("physgauge_gateway")}, missing
    assert len(exposed & set(asked)) > 10


def test_labels_are_those_that_the_series_have(used: Server) -> None:
    """A label that no series has makes a panel empty without an error."""
    with urllib.request.urlopen(f"http://{used.status}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    labels: dict[str, set[str]] = {}
    for line in lines:
        if found := re.match(r"(\w+)(?:\{(.*)\})? ", line):
            names = re.findall(r'(\w+)="', found[2] or "")
            labels.setdefault(found[1], set()).update(names)
    for where, query in queries():
        for one in selectors(query):
            if one.name in labels:
                of_target = {"instance", "job"}
                asked = {matcher.name for matcher in one.matchers.matchers} - of_target
                assert asked <= labels[one.name], f"{where}: {one}"


def test_every_panel_shows_something(used: Server, client: Any, tmp_path: Path) -> None:
    """Scraped by a real Prometheus: each panel's query runs, and gives series."""
    with Prometheus(tmp_path, {"physgauge": used.status}) as prometheus:
        prometheus.wait('up{job="physgauge"} == 1')
        for _ in range(3):  # counters that move, for as long as the rates look at
            for name in NAMES[:3]:
                score(client, image(name), CAPTIONS[name])
            with pytest.raises(Exception, match="request_invalid"):
                client.infer(
                    "score", inputs(image(NAMES[0]), domain="spaceship"), client_timeout=60
                )
            time.sleep(1.5)
        prometheus.wait("sum(rate(physgauge_rows_total[20s])) > 0")
        empty = set()
        for panel in panels():
            for target in panel["targets"]:
                text = target["expr"].replace("$__rate_interval", "20s").replace("$instance", ".*")
                names = {one.name for one in selectors(text)}
                found = prometheus.query(text)
                unseen = (
                    any(n.startswith("physgauge_gateway") for n in names) or names & ONLY_ON_GPUS
                )
                if not found and not unseen:
                    empty.add(panel["title"])
        assert empty <= QUIET
        assert not prometheus.query('ALERTS{alertstate="firing", severity="critical"}')
