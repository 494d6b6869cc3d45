"""The Kubernetes manifest: valid by the API's schema, locked up, with probes and time to drain.

The schemas are those that kubernetes-validate brings (Apache-2.0). Nothing here talks to a cluster.
"""

from __future__ import annotations

from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.deploy.files import DEPLOY, drain_s, options

OBJECTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((DEPLOY / "kubernetes/physgauge.yaml").read_text("utf-8"))
)
DEPLOYMENT = next(one for one in OBJECTS if one["kind"] == "Deployment")
POD = DEPLOYMENT["spec"]["template"]["spec"]
SERVER, GATEWAY = POD["initContainers"][0], POD["containers"][0]


@pytest.mark.parametrize("version", ["1.29", "1.33", kubernetes_validate.latest_version()])
@pytest.mark.parametrize("one", OBJECTS, ids=lambda one: one["kind"])
def test_it_is_valid(one: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(one, version, strict=True)


@pytest.mark.parametrize("container", [SERVER, GATEWAY], ids=lambda c: c["name"])
def test_it_is_locked_up(container: dict[str, Any]) -> None:
    context = container["securityContext"]
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert POD["automountServiceAccountToken"] is False
    assert set(container["resources"]["limits"]) >= {"cpu", "memory"}


def test_only_the_gateway_can_be_reached() -> None:
    assert options(SERVER["args"])["host"] == "127.0.0.1"
    assert "ports" not in SERVER
    port = options(GATEWAY["args"])["port"]
    assert [one["containerPort"] for one in GATEWAY["ports"]] == [port]
    policy = next(one for one in OBJECTS if one["kind"] == "NetworkPolicy")["spec"]
    assert policy["ingress"] == [
        {"ports": [{"port": GATEWAY["ports"][0]["name"], "protocol": "TCP"}]}
    ]
    assert policy["egress"] == []
    service = next(one for one in OBJECTS if one["kind"] == "Service")["spec"]
    assert [one["port"] for one in service["ports"]] == [port]
    labels = DEPLOYMENT["spec"]["template"]["metadata"]["labels"]
    assert service["selector"] == policy["podSelector"]["matchLabels"] == labels


def test_there_is_time_to_drain() -> None:
    """The gateway is stopped first, then the sidecar."""
    assert SERVER["restartPolicy"] == "Always"
    both_s = drain_s(SERVER["args"]) + drain_s(GATEWAY["args"])
    assert POD["terminationGracePeriodSeconds"] >= both_s + 20


def test_probes_ask_what_answers() -> None:
    server, gateway = options(SERVER["args"]), options(GATEWAY["args"])
    for probe in ("startupProbe", "readinessProbe"):
        assert f"127.0.0.1:{server['status_port']}/ready" in SERVER[probe]["exec"]["command"][2]
    start_s = SERVER["startupProbe"]["periodSeconds"] * SERVER["startupProbe"]["failureThreshold"]
    assert start_s >= server["start_s"]
    for probe in ("livenessProbe", "readinessProbe"):
        assert f"127.0.0.1:{gateway['metrics_port']}/" in GATEWAY[probe]["exec"]["command"][2]
    assert gateway["places"] <= server["places"]


def test_every_mount_has_a_volume() -> None:
    volumes = {volume["name"] for volume in POD["volumes"]}
    mounts = [mount for one in (SERVER, GATEWAY) for mount in one["volumeMounts"]]
    assert {mount["name"] for mount in mounts} == volumes


def test_a_gpu_is_limited() -> None:
    for kind in ("requests", "limits"):
        assert SERVER["resources"][kind]["nvidia.com/gpu"] == "1"
        assert "nvidia.com/gpu" not in GATEWAY["resources"][kind]
    assert options(SERVER["args"])["config"] == "h100"
