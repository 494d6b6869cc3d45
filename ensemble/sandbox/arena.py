"""The memory that a lane and its worker share: slots of encoded bytes going in and pixels coming back.

Pixels are copied out once. Lending the slot itself as an array was tried: with three or more slots in
turn they fall out of the core's cache, which cost the worker as much as the copy costs the lane.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
from typing import Final

import numpy as np

from physgauge.ensemble.sandbox.protocol import SLOTS, Layout
from physgauge.errors import EnvironmentProblem
from physgauge.types import U8

_KEEP_BYTES: Final = 16 * 2**20  # of a slot; what a larger image took is given back at once


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
        self._free = list(range(SLOTS))
        self._used = [0] * SLOTS

    def stage(self, data: bytes) -> int:
        """Put encoded bytes into a free slot; returns the slot."""
        slot = self._free.pop()
        start = slot * self.layout.slot_bytes + self.layout.pixel_bytes
        self._bytes[start : start + len(data)] = np.frombuffer(data, dtype=np.uint8)
        self._used[slot] = len(data)
        return slot

    def pixels(self, slot: int, height: int, width: int) -> U8:
        """A copy of the slot's pixels: uint8 [H, W, 3], read-only."""
        start = slot * self.layout.slot_bytes
        rgb = self._bytes[start : start + height * width * 3].reshape(height, width, 3).copy()
        rgb.flags.writeable = False
        self._used[slot] += rgb.nbytes
        return rgb

    def release(self, slot: int) -> None:
        """Take a slot back."""
        if self._used[slot] > _KEEP_BYTES:
            start = slot * self.layout.slot_bytes
            with contextlib.suppress(AttributeError, OSError, ValueError):  # not every system can
                self._map.madvise(mmap.MADV_REMOVE, start, self.layout.slot_bytes)
        self._free.append(slot)

    def close(self) -> None:
        """Give everything back."""
        os.close(self.fd)
        del self._bytes
        self._map.close()


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
