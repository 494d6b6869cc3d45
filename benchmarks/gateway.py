"""What the gateway costs: its processor time an image, and images per second with and without it.

    python -m benchmarks.gateway [--behind server,responder] [--rounds 3] [--seconds 6]

Two things stand behind the gateway, one after the other:

* `server`: a real `physgauge serve`. The same client (`physgauge.clients`) calls it directly and through
  the gateway (where it is the gateway's), in turns. Needs the nvidia-pytriton wheel (docs/serving.md).
* `responder`: a gRPC KServe server of this module, in a process of its own, that answers each request at
  once with a recorded row. It shows what the gateway alone can do, and what larger images cost. Not the
  real server.

Processor time is that of the gateway's process with all its threads, from /proc.

Last line: ``RESULT {"cpu_ms": …, "ratio": …, …}``: milliseconds of CPU an image and images per second
over those of direct calls, before the real server (null: it was not asked for); the rest before the
responder.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import itertools
import json
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import grpc
import numpy as np
from tritonclient.grpc import service_pb2

from benchmarks.serving import processes
from benchmarks.serving.pictures import examples
from benchmarks.serving.server import Server
from physgauge.clients import AsyncClient
from physgauge.config import load_profile
from physgauge.gateway.client import GatewayClient, Item, Options
from physgauge.wire import to_json

kserve: Any = service_pb2
SIZES: Final = {"0.5 MB": (408, 408), "3.1 MB": (1024, 1024), "12.6 MB": (2048, 2048)}
"""Pixels of the `.npy` images, beside the example JPEGs (about 9 KB)."""
RATE: Final = 30.0
"""Images per second of the measurement that leaves the gateway mostly idle."""


class Pace(NamedTuple):
    """How a run went."""

    rate: float
    """Images per second."""
    cpu_ms: float
    """Of the gateway, an image; 0 for direct calls."""

    def words(self) -> str:
        return f"{self.rate:.1f} images/s, {self.cpu_ms:.3f} ms of CPU"


class Gateway:
    """`physgauge gateway` in a process of its own.

    Args:
        server: what stands behind it.
    """

    def __init__(self, server: str) -> None:
        run = "from physgauge.cli.main import main; main()"
        flags = ["--port", "0", "--metrics-port", "0", "--share", "1", "--server", server]
        self._process = subprocess.Popen(
            [sys.executable, "-c", run, "gateway", *flags], stderr=subprocess.PIPE
        )
        self.address = ""
        log = self._process.stderr
        assert log is not None
        for line in log:
            event = json.loads(line)
            if event["event"] == "serving":
                self.address = event["grpc"]
            if event["event"] == "behind" and event["ready"]:
                break
        # Its lines, one an answer, are part of the cost; somebody has to read them.
        self._reader = subprocess.Popen(["cat"], stdin=log, stdout=subprocess.DEVNULL)

    def cpu_s(self) -> float:
        return processes.cpu_s(self._process.pid)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(60)
        self._reader.wait(10)


def items(images: Iterator[tuple[str, bytes, str]]) -> Iterator[Item]:
    """What is sent through the gateway."""
    for number, (name, data, caption) in enumerate(images):
        options = Options(image_id=name, source=name)
        yield Item(
            id=str(number), image=data, caption=caption, deadline_ms=100_000, options=options
        )


def through_gateway(
    gateway: Gateway, images: Iterator[tuple[str, bytes, str]], seconds: float, rate: float = 0.0
) -> Pace:
    """One stream, as fast as its credits allow, or so many images per second."""

    async def paced() -> AsyncIterator[Item]:
        began_s = time.perf_counter()
        for number, item in enumerate(items(images)):
            now_s = time.perf_counter() - began_s
            if now_s > seconds:
                return
            if rate and number / rate > now_s:
                await asyncio.sleep(number / rate - now_s)
            yield item

    async def run() -> int:
        count = 0
        async with GatewayClient(gateway.address) as client:
            async for answer in client.stream(paced()):
                if not answer.HasField("row") or answer.row.error_code:
                    raise SystemExit(f"an image failed: {answer}"[:500])
                count += 1
        return count

    used, began_s = gateway.cpu_s(), time.perf_counter()
    count = asyncio.run(run())
    took_s = time.perf_counter() - began_s
    return Pace(count / took_s, 1000 * (gateway.cpu_s() - used) / count)


def directly(server: str, images: Iterator[tuple[str, bytes, str]], seconds: float) -> Pace:
    """By the client alone."""

    async def run() -> int:
        began_s, count = time.perf_counter(), 0
        given = (
            (name, data, caption, {"source": name})
            for name, data, caption in itertools.takewhile(
                lambda _: time.perf_counter() < began_s + seconds, images
            )
        )
        async with AsyncClient(server) as client:
            async for row in client.score(given):
                if row.error_code is not None:
                    raise SystemExit(f"an image failed: {row.error}")
                count += 1
        return count

    began_s = time.perf_counter()
    count = asyncio.run(run())
    return Pace(count / (time.perf_counter() - began_s), 0.0)


def pictures() -> Iterator[tuple[str, bytes, str]]:
    """The examples, again and again."""
    found = [(one.image_id, bytes(one.data or b""), one.caption or "") for one in examples()]
    return itertools.cycle(found)


def arrays(height: int, width: int) -> Iterator[tuple[str, bytes, str]]:
    """A `.npy`, again and again."""
    out = io.BytesIO()
    np.save(out, np.full((height, width, 3), 127, np.uint8))
    return itertools.repeat(("array", out.getvalue(), ""))


def before_server(rounds: int, seconds: float) -> dict[str, Any]:
    """Cost and ratio with the real server."""
    with Server() as server:
        gateway = Gateway(server.address)
        try:
            through_gateway(gateway, pictures(), 2.0)
            sides = []
            for number in range(rounds):
                ours = through_gateway(gateway, pictures(), seconds)
                theirs = directly(server.address, pictures(), seconds)
                sides.append((ours, theirs))
                print(
                    f"round {number + 1}: gateway {ours.words()}; direct {theirs.rate:.1f} images/s"
                )
        finally:
            gateway.close()
    return {
        "cpu_ms": round(statistics.median(ours.cpu_ms for ours, _ in sides), 3),
        "ratio": round(statistics.median(ours.rate / theirs.rate for ours, theirs in sides), 3),
        "images_per_s": round(statistics.median(ours.rate for ours, _ in sides), 2),
        "direct_images_per_s": round(statistics.median(theirs.rate for _, theirs in sides), 2),
    }


def before_responder(seconds: float) -> dict[str, Any]:
    """Cost by load and by size of image."""
    found: dict[str, Any] = {}
    with responder() as address:
        gateway = Gateway(address)
        try:
            through_gateway(gateway, pictures(), 1.0)
            direct = directly(address, pictures(), seconds)
            full = through_gateway(gateway, pictures(), seconds)
            slow = through_gateway(gateway, pictures(), seconds, RATE)
            print(f"JPEG of 9 KB: {full.words()} (direct {direct.rate:.1f} images/s)")
            print(f"the same at {RATE:g} images/s: {slow.words()}")
            found["responder_cpu_ms"] = round(full.cpu_ms, 3)
            found["responder_images_per_s"] = round(full.rate, 1)
            found["responder_direct_images_per_s"] = round(direct.rate, 1)
            found["responder_cpu_ms_at_30_per_s"] = round(slow.cpu_ms, 3)
            for name, (height, width) in SIZES.items():
                pace = through_gateway(gateway, arrays(height, width), seconds)
                print(f".npy of {name}: {pace.words()}")
                found[f"responder_cpu_ms_{name.replace(' ', '_')}"] = round(pace.cpu_ms, 3)
        finally:
            gateway.close()
    return found


@contextmanager
def responder() -> Iterator[str]:
    """The address of one that answers at once."""
    command = [sys.executable, "-m", "benchmarks.gateway", "--respond"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        yield child.stdout.readline().strip()
    finally:
        child.terminate()
        child.wait(10)


def recorded() -> bytes:
    """A row as the pipeline makes it."""
    from physgauge.ensemble.pipeline import Pipeline

    with Pipeline(load_profile("tiny")) as pipeline:
        (scored,) = pipeline.score(examples()[:1])
    return to_json(scored.row)


async def respond() -> None:
    """Be the responder: until terminated."""
    before, _, behind = recorded().partition(json.dumps(examples()[0].image_id).encode())

    async def infer(request: Any, _: Any) -> Any:
        named = json.loads(request.raw_input_contents[2][4:])["image_id"]
        row = before + json.dumps(named).encode() + behind
        made = kserve.ModelInferResponse(model_name=request.model_name, id=request.id)
        made.outputs.add(name="RESULT", datatype="BYTES", shape=[1, 1])
        made.raw_output_contents.append(struct.pack("<I", len(row)) + row)
        return made

    async def ready(_: Any, __: Any) -> Any:
        return kserve.ServerReadyResponse(ready=True)

    def handler(answer: Any, request: Any, reply: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(
            answer, request.FromString, reply.SerializeToString
        )

    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    calls = {
        "ModelInfer": handler(infer, kserve.ModelInferRequest, kserve.ModelInferResponse),
        "ServerReady": handler(ready, kserve.ServerReadyRequest, kserve.ServerReadyResponse),
    }
    service = grpc.method_handlers_generic_handler("inference.GRPCInferenceService", calls)
    server.add_generic_rpc_handlers((service,))
    print(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}", flush=True)
    await server.start()
    await server.wait_for_termination()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--behind", default="server,responder", help="what stands behind it")
    parser.add_argument("--rounds", type=int, default=3, help="before the server")
    parser.add_argument("--seconds", type=float, default=6.0, help="of one side's turn")
    parser.add_argument("--respond", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.respond:
        asyncio.run(respond())
        return
    result: dict[str, Any] = {"cpu_ms": None, "ratio": None}
    if "responder" in args.behind:
        result |= before_responder(args.seconds)
    if "server" in args.behind:
        result |= before_server(args.rounds, args.seconds)
    print(f"RESULT {json.dumps(result)}")


if __name__ == "__main__":
    main()
