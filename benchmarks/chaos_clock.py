"""A wall clock that jumps, for one process and those that it starts; loaded at their start."""

from __future__ import annotations

import os
import time

AFTER_S = 0.5


def install() -> None:
    """From half a second on, `time.time` is days off."""
    days = int(os.environ["PHYSGAUGE_CHAOS_DAYS"])
    start, real, real_ns = time.monotonic(), time.time, time.time_ns

    def off() -> int:
        return 86_400 * days if time.monotonic() - start > AFTER_S else 0

    time.time = lambda: real() + off()
    time.time_ns = lambda: real_ns() + 1_000_000_000 * off()
