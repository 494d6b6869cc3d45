"""WebDataset shards: samples, what is refused, and archives that are cut or damaged."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import tarfile
import tracemalloc
from pathlib import Path

import pytest

from physgauge.clients.sources import Sourcing, open_inputs, read_unit
from physgauge.errors import ConfigError
from tests.sources.made import codes, errors, here, ids, npy, read, tar, values

__all__ = ["here"]

SAMPLES = [
    ("a/001.npy", npy(1)),
    ("a/001.txt", "a car, très rouge\n".encode()),
    (
        "a/001.json",
        json.dumps({"domain": "car", "seed": 3, "url": "http://x/y", "n": None}).encode(),
    ),
    ("a/002.json", json.dumps({"caption": "from json", "image_id": "two"}).encode()),
    ("a/002.npy", npy(2)),
    ("b.npy", npy(3)),
]


@pytest.mark.parametrize(
    ("name", "mode"), [("s.tar", "w"), ("s.tar.gz", "w:gz"), ("s.tgz", "w:gz")]
)
def test_samples_by_key(here: Path, name: str, mode: str) -> None:
    tar(here / name, SAMPLES, mode)
    found = read([name])
    assert ids(found) == [f"{name}/a/001", "two", f"{name}/b"]
    assert values(found) == [1, 2, 3]
    assert [one.entry.caption for one in found] == ["a car, très rouge", "from json", None]
    assert (found[0].entry.domain, found[0].entry.source) == ("car", f"{name}/a/001.npy")
    assert found[0].entry.extra == {"seed": "3", "url": "http://x/y"}
    (unit,) = open_inputs([name], Sourcing())
    assert unit.count is None


@pytest.mark.parametrize(("name", "mode"), [("s.tar", "w"), ("s.tgz", "w:gz")])
def test_an_empty_member_costs_no_other(here: Path, name: str, mode: str) -> None:
    tar(here / name, [("a.npy", b""), ("a.txt", b""), ("b.npy", npy(2)), ("c.npy", npy(3))], mode)
    found = read([name])
    assert ids(found) == [f"{name}/a", f"{name}/b", f"{name}/c"]
    assert [one.data for one in found] == [b"", npy(2), npy(3)]


def test_what_is_refused_or_no_sample(here: Path) -> None:
    with tarfile.open(here / "s.tar", "w") as archive:

        def add(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, to: str = "") -> None:
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = len(data), kind, to
            archive.addfile(info, io.BytesIO(data))

        add("../up.npy", npy(1))
        add("/etc/abs.npy", npy(1))
        add("soft.npy", kind=tarfile.SYMTYPE, to="/etc/passwd")
        add("hard.npy", kind=tarfile.LNKTYPE, to="ok.npy")
        add("device.npy", kind=tarfile.CHRTYPE)
        add("fifo.npy", kind=tarfile.FIFOTYPE)
        add("folder", kind=tarfile.DIRTYPE)
        add(".hidden.npy", npy(9))
        add("only.gif", b"GIF89a")
        add("evil.pkl", pickle.dumps(SAMPLES))
        add("pipe:touch x.npy", npy(4))
        add("two.left.npy", npy(5))
        add("two.right.npy", npy(6))
        add("ok.npy", npy(7))
    found = read(["s.tar"])
    assert codes(found) == [
        *["source_refused"] * 6, "image_unreadable", "image_unreadable", None, None, None, None,
    ]  # fmt: skip
    assert values(found)[-4:] == [4, 5, 6, 7]
    assert ids(found)[-3:] == ["s.tar/two.left.npy", "s.tar/two.right.npy", "s.tar/ok"]
    assert "member '../up.npy': expected a name within the archive" in errors(found)
    assert "member 'soft.npy': expected a regular file, got a link" in errors(found)
    assert not (here / "x.npy").exists()
    assert not (here / "x").exists()


def test_an_archive_cut_at_every_block(here: Path) -> None:
    """What is whole is there, and one entry says where the archive ends."""
    whole = tar(here / "s.tar", SAMPLES).read_bytes()
    ends = whole.rstrip(b"\0")
    assert values(read(["s.tar"])) == [1, 2, 3]
    for size in range(512, len(ends), 256):
        (here / "cut.tar").write_bytes(whole[:size])
        found = read(["cut.tar"])
        assert codes(found).count("archive_damaged") == 1, size
        assert codes(found)[-1] == "archive_damaged"
        assert f"the archive ends at byte {size}" in errors(found)[-1]
        got = values(found)[:-1]
        assert got == [1, 2, 3][: len(got)], size
    assert values(read(["cut.tar"]))[:-1] == [1, 2]
    (here / "cut.tar").write_bytes(whole[:1800])  # within the caption of the first image
    assert read(["cut.tar"])[0].entry.warning is not None


def test_an_archive_without_its_end_mark_is_cut(here: Path) -> None:
    whole = tar(here / "s.tar", SAMPLES).read_bytes()
    with tarfile.open(here / "s.tar") as archive:
        last = archive.getmembers()[-1]
        end = last.offset_data + 512
    (here / "s.tar").write_bytes(whole[:end])
    found = read(["s.tar"])
    assert values(found) == [1, 2, 3, None]
    assert "expected a header or the end mark" in errors(found)[0]
    (here / "s.tar").write_bytes(whole[:end] + b"\0" * 512)
    assert values(read(["s.tar"])) == [1, 2, 3]


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_packed_archive_cut(here: Path, part: float) -> None:
    import numpy as np

    noise = np.random.default_rng(0)
    members = [(f"{n:03d}.npy", noise.bytes(12_000)) for n in range(20)]
    data = tar(here / "s.tar.gz", members, "w:gz").read_bytes()
    (here / "s.tar.gz").write_bytes(data[: int(len(data) * part)])
    found = read(["s.tar.gz"])
    whole = [one.data for one in found if one.data is not None]
    assert len(whole) >= int(20 * part) - 1
    assert all(got == data for got, (_, data) in zip(whole, members, strict=False))
    assert codes(found)[-1] == "archive_damaged"
    assert "ends early" in errors(found)[-1]


def test_a_packed_archive_with_a_flipped_bit(here: Path) -> None:
    data = bytearray(gzip.compress(tar(here / "s.tar", SAMPLES).read_bytes()))
    data[-6] ^= 1  # the checksum of all that was packed
    (here / "s.tar.gz").write_bytes(data)
    found = read(["s.tar.gz"])
    assert values(found)[:3] == [1, 2, 3]
    assert codes(found) == [None, None, None, "archive_damaged"]


def test_a_broken_header_in_the_middle(here: Path) -> None:
    data = bytearray(tar(here / "s.tar", SAMPLES).read_bytes())
    with tarfile.open(here / "s.tar") as archive:
        at = archive.getmembers()[-1].offset
    data[at + 150] ^= 0xFF
    (here / "s.tar").write_bytes(data)
    found = read(["s.tar"])
    assert values(found) == [1, 2, None]
    assert f"expected a tar header at byte {at}" in errors(found)[0]


@pytest.mark.parametrize("kind", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_names(here: Path, kind: int) -> None:
    name = "d/" * 80 + "é" * 60
    with tarfile.open(here / "s.tar", "w", format=kind) as archive:
        info = tarfile.TarInfo(f"{name}.npy")
        info.size = len(npy(1))
        archive.addfile(info, io.BytesIO(npy(1)))
    assert ids(read(["s.tar"])) == [f"s.tar/{name}"]


def test_archives_joined_end_to_end(here: Path) -> None:
    one = tar(here / "a.tar", SAMPLES[-1:]).read_bytes()
    (here / "s.tar").write_bytes(one + tar(here / "b.tar", [("c.npy", npy(8))]).read_bytes())
    assert values(read(["s.tar"])) == [3, 8]


def test_limits_of_size(here: Path) -> None:
    tar(here / "s.tar", [("a.npy", npy(1) + b"\0" * 5000), ("b.npy", npy(2)), ("b.txt", b"x" * 99)])
    found = read(["s.tar"], Sourcing(most_bytes=1000, most_text_bytes=50))
    assert codes(found) == ["image_too_large", "caption_invalid"]


def test_the_same_key_and_the_same_archive_again(here: Path) -> None:
    tar(here / "s.tar", [("a.npy", npy(1)), ("b.npy", npy(2)), ("a.npy", npy(3))])
    found = read(["s.tar", "s.tar"])
    assert values(found) == [1, 2, 3, 1, 2, 3]
    warned = [one.entry.warning is not None for one in found]
    assert warned == [False, False, True, True, True, True]


def test_what_is_no_archive(here: Path) -> None:
    (here / "s.tgz").write_bytes(b"not packed at all")
    with pytest.raises(ConfigError, match=r"s\.tgz: expected tar, by its suffix; it begins with"):
        read(["s.tgz"])
    (here / "s.tar").write_bytes(b"not an archive" * 100)
    assert codes(read(["s.tar"])) == ["archive_damaged"]
    (here / "s.tar").write_bytes(b"")
    assert codes(read(["s.tar"])) == ["archive_damaged"]


def test_many_members_in_bounded_memory(here: Path) -> None:
    path = here / "s.tar"
    data = npy(1)
    with path.open("wb") as out:
        for n in range(4_000):
            info = tarfile.TarInfo(f"{n:06d}.npy")
            info.size = len(data)
            out.write(info.tobuf(tarfile.USTAR_FORMAT) + data + b"\0" * (-len(data) % 512))
        out.write(b"\0" * 1024)
    (unit,) = open_inputs([str(path)], Sourcing())
    count = 0
    tracemalloc.start()
    try:
        for number, one in enumerate(read_unit(unit, Sourcing())):
            assert one.error is None
            count += 1
            if number == 1000:
                before = tracemalloc.get_traced_memory()[0]
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert count == 4_000
    assert grown < 3_000 * 300  # bytes: an id's hash in a set, nothing else
