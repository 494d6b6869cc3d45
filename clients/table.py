"""Result rows as Parquet: one Arrow schema derived from the wire types, page checksums on.

Written with ``write_page_checksum`` and read with verification: without checksums a flipped bit on disk
goes unnoticed most of the time. Needs ``physgauge[local]`` (pyarrow).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from physgauge import wire
from physgauge.errors import ConfigError, EnvironmentProblem

if TYPE_CHECKING:
    import pyarrow as pa


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet  # pyarrow loads it only when asked
    except ImportError:
        raise EnvironmentProblem(
            "reading and writing Parquet needs pyarrow: pip install 'physgauge[local]'"
        ) from None
    return pyarrow


def arrow_schema() -> pa.Schema:
    """The Arrow schema of :class:`physgauge.wire.Row`; dictionaries become maps."""
    pa = _arrow()
    struct = _arrow_type(pa, inspect.type_info(wire.Row))
    return pa.schema(list(struct))


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


class RowWriter:
    """Writes rows to one Parquet file, in groups; use as a context manager.

    The file takes its name only when it is complete (written beside it, then renamed), so a reader never
    sees half a file. Memory is bounded by one group.

    Args:
        path: the file to make; replaced if it exists.
        rows_per_group: rows kept in memory before a group is written.
    """

    def __init__(self, path: Path, rows_per_group: int = 1024) -> None:
        pa = _arrow()
        self._pa = pa
        self._path = path
        self._partial = path.with_name(f".{path.name}.partial")
        self._rows_per_group = rows_per_group
        self._schema = arrow_schema()
        self._pending: list[dict[str, Any]] = []
        with self._to_disk():
            # Opened here: pyarrow takes no name that is not UTF-8.
            self._file = self._partial.open("wb")
            self._writer = pa.parquet.ParquetWriter(
                self._file, self._schema, compression="zstd", write_page_checksum=True
            )
        self.rows = 0

    def write(self, row: wire.Row) -> None:
        """Add one row."""
        self._pending.append(msgspec.to_builtins(row))
        self.rows += 1
        if len(self._pending) >= self._rows_per_group:
            self._flush()

    def _flush(self) -> None:
        if self._pending:
            table = self._pa.Table.from_pylist(self._pending, schema=self._schema)
            with self._to_disk():
                self._writer.write_table(table)
            self._pending.clear()

    def _finish(self) -> None:
        self._flush()
        with self._to_disk():
            self._writer.close()
            self._file.close()
            self._partial.replace(self._path)

    def _drop(self) -> None:
        """What was written is of no use to anyone."""
        with suppress(OSError):  # closing writes, and may fail as the writing did
            self._writer.close()
        with suppress(OSError):
            self._file.close()
        self._partial.unlink(missing_ok=True)

    @contextmanager
    def _to_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else type(error).__name__
            raise EnvironmentProblem(
                f"{self._path}: the rows cannot be written ({reason}); none are left"
            ) from None

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            if self._partial.exists():
                self._drop()


def write_rows(path: Path, rows: Iterable[wire.Row]) -> int:
    """Write all rows to one Parquet file; returns their number."""
    with RowWriter(path) as writer:
        for row in rows:
            writer.write(row)
    return writer.rows


def read_rows(path: Path) -> Iterator[wire.Row]:
    """Read rows back, verifying page checksums and every field.

    Raises:
        OSError: a page whose checksum does not match, or not Parquet.
        msgspec.ValidationError: a row that does not fit the schema.
    """
    pa = _arrow()
    with (
        path.open("rb") as source,  # pyarrow takes no name that is not UTF-8
        pa.parquet.ParquetFile(source, page_checksum_verification=True) as file,
    ):
        for batch in file.iter_batches(batch_size=512):
            for record in batch.to_pylist(maps_as_pydicts="strict"):
                yield msgspec.convert(record, wire.Row)


def count_rows(path: Path) -> int:
    """How many rows a Parquet file has, by its footer.

    Raises:
        ConfigError: unreadable or not Parquet.
    """
    pa = _arrow()
    try:
        with path.open("rb") as source:
            return int(pa.parquet.ParquetFile(source).metadata.num_rows)
    except (OSError, ValueError, pa.ArrowException) as error:
        kind = type(error).__name__
        raise ConfigError(f"{path}: expected a readable Parquet file ({kind})") from None


def read_records(path: Path) -> list[dict[str, Any]]:
    """All rows of any Parquet file as dictionaries (boxes from elsewhere).

    Raises:
        ConfigError: unreadable or not Parquet.
    """
    pa = _arrow()
    try:
        with path.open("rb") as source:
            table = pa.parquet.read_table(source, page_checksum_verification=True)
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
