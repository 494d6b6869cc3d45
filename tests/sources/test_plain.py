"""Local images are found without pyarrow as with it; all other inputs say what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from physgauge.clients.sources import Entry, Sourcing, open_images, open_inputs
from physgauge.errors import ConfigError, EnvironmentProblem
from tests.sources.made import npy, tar


def entries(units: object) -> list[Entry]:
    """What does not depend on a look at the file."""
    assert isinstance(units, list)
    return [
        msgspec.structs.replace(entry, size=-1, version="")
        for unit in units
        for entry in unit.entries
    ]


def test_the_same_entries_as_with_pyarrow(tmp_path: Path) -> None:
    for name in ("b/2.png", "a.jpg", "b/1.webp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    captions = tmp_path / "captions.json"
    captions.write_text(
        '{"a.jpg": {"caption": "a dog", "model": "m1"}, "1.webp": 7, "nobody": "x"}'
    )
    options = Sourcing(unit_size=2, captions=str(captions))
    # An image that is named twice has two rows.
    inputs = [str(tmp_path / one) for one in ("b", "*.jpg", "b/1.webp", "b/{2..2}.png")]
    unused: list[str] = []
    other: list[str] = []
    plain = list(open_images(inputs, options, unused))
    whole = list(open_inputs(inputs, options, other))
    assert [len(unit.entries) for unit in plain] == [2, 2, 1]
    assert entries(plain) == entries(whole)
    assert unused == other == ["nobody"]
    assert [entry.fault is None for entry in entries(plain)] == [False, True, True, False, True]
    assert [entry.warning is None for entry in entries(plain)] == [True, True, True, False, False]
    with pytest.raises(ConfigError, match="no such path"):
        list(open_images([str(tmp_path / "gone.png")], options))


@pytest.mark.parametrize(
    "given", ["-", "@list.txt", "list.csv", "shard-{0..3}.tar", "s3://b/x", "https://h/a.png"]
)
def test_what_needs_pyarrow_says_so(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(EnvironmentProblem, match=r"need pyarrow: pip install 'physgauge\[local\]'"):
        list(open_images([given], Sourcing()))


def test_nothing_is_left_out_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(b"x")
    tar(tmp_path / "b.tar", [("c.npy", npy(1))])
    tar(tmp_path / "shard.bin", [("c.npy", npy(1))])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for given in (".", "shard.bin", "*"):
        with pytest.raises(EnvironmentProblem, match="need pyarrow"):
            list(open_images([str(tmp_path / given)], Sourcing()))
