"""The plan: a run's input list, frozen in its folder when it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from physgauge.clients.sources.arrow import PLAN_COLUMNS, Table, arrow, arrow_faults, plan_schema
from physgauge.clients.sources.cutting import unit_of
from physgauge.clients.sources.sealed import Part, Seal, read_seals
from physgauge.errors import EnvironmentProblem

if TYPE_CHECKING:
    from physgauge.clients.sources.finding import Container
    from physgauge.clients.sources.records import Unit
    from physgauge.clients.storage import Store

PARTS_KEPT: Final = 2


class Plan:
    """A sealed plan, read from the run's folder. Cheap to open; units are read as they are asked for."""

    def __init__(self, store: Store, seals: list[Seal]) -> None:
        self._store = store
        self.seals = seals
        self.token = seals[0].token
        """Of this plan: two coordinators that start together end with one."""
        self.parts = [(part, seal) for seal in seals for part in seal.parts]
        """In order of units, each with the seal that names it."""
        self._starts = [part.first for part, _ in self.parts]
        self._counts = [count for part, _ in self.parts for count in part.counts]
        self.units = len(self._counts)
        """Number of units: 0 .. units - 1."""
        self.listed = sum(count for count in self._counts if count > 0)
        """Entries that are known already (all but those in archives)."""
        self.unused_captions = list(seals[-1].unused_captions)
        """Names in the caption file that no image asked for (the first 100)."""
        self._open: dict[str, Any] = {}
        self._warnings: dict[int, dict[int, str]] | None = None
        self._replaced: dict[int, list[tuple[int, Table, Seal]]] | None = None

    @property
    def entries(self) -> int | None:
        """Number of entries; None while it holds archives, whose entries are known when they are read."""
        return None if -1 in self._counts else self.listed

    def counts(self) -> list[int | None]:
        """Number of entries of each unit, without reading them; None for an archive."""
        return [None if count < 0 else count for count in self._counts]

    def unit(self, number: int) -> Unit:
        """One unit; some ms when asked for in order (a part of the plan stays in memory).

        Raises:
            IndexError: not 0 .. units - 1.
            EnvironmentProblem: the plan's file is damaged or gone.
        """
        part, seal = self._part_of(number)
        file = self._file(part)
        with arrow_faults(EnvironmentProblem, f"{self._store.where(part.key)}: a damaged plan"):
            table = file.read_row_group(number - part.first, use_threads=False)
        containers = [one.place for one in seal.containers]
        unit = unit_of(number, table, containers, self.warnings().get(number, {}))
        for place, row, newer in self.replaced().get(number, ()):
            names = [one.place for one in newer.containers]
            new = unit_of(number, row, names, {0: w} if (w := self._warning(number, place)) else {})
            if unit.shard is not None or new.shard is not None:
                unit = new
            else:
                unit.entries[place] = new.entries[0]
        return unit

    def _warning(self, number: int, place: int) -> str | None:
        return self.warnings().get(number, {}).get(place)

    def _part_of(self, number: int) -> tuple[Part, Seal]:
        from bisect import bisect_right

        if not 0 <= number < self.units:
            raise IndexError(f"expected a unit 0..{self.units - 1}, got {number}")
        return self.parts[bisect_right(self._starts, number) - 1]

    def _file(self, part: Part) -> Any:
        """The part, opened; its bytes stay in memory while it is among the last PARTS_KEPT."""
        found = self._open.pop(part.key, None) or self._read(part.key)
        self._open[part.key] = found
        while len(self._open) > PARTS_KEPT:
            del self._open[next(iter(self._open))]
        return found

    def _read(self, key: str) -> Any:
        """The part's file, to be read without Arrow's threads: one of them that lets go of these bytes
        while the interpreter ends takes the process down (apache/arrow 34314)."""
        pa = arrow()
        where = self._store.where(key)
        try:
            data = self._store.get(key)
        except KeyError as error:
            raise EnvironmentProblem(f"{error}: it is part of the plan") from None
        with arrow_faults(EnvironmentProblem, f"{where}: a damaged plan"):
            return pa.parquet.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)

    @property
    def containers(self) -> list[Container]:
        """The lists, manifests and datasets of all seals; what :meth:`tables` numbers."""
        return [one for seal in self.seals for one in seal.containers]

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """Part by part, all rows, as they are now.

        Args:
            columns: those that are wanted, in the order of PLAN_COLUMNS; None = all.
        """
        for number in range(len(self.parts)):
            yield self.table(number, columns)

    def table(self, number: int, columns: Sequence[str] | None = None) -> Table:
        """All rows of one part, as they are now."""
        pa = arrow()
        part, seal = self.parts[number]
        names = list(columns or PLAN_COLUMNS)
        schema = pa.schema([plan_schema().field(name) for name in names])
        starts, newer = self._container_starts(), self.replaced()
        where = f"{self._store.where(part.key)}: a damaged plan"
        with arrow_faults(EnvironmentProblem, where):
            table = self._read(part.key).read(names, use_threads=False).cast(schema)
        table = shifted(table, starts[seal.token])
        at, rows, start = {}, [table], 0
        for unit, count in enumerate(part.counts, part.first):
            for place, row, by in newer.get(unit, ()):
                at[start + place] = table.num_rows + len(rows) - 1
                rows.append(shifted(row.select(names), starts[by.token]))
            start += abs(count)
        if not at:
            return table
        taken = [at.get(row, row) for row in range(table.num_rows)]
        return pa.concat_tables(rows).take(pa.array(taken, pa.int64()))

    def _container_starts(self) -> dict[str, int]:
        starts, start = {}, 0
        for seal in self.seals:
            starts[seal.token] = start
            start += len(seal.containers)
        return starts

    def warnings(self) -> dict[int, dict[int, str]]:
        """By unit and place in it: of entries whose image_id was given before."""
        if self._warnings is None:
            self._warnings = {}
            for seal in self.seals:
                if seal.repeats is not None:
                    for one in self._read(seal.repeats).read(use_threads=False).to_pylist():
                        self._warnings.setdefault(one["unit"], {})[one["place"]] = one["warning"]
        return self._warnings

    def replaced(self) -> dict[int, list[tuple[int, Table, Seal]]]:
        """By unit: place in it, row, and the update that replaced it; the later ones last."""
        if self._replaced is None:
            self._replaced = {}
            for seal in self.seals:
                if seal.replaced is None:
                    continue
                table = self._read(seal.replaced).read(use_threads=False)
                units = table.column("unit").to_pylist()
                places = table.column("place_in_unit").to_pylist()
                rows = table.select(plan_schema().names).cast(plan_schema())
                for at, (unit, place) in enumerate(zip(units, places, strict=True)):
                    self._replaced.setdefault(unit, []).append((place, rows.slice(at, 1), seal))
        return self._replaced


def shifted(table: Table, by: int) -> Table:
    """The table with its containers numbered from `by` on."""
    pa = arrow()
    if not by:
        return table
    if "container" not in table.column_names:
        return table
    numbers = table.column("container")
    moved = pa.compute.if_else(
        pa.compute.less(numbers, 0), numbers, pa.compute.add(numbers, pa.scalar(by, pa.int32()))
    )
    at = table.column_names.index("container")
    return table.set_column(at, table.schema.field("container"), moved)


def open_plan(store: Store) -> Plan | None:
    """The sealed plan of the run in `store`, or None.

    Raises:
        EnvironmentProblem: a seal that is damaged, or of a later physgauge.
    """
    seals = read_seals(store)
    return Plan(store, seals) if seals else None
