"""What every store does, whatever it lies on."""

from __future__ import annotations

import io
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from physgauge.clients.storage import Listed, Missing, Store, is_remote, locate, open_store
from physgauge.clients.storage.ranges import RangeFile
from physgauge.errors import ConfigError
from tests.storage.s3 import S3, s3, s3_shared

__all__ = ["s3", "s3_shared"]


@pytest.fixture(params=["disk", "memory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    address = str(tmp_path / "caf\udce9")
    if request.param == "memory":
        address = f"memory://{secrets.token_hex(4)}/a/b"
    elif request.param == "s3":
        request.getfixturevalue("s3")
        address = f"s3://runs/{secrets.token_hex(4)} é/b"
    made = open_store(address)
    made.make()
    return made


def test_what_was_written_is_read(store: Store) -> None:
    assert store.create("a/b.txt", b"0123456789")
    assert store.get("a/b.txt") == b"0123456789"
    store.replace("a/b.txt", b"x")
    store.replace("c", b"")
    assert store.get("a/b.txt") == b"x"
    assert store.get("c") == b""
    store.delete("a/b.txt")
    store.delete("a/b.txt")
    for read in (store.get, store.open, lambda key: store.read_range(key, 0, 5)):
        with pytest.raises(Missing, match=r"a/b.txt: expected a file, got none"):
            read("a/b.txt")
    assert store.stat("a/b.txt") is None
    assert open_store(store.address).get("c") == b""


def test_create_is_for_one_caller(store: Store) -> None:
    assert store.create("k/one", b"mine")
    assert not store.create("k/one", b"other")
    assert store.get("k/one") == b"mine"
    barrier = threading.Barrier(8)

    def race(n: int) -> list[bool]:
        won = []
        for k in range(5):
            barrier.wait(60)
            won.append(store.create(f"race/{k}", b"%d of %d" % (n, k)))
        return won

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(race, range(8)))
    for k in range(5):
        (winner,) = [n for n in range(8) if found[n][k]]
        assert store.get(f"race/{k}") == b"%d of %d" % (winner, k)


def test_a_scratch_file_moves_in(store: Store) -> None:
    for name, made in (("x", True), ("y", False)):
        path = store.scratch("x")
        if path is None:
            assert is_remote(store.address)
            return
        path.write_bytes(name.encode())
        assert store.create("moved", path) is made
        assert not path.exists()
    assert store.get("moved") == b"x"
    assert [one.key for one in store.list("attempts/")] == []


def test_listings_are_sorted_and_hold_what_begins_so(store: Store) -> None:
    keys = ["a/b.txt", "a/b/c", "a/b/d/e", "a/bc", "a.txt", "b", "a-", "a/B", "ab/c"]
    for key in keys:
        store.replace(key, key.encode())
    found = list(store.list(""))
    assert [one.key for one in found] == sorted(keys)
    assert [one.size for one in found] == [len(key) for key in sorted(keys)]
    for prefix in ("a", "a/", "a/b", "a/b/", "a/b.", "ab", "z", "z/", "a/b/d/e", "b"):
        expected = [key for key in sorted(keys) if key.startswith(prefix)]
        assert [one.key for one in store.list(prefix)] == expected, prefix
    stat = store.stat("a/b/c")
    assert isinstance(stat, Listed)
    assert stat == next(store.list("a/b/c"))
    assert store.stat("a/b") is None
    store.replace("a/b/c", b"longer than before")
    again = store.stat("a/b/c")
    assert again is not None
    assert again.version != stat.version


def test_long_listings_come_page_by_page(store: Store) -> None:
    if store.address.startswith("s3"):
        count = 1050  # a page of S3 holds 1,000
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: store.replace(f"many/{n:05d}", b""), range(count)))
        assert [one.key for one in store.list("many/")] == [f"many/{n:05d}" for n in range(count)]
        assert [one.key for one in store.list("many/0104")] == [
            f"many/{n:05d}" for n in range(1040, 1050)
        ]


def test_ranges_and_files(store: Store) -> None:
    data = bytes(range(250))
    store.replace("d", data)
    assert store.read_range("d", 0, 3) == data[:3]
    assert store.read_range("d", 240, 900) == data[240:]
    assert store.read_range("d", 250, 900) == b""
    assert store.read_range("d", 900, 901) == b""
    assert store.read_range("d", 5, 5) == b""
    with store.open("d") as file:
        assert file.seekable()
        assert file.seek(-4, io.SEEK_END) == 246
        assert file.read() == data[246:]
        file.seek(10)
        assert (file.read(5), file.tell()) == (data[10:15], 15)


def test_odd_names(store: Store) -> None:
    for key in ("a b#%é+~?*.png", "x%20y", "p=1/q&r", "tr.\U0001f986"):
        store.replace(key, key.encode())
        assert store.get(key) == key.encode()
        assert key in [one.key for one in store.list("")]


def test_a_large_object_is_read_in_ranges() -> None:
    data = bytes(range(256)) * 5000
    asked: list[tuple[int, int]] = []

    def read(start: int, end: int) -> bytes:
        asked.append((start, end))
        return data[start:end]

    file = io.BufferedReader(RangeFile(read, len(data)), 4096)
    file.seek(-8, io.SEEK_END)
    assert file.read() == data[-8:]
    file.seek(1000)
    assert file.read(10_000) == data[1000:11_000]
    assert sum(end - start for start, end in asked) < 30_000
    file.seek(0)
    assert file.read() == data
    with pytest.raises(ValueError, match="expected a place in the file"):
        file.raw.seek(-1)


def test_addresses(tmp_path: Path) -> None:
    for address, says in (
        ("http://host/x", "expected a path or one of s3://, gs://, az://, memory://; got http://"),
        ("s3:///x", "got no bucket"),
        ("s3://", "got no bucket"),
        ("", "got an empty text"),
    ):
        with pytest.raises(ConfigError, match=says):
            open_store(address)
    (tmp_path / "f").write_bytes(b"1")
    for place in (tmp_path / "f", str(tmp_path / "f"), f"file://{tmp_path}/f"):
        store, key = locate(place)
        assert store.get(key) == b"1"
    store = open_store("memory://place/a")
    store.replace("b/c", b"2")
    found, key = locate("memory://place/a/b/c")
    assert (key, found.get(key)) == ("a/b/c", b"2")
    with pytest.raises(ConfigError, match="got no key"):
        locate("s3://bucket/")
    assert [is_remote(a) for a in ("s3://b/c", "S3://b", "file:///a", "/a", "a:b")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    for key in ("", "/a", "a/../b"):
        with pytest.raises(ValueError, match="expected a key"):
            open_store(tmp_path).get(key)


def test_the_server_seen_by_tests_is_asked(s3: S3) -> None:
    open_store("s3://runs/seen").replace("a", b"1")
    assert ("PUT", "/runs/seen/a", None) in s3.seen
