"""The small set that the package ships is taken from a larger one as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.shipped_pairs import chosen_of, ship
from physgauge.errors import ConfigError
from physgauge.selftest.pairs import read_pairs
from tests.selftest.shared import truth, written


def held_out(pairs: int, others: int) -> list[dict[str, Any]]:
    return [row | {"split": "held_out"} for row in truth(pairs, others)]


def test_the_first_of_each_kind_with_their_twins(tmp_path: Path) -> None:
    source = written(tmp_path / "set", held_out(12, 5))
    size = ship(source, tmp_path / "small", pairs=2, others=3)
    made = read_pairs(tmp_path / "small")
    assert made.pairs == 6
    assert sum(not one.eligible for one in made.pictures) == 3
    assert [one.twin for one in made.pictures] == ["violated", "clean"] * 6 + ["other"] * 3
    for one in made.pictures:
        assert (tmp_path / "small" / one.file).read_bytes() == (source / one.file).read_bytes()
    assert size == sum(f.stat().st_size for f in (tmp_path / "small").rglob("*") if f.is_file())


def test_training_pictures_do_not_ship() -> None:
    rows = [row | {"split": "train"} for row in truth(3, 0)]
    with pytest.raises(
        ConfigError, match="expected a held-out set, got a picture of the split 'train'"
    ):
        chosen_of(rows, 1, 1)
