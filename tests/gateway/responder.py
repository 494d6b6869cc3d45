"""A KServe server whose answers a test holds back, counts or spoils: real gRPC, but no pipeline behind it."""

from __future__ import annotations

import asyncio
import json
import struct
from types import TracebackType
from typing import Any, Self

import grpc
from tritonclient.grpc import service_pb2 as kserve

from physgauge import wire
from physgauge.gateway.behind import PROBE_ID


class Responder:
    """Answers each image with a row, once it may; use as an async context manager.

    Args:
        port: 0 = any free one.
    """

    def __init__(self, port: int = 0) -> None:
        self.seen: list[Any] = []
        """The requests, in the order of their arrival."""
        self.most_at_once = self.at_once = 0
        self.cancelled = 0
        self.open = asyncio.Event()
        """While it is set, answers leave at once."""
        self.open.set()
        self.let: set[str] = set()
        """Image ids that are answered whether it is open or not."""
        self.refuse: dict[str, tuple[grpc.StatusCode, str]] = {}
        """By image id, instead of a row."""
        self._server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
        self._server.add_generic_rpc_handlers((self._handlers(),))
        self.address = f"127.0.0.1:{self._server.add_insecure_port(f'127.0.0.1:{port}')}"

    def _handlers(self) -> Any:
        return grpc.method_handlers_generic_handler(
            "inference.GRPCInferenceService",
            {
                "ModelInfer": grpc.unary_unary_rpc_method_handler(
                    self._infer,
                    kserve.ModelInferRequest.FromString,
                    kserve.ModelInferResponse.SerializeToString,
                ),
                "ServerReady": grpc.unary_unary_rpc_method_handler(
                    self._ready,
                    kserve.ServerReadyRequest.FromString,
                    kserve.ServerReadyResponse.SerializeToString,
                ),
            },
        )

    @property
    def images(self) -> list[str]:
        """Ids of the images that callers sent, without the gateway's own probes."""
        ids = [options(request)["image_id"] for request in self.seen]
        return [one for one in ids if one != PROBE_ID]

    async def _ready(self, _: Any, __: Any) -> Any:
        return kserve.ServerReadyResponse(ready=True)

    async def _infer(self, request: Any, context: Any) -> Any:
        self.seen.append(request)
        told = options(request)
        image_id = told["image_id"]
        if image_id == PROBE_ID:
            return answer(request.id, row(image_id, told))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            while not (self.open.is_set() or image_id in self.let):
                await asyncio.sleep(0.005)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.at_once -= 1
        if image_id in self.refuse:
            await context.abort(*self.refuse[image_id])
        return answer(request.id, row(image_id, told))

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        await self._server.stop(None)


def options(request: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.raw_input_contents[2][4:])
    return found


def row(image_id: str, told: dict[str, Any]) -> bytes:
    """With a space that `wire` does not write: what is passed on shows whether it is the server's own."""
    made = wire.Row(
        image_id=image_id,
        source=told.get("source", ""),
        extra=told.get("extra", {}),
        terravis=wire.TerraVis(status="skipped"),
        pcmde=wire.Pcmde(status="ok", s_final=69.0, s_rules=95.0, s_llm=30.0, verdict="FAIL"),
        provenance=wire.Provenance(physgauge="0", profile="test"),
    )
    return wire.to_json(made) + b" "


def answer(request_id: str, data: bytes) -> Any:
    made = kserve.ModelInferResponse(model_name="score", id=request_id)
    made.outputs.add(name="RESULT", datatype="BYTES", shape=[1, 1])
    made.raw_output_contents.append(struct.pack("<I", len(data)) + data)
    return made
