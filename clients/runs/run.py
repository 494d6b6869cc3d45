"""A run folder: what it was made with, which units are committed, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from physgauge import wire
from physgauge.clients.runs import commit, reading
from physgauge.clients.runs.listing import Committed, list_committed
from physgauge.clients.runs.names import ROWS, rows_of
from physgauge.clients.runs.record import (
    Difference,
    Reason,
    RunFile,
    differences,
    digest,
    in_words,
    make_record,
    read_records,
    replaced,
    write_record,
    write_schema,
)
from physgauge.clients.runs.session import LEASE_S, Session
from physgauge.clients.storage import Store
from physgauge.errors import ConfigError

if TYPE_CHECKING:
    from physgauge.clients.table import Table


class Run:
    """A run folder that is there; made by :meth:`create_or_open` or :meth:`open`.

    Attributes:
        store: where it lies.
        records: one a generation, from 0; the last one is what the run is to become.
    """

    def __init__(self, store: Store, records: tuple[RunFile, ...], session: str = "") -> None:
        self.store = store
        self.records = records
        self._session = session

    @classmethod
    def create_or_open(
        cls, store: Store, fingerprint: Mapping[str, str], options: Mapping[str, Any]
    ) -> Run:
        """Begin a run, or go on with the one that is there (also when two begin at once).

        Raises:
            ConfigError: made with another fingerprint (says which parts, was and is, and what to do), by
                a later version, or something else lies there.
            EnvironmentProblem: it can't be written there.
        """
        records = read_records(store)
        if not records:
            if any(rows_of(one.key) for one in store.list(ROWS)):
                raise ConfigError(
                    f"{store.address}: expected a run, or nothing; got {ROWS} without run.json (a run "
                    "that was never finished, or half deleted): give another -o, or --overwrite"
                )
            store.make()
            if write_record(store, make_record(0, "score", fingerprint, options)):
                write_schema(store)
            records = read_records(store)
        run = cls(store, records)
        if found := run.differences(fingerprint):
            raise ConfigError(
                f"{store.address}: this run was made with something else than this command asks for:\n"
                f"{in_words(found)}\n"
                "Score again what that concerns with --update, or give another -o"
            )
        return run

    @classmethod
    def open(cls, store: Store, session: str = "", token: str = "") -> Run:
        """A run that is there, to read or to work on.

        Args:
            store: where it lies (a worker process opens it by its address).
            session: token of the session on whose behalf a worker commits.
            token: of the run that is expected; empty: any.

        Raises:
            ConfigError: none there, another one, or one of a later version.
        """
        records = read_records(store)
        if not records:
            raise ConfigError(f"{store.address}: expected a run of physgauge (run.json), got none")
        if token and records[0].token != token:
            raise replaced(store)
        if session:
            store.owner = session
        return cls(store, records, session)

    @property
    def latest(self) -> RunFile:
        """The record of the newest generation."""
        return self.records[-1]

    @property
    def token(self) -> str:
        """Names this run, whatever is to take its place in the folder."""
        return self.records[0].token

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the newest fingerprint; in the metadata of each file of rows."""
        return digest(self.latest.fingerprint)

    def differences(self, fingerprint: Mapping[str, str]) -> list[Difference]:
        """The parts in which a fingerprint differs from the newest one."""
        return differences(self.latest.fingerprint, fingerprint)

    def refresh(self) -> None:
        """See generations that others have begun meanwhile.

        Raises:
            ConfigError: another run has taken its place (`--overwrite`).
        """
        self.records = read_records(self.store, self.records)

    def revise(
        self,
        reason: Reason,
        fingerprint: Mapping[str, str],
        options: Mapping[str, Any],
        units: Sequence[int] | None,
    ) -> Run:
        """Begin the next generation: `units` (None: all) are to be committed again under its number.

        Raises:
            ConfigError: somebody else has begun it at the same time.
        """
        record = make_record(len(self.records), reason, fingerprint, options, units)
        if not write_record(self.store, record):
            raise ConfigError(
                f"{self.store.address}: somebody else has begun to change this run: expected to be the "
                "only one; run the same command again to join, if it asks for the same"
            )
        return Run(self.store, (*self.records, record), self._session)

    def wanted(self, units: Iterable[int]) -> dict[int, int]:
        """Unit -> the generation it is to have: that of the newest record which names it."""
        found = dict.fromkeys(units, 0)
        for record in self.records[1:]:
            named = found if record.units is None else record.units
            found.update({u: record.generation for u in named if u in found})
        return found

    def committed(self) -> dict[int, Committed]:
        """Unit -> its rows of the highest generation, sorted by unit. Two listings; no file is opened,
        but where a worker died between a commit and its count."""
        return list_committed(self.store)

    def pending(self, units: Iterable[int]) -> dict[int, int]:
        """Unit -> generation, of those units that are not committed as they are wanted; in order."""
        there = self.committed()
        return {
            unit: generation
            for unit, generation in self.wanted(units).items()
            if unit not in there or there[unit].generation < generation
        }

    def commit(self, unit: int, generation: int, rows: Iterable[wire.Row] | Table) -> bool:
        """Commit a unit's rows, in input order: all of them, once, by one worker.

        Returns:
            False: they were there already, of this or a higher generation; these were dropped.

        Raises:
            EnvironmentProblem: they cannot be written; nothing of them is left.
        """
        return commit.commit(self, commit.Place(unit, generation), rows, self._session)

    def session(self, lease_s: float = LEASE_S) -> Session:
        """A context: this process works on the run until it leaves."""
        return Session(self.store, lease_s)

    def table(self, unit: int, columns: Sequence[str] | None = None) -> Table:
        """One unit's rows; see :meth:`parts`.

        Raises:
            KeyError: the unit is not committed.
        """
        return reading.table(self.store, self.committed()[unit], columns)

    def parts(
        self, columns: Sequence[str] | None = None, units: Iterable[int] | None = None
    ) -> Iterator[tuple[Committed, Table]]:
        """Each committed unit with its rows, in order of units, checksums verified.

        Args:
            columns: names as in ``terravis.score``, one column each in that order, named so; None: all.
            units: only these; those that are not committed are left out.

        Raises:
            EnvironmentProblem: a file is damaged or unreadable; names it.
            ConfigError: an unknown column.
        """
        there = self._there(units)
        return zip(there, reading.tables(self.store, there, columns), strict=True)

    def tables(
        self, columns: Sequence[str] | None = None, units: Iterable[int] | None = None
    ) -> Iterator[Table]:
        """The tables of :meth:`parts`."""
        return reading.tables(self.store, self._there(units), columns)

    def rows(self, units: Iterable[int] | None = None) -> Iterator[wire.Row]:
        """The rows of committed units, in order; raises as :meth:`parts`."""
        return reading.rows(self.store, self._there(units))

    def _there(self, units: Iterable[int] | None) -> list[Committed]:
        there = self.committed()
        return [there[u] for u in sorted(there if units is None else {*units} & there.keys())]
