"""Prometheus' configuration, the alerts and the dashboard: they load, and name what there is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, options, panels, queries, read_yaml, selectors
from tests.deploy.prometheus import program

BOARD = json.loads((DEPLOY / "grafana/dashboards/physgauge.json").read_text("utf-8"))
COMPOSE = read_yaml("compose.yaml")["services"]


def promtool(*words: str) -> None:
    done = subprocess.run(
        [program("promtool"), *words], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_takes_its_configuration() -> None:
    promtool("check", "config", str(DEPLOY / "prometheus/prometheus.yml"))


def test_each_alert_fires_on_what_it_is_for_and_not_before() -> None:
    promtool("test", "rules", str(Path(__file__).parent / "alerts.test.yml"))


def test_no_alert_goes_untested() -> None:
    text = (Path(__file__).parent / "alerts.test.yml").read_text("utf-8")
    for group in read_yaml("prometheus/alerts.yml")["groups"]:
        for rule in group["rules"]:
            assert text.count(f'alertname="{rule["alert"]}"') >= 2, rule["alert"]
            assert set(rule["annotations"]) == {"summary", "description"}
            assert rule["labels"]["severity"] in ("critical", "warning")


def test_prometheus_scrapes_what_runs_beside_it() -> None:
    jobs = read_yaml("prometheus/prometheus.yml")["scrape_configs"]
    found = {job["job_name"]: job["static_configs"][0]["targets"] for job in jobs}
    server, gateway = (options(COMPOSE[one]["command"]) for one in ("server", "gateway"))
    assert found["physgauge"] == [f"127.0.0.1:{server['status_port']}"]
    assert found["physgauge_gateway"] == [f"127.0.0.1:{gateway['metrics_port']}"]


def test_grafana_finds_prometheus_and_the_dashboard() -> None:
    (source,) = read_yaml("grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    host, _, port = source["url"].removeprefix("http://").partition(":")
    assert COMPOSE["prometheus"]["network_mode"] == f"service:{host}"
    assert f"--web.listen-address=0.0.0.0:{port}" in COMPOSE["prometheus"]["command"]
    (provider,) = read_yaml("grafana/provisioning/dashboards/physgauge.yaml")["providers"]
    mounts = dict(volume.split(":")[:2][::-1] for volume in COMPOSE["grafana"]["volumes"][:2])
    assert mounts[provider["options"]["path"]] == "./grafana/dashboards"
    home = COMPOSE["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home == f"{provider['options']['path']}/physgauge.json"
    for panel in panels():
        assert panel["datasource"]["uid"] == source["uid"]


def test_panels_are_whole_and_do_not_lie_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
    for panel in BOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
    for panel in panels():
        assert panel["targets"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references)


@pytest.mark.parametrize(("where", "query"), list(queries()))
def test_a_query_asks_of_all_servers_or_of_those_chosen(where: str, query: str) -> None:
    """It is PromQL; and a panel of the server's numbers heeds the choice of servers."""
    found = list(selectors(query))
    assert found
    for one in found:
        if where.startswith("panel") and not one.name.startswith("physgauge_gateway"):
            assert "instance" in {matcher.name for matcher in one.matchers.matchers}, str(one)
