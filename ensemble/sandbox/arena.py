"""The memory that a lane and its worker share, in slots, and arrays over it that give their slot back."""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
from collections import deque
from typing import Any, Final

import numpy as np

from physgauge.ensemble.sandbox.protocol import SLOTS, Layout
from physgauge.types import U8

_KEEP_BYTES: Final = 16 * 2**20  # of a slot; what a large image took beyond it is returned at once


class Arena:
    """Slots in an anonymous file that is mapped here and in the worker.

    The lane's thread takes slots; they come back from whichever thread drops the last array. So `free` is
    a deque, whose append and popleft need no lock (a lock in a finalizer could deadlock).
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.fd = _anonymous_file(layout.total_bytes)
        self._map = mmap.mmap(self.fd, layout.total_bytes)
        self._bytes: U8 = np.frombuffer(self._map, dtype=np.uint8)
        self._address = int(self._bytes.ctypes.data)
        self._process = os.getpid()
        self._touched = [0] * SLOTS
        self.free = deque(range(SLOTS))

    def stage(self, slot: int, data: bytes) -> None:
        """Put encoded bytes where the worker looks for them."""
        start = slot * self.layout.slot_bytes + self.layout.pixel_bytes
        self._bytes[start : start + len(data)] = np.frombuffer(data, dtype=np.uint8)
        self._touched[slot] = len(data)

    def copy(self, slot: int, height: int, width: int) -> U8:
        """The slot's pixels [H, W, 3] in memory of their own, read-only; the slot is free again."""
        start = slot * self.layout.slot_bytes
        rgb = self._bytes[start : start + height * width * 3].reshape(height, width, 3).copy()
        rgb.flags.writeable = False
        self._touched[slot] += rgb.nbytes
        self.release(slot)
        return rgb

    def lend(self, slot: int, height: int, width: int) -> U8:
        """The slot's pixels [H, W, 3] in place, read-only; free again when the last view is gone."""
        self._touched[slot] += height * width * 3
        address = self._address + slot * self.layout.slot_bytes
        return np.asarray(_Loan(self, slot, address, (height, width, 3)))

    def release(self, slot: int) -> None:
        """Take a slot back."""
        if os.getpid() != self._process:  # a forked child must not touch the parent's pages
            return
        if self._touched[slot] > _KEEP_BYTES:
            start = slot * self.layout.slot_bytes
            with contextlib.suppress(AttributeError, OSError, ValueError):
                self._map.madvise(mmap.MADV_REMOVE, start, self.layout.slot_bytes)
        self.free.append(slot)

    def close(self) -> None:
        """Close the file; the memory goes when the last array over it is gone."""
        os.close(self.fd)


class _Loan:
    """What numpy keeps alive under an array over a slot, and under every view of that array.

    (A finalizer on the array itself would be wrong: views of it point past it to this object.)
    """

    def __init__(self, arena: Arena, slot: int, address: int, shape: tuple[int, int, int]) -> None:
        self._arena = arena
        self._slot = slot
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "typestr": "|u1",
            "shape": shape,
            "data": (address, True),
        }

    def __del__(self) -> None:
        self._arena.release(self._slot)


def _anonymous_file(size: int) -> int:
    """A file of `size` bytes without a name, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("physgauge-decode", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, size)
    return fd
