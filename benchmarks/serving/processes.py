"""What a tree of processes uses: processor time and memory, from /proc."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def tree(root: int) -> list[int]:
    """Process ids of `root` and all its descendants that run now."""
    parents = {int(p): _stat(int(p), 1) for p in os.listdir("/proc") if p.isdigit()}
    found, new = [root], {str(root)}
    while new:
        children = [pid for pid, parent in parents.items() if parent in new]
        found += children
        new = {str(pid) for pid in children}
    return found


def cpu_s(root: int) -> float:
    """Processor seconds so far of the tree's processes that run now."""
    return sum(float(_stat(pid, k) or 0) for pid in tree(root) for k in (11, 12)) / _TICKS


def pss_mib(root: int) -> float:
    """Memory of the tree: pages that processes share are counted once, /dev/shm included."""
    return sum(_pss_kib(pid) for pid in tree(root)) / 1024


def _pss_kib(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    except OSError:  # gone
        return 0
    found = _PSS.search(text)
    return int(found[1]) if found else 0


def _stat(pid: int, field: int) -> str:
    """A field of /proc/PID/stat, counted from the state; "" for a process that is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[field]
