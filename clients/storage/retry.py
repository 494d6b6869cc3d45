"""Asking again, less and less often."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
GIVE_UP_S: Final = 120.0
"""Seconds of asking, once the store has ever answered."""
FIRST_WAIT_S: Final = 0.1
LONGEST_WAIT_S: Final = 10.0


class Transient(Exception):
    """A fault that may be over soon: 429, 5xx, a lost connection."""


class Retry:
    """Calls again after a :class:`Transient`, waiting up to twice as long each time (full jitter).

    Args:
        first_s: seconds to go on for while nothing has ever been answered.
    """

    def __init__(self, first_s: float) -> None:
        self._patience_s = min(first_s, GIVE_UP_S)

    def __call__(self, ask: Callable[[], T]) -> T:
        """The answer.

        Raises:
            Transient: the last one, when the time is up.
        """
        end = time.monotonic() + self._patience_s
        longest = FIRST_WAIT_S
        while True:
            try:
                answer = ask()
            except Transient:
                wait = longest * random.uniform(0.5, 1.0)
                if time.monotonic() + wait > end:
                    raise
                time.sleep(wait)
                longest = min(2 * longest, LONGEST_WAIT_S)
            else:
                self._patience_s = GIVE_UP_S
                return answer
