"""The proto file, its Python, and what the rest of the code says."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from physgauge import wire
from physgauge.clients import Answered
from physgauge.contract import SCORE_FIELDS, Options
from physgauge.gateway.messages import row_of
from physgauge.gateway.refusal import CODES, Refused
from physgauge.v1 import gateway_pb2 as v1
from physgauge.v1 import gateway_pb2_grpc

SOURCE = Path(__file__).parents[2] / "src"
PROTO = SOURCE / "physgauge/v1/gateway.proto"


def test_the_python_is_that_of_the_proto_file(tmp_path: Path) -> None:
    """By descriptor, which every protoc makes alike; the text around it differs by version."""
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", f"-I{SOURCE}", f"--python_out={tmp_path}",
         f"--grpc_python_out={tmp_path}", "physgauge/v1/gateway.proto"],
        check=True, timeout=60,
    )  # fmt: skip
    fresh = (tmp_path / "physgauge/v1/gateway_pb2.py").read_text("utf-8")
    (literal,) = re.findall(r"AddSerializedFile\((b'.*')\)", fresh)
    assert ast.literal_eval(literal) == v1.DESCRIPTOR.serialized_pb

    def methods(path: Path) -> list[str]:
        return re.findall(r"'/physgauge\.v1\.Gateway/\w+',\n.*\n.*", path.read_text("utf-8"))

    theirs = methods(tmp_path / "physgauge/v1/gateway_pb2_grpc.py")
    assert theirs
    assert methods(Path(gateway_pb2_grpc.__file__)) == theirs


def test_options_are_those_of_the_server() -> None:
    """`timeout_ms` is what is left of the item's deadline."""
    ours = {field.name for field in v1.Options.DESCRIPTOR.fields}
    assert ours | {"timeout_ms"} == set(Options.__struct_fields__)


def test_codes_are_in_the_proto_file() -> None:
    text = PROTO.read_text("utf-8")
    listed = re.findall(r"//   ([a-z_]+)  +\w", text[text.index("message Refusal") :])
    assert set(listed) == set(CODES)
    with pytest.raises(ValueError, match="expected one of"):
        Refused("other", "")


def test_every_field_is_explained() -> None:
    lines = PROTO.read_text("utf-8").splitlines()
    fields = [n for n, line in enumerate(lines) if re.match(r"\s+[\w<>, ]+ \w+ = \d+;", line)]
    assert len(fields) > 30
    plain = {"Options options = 5;", "Item item = 1;", "Answer answer = 1;", "uint32 max_caption_chars = 4;", "uint32 max_deadline_ms = 5;",
             "Welcome welcome = 2;", "Answer answer = 3;", "Draining draining = 4;", "Row row = 4;", "Refusal refusal = 5;"}  # fmt: skip
    for number in fields:
        says = lines[number - 1].strip().startswith("//")
        assert says or lines[number].strip() in plain, lines[number]


def test_a_rows_numbers() -> None:
    names = {
        "terravis_score": "terravis.score",
        "terravis_score_soft": "terravis.score_soft",
        "s_final": "pcmde.s_final",
        "s_rules": "pcmde.s_rules",
        "s_llm": "pcmde.s_llm",
    }
    assert set(names.values()) <= set(SCORE_FIELDS)
    row = wire.Row(
        image_id="a", source="", error_code="image_corrupt",
        terravis=wire.TerraVis(status="ok", score=0.5, score_soft=0.0),
        pcmde=wire.Pcmde(status="ok", s_final=69.25, s_rules=95.0, verdict="PASS"),
        provenance=wire.Provenance(physgauge="0", profile="p"),
    )  # fmt: skip
    made = row_of(Answered(row, b"as it came"))
    assert made.json == b"as it came"
    assert (made.error_code, made.verdict) == ("image_corrupt", v1.VERDICT_PASS)
    for field, name in names.items():
        part, _, key = name.partition(".")
        value = getattr(getattr(row, part), key)
        assert made.HasField(field) == (value is not None)
        assert value is None or getattr(made, field) == value
    nothing = msgspec.structs.replace(row, pcmde=wire.Pcmde(status="error"), error_code=None)
    assert row_of(Answered(nothing, b"")).verdict == v1.VERDICT_UNSPECIFIED
    assert row_of(Answered(nothing, b"")).error_code == ""
