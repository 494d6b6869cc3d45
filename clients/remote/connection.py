"""One gRPC connection to one server: unary KServe calls. The only file here that knows gRPC and Triton.

Never one gRPC stream: a stream answers in order, so one slow image holds back all behind it.
"""

from __future__ import annotations

import asyncio
import struct
from typing import Any, Final

import grpc
import msgspec
from tritonclient.grpc import service_pb2 as _messages
from tritonclient.grpc import service_pb2_grpc

from physgauge.clients.remote.address import Tls
from physgauge.clients.remote.faults import Blame, CallFailed, failure
from physgauge.contract import INPUTS, MODEL, RESULT, TOKEN_HEADER, Tensor
from physgauge.errors import ConfigError, RequestError

_pb: Any = _messages  # made at run time: type checkers do not see its types
_LENGTH: Final = struct.Struct("<I")
_OPTIONS: Final = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    # Every connection its own: a new one must not inherit a dead one's socket.
    ("grpc.use_local_subchannel_pool", 1),
    # Retries are ours, so that each is counted and goes where there is room.
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A peer that is gone without a word is noticed; servers allow a ping each 10 s.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
]


class Call(msgspec.Struct, frozen=True):
    """One request."""

    request_id: str
    image: bytes
    caption: bytes
    options: bytes
    """JSON of :class:`physgauge.contract.Options`."""


class Door(msgspec.Struct, frozen=True):
    """How connections of a client are opened."""

    credentials: Any
    """gRPC's; None = no TLS."""
    options: tuple[tuple[str, Any], ...]
    metadata: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, token: str | None, tls: Tls | None) -> Door:
        """From what a caller gives.

        Raises:
            ConfigError: a TLS file that cannot be read, or a token that is none.
        """
        if token is not None and not (token and all("!" <= c <= "~" for c in token)):
            raise ConfigError("token: expected visible ASCII characters, got others or none")
        metadata = () if token is None else ((TOKEN_HEADER, token),)
        if tls is None:
            return cls(None, (), metadata)
        credentials = grpc.ssl_channel_credentials(*tls.read())
        name = () if tls.name is None else (("grpc.ssl_target_name_override", tls.name),)
        return cls(credentials, name, metadata)


class Connection:
    """A connection and its calls.

    Args:
        address: ``host:port``.
        door: TLS and token.
    """

    def __init__(self, address: str, door: Door) -> None:
        options = [*_OPTIONS, *door.options]
        if door.credentials is None:
            self._channel = grpc.aio.insecure_channel(address, options)
        else:
            self._channel = grpc.aio.secure_channel(address, door.credentials, options)
        self._stub: Any = service_pb2_grpc.GRPCInferenceServiceStub(self._channel)
        self._metadata = door.metadata
        self._calls: set[Any] = set()
        self._dropped = False  # `drop` was called
        self._closed = False

    async def problem(self, within_s: float) -> str | None:
        """Why the server cannot be talked to; None = it can."""
        try:
            answer = await self._stub.ServerReady(
                _pb.ServerReadyRequest(), timeout=within_s, metadata=self._metadata
            )
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                return f"no answer in {within_s:g} s"
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                return (error.details() or "unavailable")[:300]
            return None  # a server without health protocol is a server
        return None if answer.ready else "it is not ready"

    async def score(self, call: Call, within_s: float) -> bytes:
        """The result row as JSON.

        Raises:
            CallFailed: why there is none.
        """
        if self._closed:  # between the lease and the call
            raise _moved()
        cancelled = _cancelling()
        pending = self._stub.ModelInfer(_request(call), timeout=within_s, metadata=self._metadata)
        self._calls.add(pending)
        try:
            return _result(await pending, call.request_id)
        except grpc.aio.AioRpcError as error:
            raise failure(error.code().name, error.details() or "") from None
        except asyncio.CancelledError:
            if self._dropped and _cancelling() == cancelled:
                raise _moved() from None  # by `drop`, not by the caller
            pending.cancel()
            raise
        finally:
            self._calls.discard(pending)

    def drop(self) -> None:
        """Take back the calls in hand; `close` is still to come."""
        self._dropped = True
        for pending in list(self._calls):
            pending.cancel()

    @property
    def idle(self) -> bool:
        """Whether no call is in hand."""
        return not self._calls

    async def close(self) -> None:
        """Hang up."""
        self._closed = True
        self.drop()
        await self._channel.close()


def _cancelling() -> int:
    """How often the running task has been told to end."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def _moved() -> CallFailed:
    what = "expected an answer, got a server that fell silent"
    return CallFailed(RequestError("unavailable", what), Blame.MOVED)


def _request(call: Call) -> Any:
    request = _pb.ModelInferRequest(model_name=MODEL, id=call.request_id)
    for tensor, value in zip(INPUTS, (call.image, call.caption, call.options), strict=True):
        _describe(request.inputs.add(), tensor)
        request.raw_input_contents.append(_LENGTH.pack(len(value)) + value)
    request.outputs.add().name = RESULT.name
    return request


def _describe(entry: Any, tensor: Tensor) -> None:
    entry.name, entry.datatype = tensor.name, tensor.datatype
    entry.shape.extend((1, *tensor.dims))


def _result(answer: Any, request_id: str) -> bytes:
    """The one BYTES element of RESULT.

    Raises:
        CallFailed: another request's answer, or no RESULT.
    """
    if answer.id != request_id:
        raise _fault(f"expected the answer to request {request_id!r}, got {answer.id!r:.80}")
    names = [output.name for output in answer.outputs]
    if RESULT.name not in names or len(names) != len(answer.raw_output_contents):
        raise _fault(f"expected an output {RESULT.name}, got {', '.join(names) or 'none'}")
    raw = answer.raw_output_contents[names.index(RESULT.name)]
    if len(raw) < _LENGTH.size or _LENGTH.unpack_from(raw)[0] != len(raw) - _LENGTH.size:
        raise _fault(f"expected one element in {RESULT.name}, got {len(raw)} bytes of other shape")
    return bytes(raw[_LENGTH.size :])


def _fault(message: str) -> CallFailed:
    return CallFailed(RequestError("internal", message), Blame.FAULT)
