"""Tables of entries side by side: which are the same, and which files are others now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from physgauge.clients.sources.arrow import Table, arrow
from physgauge.clients.sources.finding import Container
from physgauge.clients.sources.places import file_states

_BESIDE = ("container", "line")
"""Columns that say where an entry was named, not what it is."""


def states(table: Table, containers: Sequence[Container]) -> Table:
    """What the entries of a table are, apart from where they were named. A cell takes the version of its
    dataset: without it a dataset that was written again would look the same."""
    pa = arrow()
    kinds = table.column("kind")
    cells = pa.compute.equal(kinds, "cell")
    if pa.compute.any(cells).as_py():
        texts = pa.array([f"{one.size} {one.version} {one.digest}" for one in containers])
        number = pa.compute.if_else(cells, table.column("container"), 0)
        version = pa.compute.if_else(cells, texts.take(number), table.column("version"))
        at = table.column_names.index("version")
        table = table.set_column(at, table.schema.field("version"), version)
    return table.drop_columns(list(_BESIDE))


def same(left: Table, right: Table) -> bool:
    """Whether two tables (of :func:`states`) hold the same entries in the same order."""
    return bool(left.equals(right))


@dataclass(frozen=True, slots=True)
class Stats:
    """Local files of a table that are others now, by row."""

    replaced: list[int]
    gone: list[int]
    sizes: list[int]
    """As they are now, of the replaced ones."""
    versions: list[str]


def stat_check(table: Table) -> Stats:
    """Looks at the local files of a table: one ``stat`` a file."""
    import numpy as np

    pa = arrow()
    files = pa.compute.equal(table.column("kind"), "file")
    rows = np.flatnonzero(files.to_numpy())
    held = table.select(["place", "raw", "size", "version"]).filter(files)
    paths: list[Any] = held.column("place").to_pylist()
    raws = held.column("raw")
    if raws.null_count < len(raws):
        paths = [raw or path for raw, path in zip(raws.to_pylist(), paths, strict=True)]
    versions = held.column("version")
    versions = pa.compute.if_else(pa.compute.equal(versions, ""), "-1", versions)
    size, mtime_ns = file_states(paths)
    was = held.column("size").to_numpy()
    differs = (size != was) | (mtime_ns != versions.cast(pa.int64()).to_numpy())
    gone = differs & (size < 0)
    now = differs & ~gone
    return Stats(
        rows[now].tolist(), rows[gone].tolist(), size[now].tolist(), list(map(str, mtime_ns[now]))
    )


def with_state(table: Table, found: Stats) -> Table:
    """The replaced rows, with size and mtime as they are now."""
    pa = arrow()
    rows = table.take(pa.array(found.replaced, pa.int64()))
    for name, values in (("size", found.sizes), ("version", found.versions)):
        field = rows.schema.field(name)
        at = rows.column_names.index(name)
        rows = rows.set_column(at, field, pa.array(values, field.type))
    return rows


@dataclass(frozen=True, slots=True)
class Match:
    """Two tables matched by image_id: places in them, int64 arrays."""

    replaced: Any
    """[N, 2] old and new place of entries that both have, and that are not the same."""
    gone: Any
    """[N] old places, rising."""
    added: Any
    """[N] new places, rising."""


def match(old: Table, new: Table) -> Match:
    """Matches tables (of :func:`states`) by image_id, the n-th of an id with the n-th."""
    import numpy as np

    pa = arrow()
    ids = pa.chunked_array(
        [*old.column("image_id").chunks, *new.column("image_id").chunks], pa.string()
    )
    codes = ids.combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    left, right = _ranked(codes[: old.num_rows]), _ranked(codes[old.num_rows :])
    top = 1 + max(int(part[1].max(initial=0)) for part in (left, right))
    a, b = (part[0].astype(np.int64) * top + part[1] for part in (left, right))
    _, at, to = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    order = np.argsort(at, kind="stable")
    at, to = at[order], to[order]
    differs = _differs(old.take(pa.array(at)), new.take(pa.array(to)))
    gone = np.setdiff1d(np.arange(old.num_rows), at, assume_unique=True)
    added = np.setdiff1d(np.arange(new.num_rows), to, assume_unique=True)
    return Match(np.stack([at, to], axis=1)[differs], gone, added)


def _ranked(codes: Any) -> tuple[Any, Any]:
    """The codes, and how many equal ones came before each. int64 [N] each"""
    import numpy as np

    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(codes) else order
    lengths = np.diff(np.r_[starts, len(codes)])
    rank = np.empty(len(codes), dtype=np.int64)
    rank[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return codes, rank


def _differs(left: Table, right: Table) -> Any:
    """bool [N]: rows that are not the same in any column."""
    import numpy as np

    pa = arrow()
    out = np.zeros(left.num_rows, dtype=bool)
    for name in left.column_names:
        a, b = left.column(name), right.column(name)
        if pa.types.is_map(a.type):
            a, b = _flat(a), _flat(b)
        equal = pa.compute.equal(a, b)
        both_null = pa.compute.and_(pa.compute.is_null(a), pa.compute.is_null(b))
        held = pa.compute.or_(pa.compute.fill_null(equal, False), both_null)
        out |= ~held.to_numpy(zero_copy_only=False)
    return out


def _flat(column: Any) -> Any:
    """A map column as one text a row, in the order of its keys; null like an empty one."""
    import json

    texts = [
        json.dumps(dict(pairs), sort_keys=True) if pairs else "" for pairs in column.to_pylist()
    ]
    return arrow().chunked_array([texts], arrow().string())


def without(
    gone: Mapping[int, Sequence[int]], known: Mapping[int, Sequence[int]]
) -> dict[int, list[int]]:
    """The places in `gone` that `known` does not have; units without any are left out."""
    left = {unit: sorted(set(at) - set(known.get(unit, ()))) for unit, at in gone.items()}
    return {unit: at for unit, at in left.items() if at}
