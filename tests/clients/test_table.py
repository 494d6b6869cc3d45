from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec import inspect

from physgauge import wire
from physgauge.clients.table import (
    RowFile,
    arrow_schema,
    read_rows,
    read_table,
    to_rows,
    to_table,
)
from physgauge.errors import ConfigError, EnvironmentProblem

ROOT = Path(__file__).parents[2]


def full_row(name: str) -> wire.Row:
    """A row with something in every field."""
    return wire.Row(
        image_id=name,
        source=f"/data/{name} 🦆",
        caption="a duck 🦆",
        extra={"model": "m", "steps": "20"},
        pixel_sha256="ab" * 32,
        width=320,
        height=240,
        warnings=["animated: first frame scored"],
        terravis=wire.TerraVis(
            status="ok",
            score=0.5,
            n_major=1,
            eligible=wire.Eligible(p=0.9, outcome="answered", family="animals"),
            answers={
                "contact_state": wire.Answer(
                    answer=True, p_yes=0.8, outcome="answered", severity="major", box=[0, 1, 2, 3.5]
                ),
                "relative_scale": wire.Answer(outcome="timeout"),
            },
        ),
        pcmde=wire.Pcmde(
            status="ok",
            domain="animal",
            counts={"leg": 2.0, "horn": None},
            observations=[
                wire.Observation(source="vlm", component="leg", count=2, attributes=["long"])
            ],
            s_rules=87.5,
            llm_runs=[wire.LlmRun(round=1, score=90.0, explanation="fine")],
            verdict="PASS",
            diagnostics=wire.Diagnostics(rules=["P1: one head: 2 seen"]),
            rules=[wire.RuleResult(id="P1", category="presence", status="violated", boxes=[0, 3])],
        ),
        detections=[wire.Detection(label="animal.leg", box=[1.5, 2, 3, 4], score=0.75)],
        provenance=wire.Provenance(
            physgauge="0.1.0", profile="tiny", lambda_=1.0, models={"d": "ff"}
        ),
        cost=wire.Cost(calls=1, ms={"decode": 1.25}),
    )


def error_row(name: str) -> wire.Row:
    return wire.Row(
        image_id=name,
        source=name,
        error_code="image_empty",
        error="expected an image, got 0 bytes",
        terravis=wire.TerraVis(status="error"),
        pcmde=wire.Pcmde(status="error"),
        provenance=wire.Provenance(physgauge="0.1.0", profile="tiny"),
    )


def write_file(path: Path, rows: list[wire.Row], rows_per_group: int = 1024) -> None:
    with path.open("wb") as file:
        out = RowFile(file, rows_per_group)
        for row in rows:
            out.write(row)
        out.finish({"physgauge.unit": "7"})


def test_parquet_gives_back_what_was_written(tmp_path: Path) -> None:
    rows = [full_row(f"{n}.png") if n % 3 else error_row(f"{n}.png") for n in range(25)]
    path = tmp_path / os.fsdecode(b"caf\xe9.parquet")
    for per_group in (1024, 10):
        write_file(path, rows, per_group)
        assert list(read_rows(path)) == rows
    with path.open("rb") as file:
        assert pq.read_metadata(file).metadata[b"physgauge.unit"] == b"7"


def test_no_rows_is_a_readable_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_file(path, [])
    assert list(read_rows(path)) == []


def test_rows_of_a_file_go_into_another_as_they_are(tmp_path: Path) -> None:
    rows = [full_row(f"{n}.png") for n in range(5)]
    with (tmp_path / "x.parquet").open("wb") as file:
        out = RowFile(file)
        out.write(error_row("first"))
        out.write_table(to_table(rows))
        # As an earlier version would have written them: without a field that has been added since.
        out.write_table(to_table(rows[:1]).drop_columns(["warnings"]))
        out.finish({})
        assert out.rows == 7
    last = msgspec.structs.replace(rows[0], warnings=[])
    assert list(read_rows(tmp_path / "x.parquet")) == [error_row("first"), *rows, last]


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_file(path, [full_row(f"{n}.png") for n in range(50)])
    whole = path.read_bytes()
    group = pq.ParquetFile(path).metadata.row_group(0)
    for number in range(0, group.num_columns, 7):
        # The last byte of a column is of a page's data: headers have no checksum.
        column = group.column(number)
        first = column.dictionary_page_offset or column.data_page_offset
        data = bytearray(whole)
        data[first + column.total_compressed_size - 1] ^= 0x10
        path.write_bytes(bytes(data))
        with pytest.raises(EnvironmentProblem, match=r"rows.parquet: cannot be read \(damaged"):
            list(read_rows(path))


def test_columns_by_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_file(path, [full_row("a"), error_row("b")])
    names = ["pcmde.verdict", "image_id", "terravis.eligible.p", "extra"]
    with path.open("rb") as file:
        table = read_table(file, "x", names)
    assert table.column_names == names
    assert table.to_pydict() == {
        "pcmde.verdict": ["PASS", None],
        "image_id": ["a", "b"],
        "terravis.eligible.p": [0.9, None],
        "extra": [[("model", "m"), ("steps", "20")], []],
    }
    for wrong in ("terravis.scor", "nothing", "image_id.x", ""):
        with path.open("rb") as file, pytest.raises(ConfigError, match="a row has no such column"):
            read_table(file, "x", [wrong])


def random_value(info: inspect.Type, rng: random.Random) -> Any:
    """Any value that a wire type allows."""
    match info:
        case inspect.StructType(cls=cls, fields=fields):
            return cls(**{f.name: random_value(f.type, rng) for f in fields})
        case inspect.ListType(item_type=item, min_length=least):
            return [random_value(item, rng) for _ in range(least or rng.choice((0, 0, 1, 3)))]
        case inspect.DictType(value_type=value):
            return {f"k{n}": random_value(value, rng) for n in range(rng.choice((0, 1, 4)))}
        case inspect.UnionType(types=types):
            return random_value(rng.choice(types), rng)
        case inspect.NoneType():
            return None
        case inspect.Metadata(type=inner):
            return random_value(inner, rng)
        case inspect.LiteralType(values=options):
            return rng.choice(options)
        case inspect.StrType():
            return rng.choice(("", "a", "\u00e9\U0001f986", "x\x00y", "null", "z" * 300))
        case inspect.FloatType(ge=least, le=most):
            return rng.choice((least or 0.0, 1 if most is None else most, rng.random(), 1e-300))
        case inspect.IntType(ge=least, le=most):
            return rng.randint(least or -(2**63), most or 2**63 - 1)
        case inspect.BoolType():
            return rng.random() < 0.5
    raise TypeError(info)


@pytest.mark.parametrize("seed", range(4))
def test_by_columns_is_the_same_as_by_rows(seed: int) -> None:
    """Whatever is in the rows: nothing, nulls in nulls, the ends of the ranges."""
    rng = random.Random(seed)
    info = inspect.type_info(wire.Row)
    for count in (0, 1, 7):
        rows = [random_value(info, rng) for _ in range(count)]
        table = to_table(rows)
        table.validate(full=True)
        plain = pa.Table.from_pylist([msgspec.to_builtins(row) for row in rows], arrow_schema())
        assert table.equals(plain)
        assert list(to_rows(table)) == rows
        assert list(to_rows(table.slice(3, 2))) == rows[3:5]


def test_rows_that_no_row_can_be(tmp_path: Path) -> None:
    whole = pa.Table.from_pylist([msgspec.to_builtins(full_row("a"))], arrow_schema())
    twice = pa.array([[("a", "1"), ("a", "2")]], arrow_schema().field("extra").type)
    for table, says in (
        (whole.append_column("surprise", [[1]]), "unknown field `surprise`"),
        (whole.set_column(whole.column_names.index("width"), "width", [["x"]]), "Expected `int"),
        (whole.set_column(whole.column_names.index("extra"), "extra", [twice]), "once each"),
        (whole.drop_columns(["source"]), "missing required field `source`"),
    ):
        pq.write_table(table, tmp_path / "x.parquet")
        with pytest.raises(ConfigError, match=f"x.parquet: not rows of this version: .*{says}"):
            list(read_rows(tmp_path / "x.parquet"))


def test_json_round_trip_fits_the_published_schema() -> None:
    schema = json.loads((ROOT / "docs/row.schema.json").read_text("utf-8"))
    assert schema == wire.row_schema(), "regenerate: physgauge schema > docs/row.schema.json"
    for row in (full_row("a"), error_row("b")):
        line = wire.to_json(row)
        assert wire.from_json(line) == row
        jsonschema.validate(json.loads(line), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"image_id": 5}, schema)


def test_unknown_fields_and_wrong_types_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `surprise`"):
        wire.from_json(wire.to_json(error_row("b"))[:-1] + b',"surprise":1}')
    with pytest.raises(
        msgspec.ValidationError, match=r"Expected `str`, got `int` - at `\$\.image_id`"
    ):
        wire.from_json(wire.to_json(error_row("b")).replace(b'"image_id":"b"', b'"image_id":1'))


def test_the_arrow_schema_has_the_rows_fields() -> None:
    assert arrow_schema().names == list(wire.Row.__struct_fields__)
