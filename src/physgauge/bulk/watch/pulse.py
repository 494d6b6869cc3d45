"""Which sessions live: those whose counter goes up while we look. Wall clocks say nothing here."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping
from typing import Final

from physgauge.bulk.watch.session import SessionState

PATIENCE_S: Final = 3.5
"""A counter that stands still for longer is a dead session's ..."""
PATIENCE_HERE_S: Final = 10.0
"""... unless its process is there on this machine: that one may only be slow."""
_STEP_S: Final = 0.25


class Pulse:
    """Watches the counters."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float, bool]] = {}
        """Token to counter, when it was first seen so, and whether it was seen to move."""

    def look(self, states: Mapping[str, SessionState]) -> tuple[dict[str, SessionState], bool]:
        """Note the sessions' states as they are now.

        Returns:
            Those that live, and whether that is sure already.
        """
        now, sure = time.monotonic(), True
        living = {}
        for token, state in states.items():
            if state.status not in ("running", "draining"):
                self._seen.pop(token, None)
                continue
            counter, since, moved = self._seen.setdefault(token, (state.beats, now, False))
            if counter != state.beats:
                since, moved = now, True
            self._seen[token] = (state.beats, since, moved)
            patient = now - since < (PATIENCE_HERE_S if _is_here(state) else PATIENCE_S)
            if moved and patient:
                living[token] = state
            elif not moved and patient:
                sure = False
        return living, sure

    def settle(self, read: Callable[[], Mapping[str, SessionState]]) -> dict[str, SessionState]:
        """Read the states again and again until it is sure who lives."""
        while True:
            living, sure = self.look(read())
            if sure:
                return living
            time.sleep(_STEP_S)


def _is_here(state: SessionState) -> bool:
    """Whether a process of its number runs on this machine."""
    if state.host != socket.gethostname():
        return False
    try:
        os.kill(state.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True
