"""The real server, by plain tritonclient calls."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from typing import Any

import grpc
import numpy as np
import pytest
from tritonclient.grpc import service_pb2, service_pb2_grpc

from physgauge import wire
from physgauge.contract import SCORE_FIELDS, read_refusal
from tests.serving.server import (
    CAPTIONS,
    NAMES,
    Server,
    Window,
    image,
    inputs,
    plain,
    ready,
    score,
)


def refused(error: object) -> str:
    """The code of a refusal."""
    assert isinstance(error, Exception), error
    status = str(error.status()).removeprefix("StatusCode.")  # type: ignore[attr-defined]
    return read_refusal(status, str(error.message())).code  # type: ignore[attr-defined]


def metrics(server: Server) -> dict[str, float]:
    with urllib.request.urlopen(f"http://{server.status}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def in_hand(server: Server) -> float:
    return metrics(server)["physgauge_in_hand"]


def test_rows_equal_the_local_runs(client: Any, local_rows: dict[str, wire.Row]) -> None:
    requests = [inputs(image(name), CAPTIONS[name], image_id=name, source=name) for name in NAMES]
    for name, row in zip(NAMES, Window(client, 12).all(requests), strict=True):
        assert isinstance(row, wire.Row), row
        assert plain(row) == local_rows[name]
        assert set(row.cost.ms) >= {"decode", "detect", "fuse", "read", "rules", "reason"}


def test_alone_as_in_a_batch_of_64(client: Any) -> None:
    name = "animal_03.jpg"
    alone = plain(score(client, image(name), CAPTIONS[name], image_id=name))
    order = [NAMES[i % len(NAMES)] for i in range(63)]
    order.insert(31, name)
    requests = [inputs(image(n), CAPTIONS[n], image_id=n) for n in order]
    rows = Window(client, 60).all(requests)
    together = rows[31]
    assert isinstance(together, wire.Row)
    assert plain(together) == alone


def test_scores_are_the_rows(client: Any) -> None:
    answer = client.infer("score", inputs(image("car_01.jpg"), CAPTIONS["car_01.jpg"]))
    row = wire.from_json(answer.as_numpy("RESULT")[0, 0])
    scores = answer.as_numpy("SCORES")
    assert scores.shape == (1, len(SCORE_FIELDS))
    assert scores[0, SCORE_FIELDS.index("pcmde.s_rules")] == np.float32(row.pcmde.s_rules)
    assert np.isnan(scores[0, SCORE_FIELDS.index("terravis.score")])


def test_one_bad_image_among_32(client: Any) -> None:
    requests = [inputs(image(NAMES[i % 24]), image_id=str(i)) for i in range(32)]
    requests[17] = inputs(image(NAMES[0])[:900], image_id="17")
    rows = Window(client, 32).all(requests)
    codes = [row.error_code for row in rows if isinstance(row, wire.Row)]
    assert len(codes) == 32
    assert [i for i, code in enumerate(codes) if code] == [17]
    assert codes[17] == "image_truncated"


def npy(tail: int) -> bytes:
    """An image whose last `tail` bytes are zero."""
    rgb = np.full((64, 64, 3), 90, np.uint8)
    rgb.reshape(-1)[-tail:] = 0
    out = io.BytesIO()
    np.save(out, rgb)
    return out.getvalue()


def test_trailing_zero_bytes_survive(client: Any) -> None:
    row, other = (score(client, npy(tail), image_id="z") for tail in (9, 6))
    assert row.error_code is None
    assert row.pixel_sha256 != other.pixel_sha256


def test_empty_image(client: Any) -> None:
    row = score(client, b"", image_id="none")
    assert (row.error_code, row.pcmde.status, row.image_id) == ("image_empty", "error", "none")


def test_image_of_200_mb(client: Any, server: Server) -> None:
    data = b"\x93NUMPY" + bytes(210_000_000)
    row = score(client, data, image_id="huge")
    assert row.error_code == "image_too_large"
    assert score(client, image("car_01.jpg")).error_code is None
    assert ready(server)


def test_options_that_are_wrong(client: Any) -> None:
    for options in ({"colour": "red"}, {"domain": "boat"}, {"timeout_ms": 0}):
        with pytest.raises(Exception, match=r"physgauge \[request_invalid\]") as caught:
            client.infer("score", inputs(image("car_01.jpg"), **options))
        assert refused(caught.value) == "request_invalid"


def test_deadline(client: Any, server: Server) -> None:
    for extra in ({"timeout": 1}, {}):
        request = inputs(image("car_01.jpg"), timeout_ms=1)
        with pytest.raises(Exception, match=r"deadline|timeout") as caught:
            client.infer("score", request, **extra)
        assert refused(caught.value) in ("deadline_exceeded", "overloaded")
    assert ready(server)


def element(value: bytes) -> bytes:
    return struct.pack("<I", len(value)) + value


GOOD = [("IMAGE", "BYTES", [1, 1]), ("CAPTION", "BYTES", [1, 1]), ("OPTIONS", "BYTES", [1, 1])]
EMPTY = element(b"")


@pytest.mark.parametrize(
    ("tensors", "contents"),
    [
        (GOOD[:2], [EMPTY, EMPTY]),
        ([*GOOD, ("X", "BYTES", [1, 1])], [EMPTY] * 4),
        ([("IMAGE", "UINT8", [1, 4]), *GOOD[1:]], [b"abcd", EMPTY, EMPTY]),
        ([("IMAGE", "FP32", [1, 1]), *GOOD[1:]], [b"abcd", EMPTY, EMPTY]),
        ([(n, d, [2, 1]) for n, d, _ in GOOD], [EMPTY * 2] * 3),
        ([("IMAGE", "BYTES", [1]), *GOOD[1:]], [EMPTY] * 3),
        ([("IMAGE", "BYTES", [1, 2]), *GOOD[1:]], [EMPTY * 2, EMPTY, EMPTY]),
        ([("IMAGE", "BYTES", [1, -1]), *GOOD[1:]], [EMPTY] * 3),
        ([("IMAGE", "BYTES", [1, 2**40]), *GOOD[1:]], [EMPTY] * 3),
        ([("IMAGE", "BYTES", [0, 1]), *GOOD[1:]], [b"", EMPTY, EMPTY]),
        (GOOD, [struct.pack("<I", 2**31) + b"abc", EMPTY, EMPTY]),
        (GOOD, [struct.pack("<I", 1) + b"abc", EMPTY, EMPTY]),
        (GOOD, [b"ab", EMPTY, EMPTY]),
        (GOOD, [b"", EMPTY, EMPTY]),
        (GOOD, [EMPTY, EMPTY]),
    ],
)
def test_a_client_that_follows_no_rule(
    server: Server, tensors: list[tuple[str, str, list[int]]], contents: list[bytes]
) -> None:
    request = service_pb2.ModelInferRequest(model_name="score", raw_input_contents=contents)
    for name, datatype, shape in tensors:
        made = request.inputs.add()
        made.name, made.datatype = name, datatype
        made.shape.extend(shape)
    with grpc.insecure_channel(server.address) as channel:
        stub: Any = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        with pytest.raises(grpc.RpcError) as caught:
            stub.ModelInfer(request, timeout=30)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT, caught.value.details()
    assert ready(server)


def test_operators_protocols_are_closed(client: Any) -> None:
    calls: list[tuple[Any, Any]] = [
        (client.unload_model, ("score",)),
        (client.register_system_shared_memory, ("x", "/x", 8)),
        (client.update_log_settings, ({"log_verbose_level": 9},)),
        (client.update_trace_settings, (None, {"trace_level": ["TENSORS"]})),
    ]
    for call, arguments in calls:
        with pytest.raises(Exception, match="restricted"):
            call(*arguments)


def test_more_than_it_takes_is_refused_at_once(client: Any, server: Server) -> None:
    began, refusals = time.monotonic(), []
    request = inputs(image("car_02.jpg"), CAPTIONS["car_02.jpg"])
    outcomes: list[Any] = []

    def done(result: Any, error: Any) -> None:
        outcomes.append(error)
        if error is not None:
            refusals.append(time.monotonic() - began)

    for _ in range(300):
        client.async_infer("score", request, done)
    end = time.monotonic() + 240
    while len(outcomes) < 300:
        assert time.monotonic() < end
        time.sleep(0.05)
    codes = Counter("row" if e is None else refused(e) for e in outcomes)
    assert set(codes) == {"row", "overloaded"}
    assert codes["row"] >= 64
    assert in_hand(server) <= 1
    # Refused while the rows were being made, not after them.
    assert sorted(refusals)[len(refusals) // 2] < time.monotonic() - began
    assert ready(server)
    # Counters are handed over at the latest by the canary, each 5 s.
    name, end = 'physgauge_refused_total{code="overloaded",step="decode"}', time.monotonic() + 30
    while metrics(server).get(name, 0) < codes["overloaded"]:
        assert time.monotonic() < end, f"{name} never came: {server.log[-2000:]}"
        time.sleep(0.2)


def test_a_client_that_dies_leaves_nothing_behind(server: Server, client: Any) -> None:
    code = (
        "import os, sys, time\n"
        "from tests.serving.server import *\n"
        "client = grpc_client.InferenceServerClient(sys.argv[1])\n"
        "outcomes = Window(client, 60).start([inputs(image(NAMES[i % 24])) for i in range(50)])\n"
        "while not any(outcomes): time.sleep(0.01)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, server.address], timeout=120, check=False)
    assert done.returncode == -9
    end = time.monotonic() + 90
    while in_hand(server) > 1:
        assert time.monotonic() < end, "places of a client that is gone were never given back"
        time.sleep(0.2)
    assert score(client, image("car_01.jpg")).error_code is None


def test_metrics_and_logs(client: Any, server: Server) -> None:
    answer = client.infer(
        "score",
        inputs(image("car_01.jpg"), "a secret red sedan", image_id="i-7"),
        request_id="request-7",
    )
    assert answer.get_response().id == "request-7"
    time.sleep(6)  # the canary hands the counters over
    found = metrics(server)
    assert any(name.startswith("physgauge_rows_total{") for name in found)
    assert found['physgauge_stage_seconds_total{stage="rules"}'] > 0
    assert found["physgauge_ready"] == 1
    assert any(name.startswith("nv_inference_request_success{") for name in found)
    (line,) = [e for e in server.events("row") if e["request_id"] == "request-7"]
    assert line["image_id"] == "i-7"
    assert line["ms"]["total"] > 0
    assert "secret" not in server.log
    assert not [e for e in server.events("row") if "canary" in e["request_id"]]


def test_listens_on_loopback_only(server: Server) -> None:
    pid = server.pid
    inodes = {
        link[8:-1]
        for fd in os.listdir(f"/proc/{pid}/fd")
        if (link := os.readlink(f"/proc/{pid}/fd/{fd}")).startswith("socket:[")
    }
    rows = []
    for table in ("tcp", "tcp6"):
        with open(f"/proc/{pid}/net/{table}", encoding="ascii") as file:
            rows += [line.split() for line in file][1:]
    listening = [row[1] for row in rows if row[3] == "0A" and row[9] in inodes]
    assert len(listening) == 2  # gRPC and metrics
    loopback = ("0100007F", "0000000000000000FFFF00000100007F")  # 127.0.0.1, and as IPv6 has it
    assert all(address.partition(":")[0] in loopback for address in listening), listening
