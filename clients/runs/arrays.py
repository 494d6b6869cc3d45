"""Columns of many rows as NumPy arrays, file by file: for whoever looks at millions of rows at once.

Only the leaves that are asked for are read, texts as codes of a vocabulary, page checksums verified.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from physgauge.clients.runs.files import RowFiles
from physgauge.clients.storage import Missing, Store, is_remote
from physgauge.clients.table import arrow, reading
from physgauge.errors import ConfigError, EnvironmentProblem

F64 = NDArray[np.float64]
I8 = NDArray[np.int8]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Made = TypeVar("Made")
WHOLE: Final = ("image_id", "pixel_sha256")
"""Texts that differ from row to row: no vocabulary."""
_AHEAD: Final = 4
"""Files in memory for each thread, beside those that it works on."""


class Columns:
    """Leaves of the rows of one file."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._pa = arrow()
        self.rows: int = table.num_rows

    def numbers(self, name: str) -> F64:
        """[n] a column of numbers, as ``terravis.score``; NaN for null."""
        found: F64 = self._leaf(name).to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
        return found

    def flags(self, name: str) -> I8:
        """[n] a column of booleans: 1, 0, or -1 for null."""
        return _flags(self._pa, self._leaf(name))

    def codes(self, name: str) -> tuple[I32, list[str]]:
        """[n] a column of texts as indices into its different values; -1 for null."""
        return _codes(self._pa, self._leaf(name))

    def texts(self, name: str, most: int | None = None) -> Any:
        """A column of texts as an Arrow array, for :func:`together`.

        Args:
            name: of the column, one of `WHOLE`.
            most: characters kept of each; None = all.
        """
        found = self._leaf(name)
        return found if most is None else self._pa.compute.utf8_slice_codeunits(found, 0, most)

    def lists(self, name: str) -> Nested:
        """A column of lists or maps."""
        return Nested(self._pa, self._leaf(name))

    def _leaf(self, name: str) -> Any:
        first, *rest = name.split(".")
        column = self._table.column(first)
        # One row group is one chunk, which `combine_chunks` would copy.
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        return self._pa.compute.struct_field(column, rest) if rest else column


class Nested:
    """A column of lists of records, or of maps: all entries one after the other."""

    def __init__(self, pa: Any, column: Any) -> None:
        self._pa = pa
        offsets = column.offsets.to_numpy()  # null has no entries, as Parquet is read
        self.counts: NDArray[np.int32] = np.diff(offsets)
        """[n] entries of each row."""
        start, count = int(offsets[0]), int(offsets[-1] - offsets[0])
        is_map = pa.types.is_map(column.type)
        self._keys = column.keys.slice(start, count) if is_map else None
        self._values = (column.items if is_map else column.values).slice(start, count)

    def of_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """[entries] what [n] says of the row of each."""
        return np.repeat(values, self.counts)

    def codes(self, name: str = "") -> tuple[I32, list[str]]:
        """[entries] a field of texts, or (no name) the map's keys, as :meth:`Columns.codes`."""
        return _codes(self._pa, self._field(name))

    def flags(self, name: str) -> I8:
        """[entries] a field of booleans, as :meth:`Columns.flags`."""
        return _flags(self._pa, self._field(name))

    def values(self) -> tuple[I32, list[str]]:
        """[entries] the values of a map of texts, as :meth:`Columns.codes`."""
        return _codes(self._pa, self._values)

    def _field(self, name: str) -> Any:
        return self._pa.compute.struct_field(self._values, [name]) if name else self._keys


def _flags(pa: Any, array: Any) -> I8:
    array = array.cast(pa.int8())
    if array.null_count:
        array = pa.compute.fill_null(array, -1)
    found: I8 = array.to_numpy(zero_copy_only=False)
    return found


def _codes(pa: Any, array: Any) -> tuple[I32, list[str]]:
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    indices = array.indices
    if indices.null_count:
        indices = pa.compute.fill_null(indices, -1)
    codes: I32 = indices.to_numpy(zero_copy_only=False)
    return codes, array.dictionary.to_pylist()


def each_file(
    files: RowFiles,
    leaves: Sequence[str],
    make: Callable[[Columns], Made],
    threads: int | None = None,
) -> Iterator[Made]:
    """What `make` makes of each file, in order; it runs in several threads.

    Args:
        files: of a run.
        leaves: paths of Parquet columns, as ``terravis.score``, ``pcmde.rules.list.element.id``,
            ``extra.key_value.key``; texts come as codes, those of `WHOLE` as they are.
        make: from the columns of one file.
        threads: None = one a core, at most 8.

    Raises:
        ConfigError: a file that holds something else; names it.
        EnvironmentProblem: a file is damaged, unreadable, of another version or gone; names it.
    """
    coded = [one for one in leaves if one not in WHOLE]
    count = threads or min(8, os.cpu_count() or 1)

    def work(key: str) -> Made:
        return make(Columns(_table(files.store, key, leaves, coded)))

    waiting: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(count, "physgauge-read") as pool:
        try:
            for key in files.keys:
                waiting.append(pool.submit(work, key))
                if len(waiting) > count * (1 + _AHEAD):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()


def _table(store: Store, key: str, leaves: Sequence[str], coded: Sequence[str]) -> Any:
    pa, where = arrow(), store.where(key)
    try:
        with (
            store.open(key) as file,
            reading(where),
            pa.parquet.ParquetFile(
                # Of a local file Arrow reads by itself what it needs, without asking Python.
                pa.memory_map(where) if _is_plain(store, where) else file,
                read_dictionary=list(coded),
                page_checksum_verification=True,
            ) as parquet,
        ):
            return parquet.read(columns=list(leaves), use_threads=False)
    except Missing:
        raise EnvironmentProblem(
            f"{where}: was there a moment ago, and is gone: somebody works on this run"
        ) from None
    except KeyError:
        raise ConfigError(f"{where}: expected rows of physgauge, got other columns") from None


def _is_plain(store: Store, where: str) -> bool:
    """A local path that Arrow takes: UTF-8."""
    return not is_remote(store.address) and where.isprintable()


def together(parts: Sequence[Any]) -> Any:
    """Texts of several files as one Arrow array."""
    pa = arrow()
    return (
        pa.concat_arrays(list(parts)).cast(pa.large_string())
        if parts
        else pa.array([], pa.large_string())
    )


class Matched:
    """Rows of two runs that have an id in common. An id that a run has several times is matched in order:
    its first row with the other's first, and so on."""

    def __init__(self, a: Any, b: Any) -> None:
        pa = arrow()
        self.same_order: bool = a.equals(b)
        """Both have the same ids in the same order: the rows match one by one."""
        both = [a] if self.same_order else [a, b]
        codes = pa.concat_arrays(both).dictionary_encode().indices.to_numpy()
        code_a, code_b = codes[: len(a)], codes[-len(b) :] if len(b) else codes[:0]
        self.repeated = (_again(code_a), _again(code_b))
        """Rows whose id came before, in each."""
        self.a: I64
        """[m] rows of the first, in their order ..."""
        self.b: I64
        """... and of the second."""
        if self.same_order:
            self.a = self.b = np.arange(len(a))
            return
        keys_a, keys_b = _nth(code_a), _nth(code_b)
        _, at_a, at_b = np.intersect1d(keys_a, keys_b, assume_unique=True, return_indices=True)
        order = np.argsort(at_a)
        self.a, self.b = at_a[order], at_b[order]


def _again(codes: Any) -> int:
    return int(len(codes) - np.count_nonzero(np.bincount(codes))) if len(codes) else 0


def _nth(codes: Any) -> I64:
    """A key for each row: its id's code, and which one with that id it is."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    first = np.r_[True, ordered[1:] != ordered[:-1]] if len(codes) else np.zeros(0, bool)
    starts = np.flatnonzero(first)
    nth = np.arange(len(codes)) - np.repeat(starts, np.diff(np.r_[starts, len(codes)]))
    keys = np.empty(len(codes), np.int64)
    keys[order] = ordered.astype(np.int64) | (nth.astype(np.int64) << 32)
    return keys


def equal_share(a: Any, b: Any, matched: Matched) -> float | None:
    """The share of matched rows whose texts are equal, of those where both have one; None: none have."""
    pa = arrow()
    if not matched.same_order:
        a, b = a.take(pa.array(matched.a)), b.take(pa.array(matched.b))
    share = pa.compute.mean(pa.compute.equal(a, b)).as_py()
    return None if share is None else float(share)
