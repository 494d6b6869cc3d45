"""Disks that are full, read-only, gone, or say the wrong thing."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from physgauge.clients.storage import open_store
from physgauge.clients.storage.local import LocalStore
from physgauge.errors import EnvironmentProblem

ROOT = Path(__file__).parents[2]
FULL = """
import resource, signal, sys
from physgauge.clients.storage import open_store
from physgauge.errors import EnvironmentProblem
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
store = open_store(sys.argv[1])
for act in (lambda: store.create("rows/a", b"x" * 9000), lambda: store.replace("rows/b", b"x" * 9000)):
    try:
        act()
    except EnvironmentProblem as error:
        print(error)
print([one.key for one in store.list("")])
"""


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files, in a process of its own, stands for the disk's end."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        capture_output=True, text=True, timeout=60, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"{tmp_path}/rows/a: cannot be written (File too large)",
        f"{tmp_path}/rows/b: cannot be written (File too large)",
        "[]",
    ]


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, r"no space left on device; make room and run the same command again"),
        (errno.EROFS, "Read-only file system"),
        (errno.EACCES, "Permission denied"),
        (errno.EPERM, "a run folder needs a file system with hard links"),
        (errno.EOPNOTSUPP, "no hard links; use another one, or an object store"),
    ],
)
def test_what_the_system_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str
) -> None:
    def refuse(*names: object) -> None:
        raise OSError(number, os.strerror(number), "somewhere")

    monkeypatch.setattr(os, "link", refuse)
    store = open_store(tmp_path)
    with pytest.raises(EnvironmentProblem, match=rf"rows/a: cannot be written \(.*{says}"):
        store.create("rows/a", b"1")
    assert list(store.list("")) == []


def test_a_folder_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    """It may lie on a disk that was unmounted: rows must not go to what lies under it."""
    store = open_store(tmp_path / "run")
    with pytest.raises(EnvironmentProblem, match=r"rows/a: cannot be written: .* is not there"):
        store.create("rows/a", b"1")
    store.make()
    assert store.create("rows/a", b"1")
    (tmp_path / "run").rename(tmp_path / "away")
    for act in (lambda: store.create("rows/b", b"1"), lambda: store.replace("rows/b", b"1")):
        with pytest.raises(EnvironmentProblem, match="is not there"):
            act()
    assert not (tmp_path / "run").exists()


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"")
    store = open_store(tmp_path)
    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        store.create("rows/a", b"1")
    assert list(store.list("rows/")) == []
    with pytest.raises(EnvironmentProblem, match="cannot be made"):
        open_store(tmp_path / "rows").make()


def test_a_link_whose_answer_was_lost_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS sends a request again whose answer got lost, and then says that the name exists."""
    link = os.link

    def twice(attempt: Path, path: Path) -> None:
        link(attempt, path)
        link(attempt, path)

    monkeypatch.setattr(os, "link", twice)
    store = LocalStore(tmp_path)
    assert store.create("a", b"1")
    assert not store.create("a", b"1")


def test_a_name_that_is_taken_and_given_back_meanwhile_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim is released between the link that fails and the look at whose it is."""
    link, store = os.link, LocalStore(tmp_path)
    store.create("claims/a", b"theirs")

    def given_back(attempt: Path, path: Path) -> None:
        try:
            link(attempt, path)
        finally:
            path.unlink()
            monkeypatch.setattr(os, "link", link)

    monkeypatch.setattr(os, "link", given_back)
    assert store.create("claims/a", b"mine")
    assert store.get("claims/a") == b"mine"


def test_nobody_sees_half_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a listing shows is whole: content first, then the name."""
    store = open_store(tmp_path)
    seen: list[list[str]] = []
    sync = os.fsync

    def look(descriptor: int) -> None:
        seen.append([one.key for one in store.list("rows/")])
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    store.create("rows/a", b"1")
    assert seen[-1] == ["rows/a"]
    assert seen.count([]) == len(seen) - 1
    assert len(seen) >= 2
