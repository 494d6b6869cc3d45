"""Memory and processor time of this process and of the workers that tell theirs."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from physgauge.bulk.watch.events import Beat

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes() -> int | None:
    """Of this process, now; None where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return None


def cpu_s() -> float:
    """Processor seconds of this process; children that have ended are not in it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Usage:
    """Adds up the workers'; one that was replaced begins at zero, what its forerunner took stays."""

    def __init__(self) -> None:
        self._memory: dict[str, int] = {}
        self._cpu: dict[str, float] = {}
        self._gone_s = 0.0

    def note(self, beat: Beat) -> None:
        """What a worker says."""
        if beat.resident_bytes is not None:
            self._memory[beat.worker] = beat.resident_bytes
        if beat.cpu_s is not None:
            before = self._cpu.get(beat.worker, 0.0)
            if beat.cpu_s < before:
                self._gone_s += before
            self._cpu[beat.worker] = beat.cpu_s

    def lost(self, worker: str) -> None:
        """It is gone; what it took stays."""
        self._memory.pop(worker, None)
        self._gone_s += self._cpu.pop(worker, 0.0)

    @property
    def resident_bytes(self) -> int | None:
        """Of all of them and this process."""
        own = resident_bytes()
        return None if own is None else own + sum(self._memory.values())

    @property
    def cpu_s(self) -> float:
        """Processor seconds of all of them, those that are gone, and this process."""
        return cpu_s() + self._gone_s + sum(self._cpu.values())
