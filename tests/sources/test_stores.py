"""Inputs in object stores: a real S3 server on loopback, and memory."""

from __future__ import annotations

import io
import secrets
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from physgauge.clients.sources import Sourcing, changes, make_plan, update_plan
from physgauge.clients.storage import Store, open_store
from physgauge.clients.storage import retry as retry_module
from tests.sources.made import codes, errors, here, ids, npy, read, read_plan, tar, values
from tests.storage.s3 import S3, s3, s3_shared

__all__ = ["here", "s3", "s3_shared"]


@pytest.fixture(params=["s3", "memory"])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A prefix with some of everything."""
    monkeypatch.setattr(retry_module, "FIRST_WAIT_S", 0.01)
    if request.param == "s3":
        request.getfixturevalue("s3")
        made = open_store(f"s3://runs/{secrets.token_hex(4)}")
    else:
        made = open_store(f"memory://m{secrets.token_hex(4)}/p")
    for n in range(12):
        made.replace(f"img/{n:02d}.npy", npy(n))
    made.replace("img/.hidden/x.npy", npy(99))
    made.replace("img/notes.md", b"x")
    return made


def test_prefixes_objects_patterns_and_ranges(store: Store) -> None:
    root = store.address
    assert values(read([f"{root}/img"])) == list(range(12))
    assert values(read([f"{root}/img/"])) == list(range(12))
    assert ids(read([f"{root}/img/03.npy"])) == [f"{root}/img/03.npy"]
    assert values(read([f"{root}/img/0[2-4].npy", f"{root}/**/11.npy"])) == [2, 3, 4, 11]
    assert values(read([f"{root}/img/{{08..10}}.npy"])) == [8, 9, 10]
    for key in ("row.schema.json", "plan/a.parquet", "rows/unit-00000000.parquet"):
        store.replace(f"img/run/{key}", b"of a run")  # is no input
    assert values(read([f"{root}/img"])) == list(range(12))
    assert codes(read([f"{root}/img"], Sourcing(most_bytes=100))) == ["image_too_large"] * 12


def test_manifests_tables_and_shards(store: Store, here: Path) -> None:
    root = store.address
    bucket = "/".join(root.split("/")[:3])
    rows = [
        "img/01.npy",
        f"{root}/img/02.npy",
        "../up.npy",
        "/etc/passwd",
        "s3://other/x.npy",
        "img/77.npy",
    ]
    store.replace("m.csv", ("path\n" + "\n".join(rows) + "\n").encode())
    found = read([f"{root}/m.csv"])
    assert values(found) == [1, 2, None, None, None, None]
    assert codes(found)[2:] == [*["source_refused"] * 3, "image_unreadable"]
    assert f"{root}/img/77.npy: expected an object, got none" in errors(found)[-1]
    table = pa.table({"image": [npy(5), npy(6)], "caption": ["a", "b"]})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    store.replace("data/t.parquet", sink.getvalue())
    assert values(read([f"{root}/data"])) == [5, 6]
    sink = io.BytesIO()
    pyarrow.feather.write_feather(table, sink)
    store.replace("t.feather", sink.getvalue())
    assert values(read([f"{root}/t.feather"])) == [5, 6]
    members = [(f"{n}.npy", npy(n)) for n in range(5)]
    store.replace("s/0.tar", tar(here / "s.tar", members).read_bytes())
    store.replace("s/1.tar", (here / "s.tar").read_bytes()[:2000])
    found = read([f"{root}/s/{{0..1}}.tar"])
    assert values(found) == [0, 1, 2, 3, 4, 0, 1, None]
    assert codes(found)[-1] == "archive_damaged"
    (here / "local.csv").write_text(f"path\n{root}/img/04.npy\n")
    assert codes(read(["local.csv"])) == ["source_refused"]
    assert values(read(["local.csv"], Sourcing(allow_hosts=(bucket,)))) == [4]
    (here / "l.txt").write_text(f"{root}/img/04.npy\n")
    assert values(read(["@l.txt"])) == [4]


def test_a_plan_in_a_store_and_objects_that_change(store: Store) -> None:
    run = open_store(f"{store.address}/run")
    given, options = [f"{store.address}/img"], Sourcing(unit_size=5)
    plan = make_plan(given, run, options)
    assert (plan.counts(), values(read_plan(plan))) == ([5, 5, 2], list(range(12)))
    assert not changes(plan, given, options)
    store.replace("img/03.npy", npy(103))
    store.delete("img/04.npy")
    store.replace("img/50.npy", npy(50))
    found = changes(plan, given, options)
    assert (found.added, found.replaced, found.gone) == (1, {0: [3]}, {0: [4]})
    plan = update_plan(run, plan, found)
    assert values(read_plan(plan)) == [0, 1, 2, 103, None, *range(5, 12), 50]
    assert changes(plan, given, options).replaced == {}


def test_faults_of_a_store_are_tried_again(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry_module, "FIRST_WAIT_S", 0.01)
    store = open_store(f"s3://runs/{secrets.token_hex(4)}")
    for n in range(6):
        store.replace(f"img/{n}.npy", npy(n))
    left = [0]

    def every_third(method: str, path: str) -> str | None:
        left[0] += 1
        return "503" if left[0] % 3 == 0 else None

    s3.fault = every_third
    assert values(read([f"{store.address}/img"])) == list(range(6))
    assert any(fault for _, _, fault in s3.seen)
