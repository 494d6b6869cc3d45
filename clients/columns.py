"""Wire records to Arrow arrays, column by column.

A record at a time through dictionaries costs a millisecond and more for a row with all its answers and
rules; the same values gathered by field cost a tenth of it, and are the same array.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

from msgspec import inspect


def column(pa: Any, info: inspect.Type, kind: Any, values: Sequence[Any]) -> Any:
    """One Arrow array of wire values.

    Args:
        pa: the pyarrow module.
        info: the wire type of the values, as msgspec sees it.
        kind: its Arrow type.
        values: each of that type, or None.
    """
    match info:
        case inspect.StructType(fields=fields):
            return _struct(pa, fields, kind, values)
        case inspect.ListType(item_type=item):
            items = list(chain.from_iterable(v for v in values if v))
            inner = column(pa, item, kind.value_type, items)
            return pa.ListArray.from_arrays(_offsets(pa, values), inner, type=kind)
        case inspect.DictType(key_type=key, value_type=value):
            full = [v for v in values if v]
            keys = column(pa, key, kind.key_type, list(chain.from_iterable(full)))
            items = [item for one in full for item in one.values()]
            inner = column(pa, value, kind.item_type, items)
            return pa.MapArray.from_arrays(_offsets(pa, values), keys, inner, type=kind)
        case inspect.UnionType(types=types):
            (inner_type,) = [t for t in types if not isinstance(t, inspect.NoneType)]
            return column(pa, inner_type, kind, values)
        case inspect.Metadata(type=inner_type):
            return column(pa, inner_type, kind, values)
    return pa.array(values, kind)


def _struct(pa: Any, fields: Sequence[inspect.Field], kind: Any, values: Sequence[Any]) -> Any:
    missing = [v is None for v in values]
    some = any(missing)
    columns = []
    for field, arrow in zip(fields, kind, strict=True):
        name = field.name
        found = (
            [None if v is None else getattr(v, name) for v in values]
            if some
            else [getattr(v, name) for v in values]
        )
        columns.append(column(pa, field.type, arrow.type, found))
    mask = pa.array(missing, pa.bool_()) if some else None
    if not columns:
        raise TypeError("expected a record with fields")
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=mask)


def _offsets(pa: Any, values: Sequence[Any]) -> Any:
    """Where each list begins, and the last one ends; null where there is no list."""
    ends = accumulate((len(v) if v else 0 for v in values), initial=0)
    starts = [None if v is None else at for v, at in zip(values, ends, strict=False)]
    total = sum(len(v) for v in values if v)
    return pa.array([*starts, total], pa.int32())


def values(pa: Any, array: Any) -> list[Any]:
    """An Arrow array as plain values: records are dictionaries, and so are maps.

    Raises:
        ValueError: a map with a key twice.
    """
    kind = array.type
    if pa.types.is_struct(kind):
        # flatten() heeds the slice; a record that is missing has missing fields.
        parts = [values(pa, child) for child in array.flatten()]
        names = [field.name for field in kind]
        records = [dict(zip(names, one, strict=True)) for one in zip(*parts, strict=True)]
        return _without(array, records)
    if pa.types.is_map(kind):
        flat, ends = _flat(array)
        keys = values(pa, flat.field(0))
        items = values(pa, flat.field(1))
        maps = [dict(zip(keys[a:b], items[a:b], strict=True)) for a, b in pairwise(ends)]
        if sum(map(len, maps)) != len(keys):
            raise ValueError("expected the keys of a map once each")
        return _without(array, maps)
    if pa.types.is_list(kind):
        flat, ends = _flat(array)
        items = values(pa, flat)
        lists = [items[a:b] for a, b in pairwise(ends)]
        return _without(array, lists)
    return array.to_pylist()  # type: ignore[no-any-return]


def _flat(array: Any) -> tuple[Any, list[int]]:
    """The items of lists or maps in a row, and where each list ends (0 first)."""
    ends = array.offsets.to_pylist()
    first = ends[0]
    return array.values[first : ends[-1]], [end - first for end in ends]


def _without(array: Any, found: list[Any]) -> list[Any]:
    if array.null_count == 0:
        return found
    return [
        one if there else None
        for one, there in zip(found, array.is_valid().to_pylist(), strict=True)
    ]


_LEAVES: dict[tuple[int, tuple[str, ...]], dict[int, str]] = {}


def leaves(metadata: Any, columns: tuple[str, ...]) -> list[int]:
    """Which of a file's Parquet columns make up the columns asked for. Files of one version are alike:
    going through all paths of each would take half the time of reading it."""
    key = metadata.num_columns, columns
    known = _LEAVES.get(key)
    schema = metadata.schema
    if known is None or any(schema.column(i).path != path for i, path in known.items()):
        starts = tuple(f"{name}." for name in columns)
        paths = ((i, schema.column(i).path) for i in range(metadata.num_columns))
        known = _LEAVES[key] = {i: path for i, path in paths if f"{path}.".startswith(starts)}
    return list(known)


def field(pa: Any, table: Any, name: str, kind: Any) -> Any:
    """The column called ``terravis.score`` or so of a table; nulls of a kind where it has none."""
    first, *below = name.split(".")
    found = table[first] if first in table.column_names else None
    for part in below:
        if found is None or found.type.get_field_index(part) < 0:
            found = None
            break
        found = pa.compute.struct_field(found, part)
    # A field that was added after the file was written is null there.
    return pa.nulls(table.num_rows, kind) if found is None else found
