"""The gateway's process before the real server's."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
from google.protobuf import descriptor_pool, message_factory
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from physgauge import wire
from physgauge.gateway.client import Answer, GatewayClient, Item, Options
from physgauge.v1 import gateway_pb2 as v1
from tests.gateway.process import ROOT, Process
from tests.serving.server import CAPTIONS, NAMES, Server, image, plain
from tests.serving.test_server import in_hand

TOKEN = "0123456789abcdef-node"


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gateway") / "tokens"
    path.write_text(f"node {TOKEN}\n", encoding="ascii")
    return path


@pytest.fixture(scope="module")
def gateway(server: Server, tokens: Path) -> Iterator[Process]:
    with Process(
        "--server", server.address, "--status", server.status, "--token-file", str(tokens),
        "--places", "32",
    ) as running:  # fmt: skip
        running.wait_for("behind", ready=True)
        yield running


def example(name: str) -> Item:
    options = Options(source=name)
    return Item(
        id=name, image=image(name), caption=CAPTIONS[name], deadline_ms=100_000, options=options
    )


def answers(gateway: Process, items: list[Item]) -> dict[str, Answer]:
    async def test() -> dict[str, Answer]:
        async with GatewayClient(gateway.address, token=TOKEN) as client:
            found = [answer async for answer in client.stream(items)]
        assert len(found) == len(items)
        return {answer.id: answer for answer in found}

    return asyncio.run(test())


def row(answer: Answer) -> wire.Row:
    assert answer.HasField("row"), answer
    return wire.from_json(answer.row.json)


def until(what: Callable[[], bool], name: str, within_s: float = 90.0) -> None:
    end = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < end, f"not in {within_s} s: {name}"
        time.sleep(0.1)


def test_rows_equal_the_local_runs(gateway: Process, local_rows: dict[str, wire.Row]) -> None:
    found = answers(gateway, [example(name) for name in NAMES])
    assert {name: plain(row(found[name])) for name in NAMES} == local_rows
    for name in NAMES:
        local, typed = local_rows[name].pcmde, found[name].row
        assert typed.HasField("s_final") == (local.s_final is not None)
        assert local.s_final is None or typed.s_final == local.s_final
        verdict = f"VERDICT_{local.verdict or 'UNSPECIFIED'}"
        assert v1.Verdict.Name(typed.verdict) == verdict


def test_what_is_no_whole_image_has_an_error_row(gateway: Process) -> None:
    pixels = io.BytesIO()
    np.save(pixels, np.full((64, 48, 3), 200, np.uint8))
    found = answers(
        gateway,
        [
            Item(id="npy", image=pixels.getvalue(), deadline_ms=60_000),
            Item(id="cut", image=image("car_01.jpg")[:900], deadline_ms=60_000),
            Item(id="boat", image=image("car_01.jpg"), deadline_ms=60_000, options=Options(domain="boat")),
        ],
    )  # fmt: skip
    assert (row(found["npy"]).width, row(found["npy"]).height) == (48, 64)
    assert row(found["cut"]).error_code == found["cut"].row.error_code == "image_truncated"
    assert found["boat"].refusal.code == "request_invalid"
    assert "OPTIONS.domain: expected one of auto" in found["boat"].refusal.message


def test_the_request_id_is_in_the_logs_of_both_and_captions_in_none(
    gateway: Process, server: Server
) -> None:
    item = example("car_02.jpg")
    item.caption = "a secret red sedan"
    answer = answers(gateway, [item])["car_02.jpg"]
    (ours,) = [e for e in gateway.events("answer") if e["request_id"] == answer.request_id]
    assert (ours["client"], ours["outcome"]) == ("node", "row")
    until(
        lambda: any(e["request_id"] == answer.request_id for e in server.events("row")),
        "the server's line",
    )
    assert "secret" not in gateway.log + server.log
    assert TOKEN not in gateway.log


def test_metrics(gateway: Process) -> None:
    answers(gateway, [example("car_03.jpg"), Item(id="none", deadline_ms=1_000)])
    found = gateway.metrics()
    assert found['physgauge_gateway_images_total{client="node",outcome="row"}'] >= 1
    assert found['physgauge_gateway_images_total{client="node",outcome="image_empty"}'] == 1
    assert found['physgauge_gateway_received_bytes_total{client="node"}'] > 9_000
    assert found["physgauge_gateway_seconds_count"] >= 1
    assert found["physgauge_gateway_ready"] == 1
    assert found["physgauge_gateway_at_server"] == 0


def test_the_examples_of_the_page(gateway: Process, capfd: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/gateway.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        code = block.replace("127.0.0.1:8010", gateway.address).replace("TOKEN", TOKEN)
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=100)
    said = capfd.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in said[:8]) == NAMES[:8]
    assert len(said) == 9


def test_a_generic_client_needs_no_proto_file(gateway: Process) -> None:
    """As grpcurl does it: services, methods and messages by reflection."""
    header = (("authorization", f"Bearer {TOKEN}"),)
    with grpc.insecure_channel(gateway.address) as plain_channel:
        channel = grpc.intercept_channel(plain_channel, _Header(header))
        database = ProtoReflectionDescriptorDatabase(channel)
        assert "physgauge.v1.Gateway" in database.get_services()
        pool = descriptor_pool.DescriptorPool(database)
        method = pool.FindServiceByName("physgauge.v1.Gateway").FindMethodByName("Score")
        request = message_factory.GetMessageClass(method.input_type)()
        request.item.image = image("car_01.jpg")
        request.item.options.image_id = "generic"
        call = channel.unary_unary(
            f"/{method.containing_service.full_name}/{method.name}",
            type(request).SerializeToString,
            message_factory.GetMessageClass(method.output_type).FromString,
        )
        reply = call(request, timeout=60)
        assert wire.from_json(reply.answer.row.json).image_id == "generic"


class _Header(
    grpc.UnaryUnaryClientInterceptor,  # type: ignore[misc]
    grpc.StreamStreamClientInterceptor,  # type: ignore[misc]
):
    def __init__(self, header: tuple[tuple[str, str], ...]) -> None:
        self._header = header

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        return continuation(details._replace(metadata=self._header), request)

    def intercept_stream_stream(self, continuation: Any, details: Any, requests: Any) -> Any:
        return continuation(details._replace(metadata=self._header), requests)


def test_sighup_reads_the_tokens_again(gateway: Process, tokens: Path) -> None:
    before = len(gateway.events("reload"))
    tokens.write_text(f"node {TOKEN}\nanother {TOKEN}-2\n", encoding="ascii")
    gateway.process.send_signal(signal.SIGHUP)
    until(lambda: len(gateway.events("reload")) > before, "the reload", 10)
    assert gateway.events("reload")[-1]["clients"] == ["another", "node"]


def test_a_client_killed_in_mid_stream_leaves_nothing_behind(
    gateway: Process, server: Server
) -> None:
    code = (
        "import asyncio, os, sys\n"
        "from tests.gateway.test_end_to_end import *\n"
        "async def run():\n"
        "    async with GatewayClient(sys.argv[1], token=TOKEN) as client:\n"
        "        items = (Item(id=str(i), image=image(NAMES[i % 24]), deadline_ms=100_000) for i in range(200))\n"
        "        async for answer in client.stream(items):\n"
        "            os.kill(os.getpid(), 9)\n"
        "asyncio.run(run())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, gateway.address], timeout=120, check=False)
    assert done.returncode == -9

    def empty() -> bool:
        found = gateway.metrics()
        names = ("at_server", "waiting", "bytes_in_hand", 'streams{client="node"}')
        return not any(found[f"physgauge_gateway_{name}"] for name in names)

    until(empty, "the gateway has nothing in hand", 20)
    until(lambda: in_hand(server) <= 1, "the server has nothing in hand")
    assert answers(gateway, [example("car_01.jpg")])["car_01.jpg"].HasField("row")


def test_sigterm_delivers_what_is_in_hand(server: Server, tokens: Path) -> None:
    async def test(gateway: Process) -> None:
        async with GatewayClient(gateway.address, token=TOKEN) as client:
            items = [Item(id=str(i), image=image(NAMES[i]), deadline_ms=100_000) for i in range(16)]
            stream = client.stream(items)
            found = [await anext(stream)]
            gateway.process.send_signal(signal.SIGTERM)
            found += [answer async for answer in stream]
        assert {answer.id for answer in found} == {str(i) for i in range(16)}
        assert all(answer.HasField("row") for answer in found)

    with Process(
        "--server", server.address, "--token-file", str(tokens), "--drain", "60"
    ) as gateway:
        address = gateway.address
        asyncio.run(test(gateway))
        assert gateway.process.wait(30) == 0, gateway.log[-3000:]
        assert gateway.events("drained")[-1]["cut_off"] == 0
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, int(port)))


@pytest.mark.kills_server
def test_health_follows_the_server(gateway: Process, server: Server) -> None:
    """kill -9 of tritonserver: not serving, images are refused at once with a hint; then all is well again."""
    with grpc.insecure_channel(gateway.address) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check

        def serving() -> bool:
            request = health_pb2.HealthCheckRequest(service="physgauge.v1.Gateway")
            status = check(request, timeout=5).status
            return bool(status == health_pb2.HealthCheckResponse.SERVING)

        assert serving()
        lives = len(server.events("ready"))
        os.kill(server.pid, signal.SIGKILL)
        until(lambda: not serving(), "the gateway notices", 20)
        began = time.monotonic()
        refusal = answers(gateway, [example("car_01.jpg")])["car_01.jpg"].refusal
        assert time.monotonic() - began < 30  # it did not wait for its deadline
        assert (refusal.code, refusal.retry_after_ms) == ("unavailable", 2_000)
        server.wait_for("ready", lives + 1)
        until(serving, "the gateway notices again", 20)
    assert answers(gateway, [example("car_01.jpg")])["car_01.jpg"].HasField("row")
