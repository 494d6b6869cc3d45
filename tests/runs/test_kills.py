"""Every row once, whatever dies: processes killed and stopped at any moment while they commit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from physgauge.clients.runs import open_run
from tests.runs.killing import ROWS_A_UNIT, UNITS, rows

ROOT = Path(__file__).parents[2]


def one_round(folder: Path, seed: int, how: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.runs.killing", str(folder), str(seed), how],
        capture_output=True, text=True, timeout=240, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def check(folder: Path, generation: int) -> None:
    """Rows as a stranger reads them, file by file: a list, since a set would hide what is there twice."""
    ids: list[str] = []
    for file in (folder / "rows").iterdir():
        ids += pq.read_table(file, page_checksum_verification=True)["image_id"].to_pylist()
    assert sorted(ids) == [f"{n:04d}.png" for n in range(UNITS * ROWS_A_UNIT)]
    run = open_run(folder)
    assert list(run.rows()) == [row for unit in range(UNITS) for row in rows(unit, generation)]
    assert {one.entries for one in run.committed().values()} == {ROWS_A_UNIT}


def leftovers(folder: Path) -> list[str]:
    names = ("attempts", "claims", "sessions")
    return [p.name for name in names if (folder / name).is_dir() for p in (folder / name).iterdir()]


@pytest.mark.parametrize("how", ["races", "claims"])
def test_each_row_once(tmp_path: Path, how: str) -> None:
    one_round(tmp_path / "run", 1, how)
    check(tmp_path / "run", 1)
    assert len(list((tmp_path / "run/counts").iterdir())) == UNITS
    assert [name for name in leftovers(tmp_path / "run") if not name.startswith("x.")] == []


def test_a_committer_that_writes_and_then_marks_is_found_out(tmp_path: Path) -> None:
    """The check sees what it is there for."""
    one_round(tmp_path / "run", 1, "broken")
    with pytest.raises(AssertionError, match=r"'0\d\d\d.png'"):
        check(tmp_path / "run", 0)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["races", "claims"])
def test_fifty_rounds(tmp_path: Path, how: str) -> None:
    for seed in range(50):
        folder = tmp_path / str(seed)
        one_round(folder, seed, how)
        check(folder, 1)


@pytest.mark.slow
def test_each_of_ten_broken_rounds_is_found_out(tmp_path: Path) -> None:
    for seed in range(10):
        folder = tmp_path / str(seed)
        one_round(folder, seed, "broken")
        with pytest.raises(AssertionError, match=r"'0\d\d\d.png'"):
            check(folder, 0)
