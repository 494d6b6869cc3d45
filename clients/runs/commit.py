"""Committing a unit: its file is the commit.

The rows are written under a name of this attempt alone, and then created under the unit's name, which
fails where the name is taken: whatever dies or wakes up late, a unit has one file of rows.
"""

from __future__ import annotations

import io
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from physgauge import wire
from physgauge.clients.runs.names import count_key, rows_key
from physgauge.clients.runs.record import RunFile, digest
from physgauge.clients.storage import Missing, Store
from physgauge.clients.storage.faults import said
from physgauge.errors import ConfigError, EnvironmentProblem

if TYPE_CHECKING:
    from physgauge.clients.table import Table


@dataclass(frozen=True, slots=True)
class Place:
    """What is committed."""

    unit: int
    generation: int

    @property
    def key(self) -> str:
        """Of its rows."""
        return rows_key(self.unit, self.generation)


class Committing(Protocol):
    """What a commit needs of the run."""

    store: Store
    records: tuple[RunFile, ...]

    def refresh(self) -> None:
        """See generations that others have begun meanwhile."""


def commit(run: Committing, place: Place, rows: Iterable[wire.Row] | Table, owner: str) -> bool:
    """See :meth:`physgauge.clients.runs.run.Run.commit`."""
    store = run.store
    if store.stat(place.key) is not None or _overtaken(run, place):
        return False
    data, entries = _write(run, place, rows, owner)
    with said(store.where(place.key), "written"):
        mark = data if isinstance(data, bytes) else data.stat()
    if not store.create(place.key, data):
        return False
    try:
        late = _overtaken(run, place)
    except ConfigError:  # another run has taken the place of this one
        if _is_there(store, place.key, mark):
            store.delete(place.key)
        raise
    if late:
        # This worker is late: the higher generation counts, and its committer may have looked for lower
        # ones before ours was there.
        store.delete(place.key)
        return False
    for lower in range(place.generation):
        store.delete(rows_key(place.unit, lower))
    with suppress(EnvironmentProblem):  # counted by its footer then
        store.create(count_key(place.unit, place.generation, entries), b"", durable=False)
    return True


def _is_there(store: Store, key: str, mark: bytes | os.stat_result) -> bool:
    """Whether an object is the one that was made of this content, or of the file with this state."""
    if isinstance(mark, bytes):
        with suppress(Missing):
            return store.get(key) == mark
        return False
    there = store.stat(key)
    return there is not None and (there.size, there.version) == (
        mark.st_size,
        str(mark.st_mtime_ns),
    )


def _overtaken(run: Committing, place: Place) -> bool:
    """Whether rows of a higher generation are there: its record is there before they are."""
    run.refresh()
    higher = range(place.generation + 1, len(run.records))
    return any(run.store.stat(rows_key(place.unit, one)) is not None for one in higher)


def _write(
    run: Committing, place: Place, rows: Iterable[wire.Row] | Table, owner: str
) -> tuple[bytes | Path, int]:
    """The file of this attempt, and how many rows are in it."""
    path = run.store.scratch(owner or "x")
    if path is None:
        memory = io.BytesIO()
        entries = fill(memory, place, run.records[place.generation].fingerprint, rows)
        return memory.getvalue(), entries
    try:
        with said(run.store.where(place.key), "written"), path.open("xb") as file:
            entries = fill(file, place, run.records[place.generation].fingerprint, rows)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path, entries


def fill(
    file: BinaryIO,
    place: Place,
    fingerprint: Mapping[str, str],
    rows: Iterable[wire.Row] | Table,
) -> int:
    """Write a unit's file; returns how many rows are in it."""
    from physgauge.clients.table import RowFile, arrow

    out = RowFile(file)
    try:
        if isinstance(rows, arrow().Table):
            out.write_table(rows)
        else:
            for row in rows:
                out.write(row)
        out.finish(
            {
                "physgauge.unit": str(place.unit),
                "physgauge.generation": str(place.generation),
                "physgauge.attempt": secrets.token_hex(16),
                "physgauge.fingerprint": digest(fingerprint),
                "physgauge.entries": str(out.rows),
            }
        )
    except BaseException:
        out.drop()
        raise
    return out.rows
