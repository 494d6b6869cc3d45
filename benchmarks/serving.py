"""Images per second through the real server, by gRPC, against the same pipeline in this process.

    python -m benchmarks.serving [--windows 8,16,32] [--rounds 4] [--seconds 6]

Starts `physgauge serve` (so needs the nvidia-pytriton wheel: docs/serving.md). Same images, captions and
profile on both sides, each with all cores, in turns; the client's work is on the server's side of the
scales. Both sides read images from memory. The best window of a first look is the one that is measured.

Last line: ``RESULT {"ratio": …, "images_per_s": …, "p50_ms": …, "p99_ms": …, …}``: the server's rate over
the pipeline's (median over the rounds), the server's rate, and the time of its calls at that window.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from physgauge import wire
from physgauge.clients.captions import read_captions
from physgauge.config import load_profile
from physgauge.contract import CAPTION, IMAGE, MODEL, OPTIONS, RESULT
from physgauge.ensemble.pipeline import Pipeline
from physgauge.types import Item

EXAMPLES: Final = Path(__file__).parents[1] / "examples/scenes"
START_S: Final = 600.0


class Pace(NamedTuple):
    """How fast one side went."""

    rate: float
    """Images per second on the clock."""
    cpu_ms: float
    """Processor time per image, all processes of the side together: steadier on a busy machine."""
    latencies_ms: list[float]
    """Of the calls; empty in process."""


class Server:
    """`physgauge serve` on free ports."""

    def __init__(self) -> None:
        read, write = os.pipe()
        ports = ["--port", "0", "--metrics-port", "0", "--status-port", "0", "--quiet"]
        run = "from physgauge.cli.main import main; main()"
        self._process = subprocess.Popen([sys.executable, "-c", run, "serve", *ports], stderr=write)
        os.close(write)
        self._log = os.fdopen(read, "rb", buffering=0)

    def address(self) -> str:
        """Where it listens, once it is ready."""
        end, tail = time.monotonic() + START_S, b""
        while time.monotonic() < end and (chunk := self._log.read(65536)):
            *lines, tail = (tail + chunk).split(b"\n")
            for line in lines:
                if line.startswith(b'{"time"') and json.loads(line)["event"] == "ready":
                    return str(json.loads(line)["grpc"])
        raise SystemExit("the server did not become ready: run `physgauge doctor`")

    def cpu_s(self) -> float:
        """Processor seconds of all its processes that run now."""
        return sum(_cpu_s(pid) for pid in _tree(self._process.pid))

    def close(self) -> None:
        """Drain and stop."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(90)


class Caller:
    """Unary calls in a window, by tritonclient alone."""

    def __init__(self, address: str) -> None:
        import tritonclient.grpc as grpc_client

        self._api: Any = grpc_client
        self._client: Any = grpc_client.InferenceServerClient(address)

    def tensors(self, item: Item) -> list[Any]:
        """A request."""
        options = json.dumps({"image_id": item.image_id, "source": item.source}).encode()
        values = {
            IMAGE.name: item.data, CAPTION.name: (item.caption or "").encode(), OPTIONS.name: options
        }  # fmt: skip
        made = []
        for name, value in values.items():
            array = np.empty((1, 1), np.object_)
            array[0, 0] = value
            tensor = self._api.InferInput(name, [1, 1], "BYTES")
            tensor.set_data_from_numpy(array)
            made.append(tensor)
        return made

    def rows(self, items: Iterator[Item], window: int, seconds: float) -> Iterator[float]:
        """Latencies (s) of the calls, as rows come, for so many seconds; then of those still out."""
        done: queue.SimpleQueue[tuple[float, Any, Any]] = queue.SimpleQueue()

        def send() -> None:
            began = time.perf_counter()
            self._client.async_infer(
                MODEL,
                self.tensors(next(items)),
                lambda result, error: done.put((time.perf_counter() - began, result, error)),
            )

        end, out = time.perf_counter() + seconds, window
        for _ in range(window):
            send()
        while out:
            latency_s, result, error = done.get(timeout=120)
            if error is not None:
                raise SystemExit(f"a call failed: {error}")
            wire.from_json(result.as_numpy(RESULT.name)[0, 0])
            out -= 1
            if time.perf_counter() < end:
                send()
                out += 1
            yield latency_s

    def close(self) -> None:
        """Hang up."""
        self._client.close()


def through_server(
    server: Server, caller: Caller, items: Iterator[Item], window: int, seconds: float
) -> Pace:
    """The server's pace."""
    used, own, began = server.cpu_s(), _own_cpu_s(), time.perf_counter()
    latencies = list(caller.rows(items, window, seconds))
    took = time.perf_counter() - began
    cpu_s = server.cpu_s() - used + _own_cpu_s() - own
    return Pace(len(latencies) / took, 1000 * cpu_s / len(latencies), [1000 * s for s in latencies])


def in_process(pipeline: Pipeline, items: Iterator[Item], seconds: float) -> Pace:
    """The pipeline's pace, rows as JSON included."""
    used, began = _tree_cpu_s(), time.perf_counter()
    end, count = began + seconds, 0
    for scored in pipeline.score(itertools.takewhile(lambda _: time.perf_counter() < end, items)):
        wire.from_json(wire.to_json(scored.row))
        count += 1
    took = time.perf_counter() - began
    return Pace(count / took, 1000 * (_tree_cpu_s() - used) / count, [])


def _own_cpu_s() -> float:
    return time.process_time()


def _tree_cpu_s() -> float:
    """This process and its decode workers; the server, also a child, is idle meanwhile."""
    return sum(_cpu_s(pid) for pid in _tree(os.getpid()))


def _tree(root: int) -> list[int]:
    parents = {
        int(p.name): _stat(int(p.name), 1) for p in Path("/proc").iterdir() if p.name.isdigit()
    }
    found, new = [root], [root]
    while new:
        new = [pid for pid, parent in parents.items() if parent in {str(n) for n in new}]
        found += new
    return found


def _cpu_s(pid: int) -> float:
    return sum(float(_stat(pid, k) or 0) for k in (11, 12)) / os.sysconf("SC_CLK_TCK")


def _stat(pid: int, field: int) -> str:
    """A field of /proc/PID/stat, counted from the state; "" for a process that is gone."""
    try:
        return (
            Path(f"/proc/{pid}/stat")
            .read_text("utf-8", "replace")
            .rpartition(")")[2]
            .split()[field]
        )
    except OSError:
        return ""


def examples() -> list[Item]:
    """The example pictures with their captions, in memory."""
    captions = read_captions(EXAMPLES / "captions.csv")
    return [
        Item(path.name, path.read_bytes(), path.name, about.caption if about else None)
        for path in sorted(EXAMPLES.glob("*.jpg"))
        for about in (captions.get(path),)
    ]


@contextmanager
def both() -> Iterator[tuple[Server, Caller, Pipeline]]:
    """A ready server with a caller, and the pipeline."""
    server = Server()
    try:
        caller = Caller(server.address())
        with Pipeline(load_profile("tiny")) as pipeline:
            yield server, caller, pipeline
        caller.close()
    finally:
        server.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--windows", default="8,16,32", help="windows of the first look")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=6.0, help="of one side's turn")
    args = parser.parse_args()
    items = itertools.cycle(examples())
    with both() as (server, caller, pipeline):
        in_process(pipeline, items, 1.0)
        looks = {}
        for window in (int(w) for w in args.windows.split(",")):
            look_s = args.seconds / 2 if "," in args.windows else 1.0
            looks[window] = through_server(server, caller, items, window, look_s)
            print(f"window {window:3d}: {_words(looks[window])}", flush=True)
        window = max(looks, key=lambda w: looks[w].rate)
        ours, theirs = [], []
        for number in range(args.rounds):
            ours.append(through_server(server, caller, items, window, args.seconds))
            theirs.append(in_process(pipeline, items, args.seconds))
            print(f"round {number + 1}: server {_words(ours[-1])}; in process {_words(theirs[-1])}")
    latencies = [ms for pace in ours for ms in pace.latencies_ms]
    p50, p99 = (float(np.percentile(latencies, q)) for q in (50, 99))
    result = {
        "ratio": round(
            statistics.median(a.rate / b.rate for a, b in zip(ours, theirs, strict=True)), 3
        ),
        "images_per_s": round(statistics.median(pace.rate for pace in ours), 2),
        "p50_ms": round(p50, 1),
        "p99_ms": round(p99, 1),
        "window": window,
        "in_process_images_per_s": round(statistics.median(pace.rate for pace in theirs), 2),
        "cpu_ms": round(statistics.median(pace.cpu_ms for pace in ours), 1),
        "in_process_cpu_ms": round(statistics.median(pace.cpu_ms for pace in theirs), 1),
    }
    print(f"RESULT {json.dumps(result)}")


def _words(pace: Pace) -> str:
    return f"{pace.rate:.1f} images/s ({pace.cpu_ms:.1f} ms of CPU an image)"


if __name__ == "__main__":
    main()
