"""What a PATH may be, and what is said of one that is nothing."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from physgauge.clients.sources import Sourcing
from physgauge.clients.sources.patterns import expand_ranges, matcher
from physgauge.errors import ConfigError
from tests.sources.made import codes, errors, here, ids, images, npy, read, tar, values

__all__ = ["here"]


def test_folders_files_and_globs_in_order(here: Path) -> None:
    images(here / "d/b", 2)
    images(here / "d/a", 1)
    (here / "d/.hidden").mkdir()
    images(here / "d/.hidden", 1)
    (here / "d/notes.md").write_text("x")
    assert ids(read(["./d/"])) == ["d/a/0.npy", "d/b/0.npy", "d/b/1.npy"]
    assert ids(read(["d/b/*.npy", "d/a/0.npy"])) == ["d/b/0.npy", "d/b/1.npy", "d/a/0.npy"]
    os.chdir(here / "d")
    assert ids(read(["."])) == ["a/0.npy", "b/0.npy", "b/1.npy"]


def test_a_file_named_by_itself_is_an_image_whatever_its_name(here: Path) -> None:
    (here / "odd.bin").write_bytes(npy(3))
    (here / "noimage.jpg").write_bytes(b"path,caption\n")
    assert values(read(["odd.bin"])) == [3]
    assert ids(read(["noimage.jpg"])) == ["noimage.jpg"]


def test_content_has_the_last_word_but_over_images(here: Path) -> None:
    tar(here / "shard.bin", [("a.npy", npy(1))])
    pq.write_table(pa.table({"image": [npy(2)]}), here / "table.csv")
    assert ids(read(["shard.bin", "table.csv"])) == ["shard.bin/a", "table.csv#0"]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("list.txt", b"a.png\n", r"a list of paths is given as @list\.txt"),
        ("m.json", b"[]", r"expected CSV, TSV, JSON Lines or Parquet for a manifest; it begins"),
        ("m.csv.gz", b"\x1f\x8b", r"expected an image, a tar archive, a table or a manifest; it"),
        ("d.arrow", b"x", r"expected arrow, by its suffix"),
    ],
)
def test_a_doubtful_kind_is_said(here: Path, name: str, data: bytes, says: str) -> None:
    (here / name).write_bytes(data)
    with pytest.raises(ConfigError, match=says):
        read([name])


def test_a_folder_is_of_one_kind(here: Path) -> None:
    images(here / "d", 1)
    pq.write_table(pa.table({"image_id": ["x"], "file": ["0.npy"]}), here / "d/truth.parquet")
    (here / "d/metadata.csv").write_text("path\n0.npy\n")
    assert ids(read(["d"])) == ["d/0.npy"]  # tables without images lie beside images
    pq.write_table(pa.table({"image": [npy(1)]}), here / "d/more.parquet")
    with pytest.raises(
        ConfigError, match="one kind of input in a folder, got 1 images and 1 tables"
    ):
        read(["d"])
    (here / "m").mkdir()
    (here / "m/m.csv").write_text("path\n")
    with pytest.raises(
        ConfigError, match=r"got manifests only: name the manifest itself \(m/m\.csv\)"
    ):
        read(["m"])
    (here / "s").mkdir()
    tar(here / "s/1.tar", [("a.npy", npy(1))])
    tar(here / "s/0.tar", [("a.npy", npy(0))])
    assert values(read(["s"])) == [0, 1]


def test_brace_ranges(here: Path) -> None:
    assert list(expand_ranges("s-{008..010}-{1..2}")) == [
        "s-008-1", "s-008-2", "s-009-1", "s-009-2", "s-010-1", "s-010-2",
    ]  # fmt: skip
    assert list(expand_ranges("{8..10}")) == ["8", "9", "10"]
    with pytest.raises(ConfigError, match="from low to high"):
        list(expand_ranges("{3..1}"))
    with pytest.raises(ConfigError, match="at most 1000000 names, got 1000001"):
        list(expand_ranges("{0..1000000}"))
    for n in range(3):
        tar(here / f"s-{n:03d}.tar", [("a.npy", npy(n))])
    assert values(read(["s-{000..002}.tar"])) == [0, 1, 2]
    with pytest.raises(ConfigError, match=r"s-003\.tar: .* no such path"):
        read(["s-{000..003}.tar"])
    (here / "l{1..2}.npy").write_bytes(npy(7))
    assert values(read(["l{1..2}.npy"])) == [7]


def test_lists_and_standard_input(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images(here / "img", 3)
    tar(here / "s.tar", [("a.npy", npy(9))])
    text = b"img/2.npy\r\n\nimg/0.npy\ns.tar\nimg/gone.npy\nhttp://nobody.example/x.png\nimg/1.npy"
    (here / "list.txt").write_bytes(b"\xef\xbb\xbf" + text)

    class Stdin:
        buffer = io.BytesIO(text)

    monkeypatch.setattr("sys.stdin", Stdin)
    for given in ("@list.txt", "-"):
        found = read([given])
        assert values(found) == [2, 0, 9, None, None, 1]
        assert codes(found)[3:5] == ["image_unreadable", "source_refused"]
        assert errors(found)[1].startswith(
            f"{given.strip('@')}:6: http://nobody.example/x.png: expected a host"
        )
    assert [one.entry.origin for one in read(["@list.txt"])][:2] == ["list.txt:1", "list.txt:3"]
    with pytest.raises(ConfigError, match=r"@none\.txt: expected a list .* no such file"):
        read(["@none.txt"])


def test_nothing_there_says_which(here: Path) -> None:
    (here / "empty").mkdir()
    for given in ("gone.png", "empty", "empty/*.png", ""):
        with pytest.raises(ConfigError, match=given.replace("*", r"\*") or "empty path"):
            read([given])
    with pytest.raises(ConfigError, match=r"expected a host that --allow-host names, got h:80"):
        read(["http://h/x.png"])
    with pytest.raises(ConfigError, match="expected an image behind a URL"):
        read(["http://h/x.tar"], Sourcing(allow_hosts=("h",)))


def test_paths_that_are_not_utf8(here: Path) -> None:
    odd = os.fsencode(here) + b"/d\xff"
    os.mkdir(odd)
    with open(odd + b"/a\xe9.npy", "wb") as file:
        file.write(npy(4))
    found = read([os.fsdecode(odd)])
    assert values(found) == [4]
    assert found[0].entry.image_id.endswith("/d\\xff/a\\xe9.npy")
    (here / "l.txt").write_bytes(b"d\xff/a\xe9.npy\n")
    assert values(read(["@l.txt"])) == [4]


def test_captions_of_loose_images(here: Path) -> None:
    images(here / "img", 2)
    (here / "c.csv").write_text("file,caption,seed\n0.npy,zero,5\n7.npy,x,1\n")
    found = read(["img"], Sourcing(captions="c.csv"))
    assert [(one.entry.caption, one.entry.extra) for one in found] == [
        ("zero", {"seed": "5"}), (None, {}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "key", "is_it"),
    [
        ("a/*.png", "a/b.png", True),
        ("a/*.png", "a/b/c.png", False),
        ("a/**/*.png", "a/c.png", True),
        ("a/**/*.png", "a/b/c/d.png", True),
        ("s-[0-3].tar", "s-4.tar", False),
        ("s-[!0-3].tar", "s-4.tar", True),
        ("s-?.tar", "s-10.tar", False),
        ("a+b.png", "aab.png", False),
        ("[", "[", True),
    ],
)
def test_patterns_over_keys(pattern: str, key: str, is_it: bool) -> None:
    assert bool(matcher(pattern).match(key)) is is_it
