"""Bytes of images in hand: however large the images, memory is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MOST_BYTES: Final = 512 * 2**20
"""Beyond this no further image is read. (A server takes no more in hand either.)"""


class Budget:
    """Counts bytes, within one event loop."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._held = 0
        self._freed = asyncio.Event()

    async def room(self) -> None:
        """Wait until another image may be read."""
        while self._held >= self._most:
            self._freed.clear()
            await self._freed.wait()

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """While an image of `size` bytes is in hand."""
        self._held += size
        try:
            yield
        finally:
            self._held -= size
            self._freed.set()
