"""CSV and TSV manifests (comma, semicolon, tab or bar; quoted cells may hold line ends)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final

from physgauge.clients.sources.arrow import Table, arrow, carried
from physgauge.clients.sources.columns import Columns, roles
from physgauge.clients.sources.lines import MAX_LINE, lines, opened
from physgauge.clients.sources.places import Place
from physgauge.clients.sources.refs import Batch, Refs, listed
from physgauge.errors import ConfigError

BATCH_ROWS: Final = 8192
_DELIMITERS: Final = (",", ";", "\t", "|")


def read_delimited(place: Place, refs: Refs, container: int) -> Iterator[Table]:
    """A manifest's rows as tables of the plan, BATCH_ROWS at a time. A row with another number of cells
    than the header, or with bytes that are not UTF-8, is an entry with a fault.

    Raises:
        ConfigError: unreadable, no header that tells the image's column, or quotes that don't end: from
            there on nobody can tell the rows.
    """
    with opened(place) as file:
        yield from _rows(file, place, refs, container)


def _rows(file: BinaryIO, place: Place, refs: Refs, container: int) -> Iterator[Table]:
    csv.field_size_limit(MAX_LINE)
    text = (line.decode("utf-8", "surrogateescape") for line in lines(file, place.name))
    first = next(text, "")
    delimiter = _delimiter(first, place)

    def all_lines() -> Iterator[str]:
        yield first
        yield from text

    reader = csv.reader(all_lines(), delimiter=delimiter, strict=True)
    end = 0
    try:
        names = [name.strip() for name in next(reader, [])]
        _check_text(names, place)
        columns = roles(names, place.name)
        rows: list[list[str]] = []
        at: list[int] = []
        end = reader.line_num
        for cells in reader:
            if cells and any(cells):
                rows.append(cells)
                at.append(end + 1)
            end = reader.line_num
            if len(rows) == BATCH_ROWS:
                yield _table(rows, at, names, columns, place, refs, container)
                rows, at = [], []
    except csv.Error as error:
        raise ConfigError(
            f"{place.name}:{end + 1}: not CSV: {error} (read up to line {reader.line_num}; a quote that "
            "opens a cell must end it too)"
        ) from None
    if rows:
        yield _table(rows, at, names, columns, place, refs, container)


def _delimiter(header: str, place: Place) -> str:
    """The sign that gives the most columns outside of quotes; a tab for .tsv."""
    if PurePosixPath(place.text).suffix.lower() == ".tsv":
        return "\t"
    plain = "".join(header.split('"')[::2])
    return max(_DELIMITERS, key=plain.count)


def _check_text(names: Sequence[str], place: Place) -> None:
    for name in names:
        if not _is_text(name):
            raise ConfigError(f"{place.name}:1: expected UTF-8 text, got {name!a:.80}")


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _table(
    rows: list[list[str]],
    at: list[int],
    names: list[str],
    columns: Columns,
    place: Place,
    refs: Refs,
    container: int,
) -> Table:
    faults = _repair(rows, len(names))
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    try:
        extra = _extra(columns, cells, len(rows))
    except UnicodeEncodeError:
        faults |= _repair_text(rows)
        cells = dict(zip(names, zip(*rows, strict=True), strict=True))
        extra = _extra(columns, cells, len(rows))

    def column(name: str | None) -> list[str | None] | None:
        return None if name is None else [cell or None for cell in cells[name]]

    batch = Batch(
        place.name, container, at, column(columns.path) or [], column(columns.image_id),
        column(columns.caption), column(columns.domain), extra, faults,
    )  # fmt: skip
    return listed(batch, refs)


def _extra(columns: Columns, cells: dict[str, tuple[str, ...]], count: int) -> Any:
    pa = arrow()
    for name in (columns.path, columns.image_id, columns.caption, columns.domain):
        if name is not None:
            pa.array(cells[name], pa.string())  # raises where bytes were not UTF-8
    texts = [pa.array(cells[name], pa.string()) for name in columns.extra]
    return carried(columns.extra, texts, count)


def _repair(rows: list[list[str]], width: int) -> dict[int, tuple[str, str]]:
    """Brings rows of another width to the header's; their entries have a fault."""
    faults = {}
    for number, cells in enumerate(rows):
        if len(cells) != width:
            said = f"expected {width} columns as in the header, got {len(cells)}"
            faults[number] = ("manifest_invalid", said)
            rows[number] = (cells + [""] * width)[:width]
    return faults


def _repair_text(rows: list[list[str]]) -> dict[int, tuple[str, str]]:
    """Escapes bytes that are not UTF-8; the entries of those rows have a fault."""
    faults = {}
    for number, cells in enumerate(rows):
        odd = next((cell for cell in cells if not _is_text(cell)), None)
        if odd is not None:
            raw = odd.encode("utf-8", "surrogateescape")
            shown = raw.decode("utf-8", "backslashreplace")
            faults[number] = ("manifest_invalid", f"expected UTF-8 text, got {shown!r:.120}")
            rows[number] = [
                cell.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
                for cell in cells
            ]
    return faults
