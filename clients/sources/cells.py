"""Image bytes out of the cells of one group of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from physgauge.clients.sources.arrow import arrow, arrow_faults
from physgauge.clients.sources.kinds import by_content
from physgauge.clients.sources.places import place_of, read_range
from physgauge.clients.sources.records import Entry
from physgauge.clients.sources.tables import table_file
from physgauge.errors import ConfigError, ImageError, InputError

ROWS_AT_ONCE: Final = 32


def read_cells(entries: Sequence[Entry], most_bytes: int) -> Iterator[bytes | InputError]:
    """The bytes of cells of one group, one answer an entry.

    Args:
        entries: of one file, column and group, their rows rising.
        most_bytes: of one image.
    """
    done = 0
    try:
        for data in _cells(entries, most_bytes):
            yield data
            done += 1
        missing = "expected the row in its table, got a table with fewer rows"
        problem = ImageError("image_unreadable", f"{entries[0].where.place}: {missing}")
    except (ConfigError, ImageError) as error:
        problem = ImageError("image_unreadable", str(error))
    for entry in entries[done:]:
        yield ImageError("image_unreadable", f"{entry.source}: {problem.message}")


def _cells(entries: Sequence[Entry], most_bytes: int) -> Iterator[bytes | InputError]:
    where = entries[0].where
    place = place_of(where)
    kind = "parquet" if by_content(read_range(place, 0, 8)) == "parquet" else "arrow"
    with table_file(place, kind) as file, arrow_faults(ConfigError, "cannot be read"):
        batches = _parquet(file, where.group, where.item)
        if kind == "arrow":
            batches = _arrow(file, where.group, where.item)
        wanted = iter(entries)
        entry = next(wanted, None)
        start = 0
        for column in batches:
            while entry is not None and entry.where.row < start + len(column):
                yield _cell(column[entry.where.row - start], entry, most_bytes)
                entry = next(wanted, None)
            if entry is None:
                return
            start += len(column)


def _parquet(file: Any, group: int, item: str) -> Iterator[Any]:
    if group >= file.num_row_groups:
        return
    for batch in file.iter_batches(ROWS_AT_ONCE, [group], [item], use_threads=False):
        yield _inner(batch.column(0), item)


def _arrow(file: Any, group: int, item: str) -> Iterator[Any]:
    pa = arrow()
    outer = item.partition(".")[0]
    if hasattr(file, "num_record_batches"):
        if group < file.num_record_batches:
            yield _inner(file.get_batch(group).column(outer), item)
        return
    for number, batch in enumerate(file):
        if number == group:
            yield _inner(pa.record_batch(batch).column(outer), item)
            return


def _inner(column: Any, item: str) -> Any:
    pa = arrow()
    return pa.compute.struct_field(column, "bytes") if "." in item else column


def _cell(value: Any, entry: Entry, most_bytes: int) -> bytes | InputError:
    """One image; only its own bytes are copied."""
    held = value.as_buffer() if value.is_valid else None
    if held is None:
        return ImageError("image_unreadable", f"{entry.source}: expected image bytes, got null")
    if held.size > most_bytes:
        return ImageError(
            "image_too_large",
            f"{entry.source}: expected at most {most_bytes} bytes, got {held.size}",
        )
    return bytes(held)
