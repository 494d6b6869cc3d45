"""The same command again, with other inputs or settings: noticed, explained, and scored again when asked."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from physgauge import wire
from physgauge.bulk.changing import begin_retry
from physgauge.bulk.work import Retry
from physgauge.clients.runs import Committed, Run, listing
from physgauge.clients.runs import run as run_module
from physgauge.clients.sources import Changes, Plan, Sourcing, changes, open_plan, update_plan
from physgauge.clients.storage import Store, open_store
from physgauge.errors import ConfigError
from tests.bulk import here, rig

COUNT = 24


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """A finished run of 24 images in units of 8."""
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(COUNT))
    here.score(tmp_path, profile=profile)
    return tmp_path


def profile_of(folder: Path) -> Path:
    return folder / "profile/bench.toml"


def by_name(folder: Path) -> dict[str, wire.Row]:
    found = rig.rows(folder / "out")
    named = {Path(row.image_id).stem: row for row in found}
    assert len(named) == len(found)
    return named


def refused(folder: Path, *says: str, **more: object) -> None:
    before = rig.rows(folder / "out")
    with pytest.raises(ConfigError) as error:
        here.score(folder, profile=profile_of(folder), **more)  # type: ignore[arg-type]
    for one in (*says, "--update"):
        assert one in str(error.value)
    assert rig.rows(folder / "out") == before  # a refusal changes nothing


def test_images_that_changed_came_and_went(done: Path) -> None:
    profile, before = profile_of(done), by_name(done)
    rig.save(done / "in/00003.npy", rig.picture(503))
    rig.images(done / "in", [100])
    (done / "in/00020.npy").unlink()
    refused(done, "1 added, 1 changed, 1 gone", "in/00100.npy")
    said = here.score(done, profile=profile, update=True)
    assert "Changed: 1 added, 1 changed, 1 gone" in said
    after = by_name(done)
    assert set(after) == set(before) - {"00020"} | {"00100"}
    assert after["00003"].pixel_sha256 != before["00003"].pixel_sha256
    kept = set(before) & set(after) - {"00003"}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert sorted(one.name for one in done.glob("out/rows/*")) == [
        "unit-00000000.g001.parquet",  # one changed
        "unit-00000001.parquet",  # untouched
        "unit-00000002.g001.parquet",  # one gone
        "unit-00000003.parquet",  # one added
    ]
    assert "Nothing to do" in here.score(done, profile=profile)
    assert "Nothing has changed" in here.score(done, profile=profile, update=True)

    rig.images(done / "in", [101])
    (done / "in/00021.npy").unlink()
    with pytest.raises(ConfigError) as error:  # what was gone before is not told again
        here.score(done, profile=profile)
    assert "1 added, 1 gone\n" in str(error.value)
    assert "00021.npy: gone" in str(error.value)
    assert "00020.npy" not in str(error.value)
    (done / "in/00101.npy").unlink()
    rig.images(done / "in", [21])

    rig.images(done / "in", [20])  # it is back
    refused(done, "1 there again")
    here.score(done, profile=profile, update=True)
    again = by_name(done)
    assert list(again) == [*before, "00100"]
    assert rig.plain([again["00020"]]) == rig.plain([before["00020"]])


def test_an_update_that_another_one_overtakes(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one looked before the last change: what it has not seen is scored all the same."""
    profile, before = profile_of(done), by_name(done)
    plan = open_plan(open_store(done / "out"))
    assert plan is not None
    rig.save(done / "in/00003.npy", rig.picture(503))
    theirs = changes(plan, [str(done / "in")], Sourcing())
    rig.save(done / "in/00013.npy", rig.picture(513))
    rig.images(done / "in", [100])

    def later(store: Store, plan: Plan, found: Changes) -> Plan:
        monkeypatch.undo()
        update_plan(store, plan, theirs)
        return update_plan(store, plan, found)

    monkeypatch.setattr("physgauge.bulk.changing.update_plan", later)
    here.score(done, profile=profile, update=True)
    assert "Nothing to do: all 25 rows" in here.score(done, profile=profile)
    after = by_name(done)
    assert {name for name in before if rig.plain([after[name]]) != rig.plain([before[name]])} == {
        "00003", "00013",
    }  # fmt: skip


def test_another_model_is_noticed_and_all_rows_are_made_again(done: Path) -> None:
    before = by_name(done)
    rig.detector(done / "profile/boxes.onnx", poison=True)
    refused(done, "detectors.boxes.model")
    said = here.score(done, profile=profile_of(done), update=True)
    assert "Changed: detectors.boxes.model: sha256" in said
    after = by_name(done)
    assert list(after) == list(before)
    models = {row.provenance.models["boxes"] for row in after.values()}
    assert len(models) == 1
    assert models != {row.provenance.models["boxes"] for row in before.values()}
    assert all(row.same_as is None for row in after.values())  # no row of the old model is copied
    assert all("g001" in one.name for one in done.glob("out/rows/*"))


def test_another_setting_option_or_list_is_noticed(done: Path) -> None:
    profile = profile_of(done)
    text = profile.read_text("utf-8")
    profile.write_text(text + "min_score = 0.4\n", "utf-8")
    refused(done, "detectors.boxes.min_score", "0.5", "0.4")
    profile.write_text(text.replace("batch_size = 4", "batch_size = 2"), "utf-8")
    assert "Nothing to do" in here.score(done, profile=profile)  # how fast is no matter
    refused(done, "method", "both", "pcmde", method="pcmde")
    refused(done, "gone", inputs=[str(done / "in/00001.npy")])


def test_archives_that_came_and_went(tmp_path: Path) -> None:
    profile = rig.profile(tmp_path / "profile")

    def shard(name: str, *numbers: int) -> None:
        rig.images(tmp_path / "loose", numbers)
        with tarfile.open(tmp_path / "in" / name, "w") as archive:
            for number in numbers:
                archive.add(tmp_path / f"loose/{number:05}.npy", f"{number}.npy")

    def numbers() -> list[int]:
        return [int(row.image_id.rpartition("/")[2]) for row in rig.rows(tmp_path / "out")]

    (tmp_path / "in").mkdir()
    shard("a.tar", 0, 1, 2)
    shard("b.tar", 3, 4)
    here.score(tmp_path, profile=profile)
    (tmp_path / "in/b.tar").rename(tmp_path / "b.tar")
    refused(tmp_path, "1 gone", "b.tar")
    assert "Changed: 1 gone" in here.score(tmp_path, profile=profile, update=True)
    assert numbers() == [0, 1, 2]
    assert "Nothing to do" in here.score(tmp_path, profile=profile)
    shard("c.tar", 5)
    refused(tmp_path, "1 added\n", "c.tar")
    here.score(tmp_path, profile=profile, update=True)
    assert numbers() == [0, 1, 2, 5]
    (tmp_path / "b.tar").rename(tmp_path / "in/b.tar")
    refused(tmp_path, "1 there again\n")
    here.score(tmp_path, profile=profile, update=True)
    assert numbers() == [0, 1, 2, 3, 4, 5]


def test_a_run_within_its_inputs_is_no_input(done: Path) -> None:
    profile = profile_of(done)
    os.rename(done / "out", done / "in/out")
    (done / "out").symlink_to(done / "in/out")
    assert "Nothing to do" in here.score(done, profile=profile)
    assert "Nothing has changed" in here.score(done, profile=profile, update=True)


def test_a_run_is_replaced_only_on_request(done: Path) -> None:
    profile = profile_of(done)
    (done / "in/00001.npy").unlink()
    refused(done, "1 gone")
    here.score(done, profile=profile, overwrite=True)
    assert len(by_name(done)) == COUNT - 1
    kept = rig.rows(done / "out")
    with pytest.raises(ConfigError, match="no such path"):  # a slip of the pen costs no rows
        here.score(done, [str(done / "imgaes")], profile=profile, overwrite=True)
    assert rig.rows(done / "out") == kept
    (done / "out/rows.parquet").write_bytes(b"of an earlier physgauge")
    with pytest.raises(ConfigError, match=r"rows\.parquet exists.*--overwrite"):
        here.score(done, profile=profile)


def test_a_run_without_rows_begins_anew(tmp_path: Path) -> None:
    """After a profile that could not work, the right one is no change of anything."""
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(3))
    right = profile.read_text("utf-8")
    profile.write_text(right.replace("boxes.onnx", "nowhere.onnx"), "utf-8")
    with pytest.raises(Exception, match=r"nowhere\.onnx"):
        here.score(tmp_path, profile=profile)
    profile.write_text(right, "utf-8")
    assert "begins anew" in here.score(tmp_path, profile=profile)
    assert len(by_name(tmp_path)) == 3


def test_rows_with_errors_are_tried_again_and_others_kept(tmp_path: Path) -> None:
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(COUNT))
    for number in (2, 9, 10):
        (tmp_path / f"in/{number:05}.npy").write_bytes(b"" if number == 9 else b"\x93NUMPY no")
    here.score(tmp_path, profile=profile)
    before = by_name(tmp_path)
    rig.images(tmp_path / "in", [2, 9])
    asked = Retry(statuses=["error"], codes=["image_empty"])
    assert "1 rows are tried again" in here.score(tmp_path, profile=profile, retry=asked)
    after = by_name(tmp_path)
    assert after["00009"].error_code is None
    assert [name for name in before if before[name] != after[name]] == ["00009"]
    asked = Retry(statuses=["error"])
    assert "2 rows are tried again" in here.score(tmp_path, profile=profile, retry=asked)
    last = by_name(tmp_path)
    assert last["00002"].error_code is None
    assert last["00010"].error_code == before["00010"].error_code
    assert sorted(one.name for one in tmp_path.glob("out/rows/*")) == [
        "unit-00000000.g002.parquet", "unit-00000001.g002.parquet", "unit-00000002.parquet",
    ]  # fmt: skip


def test_a_unit_committed_by_another_session_while_rows_to_retry_are_sought(
    done: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (done / "in/00023.npy").write_bytes(b"")
    here.score(done, profile=profile_of(done), update=True)
    rows = Run.open(open_store(done / "out")).table(2)
    (done / "out/rows/unit-00000002.g001.parquet").rename(done / "aside")
    listed, looks = listing.list_committed, []

    def once_more(store: Store) -> dict[int, Committed]:
        looks.append(listed(store))
        if len(looks) == 1:  # another session's commit, after the first look
            (done / "aside").rename(done / "out/rows/unit-00000002.g001.parquet")
        return looks[-1]

    monkeypatch.setattr(run_module, "list_committed", once_more)
    run = Run.open(open_store(done / "out"))
    _, meant = begin_retry(run, Retry(statuses=["error"]), run.latest.fingerprint)
    assert meant == 0  # of what it saw, in one look
    assert rows.num_rows == 8


def test_rows_are_printed_in_order_each_once(done: Path) -> None:
    lines: list[bytes] = []
    here.score(done, profile=profile_of(done), rows=lines)  # nothing to do: out of the files
    stored = rig.rows(done / "out")
    assert [wire.from_json(line) for line in lines] == stored
    rig.images(done / "in", [200, 201])
    lines.clear()
    here.score(done, profile=profile_of(done), update=True, rows=lines)
    assert [wire.from_json(line) for line in lines] == rig.rows(done / "out")
    assert len(lines) == COUNT + 2


def test_ten_thousand_broken_images_in_a_row(tmp_path: Path) -> None:
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", [0])
    empty = tmp_path / "in/1.jpg"
    empty.touch()
    for number in range(2, 10_001):
        os.link(empty, tmp_path / f"in/{number}.jpg")
    here.score(tmp_path, profile=profile, unit_size=512)
    found = rig.rows(tmp_path / "out")
    assert len(found) == 10_001
    assert [row.error_code for row in found].count("image_empty") == 10_000
    assert len({row.image_id for row in found}) == 10_001
