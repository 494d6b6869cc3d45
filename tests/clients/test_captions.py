from __future__ import annotations

from pathlib import Path

import pytest

from physgauge.clients.captions import CaptionTable, read_captions
from physgauge.errors import ConfigError


def table(tmp_path: Path, name: str, text: str) -> CaptionTable:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_captions(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.csv", "file,caption,model,steps\n1.jpg,\"a dog, two legs\",m1,20\nsub/2.png,a car,m2,30\n"),
        ("c.csv", "\ufeffimage,prompt,model,steps\r\n1.jpg,\"a dog, two legs\",m1,20\r\nsub/2.png,a car,m2,30\r\n"),
        ("c.jsonl", '{"path":"1.jpg","text":"a dog, two legs","model":"m1","steps":20}\n\n'
                    '{"path":"./sub/2.png","caption":"a car","model":"m2","steps":30}\n'),
        ("c.json", '[{"file_name":"1.jpg","caption":"a dog, two legs","model":"m1","steps":20},'
                   '{"image_id":"sub/2.png","caption":"a car","model":"m2","steps":30}]'),
        ("c.json", '{"1.jpg":{"caption":"a dog, two legs","model":"m1","steps":20},'
                   '"sub/2.png":{"caption":"a car","model":"m2","steps":30}}'),
    ],
)  # fmt: skip
def test_every_format_says_the_same(tmp_path: Path, name: str, text: str) -> None:
    captions = table(tmp_path, name, text)
    one = captions.get(Path("/data/1.jpg"))
    two = captions.get(Path("/data/sub/2.png"))
    assert one is not None
    assert two is not None
    assert one.caption == "a dog, two legs"
    assert one.extra == {"model": "m1", "steps": "20"}
    assert two.caption == "a car"
    assert captions.get(Path("/data/other/2.png")) is None
    assert captions.unused() == []


def test_plain_object_and_stems(tmp_path: Path) -> None:
    captions = table(tmp_path, "c.json", '{"1": "a cat", "2.jpg": null, "3.jpg": ""}')
    assert captions.get(Path("x/1.webp")).caption == "a cat"  # type: ignore[union-attr]
    assert captions.get(Path("2.jpg")).caption is None  # type: ignore[union-attr]
    assert captions.get(Path("3.jpg")).caption is None  # type: ignore[union-attr]


def test_the_longest_tail_wins_and_unused_names_are_known(tmp_path: Path) -> None:
    captions = table(tmp_path, "c.json", '{"a/1.jpg": "long", "1.jpg": "short"}')
    assert captions.get(Path("/x/a/1.jpg")).caption == "long"  # type: ignore[union-attr]
    assert captions.unused() == ["1.jpg"]


def test_a_huge_caption_does_not_stop_the_file(tmp_path: Path) -> None:
    captions = table(tmp_path, "c.csv", f"file,caption\n1.jpg,{'x' * 300_000}\n2.jpg,a dog\n")
    assert captions.get(Path("2.jpg")).caption == "a dog"  # type: ignore[union-attr]


def test_a_caption_that_is_no_text_is_that_images_error(tmp_path: Path) -> None:
    captions = table(tmp_path, "c.json", '{"1.jpg": 5, "2.jpg": "a dog"}')
    broken = captions.get(Path("1.jpg"))
    assert broken is not None
    assert broken.error is not None
    assert broken.error.code == "caption_invalid"
    assert broken.error.message.endswith("caption: expected text or null, got int")
    assert captions.get(Path("2.jpg")).error is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("c.csv", "file,caption\n1.jpg\n", r"c\.csv:2: expected 2 columns"),
        ("c.csv", "caption\nx\n", r"c\.csv:2: expected a column naming the image"),
        ("c.csv", 'file,caption\n1.jpg,"open\n', r"not CSV"),
        ("c.csv", "", r"c\.csv:1: expected a header that names the columns, got none"),
        ("c.csv", "file\n1.jpg\n", r"c\.csv:1: expected a column with the caption .*, got file"),
        (
            "c.csv",
            "file;caption\n1;x\n",
            r"expected a column with the caption .*, got file;caption",
        ),
        (
            "c.csv",
            "file,caption,caption\n1.jpg,x,y\n",
            r"c\.csv:1: expected each column once, got 'caption' again",
        ),
        ("c.jsonl", '{"file":"1","n":' + "9" * 5000 + "}", r"c\.jsonl:1: .* at most 4,300 digits"),
        ("c.jsonl", '{"file":"1","n":1e400}', r"c\.jsonl:1: expected JSON numbers, got 1e400"),
        (
            "c.csv",
            "file,caption\n1.jpg,a\n1.jpg,b\n",
            r"c\.csv:3: expected each image once, got '1.jpg'",
        ),
        ("c.json", '{"1.jpg":"a","1.jpg":"b"}', r"expected each name once, got '1.jpg' again"),
        ("c.json", "5", "expected a list or an object, got int"),
        ("c.json", '["x"]', r"c\.json\[0\]: expected an object, got text"),
        ("c.json", '[{"file":"1.jpg","caption":"a","n":NaN}]', "expected JSON numbers, got NaN"),
        ("c.json", "[" * 100_000, "not JSON|deeper nesting"),
        ("c.jsonl", '{"file":"a"}\n{\n', r"c\.jsonl:2: not JSON: .* \(line 1, column 2\)"),
        ("c.txt", "x", r"expected \.csv, \.jsonl or \.json, got '\.txt'"),
    ],
)
def test_bad_files_say_where(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        table(tmp_path, name, text)


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b"file,caption\n1.jpg,caf\xe9\n")
    with pytest.raises(ConfigError, match="expected UTF-8 text, got byte 0xe9 at offset 22"):
        read_captions(path)


@pytest.mark.parametrize("column", ["caption", "seed", "\\ud800"])
def test_half_a_surrogate_pair_is_that_images_error(tmp_path: Path, column: str) -> None:
    """JSON may say it, and no row could hold it."""
    first = f'{{"file": "1.jpg", "{column}": "a \\udc00"}}'
    text = first + '\n{"file": "2.jpg", "caption": "a dog"}'
    captions = table(tmp_path, "c.jsonl", text)
    broken, good = captions.get(Path("1.jpg")), captions.get(Path("2.jpg"))
    assert broken is not None
    assert broken.error is not None
    assert broken.error.code == "caption_invalid"
    assert "expected Unicode text, got half of a surrogate pair" in broken.error.message
    str([broken.error.message, broken.caption, broken.extra]).encode()
    assert "".join(broken.extra) == ""
    assert good is not None
    assert good.error is None


def test_the_name_outside_is_the_images(tmp_path: Path) -> None:
    captions = table(tmp_path, "c.json", '{"1.jpg": {"file": "2.jpg", "caption": "a dog"}}')
    assert captions.get(Path("1.jpg")) is not None
    assert captions.get(Path("2.jpg")) is None
