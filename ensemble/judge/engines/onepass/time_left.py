"""Deadlines."""

from __future__ import annotations

import time


def time_left(deadline: float | None) -> float | None:
    """Seconds until a deadline (`time.monotonic`), 0 behind it; None: there is none."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())
