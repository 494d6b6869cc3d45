"""CSV, TSV and JSON Lines manifests: as they come, and how they break."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from physgauge.clients.sources import Sourcing
from physgauge.errors import ConfigError
from tests.sources.made import codes, errors, here, ids, images, read, values

__all__ = ["here"]


def test_a_csv_as_excel_writes_it(here: Path) -> None:
    images(here / "img", 3)
    (here / "m.csv").write_bytes(
        b"\xef\xbb\xbfid;path;caption;domain;seed\r\n"
        b'a;img/0.npy;"a ""red"" car;\r\nparked";car;1\r\n'
        b"\r\n"
        b"b;img/1.npy;;;2\r\n"
        b"c;img/2.npy;x;;\r\n"
    )
    found = read(["m.csv"])
    assert ids(found) == ["a", "b", "c"]
    assert values(found) == [0, 1, 2]
    assert found[0].entry.caption == 'a "red" car;\r\nparked'
    assert found[0].entry.domain == "car"
    assert found[0].entry.extra == {"seed": "1"}
    assert (found[1].entry.caption, found[1].entry.domain) == (None, None)
    assert [one.entry.origin for one in found] == ["m.csv:2", "m.csv:5", "m.csv:6"]


def test_bad_rows_are_entries_and_the_run_goes_on(here: Path) -> None:
    images(here / "img", 2)
    (here / "m.csv").write_bytes(
        b"path,caption,k\nimg/0.npy,a,1\nimg/1.npy,b\nimg/1.npy,b,2,3\n,c,4\nimg/0.npy,\xe9t\xe9,5\n"
        b"img/gone.npy,d,6\nimg/1.npy,e,7\n"
    )
    found = read(["m.csv"])
    assert codes(found) == [
        None, "manifest_invalid", "manifest_invalid", "manifest_invalid", "manifest_invalid",
        "image_unreadable", None,
    ]  # fmt: skip
    assert errors(found)[:4] == [
        "m.csv:3: expected 3 columns as in the header, got 2",
        "m.csv:4: expected 3 columns as in the header, got 4",
        "m.csv:5: expected the image's path, got none",
        "m.csv:6: expected UTF-8 text, got '\\\\xe9t\\\\xe9'",
    ]
    assert ids(found)[3] == "m.csv:5"
    assert found[-1].entry.extra == {"k": "7"}
    assert values(found) == [0, None, None, None, None, None, 1]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"path,caption,path\nx,y,z\n", r"m\.csv: expected each column once, got 'path' again"),
        (b"name,caption\nx,y\n", r"expected a column that names the image .* got 'name', 'caption'"),
        (b"", r"expected a header that names the columns, got none"),
        ("path\nx\n".encode("utf-16"), r"expected UTF-8 text, got UTF-16"),
        (b"path,caption\na.png,x\nb.png,\"y\nc.png,z\n", r"m\.csv:3: not CSV: .*a quote"),
        (b'path,caption\na.png,"x" y\n', r"m\.csv:2: not CSV"),
        (b"\x1f\x8b\x08\0\0\0", r"expected text; it begins with"),
        (b"p\0ath\nx\n", r"zero bytes in its first line"),
    ],
)  # fmt: skip
def test_a_csv_that_cannot_be_read(here: Path, data: bytes, says: str) -> None:
    (here / "m.csv").write_bytes(data)
    with pytest.raises(ConfigError, match=says):
        read(["m.csv"])


def test_jsonl_rows_and_bad_ones(here: Path) -> None:
    images(here / "img", 2)
    lines = [
        {
            "image_id": 7,
            "image_path": "img/0.npy",
            "prompt": "p",
            "seed": 3,
            "cfg": None,
            "w": [1, 2],
        },
        [1],
        {"image_path": 5},
        {"image_path": "img/1.npy", "prompt": 9},
        {"image_path": "img/1.npy", "text": "t", "caption": "wins"},
    ]
    text = "\n\n".join(json.dumps(line) for line in lines) + "\n{broken\n"
    (here / "m.jsonl").write_text(text)
    found = read(["m.jsonl"])
    assert ids(found) == ["7", "m.jsonl:3", "m.jsonl:5", "img/1.npy", "img/1.npy", "m.jsonl:10"]
    assert found[0].entry.extra == {"seed": "3", "w": "[1, 2]"}
    bad = ["manifest_invalid", "manifest_invalid", "caption_invalid"]
    assert codes(found) == [None, *bad, None, "manifest_invalid"]
    assert "m.jsonl:7: prompt: expected text or null, got 9" in errors(found)
    assert (found[4].entry.caption, found[4].entry.extra) == ("wins", {"text": "t"})
    assert found[4].entry.warning is not None


def test_numbers_are_carried_as_they_were_written(here: Path) -> None:
    images(here, 1)
    (here / "m.jsonl").write_text('{"path":"0.npy","a":1.50,"b":12345678901234567890123,"c":1e3}')
    assert read(["m.jsonl"])[0].entry.extra == {
        "a": "1.50",
        "b": "12345678901234567890123",
        "c": "1e3",
    }


def test_a_jsonl_that_is_something_else(here: Path) -> None:
    (here / "m.jsonl").write_text("path,caption\na,b\n")
    with pytest.raises(ConfigError, match=r"m\.jsonl:1: not a JSON object"):
        read(["m.jsonl"])


def test_what_a_row_may_not_name(here: Path) -> None:
    images(here, 1)
    named = [
        "file:///etc/passwd",
        "http://example.org/a.png",
        "s3://other/a.png",
        "ftp://h/x",
        "0.npy",
    ]
    (here / "m.csv").write_text("path\n" + "\n".join(named) + "\npipe:cat 0.npy\n")
    found = read(["m.csv"])
    refused = ["source_refused"] * 4
    assert codes(found) == [*refused, None, "image_unreadable"]
    assert all(one.entry.fault is not None for one in found[:4])  # before anything is asked
    assert "expected a host that --allow-host names, got example.org:80" in errors(found)[1]
    assert "expected a bucket that --allow-host names (s3://other)" in errors(found)[2]


def test_root_takes_the_place_of_the_manifests_folder(here: Path) -> None:
    images(here / "data", 1)
    (here / "lists").mkdir()
    (here / "lists/m.tsv").write_text("path\tcaption\n0.npy\ta, b\n")
    assert codes(read(["lists/m.tsv"])) == ["image_unreadable"]
    found = read(["lists/m.tsv"], Sourcing(root="data"))
    assert (values(found), found[0].entry.caption) == ([0], "a, b")


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8), data=st.data())
def test_what_is_written_as_csv_is_read_again(
    tmp_path: Path, rows: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    delimiter = data.draw(st.sampled_from([",", ";", "\t", "|"]))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    mark = data.draw(st.sampled_from(["", "\ufeff"]))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["image_id", "path", "caption", "k"])
    writer.writerows([(f"i{n}", f"p{n}", a + b, c) for n, (a, b, c) in enumerate(rows)])
    (tmp_path / "m.csv").write_text(mark + out.getvalue(), encoding="utf-8", newline="")
    found = read([tmp_path / "m.csv"])
    assert ids(found) == [f"i{n}" for n in range(len(rows))]
    assert [one.entry.caption or "" for one in found] == [a + b for a, b, _ in rows]
    assert [one.entry.extra["k"] for one in found] == [c for _, _, c in rows]
    assert set(codes(found)) == {"image_unreadable"}
