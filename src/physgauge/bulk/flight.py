"""Which entries a worker has in hand, in memory that its coordinator still sees when it is dead.

One writer, the worker; the coordinator reads to notice one that stands still, and after a death. Entries
leave in the order in which they came, so the record is a ring of (unit, place).
"""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Final

import numpy as np

SLOTS: Final = 16_384
"""Entries in hand, at most: a pipeline reads a few hundred ahead."""
_HEAD, _TAIL, _BEATS, _PHASE = range(4)
_WORDS: Final = 8
_BYTES: Final = 8 * (_WORDS + 2 * SLOTS)
LOADING, IDLE, WORKING = range(3)
"""What the worker is at: getting ready, waiting for a task, or anything that should move."""


class Flight:
    """The record; made by the coordinator, opened by the worker through the file descriptor."""

    def __init__(self, fd: int | None = None) -> None:
        """A new record, or the one behind `fd` (which is then owned)."""
        self.fd = _memory() if fd is None else fd
        self._map = mmap.mmap(self.fd, _BYTES)
        words = np.frombuffer(self._map, np.int64)
        self._at, self._ring = words[:_WORDS], words[_WORDS:].reshape(SLOTS, 2)

    def begin(self, unit: int, place: int) -> None:
        """An entry is about to be read."""
        head = int(self._at[_HEAD])
        if head - int(self._at[_TAIL]) >= SLOTS:
            raise RuntimeError(f"expected at most {SLOTS} entries in hand, got one more")
        self._ring[head % SLOTS] = unit, place
        self._at[_HEAD] = head + 1

    def undo(self) -> None:
        """The newest has gone, unseen by any stage."""
        self._at[_HEAD] -= 1

    def end(self) -> None:
        """The oldest has its row."""
        self._at[_TAIL] += 1

    def clear(self) -> None:
        """Nothing is in hand."""
        self._at[_TAIL] = self._at[_HEAD]

    def beat(self) -> None:
        """Something moves."""
        self._at[_BEATS] += 1

    @property
    def phase(self) -> int:
        """LOADING, IDLE or WORKING."""
        return int(self._at[_PHASE])

    @phase.setter
    def phase(self, phase: int) -> None:
        self._at[_PHASE] = phase
        self.beat()

    @property
    def signs(self) -> tuple[int, ...]:
        """Of life: other numbers when anything has moved."""
        return tuple(int(one) for one in self._at[:_PHASE])

    def in_hand(self) -> dict[int, list[int]]:
        """Unit to places of the entries in hand."""
        found: dict[int, list[int]] = {}
        for number in range(int(self._at[_TAIL]), int(self._at[_HEAD])):
            unit, place = self._ring[number % SLOTS].tolist()
            found.setdefault(unit, []).append(place)
        return found

    def close(self) -> None:
        """Let the memory go."""
        del self._at, self._ring
        self._map.close()
        os.close(self.fd)


def _memory() -> int:
    """A file without a name: nothing is left of it, whoever is killed."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("physgauge-flight")
    else:  # not Linux
        file, name = tempfile.mkstemp()
        os.unlink(name)
        fd = file
    os.ftruncate(fd, _BYTES)
    return fd
