from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pyarrow.parquet as pq
import pytest

from physgauge import wire
from physgauge.clients.table import RowWriter, arrow_schema, read_rows, write_rows

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


def test_parquet_gives_back_what_was_written(tmp_path: Path) -> None:
    rows = [full_row(f"{n}.png") if n % 3 else error_row(f"{n}.png") for n in range(25)]
    path = tmp_path / "rows.parquet"
    assert write_rows(path, rows) == 25
    assert list(read_rows(path)) == rows


def test_no_rows_is_a_readable_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    assert write_rows(path, []) == 0
    assert list(read_rows(path)) == []


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_rows(path, [full_row(f"{n}.png") for n in range(50)])
    whole = path.read_bytes()
    group = pq.ParquetFile(path).metadata.row_group(0)
    for number in range(0, group.num_columns, 7):
        # The last byte of a column is of a page's data: headers have no checksum.
        column = group.column(number)
        first = column.dictionary_page_offset or column.data_page_offset
        data = bytearray(whole)
        data[first + column.total_compressed_size - 1] ^= 0x10
        path.write_bytes(bytes(data))
        with pytest.raises((OSError, msgspec.ValidationError, UnicodeDecodeError)):
            list(read_rows(path))


def test_no_file_under_the_final_name_after_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"

    def write_and_fail() -> None:
        with RowWriter(path) as writer:
            writer.write(full_row("a.png"))
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        write_and_fail()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files, in a process of its own, stands for the disk's end."""
    script = """
import os, resource, signal, sys
from pathlib import Path
from physgauge.clients.table import RowWriter
from physgauge.errors import EnvironmentProblem
from tests.clients.test_table import full_row
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    with RowWriter(Path(sys.argv[1]), rows_per_group=int(sys.argv[2])) as writer:
        for n in range(200):
            writer.write(full_row(os.urandom(40).hex()))
except EnvironmentProblem as error:
    print(error)
"""
    for rows in (10, 1000):  # while it writes, and when it closes
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "rows.parquet"), str(rows)],
            capture_output=True, text=True, timeout=60, check=False, cwd=ROOT,
        )  # fmt: skip
        assert done.stderr == ""
        assert "rows.parquet: the rows cannot be written (File too large)" in done.stdout
        assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9") / "rows.parquet"
    path.parent.mkdir()
    write_rows(path, [full_row("a.png")])
    assert [row.image_id for row in read_rows(path)] == ["a.png"]


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
