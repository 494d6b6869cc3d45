from __future__ import annotations

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
