"""The files of a plan in a run's folder.

plan/TOKEN-NNNNN.parquet   a part: one row group a unit; TOKEN is its maker's
plan/TOKEN-repeats.parquet entries whose image_id was given before, and where
plan/TOKEN-new.parquet     entries of earlier parts that were replaced, as they are now
plan/plan.json             the seal, created exclusively: it names the files that count
plan/plan-NNNNN.json       the seals of later updates
"""

from __future__ import annotations

import io
from typing import Final

import msgspec

from physgauge.clients.sources.arrow import Table, arrow
from physgauge.clients.sources.cutting import is_shard
from physgauge.clients.sources.finding import Container
from physgauge.clients.storage import Store
from physgauge.errors import EnvironmentProblem

FORMAT: Final = 1
PART_UNITS: Final = 1024
PART_ROWS: Final = 1 << 17


class Part(msgspec.Struct, frozen=True):
    """One file of units."""

    key: str
    first: int
    """Number of its first unit."""
    counts: list[int]
    """Entries of each unit; -1 for an archive."""


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan, or an update of it, consists of."""

    format: int = FORMAT
    token: str
    unit_size: int
    inputs: list[str]
    parts: list[Part]
    containers: list[Container]
    unused_captions: list[str] = []
    repeats: str | None = None
    replaced: str | None = None
    unlisted: list[tuple[int, int]] = []
    """Unit and place of entries that the inputs no longer named when this was sealed: a manifest that has
    stayed as it was since does not name them either."""


def seal_key(revision: int) -> str:
    """The seal of the plan itself (0), or of an update."""
    return f"plan/plan-{revision:05d}.json" if revision else "plan/plan.json"


class PartWriter:
    """Writes units into parts; memory is bounded by one part."""

    def __init__(self, store: Store, token: str, first: int = 0) -> None:
        self._store, self.token = store, token
        self._tables: list[Table] = []
        self._rows = 0
        self._next = first
        self.parts: list[Part] = []
        self.extras: list[str] = []
        """Keys of the files beside the parts."""

    def add(self, table: Table) -> None:
        """One more unit."""
        self._tables.append(table)
        self._rows += table.num_rows
        if len(self._tables) >= PART_UNITS or self._rows >= PART_ROWS:
            self.flush()

    def flush(self) -> None:
        """Writes what is held."""
        if not self._tables:
            return
        key = f"plan/{self.token}-{len(self.parts):05d}.parquet"
        counts = [-1 if is_shard(table) else table.num_rows for table in self._tables]
        self._create(key, parquet(self._tables))
        self.parts.append(Part(key, self._next, counts))
        self._next += len(self._tables)
        self._tables, self._rows = [], 0

    def beside(self, name: str, table: Table) -> str:
        """A file beside the parts; returns its key."""
        key = f"plan/{self.token}-{name}.parquet"
        self._create(key, parquet([table]))
        self.extras.append(key)
        return key

    def drop(self) -> None:
        """Takes away what was written: another plan was sealed, or none will be."""
        for key in (*(part.key for part in self.parts), *self.extras):
            self._store.delete(key)

    def _create(self, key: str, data: bytes) -> None:
        if not self._store.create(key, data):
            raise EnvironmentProblem(
                f"{self._store.where(key)}: expected no file yet: another run has the token "
                f"{self.token}"
            )


def parquet(tables: list[Table]) -> bytes:
    """Parquet with one row group a table, page checksums, zstd."""
    pa = arrow()
    sink = io.BytesIO()
    with pa.parquet.ParquetWriter(
        sink,
        tables[0].schema,
        compression="zstd",
        write_page_checksum=True,
        write_statistics=False,  # nobody filters a plan; its footer stays small
    ) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, table.num_rows))
    return sink.getvalue()


def read_seals(store: Store) -> list[Seal]:
    """The seals of a plan, the plan's own first; none if it is not sealed.

    Raises:
        EnvironmentProblem: a seal that is none, or of a later physgauge.
    """
    found: list[Seal] = []
    keys = {one.key for one in store.list("plan/plan") if one.key.endswith(".json")}
    while (key := seal_key(len(found))) in keys:
        try:
            seal = msgspec.json.decode(store.get(key), type=Seal)
        except msgspec.DecodeError as error:
            raise EnvironmentProblem(
                f"{store.where(key)}: expected a plan's seal ({error})"
            ) from None
        if seal.format != FORMAT:
            raise EnvironmentProblem(
                f"{store.where(key)}: expected a plan of format {FORMAT}, got {seal.format}: made by "
                "another physgauge"
            )
        found.append(seal)
    return found
