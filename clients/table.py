"""Result rows as Parquet: one Arrow schema derived from the wire types, page checksums on.

Written with ``write_page_checksum`` and read with verification: without checksums a flipped bit on disk
goes unnoticed most of the time. Needs ``physgauge[local]`` (pyarrow).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import msgspec
from msgspec import inspect

from physgauge import wire
from physgauge.clients.columns import column, field, leaves, values
from physgauge.errors import ConfigError, EnvironmentProblem

if TYPE_CHECKING:
    import pyarrow as pa

    Table: TypeAlias = pa.Table


def arrow() -> Any:
    """The pyarrow module.

    Raises:
        EnvironmentProblem: it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet  # pyarrow loads them only when asked
    except ImportError:
        raise EnvironmentProblem(
            "reading and writing Parquet needs pyarrow: pip install 'physgauge[local]'"
        ) from None
    return pyarrow


@lru_cache(maxsize=1)
def _row_type() -> Any:
    return _arrow_type(arrow(), inspect.type_info(wire.Row))


def arrow_schema() -> pa.Schema:
    """The Arrow schema of :class:`physgauge.wire.Row`; dictionaries become maps."""
    return arrow().schema(list(_row_type()))


def _arrow_type(pa: Any, info: inspect.Type) -> Any:
    match info:
        case inspect.StructType(fields=fields):
            return pa.struct([pa.field(f.encode_name, _arrow_type(pa, f.type)) for f in fields])
        case inspect.ListType(item_type=item):
            return pa.list_(_arrow_type(pa, item))
        case inspect.DictType(key_type=key, value_type=value):
            return pa.map_(_arrow_type(pa, key), _arrow_type(pa, value))
        case inspect.UnionType(types=types):
            (inner,) = [t for t in types if not isinstance(t, inspect.NoneType)]
            return _arrow_type(pa, inner)
        case inspect.Metadata(type=inner):
            return _arrow_type(pa, inner)
        case inspect.StrType() | inspect.LiteralType():
            return pa.string()
        case inspect.FloatType():
            return pa.float64()
        case inspect.IntType():
            return pa.int64()
        case inspect.BoolType():
            return pa.bool_()
    raise TypeError(f"expected a wire type that Parquet can hold, got {info!r}")


def to_table(rows: Sequence[wire.Row]) -> pa.Table:
    """Rows as one Arrow table of :func:`arrow_schema`."""
    pa = arrow()
    array = column(pa, inspect.type_info(wire.Row), _row_type(), rows)
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(array)], arrow_schema())


def to_rows(table: pa.Table) -> Iterator[wire.Row]:
    """A table's rows, every field checked.

    Raises:
        ConfigError: a row that does not fit this version's wire types.
    """
    pa = arrow()
    for batch in table.to_batches(max_chunksize=512):
        try:
            for record in values(pa, batch.to_struct_array()):
                yield msgspec.convert(record, wire.Row)
        except (msgspec.ValidationError, ValueError) as error:
            raise ConfigError(f"not rows of this version: {error}") from None


class RowFile:
    """Writes rows into an open file as Parquet, in groups: memory is bounded by one group.

    Args:
        file: to write to; it stays open.
        rows_per_group: rows kept in memory before a group is written.
    """

    def __init__(self, file: BinaryIO, rows_per_group: int = 1024) -> None:
        self._rows_per_group = rows_per_group
        self._pending: list[wire.Row] = []
        self._schema = arrow_schema()
        self._writer = arrow().parquet.ParquetWriter(
            file,
            self._schema,
            compression="zstd",
            write_page_checksum=True,
            write_page_index=True,
        )
        self.rows = 0

    def write(self, row: wire.Row) -> None:
        """Add one row."""
        self._pending.append(row)
        self.rows += 1
        if len(self._pending) >= self._rows_per_group:
            self._flush()

    def write_table(self, table: pa.Table) -> None:
        """Add rows of another file of rows, as they are."""
        if not table.schema.equals(self._schema):  # of an earlier version: fields have been added
            for row in to_rows(table):
                self.write(row)
            return
        self._flush()
        self._writer.write_table(table)
        self.rows += table.num_rows

    def _flush(self) -> None:
        if self._pending:
            self._writer.write_table(to_table(self._pending))
            self._pending.clear()

    def drop(self) -> None:
        """End it without what is pending: what was written is of no use."""
        with suppress(OSError, ValueError):  # closing writes, and may fail as the writing did
            self._writer.close()

    def finish(self, metadata: Mapping[str, str]) -> None:
        """Write what is pending, and the footer with key-value metadata."""
        self._flush()
        self._writer.add_key_value_metadata(dict(metadata))
        self._writer.close()


@contextmanager
def reading(where: str) -> Iterator[None]:
    """A fault in a file of rows as an error that names it."""
    pa = arrow()
    try:
        yield
    except (OSError, ValueError, pa.ArrowException) as error:
        # Their text may hold offsets and bytes; what is wrong is one of few things anyway.
        what = getattr(error, "strerror", None) or f"damaged, or no Parquet: {type(error).__name__}"
        raise EnvironmentProblem(f"{where}: cannot be read ({what})") from None


def read_table(
    file: BinaryIO | bytes, where: str, columns: Sequence[str] | None = None
) -> pa.Table:
    """A file of rows, page checksums verified.

    Args:
        file: open to read, seekable; or its content.
        where: its name in errors.
        columns: such as ``terravis.score``: one column each, in that order, named so; None: all.

    Raises:
        EnvironmentProblem: damaged or unreadable.
        ConfigError: a row has no such column.
    """
    pa = arrow()
    source = pa.BufferReader(file) if isinstance(file, bytes) else file
    if columns is not None:
        kinds = [_kind(pa, name) for name in columns]
    with reading(where), pa.parquet.ParquetFile(source, page_checksum_verification=True) as parquet:
        if columns is None:
            return parquet.read(use_threads=False)
        wanted = leaves(parquet.metadata, tuple(columns))
        table = parquet.reader.read_all(column_indices=wanted, use_threads=False)
        found = [field(pa, table, name, kind) for name, kind in zip(columns, kinds, strict=True)]
        return pa.table(found, names=list(columns))


def _kind(pa: Any, name: str) -> Any:
    """The type of a column such as ``terravis.score``."""
    kind = _row_type()
    for part in name.split("."):
        if not pa.types.is_struct(kind) or kind.get_field_index(part) < 0:
            raise ConfigError(f"{name!r}: a row has no such column")
        kind = kind.field(part).type
    return kind


def read_rows(path: Path) -> Iterator[wire.Row]:
    """Rows of one Parquet file, verifying page checksums and every field.

    Raises:
        EnvironmentProblem: damaged, unreadable or not Parquet.
        ConfigError: not rows of this version.
    """
    pa = arrow()
    with reading(str(path)), path.open("rb") as source:  # pyarrow takes no name that is not UTF-8
        file = pa.parquet.ParquetFile(source, page_checksum_verification=True)
        for group in range(file.num_row_groups):
            yield from named(str(path), to_rows(file.read_row_group(group, use_threads=False)))


def named(where: str, rows: Iterator[wire.Row]) -> Iterator[wire.Row]:
    """Rows whose errors name the file."""
    try:
        yield from rows
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def read_records(path: Path) -> list[dict[str, Any]]:
    """All rows of any Parquet file as dictionaries (boxes from elsewhere).

    Raises:
        ConfigError: unreadable or not Parquet.
    """
    pa = arrow()
    try:
        with path.open("rb") as source:
            table = pa.parquet.read_table(
                source, page_checksum_verification=True, use_threads=False
            )
        records: list[dict[str, Any]] = table.to_pylist(maps_as_pydicts="strict")
    except (
        OSError,
        ValueError,
        KeyError,
        pa.ArrowException,
    ) as error:  # KeyError: a map's key twice
        kind = type(error).__name__
        raise ConfigError(f"{path}: expected a readable Parquet file ({kind})") from None
    return records
