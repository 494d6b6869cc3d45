"""Rounds of `benchmarks.chaos`, and that their check can fail. More: ``python -m benchmarks.chaos``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.chaos import broken, play
from benchmarks.chaos_check import check, verify
from benchmarks.chaos_faults import (
    Fault,
    all_killed,
    bit_flipped,
    stopped,
    workers_killed,
)
from benchmarks.chaos_world import World, make_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("chaos") / "world", 60, rules=False)


@pytest.mark.parametrize("fault", [workers_killed, stopped, bit_flipped])
def test_each_image_has_its_one_row(world: World, tmp_path: Path, fault: Fault) -> None:
    (told,) = play(world, tmp_path, [fault], rounds=1, seed=5)
    assert told.did, "the fault did not happen"
    assert not told.wrong


def test_a_committer_that_marks_afterwards_is_caught(world: World, tmp_path: Path) -> None:
    (told,) = play(world, tmp_path, [all_killed], rounds=1, seed=5, more=broken(tmp_path))
    assert told.did
    assert any("all files of rows/" in one for one in told.wrong)


def test_the_check_sees_what_is_wrong(world: World, tmp_path: Path) -> None:
    good, output = world.folder / "undisturbed", tmp_path / "run"
    shutil.copytree(good, output)
    assert check(world, output, "none") == []
    first, second = sorted((output / "rows").iterdir())[:2]
    (output / "attempts" / "left.0").touch()
    second.rename(first)
    wrong = check(world, output, "none")
    assert any("attempts/" in one for one in wrong)
    assert any("another image_id" in one for one in wrong)
    assert any(one.startswith("rows: expected the") for one in wrong)
    assert any(one.startswith("all files of rows/") for one in wrong)
    data = bytearray(first.read_bytes())
    data[200] ^= 1
    first.write_bytes(data)
    code, said = verify(output, "none")
    assert code == 4
    assert first.name in said
