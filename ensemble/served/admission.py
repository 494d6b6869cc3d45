"""How many images the whole server has in hand: a bound that all its processes share.

Triton's ensemble has no queue of its own, and a full queue of a step inside it wedges or crashes the
server (24.10). So the first step hands out places, and turns a request away at once when there are none;
the queues behind it are longer than there are places, and never fill. A place is given back by the step
that answers, or taken back some time after its request's deadline, should a process have died with it.
"""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path

import numpy as np

GRACE_S = 5.0
"""After its deadline, a place that was not given back is free."""
_FOLDER = Path("/dev/shm" if os.path.isdir("/dev/shm") else "/tmp")


class Admission:
    """The places, in a file that all processes of a server map.

    Args:
        path: the file; made if it is not there.
        places: how many, at least 1.
    """

    def __init__(self, path: Path, places: int) -> None:
        size = 8 * (1 + places)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(fd, size)
            cells = np.frombuffer(mmap.mmap(fd, size), np.float64)
        finally:
            os.close(fd)
        self._closed = cells[:1]
        # The deadline of whoever has the place (monotonic seconds); 0 = free.
        self._until = cells[1:]

    @classmethod
    def of_server(cls, places: int, pid: int | None = None) -> Admission:
        """That of a server.

        Args:
            places: how many, at least 1.
            pid: of tritonserver; None = it is this process's parent.
        """
        return cls(path_of(os.getppid() if pid is None else pid), places)

    def take(self, deadline_s: float) -> int | None:
        """A place until `deadline_s` (`time.monotonic`); None = all are taken. Only one process takes."""
        free = np.flatnonzero(self._until + GRACE_S * (self._until > 0) < time.monotonic())
        if not len(free):
            return None
        self._until[free[0]] = deadline_s
        return int(free[0])

    def give_back(self, place: int, deadline_s: float) -> None:
        """Free a place; without effect where it has passed to another request meanwhile."""
        if self._until[place] == deadline_s:
            self._until[place] = 0.0

    def close(self) -> None:
        """Nobody is admitted any more."""
        self._closed[0] = 1.0

    @property
    def closed(self) -> bool:
        """Whether nobody is admitted any more."""
        return bool(self._closed[0])

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return int((self._until > 0).sum())


def path_of(pid: int) -> Path:
    """The file of the tritonserver with this process id."""
    return _FOLDER / f"physgauge-{pid}.places"
