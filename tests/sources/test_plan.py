"""The plan: frozen, sealed once, and what is said when its inputs change."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest

from physgauge.clients.sources import (
    Plan,
    Sourcing,
    Unit,
    changes,
    make_plan,
    open_plan,
    update_plan,
)
from physgauge.clients.storage import open_store
from physgauge.errors import ConfigError, EnvironmentProblem
from tests.sources.made import here, ids, images, npy, plan_of, read_plan, tar, values

__all__ = ["here"]

FIVE = Sourcing(unit_size=5)


def test_units_hold_all_entries_in_order(here: Path) -> None:
    images(here / "img", 7)
    tar(here / "s.tar", [("a.npy", npy(70)), ("b.npy", npy(71))])
    (here / "m.csv").write_text("id,path\n" + "".join(f"m{n},img/{n}.npy\n" for n in range(6)))
    plan = plan_of(here / "run", ["img", "s.tar", "m.csv"], FIVE)
    assert plan.counts() == [5, 2, None, 5, 1]
    assert (plan.units, plan.entries, plan.listed) == (5, None, 13)
    assert values(read_plan(plan)) == [*range(7), 70, 71, *range(6)]
    again = open_plan(open_store(here / "run"))
    assert again is not None
    assert [again.unit(n) for n in range(5)] == [plan.unit(n) for n in range(5)]
    with pytest.raises(IndexError, match=r"expected a unit 0\.\.4, got 5"):
        plan.unit(5)


def test_a_unit_travels_as_plain_data(here: Path) -> None:
    images(here / "img", 3)
    unit = plan_of(here / "run", ["img"]).unit(0)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(unit), type=Unit) == unit


def test_a_plan_is_frozen(here: Path) -> None:
    images(here / "img", 3)
    first = plan_of(here / "run", ["img"])
    images(here / "img", 6)
    second = plan_of(here / "run", ["img"])
    assert (second.token, second.entries) == (first.token, 3)


def test_many_parts(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physgauge.clients.sources.sealed.PART_UNITS", 3)
    images(here / "img", 25)
    plan = plan_of(here / "run", ["img"], Sourcing(unit_size=2))
    assert len(plan.seals[0].parts) == 5
    assert sorted(values(read_plan(plan)), key=str) == sorted(range(25), key=str)
    assert plan.unit(12).entries[0].image_id == plan.unit(12).entries[-1].image_id
    assert not changes(plan, ["img"], FIVE)
    (here / "img/24.npy").unlink()
    (here / "img/9.npy").write_bytes(npy(9) + b"x")
    found = changes(plan, ["img"], FIVE)
    place = {e.image_id: (n, at) for n in range(13) for at, e in enumerate(plan.unit(n).entries)}
    (nine, a), (last, b) = place["img/9.npy"], place["img/24.npy"]
    assert (found.replaced, found.gone, found.added) == ({nine: [a]}, {last: [b]}, 0)


def test_two_coordinators_end_with_one_plan(here: Path) -> None:
    images(here / "img", 40)
    plans: list[Plan] = []
    start = threading.Barrier(6)

    def coordinate() -> None:
        start.wait()
        plans.append(make_plan(["img"], open_store(here / "run"), FIVE))

    threads = [threading.Thread(target=coordinate) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({plan.token for plan in plans}) == 1
    assert {plan.entries for plan in plans} == {40}
    left = os.listdir(here / "run/plan")
    assert sorted(left) == sorted(["plan.json", f"{plans[0].token}-00000.parquet"])


def test_a_plan_that_fails_leaves_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physgauge.clients.sources.sealed.PART_UNITS", 1)
    images(here / "img", 20)
    with pytest.raises(ConfigError, match="no such path"):
        plan_of(here / "run", ["img", "gone"], FIVE)
    assert os.listdir(here / "run/plan") == []


def test_a_damaged_part_is_said(here: Path) -> None:
    images(here / "img", 8)
    plan = plan_of(here / "run", ["img"])
    part = here / "run" / plan.seals[0].parts[0].key
    data = bytearray(part.read_bytes())
    metadata = pq.ParquetFile(part).metadata.row_group(0).column(0)
    data[metadata.data_page_offset + metadata.total_compressed_size // 2] ^= 4
    part.write_bytes(data)
    again = open_plan(open_store(here / "run"))
    assert again is not None
    with pytest.raises(EnvironmentProblem, match="a damaged plan"):
        again.unit(0)
    part.unlink()
    again = open_plan(open_store(here / "run"))
    assert again is not None
    with pytest.raises(EnvironmentProblem, match="part of the plan"):
        again.unit(0)


def test_a_plan_is_read_without_threads_of_arrow(here: Path) -> None:
    """One that lets go of Python's bytes while the interpreter ends takes the process down."""
    images(here / "img", 8)
    plan_of(here / "run", ["img"])
    (here / "img/0.npy").write_bytes(b"another")
    code = """
import os, sys
import pyarrow.parquet
from physgauge.clients.sources import Sourcing, changes, open_plan, update_plan
from physgauge.clients.storage import open_store
before = len(os.listdir("/proc/self/task"))
store = open_store("run")
plan = open_plan(store)
found = changes(plan, ["img"], Sourcing())
plan = update_plan(store, plan, found)
print(len(found.replaced), len(plan.unit(0).entries), sum(t.num_rows for t in plan.tables()))
print(len(os.listdir("/proc/self/task")) - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "8", "8", "0"]


def test_an_id_given_twice_is_two_entries(here: Path) -> None:
    images(here / "img", 4)
    (here / "m.csv").write_text("id,path\nx,img/0.npy\ny,img/1.npy\nx,img/2.npy\nx,img/3.npy\n")
    plan = plan_of(here / "run", ["m.csv", "img", "img/1.npy"], Sourcing(unit_size=3))
    found = read_plan(plan)
    assert values(found) == [0, 1, 2, 3, 0, 1, 2, 3, 1]
    said = "image_id given before in the input: "
    assert [one.entry.warning for one in found] == [
        None, None, said + "m.csv:2", said + "m.csv:2", None, None, None, None, said + "img/1.npy",
    ]  # fmt: skip


def test_ids_that_share_a_hash_are_no_repeats(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physgauge.clients.sources.repeats.hash", lambda _: 7, raising=False)
    images(here / "img", 4)
    plan = plan_of(here / "run", ["img", "img/2.npy"])
    assert [one.entry.warning is not None for one in read_plan(plan)] == [*[False] * 4, True]


def test_what_changed_and_the_update(here: Path) -> None:
    images(here / "img", 6)
    tar(here / "s.tar", [("a.npy", npy(70))])
    (here / "m.csv").write_text(
        "id,path,caption\n" + "".join(f"m{n},img/{n}.npy,c\n" for n in range(4))
    )
    given = ["img", "s.tar", "m.csv"]
    plan = plan_of(here / "run", given, FIVE)
    assert not changes(plan, given, FIVE)

    (here / "img/2.npy").write_bytes(npy(102))
    (here / "img/3.npy").unlink()
    (here / "img/9.npy").write_bytes(npy(9))
    tar(here / "s.tar", [("a.npy", npy(71)), ("b.npy", npy(72))])
    tar(here / "t.tar", [("c.npy", npy(80))])
    given = [*given, "t.tar"]
    found = changes(plan, given, FIVE)
    assert found.replaced == {
        0: [2],
        2: [0],
        3: [2],
    }  # the file, the archive, and the row that names it
    assert found.gone == {0: [3], 3: [3]}
    assert found.added == 2
    assert "img/9.npy: added" in found.examples

    store = open_store(here / "run")
    plan = update_plan(store, plan, found)
    assert values(read_plan(plan)) == [
        0, 1, 102, None, 4, 5, 71, 72, 0, 1, 102, None, 9, 80,
    ]  # fmt: skip
    again = changes(plan, given, FIVE)
    assert (again.added, again.replaced) == (0, {})
    assert again.gone == found.gone


def test_a_changed_manifest(here: Path) -> None:
    images(here, 5)
    (here / "m.csv").write_text(
        "id,path,caption,k\na,0.npy,x,1\nb,1.npy,y,1\nc,2.npy,z,1\nb,3.npy,w,1\n"
    )
    plan = plan_of(here / "run", ["m.csv"])
    (here / "m.csv").write_text(
        "id,path,caption,k\nc,2.npy,z,1\na,0.npy,new,1\nb,1.npy,y,1\nb,4.npy,w,1\nd,3.npy,v,1\nb,0.npy,u,1\n"
    )
    found = changes(plan, ["m.csv"], FIVE)
    assert (found.replaced, found.gone, found.added) == ({0: [0, 3]}, {}, 2)
    plan = update_plan(open_store(here / "run"), plan, found)
    assert ids(read_plan(plan)) == ["a", "b", "c", "b", "d", "b"]
    assert values(read_plan(plan)) == [0, 1, 2, 4, 3, 0]
    assert [one.entry.warning is not None for one in read_plan(plan)] == [
        False, False, False, True, False, True,
    ]  # fmt: skip
    assert not changes(plan, ["m.csv"], FIVE)
    (here / "m.csv").write_text((here / "m.csv").read_text().replace("\n", "\r\n"))
    assert not changes(plan, ["m.csv"], FIVE)  # other bytes, the same rows


def test_a_manifest_read_with_another_root_or_host(here: Path) -> None:
    images(here / "pictures", 2)
    (here / "m.csv").write_text("id,path\na,0.npy\nb,http://host.example/1.npy\n")
    plan = plan_of(here / "run", ["m.csv"])
    assert [one.error is None for one in read_plan(plan)] == [False, False]
    assert not changes(plan, ["m.csv"], Sourcing())
    rooted = Sourcing(root="pictures")
    found = changes(plan, ["m.csv"], rooted)
    assert (found.added, found.replaced, found.gone) == (0, {0: [0]}, {})
    plan = update_plan(open_store(here / "run"), plan, found)
    assert [one.error is None for one in read_plan(plan)] == [True, False]
    assert not changes(plan, ["m.csv"], rooted)
    allowed = Sourcing(root="pictures", allow_hosts=("host.example",))
    assert changes(plan, ["m.csv"], allowed).replaced == {0: [1]}


def test_a_file_that_is_gone_while_its_manifest_changed(here: Path) -> None:
    images(here, 3)
    (here / "m.csv").write_text("id,path\na,0.npy\nb,1.npy\nc,2.npy")
    plan = plan_of(here / "run", ["m.csv"])
    (here / "1.npy").unlink()
    (here / "m.csv").write_text("id,path\nc,2.npy\nb,1.npy\na,0.npy")
    found = changes(plan, ["m.csv"], FIVE)
    assert (found.gone, found.replaced, found.added) == ({0: [1]}, {}, 0)


def test_a_row_that_a_manifest_no_longer_has_stays_gone(here: Path) -> None:
    """Also when the manifest has been taken over, and is the same since."""
    images(here, 4)
    lines = ["a,0.npy", "b,1.npy", "c,2.npy"]
    (here / "m.csv").write_text("\n".join(["id,path", *lines]))
    store, plan = open_store(here / "run"), plan_of(here / "run", ["m.csv"])
    (here / "m.csv").write_text("\n".join(["id,path", lines[0], lines[2], "d,3.npy"]))
    found = changes(plan, ["m.csv"], FIVE)
    assert (found.gone, found.added) == ({0: [1]}, 1)
    plan = update_plan(store, plan, found)
    again = changes(plan, ["m.csv"], FIVE)
    assert (again.gone, again.added, again.replaced) == ({0: [1]}, 0, {})
    (here / "1.npy").unlink()
    (here / "2.npy").unlink()
    assert changes(plan, ["m.csv"], FIVE).gone == {0: [1, 2]}
    (here / "m.csv").write_text("\n".join(["id,path", *lines, "d,3.npy"]))
    images(here, 3)
    assert changes(plan, ["m.csv"], FIVE).gone == {}


def test_a_dataset_written_again(here: Path) -> None:
    import pyarrow as pa

    table = pa.table({"id": ["a", "b"], "image": [npy(1), npy(2)]})
    pq.write_table(table, here / "d.parquet")
    plan = plan_of(here / "run", ["d.parquet"])
    assert not changes(plan, ["d.parquet"], FIVE)
    pq.write_table(table.slice(0, 1), here / "d.parquet")
    found = changes(plan, ["d.parquet"], FIVE)
    assert (found.replaced, found.gone) == ({0: [0]}, {0: [1]})


def test_one_of_two_updates_wins(here: Path) -> None:
    images(here / "img", 3)
    store = open_store(here / "run")
    plan = plan_of(here / "run", ["img"])
    images(here / "img", 5)
    found = changes(plan, ["img"], FIVE)
    first, second = update_plan(store, plan, found), update_plan(store, plan, found)
    assert values(read_plan(first)) == values(read_plan(second)) == [0, 1, 2, 3, 4]
    assert first.seals == second.seals


def test_captions_that_no_image_asked_for(here: Path) -> None:
    images(here / "img", 2)
    (here / "c.csv").write_text("file,caption\n0.npy,a\n8.npy,b\n")
    plan = plan_of(here / "run", ["img"], Sourcing(captions="c.csv"))
    assert plan.unused_captions == ["8.npy"]
