"""A cluster of the tests does not outlive them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.bulk_ray.cluster import ROOT, members


def test_sessions_end_with_whoever_started_them(tmp_path: Path) -> None:
    child = subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600"], start_new_session=True)
    folder = tmp_path / "cluster"
    folder.mkdir()
    keeper = subprocess.Popen(
        [sys.executable, "-m", "tests.bulk_ray.cluster", str(folder)],
        stdin=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert members(child.pid)
    keeper.communicate(f"{child.pid}\n".encode(), timeout=60)
    child.wait(10)
    assert not members(child.pid)
    assert not folder.exists()
