"""pyarrow, for all of the sources: tables of entries, and files of tables. Needs ``physgauge[local]``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from physgauge.errors import EnvironmentProblem

if TYPE_CHECKING:
    import pyarrow as pa

    Table: TypeAlias = pa.Table
    Column: TypeAlias = pa.Array | pa.ChunkedArray
else:  # importing this does not import pyarrow
    Table = Column = Any

PLAN_COLUMNS: Final = (
    "image_id", "kind", "place", "raw", "item", "group", "row", "container", "line",
    "caption", "domain", "extra", "size", "version", "code", "fault",
)  # fmt: skip
"""Of the plan's tables, one row an entry (or one an archive, of kind "shard"). `group` is a cell's row
group or record batch, `row` its row therein; `container` numbers the manifest or table that named it (-1:
none), `line` its line there, from 1 (its row in a table, from 0)."""


def arrow() -> Any:
    """pyarrow with the parts that the sources use.

    Raises:
        EnvironmentProblem: it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise EnvironmentProblem(
            "bulk runs and their inputs need pyarrow: pip install 'physgauge[local]'"
        ) from None
    return pyarrow


@contextmanager
def arrow_faults(kind: type[Exception], what: str) -> Iterator[None]:
    """Whatever pyarrow says of a broken file becomes `kind`, with `what` before its type."""
    pa = arrow()
    try:
        yield
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise kind(f"{what} ({type(error).__name__})") from None


def plan_schema() -> pa.Schema:
    """The schema of PLAN_COLUMNS."""
    pa = arrow()
    whole, text = pa.int64(), pa.string()
    types = {
        "raw": pa.binary(), "group": pa.int32(), "row": whole, "container": pa.int32(), "line": whole,
        "size": whole, "extra": pa.map_(text, text),
    }  # fmt: skip
    return pa.schema([(name, types.get(name, text)) for name in PLAN_COLUMNS])


def plan_table(count: int, columns: dict[str, Any]) -> Table:
    """A plan's table from lists or Arrow columns; what is left out is null, -1 for whole numbers."""
    pa = arrow()
    fields = []
    schema = plan_schema()
    for field in schema:
        values = columns.get(field.name)
        if values is None:
            if field.type in (pa.int64(), pa.int32()):
                values = pa.repeat(pa.scalar(-1, field.type), count)
            else:
                values = pa.nulls(count, field.type)
        elif isinstance(values, (pa.Array, pa.ChunkedArray)):
            values = values.cast(field.type) if values.type != field.type else values
        else:
            values = pa.array(values, field.type)
        fields.append(values)
    return pa.table(fields, schema=schema)


class Carried:
    """Collects carried columns row by row, and makes one map column of them."""

    def __init__(self) -> None:
        self._offsets = [0]
        self._names: list[str] = []
        self._texts: list[str] = []

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """The carried columns of the next row, null ones left out."""
        for name, text in pairs:
            self._names.append(name)
            self._texts.append(text)
        self._offsets.append(len(self._names))

    def column(self) -> Column:
        """map<string, string>, one a row added."""
        pa = arrow()
        return pa.MapArray.from_arrays(
            pa.array(self._offsets, pa.int32()),
            pa.array(self._names, pa.string()),
            pa.array(self._texts, pa.string()),
        )


def carried(names: Sequence[str], columns: Sequence[Column], count: int) -> Column:
    """One map column of several string columns, their nulls left out; all of it vectorised.

    Args:
        names: of the columns; they are the maps' keys.
        columns: [count] strings each.
        count: rows.
    """
    import numpy as np

    pa = arrow()
    if not names:
        text = pa.string()
        return pa.MapArray.from_arrays(
            pa.array([0] * (count + 1), pa.int32()), pa.array([], text), pa.array([], text)
        )
    whole = [c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c for c in columns]
    held = np.stack([pa.compute.is_valid(c).to_numpy(zero_copy_only=False) for c in whole], axis=1)
    row, column = np.nonzero(held)
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))]).astype(np.int32)
    texts = pa.concat_arrays([c.cast(pa.string()) for c in whole]).take(
        pa.array(column.astype(np.int64) * count + row)
    )
    keys = pa.array(list(names), pa.string()).take(pa.array(column))
    return pa.MapArray.from_arrays(pa.array(offsets), keys, texts)


def as_text(column: Column) -> Column:
    """A column of any type as text: what is text stays, other values as their JSON text; NaN, infinity
    and null become null. Bytes (no text) become null too."""
    pa = arrow()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        return column.cast(pa.string())
    if pa.types.is_floating(kind):
        finite = pa.compute.is_finite(column.cast(pa.float64()))
        column = pa.compute.if_else(finite, column, pa.scalar(None, kind))
        return column.cast(pa.string())
    if is_bytes(kind) or pa.types.is_null(kind):
        return pa.nulls(len(column), pa.string())
    if pa.types.is_nested(kind):
        return _nested(column)
    return column.cast(pa.string())


def _nested(column: Column) -> Column:
    import json

    def text(value: Any) -> str | None:
        if value is None:
            return None
        try:
            return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
        except ValueError:  # a NaN inside
            return None

    pa = arrow()
    return pa.array([text(one) for one in column.to_pylist()], pa.string())


def is_bytes(kind: Any) -> bool:
    """Whether a column's type holds byte strings."""
    pa = arrow()
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
        or kind == pa.binary_view()
    )
