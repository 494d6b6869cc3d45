"""Who works on what. Claims save work; that rows exist once rests on the exclusive create alone."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType


class Session:
    """A coordinator's time with a run; a context manager. Its counter goes up while it lives.

    Attributes:
        token: names it; workers pass it to ``Run.open(store, session=token)``.
    """

    token: str

    def claim(self, wanted: Iterable[tuple[int, int]], most: int) -> list[tuple[int, int]]:
        """Take up to `most` of the (unit, generation) that nobody alive holds and nobody has committed,
        in the order given. A claim whose session's counter stood still for `lease_s` on this process's
        monotonic clock is taken over.
        """
        raise NotImplementedError

    def release(self, unit: int, generation: int) -> None:
        """Give a claim back, after the commit or instead of it."""
        raise NotImplementedError

    def held(self) -> dict[tuple[int, int], str]:
        """(unit, generation) -> token of the session, of all claims of others who live."""
        raise NotImplementedError

    def living(self) -> list[str]:
        """Tokens of the sessions that are not known to be dead, this one included."""
        raise NotImplementedError

    def sweep(self) -> int:
        """Take away what the dead left (attempts, claims, sessions) and rows of lower generations; never
        what counts. Returns how many objects. At the start and at the end of a run."""
        raise NotImplementedError

    def __enter__(self) -> Session:
        raise NotImplementedError

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        raise NotImplementedError
