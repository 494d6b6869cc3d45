"""The server behind: one image there, the bytes of its row back."""

from __future__ import annotations

import itertools
import struct
import time
from typing import Any, Final, Protocol

import grpc
import msgspec
from tritonclient.grpc import service_pb2

from physgauge.contract import CAPTION, IMAGE, MODEL, OPTIONS, RESULT, read_refusal
from physgauge.errors import RequestError
from physgauge.gateway.checks import Work
from physgauge.gateway.settings import Backend


class Scorer(Protocol):
    """What the gateway needs of a server."""

    async def row(self, work: Work, request_id: str) -> bytes:
        """The row of an image, as JSON.

        Raises:
            RequestError: there is none.
        """
        ...

    async def close(self) -> None:
        """Hang up."""
        ...


_MAX: Final = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class Direct:
    """Plain calls, the servers in turn."""

    def __init__(self, backend: Backend) -> None:
        self._channels = [grpc.aio.insecure_channel(s, options=_MAX) for s in backend.servers]
        calls = [
            channel.unary_unary(
                "/inference.GRPCInferenceService/ModelInfer",
                request_serializer=service_pb2.ModelInferRequest.SerializeToString,
                response_deserializer=service_pb2.ModelInferResponse.FromString,
            )
            for channel in self._channels
        ]
        self._calls = itertools.cycle(calls)

    async def row(self, work: Work, request_id: str) -> bytes:
        left_s = work.deadline_s - time.monotonic()
        options = msgspec.structs.replace(work.options, timeout_ms=max(1, int(1000 * left_s)))
        request = service_pb2.ModelInferRequest(model_name=MODEL, id=request_id)
        values = (work.image, work.caption.encode(), msgspec.json.encode(options))
        for tensor, value in zip((IMAGE, CAPTION, OPTIONS), values, strict=True):
            request.inputs.add(name=tensor.name, datatype="BYTES", shape=[1, 1])
            request.raw_input_contents.append(struct.pack("<I", len(value)) + value)
        request.outputs.add(name=RESULT.name)
        try:
            answer: Any = await next(self._calls)(request, timeout=max(0.001, left_s))
        except grpc.aio.AioRpcError as error:
            raise read_refusal(error.code().name, error.details() or "") from None
        if not answer.raw_output_contents:
            raise RequestError("internal", f"expected {RESULT.name}, got an answer without it")
        return bytes(answer.raw_output_contents[0][4:])

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()
