"""Runs without a plan, and who else reads a run folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from physgauge.clients.runs import Run, RunWriter, open_run, read_run, wipe
from physgauge.clients.runs import small as small_module
from physgauge.clients.storage import open_store
from physgauge.clients.table import arrow_schema
from physgauge.errors import ConfigError, EnvironmentProblem
from tests.clients.test_table import error_row, full_row
from tests.runs.folders import write_run

ROOT = Path(__file__).parents[2]


def tree(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_rows_are_there_when_all_are_there(tmp_path: Path) -> None:
    rows = [full_row(f"{n}") for n in range(1100)]
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    with RunWriter(open_store(folder), {"command": "x"}) as writer:
        for row in rows:
            writer.write(row)
        assert not any((folder / "rows").glob("*"))
    assert tree(folder) == [
        "counts/unit-00000000.g000.512",
        "counts/unit-00000001.g000.512",
        "counts/unit-00000002.g000.76",
        "row.schema.json",
        "rows/unit-00000000.parquet",
        "rows/unit-00000001.parquet",
        "rows/unit-00000002.parquet",
        "run.json",
    ]
    assert list(read_run(folder)) == rows
    assert open_run(folder).latest.options == {"command": "x"}
    write_run(tmp_path / "none", [])
    assert list(read_run(tmp_path / "none")) == []


@pytest.mark.parametrize("address", ["disk", "memory"])
def test_what_fails_leaves_what_was_there(tmp_path: Path, address: str) -> None:
    store = open_store(tmp_path / "out" if address == "disk" else f"memory://{tmp_path.name}")
    write_run(store.address, [full_row("old")])
    with pytest.raises(
        ConfigError, match="a run is there: expected another -o DIR, or --overwrite"
    ):
        RunWriter(store, {}).check()

    def write_and_fail() -> None:
        with RunWriter(store, {}, overwrite=True) as writer:
            for n in range(600):
                writer.write(full_row(str(n)))
            raise RuntimeError("boom")

    before = [one.key for one in store.list("")]
    with pytest.raises(RuntimeError, match="boom"):
        write_and_fail()
    assert [one.key for one in store.list("")] == before
    assert (
        [row.image_id for row in open_run(store.address).rows()] == ["old"]
        if address == "disk"
        else True
    )
    write_run(store.address, [full_row("new")])
    assert [row.image_id for row in Run.open(store).rows()] == ["new"]


def test_a_run_is_wiped_and_what_is_not_its_own_stays(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for key in ("rows/notes.txt", "plan/mine.txt", "annotated/a.png", "events/x"):
        store.create(key, b"1")
    wipe(store)
    assert len(tree(tmp_path)) == 4  # no run is here: nothing is touched
    run = Run.create_or_open(store, {"a": "b"}, {})
    run.commit(0, 0, [full_row("a")])
    run.revise("retry", {"a": "b"}, {}, [0]).commit(0, 1, [full_row("a")])
    wipe(store)
    assert tree(tmp_path) == ["annotated/a.png", "rows/notes.txt"]


def test_two_writers_at_one_place(tmp_path: Path) -> None:
    def both() -> None:
        with RunWriter(open_store(tmp_path), {}) as a:
            a.write(full_row("a"))
            with RunWriter(open_store(tmp_path), {}) as b:
                b.write(full_row("b"))

    with pytest.raises(ConfigError, match="somebody else writes a run here"):
        both()
    assert [row.image_id for row in read_run(tmp_path)] == ["b"]
    assert not any((tmp_path / "attempts").iterdir())


FULL = """
import os, resource, signal, sys
from pathlib import Path
from physgauge.clients.runs import Run, RunWriter
from physgauge.clients.storage import open_store
from physgauge.errors import EnvironmentProblem
from tests.clients.test_table import full_row
rows = [full_row(os.urandom(40).hex()) for n in range(200)]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = open_store(sys.argv[1])
run = Run.create_or_open(store, {}, {})
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    if sys.argv[3] == "commit":
        run.commit(0, 0, rows)
    else:
        with RunWriter(store, {}, overwrite=True) as writer:
            for row in rows:
                writer.write(row)
except EnvironmentProblem as error:
    print(error)
"""


@pytest.mark.parametrize("how", ["commit", "writer"])
def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, how: str) -> None:
    """A limit on the size of files, in a process of its own, stands for the disk's end."""
    for limit in (45_000, 60_000):
        done = subprocess.run(
            [sys.executable, "-c", FULL, str(tmp_path / "run"), str(limit), how],
            capture_output=True, text=True, timeout=60, check=False, cwd=ROOT,
        )  # fmt: skip
        assert done.stderr == ""
        says = "rows/unit-00000000.parquet: cannot be written (File too large)"
        assert done.stdout == f"{tmp_path}/run/{says}\n"
        assert tree(tmp_path / "run") == ["row.schema.json", "run.json"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Root may write anywhere, so a file stands in the way instead."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EnvironmentProblem, match="cannot be made"):
        write_run(tmp_path / "file/run", [full_row("a")])
    write_run(tmp_path / "run", [full_row("a")])
    run = open_run(tmp_path / "run")
    (tmp_path / "run/attempts").rmdir()
    (tmp_path / "run/attempts").write_bytes(b"")
    with pytest.raises(EnvironmentProblem, match="attempts: cannot be made"):
        open_run(tmp_path / "run").commit(5, 0, [full_row("b")])
    assert list(run.committed()) == [0]


def test_others_read_it_without_our_help(tmp_path: Path) -> None:
    rows = [full_row(f"{n:04d}") if n % 5 else error_row(f"{n:04d}") for n in range(1200)]
    write_run(tmp_path, rows)
    folder = tmp_path / "rows"
    expected = [
        (row.image_id, row.terravis.score, row.pcmde.verdict, row.extra.get("model"))
        for row in rows
    ]

    frame = pd.read_parquet(folder)
    assert list(frame.columns) == arrow_schema().names
    assert [
        (name, terravis["score"], pcmde["verdict"], dict(extra).get("model"))
        for name, terravis, pcmde, extra in zip(
            frame["image_id"], frame["terravis"], frame["pcmde"], frame["extra"], strict=True
        )
    ] == expected

    scanned = pl.scan_parquet(folder / "*.parquet").select(
        "image_id",
        pl.col("terravis").struct.field("score"),
        pl.col("pcmde").struct.field("verdict"),
    )
    assert scanned.collect().rows() == [one[:3] for one in expected]

    found = duckdb.sql(
        "SELECT image_id, terravis.score, pcmde.verdict, extra['model'] "
        f"FROM read_parquet('{folder}/*.parquet') ORDER BY image_id"
    )
    assert found is not None
    assert found.fetchall() == expected


def test_statistics_and_indexes_are_there_to_filter_by(tmp_path: Path) -> None:
    write_run(tmp_path, [full_row(f"{n:04d}") for n in range(600)])
    with (tmp_path / "rows/unit-00000001.parquet").open("rb") as file:
        group = pq.read_metadata(file).row_group(0)
    column = group.column(0)
    assert column.path_in_schema == "image_id"
    assert (column.statistics.min, column.statistics.max) == ("0512", "0599")
    assert column.has_offset_index
    assert column.has_column_index
    assert column.compression == "ZSTD"
    assert small_module.UNIT_ROWS == 512
