"""A seekable file over reads of ranges."""

from __future__ import annotations

import io
from collections.abc import Callable


class RangeFile(io.RawIOBase):
    """Reads what is asked for, range by range; wrap it in io.BufferedReader.

    Args:
        read: bytes from start up to end (exclusive).
        size: bytes of the whole.
    """

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        super().__init__()
        self._read, self._size, self._at = read, size, 0

    def readable(self) -> bool:
        """See io.RawIOBase."""
        return True

    def seekable(self) -> bool:
        """See io.RawIOBase."""
        return True

    def tell(self) -> int:
        """See io.RawIOBase."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """See io.RawIOBase."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise ValueError(f"expected a place in the file, got {base + offset}")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """See io.RawIOBase."""
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        data = self._read(self._at, end)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
