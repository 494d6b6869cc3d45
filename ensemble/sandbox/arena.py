"""The memory that a lane and its worker share: slots of encoded bytes going in and pixels coming back.

Pixels are lent, not copied: the array handed out lies in its slot, which is used again once the last view
of it is gone. (Reading 3 MB that another core has just written, and writing them elsewhere, takes a
sixteenth of a JPEG's time.) Large images are copied, and so is what goes to a caller who holds many.
What is lent cannot be written by the worker, as `worker.py` sees to it, short of a decoder that runs
code of the image's: that could change what is lent at the time.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
import weakref
from collections import deque
from typing import Any, Final

import numpy as np

from physgauge.ensemble.sandbox.protocol import LENT, SLOTS, Layout
from physgauge.errors import EnvironmentProblem
from physgauge.types import U8

_KEEP_BYTES: Final = 16 * 2**20  # of a slot; what a larger image took is given back at once
_KEEP_FREE: Final = 32 * 2**20  # of all slots that nobody uses


class _Loan:
    """What a lent array is a view of; its end, in whatever thread, is the slot's return."""

    __slots__ = ("__array_interface__", "_arena", "_mark", "_memory")

    def __init__(
        self, arena: Arena, memory: mmap.mmap, mark: tuple[int, int], interface: dict[str, Any]
    ) -> None:
        self.__array_interface__ = interface
        self._arena = arena
        self._memory = memory  # stays mapped for as long as this is here
        self._mark = mark

    def __del__(self) -> None:
        self._arena.take_back(self._mark, self._memory)


class Arena:
    """Slots in an anonymous file that is mapped here and in the worker. Used by one thread."""

    def __init__(self, layout: Layout) -> None:
        """Reserve addresses, not memory: pages come with the first write.

        Raises:
            EnvironmentProblem: the system gives no file or no room for it.
        """
        self.layout = layout
        try:
            self.fd = _anonymous_file(layout.total_bytes)
            self._map = mmap.mmap(self.fd, layout.total_bytes)
        except (OSError, ValueError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else "too large"
            raise EnvironmentProblem(
                f"decode worker: expected {layout.total_bytes:,} bytes of address space to share, "
                f"got: {reason}"
            ) from None
        self._bytes: U8 = np.frombuffer(self._map, dtype=np.uint8)
        self._address = int(self._bytes.__array_interface__["data"][0])
        self._free = list(range(SLOTS + LENT))  # a stack: the last one freed is still in a cache
        self._used = [0] * len(self._free)  # most bytes since its memory was given back
        self._lent = 0
        self._returned: deque[tuple[int, int]] = deque()  # slots and forks; filled by any thread
        self._forks = 0
        self._open = True
        _arenas.add(self)

    def stage(self, data: bytes, pixel_bytes: int) -> int:
        """Put encoded bytes into a free slot, where up to `pixel_bytes` will be written; returns it."""
        self._collect()
        slot = self._free.pop()
        start = slot * self.layout.slot_bytes + self.layout.pixel_bytes
        self._bytes[start : start + len(data)] = np.frombuffer(data, dtype=np.uint8)
        self._used[slot] = max(self._used[slot], len(data) + pixel_bytes)
        return slot

    def deliver(self, slot: int, height: int, width: int) -> U8:
        """The slot's pixels, uint8 [H, W, 3], read-only; takes the slot back, at once or later."""
        start, size = slot * self.layout.slot_bytes, height * width * 3
        if self._lent < LENT and self._used[slot] <= _KEEP_BYTES:
            self._lent += 1
            interface = {
                "version": 3,
                "typestr": "|u1",
                "shape": (height, width, 3),
                "data": (self._address + start, True),  # True: read-only
            }
            return np.asarray(_Loan(self, self._map, (slot, self._forks), interface))
        rgb = self._bytes[start : start + size].reshape(height, width, 3).copy()
        rgb.flags.writeable = False
        self.release(slot)
        return rgb

    def release(self, slot: int) -> None:
        """Take a slot back, and its memory to the system where that is much."""
        kept = sum(self._used[other] for other in self._free)
        if self._used[slot] > _KEEP_BYTES or kept + self._used[slot] > _KEEP_FREE:
            self._empty(slot, self._map)
        self._free.append(slot)

    def take_back(self, mark: tuple[int, int], memory: mmap.mmap) -> None:
        """A loan has ended. Called from any thread, at any time: no locks."""
        self._returned.append(mark)
        if not self._open and mark[1] == self._forks:
            self._empty(mark[0], memory)

    def retire_loans(self) -> None:
        """A child is about to be forked and will see what is lent now: never write there again."""
        self._forks += 1

    def close(self) -> None:
        """Give everything back but what is lent, which goes when its arrays do."""
        self._open = False
        self._collect()
        for slot in self._free:
            self._empty(slot, self._map)
        os.close(self.fd)
        del self._bytes, self._map

    def _collect(self) -> None:
        """Take back the slots whose loans have ended; those that a child may see stay as they are."""
        with contextlib.suppress(IndexError):
            while True:
                slot, forks = self._returned.popleft()
                if forks == self._forks:
                    self._lent -= 1
                    self.release(slot)

    def _empty(self, slot: int, memory: mmap.mmap) -> None:
        if self._used[slot]:
            start = slot * self.layout.slot_bytes
            with contextlib.suppress(AttributeError, OSError, ValueError):  # not every system can
                memory.madvise(mmap.MADV_REMOVE, start, self.layout.slot_bytes)
            self._used[slot] = 0


def _anonymous_file(size: int) -> int:
    """A file of `size` bytes without a name, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("physgauge-decode", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    try:
        os.ftruncate(fd, size)
    except BaseException:
        os.close(fd)
        raise
    return fd


_arenas: weakref.WeakSet[Arena] = weakref.WeakSet()


def _before_fork() -> None:
    for arena in tuple(_arenas):
        arena.retire_loans()


os.register_at_fork(before=_before_fork)
