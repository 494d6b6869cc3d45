"""What is known of one server, and which of several gets the next call. No clock and no network here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from physgauge.clients.remote.window import Window

State = Literal["down", "trial", "up"]


class Endpoint:
    """One server: down (being connected), on trial (it gets one call) or up.

    Args:
        address: ``host:port``.
        most: calls at a time, at the most.
    """

    def __init__(self, address: str, most: int) -> None:
        self.address = address
        self.window = Window(most)
        self.state: State = "down"
        self.failures = 0
        """Times in a row that it was ejected, or could not be reached."""
        self.answered_s = 0.0
        """When it last answered anything."""
        self._turn = 0

    @property
    def room(self) -> int:
        """Calls that it may get now."""
        if self.state == "up":
            return self.window.room
        return 1 if self.state == "trial" and not self.window.in_flight else 0

    @property
    def capacity(self) -> int:
        """Calls that it may have in all."""
        return {"up": self.window.limit, "trial": 1, "down": 0}[self.state]

    @property
    def load(self) -> float:
        """0 = idle, 1 = full."""
        return self.window.in_flight / self.window.limit

    def send(self, turn: int) -> int:
        """A call begins; returns its number."""
        self._turn = turn
        return self.window.send()

    @property
    def turn(self) -> int:
        """When it last got a call, in calls of the client."""
        return self._turn

    def answered(self, call: int, now_s: float) -> None:
        """It answered a call: it is there."""
        self.window.answered(call, now_s)
        self._alive(now_s)

    def rejected(self, call: int, now_s: float) -> None:
        """It has too much in hand: it is there."""
        self.window.rejected(call)
        self._alive(now_s)

    def refused(self, call: int, now_s: float) -> None:
        """It answered a call with an error of that call's own."""
        self.window.dropped(call)
        self._alive(now_s)

    def dropped(self, call: int) -> None:
        """The caller gave the call up."""
        self.window.dropped(call)

    def eject(self) -> None:
        """It gets no calls until it has been reached again."""
        self.state = "down"
        self.failures += 1
        self.window.restart()

    def unreachable(self) -> None:
        """One more try to reach it failed."""
        self.failures += 1

    def reached(self) -> None:
        """There is a connection again: on trial, if there was a fault before."""
        self.state = "trial" if self.failures else "up"

    def _alive(self, now_s: float) -> None:
        self.answered_s = now_s
        if self.state == "trial":
            self.state = "up"
        if self.state == "up":
            self.failures = 0


def pick(endpoints: Iterable[Endpoint], avoid: Endpoint | None = None) -> Endpoint | None:
    """The least loaded server that has room; of equals, the one that has waited longest for a call.

    Args:
        endpoints: all.
        avoid: taken only if no other has room.
    """
    free = [one for one in endpoints if one.room]
    others = [one for one in free if one is not avoid]
    return min(others or free, key=lambda one: (one.load, one.turn), default=None)
