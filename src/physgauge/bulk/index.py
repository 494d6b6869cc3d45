"""Where in a run's files the row of an image is, by what equal images have in common.

On disk, so that memory does not grow with the run; SQLite, so that the workers of a host share it. It is
made anew for each session from what is committed, and holds nothing that the files do not say.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_CACHE_KB: Final = 4096
_PATIENCE_S: Final = 30.0


Place = tuple[int, int, int]
"""Unit, generation, and number of the row in the unit's file."""


class Index:
    """The index in a file; each process, and each thread of it, opens its own."""

    def __init__(self, path: Path) -> None:
        # Autocommit: `put` has its own transaction.
        self._base = sqlite3.connect(
            path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        for pragma in (
            "journal_mode=WAL",  # readers don't wait for a writer
            "synchronous=OFF",  # lost with the session anyway
            f"cache_size=-{_CACHE_KB}",
            "mmap_size=0",
        ):
            self._base.execute(f"PRAGMA {pragma}")
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY,"
            " unit INTEGER, generation INTEGER, number INTEGER) WITHOUT ROWID"
        )

    def get(self, key: bytes) -> Place | None:
        """Where the row is."""
        asked = "SELECT unit, generation, number FROM rows WHERE key = ?"
        found: Place | None = None
        with suppress(sqlite3.Error):  # no room for it any more: what is equal is scored again
            found = self._base.execute(asked, (key,)).fetchone()
        return found

    def put(self, places: Iterable[tuple[bytes, *Place]]) -> None:
        """Add rows by key; of equal ones the first stays. Where there is no room they are left out."""
        with suppress(sqlite3.Error), self._base:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?)", places)

    def close(self) -> None:
        """Close the file."""
        self._base.close()
