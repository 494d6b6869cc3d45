"""Servers that die, drain and are locked: each a real one of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
import tritonclient.grpc as grpc_client

from physgauge import wire
from physgauge.clients import Client, Tls
from physgauge.contract import TOKEN_HEADER, read_refusal
from physgauge.errors import RequestError
from tests.serving.server import (
    CAPTIONS,
    NAMES,
    Server,
    Window,
    gone,
    image,
    inputs,
    plain,
    score,
    settled,
)


@pytest.fixture(scope="module")
def mortal(wheel: None) -> Iterator[Server]:
    with Server("--drain", "40") as running:
        running.wait_for("ready")
        yield running


def retried(server: Server, names: list[str], disturb: Any) -> dict[str, wire.Row]:
    """A row for every name, whatever `disturb` does once the first has come."""
    rows: dict[str, wire.Row] = {}
    left, disturbed = list(names), False
    end = time.monotonic() + 200
    while left:
        assert time.monotonic() < end, f"{len(left)} images have no row"
        # A client of its own for each round: the server may be another process by then.
        client = server.client()
        requests = [inputs(image(n), CAPTIONS[n], image_id=n, source=n) for n in left]
        outcomes = Window(client, 8).start(requests[:8])
        if not disturbed:
            while not any(outcomes):
                time.sleep(0.01)
            disturb()
            disturbed = True
        for one in settled(outcomes):
            if isinstance(one, wire.Row):
                rows[one.image_id] = plain(one)
            else:
                status = str(one.status()).removeprefix("StatusCode.")  # type: ignore[attr-defined]
                refusal = read_refusal(status, str(one.message()))  # type: ignore[attr-defined]
                assert refusal.code in ("unavailable", "overloaded", "internal"), refusal
        client.close()
        left = [name for name in names if name not in rows]
        if left:
            time.sleep(0.3)
    return rows


def send_what_kills(server: Server) -> None:
    """Triton 2.51 divides by zero when the best classes of a BYTES output are asked for."""
    outputs = [grpc_client.InferRequestedOutput("RESULT", class_count=3)]
    with pytest.raises(grpc_client.InferenceServerException, match=r"UNAVAILABLE|CANCELLED"):
        server.client().infer("score", inputs(image(NAMES[0])), outputs=outputs, client_timeout=60)


@pytest.mark.parametrize("victim", ["rules", "decode", "tritonserver", "by a request"])
def test_what_is_killed_comes_back(
    mortal: Server, victim: str, local_rows: dict[str, wire.Row]
) -> None:
    """kill -9 in the middle of a run: noticed, restarted, and every row as if nothing had been."""
    lives = len(mortal.events("ready"))
    old = mortal.pid
    names = NAMES[::2]
    if victim == "by a request":
        rows = retried(mortal, names, lambda: send_what_kills(mortal))
    else:
        pid = old if victim == "tritonserver" else mortal.stubs()[victim]
        rows = retried(mortal, names, lambda: os.kill(pid, signal.SIGKILL))
    assert rows == {name: local_rows[name] for name in names}
    mortal.wait_for("ready", lives + 1)
    assert mortal.pid != old
    assert gone(old)
    assert not Path(f"/dev/shm/physgauge-{old}.places").exists()


def test_a_supervisor_that_dies_takes_its_server_along(mortal: Server) -> None:
    pid, stubs = mortal.pid, mortal.stubs()
    mortal.process.kill()
    mortal.process.wait()
    end = time.monotonic() + 60
    while not all(gone(each) for each in (pid, *stubs.values())):
        assert time.monotonic() < end, "nobody is there to restart or drain it, and it goes on"
        time.sleep(0.1)
    Path(f"/dev/shm/physgauge-{pid}.places").unlink()


def test_sigterm_drains(wheel: None) -> None:
    """What is in hand is answered, what is new is refused, the ports are free, nothing is left."""
    with Server("--drain", "60") as server:
        address, status = server.address, server.status
        pid, supervisor = server.pid, server.process.pid
        stubs = server.stubs()
        assert set(stubs) == {"decode", "detect", "judge", "rules", "aggregate"}
        client = server.client()
        # Enough that some are still on their way at the signal, and in hand when the late ones come.
        ids = [str(i) for i in range(40)]
        first = Window(client, 40).start(
            [inputs(image(NAMES[i % 24]), image_id=name) for i, name in enumerate(ids)]
        )
        while not any(first):
            time.sleep(0.01)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        server.wait_for("refusing")
        time.sleep(0.1)
        late = settled(Window(server.client(), 4).start([inputs(image(NAMES[0]))] * 4))
        rows = settled(first)
        assert [r.image_id for r in rows if isinstance(r, wire.Row)] == ids
        for one in late:
            assert isinstance(one, Exception)
        code = server.process.wait(90)
        assert code == 0, server.log[-3000:]
        assert time.monotonic() - began < 75
        assert server.events("drained")[-1]["cut_off"] == 0
    for each in (pid, *stubs.values()):
        assert gone(each)
    assert not list(Path("/dev/shm").glob(f"physgauge_{supervisor}_*"))
    for where in (address, status):
        host, _, port = where.rpartition(":")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, int(port)))


def certificate(folder: Path, name: str, ca: str | None = None) -> None:
    """A key and a certificate, signed by `ca` or by itself."""
    if ca is None:
        signed = ["-x509", "-days", "2"]
    else:
        signed = ["-x509", "-days", "2", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key"]
    subprocess.run(
        ["openssl", "req", *signed, "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{name}.key", "-out", f"{name}.pem"],
        cwd=folder, check=True, capture_output=True, timeout=60,
    )  # fmt: skip


def test_mutual_tls_and_token(wheel: None, tmp_path: Path) -> None:
    for name, ca in (("ca", None), ("server", None), ("probe", "ca"), ("other", None)):
        certificate(tmp_path, name, ca)
    token = "a-token-of-many-letters"
    (tmp_path / "token").write_text(token + "\n", encoding="ascii")

    def file(name: str) -> str:
        return str(tmp_path / name)

    def caller(name: str | None) -> Any:
        pair = (
            {} if name is None else
            {"private_key": Path(file(f"{name}.key")).read_bytes(),
             "certificate_chain": Path(file(f"{name}.pem")).read_bytes()}
        )  # fmt: skip
        root = Path(file("server.pem")).read_bytes()
        return grpc_client.InferenceServerClient(
            server.address.replace("127.0.0.1", "localhost"),
            creds=grpc.ssl_channel_credentials(root, **pair),
            channel_args=[("grpc.use_local_subchannel_pool", 1)],
        )

    with Server(
        "--tls-cert", file("server.pem"), "--tls-key", file("server.key"),
        "--tls-client-ca", file("ca.pem"),
        "--tls-own-cert", file("probe.pem"), "--tls-own-key", file("probe.key"),
        "--token-file", file("token"),
    ) as server:  # fmt: skip
        server.wait_for("ready")
        request = inputs(image("car_01.jpg"))
        header = {TOKEN_HEADER: token}
        answer = caller("probe").infer("score", request, headers=header, client_timeout=60)
        assert answer.as_numpy("RESULT") is not None
        for stranger in (None, "other"):
            with pytest.raises(Exception, match=r"UNAVAILABLE|connect|handshake|Deadline"):
                caller(stranger).infer("score", request, headers=header, client_timeout=5)
        for wrong in (None, {TOKEN_HEADER: "a-token-of-many-guesses"}):
            with pytest.raises(Exception, match="restricted"):
                caller("probe").infer("score", request, headers=wrong, client_timeout=10)
        assert caller("probe").is_server_ready()  # health stays open, for probes
        with pytest.raises(Exception, match=r"UNAVAILABLE|Deadline|connect|Socket|reset"):
            score(server.client(), image("car_01.jpg"))
        our_client(server.address, tmp_path, token)


def our_client(address: str, folder: Path, token: str) -> None:
    """The client goes through the same doors, and not without what opens them."""
    data, ca = image("car_01.jpg"), folder / "server.pem"
    tls = Tls(ca, folder / "probe.pem", folder / "probe.key", "localhost")
    with Client(address, token=token, tls=tls) as client:
        assert client.row(data).error_code is None
    for wrong in (None, "a-token-of-many-guesses"):
        with (
            Client(address, token=wrong, tls=tls) as client,
            pytest.raises(RequestError, match="expected the server's access token") as caught,
        ):
            client.row(data)
        assert caught.value.code == "request_invalid"
    for door in (None, Tls(ca, name="localhost"), replace(tls, name="another")):
        with (
            Client(address, token=token, tls=door, timeout_s=2) as client,
            pytest.raises(RequestError, match="expected a server within 2 s"),
        ):
            client.row(data)


def test_a_port_that_is_taken(wheel: None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with Server("--port", str(port)) as server:
            assert server.process.wait(60) == 3
            assert f"expected 127.0.0.1:{port} to be free" in server.log


def test_a_wrong_pack_is_said(wheel: None, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("name = 3\n", encoding="utf-8")
    with Server("--pack", str(tmp_path / "bad.toml")) as server:
        assert server.process.wait(60) == 2
        assert "physgauge: " in server.log
        assert "bad.toml" in server.log.splitlines()[-1]
