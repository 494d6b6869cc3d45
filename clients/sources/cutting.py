"""What was found, cut into units: tables of up to so many entries, and archives by themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from physgauge.clients.sources.arrow import Table, arrow, plan_table
from physgauge.clients.sources.finding import Found, Rows, Tar
from physgauge.clients.sources.places import Place, kind_of, raw_of
from physgauge.clients.sources.records import Entry, Fault, Shard, Unit, Where

SHARD: Final = "shard"
"""The kind of an archive's row in a plan."""


def cut(found: Iterable[Found], unit_size: int) -> Iterator[Table]:
    """One table a unit, in order. An archive is a unit of one row; the cells of a dataset's group stay
    together even if they are more than `unit_size`."""
    pa = arrow()
    held: list[Table] = []
    count = 0

    def taken() -> Iterator[Table]:
        nonlocal held, count
        if held:
            yield pa.concat_tables(held)
        held, count = [], 0

    for one in found:
        if isinstance(one, Tar):
            yield from taken()
            yield shard_table(one.place)
        elif isinstance(one, Rows) and one.whole:
            if count + one.table.num_rows > unit_size:
                yield from taken()
            held.append(one.table)
            count += one.table.num_rows
            if count >= unit_size:
                yield from taken()
        elif isinstance(one, Rows):
            held.append(one.table)
            count += one.table.num_rows
            if count >= unit_size:
                whole = pa.concat_tables(held)
                full = count - count % unit_size
                yield from (whole.slice(at, unit_size) for at in range(0, full, unit_size))
                held, count = [whole.slice(full)] if full < count else [], count - full
    yield from taken()


def shard_table(place: Place) -> Table:
    """An archive's row."""
    raw = raw_of(place.text) if place.kind == "file" else b""
    return plan_table(
        1,
        {
            "image_id": [place.name],
            "kind": [SHARD],
            "place": [place.name],
            "raw": [raw or None],
            "size": [place.size],
            "version": [place.version],
        },
    )


def place_in(table: Table) -> Place:
    """The archive of a row that :func:`shard_table` made."""
    only = table.to_pylist()[0]
    name, raw = only["place"], only["raw"]
    return Place(
        kind_of(name), os.fsdecode(raw) if raw else name, only["size"], only["version"] or ""
    )


def is_shard(table: Table) -> bool:
    """Whether a unit's table is an archive's."""
    return bool(table.num_rows == 1 and table.column("kind")[0].as_py() == SHARD)


def unit_of(number: int, table: Table, containers: Sequence[str], warnings: dict[int, str]) -> Unit:
    """A unit from its table.

    Args:
        number: the unit's.
        table: of one unit.
        containers: names of the lists, manifests and datasets that the table numbers.
        warnings: by place in the unit.
    """
    columns = [column.to_pylist(maps_as_pydicts="lossy") for column in table.columns]
    records = [
        dict(zip(table.column_names, cells, strict=True)) for cells in zip(*columns, strict=True)
    ]
    if is_shard(table):
        only = records[0]
        where = Where(kind_of(only["place"]), only["place"], only["raw"] or b"")
        shard = Shard(
            where=where, size=only["size"], version=only["version"], warning=warnings.get(0)
        )
        return Unit(number=number, shard=shard)
    entries = [_entry(record, containers, warnings.get(at)) for at, record in enumerate(records)]
    return Unit(number=number, entries=entries)


def _entry(record: dict[str, Any], containers: Sequence[str], warning: str | None) -> Entry:
    place, kind, line = record["place"], record["kind"], record["line"]
    source = f"{place}#{line}" if kind == "cell" else place
    container = record["container"]
    origin = source if container < 0 or kind == "cell" else f"{containers[container]}:{line}"
    code = record["code"]
    return Entry(
        image_id=record["image_id"],
        source=source or origin,
        origin=origin,
        where=Where(
            kind, place, record["raw"] or b"", record["item"] or "", record["group"], record["row"]
        ),
        caption=record["caption"],
        domain=record["domain"],
        extra=record["extra"] or {},
        size=record["size"],
        version=record["version"] or "",
        warning=warning,
        fault=None if code is None else Fault(code, record["fault"]),
    )
