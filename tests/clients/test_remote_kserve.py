"""The bytes of requests and answers are those that protobuf makes of them."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from tritonclient.grpc import service_pb2

from physgauge.clients.remote.faults import Blame, CallFailed
from physgauge.clients.remote.kserve import Call, is_ready, request, result
from physgauge.contract import INPUTS, MODEL, RESULT

pb: Any = service_pb2


@pytest.mark.parametrize("size", [0, 1, 123, 124, 127, 128, 16_379, 16_380, 2**21 - 5, 2**21, 9**7])
def test_a_request_is_a_message_of_that_many_bytes(size: int) -> None:
    """Sizes about those at which the length of the length changes."""
    image = b"\x89" * (size - size // 3) + bytes(size // 3)  # ends in zero bytes
    for request_id, caption, options in [("", b"", b"{}"), ("ä" * 90, "ö".encode() * 99, b"{ }")]:
        read = pb.ModelInferRequest.FromString(request(Call(request_id, image, caption, options)))
        expected = pb.ModelInferRequest(model_name=MODEL, id=request_id)
        for tensor, value in zip(INPUTS, (image, caption, options), strict=True):
            expected.inputs.add(name=tensor.name, datatype=tensor.datatype, shape=[1, *tensor.dims])
            expected.raw_input_contents.append(struct.pack("<I", len(value)) + value)
        expected.outputs.add(name=RESULT.name)
        assert read == expected


def answered(value: bytes, **more: Any) -> bytes:
    message = pb.ModelInferResponse(id="a", raw_output_contents=[value])
    message.outputs.add(name=more.get("name", RESULT.name), datatype="BYTES", shape=[1, 1])
    return bytes(message.SerializeToString())


def test_an_answer() -> None:
    assert result(answered(struct.pack("<I", 4) + b"{} \0"), "a") == b"{} \0"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff" * 20, "expected a ModelInferResponse, got 20 bytes that are none"),
        (b"", "expected the answer to request 'a', got ''"),
        (answered(b"\0\0\0\0", name="SCORES"), "expected an output RESULT, got SCORES"),
        (answered(b"\1\0"), "expected one element in RESULT, got 2 bytes of other shape"),
        (answered(b"\1\0\0\0ab"), "expected one element in RESULT, got 6 bytes of other shape"),
    ],
)
def test_what_is_no_answer_is_a_fault(data: bytes, words: str) -> None:
    with pytest.raises(CallFailed) as caught:
        result(data, "a")
    assert caught.value.blame is Blame.FAULT
    assert caught.value.error.code == "internal"
    assert words in caught.value.error.message


def test_readiness() -> None:
    assert is_ready(pb.ServerReadyResponse(ready=True).SerializeToString())
    assert not is_ready(b"")
    assert not is_ready(b"\xff\xff")
