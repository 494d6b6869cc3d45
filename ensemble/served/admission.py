"""How many images the whole server has in hand: a bound that all its processes share.

Triton's ensemble has no queue of its own, and a full queue of a step inside it wedges or crashes the
server (24.10). So the first step hands out places, and turns a request away at once when there are none;
the queues behind it are longer than there are places, and never fill.

The step that answers gives the place back. But a request whose caller hangs up just ends, between two
steps, and no step is told. The steps work in order, give or take what is seen of their disorder: so once
a request that was decoded well after it has been answered, it is gone, and its place is free. (Its
deadline is the last resort.) The sooner the better: a crowd of callers with short patience would else
fill all places with requests that are gone, and leave none to those who wait.
"""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path
from typing import Final

import numpy as np

from physgauge.types import Bools

ORDER_S: Final = (0.5, 5.0)
"""Requests are answered in the order in which they were decoded, give or take twice the disorder seen,
but at least and at most this."""
_FADE: Final = 0.99
"""What one answer leaves of the disorder seen before it."""
GRACE_S: Final = 5.0
"""This long after its deadline, no step has a request in hand any more."""
MAX_BYTES: Final = 512 * 2**20
"""Encoded bytes in hand, which Triton holds until it has answered; one image more is taken alone."""
_FOLDER = Path("/dev/shm" if os.path.isdir("/dev/shm") else "/tmp")
_HEADER: Final = 4


class Admission:
    """The places, in a file that all processes of a server map. Times are of `time.monotonic`, which all
    processes of a machine share.

    Args:
        path: the file; made if it is not there.
        places: how many, at least 1; there is one more, which is kept for the canary.
    """

    def __init__(self, path: Path, places: int) -> None:
        count = places + 1
        size = 8 * (_HEADER + 3 * count)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(fd, size)
            cells = np.frombuffer(mmap.mmap(fd, size), np.float64)
        finally:
            os.close(fd)
        # Closed; when the latest request answered was decoded; when it was answered; how much earlier
        # than that, lately, were those decoded that were answered after it.
        self._header = cells[:_HEADER]
        # 0 = free; 0 = not yet; bytes.
        self._until, self._decoded, self._bytes = cells[_HEADER:].reshape(3, count)

    @classmethod
    def of_server(cls, places: int, pid: int | None = None) -> Admission:
        """That of a server.

        Args:
            places: how many, at least 1.
            pid: of tritonserver; None = it is this process's parent.
        """
        return cls(path_of(os.getppid() if pid is None else pid), places)

    def take(self, until_s: float, size: int, canary: bool = False) -> int | None:
        """A place for a request; None = all are taken, by number or by bytes. Only one process takes.

        Args:
            until_s: its deadline.
            size: bytes of its image.
            canary: it may have the place that is kept.
        """
        busy = self._busy()
        free = np.flatnonzero(~busy)
        if not canary:
            free = free[free < len(self._until) - 1]
        held = self._bytes[busy].sum()
        if not len(free) or (held and held + size > MAX_BYTES and not canary):
            return None
        place = int(free[-1] if canary else free[0])
        self._decoded[place], self._bytes[place] = 0.0, size
        self._until[place] = until_s
        return place

    def decoded(self, place: int, moment_s: float) -> None:
        """The request leaves the first step."""
        self._decoded[place] = moment_s

    def give_back(self, place: int, until_s: float, answered: bool = False) -> None:
        """Free a place; without effect where it has passed to another request meanwhile.

        Args:
            place: what `take` gave.
            until_s: the request's deadline.
            answered: by the last step, in its turn.
        """
        if self._until[place] != until_s:
            return
        if answered:
            early_s = self._header[1] - self._decoded[place]
            self._header[3] = max(_FADE * self._header[3], early_s)
            self._header[1] = max(self._header[1], self._decoded[place])
            self._header[2] = time.monotonic()
        self._until[place] = 0.0

    def close(self) -> None:
        """Nobody is admitted any more, but the canary."""
        self._header[0] = 1.0

    @property
    def closed(self) -> bool:
        """Whether nobody is admitted any more, but the canary."""
        return bool(self._header[0])

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return int(self._busy().sum())

    @property
    def answered_s(self) -> float:
        """When a request was last answered; 0 = none has been."""
        return float(self._header[2])

    def _busy(self) -> Bools:
        least, most = ORDER_S
        order_s = min(most, max(least, 2 * self._header[3]))
        passed = (self._decoded > 0) & (self._decoded < self._header[1] - order_s)
        busy: Bools = (self._until > time.monotonic() - GRACE_S) & ~passed
        return busy


def path_of(pid: int) -> Path:
    """The file of the tritonserver with this process id."""
    return _FOLDER / f"physgauge-{pid}.places"
