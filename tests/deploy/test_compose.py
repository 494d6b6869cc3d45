"""compose.yaml: valid by the Compose specification's schema, closed, bounded, and in step with our defaults.

The schema is the one that check-jsonschema brings (Apache-2.0). Nothing here starts a container.
"""

from __future__ import annotations

import importlib.resources
import json
from typing import Any

import jsonschema
import pytest
import yaml

from tests.deploy.files import DEPLOY, drain_s, filled, options, read_yaml, seconds

COMPOSE = yaml.safe_load(filled((DEPLOY / "compose.yaml").read_text("utf-8")))
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("server", "gateway")


@pytest.mark.parametrize("name", ["compose.yaml", "compose.gpu.yaml"])
def test_it_is_valid(name: str) -> None:
    folder = importlib.resources.files("check_jsonschema") / "builtin_schemas/vendor"
    schema = json.loads((folder / "compose-spec.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(read_yaml(name))


def test_only_the_gateway_can_be_reached_from_outside() -> None:
    gateway = options(SERVICES["gateway"]["command"])
    for name, service in SERVICES.items():
        for port in service.get("ports", []):
            if port.get("host_ip") != "127.0.0.1":
                assert (name, port["target"]) == ("pod", gateway["port"])
    assert "ports" not in SERVICES["server"]
    assert options(SERVICES["server"]["command"])["host"] == "127.0.0.1"
    assert gateway["host"] == "0.0.0.0"
    assert gateway["tls_cert"]
    assert not gateway["insecure"]


@pytest.mark.parametrize("name", SERVICES)
def test_it_is_locked_up(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    assert "cap_add" not in service
    assert service.get("network_mode") in (None, "service:pod")
    assert "docker.sock" not in json.dumps(service)


@pytest.mark.parametrize("name", SERVICES)
def test_it_is_bounded_watched_and_restarted(name: str) -> None:
    service = SERVICES[name]
    limits = service["deploy"]["resources"]["limits"]
    assert set(limits) == {"cpus", "memory", "pids"}
    assert service["restart"] == "unless-stopped"
    assert service["logging"]["options"]["max-size"]
    if name != "pod":
        assert service["healthcheck"]["test"][0] == "CMD"
    image = service["image"]
    assert ":" in image
    assert not image.endswith(":latest")


@pytest.mark.parametrize("name", OURS)
def test_there_is_time_to_drain(name: str) -> None:
    assert seconds(SERVICES[name]["stop_grace_period"]) >= drain_s(SERVICES[name]["command"]) + 10


def test_the_gateway_stops_before_the_server() -> None:
    """Compose stops in the reverse order of starting."""
    assert SERVICES["gateway"]["depends_on"]["server"] == {"condition": "service_healthy"}


@pytest.mark.parametrize("name", ["compose.yaml", "compose.gpu.yaml"])
def test_gateway_and_server_go_together(name: str) -> None:
    services = yaml.safe_load(filled((DEPLOY / name).read_text("utf-8")))["services"]
    server, gateway = (options(services[one]["command"]) for one in OURS)
    assert gateway["places"] <= server["places"]  # else the server would have to refuse
    assert f"127.0.0.1:{server['port']}" in gateway["server"]
    assert f"127.0.0.1:{server['status_port']}" in gateway["status"]


def test_health_is_asked_where_it_is_answered() -> None:
    server, gateway = (options(SERVICES[one]["command"]) for one in OURS)
    assert (
        f"127.0.0.1:{server['status_port']}/ready" in SERVICES["server"]["healthcheck"]["test"][3]
    )
    assert f"127.0.0.1:{gateway['metrics_port']}" in SERVICES["gateway"]["healthcheck"]["test"][3]


def test_what_is_mounted_is_there() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            source, _, mode = volume.partition(":")
            if source.startswith("."):
                assert (DEPLOY / source).exists(), source
                assert mode.endswith(":ro")
            else:
                assert source in COMPOSE["volumes"]
        for secret in service.get("secrets", []):
            assert secret in COMPOSE["secrets"]


def test_secrets_stay_out_of_the_repository() -> None:
    ignored = (DEPLOY / ".gitignore").read_text("utf-8").split()
    for secret in COMPOSE["secrets"].values():
        assert secret["file"].startswith("./secrets/")
    assert "/secrets/" in ignored


def test_a_gpu_is_asked_for_by_number() -> None:
    server = read_yaml("compose.gpu.yaml")["services"]["server"]
    (device,) = server["deploy"]["resources"]["reservations"]["devices"]
    assert device["driver"] == "nvidia"
    assert "gpu" in device["capabilities"]
    assert device["device_ids"]
    assert "count" not in device
    assert options(server["command"])["config"] == "h100"
