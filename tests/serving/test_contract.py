"""`model_repository`, the steps' tensors and the callers' contract say the same."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from physgauge import contract, wire
from physgauge.contract import REFUSALS, Options, Tensor, parse_options, read_refusal, scores_of
from physgauge.ensemble.served.tensors import STEPS
from physgauge.errors import REQUEST_CODES, RequestError
from physgauge.serve_settings import MAX_PLACES

ROOT = Path(__file__).parents[2]
REPOSITORY = ROOT / "model_repository"
TYPES = {
    "BYTES": "TYPE_STRING", "UINT8": "TYPE_UINT8", "INT32": "TYPE_INT32", "INT64": "TYPE_INT64",
    "FP32": "TYPE_FP32", "FP64": "TYPE_FP64",
}  # fmt: skip
MODELS = (*STEPS, contract.MODEL)


def config(path: Path) -> Any:
    parsed = model_config_pb2.ModelConfig()
    text_format.Parse(path.read_text("utf-8"), parsed)  # an unknown field or word is an error
    return parsed


def default(model: str) -> Any:
    return config(REPOSITORY / model / "config.pbtxt")


def written(tensors: Any) -> list[tuple[str, str, tuple[int, ...], bool]]:
    kinds = model_config_pb2.DataType
    return [
        (t.name, kinds.Name(t.data_type), tuple(t.dims), getattr(t, "optional", False))
        for t in tensors
    ]


def said(tensors: tuple[Tensor, ...]) -> list[tuple[str, str, tuple[int, ...], bool]]:
    return [(t.name, TYPES[t.datatype], t.dims, t.optional) for t in tensors]


def test_every_model_has_its_files() -> None:
    assert {p.name for p in REPOSITORY.iterdir()} == set(MODELS)
    for model in MODELS:
        assert default(model).name == model
        assert (REPOSITORY / model / "1").is_dir()
        assert (REPOSITORY / model / "configs/h100.pbtxt").is_file()


@pytest.mark.parametrize("model", STEPS)
def test_step_tensors(model: str) -> None:
    parsed = default(model)
    assert written(parsed.input) == said(STEPS[model].inputs)
    assert written(parsed.output) == said(STEPS[model].outputs)
    assert parsed.backend == "python"


def test_score_tensors() -> None:
    parsed = default(contract.MODEL)
    assert written(parsed.input) == said(contract.INPUTS)
    assert written(parsed.output) == said(contract.OUTPUTS)
    assert parsed.max_batch_size == 1


def arrows(parsed: Any, configs: dict[str, Any]) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """Type and shape of each tensor of the ensemble, as each step that makes or takes it says."""
    kinds = model_config_pb2.DataType
    seen: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for step in parsed.ensemble_scheduling.step:
        model = configs[step.model_name]
        for tensors, mapped in ((model.input, step.input_map), (model.output, step.output_map)):
            by_name = {t.name: t for t in tensors}
            for name, arrow in mapped.items():
                kind = kinds.Name(by_name[name].data_type)
                seen.setdefault(arrow, []).append((kind, tuple(by_name[name].dims)))
        needed = {t.name for t in model.input if not t.optional}
        assert needed <= set(step.input_map), step.model_name
    for tensor in (*parsed.input, *parsed.output):
        seen.setdefault(tensor.name, []).append((kinds.Name(tensor.data_type), tuple(tensor.dims)))
    return seen


@pytest.mark.parametrize("variant", ["", "h100"])
def test_the_ensemble_draws_the_arrows(variant: str) -> None:
    def read(model: str) -> Any:
        path = REPOSITORY / model / "configs" / f"{variant}.pbtxt"
        return config(path) if variant else default(model)

    parsed, configs = read(contract.MODEL), {model: read(model) for model in STEPS}
    steps = [step.model_name for step in parsed.ensemble_scheduling.step]
    assert sorted(steps) == ["aggregate", "decode", "detect", "judge", "judge", "rules"]
    for arrow, ends in arrows(parsed, configs).items():
        for kind, dims in ends[1:]:
            assert kind == ends[0][0], f"{arrow}: {ends}"
            assert len(dims) == len(ends[0][1]), f"{arrow}: {ends}"
            assert all(a == b or -1 in (a, b) for a, b in zip(dims, ends[0][1], strict=True)), arrow
    makers = [name for s in parsed.ensemble_scheduling.step for name in s.output_map.values()]
    assert len(makers) == len(set(makers))


@pytest.mark.parametrize("variant", ["", "h100"])
@pytest.mark.parametrize("model", STEPS)
def test_every_queue_is_bounded(model: str, variant: str) -> None:
    path = REPOSITORY / model / "configs" / f"{variant}.pbtxt"
    parsed = config(path) if variant else default(model)
    assert parsed.HasField("dynamic_batching")
    assert not parsed.dynamic_batching.preserve_ordering
    policy = parsed.dynamic_batching.default_queue_policy
    assert policy.timeout_action == model_config_pb2.ModelQueuePolicy.REJECT
    assert policy.default_timeout_microseconds > 0
    assert parsed.max_batch_size >= 1
    if model == "decode":
        assert 0 < policy.max_queue_size <= MAX_PLACES
        assert policy.allow_timeout_override
    else:  # never full, and never timed out: inside the ensemble nobody would be told
        assert policy.max_queue_size > MAX_PLACES + 1
        longest_us = (
            1000
            * msgspec.json.schema(Options)["$defs"]["Options"]["properties"]["timeout_ms"][
                "maximum"
            ]
        )
        assert policy.default_timeout_microseconds > longest_us
        assert not policy.allow_timeout_override


def test_optional_inputs_do_not_batch_by_shape() -> None:
    """Shapes that differ from image to image must not keep requests from batching."""
    for model in ("judge", "rules"):
        for tensor in default(model).input:
            assert tensor.allow_ragged_batch == (-1 in tensor.dims), tensor.name


def test_model_files_are_thin() -> None:
    for model in STEPS:
        path = REPOSITORY / model / "1/model.py"
        lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
        assert len(lines) <= 35, model
        assert f'"{model}"' in path.read_text("utf-8")
        spec = importlib.util.spec_from_file_location(f"model_{model}", path)
        assert spec is not None
        compile(path.read_text("utf-8"), str(path), "exec")


def test_refusals_cover_the_codes() -> None:
    assert set(REFUSALS) == REQUEST_CODES
    text = (ROOT / "ensemble/triton_io.py").read_text("utf-8")
    triton = dict(re.findall(r'^    "(\w+)": "([A-Z_]+)",$', text, re.MULTILINE))
    assert set(triton) == REQUEST_CODES
    names = {"INVALID_ARG": "INVALID_ARGUMENT"}
    for code, name in triton.items():
        assert REFUSALS[code].status == names.get(name, name)


@pytest.mark.parametrize("code", sorted(REQUEST_CODES))
def test_refusals_are_read_back(code: str) -> None:
    error = RequestError(code, "expected this, got that")
    text = f"in ensemble 'score', {contract.message_of(error)}"
    read = read_refusal(REFUSALS[code].status, text)
    assert (read.code, read.message) == (code, "expected this, got that")


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        ("UNAVAILABLE", "in ensemble 'score', [request id: 5] Exceeds maximum queue size", "overloaded"),
        ("UNAVAILABLE", "in ensemble 'score', Request timeout expired", "overloaded"),
        ("UNAVAILABLE", "failed to connect to all addresses", "unavailable"),
        ("INTERNAL", "Stub process 'rules_0_0' is not healthy.", "unavailable"),
        ("INVALID_ARGUMENT", "unexpected shape for input 'IMAGE'", "request_invalid"),
        ("DEADLINE_EXCEEDED", "Deadline Exceeded", "deadline_exceeded"),
        ("UNAVAILABLE", "physgauge [no_such_code] x", "unavailable"),
    ],
)  # fmt: skip
def test_refusals_of_others(status: str, message: str, code: str) -> None:
    assert read_refusal(status, message).code == code


def test_options() -> None:
    assert parse_options(b"") == parse_options(b" \n") == parse_options(b"{}") == Options()
    options = Options(image_id="a", source="b", extra={"c": "d"}, domain="car", timeout_ms=5)
    assert parse_options(msgspec.json.encode(options)) == options


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"imageid": "x"}', "unknown field `imageid`"),
        (b'{"timeout_ms": 0}', "timeout_ms"),
        (b'{"timeout_ms": NaN}', "OPTIONS"),
        (b'{"extra": {"a": 1}}', "Expected `str`, got `int`"),
        (b"[1]", "Expected `object`"),
        (b"\xff", "OPTIONS"),
        (b'{"source": "' + b"x" * 70_000 + b'"}', "at most 65,536 bytes"),
    ],
)
def test_options_that_are_wrong(data: bytes, says: str) -> None:
    with pytest.raises(RequestError, match=re.escape(says)) as caught:
        parse_options(data)
    assert caught.value.code == "request_invalid"


def test_scores_are_the_rows_numbers() -> None:
    row = wire.Row(
        image_id="a", source="b", terravis=wire.TerraVis(status="ok", score=0.25),
        pcmde=wire.Pcmde(status="ok", s_final=61.0, s_caption=3.0),
        provenance=wire.Provenance(physgauge="0", profile="tiny"),
    )  # fmt: skip
    scores = scores_of(row)
    assert scores[0] == 0.25
    assert scores[2] == 61.0
    assert scores[-1] == 3.0
    assert sum(math.isnan(s) for s in scores) == len(scores) - 3
