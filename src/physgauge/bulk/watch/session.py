"""What a session tells the folder about itself, and the folder's record of units: `events/`.

```
events/TOKEN.json           SessionState, written again every few seconds
events/TOKEN/000000.json    its UnitDone events; written again while it grows, then the next one
```

They say what `rows/` can say too, only quicker: a reader makes what is missing again from the rows, and a
folder without them is whole.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from physgauge.bulk.watch.events import UnitDone
from physgauge.clients.storage import Store
from physgauge.cost_settings import CostSettings

EVENTS: Final = "events/"
PART_BYTES: Final = 256 * 1024
"""A part of the record is closed from this size."""
Ending = Literal["done", "drained", "stopped", "failed"]
"""`done`: every row is there; `drained`: asked to stop, finished what was in hand; `stopped`: at once."""


class SessionState(msgspec.Struct, frozen=True, kw_only=True):
    """One coordinator's time with a run."""

    token: str
    host: str
    pid: int
    physgauge: str
    engine: str = "local"
    started: str
    """UTC, ISO 8601, by the clock of its host; for people."""
    started_unix_s: float
    """The same in seconds; only to see which sessions worked side by side."""
    elapsed_s: float
    """Since then, by a monotonic clock."""
    beats: int
    """Goes up while it lives."""
    status: Literal["running", "draining"] | Ending
    why: str | None = None
    units: int = 0
    """Committed by it."""
    rows: int = 0
    """It made or copied, and committed."""
    scored: int = 0
    """... of which a pipeline made."""
    in_flight: int = 0
    """Rows made, not committed yet."""
    images_per_s: float | None = None
    """Rows a second over the last minute; None: too early to say."""
    workers: int = 0
    waiting_units: int | None = None
    restarts: dict[str, int] = {}
    """Why workers were replaced, to how often."""
    retries: dict[str, int] = {}
    quarantined: int = 0
    resident_bytes: int | None = None
    """Of all its processes on its machine."""
    cpu_s: float | None = None
    gpus: float | None = None
    """It holds; None: unknown."""
    prices: CostSettings = CostSettings()
    last_commit_s: float | None = None
    """`elapsed_s` at its last commit."""
    total_entries: int | None = None
    """Of the run; None: archives are in it that nobody has read yet."""
    total_units: int | None = None
    by: list[str] = []
    """Carried columns that whoever started it asked for."""


_state = msgspec.json.Decoder(SessionState)
_events = msgspec.json.Decoder(list[UnitDone])


def decode_state(data: bytes) -> SessionState:
    """Raises msgspec.DecodeError: something else, or damaged."""
    return _state.decode(data)


def decode_events(data: bytes) -> list[UnitDone]:
    """A part of a record of units. Raises msgspec.DecodeError: something else, or damaged."""
    return _events.decode(data)


def state_key(token: str) -> str:
    """Where a session's state lies."""
    return f"{EVENTS}{token}.json"


def part_key(token: str, part: int) -> str:
    """Where a part of a session's record of units lies."""
    return f"{EVENTS}{token}/{part:06d}.json"


class Journal:
    """Writes a session's record of units, part by part.

    Args:
        store: of the run.
        token: of the session.
    """

    def __init__(self, store: Store, token: str) -> None:
        self._store, self._token = store, token
        self._part = 0
        self._lines: list[bytes] = []
        self._bytes = 0
        self._dirty = False

    def add(self, done: UnitDone) -> None:
        """Note a unit; on disk after :meth:`flush`."""
        line = msgspec.json.encode(done)
        self._lines.append(line)
        self._bytes += len(line)
        self._dirty = True

    def flush(self) -> None:
        """Write what is new. Raises EnvironmentProblem: it is tried again at the next call."""
        if not self._dirty:
            return
        self._store.replace(
            part_key(self._token, self._part), b"[" + b",\n".join(self._lines) + b"]"
        )
        self._dirty = False
        if self._bytes >= PART_BYTES:
            self._part, self._lines, self._bytes = self._part + 1, [], 0
