"""A run folder: what it was made with, commits, generations, reading."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest

from physgauge import wire
from physgauge.clients.runs import Run, open_run, read_ids, read_row, read_run, wipe
from physgauge.clients.runs import commit as commit_module
from physgauge.clients.storage import Store, open_store
from physgauge.errors import ConfigError, EnvironmentProblem
from tests.clients.test_table import error_row, full_row
from tests.storage.s3 import S3, s3, s3_shared

__all__ = ["s3", "s3_shared"]
PARTS = {"model parts": "ab" * 32, "pack car": "car 1"}


def begin(store: Store) -> Run:
    return Run.create_or_open(store, PARTS, {"profile": "tiny"})


def some(unit: int, count: int = 3, extra: str = "") -> list[wire.Row]:
    rows = [full_row(f"{unit}/{n}") if n else error_row(f"{unit}/{n}") for n in range(count)]
    return [msgspec.structs.replace(row, extra={"g": extra}) for row in rows]


@pytest.fixture(params=["disk", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "s3":
        request.getfixturevalue("s3")
        return open_store(f"s3://runs/{tmp_path.name}")
    return open_store(tmp_path / "run")


def test_rows_come_back_in_order_of_units(store: Store) -> None:
    run = begin(store)
    for unit in (2, 0, 11):
        assert run.commit(unit, 0, some(unit, unit + 1))
    assert run.pending(range(4)) == {1: 0, 3: 0}
    again = Run.open(open_store(store.address))
    assert [(c.unit, c.generation, c.entries) for c in again.committed().values()] == [
        (0, 0, 1), (2, 0, 3), (11, 0, 12),
    ]  # fmt: skip
    assert list(again.rows()) == [*some(0, 1), *some(2, 3), *some(11, 12)]
    assert list(again.rows([11, 0, 7])) == [*some(0, 1), *some(11, 12)]
    assert list(read_run(store.address)) == list(again.rows())
    assert read_ids(store.address)[:3] == ["0/0", "2/0", "2/1"]
    assert read_row(store.address, 4) == some(11)[0]
    with pytest.raises(IndexError, match="one of 16 rows, got 16"):
        read_row(store.address, 16)
    (part,) = again.parts(["image_id", "terravis.score"], [2])
    assert part[0].unit == 2
    assert part[1].to_pydict() == {
        "image_id": ["2/0", "2/1", "2/2"],
        "terravis.score": [None, 0.5, 0.5],
    }
    assert again.table(2).num_rows == 3
    with pytest.raises(KeyError):
        again.table(3)


def test_a_unit_is_committed_once(store: Store) -> None:
    run = begin(store)
    barrier = threading.Barrier(6)

    def race(n: int) -> bool:
        mine = Run.open(open_store(store.address))
        barrier.wait(60)
        return mine.commit(5, 0, some(5, 2, str(n)))

    with ThreadPoolExecutor(6) as pool:
        won = list(pool.map(race, range(6)))
    assert won.count(True) == 1
    assert list(run.rows()) == some(5, 2, str(won.index(True)))
    assert not run.commit(5, 0, some(5, 2, "late"))
    assert [one.key for one in store.list("attempts/")] == []


def test_a_changed_part_is_said(tmp_path: Path) -> None:
    store = open_store(tmp_path / "run")
    run = begin(store)
    other = {"model parts": "ac" * 32, "pack car": "car 1", "judge mode": "onepass"}
    with pytest.raises(ConfigError) as error:
        Run.create_or_open(store, other, {})
    assert str(error.value).splitlines() == [
        f"{tmp_path}/run: this run was made with something else than this command asks for:",
        "  judge mode: was nothing, is onepass",
        "  model parts: was abababababab..., is acacacacacac...",
        "Score again what that concerns with --update, or give another -o",
    ]
    assert [one.part for one in run.differences(other)] == ["judge mode", "model parts"]
    with pytest.raises(ConfigError, match="and 5 more"):
        Run.create_or_open(store, {f"part {n}": "x" for n in range(13)}, {})


def test_two_that_begin_at_once_end_with_one_run(tmp_path: Path) -> None:
    barrier = threading.Barrier(4)

    def race(n: int) -> str:
        barrier.wait(60)
        return begin(open_store(tmp_path / "run")).latest.token

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(race, range(4)))) == 1


def test_what_is_no_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"none: expected a run of physgauge \(run.json\), got none"
    ):
        open_run(tmp_path / "none")
    store = open_store(tmp_path / "run")
    run = begin(store)
    run.commit(0, 0, some(0))
    record = json.loads(store.get("run.json"))
    for change, says in (
        ({"format": 2}, "expected a run folder of format 1, got 2: a later version"),
        ({"generation": "x"}, "run.json: expected the record of a run"),
        ({"format": None}, "run.json: expected the record of a run"),
    ):
        store.replace("run.json", json.dumps(record | change).encode())
        with pytest.raises(ConfigError, match=says):
            open_run(tmp_path / "run")
    store.delete("run.json")
    with pytest.raises(ConfigError, match=r"got rows/ without run.json"):
        begin(store)
    (tmp_path / "old").mkdir()
    (tmp_path / "old/rows.parquet").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"give the file itself, .*old/rows.parquet"):
        list(read_run(tmp_path / "old"))


def test_a_generation_replaces_the_units_it_names(store: Store) -> None:
    run = begin(store)
    for unit in range(3):
        run.commit(unit, 0, some(unit))
    second = run.revise("retry", PARTS, {}, [1])
    assert second.wanted(range(4)) == {0: 0, 1: 1, 2: 0, 3: 0}
    assert second.pending(range(4)) == {1: 1, 3: 0}
    third = second.revise("update", PARTS | {"pack car": "car 2"}, {}, None)
    assert third.pending(range(4)) == {0: 2, 1: 2, 2: 2, 3: 2}
    with pytest.raises(ConfigError, match="somebody else has begun to change this run"):
        second.revise("retry", PARTS, {}, [1])
    again = Run.open(store)
    assert again.commit(1, 2, again.table(1))
    assert [one.key for one in store.list("rows/")] == [
        "rows/unit-00000000.parquet", "rows/unit-00000001.g002.parquet", "rows/unit-00000002.parquet",
    ]  # fmt: skip
    assert list(again.rows()) == [row for unit in range(3) for row in some(unit)]
    assert again.pending(range(3)) == {0: 2, 2: 2}
    # This command asks for what the run is to become, not for what it began as.
    assert Run.create_or_open(store, PARTS | {"pack car": "car 2"}, {}).latest.generation == 2
    with store.open("rows/unit-00000001.g002.parquet") as file:
        said = pq.read_metadata(file).metadata
    assert said[b"physgauge.unit"] == b"1"
    assert said[b"physgauge.generation"] == b"2"
    assert said[b"physgauge.entries"] == b"3"
    assert said[b"physgauge.fingerprint"].decode() == again.fingerprint
    assert len(said[b"physgauge.attempt"]) == 32


@pytest.mark.parametrize("moment", ["before", "after the first look"])
def test_a_late_worker_takes_its_rows_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """It began in generation 0, stood still, and goes on when generation 1 is there."""
    store = open_store(tmp_path / "run")
    late = begin(store)
    late.commit(0, 0, some(0))
    newer = late.revise("update", PARTS, {}, None)

    def overtake() -> None:
        assert newer.commit(0, 1, some(0, 3, "new"))
        assert newer.commit(1, 1, some(1, 3, "new"))

    if moment == "before":
        overtake()
    else:
        write = commit_module._write

        def stand_still(*given: object) -> object:
            monkeypatch.undo()
            overtake()
            return write(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(commit_module, "_write", stand_still)
    assert not late.commit(1, 0, some(1, 3, "old"))
    assert not late.commit(0, 0, some(0, 3, "old"))
    assert [one.key for one in store.list("rows/")] == [
        "rows/unit-00000000.g001.parquet", "rows/unit-00000001.g001.parquet",
    ]  # fmt: skip
    assert list(Run.open(store).rows()) == [*some(0, 3, "new"), *some(1, 3, "new")]
    assert list(store.list("attempts/")) == []


@pytest.mark.parametrize("moment", ["before", "after the first look", "after its commit"])
def test_a_late_worker_of_a_run_that_was_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Its rows are of other inputs: none of them gets into the run that is there now."""
    store = open_store(tmp_path / "run")
    late = begin(store)
    late.commit(0, 0, some(0, 3, "old"))

    def overwrite() -> None:
        monkeypatch.undo()
        wipe(store)
        assert begin(store).commit(0, 0, some(0, 3, "new"))

    if moment == "before":
        overwrite()
    elif moment == "after the first look":
        write = commit_module._write

        def stand_still(*given: object) -> object:
            made = write(*given)  # type: ignore[arg-type]
            attempt = made[0]
            assert isinstance(attempt, Path)
            attempt.rename(tmp_path / "aside")
            overwrite()
            (tmp_path / "aside").rename(attempt)
            return made

        monkeypatch.setattr(commit_module, "_write", stand_still)
    else:
        create = store.create

        def and_stand_still(key: str, data: bytes | Path, durable: bool = True) -> bool:
            assert create(key, data, durable)
            overwrite()
            assert begin(store).commit(1, 0, some(1, 3, "new"))
            return True

        monkeypatch.setattr(store, "create", and_stand_still)
    with pytest.raises(ConfigError, match="overwritten"):
        late.commit(1, 0, some(1, 3, "old"))
    new = some(0, 3, "new") + (some(1, 3, "new") if moment == "after its commit" else [])
    assert list(Run.open(store).rows()) == new


def test_a_worker_that_died_before_its_count(tmp_path: Path) -> None:
    run = begin(open_store(tmp_path / "run"))
    run.commit(0, 0, some(0, 4))
    (tmp_path / "run/counts/unit-00000000.g000.4").unlink()
    assert run.committed()[0].entries == 4
    assert (tmp_path / "run/counts/unit-00000000.g000.4").exists()


def test_rows_that_fail_leave_nothing(tmp_path: Path) -> None:
    run = begin(open_store(tmp_path / "run"))

    def failing() -> Iterator[wire.Row]:
        yield from some(0, 2000)
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        run.commit(0, 0, failing())
    assert list(run.store.list("rows/")) == list(run.store.list("attempts/")) == []
    assert run.commit(0, 0, some(0))


def test_bits_that_flip(tmp_path: Path) -> None:
    """Wherever it flips: an error that names the file, or rows as they were."""
    run = begin(open_store(tmp_path / "run"))
    rows = some(0, 40)
    run.commit(0, 0, rows)
    (file,) = (tmp_path / "run/rows").iterdir()
    whole = file.read_bytes()
    rng = random.Random(5)
    said: list[str] = []
    for _ in range(120):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
        try:
            read = list(run.rows())
        except (EnvironmentProblem, ConfigError) as error:
            said.append(str(error))
        else:
            assert read == rows
    assert len(said) > 40
    assert all("rows/unit-00000000.parquet: " in one for one in said)
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        EnvironmentProblem, match=r"unit-00000000.parquet: cannot be read \(damaged"
    ):
        list(run.rows())
    file.write_bytes(b"")
    with pytest.raises(
        EnvironmentProblem, match=r"unit-00000000.parquet: cannot be read \(damaged"
    ):
        next(run.tables(["image_id"]))


def test_answers_that_are_lost_on_s3(s3: S3, tmp_path: Path) -> None:
    """Puts that land and answer 500: one of many workers has committed, and knows it."""
    store = open_store(f"s3://runs/{tmp_path.name}")
    run = begin(store)
    turn = random.Random(3)
    s3.fault = lambda method, path: (
        turn.choice(["500 after", "cut after", "503", None])
        if "/rows/" in path and method == "PUT"
        else None
    )

    def work(n: int) -> list[int]:
        mine = Run.open(open_store(store.address))
        return [unit for unit in range(6) if mine.commit(unit, 0, some(unit, 2, str(n)))]

    with ThreadPoolExecutor(3) as pool:
        won = list(pool.map(work, range(3)))
    assert sorted(unit for units in won for unit in units) == list(range(6))
    by = {unit: str(n) for n, units in enumerate(won) for unit in units}
    assert list(run.rows()) == [row for unit in range(6) for row in some(unit, 2, by[unit])]
    assert sum("after" in (fault or "") for _, _, fault in s3.seen) > 0
