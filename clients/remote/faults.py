"""What went wrong with a call, and so what to do: retry, where, and does it count."""

from __future__ import annotations

from enum import Enum, auto

from physgauge.contract import REFUSALS, read_refusal
from physgauge.errors import RequestError


class Blame(Enum):
    """Whose the fault is."""

    REQUEST = auto()
    """The request's: the same answer would come again."""
    FULL = auto()
    """Nobody's: the server has as much in hand as it takes."""
    AWAY = auto()
    """The server's, and it never took the request: not there, starting, draining."""
    MOVED = auto()
    """The server's, and not this request's: taken back because the server was silent to another."""
    LOST = auto()
    """The server's, with the request in its hands. It may be the request that brings servers down."""
    FAULT = auto()
    """The server's, which goes on with other requests."""
    LATE = auto()
    """The server says that the time given is over."""
    SILENT = auto()
    """No word in the time given."""

    @property
    def final(self) -> bool:
        """Whether sending again is of no use."""
        return self is Blame.REQUEST

    @property
    def counts(self) -> bool:
        """Whether there is an end to sending again before the input's time is over."""
        return self in (Blame.LOST, Blame.FAULT, Blame.LATE, Blame.SILENT)


class CallFailed(Exception):
    """One call without a row."""

    def __init__(self, error: RequestError, blame: Blame) -> None:
        super().__init__(str(error))
        self.error = error
        self.blame = blame


def failure(status: str, message: str) -> CallFailed:
    """What a gRPC error means.

    Args:
        status: name of the gRPC status code.
        message: its details.
    """
    error = read_refusal(status, message)
    return CallFailed(error, _blame(error, status, message))


def _blame(error: RequestError, status: str, message: str) -> Blame:
    ours = message.find("physgauge [") >= 0
    if error.code == "overloaded":
        return Blame.FULL
    if error.code == "deadline_exceeded":
        return Blame.SILENT if status == "DEADLINE_EXCEEDED" else Blame.LATE
    if not REFUSALS[error.code].retry:
        return Blame.REQUEST
    if error.code == "internal":
        return Blame.FAULT
    if ours or (status == "UNAVAILABLE" and "failed to connect" in message.lower()):
        return Blame.AWAY
    return Blame.LOST
