"""What a client has done so far, for whoever watches it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

KEPT: Final = 2048
"""Latest rows whose times count."""


@dataclass(frozen=True, slots=True)
class EndpointStats:
    """One server."""

    address: str
    healthy: bool
    """Whether it gets calls."""
    window: int
    """Calls that it may have at a time."""
    in_flight: int
    """Calls that it has."""
    ejections: int
    """Times that it got none for a while, because of a fault."""


@dataclass(frozen=True, slots=True)
class Stats:
    """A client, as it is now."""

    sent: int
    """Calls, those of retries included."""
    rows: int
    """Rows that servers made."""
    errors: int
    """Inputs that finally failed: unreadable, refused, or never answered."""
    retries: int
    """Calls for an input that had been sent before."""
    rejects: int
    """Calls that a server turned away because it was full."""
    p50_ms: float | None
    """Time from an input's turn to its row, retries included; of the latest rows. None = no row yet."""
    p99_ms: float | None
    endpoints: tuple[EndpointStats, ...]

    @property
    def window(self) -> int:
        """Calls that the healthy servers may have at a time."""
        return sum(one.window for one in self.endpoints if one.healthy)


@dataclass(slots=True)
class Counters:
    """What is counted as it happens."""

    sent: int = 0
    rows: int = 0
    errors: int = 0
    retries: int = 0
    rejects: int = 0
    times_s: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def stats(self, endpoints: Iterable[EndpointStats]) -> Stats:
        """A snapshot."""
        times = sorted(self.times_s.copy())  # in one step: other threads may ask
        return Stats(
            self.sent, self.rows, self.errors, self.retries, self.rejects,
            _percentile_ms(times, 0.50), _percentile_ms(times, 0.99), tuple(endpoints),
        )  # fmt: skip


def _percentile_ms(ordered_s: list[float], share: float) -> float | None:
    """The least time that this share of all does not exceed (nearest rank)."""
    if not ordered_s:
        return None
    return 1000 * ordered_s[max(0, math.ceil(share * len(ordered_s)) - 1)]
