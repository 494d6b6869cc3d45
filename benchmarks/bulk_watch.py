"""What a process and all that it started take, over the rows that they have committed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
_MOST_POINTS: Final = 800


@dataclass(frozen=True, slots=True)
class Sample:
    """One look."""

    at_s: float
    rows: int
    cpu_s: float
    """Of all processes so far, those that have ended too."""
    own_kb: int
    """Proportional set size of the process itself ..."""
    others_kb: int
    """... and of those that it started."""
    processes: int


class Watch:
    """Looks every so often, in a thread; a context manager.

    Args:
        pid: of the process.
        rows: how many rows there are.
        every_s: between two looks.
    """

    def __init__(self, pid: int, rows: Callable[[], int], every_s: float = 1.0) -> None:
        self._pid, self._rows, self._every_s = pid, rows, every_s
        self._cpu: dict[int, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self.samples: list[Sample] = []

    def _look_on(self) -> None:
        while not self._over.wait(self._every_s):
            with suppress(ProcessLookupError, FileNotFoundError):
                self.samples.append(self._look())

    def _look(self) -> Sample:
        rows, own, others = self._rows(), 0, 0
        family = tree(self._pid)
        for pid in family:
            with suppress(OSError, IndexError, ValueError):
                self._cpu[pid] = _cpu_s(pid)
                kb = _pss_kb(pid)
                own, others = (own + kb, others) if pid == self._pid else (own, others + kb)
        return Sample(time.monotonic(), rows, sum(self._cpu.values()), own, others, len(family))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def tree(pid: int) -> list[int]:
    """A process and all below it."""
    found, new = [pid], [pid]
    while new:
        below: list[int] = []
        for one in new:
            for task in Path(f"/proc/{one}/task").glob("*/children"):
                with suppress(OSError):
                    below += map(int, task.read_text().split())
        found += below
        new = below
    return found


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def _pss_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Theil and Sen's: the median of the slopes between all pairs of points; NaN where there is none."""
    if len(x) < 2:
        return float("nan")
    few = np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).astype(int)
    xs, ys = np.asarray(x, float)[few], np.asarray(y, float)[few]
    a, b = np.triu_indices(len(few), 1)
    run = xs[b] - xs[a]
    rise = (ys[b] - ys[a])[run != 0]
    return float(np.median(rise / run[run != 0])) if len(rise) else float("nan")


def after(samples: Sequence[Sample], rows: int) -> list[Sample]:
    """Without the warm-up: from so many rows on, until the last rows were there."""
    last = max((one.rows for one in samples), default=0)
    end = next((one.at_s for one in samples if one.rows == last), 0.0)
    return [one for one in samples if one.rows >= rows and one.at_s <= end]


def steps(samples: Sequence[Sample]) -> list[Sample]:
    """Those at which there were more rows than before."""
    return [new for old, new in pairwise(samples) if new.rows > old.rows]


def paces(samples: Sequence[Sample]) -> dict[str, Any]:
    """Between the first and the last step: images/s, and processor time an image in ms."""
    some = steps(samples)
    if len(some) < 2:
        return {"images_per_s": float("nan"), "cpu_ms": float("nan")}
    first, last = some[0], some[-1]
    rows = last.rows - first.rows
    return {
        "images_per_s": rows / (last.at_s - first.at_s),
        "cpu_ms": 1000 * (last.cpu_s - first.cpu_s) / rows,
    }
