"""Parquet, Arrow and Feather: datasets with image bytes, and manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from physgauge.clients.sources import Sourcing, open_inputs, read_unit
from physgauge.errors import ConfigError
from tests.sources.made import codes, errors, here, ids, images, npy, read, values

__all__ = ["here"]


def hugging_face(count: int) -> pa.Table:
    """A table as Hugging Face's datasets write it."""
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    held: list[Any] = [{"bytes": npy(n), "path": f"{n}.npy"} for n in range(count)]
    return pa.table(
        {
            "image": pa.array(held, kind),
            "prompt": [f"p{n}" for n in range(count)],
            "seed": pa.array(range(count), pa.int32()),
            "score": [float("nan") if n == 1 else n + 0.5 for n in range(count)],
        }
    )


def write(table: pa.Table, path: Path, group: int) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=group)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, str(path), chunksize=group)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=group)


@pytest.mark.parametrize("name", ["d.parquet", "d.feather", "d.arrow"])
def test_a_dataset_in_units_that_follow_its_groups(here: Path, name: str) -> None:
    write(hugging_face(10), here / name, 4)
    found = read([name], Sourcing(unit_size=4))
    assert values(found) == list(range(10))
    assert ids(found) == [f"{name}#{n}" for n in range(10)]
    assert [one.entry.caption for one in found] == [f"p{n}" for n in range(10)]
    assert found[0].entry.extra == {"seed": "0", "score": "0.5", "image.path": "0.npy"}
    assert "score" not in found[1].entry.extra  # NaN is no value
    assert [unit.count for unit in open_inputs([name], Sourcing(unit_size=3))] == [4, 4, 2]


def test_a_large_group_is_cut_and_read_from_its_middle(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("physgauge.clients.sources.tables.BATCH_ROWS", 7)
    write(hugging_face(40), here / "d.parquet", 40)
    units = list(open_inputs(["d.parquet"], Sourcing(unit_size=5)))
    assert [unit.count for unit in units] == [7, 7, 7, 7, 7, 5]
    assert values(read(["d.parquet"], Sourcing(unit_size=5))) == list(range(40))


def test_a_folder_of_datasets_and_plain_bytes(here: Path) -> None:
    (here / "data").mkdir()
    for n in range(3):
        held = pa.array([npy(n), None, npy(n + 10)], pa.large_binary())
        pq.write_table(
            pa.table({"id": [f"{n}a", f"{n}b", f"{n}c"], "bytes": held}), here / f"data/{n}.parquet"
        )
    found = read(["data"])
    assert ids(found) == [f"{n}{part}" for n in range(3) for part in "abc"]
    assert values(found) == [0, None, 10, 1, None, 11, 2, None, 12]
    assert "data/0.parquet#1: expected image bytes, got null" in errors(found)


def test_a_limit_of_size_holds_in_a_cell(here: Path) -> None:
    write(hugging_face(2), here / "d.parquet", 2)
    assert codes(read(["d.parquet"], Sourcing(most_bytes=100))) == ["image_too_large"] * 2


def test_a_parquet_manifest(here: Path) -> None:
    images(here / "img", 2)
    table = pa.table(
        {"image_id": [11, 12, 13], "file_name": ["img/0.npy", "img/1.npy", None],
         "text": ["a", None, "c"], "tags": [["x"], [], None], "hash": [b"\1", b"\2", b"\3"]}
    )  # fmt: skip
    pq.write_table(table, here / "m.parquet")
    found = read(["m.parquet"])
    assert (ids(found), values(found)) == (["11", "12", "13"], [0, 1, None])
    assert found[0].entry.extra == {"tags": '["x"]'}
    assert codes(found)[2] == "manifest_invalid"


def test_two_columns_that_may_be_the_image_are_a_doubt(here: Path) -> None:
    pq.write_table(pa.table({"left": [npy(0)], "right": [npy(1)]}), here / "d.parquet")
    with pytest.raises(ConfigError, match="expected one column with image bytes, got left, right"):
        read(["d.parquet"])
    pq.write_table(pa.table({"left": [npy(0)], "png": [npy(1)]}), here / "d.parquet")
    assert values(read(["d.parquet"])) == [1]


def test_a_damaged_table_is_said(here: Path) -> None:
    write(hugging_face(4), here / "d.parquet", 2)
    whole = (here / "d.parquet").read_bytes()
    (here / "d.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match=r"d\.parquet: expected a readable table"):
        read(["d.parquet"])
    (here / "d.parquet").write_bytes(b"id,path\n1,x\n")
    with pytest.raises(ConfigError, match=r"expected parquet, by its suffix; it begins with"):
        read(["d.parquet"])


def test_a_flipped_bit_in_a_page_is_that_groups_error(here: Path) -> None:
    table = hugging_face(4)
    pq.write_table(
        table, here / "d.parquet", row_group_size=2, write_page_checksum=True, compression="none",
        use_dictionary=False, write_statistics=False,
    )  # fmt: skip
    units = list(open_inputs(["d.parquet"], Sourcing(unit_size=2)))
    data = bytearray((here / "d.parquet").read_bytes())
    at = data.find(b"\x93NUMPY")
    data[at + 200] ^= 1
    (here / "d.parquet").write_bytes(data)
    found = [one for unit in units for one in read_unit(unit, Sourcing())]
    assert codes(found) == ["image_unreadable", "image_unreadable", None, None]
