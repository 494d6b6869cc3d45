"""The KServe message of a call, as the bytes that go over the wire, and the answer's back.

An image is copied once on the way into its message. protobuf would copy it four times, which costs more
than all the rest of a call from half a megabyte on.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import msgspec
from google.protobuf.message import DecodeError
from tritonclient.grpc import service_pb2 as _messages

from physgauge.clients.remote.faults import Blame, CallFailed
from physgauge.contract import INPUTS, MODEL, RESULT
from physgauge.errors import RequestError

_pb: Any = _messages  # made at run time: type checkers do not see its types
_SERVICE: Final = f"/{_messages.DESCRIPTOR.services_by_name['GRPCInferenceService'].full_name}"
INFER: Final = f"{_SERVICE}/ModelInfer"
READY: Final = f"{_SERVICE}/ServerReady"
_LENGTH: Final = struct.Struct("<I")


class Call(msgspec.Struct, frozen=True):
    """One request."""

    request_id: str
    image: bytes
    caption: bytes
    options: bytes
    """JSON of :class:`physgauge.contract.Options`."""


def request(call: Call) -> bytes:
    """A ModelInferRequest."""
    parts = [_SAME_FOR_ALL, _field(_ID, call.request_id.encode())]
    for value in (call.image, call.caption, call.options):
        parts += (_RAW, _varint(_LENGTH.size + len(value)), _LENGTH.pack(len(value)), value)
    return b"".join(parts)


def result(data: bytes, request_id: str) -> bytes:
    """The one BYTES element of RESULT in a ModelInferResponse.

    Raises:
        CallFailed: another request's answer, or no RESULT.
    """
    try:
        answer = _pb.ModelInferResponse.FromString(data)
    except DecodeError:
        raise _fault(
            f"expected a ModelInferResponse, got {len(data)} bytes that are none"
        ) from None
    if answer.id != request_id:
        raise _fault(f"expected the answer to request {request_id!r}, got {answer.id!r:.80}")
    names = [output.name for output in answer.outputs]
    if RESULT.name not in names or len(names) != len(answer.raw_output_contents):
        raise _fault(f"expected an output {RESULT.name}, got {', '.join(names) or 'none'}")
    raw = answer.raw_output_contents[names.index(RESULT.name)]
    if len(raw) < _LENGTH.size or _LENGTH.unpack_from(raw)[0] != len(raw) - _LENGTH.size:
        raise _fault(f"expected one element in {RESULT.name}, got {len(raw)} bytes of other shape")
    return bytes(raw[_LENGTH.size :])


def is_ready(data: bytes) -> bool:
    """What a ServerReadyResponse says."""
    try:
        return bool(_pb.ServerReadyResponse.FromString(data).ready)
    except DecodeError:
        return False


def _tag(field: str) -> bytes:
    """That of a field of bytes or text in a ModelInferRequest."""
    number: int = _pb.ModelInferRequest.DESCRIPTOR.fields_by_name[field].number
    return _varint(number << 3 | 2)


def _varint(value: int) -> bytes:
    """protobuf's number of any size: seven bits a byte, the least first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(tag: bytes, value: bytes) -> bytes:
    return tag + _varint(len(value)) + value


def _described() -> bytes:
    """The part of a request that says which model, and which tensors."""
    message = _pb.ModelInferRequest(model_name=MODEL)
    for tensor in INPUTS:
        shape = (1, *tensor.dims)
        message.inputs.add(name=tensor.name, datatype=tensor.datatype, shape=shape)
    message.outputs.add(name=RESULT.name)
    return bytes(message.SerializeToString())


def _fault(message: str) -> CallFailed:
    return CallFailed(RequestError("internal", message), Blame.FAULT)


_ID: Final = _tag("id")
_RAW: Final = _tag("raw_input_contents")
_SAME_FOR_ALL: Final = _described()
