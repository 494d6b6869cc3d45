"""Parquet and Arrow files as inputs: datasets with image bytes, and manifests that name images."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from physgauge.clients.sources.arrow import (
    Table,
    arrow,
    arrow_faults,
    as_text,
    carried,
    is_bytes,
    plan_table,
)
from physgauge.clients.sources.columns import Columns, roles
from physgauge.clients.sources.lines import opened
from physgauge.clients.sources.places import Place, raw_of
from physgauge.clients.sources.refs import Batch, Refs, listed
from physgauge.errors import ConfigError

BATCH_ROWS: Final = 8192
"""Rows planned at once, and the most that a unit of a dataset holds."""
FAULTS: Final = "expected a readable table"


@contextmanager
def table_file(place: Place, kind: str) -> Iterator[Any]:
    """A ``ParquetFile``, or a reader of Arrow's file or stream format.

    Raises:
        ConfigError: unreadable, or no such file by its content.
    """
    pa = arrow()
    if kind == "parquet":
        with (
            opened(place) as file,
            arrow_faults(ConfigError, f"{place.name}: {FAULTS}"),
            pa.parquet.ParquetFile(file, page_checksum_verification=True) as parquet,
        ):
            yield parquet
        return
    with _arrow_source(place) as source, arrow_faults(ConfigError, f"{place.name}: {FAULTS}"):
        magic = source.read(6)
        source.seek(0)
        yield pa.ipc.open_file(source) if magic == b"ARROW1" else pa.ipc.open_stream(source)


@contextmanager
def _arrow_source(place: Place) -> Iterator[Any]:
    """Mapped, if local: batches then cost what is looked at in them."""
    pa = arrow()
    with opened(place) as file:
        if place.kind != "file":
            yield pa.PythonFile(file, mode="r")
            return
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # an empty file
            raise ConfigError(f"{place.name}: {FAULTS}, got an empty file") from None
        yield pa.BufferReader(pa.py_buffer(mapped))


@dataclass(frozen=True, slots=True)
class Layout:
    """What a table's columns are."""

    columns: Columns
    item: str
    """The column of the bytes as it is asked for (``image.bytes``); empty in a manifest."""
    beside: str
    """``image.path`` of Hugging Face's struct, carried under that name; empty if there is none."""

    @property
    def wanted(self) -> list[str]:
        """The columns that planning reads."""
        columns = self.columns
        named = (columns.image_id, columns.path, columns.caption, columns.domain, *columns.extra)
        return [name for name in (*named, self.beside) if name]


def layout_of(schema: Any, where: str) -> Layout:
    """The roles of a table's columns: bytes lie in a column of bytes, or in a struct's field ``bytes``.

    Raises:
        ConfigError: as :func:`roles`.
    """
    pa = arrow()
    held, texts = {}, []
    for field in schema:
        inner = {one.name: one.type for one in field.type} if pa.types.is_struct(field.type) else {}
        if is_bytes(field.type):
            held[field.name] = (field.name, "")
        elif "bytes" in inner and is_bytes(inner["bytes"]):
            held[field.name] = (
                f"{field.name}.bytes",
                f"{field.name}.path" if "path" in inner else "",
            )
        else:
            texts.append(field.name)
    columns = roles(texts, where, list(held))
    item, beside = held[columns.data] if columns.data is not None else ("", "")
    return Layout(columns, item, beside)


def holds_images(place: Place, kind: str) -> bool:
    """Whether a table has a column with image bytes."""
    with table_file(place, kind) as file:
        try:
            schema = file.schema_arrow if kind == "parquet" else file.schema
            return bool(layout_of(schema, place.name).item)
        except ConfigError:
            return False


def read_table(place: Place, kind: str, refs: Refs, container: int) -> Iterator[tuple[Table, bool]]:
    """A table's rows as tables of the plan, and whether they are cells of one group (then they are best
    read together).

    Raises:
        ConfigError: unreadable, or no column that names an image or holds its bytes.
    """
    with table_file(place, kind) as file:
        schema = file.schema_arrow if kind == "parquet" else file.schema
        layout = layout_of(schema, place.name)
        batches = _parquet(file, layout) if kind == "parquet" else _batches(file, layout)
        start = 0
        for group, row, part in batches:
            count = part.num_rows
            texts = {name: as_text(part.column(name)) for name in part.column_names}
            if layout.item:
                about = _Cells(place, container, layout, group, row, start)
                yield about.table(texts, count), True
            else:
                yield _manifest(texts, count, start, layout.columns, place, refs, container), False
            start += count


def _parquet(file: Any, layout: Layout) -> Iterator[tuple[int, int, Table]]:
    """Group, first row in the group, and the wanted columns."""
    pa = arrow()
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if not layout.wanted:
            for row in range(0, rows, BATCH_ROWS):
                yield group, row, _empty(min(BATCH_ROWS, rows - row))
            continue
        row = 0
        for batch in file.iter_batches(BATCH_ROWS, [group], layout.wanted, use_threads=False):
            yield group, row, _flat(pa.table(batch), layout)
            row += batch.num_rows


def _batches(file: Any, layout: Layout) -> Iterator[tuple[int, int, Table]]:
    pa = arrow()
    is_file = hasattr(file, "num_record_batches")
    batches = map(file.get_batch, range(file.num_record_batches)) if is_file else file
    outer = {name.partition(".")[0] if name == layout.beside else name for name in layout.wanted}
    for group, batch in enumerate(batches):
        table = pa.table(batch)
        kept = table.select([name for name in table.column_names if name in outer])
        for row in range(0, batch.num_rows, BATCH_ROWS):
            count = min(BATCH_ROWS, batch.num_rows - row)
            part = _flat(kept.slice(row, count), layout) if kept.num_columns else _empty(count)
            yield group, row, part


def _empty(count: int) -> Table:
    pa = arrow()
    return pa.table({"": pa.nulls(count, pa.string())})


def _flat(table: Table, layout: Layout) -> Table:
    """The path beside the bytes, brought out of its struct."""
    if not layout.beside:
        return table
    pa = arrow()
    outer, _, inner = layout.beside.partition(".")
    at = table.column_names.index(outer)
    path = pa.compute.struct_field(table.column(outer), inner)
    return table.remove_column(at).append_column(layout.beside, path)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Rows of one group of a dataset."""

    place: Place
    container: int
    layout: Layout
    group: int
    row: int
    start: int

    def table(self, texts: dict[str, Any], count: int) -> Table:
        pa = arrow()
        columns = self.layout.columns
        numbers = pa.array(range(self.start, self.start + count), pa.int64())
        name = pa.scalar(self.place.name)
        made = pa.compute.binary_join_element_wise(name, numbers.cast(pa.string()), "#")
        ids = made
        for given in (columns.path, columns.image_id):
            if given is not None:
                ids = pa.compute.coalesce(_no_empty(texts[given]), ids)
        extra = [*columns.extra, *([self.layout.beside] if self.layout.beside else [])]
        raw = raw_of(self.place.text) if self.place.kind == "file" else b""
        return plan_table(
            count,
            {
                "image_id": ids,
                "kind": ["cell"] * count,
                "place": pa.repeat(name, count),
                "raw": [raw] * count if raw else None,
                "item": [self.layout.item] * count,
                "group": [self.group] * count,
                "row": pa.array(range(self.row, self.row + count), pa.int64()),
                "container": [self.container] * count,
                "line": numbers,
                "caption": None if columns.caption is None else _no_empty(texts[columns.caption]),
                "domain": None if columns.domain is None else _no_empty(texts[columns.domain]),
                "extra": carried(extra, [texts[one] for one in extra], count),
            },
        )


def _no_empty(column: Any) -> Any:
    pa = arrow()
    empty = pa.compute.equal(column, "")
    return pa.compute.if_else(empty, pa.scalar(None, pa.string()), column)


def _manifest(
    texts: dict[str, Any],
    count: int,
    start: int,
    columns: Columns,
    place: Place,
    refs: Refs,
    container: int,
) -> Table:
    def column(name: str | None) -> Any:
        return None if name is None else _no_empty(texts[name])

    extra = carried(columns.extra, [texts[one] for one in columns.extra], count)
    batch = Batch(
        place.name,
        container,
        list(range(start, start + count)),
        column(columns.path).to_pylist(),
        None if columns.image_id is None else column(columns.image_id).to_pylist(),
        column(columns.caption),
        column(columns.domain),
        extra,
    )
    return listed(batch, refs)
