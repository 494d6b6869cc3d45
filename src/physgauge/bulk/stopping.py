"""Ctrl-C and SIGTERM: the first finishes what is nearly done, the second stops at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, Self

from physgauge.bulk.work import Drain

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """While entered, signals are wishes; a context manager, for the main thread.

    Args:
        wish: told `drain`, then `stop`.
    """

    def __init__(self, wish: Callable[[Drain], None]) -> None:
        self._wish = wish
        self._before: dict[signal.Signals, Any] = {}
        self.number: int | None = None
        """Of the first signal; None: none came."""

    def _asked(self, number: int, frame: FrameType | None) -> None:
        first, self.number = self.number is None, self.number or number
        self._wish("drain" if first else "stop")

    def __enter__(self) -> Self:
        self._before = {one: signal.signal(one, self._asked) for one in _SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)

    @property
    def exit_code(self) -> int:
        """128 and the signal's number."""
        return 128 + (self.number or 0)
