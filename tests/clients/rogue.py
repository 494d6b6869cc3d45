"""A gRPC server that breaks the contract in ways in which the real one does not: for what the client makes
of it. Answers are rows of the client's own request, unless told otherwise."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any, Self

import grpc
import msgspec
from tritonclient.grpc import service_pb2, service_pb2_grpc

from physgauge import wire

pb: Any = service_pb2
Behave = Callable[[Any, grpc.ServicerContext], Any]


def row_of(options: dict[str, Any]) -> wire.Row:
    return wire.Row(
        image_id=options["image_id"],
        source=options["source"],
        extra=options["extra"],
        terravis=wire.TerraVis(status="skipped"),
        pcmde=wire.Pcmde(status="ok", s_final=50.0, verdict="PASS"),
        provenance=wire.Provenance(physgauge="9.9", profile="rogue", decoder="d"),
    )


def options_of(request: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.raw_input_contents[2][4:])
    return found


def image_of(request: Any) -> bytes:
    return bytes(request.raw_input_contents[0][4:])


def answer(request: Any, row: wire.Row | bytes | None = None, request_id: str | None = None) -> Any:
    """A well-formed answer."""
    made = row_of(options_of(request)) if row is None else row
    data = made if isinstance(made, bytes) else wire.to_json(made)
    response = pb.ModelInferResponse(
        model_name="score", id=request.id if request_id is None else request_id
    )
    output = response.outputs.add()
    output.name, output.datatype = "RESULT", "BYTES"
    output.shape.extend((1, 1))
    response.raw_output_contents.append(struct.pack("<I", len(data)) + data)
    return response


def error_answer(request: Any, code: str) -> Any:
    row = row_of(options_of(request))
    failed = msgspec.structs.replace(
        row,
        error_code=code,
        error="said the server",
        pcmde=wire.Pcmde(status="error"),
        provenance=wire.Provenance(physgauge="9.9", profile="rogue"),
    )
    return answer(request, failed)


class Rogue(service_pb2_grpc.GRPCInferenceServiceServicer):  # type: ignore[misc]
    """Use as a context manager.

    Args:
        behave: makes an answer of a request, or aborts it.
        threads: requests at a time.
        port: 0 = any free one.
    """

    def __init__(self, behave: Behave | None = None, threads: int = 32, port: int = 0) -> None:
        self.behave = behave or (lambda request, context: answer(request))
        self.requests: list[Any] = []
        self.out = self.most_out = 0
        self.cancelled = 0
        self.metadata: dict[str, str] = {}
        self._lock = threading.Lock()
        options = [("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1)]
        self._server = grpc.server(futures.ThreadPoolExecutor(threads), options=options)
        service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(self, self._server)
        self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        self.address = f"127.0.0.1:{self.port}"
        self._server.start()

    def ServerReady(self, request: Any, context: grpc.ServicerContext) -> Any:
        return pb.ServerReadyResponse(ready=True)

    def ModelInfer(self, request: Any, context: grpc.ServicerContext) -> Any:
        context.add_callback(lambda: self._ended(context))
        with self._lock:
            self.requests.append(request)
            self.out += 1
            self.most_out = max(self.most_out, self.out)
            self.metadata = {
                str(pair.key): str(pair.value) for pair in context.invocation_metadata() or ()
            }
        try:
            return self.behave(request, context)
        finally:
            with self._lock:
                self.out -= 1

    def _ended(self, context: Any) -> None:
        with self._lock:
            self.cancelled += context.code() is None and not context.is_active()

    def stop(self) -> None:
        self._server.stop(0).wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
