"""Stage times of a batch, shared out over its images."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class Clock:
    """Times stages; each image's cost is its share of the batch.

    Args:
        images: in the batch; at least 1.
    """

    def __init__(self, images: int) -> None:
        self._images = images
        self.ms: dict[str, float] = {}
        """Stage name to milliseconds per image."""

    def time(self, stage: str, work: Callable[[], Result]) -> Result:
        """Run `work` and note its wall-clock time under `stage`."""
        start = time.perf_counter()
        result = work()
        self.ms[stage] = round(1000 * (time.perf_counter() - start) / self._images, 3)
        return result
