"""Runs without a plan: what `rescore` and `score-boxes` write, at once or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from physgauge import wire
from physgauge.clients.runs.commit import Place, fill
from physgauge.clients.runs.names import (
    ATTEMPTS,
    CLAIMS,
    COUNTS,
    CRASHES,
    EVENTS,
    PLAN,
    REPORT,
    ROWS,
    SCHEMA,
    SESSIONS,
    count_key,
    count_of,
    rows_of,
    run_key,
)
from physgauge.clients.runs.record import make_record, read_records, write_record, write_schema
from physgauge.clients.storage import Store
from physgauge.clients.storage.faults import said
from physgauge.errors import ConfigError, EnvironmentProblem

UNIT_ROWS: Final = 512


def occupied(store: Store) -> bool:
    """Whether rows of a run lie there."""
    return bool(read_records(store)) or any(rows_of(one.key) for one in store.list(ROWS))


def wipe(store: Store, keep: Collection[str] = ()) -> None:
    """Take away a run (`--overwrite`): its records first, then all else that a run folder holds. Other
    files stay.

    Args:
        store: where it lies.
        keep: names of attempts that stay.
    """
    if not occupied(store):
        return
    for record in read_records(store):
        store.delete(run_key(record.generation))
    known = {ROWS: rows_of, COUNTS: count_of}
    for prefix in (ROWS, COUNTS, CLAIMS, SESSIONS, ATTEMPTS, PLAN, CRASHES, EVENTS, REPORT, SCHEMA):
        for one in list(store.list(prefix)):
            ours = prefix not in known or known[prefix](one.key) is not None
            if ours and one.key.rpartition("/")[2] not in keep:
                store.delete(one.key)


class RunWriter:
    """Writes a run folder without a plan; a context manager.

    The rows are kept in files beside it until all are there, and get their names then; ``run.json`` comes
    last. Whatever happens before leaves what was there as it was.

    Args:
        store: where to.
        options: of the command, for the record.
        overwrite: replace a run that is there.

    Raises:
        ConfigError: a run is there, and it is not to be replaced.
        EnvironmentProblem: it cannot be written; nothing of it is left.
    """

    def __init__(self, store: Store, options: Mapping[str, Any], overwrite: bool = False) -> None:
        self._store, self._options, self._overwrite = store, options, overwrite
        self._rows: list[wire.Row] = []
        self._files: list[tuple[Path, int]] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def write(self, row: wire.Row) -> None:
        """Add one row."""
        self._rows.append(row)
        if len(self._rows) >= UNIT_ROWS:
            self._flush()

    def _flush(self) -> None:
        path = self._store.scratch("x")
        if path is None:
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="physgauge-")
            path = Path(self._folder.name) / str(len(self._files))
        self._files.append((path, len(self._rows)))
        place = Place(len(self._files) - 1, 0)
        with said(self._store.where(place.key), "written"), path.open("xb") as file:
            fill(file, place, {}, self._rows)
        self._rows.clear()

    @property
    def address(self) -> str:
        """Where the run will lie."""
        return self._store.address

    def check(self) -> None:
        """Raise what :meth:`__enter__` would, before anything costly is begun."""
        if occupied(self._store) and not self._overwrite:
            raise ConfigError(
                f"{self.address}: a run is there: expected another -o DIR, or --overwrite to replace it"
            )

    def __enter__(self) -> RunWriter:
        self.check()
        self._store.make()
        write_schema(self._store)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                if self._rows:
                    self._flush()
                self._name()
        finally:
            for path, _ in self._files:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            if self._folder is not None:
                self._folder.cleanup()

    def _name(self) -> None:
        """Give the files their names."""
        if self._overwrite:
            wipe(self._store, {path.name for path, _ in self._files})
        made: list[str] = []
        try:
            for unit, (path, entries) in enumerate(self._files):
                key = Place(unit, 0).key
                if not self._store.create(key, path):
                    raise ConfigError(f"{self._store.where(key)}: somebody else writes a run here")
                made.append(key)
                count = count_key(unit, 0, entries)
                self._store.create(count, b"", durable=False)
                made.append(count)
            if not write_record(self._store, make_record(0, "score", {}, self._options)):
                raise ConfigError(f"{self._store.address}: somebody else writes a run here")
        except (ConfigError, EnvironmentProblem):
            for key in made:
                with suppress(EnvironmentProblem):
                    self._store.delete(key)
            raise
