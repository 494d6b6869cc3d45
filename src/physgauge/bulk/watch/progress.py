"""Where a run stands: what the progress line, the metrics and the end report show."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from physgauge.bulk.watch.money import Costs
from physgauge.bulk.watch.tally import Tally

WINDOW_S = 60.0
"""The rate of now is that of the last minute."""
MIN_WINDOW_S = 2.0
"""Below this it is too early to say."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of a run."""

    total: int | None
    """Entries of the run; None: archives are in it that nobody has read yet."""
    total_units: int | None
    done: int
    """Rows committed, those of earlier sessions too."""
    units: int
    """Units committed."""
    in_flight: int
    """Rows made, not yet committed."""
    rate: float | None
    """Images a second now."""
    overall_rate: float | None
    """Images a second over the time in which the run was worked on."""
    elapsed_s: float
    """Of this session."""
    tally: Tally
    """Over the rows whose counts are known (all but a few of earlier sessions, right after the start)."""
    costs: Costs
    workers: int
    waiting_units: int | None
    restarts: int
    retries: int
    resident_bytes: int | None
    last_commit_age_s: float | None
    """Since the session's last commit; None: none yet."""
    draining: bool = False

    @property
    def expected(self) -> float | None:
        """Entries of the run, from the size of its units so far where nobody knows; None: can't say."""
        if self.total is not None:
            return self.total
        if self.total_units is None or self.units == 0:
            return None
        return max(self.done / self.units * self.total_units, self.done + self.in_flight)

    @property
    def left_s(self) -> float | None:
        """Seconds left at the rate of now; None: can't say."""
        if self.expected is None or not self.rate:
            return None
        return max(0.0, self.expected - self.done - self.in_flight) / self.rate


class Speed:
    """Images a second over the last minute, by a monotonic clock that the caller reads."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, int]] = deque()

    def note(self, now_s: float, made: int) -> None:
        """So many rows have been made by now. The count may drop: a lost unit's rows are made again."""
        while self._points and self._points[-1][1] > made:
            self._points.pop()  # those were lost: they don't count as speed twice
        self._points.append((now_s, made))
        while len(self._points) > 2 and self._points[1][0] <= now_s - WINDOW_S:
            self._points.popleft()

    def rate(self) -> float | None:
        """None: too early to say."""
        if len(self._points) < 2:
            return None
        (start, before), (end, made) = self._points[0], self._points[-1]
        return (made - before) / (end - start) if end - start >= MIN_WINDOW_S else None


def worked_s(spans: Iterable[tuple[float, float]]) -> float:
    """Seconds in which at least one of several sessions worked.

    Args:
        spans: start of each by its host's clock, and how long it took by a monotonic one. A clock that
            was set wrong moves a session to another place, so the result is wrong by as much as sessions
            seem to overlap or not: it stays between the longest span and the sum of all.
    """
    total, end = 0.0, float("-inf")
    for start, seconds in sorted(spans):
        total += max(0.0, start + seconds - max(start, end))
        end = max(end, start + seconds)
    return total
