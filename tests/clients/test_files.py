from __future__ import annotations

import os
from pathlib import Path

import pytest

from physgauge.clients.files import find_images
from physgauge.errors import ConfigError


def touch(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def test_folders_files_and_globs_in_order_each_once(tmp_path: Path) -> None:
    a, b, c, odd = (tmp_path / n for n in ("d/b.PNG", "d/sub/a.jpg", "e/c.webp", "e/strange.bin"))
    touch(a, b, c, odd, tmp_path / "d/.hidden/z.jpg", tmp_path / "d/notes.txt")
    assert find_images([str(tmp_path / "d")]) == [a, b]
    assert find_images([str(odd)]) == [odd]  # a named file is taken whatever its name
    assert find_images([str(tmp_path / "e/*.webp"), str(tmp_path / "**/*.jpg")]) == [c, b]
    assert find_images([str(a), str(tmp_path / "d"), str(a)]) == [a, b]


def test_a_file_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    odd = tmp_path / "a[1].png"
    touch(odd)
    assert find_images([str(odd)]) == [odd]


def test_nothing_found_says_where(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.png: expected a file, a folder or a glob"):
        find_images([str(tmp_path / "missing.png")])
    with pytest.raises(ConfigError, match=r"expected at least one image .* found none"):
        find_images([str(tmp_path)])
    with pytest.raises(ConfigError, match="found none"):
        find_images([str(tmp_path / "*.png")])
    with pytest.raises(ConfigError, match="got an empty path"):
        find_images([""])
    with pytest.raises(ConfigError, match=r"cannot be read \(File name too long\)"):
        find_images(["x" * 300])


def test_what_looks_like_an_image_is_not_left_out(tmp_path: Path) -> None:
    """Dangling links, links in a circle and pipes get a row that says so."""
    gone, loop, pipe = (tmp_path / "d" / n for n in ("gone.png", "loop.png", "pipe.png"))
    touch(tmp_path / "d/folder.png/x.png")
    gone.symlink_to("nowhere.png")
    loop.symlink_to("loop.png")
    os.mkfifo(pipe)
    (tmp_path / "d/up").symlink_to("..")
    inner = tmp_path / "d/folder.png/x.png"
    assert find_images([str(tmp_path / "d")]) == [inner, gone, loop, pipe]
    assert find_images([str(tmp_path / "d/*.png")]) == [gone, loop, pipe]
    assert find_images([str(gone)]) == [gone]


def test_a_folder_that_cannot_be_read_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here one whose path is too long; who lacks the right to read it meets the same."""
    touch(tmp_path / "d/a.png")
    monkeypatch.chdir(tmp_path / "d")
    for _ in range(20):
        os.mkdir("n" * 250)
        os.chdir("n" * 250)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"n+.*: cannot be read"):
        find_images(["d"])


def test_pictures_that_a_run_drew_are_no_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    touch(Path("a.jpg"), Path("out/row.schema.json"), Path("out/annotated/000000-a.jpg"))
    touch(Path("mine/annotated/b.jpg"))  # of somebody else
    expected = [Path("a.jpg"), Path("mine/annotated/b.jpg")]
    assert find_images(["."]) == expected
    assert find_images(["**/*.jpg"]) == expected
    named = "out/annotated/000000-a.jpg"
    assert find_images([named]) == [Path(named)]
