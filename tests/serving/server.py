"""A real server for the tests: `physgauge serve` in a process of its own, and plain tritonclient calls."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
import pytest
import tritonclient.grpc as grpc_client
from msgspec.structs import replace

from physgauge import wire

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/scenes"
START_S = 400.0


def captions() -> dict[str, str]:
    """Caption by file of the examples."""
    with (EXAMPLES / "captions.csv").open(encoding="utf-8", newline="") as file:
        return {line["file"]: line["caption"] for line in csv.DictReader(file)}


CAPTIONS = captions()
NAMES = sorted(CAPTIONS)


def image(name: str) -> bytes:
    return (EXAMPLES / name).read_bytes()


def plain(row: wire.Row) -> wire.Row:
    """Without what differs between equal runs."""
    return msgspec.structs.replace(row, cost=wire.Cost())


def same(row: wire.Row, local: wire.Row) -> None:
    """Equal but for the probabilities, which other images of a forward pass change in the last digits."""
    bare = wire.TerraVis(status="skipped")
    assert replace(row, terravis=bare) == replace(local, terravis=bare)
    ours, theirs = row.terravis, local.terravis
    assert (ours.status, ours.n_major, ours.n_minor) == (
        theirs.status,
        theirs.n_major,
        theirs.n_minor,
    )
    assert ours.score_soft == pytest.approx(theirs.score_soft, abs=1e-4)
    assert list(ours.answers) == list(theirs.answers)
    for probe, answer in ours.answers.items():
        other = theirs.answers[probe]
        for name in ("p_yes", "p_major"):
            assert getattr(answer, name) == pytest.approx(getattr(other, name), abs=1e-4)
        assert replace(answer, p_yes=None, p_major=None) == replace(other, p_yes=None, p_major=None)


class Server:
    """A running `physgauge serve`; use as a context manager.

    Args:
        flags: more of its options.
    """

    def __init__(self, *flags: str) -> None:
        self._log = tempfile.NamedTemporaryFile("w+b", suffix=".log")  # noqa: SIM115
        command = [
            sys.executable, "-c", "from physgauge.cli.main import main; main()", "serve", "--port", "0", "--metrics-port", "0",
            "--status-port", "0", *flags,
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=self._log, stderr=self._log, cwd=ROOT)

    @property
    def log(self) -> str:
        return Path(self._log.name).read_text("utf-8", "replace")

    def events(self, name: str, since: str | None = None) -> list[dict[str, Any]]:
        """Those of a name in its log; `since`: after the last event of that name."""
        told = [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]
        if since is not None:
            last = max((k for k, e in enumerate(told) if e["event"] == since), default=-1)
            told = told[last + 1 :]
        return [e for e in told if e["event"] == name]

    def wait_for(self, event: str, count: int = 1, within_s: float = START_S) -> dict[str, Any]:
        """The count-th event of this name."""
        end = time.monotonic() + within_s
        while len(found := self.events(event)) < count:
            ended = self.process.poll()
            assert ended is None, f"server ended with {ended}:\n{self.log[-4000:]}"
            assert time.monotonic() < end, (
                f"no {event} {count} in {within_s} s:\n{self.log[-4000:]}"
            )
            time.sleep(0.1)
        return found[count - 1]

    @property
    def address(self) -> str:
        return str(self.wait_for("ready")["grpc"])

    @property
    def status(self) -> str:
        return str(self.wait_for("starting")["status"])

    @property
    def pid(self) -> int:
        """Of tritonserver."""
        return int(self.events("ready")[-1]["pid"])

    def stubs(self) -> dict[str, int]:
        """Process id by model."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parts = (entry / "cmdline").read_bytes().split(b"\0")
                    parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                except OSError:
                    continue
                if parent == str(self.pid) and b"stub" in parts[0]:
                    found[Path(parts[1].decode()).parts[-3]] = int(entry.name)
        return found

    def client(self, **options: Any) -> Any:
        return grpc_client.InferenceServerClient(self.address, **options)

    def stop(self, within_s: float = 60.0) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._log.close()


def ready(server: Server) -> bool:
    """Whether it says so."""
    try:
        with urllib.request.urlopen(f"http://{server.status}/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError:
        return False


def tensor(name: str, value: bytes) -> Any:
    array = np.empty((1, 1), np.object_)
    array[0, 0] = value
    made = grpc_client.InferInput(name, [1, 1], "BYTES")
    made.set_data_from_numpy(array)
    return made


def inputs(data: bytes, caption: str | bytes = b"", **options: Any) -> list[Any]:
    text = caption.encode() if isinstance(caption, str) else caption
    return [
        tensor("IMAGE", data),
        tensor("CAPTION", text),
        tensor("OPTIONS", json.dumps(options).encode() if options else b""),
    ]


def score(client: Any, data: bytes, caption: str | bytes = b"", **options: Any) -> wire.Row:
    """One row, by a plain unary call."""
    answer = client.infer("score", inputs(data, caption, **options), client_timeout=120)
    return wire.from_json(answer.as_numpy("RESULT")[0, 0])


Outcome = wire.Row | Exception


class Window:
    """Unary calls, a bounded number at a time; one outcome each, in input order."""

    def __init__(self, client: Any, size: int) -> None:
        self._client, self._free = client, threading.Semaphore(size)

    def start(self, requests: Sequence[list[Any]]) -> list[Outcome | None]:
        """Send all as the window allows; the list fills as answers come."""
        outcomes: list[Outcome | None] = [None] * len(requests)

        def done(result: Any, error: Exception | None, at: int) -> None:
            outcomes[at] = error or wire.from_json(result.as_numpy("RESULT")[0, 0])
            self._free.release()

        for at, request in enumerate(requests):
            self._free.acquire()
            self._client.async_infer(
                "score", request, lambda result, error, at=at: done(result, error, at)
            )
        return outcomes

    def all(self, requests: Sequence[list[Any]], within_s: float = 300.0) -> list[Outcome]:
        return settled(self.start(requests), within_s)


def settled(outcomes: list[Outcome | None], within_s: float = 120.0) -> list[Outcome]:
    """Once every call has its outcome."""
    end = time.monotonic() + within_s
    while any(one is None for one in outcomes):
        assert time.monotonic() < end, f"{sum(o is None for o in outcomes)} calls have no outcome"
        time.sleep(0.01)
    return [one for one in outcomes if one is not None]


def gone(pid: int) -> bool:
    return not os.path.exists(f"/proc/{pid}")
