"""The same command again, with other inputs or settings: noticed, explained, and scored again when asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from physgauge import wire
from tests.bulk import rig

COUNT = 24


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """A finished run of 24 images in units of 8."""
    rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(COUNT))
    score(tmp_path)
    return tmp_path


def score(folder: Path, *more: str, code: int = 0) -> str:
    done = rig.run(
        folder, "score", "in", "-o", "out", "--profile", folder / "profile/bench.toml",
        "--unit-size", "8", *more, code=code,
    )  # fmt: skip
    return done.stdout + done.stderr


def by_id(folder: Path) -> dict[str, wire.Row]:
    found = rig.rows(folder / "out")
    named = {row.image_id: row for row in found}
    assert len(named) == len(found)
    return named


def test_images_that_changed_came_and_went(done: Path) -> None:
    before = by_id(done)
    rig.save(done / "in/00003.npy", rig.picture(503))
    rig.images(done / "in", [100])
    (done / "in/00020.npy").unlink()
    said = score(done, code=2)
    assert "1 added, 1 changed, 1 gone" in said
    assert "in/00100.npy" in said
    assert "--update" in said
    assert by_id(done) == before  # a refusal changes nothing

    said = score(done, "--update")
    assert "Changed: 1 added, 1 changed, 1 gone" in said
    after = by_id(done)
    assert set(after) == set(before) - {"in/00020.npy"} | {"in/00100.npy"}
    assert after["in/00003.npy"].pixel_sha256 != before["in/00003.npy"].pixel_sha256
    kept = set(before) & set(after) - {"in/00003.npy"}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert sorted(one.name for one in done.glob("out/rows/*")) == [
        "unit-00000000.g001.parquet",  # one changed
        "unit-00000001.parquet",  # untouched
        "unit-00000002.g001.parquet",  # one gone
        "unit-00000003.parquet",  # one added
    ]
    assert "Nothing to do" in score(done)
    assert "Nothing has changed" in score(done, "--update")

    rig.images(done / "in", [20])  # it is back
    assert "1 there again" in score(done, code=2)
    score(done, "--update")
    again = by_id(done)
    assert list(again) == [*before, "in/00100.npy"]
    assert rig.plain([again["in/00020.npy"]]) == rig.plain([before["in/00020.npy"]])


def test_another_model_is_noticed_and_all_rows_are_made_again(done: Path) -> None:
    before = by_id(done)
    rig.detector(done / "profile/boxes.onnx", poison=True)
    said = score(done, code=2)
    assert "detectors.boxes.model" in said
    assert "--update" in said
    said = score(done, "--update")
    assert "Changed: detectors.boxes.model: sha256" in said
    after = by_id(done)
    assert list(after) == list(before)
    models = {row.provenance.models["boxes"] for row in after.values()}
    assert len(models) == 1
    assert models != {row.provenance.models["boxes"] for row in before.values()}
    assert all(row.same_as is None for row in after.values())  # no row of the old model is copied
    assert all("g001" in one.name for one in done.glob("out/rows/*"))


def test_another_setting_option_or_list_is_noticed(done: Path) -> None:
    profile = done / "profile/bench.toml"
    text = profile.read_text("utf-8")
    profile.write_text(text + "min_score = 0.4\n", "utf-8")
    assert "detectors.boxes.min_score: 0.5" in score(done, code=2)
    profile.write_text(text.replace("batch_size = 4", "batch_size = 2"), "utf-8")
    assert "Nothing to do" in score(done)  # how fast is no matter
    assert "method: both" in score(done, "--method", "pcmde", code=2)
    (done / "few.txt").write_text("in/00001.npy\nin/00002.npy\n", "utf-8")
    said = rig.run(done, "score", "@few.txt", "-o", "out", "--profile", profile, code=2).stderr
    assert "the inputs are not what they were" in said


def test_a_run_is_replaced_only_on_request(done: Path) -> None:
    (done / "in/00001.npy").unlink()
    score(done, code=2)
    score(done, "--overwrite")
    assert len(by_id(done)) == COUNT - 1
    old = done / "old"
    old.mkdir()
    (old / "rows.parquet").write_bytes(b"of an earlier physgauge")
    said = rig.run(done, "score", "in", "-o", "old", code=2).stderr
    assert "rows.parquet exists" in said
    assert "--overwrite" in said


def test_ten_thousand_broken_images_in_a_row(tmp_path: Path) -> None:
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", [0])
    empty = tmp_path / "in/1.jpg"
    empty.touch()
    for number in range(2, 10_001):
        os.link(empty, tmp_path / f"in/{number}.jpg")
    rig.run(tmp_path, "score", "in", "-o", "out", "--profile", profile)
    found = rig.rows(tmp_path / "out")
    assert len(found) == 10_001
    assert [row.error_code for row in found].count("image_empty") == 10_000
    assert len({row.image_id for row in found}) == 10_001
