"""A run folder: what it was made with, which units are committed, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from physgauge import wire
from physgauge.clients.runs.record import Difference, Reason, RunFile
from physgauge.clients.storage import Store

if TYPE_CHECKING:
    import pyarrow as pa

    from physgauge.clients.runs.session import Session


@dataclass(frozen=True, slots=True)
class Committed:
    """The rows of a unit that count."""

    unit: int
    generation: int
    key: str
    entries: int
    """Rows in it: one an entry."""
    size: int
    """Bytes."""


class Run:
    """A run folder that is there.

    Attributes:
        store: where it lies.
        records: one a generation, from 0; the last one is what the run is to become.
    """

    store: Store
    records: tuple[RunFile, ...]

    @classmethod
    def create_or_open(
        cls, store: Store, fingerprint: Mapping[str, str], options: Mapping[str, Any]
    ) -> Run:
        """Begin a run, or go on with the one that is there (also when two begin at once).

        Raises:
            ConfigError: made with another fingerprint (says which parts, was and is, and what to do), by
                a later version, or something else lies there.
        """
        raise NotImplementedError

    @classmethod
    def open(cls, store: Store, session: str = "") -> Run:
        """A run that is there, to read or to work on.

        Args:
            store: where it lies (a worker process opens it by its address).
            session: token of the session on whose behalf a worker commits.

        Raises:
            ConfigError: none there, or one of a later version.
        """
        raise NotImplementedError

    @property
    def latest(self) -> RunFile:
        """The record of the newest generation."""
        raise NotImplementedError

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the newest fingerprint; in the metadata of each file of rows."""
        raise NotImplementedError

    def differences(self, fingerprint: Mapping[str, str]) -> list[Difference]:
        """The parts in which a fingerprint differs from the newest one."""
        raise NotImplementedError

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
        raise NotImplementedError

    def wanted(self, units: Iterable[int]) -> dict[int, int]:
        """Unit -> the generation it is to have: that of the newest record which names it."""
        raise NotImplementedError

    def committed(self) -> dict[int, Committed]:
        """Unit -> its rows of the highest generation. Two listings; no file is opened, but where a worker
        died between a commit and its count."""
        raise NotImplementedError

    def pending(self, units: Iterable[int]) -> dict[int, int]:
        """Unit -> generation, of those units that are not committed as they are wanted; sorted."""
        raise NotImplementedError

    def commit(self, unit: int, generation: int, rows: Iterable[wire.Row] | pa.Table) -> bool:
        """Commit a unit's rows, in input order: all of them, once, by one worker.

        Returns:
            False: they were there already, of this or a higher generation; these were dropped.

        Raises:
            EnvironmentProblem: they cannot be written; nothing of them is left.
        """
        raise NotImplementedError

    def session(self, lease_s: float = 60.0) -> Session:
        """A context: this process works on the run until it leaves."""
        raise NotImplementedError

    def table(self, unit: int, columns: Sequence[str] | None = None) -> pa.Table:
        """One unit's rows; see :meth:`tables`. KeyError: not committed."""
        raise NotImplementedError

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """One table a committed unit, in order of units, checksums verified.

        Args:
            columns: names as in ``terravis.score``, one column each in that order, named so; None: all.

        Raises:
            EnvironmentProblem: a file is damaged or unreadable; names it.
            ConfigError: an unknown column.
        """
        raise NotImplementedError

    def rows(self) -> Iterator[wire.Row]:
        """The rows of all committed units, in order; raises as :meth:`tables`."""
        raise NotImplementedError

    def unit_rows(self, unit: int) -> Iterator[wire.Row]:
        """One unit's rows. KeyError: not committed."""
        raise NotImplementedError


def wipe(store: Store) -> None:
    """Take away a run (`--overwrite`): its records first, then all else that a run folder holds."""
    raise NotImplementedError


def read_run(path: str | Path) -> Iterator[wire.Row]:
    """Rows of a run folder (path or ``s3://``), or of one Parquet file of rows.

    Raises:
        ConfigError: no rows there, or rows of another version.
        EnvironmentProblem: a damaged or unreadable file.
    """
    raise NotImplementedError
