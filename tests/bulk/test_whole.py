"""A unit is committed with exactly its entries, each with its own row, or not at all; and never into another
run."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from physgauge import wire
from physgauge.bulk.tray import Tray
from physgauge.bulk.work import Keep, Known, Retry, Task
from physgauge.bulk.worker import LocalStage
from physgauge.clients.runs import Committed, Run, listing, session
from physgauge.clients.runs import run as run_module
from physgauge.clients.sources import Entry, Sourcing, Unit, Where, make_plan
from physgauge.clients.storage import Store, open_store
from physgauge.errors import ConfigError
from physgauge.types import Item
from tests.bulk import here, rig
from tests.bulk.test_twins import row


def archive(path: Path, numbers: Iterable[int], bad: Iterable[int] = ()) -> None:
    """``NNNNN.npy`` for each number; the bad ones cannot be decoded."""
    with tarfile.open(path, "w") as file:
        for number in numbers:
            data = io.BytesIO()
            np.save(data, rig.picture(number))
            body = b"\x93NUMPY no" if number in bad else data.getvalue()
            info = tarfile.TarInfo(f"{number:05}.npy")
            info.size = len(body)
            file.addfile(info, io.BytesIO(body))


@pytest.mark.parametrize("now", [[0, 1], [3, 1, 2, 0], [9, *range(4), 8]])
def test_an_archive_that_was_replaced_before_a_retry(tmp_path: Path, now: list[int]) -> None:
    """Its rows are those of the archive that is there: not a mixture, and nobody waits for what is gone."""
    profile, shard = rig.profile(tmp_path / "profile"), tmp_path / "in.tar"
    archive(shard, range(4), bad=[1])
    here.score(tmp_path, [str(shard)], profile=profile)
    archive(shard, now)
    here.score(tmp_path, [str(shard)], profile=profile, retry=Retry(statuses=["error"]))
    found = rig.rows(tmp_path / "out")
    assert [Path(row.image_id).stem[-5:] for row in found] == [f"{one:05}" for one in now]
    assert len({row.pixel_sha256 for row in found}) == len(now)
    assert all(row.error_code is None for row in found)


def test_a_row_that_is_not_its_entrys_is_not_kept(tmp_path: Path) -> None:
    entries = [
        Entry(image_id=name, source=name, origin=name, where=Where("file", name, b""))
        for name in "abc"
    ]
    task = Task(unit=Unit(number=0, entries=entries), generation=1, keep=Keep(generation=0))
    old = [row("a"), row("x"), row("c")]
    assert Tray(task, old).rows == {0: old[0], 2: old[2]}


@pytest.mark.parametrize("wrong", ["a row less", "two rows in each other's place"])
def test_a_stage_that_mixes_rows_up_commits_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(8))
    score = LocalStage.score

    def broken(self: LocalStage, items: Iterable[Item], known: Known | None) -> Iterator[wire.Row]:
        rows = list(score(self, items, known))
        yield from rows[:-1] if wrong == "a row less" else [rows[1], rows[0], *rows[2:]]

    monkeypatch.setattr(LocalStage, "score", broken)
    with pytest.raises(RuntimeError, match="expected"):
        here.score(tmp_path, profile=profile)
    assert list((tmp_path / "out").glob("rows/*")) == []
    monkeypatch.undo()
    here.score(tmp_path, profile=profile)
    assert len(rig.rows(tmp_path / "out")) == 8


def test_with_nothing_to_do_the_dead_are_swept(tmp_path: Path) -> None:
    """A session that was killed after its last commit, and between a commit and what it replaces."""
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(4))
    here.score(tmp_path, profile=profile)
    out = tmp_path / "out"
    beat = msgspec.json.encode(session.Beat(3, "h", 4194300, session._place())).decode()
    left = {
        "sessions/00ff.json": beat,
        "claims/unit-00000000.g000.000.json": '{"session": "00ff", "token": "1"}',
        "attempts/00ff.1234": "half",
    }
    for name, text in left.items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text)
    assert "Nothing to do: all 4 rows" in here.score(tmp_path, profile=profile)
    assert [name for name in left if (out / name).exists()] == []
    assert len(rig.rows(out)) == 4


def test_two_that_start_at_once_with_other_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One plan is there in the end; whose inputs are not in it must hear of it."""
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(4))
    rig.images(tmp_path / "other", range(4, 6))

    def slower(inputs: list[str], store: Store, options: Sourcing) -> object:
        make_plan([str(tmp_path / "in")], store, options)
        return make_plan(inputs, store, options)

    monkeypatch.setattr("physgauge.bulk.command.make_plan", slower)
    with pytest.raises(ConfigError, match="2 added, 4 gone"):
        here.score(tmp_path, [str(tmp_path / "other")], profile=profile)
    assert list((tmp_path / "out").glob("rows/*")) == []


def test_many_units_are_printed_with_one_listing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(12))
    here.score(tmp_path, profile=profile, unit_size=1)
    listed, looks = listing.list_committed, []

    def look(store: Store) -> dict[int, Committed]:
        looks.append(store)
        return listed(store)

    monkeypatch.setattr(run_module, "list_committed", look)
    lines: list[bytes] = []
    here.score(tmp_path, profile=profile, unit_size=1, rows=lines)
    assert [wire.from_json(line) for line in lines] == rig.rows(tmp_path / "out")
    assert len(looks) < 6


def test_a_worker_of_a_run_that_was_overwritten(tmp_path: Path) -> None:
    """It is told where to work by name, and finds another run there."""
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(2))
    here.score(tmp_path, profile=profile)
    store = open_store(tmp_path / "out")
    before = Run.open(store).token
    assert Run.open(store, "", before).token == before
    here.score(tmp_path, profile=profile, overwrite=True)
    with pytest.raises(ConfigError, match="overwritten"):
        Run.open(store, "", before)
