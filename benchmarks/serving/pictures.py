"""The example pictures with their captions, as items and as requests ready to send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tritonclient.grpc import service_pb2 as _messages

from physgauge import wire
from physgauge.clients.captions import read_captions
from physgauge.contract import CAPTION, IMAGE, MODEL, OPTIONS, OUTPUTS, RESULT
from physgauge.types import Item

_pb: Any = _messages  # made at run time: type checkers do not see its classes
EXAMPLES: Final = Path(__file__).parents[2] / "examples/scenes"


def examples() -> list[Item]:
    """The example pictures, in memory."""
    captions = read_captions(EXAMPLES / "captions.csv")
    return [
        Item(path.name, path.read_bytes(), path.name, about.caption if about else None)
        for path in sorted(EXAMPLES.glob("*.jpg"))
        for about in (captions.get(path),)
    ]


def request(item: Item) -> bytes:
    """A whole KServe request, serialised: what a sender does once, the generator does not do again."""
    options = json.dumps({"image_id": item.image_id, "source": item.source}).encode()
    values = {
        IMAGE.name: item.data or b"",
        CAPTION.name: (item.caption or "").encode(),
        OPTIONS.name: options,
    }
    made = _pb.ModelInferRequest(model_name=MODEL)
    for name, value in values.items():
        made.inputs.add(name=name, datatype="BYTES", shape=[1, 1])
        made.raw_input_contents.append(len(value).to_bytes(4, "little") + value)
    return bytes(made.SerializeToString())


def row(answer: bytes) -> wire.Row:
    """The row of an answer.

    Raises:
        ValueError: the answer holds none.
    """
    read = _pb.ModelInferResponse.FromString(answer)
    for output, raw in zip(read.outputs, read.raw_output_contents, strict=True):
        if output.name == RESULT.name:
            return wire.from_json(raw[4:])
    raise ValueError(f"expected {[one.name for one in OUTPUTS]}, got no {RESULT.name}")
