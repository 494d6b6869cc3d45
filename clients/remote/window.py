"""How many calls one server gets at a time: grows while more calls bring more answers a second, shrinks
when the server rejects. A state machine without a clock: it is told the time."""

from __future__ import annotations

from typing import Final

START: Final = 8
"""Calls at a time before anything is known."""
MIN_ANSWERS: Final = 16
"""A rate is measured over this many answers, and over two windows of them,"""
MIN_S: Final = 0.5
"""and over this time: answers come in bursts."""
WORTH: Final = 0.1
"""Growing by a share x must bring this share of x more answers a second: else it only brings waiting."""
HOLD: Final = 4
"""Measurements between two tries to grow; doubled with each that fails, up to MAX_HOLD."""
MAX_HOLD: Final = 32
FAST: Final = 2.0
"""Growth while every step has been worth it,"""
SLOW: Final = 1.25
"""and after one that was not, or a reject."""
REJECTED: Final = 0.7
"""What is left of the window after a reject."""


class Window:
    """The window of one server.

    Every call is one `send`, and then one of `answered`, `rejected` and `dropped`.

    Args:
        most: calls at a time, at the most; at least 1.
        start: calls at a time, at first.
    """

    def __init__(self, most: int, start: int = START) -> None:
        self._most = most
        self._start = min(start, most)
        self.limit = self._start
        """Calls that the server may have now, 1 to `most`."""
        self.in_flight = 0
        """Calls that it has; more than `limit` just after this has shrunk."""
        self._sent = 0
        self._gone = 0  # calls up to here ended with a restart
        self._shrunk_at = 0  # the last call sent before the window shrank
        self._peak = 0  # most calls at a time since the measurement began
        self._forget()

    @property
    def room(self) -> int:
        """Calls that may be sent now."""
        return max(0, self.limit - self.in_flight)

    def send(self) -> int:
        """A call begins; returns its number."""
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        self._sent += 1
        return self._sent

    def answered(self, call: int, now_s: float) -> None:
        """The server answered."""
        if not self._ended(call):
            return
        if self._settling:  # sent under another window
            self._settling -= 1
            self._since = now_s
            return
        self._answers += 1
        took = now_s - self._since
        if self._answers >= max(MIN_ANSWERS, 2 * self.limit) and took >= MIN_S:
            self._measured(self._answers / took)
            self._since = now_s

    def rejected(self, call: int) -> None:
        """The server had too much in hand. Of calls sent before the window last shrank, no news."""
        if self._ended(call) and call > self._shrunk_at:
            self._shrunk_at = self._sent
            self._hold_for(HOLD)
            self._resize(int(self.limit * REJECTED))

    def dropped(self, call: int) -> None:
        """The call ended without a word from the server that says how busy it is."""
        self._ended(call)

    def restart(self) -> None:
        """All calls are gone, and so may be what was known: begin anew, with no more than at first."""
        self.in_flight = 0
        self._gone = self._sent
        self.limit = min(self.limit, self._start)
        self._forget()

    def _forget(self) -> None:
        self._factor = FAST
        self._before: tuple[int, float] | None = None  # the last smaller window and its rate
        self._hold, self._next_hold = 0, HOLD
        self._since = 0.0
        self._measure(settling=1)

    def _ended(self, call: int) -> bool:
        if call <= self._gone:
            return False
        self.in_flight -= 1
        return True

    def _measured(self, rate: float) -> None:
        """So many answers a second at this window."""
        full = self._peak >= self.limit
        before, self._before = self._before, None
        if full and before is not None and not self._worth(before, rate):
            self._hold_for(self._next_hold)
            self._resize(before[0])
        elif full and not self._hold:
            self._before = (self.limit, rate)
            self._resize(max(self.limit + 1, int(self.limit * self._factor)))
        else:  # holding; or nobody asked for more, which says nothing about the server
            self._hold = max(0, self._hold - full)
            self._measure(settling=0)

    def _worth(self, before: tuple[int, float], rate: float) -> bool:
        limit, rate_then = before
        return rate / rate_then - 1 >= WORTH * (self.limit / limit - 1)

    def _hold_for(self, measurements: int) -> None:
        self._hold, self._next_hold = measurements, min(MAX_HOLD, 2 * measurements)
        self._factor = SLOW
        self._before = None

    def _resize(self, limit: int) -> None:
        limit = max(1, min(self._most, limit))
        if limit == self.limit:
            self._before = None
        self.limit = limit
        self._measure(settling=max(1, self.in_flight))

    def _measure(self, settling: int) -> None:
        self._settling = settling
        self._answers = 0
        self._peak = self.in_flight
